//! What strong writes pass on to those who observe them.

use super::threads::{BLOCK, CLUSTER, DEVICE, SYSTEM, reach};
use crate::clock::{ByClass, View, join_optional, join_shared};
use crate::hb::ids::{BlockNumber, ClusterNumber};
use std::collections::BTreeMap;
use std::sync::Arc;
use warpsan_model::Scope;

/// One view for each reach: of the own block, of the own cluster, of the device, of the host.
pub(in crate::hb) type ByReach = [Option<Arc<View>>; 4];

/// What was released, by those whom it reaches.
#[derive(Debug, Default)]
pub(in crate::hb) struct Released {
    /// For everybody on the device: what was released there with a scope that reaches them.
    pub(in crate::hb) for_device: Option<Arc<View>>,
    /// For those whose scope reaches the host: what the host released.
    from_host: Option<Arc<View>>,
    /// For readers of a releasing cluster: what was released there with a scope that reaches them.
    for_cluster: BTreeMap<ClusterNumber, Arc<View>>,
    /// For readers of a releasing block: all that it released.
    for_block: BTreeMap<BlockNumber, Arc<View>>,
}

impl Released {
    /// Something is released by a thread with a scope that reaches so far.
    pub(in crate::hb) fn add(
        &mut self,
        block: BlockNumber,
        cluster: ClusterNumber,
        reach: usize,
        view: &Arc<View>,
    ) {
        join_in(&mut self.for_block, block, view);
        if reach >= CLUSTER {
            join_in(&mut self.for_cluster, cluster, view);
        }
        if reach >= DEVICE {
            join_optional(&mut self.for_device, view);
        }
    }

    /// Each reach gets its own view: that of [`SYSTEM`] is there only if the host releases.
    pub(in crate::hb) fn add_by_reach(
        &mut self,
        block: BlockNumber,
        cluster: ClusterNumber,
        views: &ByReach,
    ) {
        if let Some(view) = &views[BLOCK] {
            join_in(&mut self.for_block, block, view);
        }
        if let Some(view) = &views[CLUSTER] {
            join_in(&mut self.for_cluster, cluster, view);
        }
        if let Some(view) = &views[DEVICE] {
            join_optional(&mut self.for_device, view);
        }
        if let Some(view) = &views[SYSTEM] {
            join_optional(&mut self.from_host, view);
        }
    }

    /// What reaches a reader whose own end of the pattern has this scope, by the reach that it needs.
    pub(in crate::hb) fn for_reader(
        &self,
        block: BlockNumber,
        cluster: ClusterNumber,
        scope: Scope,
    ) -> ByReach {
        let mut views = ByReach::default();
        views[BLOCK] = self.for_block.get(&block).cloned();
        if reach(scope) >= CLUSTER {
            views[CLUSTER] = self.for_cluster.get(&cluster).cloned();
        }
        if reach(scope) >= DEVICE {
            views[DEVICE] = self.for_device.clone();
        }
        if reach(scope) >= SYSTEM {
            views[SYSTEM] = self.from_host.clone();
        }
        views
    }

    pub(in crate::hb) fn join(&mut self, other: &Released) {
        for (block, view) in &other.for_block {
            join_in(&mut self.for_block, *block, view);
        }
        for (cluster, view) in &other.for_cluster {
            join_in(&mut self.for_cluster, *cluster, view);
        }
        if let Some(view) = &other.for_device {
            join_optional(&mut self.for_device, view);
        }
        if let Some(view) = &other.from_host {
            join_optional(&mut self.from_host, view);
        }
    }
}

/// The releases that the last write to a location carries.
#[derive(Debug, Default)]
pub(in crate::hb) struct Chain {
    pub(in crate::hb) released: Released,
    /// What was before a `fence.sc` of the writers' past.
    pub(super) before_fences: ByClass,
    /// Different for every state of every location.
    pub(in crate::hb) version: u64,
}

fn join_in<K: Ord>(views: &mut BTreeMap<K, Arc<View>>, owner: K, view: &Arc<View>) {
    match views.get_mut(&owner) {
        Some(known) => join_shared(known, view),
        None => {
            views.insert(owner, Arc::clone(view));
        }
    }
}
