//! Arrivals at barriers that may order nothing: remembered to name what is missing.

use super::writers::{End, Point};
use crate::clock::View;
use crate::hb::ids::ClusterNumber;
use crate::hb::order::Object;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// So many arrivals at one barrier are remembered.
const MOST_ARRIVALS: usize = 64;

/// An arrival at an `mbarrier` object, or at the barrier of a cluster.
#[derive(Debug, Clone)]
pub(in crate::hb) struct Arrival {
    pub(in crate::hb) phase: u64,
    pub(in crate::hb) who: Point,
    pub(in crate::hb) view: Arc<View>,
    pub(in crate::hb) end: End,
    /// What may release what was done before: the arrival itself, or fences before it.
    pub(in crate::hb) releases: Vec<End>,
}

impl Arrival {
    /// Whether it releases by itself.
    pub(in crate::hb) fn is_release(&self) -> bool {
        self.releases.iter().any(|end| !end.is_fence)
    }

    /// Whether it comes after a point of a thread.
    pub(super) fn is_after(&self, from: &Point) -> bool {
        self.who.is_after(&self.view, from)
    }
}

/// The last arrivals at each barrier.
#[derive(Debug, Default)]
pub(in crate::hb) struct Arrivals {
    at_objects: FxHashMap<Object, VecDeque<Arrival>>,
    /// By cluster: arrivals at its barrier that order nothing.
    relaxed_at_clusters: FxHashMap<ClusterNumber, VecDeque<Arrival>>,
}

impl Arrivals {
    pub(super) fn clear(&mut self) {
        self.at_objects.clear();
        self.relaxed_at_clusters.clear();
    }

    /// An object begins or ends.
    pub(in crate::hb) fn reset_object(&mut self, object: Object) {
        self.at_objects.remove(&object);
    }

    /// A lane arrives at an object.
    pub(in crate::hb) fn add_at_object(&mut self, object: Object, arrival: Arrival) {
        let arrivals = self.at_objects.entry(object).or_default();
        if arrivals.len() == MOST_ARRIVALS {
            arrivals.pop_front();
        }
        arrivals.push_back(arrival);
    }

    /// The last arrivals at an object.
    pub(in crate::hb) fn at_object(&self, object: Object) -> impl Iterator<Item = &Arrival> {
        self.at_objects.get(&object).into_iter().flatten()
    }

    /// Lanes arrive at the barrier of their cluster, relaxed, some groups of them at once.
    pub(in crate::hb) fn add_relaxed_at_cluster(
        &mut self,
        cluster: ClusterNumber,
        groups: impl Iterator<Item = Arrival>,
    ) {
        let arrivals = self.relaxed_at_clusters.entry(cluster).or_default();
        if arrivals.len() >= MOST_ARRIVALS {
            arrivals.pop_front();
        }
        arrivals.extend(groups);
    }

    /// The last arrivals at the barrier of a cluster that order nothing.
    pub(in crate::hb) fn relaxed_at_cluster(
        &self,
        cluster: ClusterNumber,
    ) -> impl Iterator<Item = &Arrival> {
        self.relaxed_at_clusters.get(&cluster).into_iter().flatten()
    }
}
