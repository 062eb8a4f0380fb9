//! What the process has once: the detector, its threads, and where reports go.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use warpsan_thread_detect::{Checker, SyncClock, SyncTable};

use crate::blocks::Blocks;
use crate::descriptors::Descriptors;
use crate::fork::ForkGate;
use crate::objects::Objects;
use crate::output::Output;
use crate::races::Races;
use crate::registry::Registry;
use crate::storage::PageStorage;

#[cfg(feature = "empty")]
pub(crate) type ActiveTool = warpsan_thread_detect::EmptyTool;
#[cfg(all(feature = "fasttrack", not(feature = "empty")))]
pub(crate) type ActiveTool = warpsan_thread_detect::FastTrack;
#[cfg(not(any(feature = "fasttrack", feature = "empty")))]
pub(crate) type ActiveTool = warpsan_thread_detect::SlimFast;

/// The one runtime of a process that has instrumented code.
pub(crate) struct Runtime {
    pub(crate) checker: Checker<ActiveTool>,
    pub(crate) storage: Arc<PageStorage>,
    /// Entries of a thread's record of accesses.
    pub(crate) history: u64,
    pub(crate) registry: Registry,
    /// Clocks of atomic variables, and of locks that one thread holds.
    pub(crate) clocks: SyncTable,
    pub(crate) objects: Objects,
    pub(crate) blocks: Blocks,
    pub(crate) descriptors: Descriptors,
    pub(crate) races: Races,
    pub(crate) output: Output,
    pub(crate) fork_gate: ForkGate,
    /// What threads have done when they register functions that run at the end of the process.
    pub(crate) exit_functions: SyncClock,
    /// What threads have done when they have the C library start threads of its own.
    pub(crate) foreign_threads: SyncClock,
}

static RUNTIME: AtomicPtr<Runtime> = AtomicPtr::new(std::ptr::null_mut());

/// The runtime, if the process is checked.
#[inline]
pub(crate) fn runtime() -> Option<&'static Runtime> {
    // SAFETY: it is made once and stays.
    unsafe { RUNTIME.load(Ordering::Acquire).as_ref() }
}

/// Entries of a thread's record, where the options do not say: 2 MiB for a thread that uses all of it.
const HISTORY: u32 = 1 << 17;

#[cfg(feature = "empty")]
fn tool(_storage: &Arc<PageStorage>) -> ActiveTool {
    ActiveTool::default()
}
#[cfg(all(feature = "fasttrack", not(feature = "empty")))]
fn tool(storage: &Arc<PageStorage>) -> ActiveTool {
    ActiveTool::new(Arc::clone(storage) as Arc<dyn warpsan_thread_detect::Storage>)
}
#[cfg(not(any(feature = "fasttrack", feature = "empty")))]
fn tool(storage: &Arc<PageStorage>) -> ActiveTool {
    let settings = warpsan_thread_detect::SlimFastSettings::default();
    ActiveTool::new(Arc::clone(storage) as Arc<dyn warpsan_thread_detect::Storage>, settings)
}

/// Makes the runtime, once, on the main thread, before any other exists.
pub(crate) fn start() {
    if runtime().is_some() {
        return;
    }
    let options = crate::start::options();
    let storage = Arc::new(PageStorage::new(options.memory_limit));
    let shadow = Arc::clone(&storage) as Arc<dyn warpsan_thread_detect::Storage>;
    let Ok(checker) = Checker::new(tool(&storage), shadow) else {
        crate::output::complain("warpsan: there is no memory to check this process\n");
        return;
    };
    let history = u64::from(options.history.unwrap_or(HISTORY).clamp(1 << 8, 1 << 24));
    let runtime = Box::leak(Box::new(Runtime {
        checker,
        storage,
        history: history.next_power_of_two(),
        registry: Registry::default(),
        clocks: SyncTable::default(),
        objects: Objects::default(),
        blocks: Blocks::default(),
        descriptors: Descriptors::default(),
        races: Races::default(),
        output: Output::open(),
        fork_gate: ForkGate::new(),
        exit_functions: SyncClock::default(),
        foreign_threads: SyncClock::default(),
    }));
    if RUNTIME
        .compare_exchange(std::ptr::null_mut(), runtime, Ordering::AcqRel, Ordering::Relaxed)
        .is_ok()
    {
        crate::fork::watch();
        runtime.output.begin(None);
        crate::thread_end::take_in_main(runtime);
    }
}
