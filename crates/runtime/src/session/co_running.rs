//! Co-running launches: work of other streams beside a launch that runs.
//!
//! A launch may wait for another one, in another stream, or for a copy. So when it has run for a while, what else is
//! ready is begun, and takes turns with it; only one runs at a time, which keeps runs repeatable. The detector gets
//! the events of one launch after the other: those of co-running launches are kept until the first one has ended.

use super::starting::{Begun, Starts};
use super::transfers::run_transfers;
use super::{ProgressListener, Session};
use crate::order::{WorkId, WorkOrder, WorkSet};
use crate::watch::Watch;
use crate::work::{Queue, Task, Work};
use crate::{Options, RuntimeError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Instant;
use warpsan_event::{Batch, EventBuffer, EventMask, EventSink};
use warpsan_simt::{DeviceMemory, LaunchError, MemoryError, Outcome, Progress, run};

/// Instructions of a warp after which a launch may be waiting for another one.
const PATIENCE: u64 = 1 << 19;

/// More is not kept of what a launch does beside another one: it is not checked then.
const MOST_KEPT_EVENTS: usize = 1 << 24;

/// Work that was done beside a launch, and is to be emitted.
pub(super) enum CoRun {
    Launch { begun: Box<Begun>, outcome: Outcome, kept: Kept },
    Transfers { id: WorkId, work: Work, result: Result<(), MemoryError> },
}

impl Session {
    /// Runs a launch, and beside it what it may be waiting for.
    pub(super) fn run_co_running(&mut self, begun: &Begun) -> (Outcome, Vec<CoRun>) {
        let Session { detector, journal, memory, options, progress, .. } = self;
        let (memory, options, progress) = (&*memory, &*options, progress.clone());
        let interest = detector.interest();
        let watch = |now| show_progress(progress.as_ref(), begun, now);
        let in_time = in_time(options);
        let is_watched = begun.is_watched;
        let mut sink = Watch { detector: &mut **detector, journal, is_watched };
        // Only who looks at memory again and again can wait.
        if self.queue.len() == 0 || !begun.prepared.facts.uses_strong_accesses {
            let watch = |now| {
                watch(now);
                in_time()
            };
            return (run(&begun.for_engine(options, &watch), memory, &mut sink), Vec::new());
        }
        let (starts, queue, order) = (&mut self.starts, &mut self.queue, &self.order);
        std::thread::scope(|scope| {
            let common = Common { scope, memory, options, interest };
            let co_running = Mutex::new(CoRunning {
                common,
                starts,
                queue,
                order,
                begun: Vec::new(),
                done: WorkSet::new(),
            });
            let watch = |now: Progress| {
                watch(now);
                if now.instructions >= PATIENCE {
                    lock(&co_running).take_turns();
                }
                in_time()
            };
            let outcome = run(&begun.for_engine(options, &watch), memory, &mut sink);
            let co_running = co_running.into_inner().unwrap_or_else(PoisonError::into_inner);
            (outcome, co_running.finish())
        })
    }

    /// Emits work that was done beside a launch which has ended.
    pub(super) fn emit_co_run(&mut self, work: CoRun) -> Result<(), RuntimeError> {
        match work {
            CoRun::Transfers { id, work, result } => {
                if let Task::Transfers(transfers) = &work.task {
                    self.emit_transfers(id, &work.call, transfers);
                }
                result.map_err(|error| self.memory_error(error))
            }
            CoRun::Launch { begun, outcome, kept } => {
                let position = self.order.position(begun.work);
                self.launch_begins(&begun, &position);
                if kept.is_full {
                    let name = &begun.prepared.facts.display_name;
                    self.not_checked(
                        "a launch that did very much while another one was waiting for it",
                        &format!("kernel `{name}`"),
                        "use smaller input",
                    );
                }
                for buffer in &kept.buffers {
                    self.detector.batch(&buffer.batch(), &mut self.journal);
                }
                self.launch_ended(&begun, outcome)
            }
        }
    }
}

pub(super) fn show_progress(progress: Option<&ProgressListener>, begun: &Begun, now: Progress) {
    if let Some(progress) = progress {
        progress(&begun.prepared.facts.display_name, now);
    }
}

/// Says whether a launch that begins now may still run.
pub(super) fn in_time(options: &Options) -> impl Fn() -> bool + Sync + use<> {
    let deadline = options.timeout.and_then(|time| Instant::now().checked_add(time));
    move || deadline.is_none_or(|deadline| Instant::now() < deadline)
}

/// What all launches that run beside each other use.
#[derive(Clone, Copy)]
struct Common<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    memory: &'env DeviceMemory,
    options: &'env Options,
    interest: EventMask,
}

