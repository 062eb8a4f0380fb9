//! The one engine of a process that runs on its GPU, and its report.
//!
//! It is made when the driver is started, and there is none in a process that does not use CUDA. A forked child
//! of a process that has one has none: like CUDA itself, the engine does not survive a fork. A child of a process
//! that had not started the driver makes its own.

mod checking;
mod detector_sink;
mod instrumentation;
mod judging;
mod ordering;

use crate::journal::Journal;
use crate::membership::{Membership, membership};
use crate::record::Record;
use crate::{Options, SessionError};
use checking::Checking;
use instrumentation::Instrumentation;
pub use judging::Judge;
use ordering::ShippedOrder;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use warpsan_gpu::{DevicePlan, Driver, Engine, EngineSettings, Hooks};
use warpsan_report::NotCovered;

/// The report of the process, for the engine and its threads.
#[derive(Clone)]
pub(crate) struct SharedJournal(Arc<Mutex<Journal>>);

impl SharedJournal {
    pub(crate) fn new(journal: Journal) -> SharedJournal {
        SharedJournal(Arc::new(Mutex::new(journal)))
    }

    /// After a panic the journal is still the best there is.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Journal> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the process has.
struct GpuProcess {
    hooks: Box<dyn Hooks>,
    journal: SharedJournal,
    /// The process that has made it.
    number: u32,
    ended: AtomicBool,
}

static PROCESS: OnceLock<GpuProcess> = OnceLock::new();

/// This process is the forked child of one that has an engine.
static FORKED: AtomicBool = AtomicBool::new(false);

/// What was to be reported before there was a report.
static PENDING: Mutex<Vec<NotCovered>> = Mutex::new(Vec::new());

fn process() -> Option<&'static GpuProcess> {
    PROCESS.get().filter(|_| !FORKED.load(Ordering::Relaxed))
}

/// The hooks around the program's calls, once the driver was started.
pub fn hooks() -> Option<&'static dyn Hooks> {
    process().map(|process| &*process.hooks)
}

/// Makes the engine, after the driver was started. Without `warpsan run` there is none, and the program runs as
/// it is.
pub fn start(driver: &'static Driver) {
    let entered = membership().map_err(SessionError::NotEntered);
    let (run, options) = match entered.and_then(|run| Ok((run, run.options()?))) {
        Ok(entered) => entered,
        Err(error) => {
            tracing::error!("the engine of this process could not be started: {error}");
            return;
        }
    };
    PROCESS.get_or_init(|| {
        let journal = SharedJournal::new(Journal::to_log(run.session_log()));
        {
            let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
            let mut open = journal.lock();
            pending.drain(..).for_each(|missing| open.not_covered(missing));
        }
        let hooks = hooks_for(driver, &options, journal.clone());
        GpuProcess { hooks, journal, number: std::process::id(), ended: AtomicBool::new(false) }
    });
}

/// Who stands around the program's calls: an engine that checks, where the detector can do that on the device.
fn hooks_for(driver: &'static Driver, options: &Options, journal: SharedJournal) -> Box<dyn Hooks> {
    let Instrumentation { plan, options: bits, backoff, set_bytes, copies } =
        Instrumentation::of(options);
    let order = plan.may_ship().then(|| Arc::new(ShippedOrder::new(driver)));
    let events = order
        .as_ref()
        .map(|order| detector_sink::sink(options, &journal, plan.is_ordered(), order.clone()));
    let run_folder = membership().ok().map(|run| run.folder().to_path_buf());
    let engine = EngineSettings {
        plan,
        requests: run_folder.clone().filter(|_| options.gpu.ahead > 0),
        options: bits,
        backoff,
        ptxas: options.gpu.ptxas.clone(),
        cache: options.gpu.cache.clone(),
        build: membership().ok().and_then(Membership::build),
        launch_timeout: options.timeout,
        set_bytes,
        copies,
    };
    let judge = Judge { detector: options.detector, settings: options.settings(), plan };
    let listener = Checking::new(journal, judge, options.statistics, events.clone(), order)
        .of_launches(&options.launches)
        .with_progress_in(run_folder.as_deref().filter(|_| options.progress));
    Box::new(Engine::new(driver, engine, Arc::new(listener), events))
}

/// What kernels of a program with these options do on a GPU with their checks.
pub fn device_plan(options: &Options) -> DevicePlan {
    Instrumentation::of(options).plan
}

/// Whether the engine of this process will want to hear of the order of work. It can be asked before there is one.
pub fn wants_order() -> bool {
    let options = membership().ok().and_then(|run| run.options().ok());
    options.is_some_and(|options| Instrumentation::of(&options).plan.may_ship())
}

/// The program may call functions that order work, and nobody will hear of it.
pub fn order_is_not_seen() {
    ordering::NOT_SEEN.store(true, Ordering::Relaxed);
}

/// This process is a child, and its parent has used CUDA: nothing here is its own. Called between `fork` and
/// everything else, so it only sets a mark.
pub fn forked() {
    FORKED.store(PROCESS.get().is_some(), Ordering::Relaxed);
}

/// The process ends: the engine takes in what is still on its way, and the report gets its last record. What
/// comes later is still taken into the report.
pub fn end() {
    // A child that shares its parent's memory until it starts a program may end, too.
    let own = process().filter(|process| process.number == std::process::id());
    let Some(process) = own else { return };
    if !process.ended.swap(true, Ordering::AcqRel) {
        process.hooks.process_ends();
        let mut journal = process.journal.lock();
        journal.write(Record::End);
        if let Some(recording) = journal.recording.take()
            && let Err(error) = recording.finish()
        {
            tracing::error!("the trace could not be finished: {error}");
        }
    }
}

/// There is no real driver, so that all calls of the program are answered with an error.
pub fn without_driver(reason: &str) {
    report_alone(NotCovered {
        what: format!("a process without a driver: {reason}"),
        place: "the first call of the CUDA driver".to_string(),
        advice: "all its calls were answered with an error".to_string(),
    });
}

/// The program has opened the real driver by its path, so that nothing it does is seen.
pub fn bypassed(driver: &Path) {
    report_alone(NotCovered {
        what: "what the program does by a driver that it has opened by its path".to_string(),
        place: driver.display().to_string(),
        advice: "let it open libcuda.so.1 by that name".to_string(),
    });
}

/// Nothing starts the engine of such a process: this is all of its report.
fn report_alone(missing: NotCovered) {
    match membership() {
        Ok(run) => {
            let mut journal = Journal::to_log(run.session_log());
            journal.not_covered(missing);
            journal.write(Record::End);
        }
        Err(error) => tracing::error!("{}, and {error}", missing.what),
    }
}

/// A function of the driver is used that we cannot stand in front of.
pub fn not_seen(what: &str) {
    not_covered(NotCovered {
        what: format!("what the program does by {what}"),
        place: "a call of the CUDA driver".to_string(),
        advice: "the call went to the driver as it is".to_string(),
    });
}

/// A bug of warpsan showed itself; nothing that follows can be relied on.
pub fn internal_error(what: &str) {
    not_covered(internal_failure(what));
}

fn internal_failure(what: &str) -> NotCovered {
    NotCovered {
        what: format!("warpsan itself failed: {what}"),
        place: "inside of warpsan".to_string(),
        advice: "please report this with the program that shows it".to_string(),
    }
}

fn not_covered(missing: NotCovered) {
    match process() {
        Some(process) => process.journal.lock().not_covered(missing),
        None => PENDING.lock().unwrap_or_else(PoisonError::into_inner).push(missing),
    }
}
