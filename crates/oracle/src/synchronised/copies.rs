//! Asynchronous copies.

use super::parties::Party;
use super::place::{Place, Where};
use super::statement::{Statement, Test};
use super::templates::Generator;

impl Generator {
    /// One thread of a block, or of every block.
    fn one_thread(&mut self) -> Party {
        let mut who = vec![Test::new("%thr", "eq", self.some_thread())];
        let mut block = None;
        if self.extents.blocks > 1 && !self.random.once_in(4) {
            let number = self.random.below(u64::from(self.extents.blocks)) as u32;
            who.push(Test::new("%blk", "eq", number));
            block = Some(number);
        }
        Party { who, block }
    }

    /// Places that a copy reads and writes.
    fn places(&mut self) -> (Place, Place) {
        (self.data_in(Where::Global), self.data_in(Where::Shared))
    }

    fn copy(&mut self, from: Place, to: Place) -> Statement {
        let (cache, bytes) =
            self.random.choose(&[("ca", 4), ("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)]);
        let rest = match self.random.below(10) {
            0 => ", 0",
            1 => ", 2",
            _ => "",
        };
        Statement::line(format!(
            "cp.async.{cache}.shared.global {}, {}, {bytes}{rest};",
            to.at(0),
            from.at(0)
        ))
    }

    /// `cp.async`, and a wait for it.
    pub(super) fn thread_copies(&mut self) -> Vec<Statement> {
        let party = if self.random.once_in(4) { self.party() } else { self.one_thread() };
        let (from, to) = self.places();
        let mut part = Vec::new();
        if self.random.once_in(2) {
            let place = if self.random.once_in(2) { from } else { to };
            part.extend(self.accesses(place));
        }
        let groups = self.random.choose(&[1, 1, 2]);
        for _ in 0..groups {
            let (other_from, other_to) = self.places();
            let copy = match self.random.once_in(3) {
                true => self.copy(other_from, other_to),
                false => self.copy(from, to),
            };
            part.push(copy);
            if !self.slips() {
                part.push(Statement::line("cp.async.commit_group;"));
            }
        }
        if self.random.once_in(6) {
            let place = if self.random.once_in(2) { from } else { to };
            part.extend(self.accesses(place));
        }
        let wait = match self.random.below(4) {
            0 => "cp.async.wait_all;".to_owned(),
            1 => "cp.async.wait_group 1;".to_owned(),
            _ => "cp.async.wait_group 0;".to_owned(),
        };
        if !self.slips() {
            part.push(Statement::Line(wait));
        }
        if self.random.once_in(2) {
            let place = if self.random.once_in(2) { from } else { to };
            part.extend(self.accesses(place));
        }
        let mut all = vec![self.guarded(&party, part)];
        if !self.slips() {
            let barrier = self.barrier();
            all.push(barrier);
        }
        let other = self.party_in(party.block);
        let place = if self.random.once_in(3) { from } else { to };
        let accesses = self.accesses(place);
        all.push(self.guarded(&other, accesses));
        all
    }

    /// `cp.async` that arrives at an `mbarrier` object.
    pub(super) fn copies_at_mbarrier(&mut self) -> Vec<Statement> {
        let party = self.one_thread();
        let object = self.object();
        let (from, to) = self.places();
        let counts = self.random.once_in(2);
        // Without `.noinc` the arrival makes up for the one it adds: another one is needed.
        let mut all = self.made(object, 1);
        let mut part = self.accesses(from);
        let copies = self.random.choose(&[1, 1, 2]);
        for _ in 0..copies {
            let copy = self.copy(from, to);
            part.push(copy);
        }
        let arrive = if counts { "arrive.noinc" } else { "arrive" };
        part.push(Statement::line(format!(
            "cp.async.mbarrier.{arrive}.shared::cta.b64 [%sb+{object}];"
        )));
        if self.slips() {
            let copy = self.copy(from, to);
            part.push(copy);
        }
        if !counts {
            part.push(Statement::line(format!(
                "mbarrier.arrive.shared::cta.b64 %state, [%sb+{object}];"
            )));
        }
        let waiter = self.party_in(party.block);
        let place = if self.random.once_in(3) { from } else { to };
        let inner = self.accesses(place);
        let scope = self.mbarrier_scope();
        let wait = self.waited(object, 0, scope, inner);
        all.extend(self.parts(vec![(party, part), (waiter, vec![wait])]));
        all
    }

    /// A bulk copy into shared memory, whose bytes an `mbarrier` object waits for.
    pub(super) fn bulk_copy_in(&mut self) -> Vec<Statement> {
        let party = self.one_thread();
        let object = self.object();
        let (from, to) = self.places();
        let mut all = self.made(object, 1);
        let mut part = Vec::new();
        if self.random.once_in(2) {
            let place = if self.random.once_in(2) { from } else { to };
            part.extend(self.accesses(place));
            if !self.slips() {
                let fence = self.proxy_fence();
                part.push(fence);
            }
        }
        let bytes = if self.slots > 1 && self.random.once_in(4) { 32 } else { 16 };
        let (from, to) = (capped(from, bytes), capped(to, bytes));
        // In a cluster the copy may go to the other block, whose object it signals.
        let there = self.extents.cluster > 1 && self.random.once_in(3);
        let (base, expects) = if there { ("%rb", "%sb") } else { ("%sb", "%sb") };
        let multicast = self.extents.cluster > 1 && !there && self.random.once_in(4);
        let expect = Statement::line(format!(
            "mbarrier.arrive.expect_tx.shared::cta.b64 %state, [{expects}+{object}], {bytes};"
        ));
        let (suffix, mask) = if multicast { (".multicast::cluster", ", %h3") } else { ("", "") };
        // From one block to the other nothing passes through global memory.
        let source = self.data_in(Where::Shared);
        let (source_space, source) = match there && self.random.once_in(2) {
            true => ("shared::cta", capped(source, bytes)),
            false => ("global", from),
        };
        let copy = Statement::line(format!(
            "cp.async.bulk.shared::cluster.{source_space}.mbarrier::complete_tx::bytes{suffix} [{base}+{}], {}, {bytes}, [{base}+{object}]{mask};",
            to.offset,
            source.at(0)
        ));
        let block = party.block.map(|block| if there { self.extents.peer(block) } else { block });
        let mut expecting = party.clone();
        if (there || multicast)
            && let Some(number) = party.block
        {
            // Whoever is signalled expects the bytes.
            let threads = vec![Test::new("%thr", "eq", self.some_thread())];
            expecting = Party { who: threads, block: None };
            if there {
                expecting.who.push(Test::new("%blk", "eq", self.extents.peer(number)));
            }
        }
        let apart = there || multicast || self.random.once_in(4);
        if apart {
            all.push(self.guarded(&expecting, vec![expect]));
            part.push(copy);
        } else {
            part.push(expect);
            part.push(copy);
        }
        if self.random.once_in(6) {
            let place = if self.random.once_in(2) { from } else { to };
            part.extend(self.accesses(place));
        }
        let mut parts = vec![(party, part)];
        let waits = self.random.choose(&[1, 1, 2]);
        for _ in 0..waits {
            let waiter = self.party_in(block);
            let place = if self.random.once_in(4) { from } else { to };
            let inner = self.accesses(place);
            let scope = self.mbarrier_scope();
            let wait = self.waited(object, 0, scope, inner);
            parts.push((waiter, vec![wait]));
        }
        all.extend(self.parts(parts));
        all
    }

    /// A bulk copy out of shared memory, or a reduction, in groups.
    pub(super) fn bulk_copy_out(&mut self) -> Vec<Statement> {
        let writer = self.one_thread();
        let copier = match self.random.once_in(2) {
            true => writer.clone(),
            false => {
                let thread = self.some_thread();
                let mut who = vec![Test::new("%thr", "eq", thread)];
                who.extend(writer.who.iter().filter(|test| test.register == "%blk"));
                Party { who, block: writer.block }
            }
        };
        let (to, from) = self.places();
        let mut part = self.accesses(from);
        let mut fences = Vec::new();
        if !self.slips() {
            fences.push(self.proxy_fence());
        }
        let fence_first = !self.random.once_in(4);
        let mut all = Vec::new();
        let mut copies = Vec::new();
        if fence_first {
            part.extend(fences)
        } else {
            copies.extend(fences)
        }
        all.push(Statement::only(&writer.who, part));
        if !self.slips() {
            let barrier = self.barrier();
            all.push(barrier);
        }
        let groups = self.random.choose(&[1, 1, 2]);
        for group in 0..groups {
            let head = match self.random.below(4) {
                0 => "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
                _ => "cp.async.bulk.global.shared::cta.bulk_group",
            };
            let (to, from) = match group {
                0 => (to, from),
                _ => self.places(),
            };
            copies.push(Statement::line(format!("{head} {}, {}, 16;", to.at(0), from.at(0))));
            if !self.slips() {
                copies.push(Statement::line("cp.async.bulk.commit_group;"));
            }
        }
        let read = if self.random.once_in(3) { ".read" } else { "" };
        let left = if self.random.once_in(4) { 1 } else { 0 };
        if !self.slips() {
            copies.push(Statement::line(format!("cp.async.bulk.wait_group{read} {left};")));
        }
        let place = if self.random.once_in(2) { from } else { to };
        copies.extend(self.accesses(place));
        all.push(Statement::only(&copier.who, copies));
        if self.random.once_in(2) {
            let barrier = self.barrier();
            all.push(barrier);
            let other = self.party_in(copier.block);
            let place = if self.random.once_in(2) { from } else { to };
            let accesses = self.accesses(place);
            all.push(self.guarded(&other, accesses));
        }
        all
    }

    /// `st.async` and `red.async` to the other block of the cluster.
    pub(super) fn stores_to_peer(&mut self) -> Vec<Statement> {
        let object = self.object();
        let data = self.data_in(Where::Shared);
        let mut all = self.made(object, 1);
        let expecting = self.one_thread();
        let expect = Statement::line(format!(
            "mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%sb+{object}], 4;"
        ));
        let who = Party { who: expecting.who[..1].to_vec(), block: None };
        all.push(self.guarded(&who, vec![expect]));
        let sender = self.some_thread();
        let head = match self.random.below(3) {
            0 => "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
            _ => "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32",
        };
        let store = Statement::line(format!("{head} [%rb+{}], %kt, [%rb+{object}];", data.offset));
        let sender = Party { who: vec![Test::new("%thr", "eq", sender)], block: None };
        let mut part = Vec::new();
        if self.random.once_in(3) {
            part.extend(self.accesses(Place { memory: Where::Peer, ..data }));
            if self.random.once_in(2) {
                let fence = self.proxy_fence();
                part.push(fence);
            }
        }
        part.push(store);
        let waiter = self.party_in(None);
        let inner = self.accesses(data);
        let scope = self.mbarrier_scope();
        let wait = self.waited(object, 0, scope, inner);
        all.extend(self.parts(vec![(sender, part), (waiter, vec![wait])]));
        all
    }
}

/// A place that has so many bytes behind it.
fn capped(place: Place, bytes: u32) -> Place {
    if bytes > 16 { Place { offset: place.offset.min(32), ..place } } else { place }
}