/// What runs beside the first launch.
struct CoRunning<'scope, 'env, 'session> {
    common: Common<'scope, 'env>,
    starts: &'session mut Starts,
    queue: &'session mut Queue,
    order: &'session WorkOrder,
    begun: Vec<CoRunningWork>,
    /// Those that have ended, and are not emitted yet.
    done: WorkSet,
}

enum CoRunningWork {
    Launch(CoRunningLaunch),
    Transfers { id: WorkId, work: Work, result: Result<(), MemoryError> },
}

impl<'scope, 'env> CoRunning<'scope, 'env, '_> {
    fn is_somebody_running(&self) -> bool {
        let is_running = |work: &CoRunningWork| match work {
            CoRunningWork::Launch(launch) => !self.done.contains(&launch.begun.work),
            CoRunningWork::Transfers { .. } => false,
        };
        self.begun.iter().any(is_running)
    }

    /// Begins what is ready, and lets each co-running launch advance for a while.
    fn take_turns(&mut self) {
        let is_wanted = |task: &Task| matches!(task, Task::Launch(_) | Task::Transfers(_));
        let mut refused = Vec::new();
        while let Some((id, work)) = self.queue.take_ready(self.order, &self.done, is_wanted) {
            if let Some(work) = self.begin(id, work) {
                refused.push((id, work));
            }
        }
        // They get their errors in their turns.
        refused.into_iter().for_each(|(id, work)| self.queue.put(id, work));
        for work in &self.begun {
            if let CoRunningWork::Launch(launch) = work
                && launch.baton.hand_over()
            {
                self.done.insert(launch.begun.work);
            }
        }
    }

    /// Begins some work, or gives it back.
    fn begin(&mut self, id: WorkId, work: Work) -> Option<Work> {
        let memory = self.common.memory;
        match &work.task {
            Task::Launch(launch) => {
                let prepared = self.starts.ready(launch.kernel, memory);
                let begun = prepared
                    .and_then(|prepared| self.starts.begin(id, launch.clone(), prepared).ok());
                let Some(begun) = begun else { return Some(work) };
                let launch = CoRunningLaunch::begin(self.common, begun);
                self.begun.push(CoRunningWork::Launch(launch));
            }
            Task::Transfers(transfers) => {
                let result = run_transfers(memory, transfers);
                self.begun.push(CoRunningWork::Transfers { id, work, result });
                self.done.insert(id);
            }
            _ => return Some(work),
        }
        None
    }

    /// The first launch has ended; co-running launches take turns until they have, too.
    fn finish(mut self) -> Vec<CoRun> {
        while self.is_somebody_running() {
            self.take_turns();
        }
        let finish = |work| match work {
            CoRunningWork::Transfers { id, work, result } => CoRun::Transfers { id, work, result },
            CoRunningWork::Launch(launch) => launch.finish(),
        };
        self.begun.into_iter().map(finish).collect()
    }
}

/// A launch that runs on a thread of its own, in turns.
struct CoRunningLaunch {
    begun: Begun,
    baton: Arc<Baton>,
    ended: Arc<Mutex<Option<(Outcome, Kept)>>>,
}

