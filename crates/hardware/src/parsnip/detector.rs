//! Checks and updates of access histories (sections 4.2.7 and 4.3.2, table 4.1).
//!
//! A byte's history is spread over its primary reference, its secondary one, tables and software. [`Parts::full`] puts it together, and is the
//! invariant of everything here: whatever moves between the parts, it stays the same.
//!
//! Where the thesis leaves something open or contradicts itself, the rule is at its place below:
//! - **A write by the thread of the last read** looks at the secondary reference. Step 13 of table 4.2 does not, and would miss another reader.
//! - **The secondary of `Rs`** is the read before the last one, with hasNext if there are more in software.
//! - **A predicted access** leaves the secondary reference as the history has it, with hasNext for all readers: so a write after a predicted
//!   read is checked against them.

use super::buffer::{Buffer, Stored};
use super::line::{BYTES, ByteMask, Line, bytes_of};
use super::reference::{Index, Ref, Tid};
use super::settings::{Settings, ShortCut};
use super::software::{History, Kind};
use super::table::Table;
use rustc_hash::FxHashMap;
use warpsan_thread_detect::{Conflict, EarlierAccess, Epoch, VectorClock};

/// Who accesses.
#[derive(Clone, Copy)]
pub(super) struct Who<'a> {
    pub(super) core: usize,
    pub(super) epoch: Epoch,
    pub(super) clock: &'a VectorClock,
}

impl Who<'_> {
    fn tid(&self) -> Option<Tid> {
        Tid::of(self.epoch.thread())
    }
}

/// What resolved a check, from the cheapest on (figure 4.10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// References alone: who it was, and whether it wrote.
    #[default]
    Capability,
    /// A clock in the table of the core itself.
    LocalTable,
    /// A clock in the table of another core.
    RemoteTable,
    /// An epoch on its way to software.
    Buffer,
    /// A software handler.
    Software,
}

/// What a check has used, for those who count cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) source: Source,
    pub(super) local_lookups: u32,
    pub(super) remote_lookups: u32,
    /// The primary line was not in a cache.
    pub(super) was_missing: bool,
    /// The secondary line was looked at.
    pub(super) secondary: bool,
    pub(super) primary_changed: bool,
    pub(super) secondary_changed: bool,
    /// Software handlers that made a check.
    pub(super) software_checks: u32,
    /// Buffers that were full.
    pub(super) drains: u32,
    /// Entries that went to software without a buffer.
    pub(super) unbuffered: u32,
    /// Clocks that a table had no room for.
    pub(super) rejections: u32,
    /// Lines that went from one mode to the other.
    pub(super) switches: u32,
}

/// What is known of a line of data.
#[derive(Debug, Default)]
struct Pair {
    primary: Option<Line>,
    /// Only if the primary one is there.
    secondary: Option<Line>,
    /// Histories in software, of all bytes or none. What counts of them is what references say.
    software: Option<Box<[History; BYTES]>>,
    /// The most different histories that the line has had at a time.
    most_distinct: u8,
}

impl Pair {
    fn software_of(&self, byte: usize) -> History {
        self.software.as_ref().map(|all| all[byte].clone()).unwrap_or_default()
    }

    fn put_software(&mut self, byte: usize, history: History) {
        let all = self
            .software
            .get_or_insert_with(|| Box::new(std::array::from_fn(|_| History::default())));
        all[byte] = history;
    }
}

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

/// Metadata of all memory.
pub(super) struct Detector {
    parts: Parts,
    lines: FxHashMap<u64, Pair>,
}

/// What lines share.
struct Parts {
    settings: Settings,
    tables: Vec<Table>,
    buffers: Vec<Buffer>,
}

impl Detector {
    pub(super) fn new(settings: &Settings) -> Detector {
        let coalesces = settings.short_cut == Some(ShortCut::Coalescing);
        let buffer = || Buffer::new(settings.buffer_entries, coalesces);
        let parts = Parts {
            settings: *settings,
            tables: vec![Table::new(settings.table_entries); Tid::COUNT as usize],
            buffers: (0..settings.cores).map(|_| buffer()).collect(),
        };
        Detector { parts, lines: FxHashMap::default() }
    }

