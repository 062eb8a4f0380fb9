//! How often each rule applied, and what was allocated: the figures of table 3.1.

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Count {
    /// READSAMEEPOCH.
    ReadSameEpoch,
    /// The same-epoch form of READSHARED.
    ReadSharedSameEpoch,
    /// READEXCLUSIVE: in place or, in SlimFast, READEXCLREUSE.
    ReadExclusive,
    /// READEXCLUSIVE with an allocation: READEXCLALLOC, or the first access to a location.
    ReadExclusiveAllocated,
    /// READINFLREUSE.
    ReadInflate,
    /// READINFLATE with an allocation, READINFLALLOC.
    ReadInflateAllocated,
    /// READSHARED: in place or, in SlimFast, READSHAREDREUSE.
    ReadShared,
    /// READSHARED with an allocation: READSHAREDALLOC or, in FastTrack, a vector that grows.
    ReadSharedAllocated,
    /// WRITESAMEEPOCH.
    WriteSameEpoch,
    /// WRITEEXCLUSIVE.
    WriteExclusive,
    /// WRITESHARED.
    WriteShared,
    /// Plain accesses to locations that were accessed by atomic operations.
    PlainOfMixed,
    /// Atomic accesses.
    Atomic,
    /// Metadata that were exchanged by another thread meanwhile, so that the rule was tried again.
    Retried,
    /// EpochPairs that were allocated.
    PairAllocated,
    /// EpochPlusVCs that were allocated.
    VectorAllocated,
    /// Metadata of locations with atomic accesses that were allocated.
    MixedAllocated,
    /// Writes that took `W_t` as it was.
    WrittenReused,
    /// Epochs in which `S_t` and `Q_t` were used.
    EpochsWithSets,
    /// The elements of `S_t` when these epochs ended.
    ReadsHeld,
    /// The elements of `Q_t` when these epochs ended.
    InflatedHeld,
    /// Elements of `S_t` and `Q_t` that were overwritten, since the array was full.
    Overwritten,
    /// Compositions that were allocated.
    CompositionAllocated,
    /// Compositions that were taken as they were.
    CompositionReused,
    /// Words and halves of words that were divided.
    Divided,
    /// Accesses that were not written down, since there was no memory or the address has no shadow.
    NotRecorded,
}

const COUNTS: usize = Count::NotRecorded as usize + 1;

/// A number for each [`Count`]; each thread has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters([u64; COUNTS]);

impl Default for Counters {
    fn default() -> Self {
        Self([0; COUNTS])
    }
}

impl Counters {
    /// One of them.
    pub fn get(&self, count: Count) -> u64 {
        self.0[count as usize]
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, count: Count) {
        self.0[count as usize] += 1;
    }

    pub(crate) fn add_many(&mut self, count: Count, number: u64) {
        self.0[count as usize] += number;
    }

    /// Adds those of another thread.
    pub fn merge(&mut self, other: &Counters) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += theirs;
        }
    }

    fn sum(&self, counts: &[Count]) -> u64 {
        counts.iter().map(|count| self.get(*count)).sum()
    }

    fn share(part: u64, whole: u64) -> f64 {
        if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
    }

    /// All accesses that were judged.
    pub fn accesses(&self) -> u64 {
        use Count::{
            Atomic, PlainOfMixed, ReadExclusive, ReadExclusiveAllocated, ReadInflate,
            ReadInflateAllocated, ReadSameEpoch, WriteExclusive, WriteSameEpoch,
        };
        self.vector_accesses()
            + self.sum(&[ReadSameEpoch, ReadExclusive, ReadExclusiveAllocated, ReadInflate])
            + self.sum(&[ReadInflateAllocated, WriteSameEpoch, WriteExclusive])
            + self.sum(&[PlainOfMixed, Atomic])
    }

    /// Accesses that found an EpochPlusVC.
    pub fn vector_accesses(&self) -> u64 {
        use Count::{ReadShared, ReadSharedAllocated, ReadSharedSameEpoch, WriteShared};
        self.sum(&[ReadSharedSameEpoch, ReadShared, ReadSharedAllocated, WriteShared])
    }

    /// Column 3 of table 3.1: the share of accesses that found an EpochPlusVC.
    pub fn share_of_vector_accesses(&self) -> f64 {
        Self::share(self.vector_accesses(), self.accesses())
    }

    /// All pieces of metadata that were allocated: column 11 is the quotient of two tools.
    pub fn allocations(&self) -> u64 {
        use Count::{CompositionAllocated, MixedAllocated, PairAllocated, VectorAllocated};
        self.sum(&[PairAllocated, VectorAllocated, MixedAllocated, CompositionAllocated])
    }

    /// Column 4: the share of EpochPlusVCs among allocations.
    pub fn share_of_vector_allocations(&self) -> f64 {
        Self::share(self.get(Count::VectorAllocated), self.allocations())
    }

    /// Column 5: elements of `S_t` in the mean.
    pub fn mean_reads_held(&self) -> f64 {
        Self::share(self.get(Count::ReadsHeld), self.get(Count::EpochsWithSets))
    }

    /// Column 6: elements of `Q_t` in the mean.
    pub fn mean_inflated_held(&self) -> f64 {
        Self::share(self.get(Count::InflatedHeld), self.get(Count::EpochsWithSets))
    }

    /// Column 7: the share of lookups in `Q_t` and Next that found an EpochPlusVC. (The thesis' text has 7 and 8 the other way round.)
    pub fn vector_reuse(&self) -> f64 {
        let reused = self.sum(&[Count::ReadInflate, Count::ReadShared]);
        let allocated = self.sum(&[Count::ReadInflateAllocated, Count::ReadSharedAllocated]);
        Self::share(reused, reused + allocated)
    }

    /// Column 8: the share of lookups in `S_t` that found an EpochPair.
    pub fn pair_reuse(&self) -> f64 {
        let reused = self.get(Count::ReadExclusive);
        Self::share(reused, reused + self.get(Count::ReadExclusiveAllocated))
    }
}
