//! Checks and updates of access histories (sections 4.2.7 and 4.3.2, table 4.1).
//!
//! Where the thesis leaves something open or contradicts itself, the rule is at its place below:
//! - **A write by the thread of the last read** looks at the secondary reference. Step 13 of table 4.2 does not, and would miss another reader.
//! - **The secondary of `Rs`** is the read before the last one, with hasNext if there are more in software.
//! - **A predicted access** leaves the secondary reference as the history has it, with hasNext for all readers: so a write after a predicted
//!   read is checked against them.

use super::buffer::{Buffer, Stored};
use super::detector::{Source, Used, Who};
use super::histories::{Pair, Parts};
use super::line::Line;
use super::partition::{BYTES, ByteMask, lowest};
use super::reference::{Index, Ref, Tid};
use super::settings::{Settings, ShortCut};
use super::software::{Epochs, History, Kind};
use smallvec::SmallVec;
use warpsan_thread_detect::{Conflict, EarlierAccess, Epoch, VectorClock};

/// How references change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The access is all of the history, as far as references have it.
    Only,
    /// It takes the place of the last access, and what is behind that stays.
    Replace,
    /// The last access gets second.
    Behind,
    /// A further reader: the one before goes to software, and the second place stays.
    MoreReaders,
    /// A third reader, and no write: the first goes to software.
    ThirdReader,
}

enum Decision {
    /// The same thread has done that in this epoch.
    Same,
    Known(Option<Conflict>, Next),
    Software,
}

/// The references of a byte: of the last access, and what is behind.
type References = (Ref, Option<Ref>);

/// References without indices for a history that software has, and the epoch of the second one.
type Capabilities = (Ref, Option<(Ref, Epoch)>);

/// An access to a line.
pub(super) struct Access<'a, 'w> {
    pub(super) parts: &'a mut Parts,
    pub(super) pair: &'a mut Pair,
    pub(super) who: &'a Who<'w>,
    pub(super) line: u64,
    pub(super) kind: Kind,
    pub(super) used: &'a mut Used,
}

impl Access<'_, '_> {
    /// Checks bytes of the line. `found` gets those that race.
    pub(super) fn check(&mut self, mut mask: ByteMask, found: &mut dyn FnMut(ByteMask, Conflict)) {
        let accessed = mask;
        let tid = self.tid();
        let was_missing = self.bring_in(accessed);
        let Some(tid) = tid.filter(|_| !was_missing) else {
            return self.in_software(mask, found);
        };
        while mask != 0 {
            let (group, first, second) = self.group(mask);
            mask &= !group;
            match self.decide(tid, group, first, second) {
                Decision::Same => {}
                Decision::Known(conflict, next) => {
                    if let Some(conflict) = conflict {
                        found(group, conflict);
                    }
                    self.update(tid, group, (first, second), next);
                }
                Decision::Software => {
                    self.in_software(group, found);
                    if self.settings().predicts {
                        self.predict_again(accessed);
                    }
                }
            }
        }
    }

    fn settings(&self) -> &Settings {
        &self.parts.settings
    }

    /// Who references are to name for this access; none if they cannot.
    fn tid(&self) -> Option<Tid> {
        self.who.tid().filter(|_| !self.kind.is_atomic())
    }

    /// Bytes with the same references as the lowest one.
    fn group(&self, mask: ByteMask) -> (ByteMask, Ref, Option<Ref>) {
        let byte = lowest(mask);
        let primary = self.pair.primary.as_ref().expect("the line is in a cache");
        let (alike, first) = primary.part(byte);
        match self.pair.secondary.as_ref().filter(|_| first.has_next()) {
            Some(secondary) => {
                let (alike_behind, second) = secondary.part(byte);
                (mask & alike & alike_behind, first, Some(second))
            }
            None => (mask & alike, first, None),
        }
    }

