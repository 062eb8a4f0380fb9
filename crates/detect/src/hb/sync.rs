//! Who has synchronised with whom: barriers, fences, and releases that acquires observe.

use crate::clock::{Epoch, View, join_shared};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use warpsan_model::{BlockIndex, Order, Scope, ThreadInBlock, ThreadRef, WARP_LANES};

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
    /// What relaxed reads have observed, by the releasing block; a fence makes it known.
    observed: BTreeMap<u32, Message>,
    /// The release that was observed last and how: a thread that spins learns nothing new from it.
    latest: Option<(u64, Order, Scope)>,
}

/// What a release on a location carries, for those whom its scope reaches.
#[derive(Debug, Clone)]
struct Message {
    /// It reaches other blocks.
    wide: Option<Arc<View>>,
    /// It reaches the releasing block only.
    narrow: Option<Arc<View>>,
}

/// The messages on a location, by the releasing block.
#[derive(Debug, Default)]
struct Release {
    messages: BTreeMap<u32, Message>,
    /// Different for every state of every location.
    version: u64,
}

/// A location that releases were made on, in shared memory of a block or in global memory.
type Place = (Option<u32>, u64);

/// The synchronisation state of one launch.
#[derive(Debug, Default)]
pub(super) struct Synchronisation {
    blocks: HashMap<u32, Vec<ThreadState>>,
    threads_per_block: u32,
    releases: HashMap<Place, Release>,
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
                let mask = *mask as u32;
                (0..WARP_LANES)
                    .filter(move |lane| mask >> lane & 1 == 1)
                    .map(move |lane| warp as u32 * WARP_LANES + lane)
            })
            .collect();
        let Some(&first) = members.first() else { return };
        let mut view = Arc::clone(&threads[first as usize].view);
        let mut latest = 0;
        for &member in &members {
            let state = &threads[member as usize];
            latest = latest.max(state.epoch);
            join_shared(&mut view, &state.view);
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
            for (block, message) in &extra.observed {
                let own = *block == thread.block.0;
                for view in message.for_reader(own, wide) {
                    join_shared(&mut state.view, view);
                }
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
        let mut message = Message { wide: None, narrow: None };
        if let Some(extra) = &state.extra {
            let (fence, narrow) = (extra.wide_fence.clone(), extra.narrow_fence.clone());
            match wide {
                true => message = Message { wide: fence, narrow },
                false => message.narrow = narrow.or(fence),
            }
        }
        if order.releases() {
            let announced = state.announced(thread);
            match wide {
                true => message.wide = Some(announced),
                false => message.narrow = Some(announced),
            }
        }
        if !continues {
            self.releases.remove(&place);
        }
        if message.wide.is_some() || message.narrow.is_some() {
            self.versions += 1;
            let release = self.releases.entry(place).or_default();
            release.version = self.versions;
            let messages = &mut release.messages;
            match messages.get_mut(&thread.block.0) {
                Some(known) => known.join(&message),
                None => {
                    messages.insert(thread.block.0, message);
                }
            }
        }
    }

    /// A weak write: nothing that was released on the location can be observed any more.
    pub(super) fn weak_write(&mut self, place: Place) {
        if !self.releases.is_empty() {
            self.releases.remove(&place);
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
        let Some(release) = self.releases.get(&place) else { return };
        let seen = Some((release.version, order, scope));
        let threads = self.blocks.get(&thread.block.0);
        let state = threads.and_then(|threads| threads.get(thread.thread.0 as usize));
        let extra = state.and_then(|state| state.extra.as_ref());
        if extra.is_some_and(|extra| extra.latest == seen) {
            return;
        }
        let messages = release.messages.clone();
        let wide = scope >= Scope::Gpu;
        let state = self.thread(thread);
        state.extra.get_or_insert_default().latest = seen;
        for (block, message) in &messages {
            let own = *block == thread.block.0;
            let reachable = message.reaching(own, wide);
            if order.acquires() {
                for view in reachable.for_reader(own, wide) {
                    join_shared(&mut state.view, view);
                }
            }
            let extra = state.extra.get_or_insert_default();
            match extra.observed.get_mut(block) {
                Some(known) => known.join(&reachable),
                None => {
                    extra.observed.insert(*block, reachable);
                }
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

impl Message {
    /// What a reader gets: everything of its own block, else only where both scopes are wide.
    fn for_reader(&self, own_block: bool, wide: bool) -> impl Iterator<Item = &Arc<View>> {
        let wide_part = self.wide.iter().filter(move |_| own_block || wide);
        wide_part.chain(self.narrow.iter().filter(move |_| own_block))
    }

    /// The part that an access of this scope can observe at all.
    fn reaching(&self, own_block: bool, wide: bool) -> Message {
        Message {
            wide: self.wide.clone().filter(|_| own_block || wide),
            narrow: self.narrow.clone().filter(|_| own_block),
        }
    }

    fn join(&mut self, other: &Message) {
        for (mine, theirs) in [(&mut self.wide, &other.wide), (&mut self.narrow, &other.narrow)] {
            match (mine, theirs) {
                (Some(mine), Some(theirs)) => join_shared(mine, theirs),
                (mine @ None, Some(theirs)) => *mine = Some(Arc::clone(theirs)),
                (_, None) => {}
            }
        }
    }
}
