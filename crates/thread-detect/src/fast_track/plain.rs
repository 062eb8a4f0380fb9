//! Plain accesses to locations without atomic ones: the rules of figure 3.3.

use warpsan_thread_clock::{Epoch, VectorClock};

use super::{Change, FastTrack};
use crate::conflict::{Conflict, EarlierAccess};
use crate::counters::Count;
use crate::metadata::{Pair, Reads};
use crate::rules::{Rule, Rules};
use crate::slot::Kind;
use crate::thread_state::ThreadState;

impl<R: Rules> FastTrack<R> {
    /// READEXCLUSIVE and READINFLATE.
    pub(super) fn read_pair(
        &self,
        thread: &mut ThreadState<Self>,
        pair: Pair,
    ) -> (Option<Conflict>, Change) {
        let (write, read) = (pair.write(), pair.read());
        let conflict = Self::unordered_write(thread, write);
        if Self::reads_alone(thread, read) {
            Self::set_reader(thread, pair);
            return (conflict, Change::Done);
        }
        let Some(reads) = self.new_reads(thread, VectorClock::FIRST_SIZE, write) else {
            return (conflict, Change::NoMemory);
        };
        thread.counters.add(Count::ReadInflateAllocated);
        reads.set(read);
        reads.set(thread.epoch);
        (conflict, Change::Replace(reads.0, Kind::Reads))
    }

    /// WRITEEXCLUSIVE.
    pub(super) fn write_pair(
        &self,
        thread: &mut ThreadState<Self>,
        pair: Pair,
    ) -> (Option<Conflict>, Change) {
        let conflict = Self::unordered_access(thread, pair.write(), pair.read());
        Self::set_writer(thread, pair);
        (conflict, Change::Done)
    }

    /// READEXCLUSIVE applies, not READINFLATE: the last reader of a pair comes before this one.
    #[inline(always)]
    pub(super) fn reads_alone(thread: &ThreadState<Self>, read: Epoch) -> bool {
        !R::has(Rule::ReadInflate) || thread.clock.covers(read)
    }

    /// What READEXCLUSIVE does to a pair, which is locked.
    #[inline(always)]
    pub(super) fn set_reader(thread: &mut ThreadState<Self>, pair: Pair) {
        thread.counters.add(Count::ReadExclusive);
        if R::has(Rule::ReadExclusive) {
            pair.set_read(thread.epoch);
        }
    }

    /// What WRITEEXCLUSIVE does to a pair, which is locked.
    #[inline(always)]
    pub(super) fn set_writer(thread: &mut ThreadState<Self>, pair: Pair) {
        thread.counters.add(Count::WriteExclusive);
        if R::has(Rule::WriteRecorded) {
            if R::has(Rule::WriteForgetsRead) {
                pair.set_read(Epoch::NONE);
            }
            pair.set_write(thread.epoch);
        }
    }

    /// What a write to a pair races with.
    #[inline(always)]
    pub(super) fn unordered_access(
        thread: &ThreadState<Self>,
        write: Epoch,
        read: Epoch,
    ) -> Option<Conflict> {
        let unordered = |rule, epoch: Epoch| R::has(rule) && !thread.clock.covers(epoch);
        if unordered(Rule::WriteChecksWrite, write) {
            Some(Conflict { earlier: write, access: EarlierAccess::Write })
        } else if unordered(Rule::WriteChecksRead, read) {
            Some(Conflict { earlier: read, access: EarlierAccess::Read })
        } else {
            None
        }
    }

    /// READSHARED.
    pub(super) fn read_shared(
        &self,
        thread: &mut ThreadState<Self>,
        reads: Reads,
    ) -> (Option<Conflict>, Change) {
        let conflict = Self::unordered_write(thread, reads.write());
        if !R::has(Rule::ReadShared) || reads.set(thread.epoch) {
            thread.counters.add(Count::ReadShared);
            return (conflict, Change::Done);
        }
        let Some(larger) = self.new_reads(thread, reads.capacity() * 2, reads.write()) else {
            return (conflict, Change::NoMemory);
        };
        thread.counters.add(Count::ReadSharedAllocated);
        for read in reads.epochs() {
            larger.set(read);
        }
        larger.set(thread.epoch);
        (conflict, Change::Replace(larger.0, Kind::Reads))
    }

    /// WRITESHARED.
    pub(super) fn write_shared(
        &self,
        thread: &mut ThreadState<Self>,
        reads: Reads,
    ) -> (Option<Conflict>, Change) {
        thread.counters.add(Count::WriteShared);
        let write = reads.write();
        let conflict = if R::has(Rule::WriteChecksWrite) && !thread.clock.covers(write) {
            Some(Conflict { earlier: write, access: EarlierAccess::Write })
        } else if R::has(Rule::WriteChecksReads) {
            let unordered = reads.epochs().find(|read| !thread.clock.covers(*read));
            unordered.map(|earlier| Conflict { earlier, access: EarlierAccess::Read })
        } else {
            None
        };
        if !R::has(Rule::WriteRecorded) {
            return (conflict, Change::Done);
        }
        let Some(pair) = self.new_pair(thread) else { return (conflict, Change::NoMemory) };
        pair.fill(thread.epoch, Epoch::NONE);
        (conflict, Change::Replace(pair.0, Kind::Pair))
    }

    /// What a read races with.
    #[inline(always)]
    pub(super) fn unordered_write(thread: &ThreadState<Self>, write: Epoch) -> Option<Conflict> {
        let races = R::has(Rule::ReadChecksWrite) && !thread.clock.covers(write);
        races.then_some(Conflict { earlier: write, access: EarlierAccess::Write })
    }
}