    /// Compares an access with what the thread knows: whether it is ordered, by its clock. None: the clock is in software.
    fn ordered(&mut self, reference: Ref, group: ByteMask) -> Option<Result<(), Conflict>> {
        let access = if reference.is_write() { EarlierAccess::Write } else { EarlierAccess::Read };
        let judge = |epoch: Epoch, clock: &VectorClock| match clock.covers(epoch) {
            true => Ok(()),
            false => Err(Conflict { earlier: epoch, access }),
        };
        if let Some(epoch) = self.parts.epoch(reference) {
            let is_own = epoch.thread() == self.who.epoch.thread();
            let (source, lookups) = match is_own {
                true => (Source::LocalTable, &mut self.used.local_lookups),
                false => (Source::RemoteTable, &mut self.used.remote_lookups),
            };
            *lookups += 1;
            self.used.source = self.used.source.max(source);
            return Some(judge(epoch, self.who.clock));
        }
        // Somebody may be on the way to software with it: of that thread, and of this access.
        let tid = reference.tid()?;
        let byte = lowest(group);
        let (alike, software) = self.pair.software.part(byte);
        let is_of = |epoch: &Epoch| !epoch.is_none() && Tid::of(epoch.thread()) == Some(tid);
        let epoch = match reference.is_write() {
            true => Some(software.write).filter(is_of),
            false => software.reads.iter().copied().find(is_of),
        }?;
        let address = self.line * BYTES as u64 + byte as u64;
        let has = |buffer: &Buffer| buffer.has(address, reference.is_write(), epoch);
        if group & !alike != 0 || !self.parts.buffers.iter().any(has) {
            return None;
        }
        self.used.source = self.used.source.max(Source::Buffer);
        Some(judge(epoch, self.who.clock))
    }

    fn decide(&mut self, tid: Tid, group: ByteMask, first: Ref, second: Option<Ref>) -> Decision {
        if first == Ref::SOFTWARE {
            return Decision::Software;
        }
        let writes = self.kind == Kind::Write;
        let Some(last) = first.tid() else { return Decision::Known(None, Next::Only) };
        if last == tid {
            if self.parts.epoch(first).is_some() {
                self.used.local_lookups += 1;
                self.used.source = self.used.source.max(Source::LocalTable);
            }
            // A write is behind the read of its epoch, and has to be recorded.
            if self.parts.epoch(first) == Some(self.who.epoch) && (first.is_write() || !writes) {
                return Decision::Same;
            }
            return match (writes, first.is_write()) {
                (false, false) => Decision::Known(None, Next::Replace),
                (false, true) => Decision::Known(None, Next::Behind),
                (true, true) => Decision::Known(None, Next::Only),
                (true, false) => self.write_behind_own_read(group, first, second),
            };
        }
        let Some(order) = self.ordered(first, group) else { return Decision::Software };
        match (writes, first.is_write(), first.has_next(), order) {
            (true, _, false, order) => Decision::Known(order.err(), Next::Only),
            (false, true, _, order) => Decision::Known(order.err(), Next::Behind),
            // Who is behind the last read is behind the write that this was behind.
            (false, false, _, Ok(())) => Decision::Known(None, Next::Replace),
            (false, false, false, Err(_)) => Decision::Known(None, Next::Behind),
            (false, false, true, Err(_)) => self.read_beside_others(tid, group, second),
            (true, _, true, order) => match self.all_reads_ordered(group, second) {
                Some(others) => Decision::Known(order.and(others).err(), Next::Only),
                None => Decision::Software,
            },
        }
    }

    /// A write by the thread of the last read: others may have read, too.
    fn write_behind_own_read(
        &mut self,
        group: ByteMask,
        first: Ref,
        second: Option<Ref>,
    ) -> Decision {
        if !first.has_next() || self.settings().short_cut == Some(ShortCut::OwnRead) {
            return Decision::Known(None, Next::Only);
        }
        match self.all_reads_ordered(group, second) {
            Some(others) => Decision::Known(others.err(), Next::Only),
            None => Decision::Software,
        }
    }

    /// Whether a write is behind all reads but the last one. None: only software knows.
    fn all_reads_ordered(
        &mut self,
        group: ByteMask,
        second: Option<Ref>,
    ) -> Option<Result<(), Conflict>> {
        self.used.secondary = true;
        let second = second?;
        if second.has_next() {
            return None;
        }
        // The last read was behind the write.
        if second.is_write() { Some(Ok(())) } else { self.ordered(second, group) }
    }

    /// A read that is not behind the last one: the write counts.
    fn read_beside_others(&mut self, tid: Tid, group: ByteMask, second: Option<Ref>) -> Decision {
        self.used.secondary = true;
        let Some(second) = second else { return Decision::Software };
        if !second.is_write() {
            return Decision::Known(None, Next::ThirdReader);
        }
        if second.tid() == Some(tid) && self.parts.epoch(second).is_some() {
            return Decision::Known(None, Next::MoreReaders);
        }
        match self.ordered(second, group) {
            Some(order) => Decision::Known(order.err(), Next::MoreReaders),
            None => Decision::Software,
        }
    }

