//! The numbers that metadata has for the warps of kernels in graphs.

use crate::driver_types::{CUgraph, CUgraphExec};
use crate::engine::error::EngineError;
use crate::engine::tables::Tables;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use warpsan_instrument::LaunchContext;

/// Warps that the kernels of a graph can have, and those of them that keep locks, each with a number of its own.
pub(super) const MOST_WARPS: u64 = LaunchContext::WARP_NUMBERS as u64 - 2;
pub(super) const MOST_LOCKED_WARPS: u64 = LaunchContext::LOCKED_WARP_NUMBERS as u64;

/// The graphs of a device.
#[derive(Debug, Default)]
pub(in crate::engine) struct Graphs {
    /// Where the number lies of kernels that are added to a graph, by whether they keep locks.
    pub(super) of_graph: HashMap<(CUgraph, bool), u64>,
    /// The kernels that share the number of a place.
    pub(super) kernels: BTreeMap<u64, Sharing>,
    /// The warps that a node has numbers for.
    pub(super) warps: HashMap<NodeBase, u64>,
    /// Graphs that can be launched.
    pub(super) instances: HashMap<CUgraphExec, NumberPlaces>,
    /// Counters and locks of each kernel.
    pub(super) tables: HashMap<NodeBase, Tables>,
}

/// The number of a node's first warp: the place of the graph's number, and what is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::engine) struct NodeBase {
    pub(super) place: u64,
    pub(super) further: u32,
}

/// Kernels that share the number of a place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sharing {
    pub(super) warps: u64,
    pub(super) keep_locks: bool,
}

/// Where the numbers of a graph's kernels lie.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct NumberPlaces {
    pub(super) known: BTreeSet<u64>,
    /// It has kernels that cannot be looked at.
    pub(super) has_more: bool,
}

impl Graphs {
    /// The numbers of one more kernel that shares a place.
    pub(super) fn next_base(
        &mut self,
        place: u64,
        keep_locks: bool,
        warps: u64,
    ) -> Result<NodeBase, EngineError> {
        let sharing = self.kernels.entry(place).or_insert(Sharing { warps: 0, keep_locks });
        let most = if keep_locks { MOST_LOCKED_WARPS } else { MOST_WARPS };
        if sharing.warps + warps > most {
            return Err(EngineError::GraphTooLarge(most));
        }
        let base = NodeBase { place, further: sharing.warps as u32 };
        sharing.warps += warps;
        self.warps.insert(base, warps);
        Ok(base)
    }

    /// Whether the kernels that share a place keep locks.
    pub(super) fn keeps_locks(&self, place: u64) -> bool {
        self.kernels.get(&place).is_some_and(|sharing| sharing.keep_locks)
    }

    /// The places whose numbers change for a launch, and what shares each. Those of all graphs, where it is not known
    /// which kernels a graph has.
    pub(super) fn wanted(&self, executable: CUgraphExec) -> Vec<(u64, Sharing)> {
        let places = self.instances.get(&executable).filter(|places| !places.has_more);
        let is_wanted = |place: &u64| places.is_none_or(|places| places.known.contains(place));
        let wanted = self.kernels.iter().filter(|(place, _)| is_wanted(place));
        wanted.map(|(place, sharing)| (*place, *sharing)).collect()
    }
}
