//! Flags, locks, counters and fences that threads hand something over with.

use super::parties::Party;
use super::place::Place;
use super::statement::Statement;
use super::templates::Generator;

impl Generator {
    /// One to three threads pass something on with flags.
    pub(super) fn message(&mut self) -> Vec<Statement> {
        let count = self.random.choose(&[2, 2, 2, 3]);
        let parties: Vec<Party> = (0..count).map(|_| self.party()).collect();
        let blocks: Vec<Option<u32>> = parties.iter().map(|party| party.block).collect();
        let data = self.data_for(&blocks);
        let flags: Vec<Place> = (1..count).map(|_| self.flag_for(&blocks)).collect();
        let mut parts = Vec::new();
        for (index, party) in parties.into_iter().enumerate() {
            let mut inner = self.accesses(data);
            if index < flags.len() {
                inner.extend(self.release(flags[index], &blocks));
            }
            let part = match index {
                0 => inner,
                _ => self.after_acquire(flags[index - 1], &blocks, inner),
            };
            parts.push((party, part));
        }
        self.parts(parts)
    }

    /// A flag is set, and what came before is to be seen by who sees it.
    fn release(&mut self, flag: Place, blocks: &[Option<u32>]) -> Vec<Statement> {
        let scope = self.scope_for(blocks);
        let fence_scope = self.scope_for(blocks);
        let (space, at) = (flag.memory.space(), flag.at(0));
        let slips = self.slips();
        let order = if slips { "relaxed" } else { "release" };
        let set = |order: &str, how: u64| {
            let order = if order == "volatile" {
                if how == 0 { ".volatile".to_owned() } else { format!(".relaxed.{scope}") }
            } else {
                format!(".{order}.{scope}")
            };
            Statement::line(match how {
                0 => format!("st{order}{space}.u32 {at}, %k1;"),
                1 => format!("red{order}{space}.add.u32 {at}, %k1;"),
                2 => format!("atom{order}{space}.exch.b32 %x0, {at}, %k1;"),
                3 => format!("atom{order}{space}.add.u32 %x0, {at}, %k1;"),
                _ => format!("atom{order}{space}.cas.b32 %x0, {at}, %k0, %k1;"),
            })
        };
        let how = self.random.choose(&[0, 0, 0, 1, 2, 3, 4]);
        let fence = self.random.choose(&["acq_rel", "acq_rel", "sc", "release"]);
        let fence = Statement::line(format!("fence.{fence}.{fence_scope};"));
        match self.random.below(7) {
            0..3 => vec![set(order, how)],
            3 if slips => vec![set("relaxed", how)],
            3 => vec![fence, set("volatile", how)],
            // A release, and another write to the same place.
            4 => vec![set(order, 0), set("relaxed", how)],
            // The thread may do something between fence and flag: that is not released.
            5 if self.random.once_in(3) => {
                let place = self.data_for(blocks);
                let access = self.weak_access(place);
                vec![fence, access, set("relaxed", how)]
            }
            _ if slips => vec![Statement::line(format!("st{space}.u32 {at}, %k1;"))],
            _ => vec![fence, set("relaxed", how)],
        }
    }

    /// A flag is waited for; then comes `inner`.
    fn after_acquire(
        &mut self,
        flag: Place,
        blocks: &[Option<u32>],
        inner: Vec<Statement>,
    ) -> Vec<Statement> {
        let scope = self.scope_for(blocks);
        let fence_scope = self.scope_for(blocks);
        let (space, at) = (flag.memory.space(), flag.at(0));
        let slips = self.slips();
        let order = if slips { "relaxed" } else { "acquire" };
        let way = self.random.below(6);
        let read = |order: &str, how: u64| match how {
            0 => format!("ld.{order}.{scope}{space}.u32 %x0, {at};"),
            1 => format!("atom.{order}.{scope}{space}.add.u32 %x0, {at}, %k0;"),
            2 => format!("atom.{order}.{scope}{space}.cas.b32 %x0, {at}, %k0, %k0;"),
            _ => format!("ld.volatile{space}.u32 %x0, {at};"),
        };
        let how = self.random.choose(&[0, 0, 0, 0, 1, 2]);
        let (attempt, mut then) = match way {
            0..3 => (read(order, how), Vec::new()),
            3 if slips => (format!("ld{space}.u32 %x0, {at};"), Vec::new()),
            3 => (read("relaxed", 3), vec![self.acquire_fence(fence_scope)]),
            // A relaxed read, and behind it an acquire of the same place.
            4 => (read("relaxed", how), vec![Statement::line(read(order, 0))]),
            _ if slips => (read("relaxed", how), Vec::new()),
            _ => (read("relaxed", how), vec![self.acquire_fence(fence_scope)]),
        };
        let attempts = self.random.choose(&[3, 6, 12, 20]);
        let attempt = vec![Statement::Line(attempt), Statement::line("setp.ne.u32 %q, %x0, 0;")];
        then.extend(inner);
        if !self.random.once_in(8) {
            return vec![Statement::Poll { attempts, attempt, then }];
        }
        let mut all = vec![Statement::Poll { attempts, attempt, then: Vec::new() }];
        all.extend(then);
        all
    }

