//! Checks and updates of access histories (sections 4.2.7 and 4.3.2, table 4.1).
//!
//! Where the thesis leaves something open or contradicts itself, the rule is at its place below:
//! - **A write by the thread of the last read** looks at the secondary reference. Step 13 of table 4.2 does not, and would miss another reader.
//! - **The secondary of `Rs`** is the read before the last one, with hasNext if there are more in software.
//! - **A predicted access** leaves the secondary reference as the history has it, with hasNext for all readers: so a write after a predicted
//!   read is checked against them.

mod handlers;
mod updates;

use super::buffer::Buffer;
use super::detector::{Source, Used, Who};
use super::histories::{Pair, Parts};
use super::partition::{BYTES, ByteMask, lowest};
use super::reference::{Ref, Tid};
use super::settings::{Settings, ShortCut};
use super::software::Kind;
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

/// A secondary reference without an index, and its epoch, which software has.
type Second = (Ref, Epoch);

/// References without indices for a history that software has.
type Capabilities = (Ref, Option<Second>);

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
}
