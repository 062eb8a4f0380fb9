//! Changes that one look finds: READEXCLUSIVE and WRITEEXCLUSIVE of accesses that are ordered, which nearly all are that repeat none.

use warpsan_thread_clock::Epoch;

use super::FastTrack;
use crate::access::Access;
use crate::bytes::Bytes;
use crate::counters::Count;
use crate::metadata::Pair;
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;
use crate::tool::Look;

/// A plain access that changes a pair in place and is no race, as long as the pair has what was seen.
#[derive(Clone, Copy, Debug)]
pub struct PairStep {
    access: Access,
    /// The name of the pair. It is the name of one slot for as long as it lives, so the slot is not needed any more.
    name: Word,
    write: Epoch,
    read: Epoch,
}

impl<R: Rules> FastTrack<R> {
    /// What one look says of an access to bytes of a word.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`](crate::Tool).
    #[inline(always)]
    pub(super) unsafe fn known_step(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> Look<PairStep> {
        let Some((part, level)) = self.slot_of(slot, bytes) else {
            // SAFETY: the caller's promise.
            let repeats = unsafe { self.repeats_in_parts(thread, slot, bytes, access) };
            return if repeats { Look::Repeats } else { Look::New };
        };
        // SAFETY: the caller's promise.
        match unsafe { self.look_at(thread, part, access) } {
            // What is true of a slot is true of all bytes that it is for.
            Look::Repeats => Look::Repeats,
            Look::Known(step) if level.is_all(bytes) => Look::Known(step),
            Look::Known(_) | Look::New => Look::New,
        }
    }

    /// What one look says of an access to all that a slot is for.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`](crate::Tool).
    #[inline(always)]
    pub(super) unsafe fn look_at(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        access: Access,
    ) -> Look<PairStep> {
        let name = slot.load();
        if name.is_empty() {
            return Look::New;
        }
        // SAFETY: the name is not empty, and if it is of a vector, that is one of this arena.
        if unsafe { Self::repeats_shared(thread.epoch, slot, name, access) } {
            thread.counters.add(Count::ReadSharedSameEpoch);
            return Look::Repeats;
        }
        if name.kind() != Kind::Pair || !access.is_plain() {
            // SAFETY: the caller's promise.
            let repeats = unsafe { self.repeats_slowly(thread, slot, name, access) };
            return if repeats { Look::Repeats } else { Look::New };
        }
        // SAFETY: the name is of a pair of this arena.
        let pair = Pair(unsafe { name.record() });
        let (write, read) = (pair.write(), pair.read());
        let (last, rule, count) = match access {
            Access::Read => (read, Rule::ReadSameEpoch, Count::ReadSameEpoch),
            _ => (write, Rule::WriteSameEpoch, Count::WriteSameEpoch),
        };
        if R::has(rule) && last == thread.epoch {
            if !slot.still_has(name) {
                return Look::New;
            }
            thread.counters.add(count);
            return Look::Repeats;
        }
        let is_known = match access {
            Access::Read => {
                Self::unordered_write(thread, write).is_none() && Self::reads_alone(thread, read)
            }
            _ => Self::unordered_access(thread, write, read).is_none(),
        };
        if is_known { Look::Known(PairStep { access, name, write, read }) } else { Look::New }
    }

    /// Makes a change that one look has found. False: the pair is not what it was, or another thread has it now.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`](crate::Tool).
    #[inline(always)]
    pub(super) unsafe fn take(&self, thread: &mut ThreadState<Self>, step: PairStep) -> bool {
        // SAFETY: the name is of a pair of this arena.
        let pair = Pair(unsafe { step.name.record() });
        if !pair.0.lock_at_once(step.name.generation()) {
            return false;
        }
        let is_same = (pair.write(), pair.read()) == (step.write, step.read);
        if is_same {
            match step.access {
                Access::Read => Self::set_reader(thread, pair),
                _ => Self::set_writer(thread, pair),
            }
        }
        pair.0.unlock_as(step.name.generation());
        is_same
    }
}
