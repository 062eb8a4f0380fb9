//! Names for words whose bytes have different metadata.

use super::SlimFast;
use super::changes::{Changes, Failure};
use super::share::Share;
use crate::counters::Count;
use crate::metadata::{Class, Composition, Parts, Record};
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Word};
use crate::thread_state::ThreadState;

impl<R: Rules> SlimFast<R> {
    /// The name of a composition that words share, of these parts, which are at least two and have different names, counted for a slot.
    /// The slot, or a composition that it names, holds all parts but for those that changes hold: what these hold goes over to the
    /// composition, unless this fails.
    pub(super) fn composed(
        &self,
        thread: &mut ThreadState<Self>,
        parts: &Parts,
        changes: &Changes,
    ) -> Result<Word, Failure> {
        if let Some(name) = self.known(thread, parts) {
            self.give_up(thread, changes);
            return Ok(name);
        }
        self.hold_others(thread, parts, changes)?;
        match self.shared_by_words(thread, parts) {
            Some(name) => {
                thread.counters.add(Count::CompositionAllocated);
                self.give_up_repeated(thread, changes);
                Ok(name)
            }
            None => {
                self.release_others(thread, parts, changes, parts.len());
                Err(Failure::NoMemory)
            }
        }
    }

    /// One that this thread shares among slots.
    #[inline]
    fn known(&self, thread: &mut ThreadState<Self>, parts: &Parts) -> Option<Word> {
        let ThreadState { local, counters, .. } = thread;
        let share = local.compositions.find(parts).filter(|_| R::has(Rule::CompositionReuse))?;
        local.solitude.end();
        counters.add(Count::CompositionReused);
        Some(share.hand_out())
    }

    /// The same for a private one, whose parts may have the same names. Each change is a part.
    pub(super) fn composed_alone(
        &self,
        thread: &mut ThreadState<Self>,
        parts: &Parts,
        changes: &Changes,
    ) -> Result<Word, Failure> {
        let others = || parts.iter().filter(|(bytes, _)| !changes.bytes().contains(bytes));
        let give_up = |thread: &mut ThreadState<Self>, count: usize| {
            // SAFETY: they were counted below.
            others().take(count).for_each(|(_, name)| unsafe {
                self.arena.release(&mut thread.cache, name, 1);
            });
        };
        for (place, (_, name)) in others().enumerate() {
            // SAFETY: names of parts are of records of this arena.
            let holds =
                name.is_empty() || unsafe { name.record() }.try_retain(name.generation(), 1);
            if !holds {
                give_up(thread, place);
                return Err(Failure::Outdated);
            }
        }
        let Some(record) = self.arena.take(&mut thread.cache, Self::class(parts), 1) else {
            give_up(thread, parts.len());
            return Err(Failure::NoMemory);
        };
        thread.counters.add(Count::CompositionAllocated);
        Composition(record).fill(parts, true);
        Ok(record.name(Kind::Divided))
    }

    pub(super) fn class(parts: &Parts) -> Class {
        Class::composition(Composition::capacity_for(parts.len()))
    }

    fn shared_by_words(&self, thread: &mut ThreadState<Self>, parts: &Parts) -> Option<Word> {
        let ThreadState { local, cache, .. } = thread;
        local.solitude.go_on(self.settings.unmatched);
        let fill = |record: Record| Composition(record).fill(parts, false);
        let mut share = Share::allocate(&self.arena, cache, Self::class(parts), fill)?;
        let name = share.hand_out();
        if let Some(former) = local.compositions.add(*parts, share) {
            former.give_up(&self.arena, cache);
        }
        Some(name)
    }

    /// Counts a composition as a holder of those parts that no change holds. They may be gone already; then the slot has
    /// changed.
    fn hold_others(
        &self,
        thread: &mut ThreadState<Self>,
        parts: &Parts,
        changes: &Changes,
    ) -> Result<(), Failure> {
        for (place, name) in parts.names().iter().enumerate() {
            if name.is_empty() || changes.hold(*name) {
                continue;
            }
            // SAFETY: names of parts are of records of this arena.
            if !unsafe { name.record() }.try_retain(name.generation(), 1) {
                self.release_others(thread, parts, changes, place);
                return Err(Failure::Outdated);
            }
        }
        Ok(())
    }

    /// Takes back what `hold_others` did for the first parts.
    #[cold]
    fn release_others(
        &self,
        thread: &mut ThreadState<Self>,
        parts: &Parts,
        changes: &Changes,
        count: usize,
    ) {
        let others = parts.names().iter().take(count).filter(|name| !changes.hold(**name));
        for name in others {
            // SAFETY: `hold_others` has counted it.
            unsafe { self.arena.release(&mut thread.cache, *name, 1) };
        }
    }
}