    fn acquire_fence(&mut self, scope: &str) -> Statement {
        let order = self.random.choose(&["acq_rel", "acq_rel", "sc", "acquire"]);
        Statement::line(format!("fence.{order}.{scope};"))
    }

    /// Several threads take a lock.
    pub(super) fn lock(&mut self) -> Vec<Statement> {
        let count = self.random.choose(&[2, 2, 3]);
        let parties: Vec<Party> = (0..count).map(|_| self.party()).collect();
        let blocks: Vec<Option<u32>> = parties.iter().map(|party| party.block).collect();
        let (data, lock) = (self.data_for(&blocks), self.flag_for(&blocks));
        let (space, at) = (lock.memory.space(), lock.at(0));
        let with_fences = self.random.once_in(2);
        let mut parts = Vec::new();
        for party in parties {
            let scope = self.scope_for(&blocks);
            let fence_scope = self.scope_for(&blocks);
            let fence = Statement::line(format!("fence.acq_rel.{fence_scope};"));
            let strong = !with_fences && !self.slips();
            let acquire = if strong { "acquire" } else { "relaxed" };
            let release = if strong { "release" } else { "relaxed" };
            let take = match self.random.below(3) {
                0 => format!("atom.{acquire}.{scope}{space}.exch.b32 %x0, {at}, %k1;"),
                _ => format!("atom.{acquire}.{scope}{space}.cas.b32 %x0, {at}, %k0, %k1;"),
            };
            let give = match self.random.below(3) {
                0 => format!("st.{release}.{scope}{space}.u32 {at}, %k0;"),
                _ => format!("atom.{release}.{scope}{space}.exch.b32 %x0, {at}, %k0;"),
            };
            let mut then = Vec::new();
            if with_fences && !self.slips() {
                then.push(fence.clone());
            }
            then.extend(self.accesses(data));
            if with_fences && !self.slips() {
                then.push(fence);
            }
            then.push(Statement::Line(give));
            let attempts = self.random.choose(&[1, 3, 8]);
            let attempt = vec![Statement::Line(take), Statement::line("setp.eq.u32 %q, %x0, 0;")];
            let part = match self.slips() {
                // Somebody forgets to take it.
                true => then,
                false => vec![Statement::Poll { attempts, attempt, then }],
            };
            parts.push((party, part));
        }
        self.parts(parts)
    }

