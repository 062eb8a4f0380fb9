//! The rules, one by one, and which of them are in force.
//!
//! Online all of them are: [`AllRules`] answers by a constant, so that a switch costs nothing. Tests take one rule away
//! and see that it is missed.

/// A rule that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// READSAMEEPOCH.
    ReadSameEpoch,
    /// The first of the two rules that figure 3.3 calls READSHARED.
    ReadSharedSameEpoch,
    /// WRITESAMEEPOCH.
    WriteSameEpoch,
    /// `M_x^W ≤ C_t` of all rules of reads.
    ReadChecksWrite,
    /// `M_x^W ≤ C_t` of WRITEEXCLUSIVE and WRITESHARED.
    WriteChecksWrite,
    /// `M_x^R ≤ C_t` of WRITEEXCLUSIVE.
    WriteChecksRead,
    /// `M_x^R ⊑ C_t` of WRITESHARED.
    WriteChecksReads,
    /// READEXCLUSIVE writes the reader down.
    ReadExclusive,
    /// READINFLATE keeps both readers.
    ReadInflate,
    /// READSHARED adds the reader.
    ReadShared,
    /// WRITEEXCLUSIVE and WRITESHARED write the writer down.
    WriteRecorded,
    /// WRITEEXCLUSIVE forgets the reader.
    WriteForgetsRead,
    /// SlimFast: a write's metadata are `W_t`.
    WriteReuse,
    /// SlimFast: READEXCLREUSE.
    ReadExclusiveReuse,
    /// SlimFast: READINFLREUSE.
    ReadInflateReuse,
    /// SlimFast: READSHAREDREUSE.
    ReadSharedReuse,
    /// SlimFast: a composition is shared by words that are composed alike.
    CompositionReuse,
    /// SlimFast: what became of metadata once is not found out again.
    TransitionReuse,
    /// SlimFast: a new epoch forgets what became of metadata.
    EpochEmptiesTransitions,
    /// SlimFast: a new epoch renews `W_t`.
    EpochRenewsWritten,
    /// SlimFast: a new epoch empties `S_t`.
    EpochEmptiesReads,
    /// SlimFast: a new epoch empties `Q_t`.
    EpochEmptiesInflated,
    /// Two atomic accesses do not race.
    AtomicsDoNotRace,
    /// An atomic read is compared with the last plain write.
    AtomicReadChecksWrite,
    /// An atomic write is compared with the last plain write.
    AtomicWriteChecksWrite,
    /// An atomic write is compared with plain reads.
    AtomicWriteChecksReads,
    /// A plain read is compared with atomic writes.
    ReadChecksAtomicWrites,
    /// A plain write is compared with atomic writes.
    WriteChecksAtomicWrites,
    /// A plain write is compared with atomic reads.
    WriteChecksAtomicReads,
    /// FORK: the child knows what its parent knew.
    ForkOrders,
    /// FORK: the parent begins an epoch.
    ForkIncrements,
    /// JOIN: who waits knows what the thread knew.
    JoinOrders,
    /// JOIN: the clock of the thread grows, for who gets its id.
    JoinIncrements,
    /// ACQUIRE.
    AcquireJoins,
    /// RELEASE: the lock gets the clock.
    ReleaseStores,
    /// RELEASE: the thread begins an epoch.
    ReleaseIncrements,
    /// What readers of a lock release reaches its next writer.
    ReadersReachWriter,
    /// An atomic store that releases heads a release sequence.
    StoreReleases,
    /// A store ends the release sequence that was there.
    StoreEndsSequence,
    /// An update goes on with the release sequence that was there.
    UpdateContinuesSequence,
    /// An update that releases adds its own clock.
    UpdateReleases,
    /// An atomic read that acquires learns what the sequence carries.
    LoadAcquires,
    /// A fence that acquires learns what relaxed reads before it have observed.
    AcquireFence,
    /// Relaxed stores after a fence that releases carry what was before the fence.
    ReleaseFence,
    /// The same for relaxed updates.
    ReleaseFenceThenUpdate,
    /// A fence that releases begins an epoch.
    FenceIncrements,
    /// Who leaves a barrier knows what all knew when they entered.
    BarrierOrders,
    /// Parts of words have metadata of their own where an access covers a part of one.
    ByteExact,
    /// Memory that is given out has no history.
    AllocationForgets,
}

impl Rule {
    /// All rules.
    pub const ALL: &[Rule] = &[
        Rule::ReadSameEpoch,
        Rule::ReadSharedSameEpoch,
        Rule::WriteSameEpoch,
        Rule::ReadChecksWrite,
        Rule::WriteChecksWrite,
        Rule::WriteChecksRead,
        Rule::WriteChecksReads,
        Rule::ReadExclusive,
        Rule::ReadInflate,
        Rule::ReadShared,
        Rule::WriteRecorded,
        Rule::WriteForgetsRead,
        Rule::WriteReuse,
        Rule::ReadExclusiveReuse,
        Rule::ReadInflateReuse,
        Rule::ReadSharedReuse,
        Rule::CompositionReuse,
        Rule::TransitionReuse,
        Rule::EpochEmptiesTransitions,
        Rule::EpochRenewsWritten,
        Rule::EpochEmptiesReads,
        Rule::EpochEmptiesInflated,
        Rule::AtomicsDoNotRace,
        Rule::AtomicReadChecksWrite,
        Rule::AtomicWriteChecksWrite,
        Rule::AtomicWriteChecksReads,
        Rule::ReadChecksAtomicWrites,
        Rule::WriteChecksAtomicWrites,
        Rule::WriteChecksAtomicReads,
        Rule::ForkOrders,
        Rule::ForkIncrements,
        Rule::JoinOrders,
        Rule::JoinIncrements,
        Rule::AcquireJoins,
        Rule::ReleaseStores,
        Rule::ReleaseIncrements,
        Rule::ReadersReachWriter,
        Rule::StoreReleases,
        Rule::StoreEndsSequence,
        Rule::UpdateContinuesSequence,
        Rule::UpdateReleases,
        Rule::LoadAcquires,
        Rule::AcquireFence,
        Rule::ReleaseFence,
        Rule::ReleaseFenceThenUpdate,
        Rule::FenceIncrements,
        Rule::BarrierOrders,
        Rule::ByteExact,
        Rule::AllocationForgets,
    ];
}

/// Which rules are in force.
pub trait Rules: Send + Sync + 'static {
    /// Whether this one is.
    fn has(rule: Rule) -> bool;
}

/// All of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllRules;

impl Rules for AllRules {
    #[inline(always)]
    fn has(_rule: Rule) -> bool {
        true
    }
}