    /// A primary reference with the index that the thread's epoch has in its table. It counts there until it is released.
    fn recorded(&mut self, last: Ref) -> Ref {
        let Some(tid) = last.tid() else { return last };
        if self.pair.primary.as_ref().is_some_and(Line::is_one_to_one) {
            return last;
        }
        let index = self.parts.tables[tid.index()].place(self.who.epoch.clock());
        self.used.rejections += u32::from(index == Index::INVALID);
        self.reserved(last.with_index(index))
    }

    /// A secondary reference whose clock software has: it gets into the table of its thread, if there is room. It counts there, too.
    fn recalled(&mut self, (second, epoch): (Ref, Epoch)) -> Ref {
        let Some(tid) = second.tid() else { return second };
        if self.pair.secondary.as_ref().is_some_and(Line::is_one_to_one) {
            return second;
        }
        let index = self.parts.tables[tid.index()].place(epoch.clock());
        self.reserved(second.with_index(index))
    }

    fn reserved(&mut self, reference: Ref) -> Ref {
        self.parts.count(reference);
        reference
    }

    /// Makes the access the last one of these bytes.
    fn update(&mut self, tid: Tid, group: ByteMask, references: References, next: Next) {
        let writes = self.kind == Kind::Write;
        let (mut first, second) = references;
        let has_next = match next {
            Next::Only => false,
            Next::Replace => first.has_next(),
            Next::Behind | Next::MoreReaders | Next::ThirdReader => true,
        };
        let recorded = self.recorded(Ref::new(tid, writes, has_next, Index::INVALID));
        let mut last = recorded;
        // Lines that have no room go over to Short references before anything is changed.
        if self.make_room(group, last) {
            (last, first) = (last.shortened(), first.shortened());
        }
        let mut behind = match next {
            Next::Only => self.nobody_behind(group),
            Next::Replace => None,
            Next::Behind => Some(first.with_next(false)),
            Next::MoreReaders => second.map(|second| second.with_next(true)),
            Next::ThirdReader => Some(first.with_next(true)),
        };
        let goes_to_software = match next {
            Next::MoreReaders => self.parts.epoch(first),
            Next::ThirdReader => second.and_then(|second| self.parts.epoch(second)),
            Next::Only | Next::Replace | Next::Behind => None,
        };
        if let Some(one) = &mut behind {
            self.make_room_behind(group, *one);
            if self.pair.secondary.as_ref().is_some_and(Line::is_one_to_one) {
                *one = one.shortened();
            }
        }
        let in_software = last.index() == Index::INVALID
            || matches!(next, Next::MoreReaders | Next::ThirdReader)
            || behind.is_some_and(|one| one.tid().is_some() && one.index() == Index::INVALID);
        if in_software {
            self.write_back(group, last.index() != Index::INVALID);
        }
        if let Some(epoch) = goes_to_software {
            self.store(group, false, epoch);
        }
        if last.index() == Index::INVALID {
            self.store(group, writes, self.who.epoch);
        }
        if let Some(behind) = behind {
            self.set_behind(group, behind);
        }
        self.set_first(group, last);
        self.parts.release(recorded);
    }

    /// Software gets the histories of bytes with this access, which a table may have.
    fn write_back(&mut self, mut mask: ByteMask, is_in_table: bool) {
        while mask != 0 {
            let group = self.pair.alike(mask);
            mask &= !group;
            let mut history = self.parts.full(self.pair, lowest(group));
            history.add(self.kind, self.who.epoch, self.who.clock);
            if is_in_table {
                history.reads.retain(|read| *read != self.who.epoch);
            }
            self.pair.software.set(group, history);
        }
    }

    /// An epoch goes to software.
    fn store(&mut self, group: ByteMask, is_write: bool, epoch: Epoch) {
        let address = self.line * BYTES as u64 + lowest(group) as u64;
        let core = self.settings().core_of(self.who.epoch.thread());
        match self.parts.buffers[core].store(address, is_write, epoch) {
            Stored::Kept => {}
            Stored::Drained => self.used.drains += 1,
            Stored::NoBuffer => self.used.unbuffered += 1,
            Stored::InPlaceOf(lost) => {
                let mut rest = group;
                while rest != 0 {
                    let (alike, history) = self.pair.software.part(lowest(rest));
                    let (some, mut history) = (alike & rest, history.clone());
                    rest &= !some;
                    history.reads.retain(|read| *read != lost);
                    self.pair.software.set(some, history);
                }
            }
        }
    }

