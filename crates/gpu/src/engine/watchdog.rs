//! Launches that do not end.
//!
//! Behind each launch an event is recorded in its stream, and a thread asks now and then whether the device is past
//! it. A launch counts from when the one before it in its stream was over.

use super::shipping_launches::UnderWay;
use super::{Engine, Listener};
use crate::driver::Driver;
use crate::driver_types::{CUcontext, CUevent, CUresult, CUstream};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// Launches of a stream that are watched at a time. Those behind them wait anyway.
const MOST_OF_STREAM: usize = 256;
/// The longest time from one look to the next.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// How long what a launch has shipped so far may take to get to its detector when it is given up.
const LONGEST_SHIPPING: Duration = Duration::from_secs(10);

/// Watches over the launches of a process.
pub(super) struct Watchdog {
    shared: Arc<Shared>,
}

struct Shared {
    driver: &'static Driver,
    limit: Duration,
    listener: Arc<dyn Listener>,
    under_way: Arc<UnderWay>,
    watched: Mutex<Watched>,
}

/// A stream, which every thread may call by the same name.
type StreamKey = (CUcontext, CUstream, Option<ThreadId>);

#[derive(Default)]
struct Watched {
    streams: HashMap<StreamKey, VecDeque<Launch>>,
    spare: HashMap<CUcontext, Vec<CUevent>>,
    has_thread: bool,
}

struct Launch {
    event: CUevent,
    kernel: Arc<str>,
    since: Instant,
}

impl Watchdog {
    pub(super) fn new(
        driver: &'static Driver,
        limit: Duration,
        listener: Arc<dyn Listener>,
        under_way: Arc<UnderWay>,
    ) -> Watchdog {
        let watched = Mutex::default();
        Watchdog { shared: Arc::new(Shared { driver, limit, listener, under_way, watched }) }
    }

    /// A context is gone, and with it its streams and events.
    pub(super) fn forget(&self, context: CUcontext) {
        let mut watched = self.shared.lock();
        watched.streams.retain(|(of, _, _), _| *of != context);
        watched.spare.retain(|of, _| *of != context);
    }

    fn watch(&self, context: CUcontext, stream: CUstream, kernel: &str) {
        let shared = &self.shared;
        let driver = shared.driver;
        let mut watched = shared.lock();
        let thread = (stream == CUstream::PER_THREAD).then(|| std::thread::current().id());
        let key = (context, stream, thread);
        if watched.streams.get(&key).is_some_and(|launches| launches.len() >= MOST_OF_STREAM) {
            return;
        }
        const WITHOUT_TIMING: u32 = 2;
        let mut event = watched.spare.entry(context).or_default().pop().unwrap_or(CUevent::NULL);
        // SAFETY: a place for an event, and a stream that the program has just used.
        let recorded = unsafe {
            if event.is_null() {
                driver.cuEventCreate(&mut event, WITHOUT_TIMING);
            }
            driver.cuEventRecord(event, stream)
        };
        if recorded.is_success() {
            let launch = Launch { event, kernel: kernel.into(), since: Instant::now() };
            watched.streams.entry(key).or_default().push_back(launch);
        }
        if !std::mem::replace(&mut watched.has_thread, true) {
            self.start();
        }
    }

    /// A test looks itself.
    #[cfg(test)]
    pub(super) fn without_thread(&self) {
        self.shared.lock().has_thread = true;
    }

    #[cfg(test)]
    pub(super) fn look(&self, now: Instant) -> Option<Arc<str>> {
        self.shared.look(now)
    }

    #[cfg(test)]
    pub(super) fn give_up(&self, kernel: &str) {
        self.shared.give_up(kernel);
    }

    fn start(&self) {
        let shared = self.shared.clone();
        let pause = (shared.limit / 4).min(LONGEST_PAUSE);
        let thread = std::thread::Builder::new().name("warpsan-watchdog".to_owned());
        let started = thread.spawn(move || {
            shared.driver.spare_captures();
            loop {
                std::thread::sleep(pause);
                if let Some(kernel) = shared.look(Instant::now()) {
                    return shared.give_up(&kernel);
                }
            }
        });
        if let Err(error) = started {
            let text = format!("launches that do not end are not noticed: {error}");
            self.shared.listener.warning(&text);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings about the end of the process, once all that is known of its launches has been shipped.
    fn give_up(&self, kernel: &str) {
        self.under_way.stop(LONGEST_SHIPPING);
        self.listener.gave_up(kernel, self.limit);
    }

    /// Looks after all launches: the kernel of one that takes too long.
    fn look(&self, now: Instant) -> Option<Arc<str>> {
        let mut watched = self.lock();
        let Watched { streams, spare, .. } = &mut *watched;
        for ((context, _, _), launches) in streams.iter_mut() {
            while let Some(first) = launches.front() {
                // SAFETY: an event of this context, which is there as long as its launches are.
                let state = unsafe {
                    self.driver.cuCtxSetCurrent(*context);
                    self.driver.cuEventQuery(first.event)
                };
                match state {
                    CUresult::NOT_READY if now.duration_since(first.since) > self.limit => {
                        return Some(first.kernel.clone());
                    }
                    CUresult::NOT_READY => break,
                    CUresult::SUCCESS => {
                        spare.entry(*context).or_default().push(first.event);
                        launches.pop_front();
                        // The next one may have begun only now.
                        if let Some(next) = launches.front_mut() {
                            next.since = next.since.max(now);
                        }
                    }
                    // The program learns from its own calls what went wrong.
                    _ => launches.clear(),
                }
            }
        }
        None
    }
}

impl Engine {
    /// Watches over what was launched in a stream just now, unless it became a part of a graph.
    pub(super) fn watch(&self, stream: CUstream, kernel: &str) {
        let Some(watchdog) = &self.watchdog else { return };
        self.uncaptured(|| {
            if self.captured_graph(stream).is_some() {
                return;
            }
            let mut context = CUcontext::NULL;
            // SAFETY: a place for a context.
            let answer = unsafe { self.driver.cuCtxGetCurrent(&mut context) };
            if answer.is_success() && !context.is_null() {
                watchdog.watch(context, stream, kernel);
            }
        });
    }
}