    /// A flag is seen by a relaxed read, and somebody overwrites it before the acquire comes.
    pub(super) fn late_acquire(&mut self) -> Vec<Statement> {
        let parties = [self.party(), self.party(), self.party()];
        let blocks = [parties[0].block, parties[1].block, parties[2].block];
        let (data, flag) = (self.data_for(&blocks), self.flag_for(&blocks));
        let seen = self.flag_for(&blocks);
        let [first, second, third] = parties;
        let scope = self.scope_for(&blocks);
        let (space, at) = (flag.memory.space(), flag.at(0));
        let (seen_space, seen_at) = (seen.memory.space(), seen.at(0));
        let poll = |line: String, attempts: u32, then: Vec<Statement>| Statement::Poll {
            attempts,
            attempt: vec![Statement::Line(line), Statement::line("setp.ne.u32 %q, %x0, 0;")],
            then,
        };
        let mut producer = self.accesses(data);
        producer.extend(self.release(flag, &blocks));
        // The reader says that it has seen the flag, waits for the overwriter, and acquires at last.
        let mut then =
            vec![Statement::line(format!("st.relaxed.{scope}{seen_space}.u32 {seen_at}, %k1;"))];
        let wait = format!("ld.relaxed.{scope}{space}.u32 %x0, {at};");
        let overwritten = Statement::Poll {
            attempts: 40,
            attempt: vec![Statement::Line(wait), Statement::line("setp.eq.u32 %q, %x0, 7;")],
            then: Vec::new(),
        };
        then.push(overwritten);
        then.push(match self.random.below(3) {
            0 => self.acquire_fence(scope),
            1 => Statement::line(format!("atom.acquire.{scope}{space}.add.u32 %x0, {at}, %k0;")),
            _ => Statement::line(format!("ld.acquire.{scope}{space}.u32 %x0, {at};")),
        });
        then.extend(self.accesses(data));
        let reader = poll(format!("ld.relaxed.{scope}{space}.u32 %x0, {at};"), 20, then);
        let overwrite = vec![
            Statement::line("mov.u32 %x0, 7;"),
            Statement::line(format!("st.relaxed.{scope}{space}.u32 {at}, %x0;")),
        ];
        let overwriter =
            poll(format!("ld.relaxed.{scope}{seen_space}.u32 %x0, {seen_at};"), 40, overwrite);
        self.parts(vec![(first, producer), (second, vec![reader]), (third, vec![overwriter])])
    }

    /// What is handed over is the flag itself: who has observed it may use it without any fence.
    pub(super) fn observation(&mut self) -> Vec<Statement> {
        let (first, second) = (self.party(), self.party());
        let blocks = [first.block, second.block];
        let flag = self.flag_for(&blocks);
        let (space, at) = (flag.memory.space(), flag.at(0));
        let scope = self.scope_for(&blocks);
        let write = match self.random.below(4) {
            0 => format!("red.relaxed.{scope}{space}.add.u32 {at}, %k1;"),
            1 => format!("atom.relaxed.{scope}{space}.exch.b32 %x0, {at}, %k1;"),
            _ => format!("st.relaxed.{scope}{space}.u32 {at}, %kt;"),
        };
        let weak = |generator: &mut Self| match generator.random.below(2) {
            0 => Statement::line(format!("ld{space}.u32 %x0, {at};")),
            _ => Statement::line(format!("st{space}.u32 {at}, %kt;")),
        };
        let read = match self.random.below(3) {
            0 => format!("atom.relaxed.{scope}{space}.add.u32 %x0, {at}, %k0;"),
            _ => format!("ld.relaxed.{scope}{space}.u32 %x0, {at};"),
        };
        let mut parts = vec![(first, vec![Statement::Line(write)])];
        if self.random.once_in(3) {
            // Somebody updates it on the way.
            let middle = self.party();
            let scope = self.scope_for(&[blocks[0], blocks[1], middle.block]);
            let line = match self.random.once_in(2) {
                true => format!("red.relaxed.{scope}{space}.add.u32 {at}, %k1;"),
                false => format!("atom.relaxed.{scope}{space}.add.u32 %x0, {at}, %k1;"),
            };
            parts.push((middle, vec![Statement::Line(line)]));
        }
        let mut then = Vec::new();
        let own = !self.random.once_in(3);
        if own {
            then.push(weak(self));
        }
        let wait = Statement::Poll {
            attempts: self.random.choose(&[3, 10, 20]),
            attempt: vec![Statement::Line(read), Statement::line("setp.ne.u32 %q, %x0, 0;")],
            then,
        };
        let block = second.block;
        parts.push((second, vec![wait]));
        let mut all = self.parts(parts);
        if !own {
            // Another thread of the block, behind a barrier.
            if !self.slips() {
                let barrier = self.barrier();
                all.push(barrier);
            }
            let third = self.party_in(block);
            let access = weak(self);
            all.push(self.guarded(&third, vec![access]));
        }
        all
    }

