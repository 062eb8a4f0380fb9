//! What hardware does behind a check: references and tables change.

use super::super::buffer::Stored;
use super::super::line::Line;
use super::super::partition::{BYTES, ByteMask, lowest};
use super::super::reference::{Index, Ref, Tid};
use super::super::software::Kind;
use super::{Access, Next, References, Second};
use warpsan_thread_detect::Epoch;

impl Access<'_, '_> {
    /// A primary reference with the index that the thread's epoch has in its table. It counts there until it is released.
    pub(super) fn recorded(&mut self, last: Ref) -> Ref {
        let Some(tid) = last.tid() else { return last };
        if self.pair.primary.as_ref().is_some_and(Line::is_one_to_one) {
            return last;
        }
        let index = self.parts.tables[tid.index()].place(self.who.epoch.clock());
        self.used.rejections += u32::from(index == Index::INVALID);
        self.reserved(last.with_index(index))
    }

    /// A secondary reference whose clock software has: it gets into the table of its thread, if there is room. It counts there, too.
    pub(super) fn recalled(&mut self, (second, epoch): Second) -> Ref {
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
    pub(super) fn update(&mut self, tid: Tid, group: ByteMask, references: References, next: Next) {
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
    pub(super) fn make_room(&mut self, group: ByteMask, to: Ref) -> bool {
        let fits = self.pair.primary.as_ref().is_none_or(|line| line.fits(group, to));
        if !fits {
            self.parts.part_primary(self.pair);
            self.used.switches += 1;
        }
        !fits
    }

    /// The same for a secondary one. The line comes into the cache, if it is not there.
    pub(super) fn make_room_behind(&mut self, group: ByteMask, to: Ref) {
        if self.pair.secondary.is_none() {
            self.bring_in_secondary();
        }
        if self.pair.secondary.as_ref().is_some_and(|line| !line.fits(group, to)) {
            self.parts.part_secondary(self.pair);
            self.used.switches += 1;
        }
    }

    /// Gives bytes a primary reference for which there is room.
    pub(super) fn set_first(&mut self, group: ByteMask, to: Ref) {
        self.used.primary_changed = true;
        if let Some(line) = &mut self.pair.primary {
            self.used.switches += u32::from(self.parts.set(line, group, to));
        }
    }

    /// The same for a secondary one.
    pub(super) fn set_behind(&mut self, group: ByteMask, to: Ref) {
        self.used.secondary = true;
        self.used.secondary_changed = true;
        if let Some(line) = &mut self.pair.secondary {
            self.used.switches += u32::from(self.parts.set(line, group, to));
        }
    }

    /// What bytes get that are to have no secondary reference; none if there is nothing to do.
    pub(super) fn nobody_behind(&self, group: ByteMask) -> Option<Ref> {
        let line = self.pair.secondary.as_ref()?;
        let somebody = line.bytes_where(|one| one != Ref::NOBODY);
        (somebody & group != 0).then_some(Ref::NOBODY)
    }
}
