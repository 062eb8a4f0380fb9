//! The rules for accesses that repeat one of the same epoch. Nothing is locked or written.

use warpsan_thread_clock::Epoch;

use super::FastTrack;
use super::division::Level;
use crate::access::Access;
use crate::bytes::Bytes;
use crate::counters::Count;
use crate::metadata::{Mixed, Pair, Reads, Record};
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

impl<R: Rules> FastTrack<R> {
    /// Whether an access is a read that the vector of a slot has at the first place.
    ///
    /// # Safety
    ///
    /// The slot had this name, which is not empty.
    #[inline(always)]
    pub(super) unsafe fn repeats_shared(
        now: Epoch,
        slot: &Slot,
        name: Word,
        access: Access,
    ) -> bool {
        R::has(Rule::ReadSharedSameEpoch)
            && (name.kind(), access) == (Kind::Reads, Access::Read)
            // SAFETY: it is of a vector of this arena.
            && Reads(unsafe { name.record() }).has_at_first(now)
            && slot.still_has(name)
    }

    /// Whether an access repeats one, where what a slot had is no pair.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`](crate::Tool).
    #[inline(never)]
    pub(super) unsafe fn repeats_slowly(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        word: Word,
        access: Access,
    ) -> bool {
        // SAFETY: the caller's promise.
        let repeated = unsafe { self.repeated(thread.epoch, slot, word, access) };
        repeated.is_some_and(|count| {
            thread.counters.add(count);
            true
        })
    }

    /// Whether an access repeats one, where no slot is for all of its bytes: it does if it does for each part.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`](crate::Tool).
    #[inline(never)]
    pub(super) unsafe fn repeats_in_parts(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> bool {
        let word = slot.load();
        if word.kind() != Kind::Divided {
            return false;
        }
        let mut last = None;
        let mut repeats = |slot: &Slot, word: Word| {
            // SAFETY: the caller's promise.
            last = unsafe { self.repeated(thread.epoch, slot, word, access) };
            last.is_some()
        };
        // SAFETY: a divided slot of a word names two halves.
        let halves = unsafe { self.parts.at(word, Level::Word.parts()) };
        for (half, within) in halves.iter().zip([bytes.bits() & 0xf, bytes.bits() >> 4]) {
            let word = half.load();
            if within == 0 {
                continue;
            }
            if word.kind() != Kind::Divided {
                if !repeats(half, word) {
                    return false;
                }
                continue;
            }
            // SAFETY: a divided slot of a half names four bytes.
            let parts = unsafe { self.parts.at(word, Level::Half.parts()) };
            for (index, byte) in parts.iter().enumerate() {
                if within >> index & 1 != 0 && !repeats(byte, byte.load()) {
                    return false;
                }
            }
        }
        last.into_iter().for_each(|count| thread.counters.add(count));
        true
    }

    /// The rule by which an access repeats one, if it does, for a slot that had this word.
    unsafe fn repeated(
        &self,
        now: Epoch,
        slot: &Slot,
        word: Word,
        access: Access,
    ) -> Option<Count> {
        if word.is_empty() || word.kind() == Kind::Divided {
            return None;
        }
        // SAFETY: it is of a record of this arena.
        let record = unsafe { word.record() };
        Self::same_epoch(now, record, word.kind(), access).filter(|_| slot.still_has(word))
    }

    fn same_epoch(now: Epoch, record: Record, kind: Kind, access: Access) -> Option<Count> {
        let (same, count) = match (kind, access) {
            (Kind::Pair, Access::Read) => {
                (R::has(Rule::ReadSameEpoch) && Pair(record).read() == now, Count::ReadSameEpoch)
            }
            (Kind::Reads, Access::Read) => {
                let same = || Reads(record).read_of(now.thread()) == now;
                (R::has(Rule::ReadSharedSameEpoch) && same(), Count::ReadSharedSameEpoch)
            }
            (Kind::Pair | Kind::Reads, Access::Write) => {
                let same = || Epoch::from_bits(record.get(Record::WRITE)) == now;
                (R::has(Rule::WriteSameEpoch) && same(), Count::WriteSameEpoch)
            }
            (Kind::Mixed, Access::Read | Access::Write) => {
                (Mixed(record).same_epoch(now, access), Count::PlainOfMixed)
            }
            (Kind::Mixed, _) => (Mixed(record).same_epoch(now, access), Count::Atomic),
            (Kind::Pair | Kind::Reads | Kind::Divided, _) => (false, Count::Atomic),
        };
        same.then_some(count)
    }
}