    /// Checks an access to bytes of one line. `found` gets bytes that race.
    pub(super) fn check(
        &mut self,
        who: &Who<'_>,
        line: u64,
        mask: ByteMask,
        kind: Kind,
        found: &mut dyn FnMut(ByteMask, Conflict),
    ) -> Used {
        let pair = self.lines.entry(line).or_default();
        let mut used = Used::default();
        let parts = &mut self.parts;
        Access { detector: parts, pair, who, line, kind, used: &mut used }.check(mask, found);
        let distinct = pair.primary.as_ref().map_or(0, Line::distinct) as u8;
        pair.most_distinct = pair.most_distinct.max(distinct);
        used
    }

    /// Memory is given back, which is a write to all of it. Its metadata is in no cache any more.
    pub(super) fn free(
        &mut self,
        who: &Who<'_>,
        line: u64,
        mask: ByteMask,
        found: &mut dyn FnMut(ByteMask, Conflict),
    ) {
        self.evict_primary(line);
        let pair = self.lines.entry(line).or_default();
        for byte in bytes_of(mask) {
            let mut history = pair.software_of(byte);
            if let Some(conflict) = history.take(Kind::Write, who.epoch, who.clock) {
                found(1 << byte, conflict);
            }
            pair.put_software(byte, history);
        }
    }

    /// Memory was given out: nobody has accessed these bytes. Metadata of the line is in no cache any more.
    pub(super) fn forget(&mut self, line: u64, mask: ByteMask) {
        self.evict_primary(line);
        let Some(pair) = self.lines.get_mut(&line) else { return };
        if pair.software.is_some() {
            bytes_of(mask).for_each(|byte| pair.put_software(byte, History::default()));
        }
        let first = line * BYTES as u64;
        self.parts.buffers.iter_mut().for_each(|buffer| buffer.forget(first, first + BYTES as u64));
    }

    /// The primary line leaves the caches, and takes the secondary one with it. The answer is whether software has something to do.
    pub(super) fn evict_primary(&mut self, line: u64) -> bool {
        let Some(pair) = self.lines.get_mut(&line).filter(|pair| pair.primary.is_some()) else {
            return false;
        };
        self.parts.spill(pair);
        let lines = [pair.primary.take(), pair.secondary.take()];
        self.parts.release_all(lines.iter().flatten().flat_map(Line::references))
    }

    /// The secondary line leaves the caches.
    pub(super) fn evict_secondary(&mut self, line: u64) -> bool {
        let Some(pair) = self.lines.get_mut(&line).filter(|pair| pair.secondary.is_some()) else {
            return false;
        };
        self.parts.spill(pair);
        let gone = pair.secondary.take();
        self.parts.release_all(gone.iter().flat_map(Line::references))
    }

    /// For each line that was accessed, the most different histories that it had at a time (figure 4.1).
    pub(super) fn most_distinct(&self) -> impl Iterator<Item = u8> {
        self.lines.values().map(|pair| pair.most_distinct)
    }
}

impl Parts {
    /// References are gone; whether any had its clock in a table.
    fn release_all(&mut self, references: impl Iterator<Item = Ref>) -> bool {
        let mut has_clocks = false;
        for reference in references {
            has_clocks |= reference.index() != Index::INVALID;
            self.release(reference);
        }
        has_clocks
    }

    /// Software gets the whole history of all bytes.
    fn spill(&self, pair: &mut Pair) {
        for byte in 0..BYTES {
            let history = self.full(pair, byte);
            if !history.is_empty() || pair.software.is_some() {
                pair.put_software(byte, history);
            }
        }
    }

    fn release(&mut self, reference: Ref) {
        if let Some(tid) = reference.tid() {
            self.tables[tid.index()].remove(reference.index());
        }
    }

    fn count(&mut self, reference: Ref) {
        if let Some(tid) = reference.tid() {
            self.tables[tid.index()].add(reference.index());
        }
    }

    /// A line goes over to 1:1 mode. Software has all histories.
    fn part(&mut self, line: Option<&mut Line>) {
        let Some(line) = line else { return };
        let references = line.references();
        line.part();
        references.into_iter().for_each(|one| self.release(one));
    }

