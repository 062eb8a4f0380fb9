//! Software handlers: checks by whole histories, and lines that come into caches, with what is expected to be accessed next (section 4.3.2).

use super::super::detector::Source;
use super::super::line::Line;
use super::super::partition::{ByteMask, lowest};
use super::super::reference::{Index, Ref, Tid};
use super::super::software::{Epochs, History, Kind};
use super::{Access, Capabilities, Second};
use smallvec::SmallVec;
use warpsan_thread_detect::{Conflict, Epoch};

impl Access<'_, '_> {
    /// The primary line comes into the cache, if it is not there. Bytes that are not accessed now get what is predicted for them.
    pub(super) fn bring_in(&mut self, accessed: ByteMask) -> bool {
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
    pub(super) fn bring_in_secondary(&mut self) {
        let has_next = |one: Ref| one.tid().is_some() && one.has_next();
        let mut mask = self.pair.primary.as_ref().map_or(0, |line| line.bytes_where(has_next));
        let mut wanted: SmallVec<[(ByteMask, Option<Second>); 4]> = SmallVec::new();
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
    pub(super) fn predict_again(&mut self, accessed: ByteMask) {
        let is_open = |one: Ref| one.tid().is_some() && one.index() == Index::INVALID;
        let open = self.pair.primary.as_ref().map_or(0, |line| line.bytes_where(is_open));
        self.fill(open & !accessed);
    }

    /// A software handler checks bytes, each by its whole history.
    pub(super) fn in_software(
        &mut self,
        mask: ByteMask,
        found: &mut dyn FnMut(ByteMask, Conflict),
    ) {
        self.used.software_checks += 1;
        self.used.source = Source::Software;
        self.take(mask, found, true);
    }

    /// Memory is given back: a write of which software knows.
    pub(in super::super) fn free(
        &mut self,
        mask: ByteMask,
        found: &mut dyn FnMut(ByteMask, Conflict),
    ) {
        self.take(mask, found, false);
    }

    /// Checks bytes by their whole histories, of which the access becomes part. References get to know of it if it `is_made`.
    fn take(
        &mut self,
        mut mask: ByteMask,
        found: &mut dyn FnMut(ByteMask, Conflict),
        is_made: bool,
    ) {
        while mask != 0 {
            let group = self.pair.alike(mask);
            mask &= !group;
            let mut history = self.parts.full(self.pair, lowest(group));
            if let Some(conflict) = history.take(self.kind, self.who.epoch, self.who.clock) {
                found(group, conflict);
            }
            let tid = self.tid().filter(|_| is_made && !history.has_atomics());
            let references = tid.and_then(|tid| {
                let others = history.reads.iter().filter(|one| **one != self.who.epoch);
                let others: Epochs = others.copied().collect();
                references_of(&history, tid, self.kind == Kind::Write, &others)
            });
            self.settle(group, history, references, is_made);
        }
    }

    /// Nobody has accessed these bytes.
    pub(in super::super) fn forget(&mut self, mask: ByteMask) {
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
fn second_of(history: &History, others: &[Epoch]) -> Option<Second> {
    if !history.write.is_none() {
        let tid = Tid::of(history.write.thread())?;
        let second = Ref::new(tid, true, !others.is_empty(), Index::INVALID);
        return Some((second, history.write));
    }
    let last = *others.last()?;
    let second = Ref::new(Tid::of(last.thread())?, false, others.len() > 1, Index::INVALID);
    Some((second, last))
}
