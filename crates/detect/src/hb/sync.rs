//! Who has synchronised with whom: fences, and releases that acquires observe. Barriers are next door.

mod barriers;

use crate::clock::{Epoch, View, join_shared};
use barriers::Clusters;
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_model::{BlockIndex, Dim3, Geometry, Order, Scope, ThreadRef};

/// What a thread knows and has announced.
#[derive(Debug, Clone)]
pub(super) struct ThreadState {
    pub(super) epoch: Epoch,
    pub(super) view: Arc<View>,
    /// Fences and observed messages; most threads have none.
    extra: Option<Box<Extra>>,
}

/// One view for each reach: of the own block, of the own cluster, of all.
type ByReach = [Option<Arc<View>>; REACHES];

const REACHES: usize = 3;
const BLOCK: usize = 0;
const CLUSTER: usize = 1;
const ALL: usize = 2;

/// How far a scope reaches.
fn reach(scope: Scope) -> usize {
    match scope {
        Scope::Cta => BLOCK,
        Scope::Cluster => CLUSTER,
        Scope::Gpu | Scope::Sys => ALL,
    }
}

#[derive(Debug, Clone, Default)]
struct Extra {
    /// What was done before the newest fence of each reach. One that reaches further makes those
    /// before it superfluous.
    fences: ByReach,
    /// What relaxed reads have observed; a fence makes it known.
    observed: ByReach,
    /// What reads of a location have observed, for an acquire on the same location.
    observed_at: HashMap<Place, ByReach>,
    /// The thread's own releases: its later strong writes to the location carry them too.
    released_at: HashMap<Place, ByReach>,
    /// The release that was observed last and how: a thread that spins learns nothing new from it.
    latest: Option<(u64, Order, Scope)>,
}

/// What the releases on a location carry.
#[derive(Debug, Default)]
struct Release {
    /// The size of the strong accesses; one of another size does not observe them.
    bytes: u8,
    /// For everybody: what was released with a scope that reaches them.
    for_all: Option<Arc<View>>,
    /// For readers of a releasing cluster: what was released there with a scope that reaches them.
    for_cluster: HashMap<u32, Arc<View>>,
    /// For readers of a releasing block: all that it released.
    for_block: HashMap<u32, Arc<View>>,
    /// Different for every state of every location.
    version: u64,
}

/// A location, in shared memory of a block or in global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) in_block: Option<u32>,
    pub(super) start: u64,
    pub(super) bytes: u8,
}

/// A location without its size.
type Key = (Option<u32>, u64);

impl Place {
    fn key(self) -> Key {
        (self.in_block, self.start)
    }
}

/// Strong accesses have at most this size.
const WIDEST: u64 = 16;

/// The synchronisation state of one launch.
#[derive(Debug)]
pub(super) struct Synchronisation {
    blocks: HashMap<u32, Vec<ThreadState>>,
    threads_per_block: u32,
    grid: Dim3,
    clusters: Option<Clusters>,
    /// By block and barrier: what was released by lanes that arrived and went on.
    arrived: HashMap<(u32, u32), View>,
    /// By cluster and phase: what was released by all that arrived.
    cluster_phases: HashMap<(u32, u32), Arc<View>>,
    /// By block and first byte.
    releases: HashMap<Key, Release>,
    versions: u64,
}

impl Default for Synchronisation {
    fn default() -> Self {
        Synchronisation {
            blocks: HashMap::new(),
            threads_per_block: 0,
            grid: Dim3::new(0, 0, 0),
            clusters: None,
            arrived: HashMap::new(),
            cluster_phases: HashMap::new(),
            releases: HashMap::new(),
            versions: 0,
        }
    }
}

impl Synchronisation {
    pub(super) fn begin(&mut self, geometry: &Geometry) {
        *self = Synchronisation {
            threads_per_block: geometry.threads_per_block(),
            grid: geometry.grid,
            versions: self.versions,
            ..Synchronisation::default()
        };
    }

    pub(super) fn end_block(&mut self, block: BlockIndex) {
        self.blocks.remove(&block.0);
        self.arrived.retain(|(of_block, _), _| *of_block != block.0);
        self.releases.retain(|(in_block, _), _| *in_block != Some(block.0));
    }

    fn block(&mut self, block: BlockIndex) -> &mut Vec<ThreadState> {
        let threads = self.threads_per_block as usize;
        self.blocks.entry(block.0).or_insert_with(|| {
            let view = Arc::new(View::default());
            vec![ThreadState { epoch: 1, view, extra: None }; threads]
        })
    }

    pub(super) fn thread(&mut self, thread: ThreadRef) -> &mut ThreadState {
        &mut self.block(thread.block)[thread.thread.0 as usize]
    }

    /// A fence of one thread.
    pub(super) fn fence(&mut self, thread: ThreadRef, order: Order, scope: Scope) {
        let reach = reach(scope);
        let state = self.thread(thread);
        if order.acquires()
            && let Some(extra) = &mut state.extra
        {
            for view in extra.observed[..=reach].iter_mut().filter_map(Option::take) {
                join_shared(&mut state.view, &view);
            }
        }
        if order.releases() {
            let announced = state.announced(thread);
            let fences = &mut state.extra.get_or_insert_default().fences;
            fences[..=reach].fill(None);
            fences[reach] = Some(announced);
        }
    }