impl CoRunningLaunch {
    fn begin<'scope>(common: Common<'scope, '_>, begun: Begun) -> CoRunningLaunch {
        let baton = Arc::new(Baton::default());
        let ended = Arc::new(Mutex::new(None));
        let launch = CoRunningLaunch {
            begun: begun.clone(),
            baton: Arc::clone(&baton),
            ended: Arc::clone(&ended),
        };
        let Common { scope, memory, options, interest } = common;
        let interest = if begun.is_watched { interest } else { EventMask::NONE };
        // Whatever happens, the first launch must be able to continue, also where there is no thread for this one.
        let ends = Ends(Arc::clone(&baton));
        let work = move || {
            let _ends = ends;
            baton.wait_for_turn();
            let in_time = in_time(options);
            let watch = |_| {
                baton.give_back();
                in_time()
            };
            let mut kept = Kept { interest, buffers: Vec::new(), events: 0, is_full: false };
            let outcome = run(&begun.for_engine(options, &watch), memory, &mut kept);
            *lock(&ended) = Some((outcome, kept));
        };
        if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
            tracing::error!("no thread for a launch beside another: {error}");
        }
        launch
    }

    fn finish(self) -> CoRun {
        let ended = lock(&self.ended).take();
        let (outcome, kept) = ended.unwrap_or_else(|| {
            let what = "warpsan itself failed while it ran beside another launch".to_string();
            let outcome = Outcome::without_work(Err(LaunchError::Internal(what)));
            (outcome, Kept::default())
        });
        CoRun::Launch { begun: Box::new(self.begun), outcome, kept }
    }
}

/// Who may run: the first launch, or one that co-runs with it.
#[derive(Default)]
struct Baton {
    state: Mutex<Turn>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Turn {
    #[default]
    First,
    CoRunning,
    /// The co-running one has ended.
    Ended,
}

impl Baton {
    fn wait_until(&self, mut turn: MutexGuard<'_, Turn>, is_due: impl Fn(Turn) -> bool) {
        while !is_due(*turn) {
            turn = self.changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets the co-running launch run for a while, and says whether it has ended.
    fn hand_over(&self) -> bool {
        let mut turn = lock(&self.state);
        if *turn == Turn::First {
            *turn = Turn::CoRunning;
            self.changed.notify_all();
            self.wait_until(turn, |turn| matches!(turn, Turn::First | Turn::Ended));
            turn = lock(&self.state);
        }
        *turn == Turn::Ended
    }

    fn wait_for_turn(&self) {
        self.wait_until(lock(&self.state), |turn| turn != Turn::First);
    }

    /// Lets the first launch continue, and waits for the next turn.
    fn give_back(&self) {
        let mut turn = lock(&self.state);
        if *turn == Turn::CoRunning {
            *turn = Turn::First;
            self.changed.notify_all();
            self.wait_until(turn, |turn| turn != Turn::First);
        }
    }
}

/// Says that a launch has ended, even if it panicked.
struct Ends(Arc<Baton>);

impl Drop for Ends {
    fn drop(&mut self) {
        *lock(&self.0.state) = Turn::Ended;
        self.0.changed.notify_all();
    }
}

/// What a launch did, for later.
pub(super) struct Kept {
    interest: EventMask,
    buffers: Vec<EventBuffer>,
    events: usize,
    is_full: bool,
}

impl Default for Kept {
    fn default() -> Self {
        Kept { interest: EventMask::NONE, buffers: Vec::new(), events: 0, is_full: false }
    }
}

impl EventSink for Kept {
    fn interest(&self) -> EventMask {
        self.interest
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        let mut buffer = EventBuffer::new();
        for event in batch.events() {
            buffer.push(event);
        }
        self.buffer(&mut buffer);
    }

    fn buffer(&mut self, buffer: &mut EventBuffer) {
        self.events += buffer.len();
        if self.events > MOST_KEPT_EVENTS {
            self.is_full = true;
            self.buffers.clear();
            buffer.clear();
        } else if !self.is_full {
            self.buffers.push(std::mem::replace(buffer, EventBuffer::new()));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