    /// Gives bytes a reference for which there is room. The answer is whether the line went back to m:1 mode.
    fn set(&mut self, line: &mut Line, group: ByteMask, to: Ref) -> bool {
        let to = if line.is_one_to_one() { to.shortened() } else { to };
        if let Some(changed) = line.set(group, to) {
            if changed.is_new {
                self.count(to);
            }
            changed.gone.into_iter().for_each(|one| self.release(one));
        }
        line.share()
    }

    /// The epoch of a reference, if its clock is in a table.
    fn epoch(&self, reference: Ref) -> Option<Epoch> {
        let tid = reference.tid()?;
        let clock = self.tables[tid.index()].clock(reference.index())?;
        Some(Epoch::new(clock, tid.thread()?))
    }

    /// All that is known of a byte.
    fn full(&self, pair: &Pair, byte: usize) -> History {
        let Some(primary) = &pair.primary else { return pair.software_of(byte) };
        let first = primary.get(byte);
        if first == Ref::NOBODY {
            return History::default();
        }
        let own = self.epoch(first);
        let (Some(own), false) = (own, first == Ref::SOFTWARE) else {
            // What is behind it may still be in a table.
            let mut history = pair.software_of(byte);
            let second =
                pair.secondary.as_ref().filter(|_| first.has_next()).map(|line| line.get(byte));
            if let Some(second) = second.filter(|one| one.tid().is_some())
                && let Some(epoch) = self.epoch(second)
            {
                match second.is_write() {
                    true => history.write = epoch,
                    false if !history.reads.contains(&epoch) => history.reads.insert(0, epoch),
                    false => {}
                }
            }
            return history;
        };
        if first.is_write() {
            return History { write: own, ..History::default() };
        }
        let mut history = History::default();
        if first.has_next() {
            let software = pair.software_of(byte);
            let second = pair.secondary.as_ref().map(|line| line.get(byte));
            match second.filter(|one| one.tid().is_some()) {
                None => history = software,
                Some(second) if second.is_write() => {
                    history.write = self.epoch(second).unwrap_or(software.write);
                    if second.has_next() {
                        history.reads = software.reads;
                    }
                }
                Some(second) => {
                    let epoch = self.epoch(second);
                    if second.has_next() || epoch.is_none() {
                        history.reads = software.reads;
                    }
                    history.reads.extend(epoch.filter(|epoch| !history.reads.contains(epoch)));
                }
            }
        }
        history.reads.retain(|one| *one != own);
        history.reads.push(own);
        history
    }
}

/// An access to a line.
struct Access<'a, 'w> {
    detector: &'a mut Parts,
    pair: &'a mut Pair,
    who: &'a Who<'w>,
    line: u64,
    kind: Kind,
    used: &'a mut Used,
}

