//! What the machine asks of the process that it lives in, and cannot do itself without `unsafe`.

use crate::{HostFrames, SourceFrame};
use std::sync::{Arc, OnceLock};

/// Knows where the program calls, and says so when it is asked.
pub type CallerFrames = Arc<dyn Fn() -> Vec<SourceFrame> + Send + Sync>;

/// The functions of a door into the machine: all doors of a process share one.
pub struct Host {
    /// Where the program calls the API now.
    pub caller: fn() -> CallerFrames,
    /// The function and line of an instruction of the program.
    pub frames_at: HostFrames,
    /// Writes what kernels have printed to where the program prints.
    pub print: fn(&[u8]),
    /// The session has started: the end of the process must not be missed.
    pub session_started: fn(),
}

static HOST: OnceLock<Host> = OnceLock::new();

/// Makes the functions known. The first ones stay.
pub fn set(host: impl FnOnce() -> Host) {
    HOST.get_or_init(host);
}

/// The functions, if there is a door.
pub(super) fn get() -> Option<&'static Host> {
    HOST.get()
}