    /// Makes room for a primary reference of bytes. The answer is whether the line had to go over to 1:1 mode.
    fn make_room(&mut self, group: ByteMask, to: Ref) -> bool {
        let fits = self.pair.primary.as_ref().is_none_or(|line| line.fits(group, to));
        if !fits {
            self.parts.part_primary(self.pair);
            self.used.switches += 1;
        }
        !fits
    }

    /// The same for a secondary one. The line comes into the cache, if it is not there.
    fn make_room_behind(&mut self, group: ByteMask, to: Ref) {
        if self.pair.secondary.is_none() {
            self.bring_in_secondary();
        }
        if self.pair.secondary.as_ref().is_some_and(|line| !line.fits(group, to)) {
            self.parts.part_secondary(self.pair);
            self.used.switches += 1;
        }
    }

    /// Gives bytes a primary reference for which there is room.
    fn set_first(&mut self, group: ByteMask, to: Ref) {
        self.used.primary_changed = true;
        if let Some(line) = &mut self.pair.primary {
            self.used.switches += u32::from(self.parts.set(line, group, to));
        }
    }

    /// The same for a secondary one.
    fn set_behind(&mut self, group: ByteMask, to: Ref) {
        self.used.secondary = true;
        self.used.secondary_changed = true;
        if let Some(line) = &mut self.pair.secondary {
            self.used.switches += u32::from(self.parts.set(line, group, to));
        }
    }

    /// What bytes get that are to have no secondary reference; none if there is nothing to do.
    fn nobody_behind(&self, group: ByteMask) -> Option<Ref> {
        let line = self.pair.secondary.as_ref()?;
        let somebody = line.bytes_where(|one| one != Ref::NOBODY);
        (somebody & group != 0).then_some(Ref::NOBODY)
    }

    /// The primary line comes into the cache, if it is not there. Bytes that are not accessed now get what is predicted for them.
    fn bring_in(&mut self, accessed: ByteMask) -> bool {
        if self.pair.primary.is_some() {
            return false;
        }
        self.used.was_missing = true;
        self.used.primary_changed = true;
        self.pair.primary = Some(Line::new());
        let known = self.pair.software.bytes_where(|history| !history.is_empty());
        if known != 0 {
            self.set_first(known, Ref::SOFTWARE);
        }
        self.used.was_cold = known == 0;
        self.fill(!accessed);
        true
    }

    /// The secondary line comes into the cache, with what primary references say that there is.
    fn bring_in_secondary(&mut self) {
        let has_next = |one: Ref| one.tid().is_some() && one.has_next();
        let mut mask = self.pair.primary.as_ref().map_or(0, |line| line.bytes_where(has_next));
        let mut wanted: SmallVec<[(ByteMask, Option<(Ref, Epoch)>); 4]> = SmallVec::new();
        while mask != 0 {
            let group = self.pair.alike(mask);
            mask &= !group;
            let tid = self.pair.first(lowest(group)).tid();
            let history = self.parts.full(self.pair, lowest(group));
            let others = history.reads.iter().filter(|one| Tid::of(one.thread()) != tid);
            let others: Epochs = others.copied().collect();
            wanted.push((group, second_of(&history, &others)));
            self.pair.software.set(group, history);
        }
        self.pair.secondary = Some(Line::new());
        for (group, second) in wanted {
            match second {
                Some(second) => {
                    let second = self.recalled(second);
                    self.make_room_behind(group, second);
                    self.set_behind(group, second);
                    self.parts.release(second);
                }
                None => {
                    self.make_room(group, Ref::SOFTWARE);
                    self.set_first(group, Ref::SOFTWARE);
                }
            }
        }
    }

    /// Bytes whose histories are in software get references: of an access that may come next, or of the last.
    fn fill(&mut self, mut mask: ByteMask) {
        while mask != 0 {
            let group = self.pair.alike(mask);
            mask &= !group;
            let history = self.parts.full(self.pair, lowest(group));
            let references = self.expected(&history);
            self.settle(group, history, references, false);
        }
    }