impl Access<'_, '_> {
    fn check(&mut self, mut mask: ByteMask, found: &mut dyn FnMut(ByteMask, Conflict)) {
        let all = mask;
        let Some(tid) = self.who.tid().filter(|_| !self.kind.is_atomic()) else {
            self.bring_in(0);
            return self.in_software(mask, found);
        };
        if self.bring_in(all) {
            self.in_software(mask, found);
            return;
        }
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
                        self.predict_again(all);
                    }
                }
            }
        }
    }

    fn settings(&self) -> &Settings {
        &self.detector.settings
    }

    /// Bytes with the same references as the lowest one.
    fn group(&self, mask: ByteMask) -> (ByteMask, Ref, Option<Ref>) {
        let primary = self.pair.primary.as_ref().expect("the line is in a cache");
        let byte = mask.trailing_zeros() as usize;
        let (alike, first) = (primary.alike(mask), primary.get(byte));
        match self.pair.secondary.as_ref().filter(|_| first.has_next()) {
            Some(secondary) => (secondary.alike(alike), first, Some(secondary.get(byte))),
            None => (alike, first, None),
        }
    }

    /// Compares an access with what the thread knows: whether it is ordered, by its clock. None: the clock is in software.
    fn ordered(&mut self, reference: Ref, group: ByteMask) -> Option<Result<(), Conflict>> {
        let access = if reference.is_write() { EarlierAccess::Write } else { EarlierAccess::Read };
        let judge = |epoch: Epoch, clock: &VectorClock| match clock.covers(epoch) {
            true => Ok(()),
            false => Err(Conflict { earlier: epoch, access }),
        };
        if let Some(epoch) = self.detector.epoch(reference) {
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
        let byte = group.trailing_zeros() as usize;
        let software = self.pair.software_of(byte);
        let epoch = match reference.is_write() {
            true => Some(software.write),
            false => software.reads.iter().copied().find(|one| Tid::of(one.thread()) == Some(tid)),
        };
        let epoch = epoch.filter(|one| !one.is_none() && Tid::of(one.thread()) == Some(tid))?;
        let address = self.line * BYTES as u64 + byte as u64;
        let is_alone = group.count_ones() == 1
            || bytes_of(group).all(|byte| self.pair.software_of(byte) == software);
        let is_buffered = self
            .detector
            .buffers
            .iter()
            .any(|buffer| buffer.has(address, reference.is_write(), epoch));
        if !is_buffered || !is_alone {
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
            if self.detector.epoch(first).is_some() {
                self.used.local_lookups += 1;
                self.used.source = self.used.source.max(Source::LocalTable);
            }
            // A write is behind the read of its epoch, and has to be recorded.
            if self.detector.epoch(first) == Some(self.who.epoch) && (first.is_write() || !writes) {
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
        if second.tid() == Some(tid) && self.detector.epoch(second).is_some() {
            return Decision::Known(None, Next::MoreReaders);
        }
        match self.ordered(second, group) {
            Some(order) => Decision::Known(order.err(), Next::MoreReaders),
            None => Decision::Software,
        }
    }

    /// The index that the thread's epoch has in its table.
    fn place(&mut self, tid: Tid) -> Index {
        if self.pair.primary.as_ref().is_some_and(Line::is_one_to_one) {
            return Index::INVALID;
        }
        let index = self.detector.tables[tid.index()].place(self.who.epoch.clock());
        self.used.rejections += u32::from(index == Index::INVALID);
        index
    }

    /// Makes the access the last one of these bytes.
    fn update(&mut self, tid: Tid, group: ByteMask, references: (Ref, Option<Ref>), next: Next) {
        let writes = self.kind == Kind::Write;
        let (mut first, second) = references;
        let has_next = match next {
            Next::Only => false,
            Next::Replace => first.has_next(),
            Next::Behind | Next::MoreReaders | Next::ThirdReader => true,
        };
        let mut last = Ref::new(tid, writes, has_next, self.place(tid));
        // Lines that have no room go over to Short references before anything is changed.
        if !fits(self.pair.primary.as_ref(), group, last) {
            self.part_primary();
            (last, first) = (last.shortened(), first.shortened());
        }
        let mut behind = match next {
            Next::Only => first.has_next().then_some(Ref::NOBODY),
            Next::Replace => None,
            Next::Behind => Some(first.with_next(false)),
            Next::MoreReaders => second.map(|second| second.with_next(true)),
            Next::ThirdReader => Some(first.with_next(true)),
        };
        if behind.is_some_and(|one| one.tid().is_some()) && self.pair.secondary.is_none() {
            self.bring_in_secondary();
        }
        let goes_to_software = match next {
            Next::MoreReaders => self.detector.epoch(first),
            Next::ThirdReader => second.and_then(|second| self.detector.epoch(second)),
            Next::Only | Next::Replace | Next::Behind => None,
        };
        if let Some(one) = &mut behind
            && !fits(self.pair.secondary.as_ref(), group, *one)
        {
            self.part_secondary();
            *one = one.shortened();
        }
        let is_short = self.pair.secondary.as_ref().is_some_and(Line::is_one_to_one);
        let is_behind_in_software = behind
            .is_some_and(|one| one.tid().is_some() && (is_short || one.index() == Index::INVALID));
        let in_software = last.index() == Index::INVALID
            || matches!(next, Next::MoreReaders | Next::ThirdReader)
            || is_behind_in_software;
        if in_software {
            for byte in bytes_of(group) {
                let mut history = self.detector.full(self.pair, byte);
                history.add(self.kind, self.who.epoch, self.who.clock);
                if last.index() != Index::INVALID {
                    // A table has it.
                    history.reads.retain(|read| *read != self.who.epoch);
                }
                self.pair.put_software(byte, history);
            }
        }
        if let Some(epoch) = goes_to_software {
            self.store(group, false, epoch);
        }
        if last.index() == Index::INVALID {
            self.store(group, writes, self.who.epoch);
        }
        match behind {
            Some(Ref::NOBODY) => self.clear_secondary(group),
            Some(behind) => self.set_secondary(group, behind),
            None => {}
        }
        self.set_primary(group, last);
    }

    /// An epoch goes to software.
    fn store(&mut self, group: ByteMask, is_write: bool, epoch: Epoch) {
        let address = self.line * BYTES as u64 + u64::from(group.trailing_zeros());
        match self.detector.buffers[self.who.core].store(address, is_write, epoch) {
            Stored::Kept => {}
            Stored::Drained => self.used.drains += 1,
            Stored::NoBuffer => self.used.unbuffered += 1,
            Stored::InPlaceOf(lost) => {
                for byte in bytes_of(group) {
                    let mut history = self.pair.software_of(byte);
                    history.reads.retain(|read| *read != lost);
                    self.pair.put_software(byte, history);
                }
            }
        }
    }

    fn part_primary(&mut self) {
        self.detector.spill(self.pair);
        let line = self.pair.primary.as_mut();
        self.detector.part(line);
        self.used.switches += 1;
    }

    fn part_secondary(&mut self) {
        self.detector.spill(self.pair);
        let line = self.pair.secondary.as_mut();
        self.detector.part(line);
        self.used.switches += 1;
    }

    /// Gives bytes a primary reference. Where its clock finds no room, the history is in software already.
    fn set_primary(&mut self, group: ByteMask, to: Ref) {
        self.used.primary_changed = true;
        if !fits(self.pair.primary.as_ref(), group, to) {
            self.part_primary();
        }
        if let Some(line) = &mut self.pair.primary {
            self.used.switches += u32::from(self.detector.set(line, group, to));
        }
    }

    /// The same for the secondary one.
    fn set_secondary(&mut self, group: ByteMask, to: Ref) {
        self.used.secondary = true;
        self.used.secondary_changed = true;
        if self.pair.secondary.is_none() {
            self.bring_in_secondary();
        }
        if !fits(self.pair.secondary.as_ref(), group, to) {
            self.part_secondary();
        }
        if let Some(line) = &mut self.pair.secondary {
            self.used.switches += u32::from(self.detector.set(line, group, to));
        }
    }

    fn clear_secondary(&mut self, group: ByteMask) {
        if self.pair.secondary.is_some() {
            self.set_secondary(group, Ref::NOBODY);
        }
    }

    /// The primary line comes into the cache, if it is not there. Bytes that are not accessed now get what is predicted for them.
    fn bring_in(&mut self, accessed: ByteMask) -> bool {
        if self.pair.primary.is_some() {
            return false;
        }
        self.used.was_missing = true;
        self.pair.primary = Some(Line::new());
        let mut known = 0;
        if let Some(all) = &self.pair.software {
            for (byte, history) in all.iter().enumerate() {
                known |= u64::from(!history.is_empty()) << byte;
            }
        }
        if known != 0 {
            self.set_primary(known, Ref::SOFTWARE);
        }
        for byte in bytes_of(known & !accessed) {
            self.fill(byte);
        }
        let unknown = !known & !accessed;
        if let Some(tid) =
            self.who.tid().filter(|_| self.settings().predicts && !self.kind.is_atomic())
            && unknown != 0
        {
            let predicted = Ref::new(tid, self.kind == Kind::Write, false, Index::INVALID);
            self.set_primary(unknown, predicted);
        }
        true
    }

    /// The secondary line comes into the cache, with what primary references say that there is.
    fn bring_in_secondary(&mut self) {
        let mut wanted = Vec::new();
        for byte in 0..BYTES {
            let first = self.pair.primary.as_ref().map_or(Ref::NOBODY, |line| line.get(byte));
            if first.tid().is_some() && first.has_next() {
                let history = self.detector.full(self.pair, byte);
                self.pair.put_software(byte, history);
                wanted.push((byte, first));
            }
        }
        self.pair.secondary = Some(Line::new());
        for (byte, first) in wanted {
            let history = self.pair.software_of(byte);
            let others = history.reads.iter().filter(|one| Tid::of(one.thread()) != first.tid());
            let others: Vec<Epoch> = others.copied().collect();
            match second_of(&history, &others) {
                Some(second) => self.set_secondary(1 << byte, second),
                None => self.set_primary(1 << byte, Ref::SOFTWARE),
            }
        }
    }

    /// References for a byte whose history is in software, as its primary reference says now: of an access that may come next, or of the last.
    fn fill(&mut self, byte: usize) {
        let history = self.pair.software_of(byte);
        if history.has_atomics() || history.is_empty() {
            return;
        }
        let is_free = || history.conflict(self.kind, self.who.clock).is_none();
        let predicts = self.settings().predicts && !self.kind.is_atomic() && is_free();
        let (tid, is_write, others) = match self.who.tid().filter(|_| predicts) {
            Some(tid) => (Some(tid), self.kind == Kind::Write, history.reads.clone()),
            None => {
                let mut others = history.reads.clone();
                let last = others.pop();
                (Tid::of(last.unwrap_or(history.write).thread()), last.is_none(), others)
            }
        };
        let Some(tid) = tid else { return };
        let has_second = !is_write && (!history.write.is_none() || !others.is_empty());
        if has_second {
            let Some(second) = second_of(&history, &others) else { return };
            self.set_secondary(1 << byte, second);
        }
        self.set_primary(1 << byte, Ref::new(tid, is_write, has_second, Index::INVALID));
    }

    /// Software has all of a byte's history, and decides alone.
    fn hand_over(&mut self, byte: usize) {
        let history = self.detector.full(self.pair, byte);
        self.pair.put_software(byte, history);
        self.set_primary(1 << byte, Ref::SOFTWARE);
        self.clear_secondary(1 << byte);
    }

    /// A software handler has looked at a byte of the line: others whose clocks are in software may be accessed next.
    fn predict_again(&mut self, accessed: ByteMask) {
        for byte in bytes_of(!accessed) {
            let first = self.pair.primary.as_ref().map_or(Ref::NOBODY, |line| line.get(byte));
            if first.tid().is_some() && first.index() == Index::INVALID {
                self.hand_over(byte);
                match self.pair.software_of(byte).is_empty() {
                    true => self.set_primary(1 << byte, first),
                    false => self.fill(byte),
                }
            }
        }
    }

    /// A software handler checks bytes, each by its whole history.
    fn in_software(&mut self, mask: ByteMask, found: &mut dyn FnMut(ByteMask, Conflict)) {
        self.used.software_checks += 1;
        self.used.source = Source::Software;
        for byte in bytes_of(mask) {
            self.hand_over(byte);
            let mut history = self.pair.software_of(byte);
            if let Some(conflict) = history.take(self.kind, self.who.epoch, self.who.clock) {
                found(1 << byte, conflict);
            }
            self.pair.put_software(byte, history);
            self.install(byte);
        }
    }

    /// The references of a history that the access is now part of, and that software has.
    fn install(&mut self, byte: usize) {
        let history = self.pair.software_of(byte);
        let tid = self.who.tid().filter(|_| !self.kind.is_atomic() && !history.has_atomics());
        let Some(tid) = tid else { return };
        let others = history.reads.iter().copied().filter(|one| *one != self.who.epoch);
        let others: Vec<Epoch> = others.collect();
        let writes = self.kind == Kind::Write;
        let has_second = !writes && (!history.write.is_none() || !others.is_empty());
        if has_second {
            let Some(second) = second_of(&history, &others) else { return };
            self.set_secondary(1 << byte, second);
        }
        let index = self.place(tid);
        self.set_primary(1 << byte, Ref::new(tid, writes, has_second, index));
    }
}

fn fits(line: Option<&Line>, group: ByteMask, to: Ref) -> bool {
    line.is_none_or(|line| line.is_one_to_one() || line.fits(group, to))
}

/// The secondary reference of a history whose other readers are these, all of it being in software. None: it names a thread that references cannot.
fn second_of(history: &History, others: &[Epoch]) -> Option<Ref> {
    if !history.write.is_none() {
        let tid = Tid::of(history.write.thread())?;
        return Some(Ref::new(tid, true, !others.is_empty(), Index::INVALID));
    }
    let tid = Tid::of(others.last()?.thread())?;
    Some(Ref::new(tid, false, others.len() > 1, Index::INVALID))
}

#[cfg(test)]
mod tests;
