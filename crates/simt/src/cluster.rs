//! Clusters of blocks that are running.

/// A cluster of blocks: one block, unless the launch has clusters.
#[derive(Debug, Default)]
pub(crate) struct Cluster {
    /// Phases of its barrier that are complete.
    pub(crate) phase: u32,
    /// Where its blocks run, by rank.
    pub(crate) slots: Vec<usize>,
    /// The lanes that have arrived at the barrier, by rank and warp.
    pub(crate) arrived: Vec<Vec<u32>>,
    pub(crate) in_use: bool,
}

impl Cluster {
    pub(crate) fn arrive(&mut self, rank: u32, warp: u32, lanes: u32) {
        self.arrived[rank as usize][warp as usize] |= lanes;
    }

    /// Whether lanes have arrived in the phase that is not complete.
    pub(crate) fn is_waited_for(&self, rank: u32, warp: u32, lanes: u32) -> bool {
        self.arrived[rank as usize][warp as usize] & lanes != 0
    }
}
