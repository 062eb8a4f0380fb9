//! The process has instrumented code: it is checked from now on.

use std::sync::Arc;

use warpsan_thread_detect::{Checker, SyncClock, SyncTable};

use crate::active_tool::tool;
use crate::blocks::Blocks;
use crate::descriptors::Descriptors;
use crate::fork_gate::ForkGate;
use crate::objects::Objects;
use crate::output::Output;
use crate::races::Races;
use crate::recorder::{RECORDS, Recorder};
use crate::registry::Registry;
use crate::runtime::{Runtime, runtime};
use crate::shared_memory::SharedMemory;
use crate::storage::PageStorage;
use crate::system::complain;

/// Entries of a thread's record, where the options do not say: 2 MiB for a thread that uses all of it.
const HISTORY: u32 = 1 << 17;

/// Makes the runtime, once, on the main thread, before any other exists.
pub(crate) fn activate() {
    if runtime().is_some() {
        return;
    }
    let options = crate::environment::options();
    let storage = Arc::new(PageStorage::new(options.memory_limit));
    let shadow = Arc::clone(&storage) as Arc<dyn warpsan_thread_detect::Storage>;
    let Ok(checker) = Checker::new(tool(&storage), shadow) else {
        complain("warpsan: there is no memory to check this process\n");
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
        shared: SharedMemory::default(),
        output: Output::open(),
        only_records: options.only_records,
        recorder: options.record_trace.filter(|_| RECORDS).map(Recorder::new),
        fork_gate: ForkGate::new(),
        exit_functions: SyncClock::default(),
        foreign_threads: SyncClock::default(),
    }));
    if runtime.install() {
        crate::thread_end::watch();
        crate::fork::watch();
        runtime.begin_output(None);
        crate::thread_end::take_in_main(runtime);
    }
}
