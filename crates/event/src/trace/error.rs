use thiserror::Error;

/// Why a trace cannot be read, or not any further. What came before the place was given out.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file is something else.
    #[error("this is not a trace of warpsan: it does not begin with the mark of one")]
    NotATrace,
    /// A newer warpsan made the file.
    #[error(
        "the trace has version {found}, and this warpsan reads up to {known}; use the one that made it"
    )]
    NewerVersion {
        /// The file's version.
        found: u32,
        /// The newest that can be read.
        known: u32,
    },
    /// The file ends too early.
    #[error("the trace is cut off at byte {at}; everything before can be read")]
    CutOff {
        /// Where the part begins that is not whole.
        at: u64,
    },
    /// The file is not as it was written.
    #[error("the trace is damaged in what begins at byte {at}: {what}; record it again")]
    Damaged {
        /// Where the damaged part begins.
        at: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The file could not be read.
    #[error("the trace cannot be read at byte {at}: {error}")]
    Input {
        /// Where.
        at: u64,
        /// The system's words.
        error: std::io::Error,
    },
}
