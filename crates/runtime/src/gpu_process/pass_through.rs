//! Runs the program as it is, and counts: what is launched is in the report as not checked.

use super::SharedJournal;
use crate::record::Record;
use std::sync::atomic::{AtomicU64, Ordering};
use warpsan_gpu::{
    Allocation, CUfunction, CUresult, CodeContainer, CodeSource, Driver, Hooks, LaunchCall,
    LaunchSource,
};
use warpsan_ir::display_name;
use warpsan_report::NotCovered;

/// The hooks that change nothing.
pub(super) struct PassThrough {
    driver: &'static Driver,
    journal: SharedJournal,
    modules: AtomicU64,
    launches: AtomicU64,
    allocations: AtomicU64,
}

impl PassThrough {
    pub(super) fn new(driver: &'static Driver, journal: SharedJournal) -> PassThrough {
        let zero = || AtomicU64::new(0);
        PassThrough { driver, journal, modules: zero(), launches: zero(), allocations: zero() }
    }

    /// The kernel as the programmer wrote it.
    fn name(&self, function: CUfunction) -> String {
        match self.driver.kernel_name(function) {
            Some(name) => display_name(&name),
            None => "a kernel without a name".to_string(),
        }
    }
}

impl Hooks for PassThrough {
    fn code_loaded(&self, container: CodeContainer, source: CodeSource<'_>) {
        self.modules.fetch_add(1, Ordering::Relaxed);
        tracing::debug!("loaded {container:?} from {source:?}");
    }

    fn allocated(&self, allocation: &Allocation) {
        self.allocations.fetch_add(1, Ordering::Relaxed);
        tracing::debug!("allocated {allocation:?}");
    }

    fn launch(
        &self,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        let answer = real(call);
        if !answer.is_success() {
            return answer;
        }
        let kernel = self.name(call.function);
        tracing::debug!("launched {kernel} by {call:?}");
        let mut journal = self.journal.lock();
        journal.not_covered(NotCovered {
            what: "a kernel on the GPU, where nothing is checked yet".to_string(),
            place: format!("kernel `{kernel}`"),
            advice: "use `--engine cpu` to check it".to_string(),
        });
        if matches!(call.source, LaunchSource::Stream | LaunchSource::SeveralDevices) {
            self.launches.fetch_add(1, Ordering::Relaxed);
            let begin =
                Record::LaunchBegin { kernel, has_line_information: true, unwatched: false };
            journal.write(begin);
            journal.write(Record::LaunchEnd { accesses: 0 });
        }
        answer
    }

    fn not_seen(&self, what: &str) {
        super::not_seen(what);
    }

    fn process_ends(&self) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        tracing::info!(
            "{} modules, {} allocations, {} launches",
            count(&self.modules),
            count(&self.allocations),
            count(&self.launches)
        );
    }
}
