//! The sentences of the race model that give order.

/// The sentences of the model that give order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the sentences")]
pub enum Rule {
    ReleaseOperation,
    EarlierReleaseOperation,
    ReleaseFence,
    AcquireOperation,
    LaterAcquireOperation,
    AcquireFence,
    ChainOfUpdates,
    FenceScOrder,
    ForcedFenceOrder,
    BlockBarrier,
    BlockArrival,
    WarpBarrier,
    ClusterBarrier,
    Mbarrier,
    FencesAroundArrivals,
    MbarrierInitFence,
    CopyWait,
    BulkWait,
    BulkReadWait,
    CopyArrival,
    BulkSignal,
    StoreSignal,
    Observation,
    ObservationThroughChain,
    ProxyFence,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 25] = [
        Rule::ReleaseOperation,
        Rule::EarlierReleaseOperation,
        Rule::ReleaseFence,
        Rule::AcquireOperation,
        Rule::LaterAcquireOperation,
        Rule::AcquireFence,
        Rule::ChainOfUpdates,
        Rule::FenceScOrder,
        Rule::ForcedFenceOrder,
        Rule::BlockBarrier,
        Rule::BlockArrival,
        Rule::WarpBarrier,
        Rule::ClusterBarrier,
        Rule::Mbarrier,
        Rule::FencesAroundArrivals,
        Rule::MbarrierInitFence,
        Rule::CopyWait,
        Rule::BulkWait,
        Rule::BulkReadWait,
        Rule::CopyArrival,
        Rule::BulkSignal,
        Rule::StoreSignal,
        Rule::Observation,
        Rule::ObservationThroughChain,
        Rule::ProxyFence,
    ];

    /// The rule in words.
    pub fn name(self) -> &'static str {
        match self {
            Rule::ReleaseOperation => "release operation",
            Rule::EarlierReleaseOperation => "release operation before a strong write",
            Rule::ReleaseFence => "release fence before a strong write",
            Rule::AcquireOperation => "acquire operation",
            Rule::LaterAcquireOperation => "acquire operation behind a strong read",
            Rule::AcquireFence => "acquire fence behind a strong read",
            Rule::ChainOfUpdates => "chain of atomic updates",
            Rule::FenceScOrder => "order of fence.sc",
            Rule::ForcedFenceOrder => "order of fence.sc that an observation forces",
            Rule::BlockBarrier => "block barrier",
            Rule::BlockArrival => "arrival at a block barrier",
            Rule::WarpBarrier => "warp barrier",
            Rule::ClusterBarrier => "cluster barrier",
            Rule::Mbarrier => "mbarrier",
            Rule::FencesAroundArrivals => "fences around relaxed arrivals and waits",
            Rule::MbarrierInitFence => "fence of mbarrier initialisations",
            Rule::CopyWait => "wait for cp.async",
            Rule::BulkWait => "wait for a bulk group",
            Rule::BulkReadWait => "wait for the reads of a bulk group",
            Rule::CopyArrival => "cp.async.mbarrier.arrive",
            Rule::BulkSignal => "bytes of a bulk copy at an mbarrier",
            Rule::StoreSignal => "bytes of an asynchronous store at an mbarrier",
            Rule::Observation => "observation",
            Rule::ObservationThroughChain => "observation through a chain",
            Rule::ProxyFence => "proxy fence",
        }
    }

    pub(super) fn bit(self) -> u32 {
        1 << self as u32
    }
}
