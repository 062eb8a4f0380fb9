//! The rules of the model, one by one: how often each was applied, and a switch for each, so that tests
//! can show that it matters.

use crate::Statistic;
use std::cell::Cell;

/// A rule of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Rule {
    /// `bar.sync` orders its participants.
    BlockBarrier,
    /// `bar.arrive` is a source of the phase it arrives for.
    BlockArrive,
    /// `bar.warp.sync` orders the lanes of its mask.
    WarpBarrier,
    /// `barrier.cluster` orders arrivals before waits.
    ClusterBarrier,
    /// A relaxed arrival at the barrier of a cluster orders nothing.
    ClusterRelaxed,
    /// A release operation begins a release pattern.
    ReleaseOperation,
    /// A fence and a later strong write are a release pattern.
    ReleaseFence,
    /// A release operation and a later strong write to the same location are a release pattern.
    ReleaseThenWrite,
    /// An acquire operation ends an acquire pattern.
    AcquireOperation,
    /// A strong read and a later fence are an acquire pattern.
    AcquireFence,
    /// A strong read and a later acquire operation on the same location are an acquire pattern.
    ReadThenAcquire,
    /// Read-modify-writes continue what was released before them.
    UpdatesContinue,
    /// Links of a chain have to be morally strong.
    LinksAreMorallyStrong,
    /// The ends of patterns have to include each other in their scopes.
    EndsAreMutual,
    /// A plain strong store begins anew.
    StoresBeginAnew,
    /// An observed write is ordered before what follows the observation.
    Observation,
    /// Morally strong accesses do not race.
    MorallyStrong,
    /// Morally strong accesses have the same range.
    SameRange,
    /// Scopes of morally strong accesses include each other.
    ScopesAreMutual,
    /// A compare-and-swap that failed only reads.
    FailedCompareOnlyReads,
    /// `red` never acquires.
    ReductionsNeverAcquire,
    /// Two `fence.sc` are ordered as they executed, where that was asked for.
    FenceScOrder,
    /// A `fence.sc` before a write is before a `fence.sc` after a read that observed it.
    ForcedFenceOrder,
    /// An arrival at an `mbarrier` is ordered before waits for its phase.
    Mbarrier,
    /// A relaxed arrival or wait orders nothing.
    MbarrierRelaxed,
    /// Arrivals and waits have to include each other in their scopes.
    MbarrierScopes,
    /// A fence and a later relaxed arrival are a release pattern, a relaxed wait and a later fence an acquire pattern.
    FencesAroundArrivals,
    /// `fence.mbarrier_init` orders initialisations before a relaxed arrival at the barrier of the cluster.
    MbarrierInitFence,
    /// A copy is ordered before what follows its thread's wait.
    CopyWait,
    /// Waiting for the sources of copies makes only those known.
    CopyWaitRead,
    /// A copy is ordered before waits for the phase that it signalled.
    CopySignal,
    /// A copy is not ordered before what its thread does next.
    CopiesAreAsynchronous,
    /// Writes reach the asynchronous proxy through a fence only.
    ProxyFence,
    /// Lanes of one warp are threads like any others.
    LanesAreThreads,
    /// Lanes of one store that write the same byte race.
    LanesOfOneStore,
    /// Accesses through the read-only path are outside of the order.
    ReadOnlyPath,
    /// Volatile accesses are races in CUDA C++.
    Volatile,
    /// Locations are bytes.
    ByteExact,
    /// All concurrent readers are remembered.
    AllReaders,
    /// Launches are ordered as their streams say.
    LaunchOrder,
    /// Who has waited for the launches that this one may overlap is after them.
    PrerequisiteWait,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 41] = [
        Rule::BlockBarrier,
        Rule::BlockArrive,
        Rule::WarpBarrier,
        Rule::ClusterBarrier,
        Rule::ClusterRelaxed,
        Rule::ReleaseOperation,
        Rule::ReleaseFence,
        Rule::ReleaseThenWrite,
        Rule::AcquireOperation,
        Rule::AcquireFence,
        Rule::ReadThenAcquire,
        Rule::UpdatesContinue,
        Rule::LinksAreMorallyStrong,
        Rule::EndsAreMutual,
        Rule::StoresBeginAnew,
        Rule::Observation,
        Rule::MorallyStrong,
        Rule::SameRange,
        Rule::ScopesAreMutual,
        Rule::FailedCompareOnlyReads,
        Rule::ReductionsNeverAcquire,
        Rule::FenceScOrder,
        Rule::ForcedFenceOrder,
        Rule::Mbarrier,
        Rule::MbarrierRelaxed,
        Rule::MbarrierScopes,
        Rule::FencesAroundArrivals,
        Rule::MbarrierInitFence,
        Rule::CopyWait,
        Rule::CopyWaitRead,
        Rule::CopySignal,
        Rule::CopiesAreAsynchronous,
        Rule::ProxyFence,
        Rule::LanesAreThreads,
        Rule::LanesOfOneStore,
        Rule::ReadOnlyPath,
        Rule::Volatile,
        Rule::ByteExact,
        Rule::AllReaders,
        Rule::LaunchOrder,
        Rule::PrerequisiteWait,
    ];

    /// Its name in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Rule::BlockBarrier => "block barriers",
            Rule::BlockArrive => "arrivals at block barriers",
            Rule::WarpBarrier => "warp barriers",
            Rule::ClusterBarrier => "waits at cluster barriers",
            Rule::ClusterRelaxed => "relaxed arrivals at cluster barriers",
            Rule::ReleaseOperation => "release operations",
            Rule::ReleaseFence => "strong writes after a release fence",
            Rule::ReleaseThenWrite => "strong writes after a release of the same location",
            Rule::AcquireOperation => "acquire operations that observed a release",
            Rule::AcquireFence => "acquire fences after an observed release",
            Rule::ReadThenAcquire => "acquires after an observed release of the same location",
            Rule::UpdatesContinue => "updates that continued a release",
            Rule::LinksAreMorallyStrong => "updates that a scope kept from continuing a release",
            Rule::EndsAreMutual => "observed releases out of scope",
            Rule::StoresBeginAnew => "stores that ended a release",
            Rule::Observation => "accesses ordered by observation",
            Rule::MorallyStrong => "pairs of strong accesses compared",
            Rule::SameRange => "strong accesses that overlap partly",
            Rule::ScopesAreMutual => "strong accesses out of scope",
            Rule::FailedCompareOnlyReads => "compare-and-swaps that failed",
            Rule::ReductionsNeverAcquire => "reductions",
            Rule::FenceScOrder => "orders of fence.sc",
            Rule::ForcedFenceOrder => "fence.sc after an observed fence.sc",
            Rule::Mbarrier => "waits at mbarriers",
            Rule::MbarrierRelaxed => "relaxed arrivals and waits at mbarriers",
            Rule::MbarrierScopes => "arrivals at mbarriers",
            Rule::FencesAroundArrivals => "relaxed arrivals and waits with a fence",
            Rule::MbarrierInitFence => "fences of mbarrier initialisations",
            Rule::CopyWait => "waits for copies",
            Rule::CopyWaitRead => "waits for sources of copies",
            Rule::CopySignal => "copies that signalled an mbarrier",
            Rule::CopiesAreAsynchronous => "copies",
            Rule::ProxyFence => "proxy fences",
            Rule::LanesAreThreads => "pairs of lanes of one warp compared",
            Rule::LanesOfOneStore => "stores of several lanes to one place",
            Rule::ReadOnlyPath => "accesses through the read-only path",
            Rule::Volatile => "volatile accesses",
            Rule::ByteExact => "accesses to parts of words",
            Rule::AllReaders => "reads beside other reads",
            Rule::LaunchOrder => "launches that are not after all before them",
            Rule::PrerequisiteWait => "waits for earlier launches",
        }
    }
}