    /// References for a history: of this access, if it would be free of races, or else of the last. None: references cannot have it.
    fn expected(&self, history: &History) -> Option<Capabilities> {
        if history.has_atomics() {
            return None;
        }
        let is_free = || history.conflict(self.kind, self.who.clock).is_none();
        if let Some(tid) = self.tid().filter(|_| self.settings().predicts && is_free()) {
            return references_of(history, tid, self.kind == Kind::Write, &history.reads);
        }
        match history.reads.split_last() {
            Some((last, others)) => references_of(history, Tid::of(last.thread())?, false, others),
            None if history.is_empty() => Some((Ref::NOBODY, None)),
            None => references_of(history, Tid::of(history.write.thread())?, true, &[]),
        }
    }

    /// A software handler has looked at a byte of the line: others whose clocks are in software may be accessed next.
    fn predict_again(&mut self, accessed: ByteMask) {
        let is_open = |one: Ref| one.tid().is_some() && one.index() == Index::INVALID;
        let open = self.pair.primary.as_ref().map_or(0, |line| line.bytes_where(is_open));
        self.fill(open & !accessed);
    }

    /// A software handler checks bytes, each by its whole history.
    fn in_software(&mut self, mut mask: ByteMask, found: &mut dyn FnMut(ByteMask, Conflict)) {
        self.used.software_checks += 1;
        self.used.source = Source::Software;
        while mask != 0 {
            let group = self.pair.alike(mask);
            mask &= !group;
            let mut history = self.parts.full(self.pair, lowest(group));
            if let Some(conflict) = history.take(self.kind, self.who.epoch, self.who.clock) {
                found(group, conflict);
            }
            let references = self.tid().filter(|_| !history.has_atomics()).and_then(|tid| {
                let others = history.reads.iter().filter(|one| **one != self.who.epoch);
                let others: Epochs = others.copied().collect();
                references_of(&history, tid, self.kind == Kind::Write, &others)
            });
            self.settle(group, history, references, true);
        }
    }

    /// Memory is given back: a write of which software knows.
    pub(super) fn free(&mut self, mut mask: ByteMask, found: &mut dyn FnMut(ByteMask, Conflict)) {
        while mask != 0 {
            let group = self.pair.alike(mask);
            mask &= !group;
            let mut history = self.parts.full(self.pair, lowest(group));
            if let Some(conflict) = history.take(Kind::Write, self.who.epoch, self.who.clock) {
                found(group, conflict);
            }
            self.settle(group, history, None, false);
        }
    }

    /// Nobody has accessed these bytes.
    pub(super) fn forget(&mut self, mask: ByteMask) {
        self.settle(mask, History::default(), Some((Ref::NOBODY, None)), false);
    }

    /// Software gets the history of bytes, and lines get references to it. If the access `is_made`, its clock gets into a table.
    fn settle(
        &mut self,
        group: ByteMask,
        history: History,
        references: Option<Capabilities>,
        is_made: bool,
    ) {
        let (mut first, second) = references.unwrap_or((Ref::SOFTWARE, None));
        if second.is_some() && self.pair.secondary.is_none() {
            self.bring_in_secondary();
        }
        let recalled = second.map(|second| self.recalled(second));
        let second = recalled.or_else(|| self.nobody_behind(group));
        if let Some(second) = second {
            self.make_room_behind(group, second);
        }
        if is_made {
            first = self.recorded(first);
        }
        self.make_room(group, first);
        self.pair.software.set(group, history);
        if let Some(second) = second {
            self.set_behind(group, second);
        }
        self.set_first(group, first);
        recalled.into_iter().for_each(|second| self.parts.release(second));
        if is_made {
            self.parts.release(first);
        }
    }
}

/// References for a history that software has, if this thread's access is the last one, and others have read besides. None: they name a thread
/// that references cannot.
fn references_of(
    history: &History,
    tid: Tid,
    is_write: bool,
    others: &[Epoch],
) -> Option<Capabilities> {
    let has_second = !is_write && (!history.write.is_none() || !others.is_empty());
    let second = if has_second { Some(second_of(history, others)?) } else { None };
    Some((Ref::new(tid, is_write, has_second, Index::INVALID), second))
}

/// The secondary reference of a history whose other readers are these, all of it being in software. None: it names a thread that references cannot.
fn second_of(history: &History, others: &[Epoch]) -> Option<(Ref, Epoch)> {
    if !history.write.is_none() {
        let tid = Tid::of(history.write.thread())?;
        let second = Ref::new(tid, true, !others.is_empty(), Index::INVALID);
        return Some((second, history.write));
    }
    let last = *others.last()?;
    let second = Ref::new(Tid::of(last.thread())?, false, others.len() > 1, Index::INVALID);
    Some((second, last))
}
