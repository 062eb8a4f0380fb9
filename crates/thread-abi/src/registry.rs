//! All threads that there were, so that a race can name them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use warpsan_thread_detect::{Clock, Epoch, FinishedThread, ThreadId, ThreadState};

use crate::active_tool::ActiveTool;
use crate::context::Context;
use crate::history::{History, Ring};
use crate::lock::locked;
use crate::thread::Thread;

/// What stays known of a thread.
pub(crate) struct ThreadInfo {
    /// [`MAIN`], or counted from 1 in the order in which threads were started.
    pub(crate) number: u32,
    pub(crate) id: ThreadId,
    /// Where its clock began: an id is given to another thread later, which goes on with the clock.
    pub(crate) start: Clock,
    pub(crate) started_by: Option<u32>,
    pub(crate) started_at: Context,
    pub(crate) ended: AtomicBool,
    /// The thread's own state, while it lives.
    pub(crate) state: AtomicPtr<Thread>,
    pub(crate) joining: Arc<Joining>,
    pub(crate) details: Mutex<Details>,
}

/// What may change.
#[derive(Default)]
pub(crate) struct Details {
    pub(crate) name: Option<String>,
    /// First and last address of its stack, where that is known.
    pub(crate) stack: Option<(u64, u64)>,
    /// None: there was no memory, or the thread has ended long ago.
    pub(crate) ring: Option<Arc<Ring>>,
}

/// What a thread and those who may join it have in common. It is there before the thread begins.
pub(crate) struct Joining {
    /// The thread's number.
    number: u32,
    /// `pthread_self`; 0 before it is known.
    handle: AtomicU64,
    state: Mutex<JoinState>,
}

#[derive(Default)]
struct JoinState {
    /// What the thread leaves for who joins it.
    finished: Option<FinishedThread>,
    has_ended: bool,
    detached: bool,
    joined: bool,
}

impl Joining {
    pub(crate) fn new(number: u32) -> Joining {
        Joining { number, handle: AtomicU64::new(0), state: Mutex::default() }
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The thread has ended. What it leaves comes back where nobody will ask for it.
    fn end(&self, finished: FinishedThread) -> Option<FinishedThread> {
        let mut state = locked(&self.state);
        state.has_ended = true;
        if state.detached {
            return Some(finished);
        }
        state.finished = Some(finished);
        None
    }

    /// Nobody will join the thread. What it has left comes back.
    pub(crate) fn detach(&self) -> Option<FinishedThread> {
        let mut state = locked(&self.state);
        state.detached = true;
        state.finished.take()
    }

    /// It was joined: what it has left.
    pub(crate) fn join(&self) -> Option<FinishedThread> {
        let mut state = locked(&self.state);
        state.joined = true;
        state.finished.take()
    }

    /// Whether its handle may be another thread's by now.
    fn is_over(&self) -> bool {
        let state = locked(&self.state);
        state.joined || (state.detached && state.has_ended)
    }
}

/// So many bytes are kept of the records of threads that have ended.
const ENDED_BYTES: u64 = 32 << 20;

/// How a thread came to be.
pub(crate) struct Beginning {
    pub(crate) started_by: Option<u32>,
    pub(crate) started_at: Context,
    pub(crate) joining: Arc<Joining>,
}

impl Beginning {
    /// Of a thread that was not seen to start.
    pub(crate) fn unseen(number: u32) -> Beginning {
        let joining = Arc::new(Joining::new(number));
        Beginning { started_by: None, started_at: Context::EMPTY, joining }
    }
}

/// The number of the main thread.
pub(crate) const MAIN: u32 = 0;

/// See the head of the module.
#[derive(Default)]
pub(crate) struct Registry {
    threads: Mutex<Threads>,
    /// Numbers that were given out to others than the main thread.
    numbers: AtomicU32,
}

#[derive(Default)]
struct Threads {
    /// Those that have begun.
    count: u32,
    /// By id, and for each id by the clock at which it began.
    by_epoch: BTreeMap<(u32, u64), Arc<ThreadInfo>>,
    /// By `pthread_t`: those that may be joined.
    by_handle: BTreeMap<u64, Arc<Joining>>,
    /// In the order in which they ended, as long as they have a ring.
    ended: VecDeque<Arc<ThreadInfo>>,
    /// What their rings take.
    ended_bytes: u64,
}

impl Threads {
    /// Keeps the record of a thread that has ended, and lets go of the oldest ones.
    fn keep_ring(&mut self, info: &Arc<ThreadInfo>) {
        {
            let mut details = locked(&info.details);
            let Some(ring) = &mut details.ring else { return };
            if let Some(smaller) = ring.compacted() {
                *ring = Arc::new(smaller);
            }
            self.ended_bytes += ring.bytes();
        }
        self.ended.push_back(Arc::clone(info));
        while self.ended_bytes > ENDED_BYTES
            && let Some(oldest) = self.ended.pop_front()
        {
            let ring = locked(&oldest.details).ring.take();
            self.ended_bytes -= ring.map_or(0, |ring| ring.bytes());
        }
    }
}

impl Registry {
    /// A number for a thread that is about to start.
    pub(crate) fn next_number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A thread begins.
    pub(crate) fn add(
        &self,
        state: &ThreadState<ActiveTool>,
        history: Option<&History>,
        beginning: &Beginning,
    ) -> Arc<ThreadInfo> {
        let mut threads = locked(&self.threads);
        let ring = history.map(|history| Arc::clone(history.ring()));
        threads.count += 1;
        let info = Arc::new(ThreadInfo {
            number: beginning.joining.number,
            id: state.id(),
            start: state.epoch().clock(),
            started_by: beginning.started_by,
            started_at: beginning.started_at,
            ended: AtomicBool::new(false),
            state: AtomicPtr::new(std::ptr::null_mut()),
            joining: Arc::clone(&beginning.joining),
            details: Mutex::new(Details { ring, ..Details::default() }),
        });
        let key = (info.id.number(), info.start.number());
        threads.by_epoch.insert(key, Arc::clone(&info));
        info
    }

