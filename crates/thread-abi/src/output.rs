//! Where reports go: a stream of the log of the run.

use std::path::Path;
use std::sync::Mutex;

use warpsan_evidence::{Log, Stream, StreamKind};
use warpsan_thread_report::{Record, Start, encode};

use crate::environment::variable;
use crate::lock::locked;
use crate::system::{self, complain};

/// The variable that names the log.
const LOG_VARIABLE: &str = "WARPSAN_LOG";

/// The stream of this process.
pub(crate) struct Output {
    log: Option<&'static Log>,
    stream: Mutex<Option<Stream<'static>>>,
}

impl Output {
    /// Maps the log. Without one, nothing is reported.
    pub(crate) fn open() -> Output {
        let log = variable(LOG_VARIABLE).and_then(|path| match Log::open(Path::new(path)) {
            Ok(log) => Some(&*Box::leak(Box::new(log))),
            Err(error) => {
                complain(&format!("warpsan: cannot open the log of the run {path}: {error}\n"));
                None
            }
        });
        Output { log, stream: Mutex::new(None) }
    }

    /// The process is checked from now on. A fork gets a stream of its own.
    pub(crate) fn begin(&self, fork_of: Option<u32>, detector: &str) {
        *locked(&self.stream) = self.log.map(|log| log.stream(StreamKind::Threads));
        let program = crate::modules::program();
        let detector = detector.to_string();
        let process = system::process_number();
        self.write(&Record::Start(Start { process, fork_of, detector, program }));
    }

    /// Writes a record. It is in the log when this returns, whatever becomes of the process.
    pub(crate) fn write(&self, record: &Record) {
        if let Some(stream) = &mut *locked(&self.stream) {
            let written = match encode(record) {
                Some(bytes) => stream.append(&bytes),
                None => Err(stream.lose()),
            };
            // What finds no room is counted by the log itself.
            let _ = written;
        }
    }
}