    /// Each writes its own flag, and reads the other's behind a `fence.sc`.
    pub(super) fn fences_across(&mut self) -> Vec<Statement> {
        let parties = [self.party(), self.party()];
        let blocks = [parties[0].block, parties[1].block];
        let (places, data) =
            ([self.flag_for(&blocks), self.flag_for(&blocks)], self.data_for(&blocks));
        let mut parts = Vec::new();
        for (index, party) in parties.into_iter().enumerate() {
            let scope = self.scope_for(&blocks);
            let (own, other) = (places[index], places[1 - index]);
            let mut part = vec![
                Statement::line(format!(
                    "st.relaxed.{scope}{}.u32 {}, %k1;",
                    own.memory.space(),
                    own.at(0)
                )),
                Statement::line(format!("fence.sc.{scope};")),
                Statement::line(format!(
                    "ld.relaxed.{scope}{}.u32 %x0, {};",
                    other.memory.space(),
                    other.at(0)
                )),
            ];
            let at = self.random.index(4);
            let access = self.weak_access(data);
            part.insert(at, access);
            parts.push((party, part));
        }
        self.parts(parts)
    }

    /// Threads add to one counter, and the last ones read what the first ones wrote.
    pub(super) fn chain_of_updates(&mut self) -> Vec<Statement> {
        let count = self.random.choose(&[3, 3, 4]);
        let parties: Vec<Party> = (0..count).map(|_| self.party()).collect();
        let blocks: Vec<Option<u32>> = parties.iter().map(|party| party.block).collect();
        let (data, counter) = (self.data_for(&blocks), self.flag_for(&blocks));
        let (space, at) = (counter.memory.space(), counter.at(0));
        let mut parts = Vec::new();
        for (index, party) in parties.into_iter().enumerate() {
            let scope = self.scope_for(&blocks);
            let order = match (index, self.slips()) {
                (_, true) => self.random.choose(&["relaxed", "acquire", "release"]),
                (0, _) => "release",
                _ if index + 1 < count => "relaxed",
                _ => "acquire",
            };
            let how = self.random.below(4);
            let update = match how {
                0 if order != "acquire" => format!("red.{order}.{scope}{space}.add.u32 {at}, %k1;"),
                1 if index > 0 && self.slips() => {
                    format!("st.relaxed.{scope}{space}.u32 {at}, %k1;")
                }
                2 if order == "acquire" => format!("ld.acquire.{scope}{space}.u32 %x0, {at};"),
                _ => format!("atom.{order}.{scope}{space}.add.u32 %x0, {at}, %k1;"),
            };
            let poll = format!("ld.relaxed.{scope}{space}.u32 %x0, {at};");
            let mut then = vec![Statement::Line(update)];
            let accesses = self.accesses(data);
            match index {
                0 => then.splice(0..0, accesses).for_each(drop),
                _ if index + 1 == count => then.extend(accesses),
                _ => {}
            }
            let part = match index {
                0 => then,
                _ => vec![Statement::Poll {
                    attempts: self.random.choose(&[3, 8, 20]),
                    attempt: vec![
                        Statement::Line(poll),
                        Statement::line(format!("setp.ge.u32 %q, %x0, {index};")),
                    ],
                    then,
                }],
            };
            parts.push((party, part));
        }
        self.parts(parts)
    }

    /// All blocks wait for each other with a counter; the threads of a block with its barrier.
    pub(super) fn grid_barrier(&mut self) -> Vec<Statement> {
        let blocks = self.extents.blocks;
        let scope = if self.slips() { self.any_scope() } else { "gpu" };
        let slips = self.slips();
        let order = if slips { "relaxed" } else { "acq_rel" };
        let acquire = if slips { "relaxed" } else { "acquire" };
        let counter = self.flag_in(super::place::Where::Global);
        let data = self.data_in(super::place::Where::Global);
        let at = counter.at(0);
        let leader = Party { who: vec![super::Test::new("%thr", "eq", 0)], block: None };
        let wait = vec![
            Statement::line(format!("atom.{order}.{scope}.global.add.u32 %x0, {at}, %k1;")),
            Statement::Poll {
                attempts: 40,
                attempt: vec![
                    Statement::line(format!("ld.{acquire}.{scope}.global.u32 %x0, {at};")),
                    Statement::line(format!("setp.ge.u32 %q, %x0, {blocks};")),
                ],
                then: Vec::new(),
            },
        ];
        let (before, after) = (self.party(), self.party());
        let (first, second) = (self.accesses(data), self.accesses(data));
        let mut all = vec![self.guarded(&before, first)];
        if !self.slips() {
            all.push(Statement::line("bar.sync 0;"));
        }
        all.push(Statement::only(&leader.who, wait));
        if !self.slips() {
            all.push(Statement::line("bar.sync 0;"));
        }
        all.push(self.guarded(&after, second));
        all
    }
}
