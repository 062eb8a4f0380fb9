//! Who runs the blocks of a launch: one worker in device memory itself, or several, each in a view of it.
//!
//! What a worker does depends on memory and on what it is asked for alone, so that the number of workers cannot be observed.

use crate::log::LogSink;
use crate::union::Union;
use crate::worker::Worker;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use warpsan_simt::{BlockRun, DeviceMemory, Launch, Place, PrivateView};

/// Fewer tasks are done by one.
const FEWEST_TASKS: usize = 4;

/// Runs blocks of one launch.
pub(crate) struct Crew<'a> {
    launch: &'a Launch<'a>,
    memory: &'a DeviceMemory,
    /// One for each worker; none where there is one worker, in device memory itself.
    views: Vec<Mutex<PrivateView>>,
    seed: u64,
    /// Keeps atomic updates.
    keeps_updates: bool,
}

impl<'a> Crew<'a> {
    pub(crate) fn new(launch: &'a Launch<'a>, memory: &'a DeviceMemory) -> Crew<'a> {
        let jobs = launch.jobs.min(launch.geometry.grid.count() as usize);
        let views = match jobs {
            0 | 1 => Vec::new(),
            jobs => (0..jobs).map_while(|_| memory.take_view()).map(Mutex::new).collect(),
        };
        Crew { launch, memory, views, seed: launch.schedule.seed, keeps_updates: false }
    }

    /// The atomic updates of blocks are kept.
    pub(crate) fn keep_updates(&mut self) {
        self.keeps_updates = true;
    }

    /// Does tasks, each by a worker whose memory is S, and leaves it so. Results are in the order of tasks.
    pub(crate) fn each<T: Send>(
        &self,
        tasks: usize,
        task: impl Fn(&mut Worker<'_>, usize) -> T + Sync,
    ) -> Vec<T> {
        if self.views.len() < 2 || tasks < FEWEST_TASKS {
            return self
                .with_worker(None, |worker| (0..tasks).map(|one| task(worker, one)).collect());
        }
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<T>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
        let work = |view: &Mutex<PrivateView>| {
            let view = view.lock().unwrap_or_else(PoisonError::into_inner);
            self.with_worker(Some(&view), |worker| {
                loop {
                    let one = next.fetch_add(1, Ordering::Relaxed);
                    let Some(result) = results.get(one) else { return };
                    let done = task(worker, one);
                    *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
                }
            });
        };
        let work = &work;
        std::thread::scope(|scope| {
            let (own, others) = self.views.split_at(1);
            for view in others {
                // A program may have no threads left: those that there are do it all.
                let begun = std::thread::Builder::new().spawn_scoped(scope, move || work(view));
                if begun.is_err() {
                    break;
                }
            }
            own.iter().for_each(work);
        });
        let results = results.into_iter();
        results.filter_map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    fn with_worker<T>(
        &self,
        view: Option<&PrivateView>,
        work: impl FnOnce(&mut Worker<'_>) -> T,
    ) -> T {
        let mut sink = LogSink::default();
        let log = sink.0.clone();
        let mut run = BlockRun::new(self.launch, self.memory, view, &mut sink);
        run.keep_updates(self.keeps_updates);
        let mut worker = Worker::new(run, log, self.seed);
        let done = work(&mut worker);
        worker.run.refresh_view();
        done
    }

    /// Puts U in place of S.
    pub(crate) fn put_after(&self, union: &Union) {
        for piece in &union.pieces {
            if let Place::Global(address) = piece.place {
                self.memory.put_bytes(address, &piece.after, piece.changed);
            }
        }
    }

    /// Puts S in place of U.
    pub(crate) fn put_before(&self, union: &Union) {
        for piece in &union.pieces {
            if let Place::Global(address) = piece.place {
                self.memory.put_bytes(address, &piece.before, piece.changed);
            }
        }
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        for view in self.views.drain(..) {
            let view = view.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.memory.give_view_back(view);
        }
    }
}
