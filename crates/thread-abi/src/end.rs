//! The end of a process: how often races were seen, what was lost, and figures.

use std::sync::atomic::{AtomicU32, Ordering};

use warpsan_thread_detect::{Count, Counters, figures};
use warpsan_thread_report::{End, LostRecord, Record, Statistic};

use crate::runtime::{Runtime, runtime};
use crate::system;
use crate::thread::entered_if_known;

#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = write;

/// The process that has written its end.
static WRITTEN: AtomicU32 = AtomicU32::new(0);

/// Writes the end of this process, once.
pub(crate) extern "C" fn write() {
    let Some(runtime) = runtime() else { return };
    let process = system::process_number();
    if WRITTEN.swap(process, Ordering::AcqRel) == process {
        return;
    }
    let mut counters = runtime.checker.counters();
    if let Some(mut thread) = entered_if_known() {
        let checker = thread.checker;
        checker.settle(&mut thread.state);
        counters.merge(thread.state.counters());
    }
    runtime.end_trace();
    runtime.output.write(&Record::Counts(runtime.races.counts()));
    if let Some(lost) = lost(runtime, &counters) {
        runtime.output.write(&Record::Lost(lost));
    }
    lose_shared_memory(runtime);
    let threads = u64::from(runtime.registry.count());
    let statistics = statistics(runtime, &counters);
    runtime.output.write(&Record::End(End { threads, statistics }));
}

fn lost(runtime: &Runtime, counters: &Counters) -> Option<LostRecord> {
    let accesses = counters.get(Count::NotRecorded);
    if accesses == 0 && runtime.storage.refused() == 0 {
        return None;
    }
    let why = match runtime.storage.limit() {
        Some(limit) => format!("the memory limit of {} MiB was reached", limit >> 20),
        None => "the system gave no more memory".to_string(),
    };
    Some(LostRecord {
        what: format!("{accesses} accesses that were not written down: {why}"),
        place: "memory of the detector".to_string(),
        advice: "raise --memory-limit, or use smaller input".to_string(),
    })
}

/// Says what could not be checked of memory that processes share.
fn lose_shared_memory(runtime: &Runtime) {
    let bytes = runtime.shared.accessed_bytes(&runtime.checker);
    if bytes > 0 {
        let what = format!("accesses to {bytes} bytes of memory that processes share");
        runtime.lose(&what, "each process is checked by itself");
    }
}

fn statistics(runtime: &Runtime, counters: &Counters) -> Vec<Statistic> {
    let checker = &runtime.checker;
    let counted = figures(counters, &checker.memory(), checker.shadow_bytes());
    let own = [
        ("storage bytes", runtime.storage.taken() as f64),
        ("heap bytes", crate::HEAP.bytes() as f64),
    ];
    let all = counted.into_iter().chain(own);
    all.map(|(name, value)| Statistic { name: name.to_string(), value }).collect()
}

impl Runtime {
    /// Says at once that something is not checked.
    pub(crate) fn lose(&self, what: &str, why: &str) {
        self.output.write(&Record::Lost(LostRecord {
            what: format!("{what}: {why}"),
            place: "the process".to_string(),
            advice: "what they did was not checked".to_string(),
        }));
    }
}