    /// A strong write: what was released before it is there for those who observe it. A plain store
    /// begins anew, a read-modify-write continues what was there.
    pub(super) fn strong_write(
        &mut self,
        thread: ThreadRef,
        place: Place,
        order: Order,
        scope: Scope,
        continues: bool,
    ) {
        let reach = reach(scope);
        let cluster = self.cluster(thread.block);
        let state = self.thread(thread);
        let mut carried = ByReach::default();
        if order.releases() {
            let announced = state.announced(thread);
            carried[..=reach].fill(Some(announced));
            state.extra.get_or_insert_default().released_at.insert(place, carried.clone());
        } else if let Some(extra) = &state.extra {
            for (at, carried) in carried[..=reach].iter_mut().enumerate() {
                // The newest fence that reaches at least as far.
                *carried = extra.fences[at..].iter().flatten().next().cloned();
                let earlier = extra.released_at.get(&place).and_then(|views| views[at].as_ref());
                if let Some(view) = earlier {
                    join_optional(carried, view);
                }
            }
        }
        let key = place.key();
        let known = self.releases.get(&key).is_some_and(|release| release.bytes == place.bytes);
        if !continues || !known {
            self.releases.remove(&key);
        }
        let [Some(for_block), for_cluster, for_all] = carried else { return };
        self.versions += 1;
        let release = self.releases.entry(key).or_default();
        (release.version, release.bytes) = (self.versions, place.bytes);
        if let Some(view) = for_all {
            join_optional(&mut release.for_all, &view);
        }
        let of_cluster = for_cluster.map(|view| (&mut release.for_cluster, cluster, view));
        let of_block = (&mut release.for_block, thread.block.0, for_block);
        for (views, owner, view) in of_cluster.into_iter().chain([of_block]) {
            let own = views.entry(owner);
            own.and_modify(|known| join_shared(known, &view)).or_insert(view);
        }
    }

    /// A weak write: nothing that was released on the location can be observed any more.
    pub(super) fn weak_write(&mut self, place: Place) {
        if self.releases.is_empty() {
            return;
        }
        let (start, end) = (place.start, place.start.saturating_add(u64::from(place.bytes)));
        for first in start.saturating_sub(WIDEST - 1)..end {
            let key: Key = (place.in_block, first);
            let reaches =
                |release: &Release| first.saturating_add(u64::from(release.bytes)) > start;
            if self.releases.get(&key).is_some_and(reaches) {
                self.releases.remove(&key);
            }
        }
    }

    /// A strong read observes what was released on the location.
    pub(super) fn strong_read(
        &mut self,
        thread: ThreadRef,
        place: Place,
        order: Order,
        scope: Scope,
    ) {
        self.acquire_again(thread, place, order, scope);
        let release = self.releases.get(&place.key());
        let Some(release) = release.filter(|release| release.bytes == place.bytes) else { return };
        let seen = Some((release.version, order, scope));
        let mut observed = ByReach::default();
        observed[BLOCK] = release.for_block.get(&thread.block.0).cloned();
        observed[CLUSTER] = release.for_cluster.get(&self.cluster(thread.block)).cloned();
        observed[ALL] = release.for_all.clone();
        observed[reach(scope) + 1..].fill(None);
        let state = self.thread(thread);
        let extra = state.extra.get_or_insert_default();
        if extra.latest == seen {
            return;
        }
        extra.latest = seen;
        let observed_here = extra.observed_at.entry(place).or_default();
        for (at, view) in observed.iter().enumerate() {
            if let Some(view) = view {
                if order.acquires() {
                    join_shared(&mut state.view, view);
                }
                join_optional(&mut extra.observed[at], view);
                join_optional(&mut observed_here[at], view);
            }
        }
    }

    /// An acquire on a location also acquires what earlier reads of it have observed.
    fn acquire_again(&mut self, thread: ThreadRef, place: Place, order: Order, scope: Scope) {
        if !order.acquires() {
            return;
        }
        let state = self.thread(thread);
        let Some(extra) = &mut state.extra else { return };
        if let Some(observed) = extra.observed_at.remove(&place) {
            for view in observed[..=reach(scope)].iter().flatten() {
                join_shared(&mut state.view, view);
            }
        }
    }
}

impl ThreadState {
    /// Everything up to now, for others to learn; what comes after is not part of it.
    fn announced(&mut self, thread: ThreadRef) -> Arc<View> {
        let mut view = Arc::clone(&self.view);
        Arc::make_mut(&mut view).learn(thread, self.epoch);
        self.epoch += 1;
        view
    }
}

/// Joins `other` into a view that may not be there yet.
fn join_optional(view: &mut Option<Arc<View>>, other: &Arc<View>) {
    match view {
        Some(view) => join_shared(view, other),
        None => *view = Some(Arc::clone(other)),
    }
}
