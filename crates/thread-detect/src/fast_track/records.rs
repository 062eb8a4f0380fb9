//! Records of a location's own.

use warpsan_thread_clock::Epoch;

use super::FastTrack;
use crate::counters::Count;
use crate::metadata::{Class, Mixed, Pair, Reads, Record};
use crate::rules::Rules;
use crate::slot::Kind;
use crate::thread_state::ThreadState;

impl<R: Rules> FastTrack<R> {
    pub(super) fn new_pair(&self, thread: &mut ThreadState<Self>) -> Option<Pair> {
        let record = self.arena.take(&mut thread.cache, Class::PAIR, 1)?;
        thread.counters.add(Count::PairAllocated);
        Some(Pair(record))
    }

    pub(super) fn new_reads(
        &self,
        thread: &mut ThreadState<Self>,
        capacity: usize,
        write: Epoch,
    ) -> Option<Reads> {
        let reads = Reads(self.arena.take(&mut thread.cache, Class::reads(capacity), 1)?);
        thread.counters.add(Count::VectorAllocated);
        reads.clear(write, false);
        Some(reads)
    }

    pub(super) fn new_mixed(
        &self,
        thread: &mut ThreadState<Self>,
        capacity: usize,
    ) -> Option<Mixed> {
        let record = self.arena.take(&mut thread.cache, Class::mixed(capacity), 1)?;
        thread.counters.add(Count::MixedAllocated);
        Some(Mixed(record))
    }

    /// A record with the same contents.
    pub(super) fn copy(
        &self,
        thread: &mut ThreadState<Self>,
        record: Record,
        kind: Kind,
    ) -> Option<Record> {
        Some(match kind {
            Kind::Pair | Kind::Divided => {
                let copy = self.new_pair(thread)?;
                copy.fill(Pair(record).write(), Pair(record).read());
                copy.0
            }
            Kind::Reads => {
                let reads = Reads(record);
                let copy = self.new_reads(thread, reads.capacity(), reads.write())?;
                for read in reads.epochs() {
                    copy.set(read);
                }
                copy.0
            }
            Kind::Mixed => {
                let copy = self.new_mixed(thread, Mixed(record).capacity())?;
                copy.copy_from(Mixed(record));
                copy.0
            }
        })
    }
}
