use crate::journal::Refusal;
use thiserror::Error;
use warpsan_simt::{MemoryError, ScheduleError};

/// Why a session could not be made.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The environment of `warpsan run` is not there.
    #[error("the variable {0} is not set; start the program with `warpsan run`")]
    NotUnderWarpsan(&'static str),
    /// The process does not belong to a run.
    #[error(transparent)]
    NotEntered(&'static SessionError),
    /// The options do not read.
    #[error("WARPSAN_OPTIONS cannot be read: {0}")]
    Options(String),
    /// The schedule does not read.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The file with stored schedules does not read.
    #[error("cannot take schedules from {file}: {what}")]
    StoredSchedules {
        /// The file.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// Device memory could not be set up.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The log of the run cannot be reached.
    #[error("cannot use the log of the run, {path}: {error}")]
    Log {
        /// Its file.
        path: String,
        /// The system's words.
        error: std::io::Error,
    },
}

/// What a call of the session can answer besides success. The variants are the classes of errors
/// that CUDA distinguishes; the text says what and where. A failure that is warpsan's and not the program's has a
/// [`Refusal`] in place of the text: the report names it.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum RuntimeError {
    /// A parameter is out of range.
    #[error("{0}")]
    InvalidValue(String),
    /// There is no such kernel, or no code that can run.
    #[error("{0}")]
    InvalidDeviceFunction(String),
    /// A kernel used an address that is not its own.
    #[error("{0}")]
    InvalidAddress(String),
    /// A kernel used an address that is not a multiple of what it accessed there.
    #[error("{0}")]
    MisalignedAddress(String),
    /// An assertion of a kernel failed.
    #[error("{0}")]
    AssertionFailed(String),
    /// No memory is left.
    #[error("{0}")]
    OutOfMemory(String),
    /// warpsan does not do this yet.
    #[error("{0}")]
    NotSupported(Refusal),
    /// warpsan cannot read the code.
    #[error("{0}")]
    Unreadable(Refusal),
    /// The program has taken the code away, as its end does.
    #[error("{0}")]
    CodeIsGone(Refusal),
    /// warpsan has no room for it, where a GPU might.
    #[error("{0}")]
    NoRoom(Refusal),
    /// The kernel misbehaved.
    #[error("{0}")]
    LaunchFailed(String),
    /// The kernel ran longer than it may.
    #[error("{0}")]
    LaunchTimeout(String),
    /// The launch's extents are out of range.
    #[error("{0}")]
    InvalidConfiguration(String),
    /// A bug of warpsan.
    #[error("{0}")]
    Internal(Refusal),
}