/// Which rules apply, and how often they were.
#[derive(Debug, Clone)]
pub struct Rules {
    off: Option<Rule>,
    /// Cells, so that counting needs no more than looking.
    counts: [Cell<u64>; Rule::ALL.len()],
}

impl Rules {
    /// The whole model.
    pub fn all() -> Rules {
        Rules { off: None, counts: [const { Cell::new(0) }; Rule::ALL.len()] }
    }

    /// The model without one rule: for tests that show what it is good for.
    pub fn without(rule: Rule) -> Rules {
        Rules { off: Some(rule), ..Rules::all() }
    }

    #[inline]
    pub(super) fn applies(&self, rule: Rule) -> bool {
        self.off != Some(rule)
    }

    /// Whether all rules apply.
    #[inline]
    pub(super) fn are_whole(&self) -> bool {
        self.off.is_none()
    }

    #[inline]
    pub(super) fn count(&self, rule: Rule) {
        self.count_more(rule, 1);
    }

    #[inline]
    pub(super) fn count_more(&self, rule: Rule, times: u64) {
        let counter = &self.counts[rule as usize];
        counter.set(counter.get() + times);
    }

    pub(super) fn statistics(&self) -> Vec<Statistic> {
        let count =
            |rule: &Rule| Statistic { name: rule.name(), value: self.counts[*rule as usize].get() };
        Rule::ALL.iter().map(count).collect()
    }
}