    /// A thread can be joined by this handle: the thread itself says so, and who has started it, whoever is first.
    pub(crate) fn set_handle(&self, joining: &Arc<Joining>, handle: u64) {
        joining.handle.store(handle, Ordering::Relaxed);
        let mut threads = locked(&self.threads);
        if !joining.is_over() {
            threads.by_handle.insert(handle, Arc::clone(joining));
        }
    }

    /// The thread of a handle.
    pub(crate) fn of_handle(&self, handle: u64) -> Option<Arc<Joining>> {
        locked(&self.threads).by_handle.get(&handle).cloned()
    }

    /// The thread of a handle, which somebody is about to join: the handle may be another thread's as soon as that is done.
    pub(crate) fn take_handle(&self, handle: u64) -> Option<Arc<Joining>> {
        locked(&self.threads).by_handle.remove(&handle)
    }

    /// It was not joined after all.
    pub(crate) fn put_back(&self, handle: u64, joining: Arc<Joining>) {
        locked(&self.threads).by_handle.insert(handle, joining);
    }

    /// The thread of a handle is called so.
    pub(crate) fn set_name(&self, handle: u64, name: String) {
        let threads = locked(&self.threads);
        let is_named = |info: &&Arc<ThreadInfo>| {
            info.joining.handle.load(Ordering::Relaxed) == handle
                && !info.ended.load(Ordering::Relaxed)
        };
        if let Some(info) = threads.by_epoch.values().find(is_named) {
            locked(&info.details).name = Some(name);
        }
    }

    /// A thread has ended. What it leaves comes back where nobody will join it.
    pub(crate) fn end(
        &self,
        info: &Arc<ThreadInfo>,
        finished: FinishedThread,
    ) -> Option<FinishedThread> {
        let mut threads = locked(&self.threads);
        info.ended.store(true, Ordering::Relaxed);
        info.state.store(std::ptr::null_mut(), Ordering::Relaxed);
        let left = info.joining.end(finished);
        if left.is_some() {
            let handle = info.joining.handle.load(Ordering::Relaxed);
            // The handle may be another thread's already.
            if threads.by_handle.get(&handle).is_some_and(|other| Arc::ptr_eq(other, &info.joining))
            {
                threads.by_handle.remove(&handle);
            }
        }
        threads.keep_ring(info);
        left
    }

    /// Whose epoch it is.
    pub(crate) fn of_epoch(&self, epoch: Epoch) -> Option<Arc<ThreadInfo>> {
        let key = (epoch.thread().number(), epoch.clock().number());
        let threads = locked(&self.threads);
        let (found, info) = threads.by_epoch.range(..=key).next_back()?;
        (found.0 == key.0).then(|| Arc::clone(info))
    }

    /// The thread with this number.
    pub(crate) fn of_number(&self, number: u32) -> Option<Arc<ThreadInfo>> {
        locked(&self.threads).by_epoch.values().find(|info| info.number == number).cloned()
    }

    /// The thread whose stack has this address.
    pub(crate) fn of_stack(&self, address: u64) -> Option<Arc<ThreadInfo>> {
        let has = |info: &&Arc<ThreadInfo>| {
            let range = locked(&info.details).stack;
            range.is_some_and(|(first, last)| (first..=last).contains(&address))
                && !info.ended.load(Ordering::Relaxed)
        };
        locked(&self.threads).by_epoch.values().find(has).cloned()
    }

    /// How many threads there were.
    pub(crate) fn count(&self) -> u32 {
        locked(&self.threads).count
    }

    /// Whether any other thread is within our code.
    pub(crate) fn is_anybody_inside(&self, but: &Arc<ThreadInfo>) -> bool {
        let threads = locked(&self.threads);
        let mut others = threads.by_epoch.values().filter(|info| !Arc::ptr_eq(info, but));
        others.any(|info| {
            let thread = info.state.load(Ordering::Relaxed);
            // SAFETY: a thread that ends takes its state out of here under the lock that is held.
            !thread.is_null() && unsafe { (&raw const (*thread).inside).read_volatile() } != 0
        })
    }

    /// After a fork: all threads but one are gone.
    pub(crate) fn keep_only(&self, info: &Arc<ThreadInfo>, state: &mut ThreadState<ActiveTool>) {
        let threads = locked(&self.threads);
        for other in threads.by_epoch.values().filter(|other| !Arc::ptr_eq(other, info)) {
            other.ended.store(true, Ordering::Relaxed);
            let gone = other.state.swap(std::ptr::null_mut(), Ordering::Relaxed);
            // SAFETY: no thread but this one is left, and it is another one's.
            if let Some(gone) = unsafe { gone.as_ref() } {
                state.outlive(&gone.state);
            }
            if let Some(finished) = &locked(&other.joining.state).finished {
                state.outlive_finished(finished);
            }
        }
    }
}
