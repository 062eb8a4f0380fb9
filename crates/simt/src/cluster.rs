//! Clusters of blocks that are running.

use warpsan_model::barriers::ClusterBarrier;

/// A cluster of blocks: one block, unless the launch has clusters.
#[derive(Debug, Default)]
pub(crate) struct Cluster {
    pub(crate) barrier: ClusterBarrier,
    /// Where its blocks run, by rank.
    pub(crate) slots: Vec<usize>,
    pub(crate) in_use: bool,
}
