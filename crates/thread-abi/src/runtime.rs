//! What the process has once: the detector, its threads, and where reports go.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use warpsan_thread_detect::{Checker, EmptyTool, SyncClock, SyncTable, Tool};

use crate::active_tool::ActiveTool;
use crate::blocks::Blocks;
use crate::descriptors::Descriptors;
use crate::fork_gate::ForkGate;
use crate::objects::Objects;
use crate::output::Output;
use crate::races::Races;
use crate::recorder::Recorder;
use crate::registry::Registry;
use crate::shared_memory::SharedMemory;
use crate::storage::PageStorage;

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
    pub(crate) shared: SharedMemory,
    pub(crate) output: Output,
    pub(crate) recorder: Option<Recorder>,
    /// Races are not reported.
    pub(crate) only_records: bool,
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

impl Runtime {
    /// Locks and variables at these addresses are gone.
    pub(crate) fn forget(&self, address: u64, size: u64) {
        self.clocks.forget(address, size);
        self.objects.forget(address, size);
    }

    /// The process is checked from now on, as far as the log is concerned.
    pub(crate) fn begin_output(&self, fork_of: Option<u32>) {
        let detector = if self.only_records { EmptyTool::NAME } else { ActiveTool::NAME };
        self.output.begin(fork_of, detector);
    }

    /// Makes it that of the process. False: there is one.
    pub(crate) fn install(&'static self) -> bool {
        let none = std::ptr::null_mut();
        let this = std::ptr::from_ref(self).cast_mut();
        RUNTIME.compare_exchange(none, this, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
