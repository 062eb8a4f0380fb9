//! What threads do, on its way to the trace.

use warpsan_thread_trace::{Action, TraceThread};

use crate::context::Context;
use crate::recorder::{LostTrace, RECORDS, Recorder};
use crate::runtime::Runtime;
use crate::thread::Thread;

impl Thread {
    /// The thread did something, at a place that calls us; zero where that is not known.
    #[inline(always)]
    pub(crate) fn trace(&mut self, site: u64, action: Action) {
        if RECORDS {
            self.write_trace(site, action);
        }
    }

    /// Something that is no deed of the program's code.
    #[inline(always)]
    pub(crate) fn trace_nowhere(&mut self, action: Action) {
        if RECORDS {
            self.runtime.trace(self.info.number, Context::EMPTY, action);
        }
    }

    #[inline(never)]
    fn write_trace(&mut self, site: u64, action: Action) {
        let calls = if site == 0 { self.stack.context() } else { self.calls_at(site) };
        self.runtime.trace(self.info.number, calls, action);
    }
}

impl Runtime {
    /// The thread with this number did something.
    pub(crate) fn trace(&self, number: u32, calls: Context, action: Action) {
        self.with_recorder(|recorder| recorder.write(TraceThread(number), calls, action));
    }

    /// What was recorded is kept, whatever becomes of the process.
    pub(crate) fn keep_trace(&self) {
        self.with_recorder(Recorder::keep);
    }

    /// The process ends.
    pub(crate) fn end_trace(&self) {
        self.with_recorder(Recorder::end);
    }

    fn with_recorder(&self, record: impl FnOnce(&Recorder) -> Result<(), LostTrace>) {
        if let Some(recorder) = self.recorder.as_ref().filter(|_| RECORDS)
            && let Err(LostTrace { path, reason }) = record(recorder)
        {
            self.lose(&format!("events of the trace {path}"), &reason);
        }
    }
}
