//! Who has synchronised with whom: barriers, fences, and releases that acquires observe.

use crate::clock::{Epoch, View, join_shared};
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_model::{BlockIndex, Order, Scope, ThreadInBlock, ThreadRef, WARP_LANES, lanes};

/// What a thread knows and has announced.
#[derive(Debug, Clone)]
pub(super) struct ThreadState {
    pub(super) epoch: Epoch,
    pub(super) view: Arc<View>,
    /// Fences and observed messages; most threads have none.
    extra: Option<Box<Extra>>,
}

#[derive(Debug, Clone, Default)]
struct Extra {
    /// What was done before the newest fence, for fences of block scope and of wider scope.
    narrow_fence: Option<Arc<View>>,
    wide_fence: Option<Arc<View>>,
    /// What relaxed reads have observed; a fence makes it known.
    observed_of_own_block: Option<Arc<View>>,
    observed_of_all: Option<Arc<View>>,
    /// What reads of a location have observed, for an acquire on the same location.
    observed_at: HashMap<Place, [Option<Arc<View>>; 2]>,
    /// The thread's own releases: its later strong writes to the location carry them too.
    released_at: HashMap<Place, [Option<Arc<View>>; 2]>,
    /// The release that was observed last and how: a thread that spins learns nothing new from it.
    latest: Option<(u64, Order, Scope)>,
}

/// What the releases on a location carry.
#[derive(Debug, Default)]
struct Release {
    /// The size of the strong accesses; one of another size does not observe them.
    bytes: u8,
    /// For readers of every block: what was released with a scope that reaches them.
    for_all: Option<Arc<View>>,
    /// For readers of the releasing block: all that it released.
    for_own_block: HashMap<u32, Arc<View>>,
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
#[derive(Debug, Default)]
pub(super) struct Synchronisation {
    blocks: HashMap<u32, Vec<ThreadState>>,
    threads_per_block: u32,
    /// By block and first byte.
    releases: HashMap<Key, Release>,
    versions: u64,
}

impl Synchronisation {
    pub(super) fn begin(&mut self, threads_per_block: u32) {
        self.blocks.clear();
        self.releases.clear();
        self.threads_per_block = threads_per_block;
    }

    pub(super) fn end_block(&mut self, block: BlockIndex) {
        self.blocks.remove(&block.0);
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

    /// All participants have done what they did before any of them goes on.
    pub(super) fn barrier(&mut self, block: BlockIndex, participants: &[u64]) {
        let threads = self.block(block);
        let members: Vec<u32> = participants
            .iter()
            .enumerate()
            .flat_map(|(warp, mask)| {
                lanes(*mask as u32).map(move |lane| warp as u32 * WARP_LANES + lane)
            })
            .collect();
        let Some(&first) = members.first() else { return };
        let mut view = Arc::clone(&threads[first as usize].view);
        let mut latest = 0;
        let mut joined = Arc::as_ptr(&view);
        for &member in &members {
            let state = &threads[member as usize];
            latest = latest.max(state.epoch);
            // Most threads share their view with their neighbour.
            if Arc::as_ptr(&state.view) != joined {
                joined = Arc::as_ptr(&state.view);
                join_shared(&mut view, &state.view);
            }
        }
        let known = Arc::make_mut(&mut view);
        if members.len() == threads.len() {
            // All are known up to the latest epoch: those that are behind skip ahead to it.
            known.learn_all(block, latest);
        } else {
            for &member in &members {
                let thread = ThreadRef { block, thread: ThreadInBlock(member) };
                known.learn(thread, threads[member as usize].epoch);
            }
        }
        for &member in &members {
            let state = &mut threads[member as usize];
            state.epoch = latest + 1;
            state.view = Arc::clone(&view);
        }
    }

    /// A fence of one thread.
    pub(super) fn fence(&mut self, thread: ThreadRef, order: Order, scope: Scope) {
        let wide = scope >= Scope::Gpu;
        let state = self.thread(thread);
        if order.acquires()
            && let Some(extra) = &mut state.extra
        {
            let of_all = if wide { extra.observed_of_all.take() } else { None };
            for view in [of_all, extra.observed_of_own_block.take()].iter().flatten() {
                join_shared(&mut state.view, view);
            }
        }
        if order.releases() {
            let announced = state.announced(thread);
            let extra = state.extra.get_or_insert_default();
            if wide {
                extra.wide_fence = Some(announced);
                extra.narrow_fence = None;
            } else {
                extra.narrow_fence = Some(announced);
            }
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
        let wide = scope >= Scope::Gpu;
        let state = self.thread(thread);
        let (mut for_all, mut for_own_block) = (None, None);
        if let Some(extra) = &state.extra {
            for_all = extra.wide_fence.clone().filter(|_| wide);
            for_own_block = extra.narrow_fence.clone().or_else(|| extra.wide_fence.clone());
        }
        let key = place.key();
        if order.releases() {
            let announced = state.announced(thread);
            for_all = wide.then(|| Arc::clone(&announced));
            for_own_block = Some(announced);
            let carried = [for_all.clone(), for_own_block.clone()];
            state.extra.get_or_insert_default().released_at.insert(place, carried);
        } else if let Some(extra) = &state.extra
            && let Some([earlier_for_all, earlier_for_own_block]) = extra.released_at.get(&place)
        {
            if let Some(view) = earlier_for_all.as_ref().filter(|_| wide) {
                join_optional(&mut for_all, view);
            }
            if let Some(view) = earlier_for_own_block {
                join_optional(&mut for_own_block, view);
            }
        }
        let known = self.releases.get(&key).is_some_and(|release| release.bytes == place.bytes);
        if !continues || !known {
            self.releases.remove(&key);
        }
        let Some(for_own_block) = for_own_block else { return };
        self.versions += 1;
        let release = self.releases.entry(key).or_default();
        (release.version, release.bytes) = (self.versions, place.bytes);
        if let Some(view) = for_all {
            join_optional(&mut release.for_all, &view);
        }
        let own = release.for_own_block.entry(thread.block.0);
        own.and_modify(|known| join_shared(known, &for_own_block)).or_insert(for_own_block);
    }

    /// A weak write: nothing that was released on the location can be observed any more.
    pub(super) fn weak_write(&mut self, place: Place) {
        if self.releases.is_empty() {
            return;
        }
        let (start, end) = (place.start, place.start + u64::from(place.bytes));
        for first in start.saturating_sub(WIDEST - 1)..end {
            let key: Key = (place.in_block, first);
            let reaches = |release: &Release| first + u64::from(release.bytes) > start;
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
        let wide = scope >= Scope::Gpu;
        let for_all = release.for_all.clone().filter(|_| wide);
        let for_own_block = release.for_own_block.get(&thread.block.0).cloned();
        let state = self.thread(thread);
        let extra = state.extra.get_or_insert_default();
        if extra.latest == seen {
            return;
        }
        extra.latest = seen;
        let [at_for_all, at_for_own_block] = extra.observed_at.entry(place).or_default();
        for (observed, observed_here, view) in [
            (&mut extra.observed_of_all, at_for_all, for_all),
            (&mut extra.observed_of_own_block, at_for_own_block, for_own_block),
        ] {
            if let Some(view) = view {
                if order.acquires() {
                    join_shared(&mut state.view, &view);
                }
                join_optional(observed, &view);
                join_optional(observed_here, &view);
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
        if let Some([for_all, for_own_block]) = extra.observed_at.remove(&place) {
            for view in [for_all.filter(|_| scope >= Scope::Gpu), for_own_block].iter().flatten() {
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
