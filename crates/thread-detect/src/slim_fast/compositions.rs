//! Names for words whose bytes have different metadata.

use super::SlimFast;
use super::share::Share;
use crate::counters::Count;
use crate::metadata::{Class, Composition, Parts, Record};
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Word};
use crate::thread_state::ThreadState;

/// Why a slot did not get what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It has changed: look again.
    Outdated,
    /// There is no memory.
    NoMemory,
}

impl<R: Rules> SlimFast<R> {
    /// The name of a composition of these parts, which are at least two, counted for a slot. Who calls holds the names that the
    /// slot does not, and may give them up afterwards.
    pub(super) fn composed(
        &self,
        thread: &mut ThreadState<Self>,
        parts: &Parts,
    ) -> Result<Word, Failure> {
        if parts.are_private() {
            return self.private(thread, parts);
        }
        self.renew(thread);
        let ThreadState { local, counters, .. } = &mut *thread;
        if R::has(Rule::CompositionReuse)
            && let Some(share) = local.compositions.find(parts)
        {
            counters.add(Count::CompositionReused);
            return Ok(share.hand_out());
        }
        self.hold_parts(thread, parts)?;
        let ThreadState { local, cache, counters, .. } = &mut *thread;
        let fill = |record: Record| Composition(record).fill(parts);
        let Some(mut share) = Share::allocate(&self.arena, cache, Self::class(parts), fill) else {
            self.release_parts(thread, parts, parts.len());
            return Err(Failure::NoMemory);
        };
        counters.add(Count::CompositionAllocated);
        let name = share.hand_out();
        if let Some(former) = local.compositions.add(*parts, share) {
            former.give_up(&self.arena, cache);
        }
        Ok(name)
    }

    /// One that only one slot will name: a part of it changes in place.
    #[inline(never)]
    fn private(&self, thread: &mut ThreadState<Self>, parts: &Parts) -> Result<Word, Failure> {
        self.hold_parts(thread, parts)?;
        let Some(record) = self.arena.take(&mut thread.cache, Self::class(parts), 1) else {
            self.release_parts(thread, parts, parts.len());
            return Err(Failure::NoMemory);
        };
        thread.counters.add(Count::CompositionAllocated);
        Composition(record).fill(parts);
        Ok(record.name(Kind::Divided))
    }

    fn class(parts: &Parts) -> Class {
        Class::composition(Composition::capacity_for(parts.len()))
    }

    /// Counts a composition as a holder of its parts. Names that the slot held may be gone already; then it has changed.
    fn hold_parts(&self, thread: &mut ThreadState<Self>, parts: &Parts) -> Result<(), Failure> {
        for (place, (_, name)) in parts.iter().enumerate() {
            // SAFETY: names of parts are of records of this arena.
            let held = name.is_empty() || unsafe { name.record() }.try_retain(name.generation(), 1);
            if !held {
                self.release_parts(thread, parts, place);
                return Err(Failure::Outdated);
            }
        }
        Ok(())
    }

    /// Takes back what `hold_parts` did for the first parts.
    fn release_parts(&self, thread: &mut ThreadState<Self>, parts: &Parts, count: usize) {
        for (_, name) in parts.iter().take(count) {
            // SAFETY: `hold_parts` has counted it.
            unsafe { self.arena.release(&mut thread.cache, name, 1) };
        }
    }
}
