//! The trace file: everything an engine emitted, stored so that any detector can read it later.
//!
//! A file is complete in itself: kernels come with their facts and sites, allocations with their
//! labels. Where one batch ends and the next begins is not kept; only the order of the events has a meaning.
//!
//! # Format, version 6
//!
//! Version 5 is the same without launches that another one is perhaps after, version 4 also without lanes that end and the fact that
//! a kernel has bulk copies, version 3 also without waits for the launches that a launch may overlap, version 2 also without
//! the launches that others may not be after, and version 1 without any order of launches.
//!
//! All fixed-size numbers are little-endian.
//!
//! - **Head**: the eight bytes [`MAGIC`], the version, then the length and the checksum of the
//!   payload, four bytes each, and the payload: seed, schedule and command.
//! - **Frames**: the length of the contents, the length as stored, and a checksum of those eight bytes
//!   and of what is stored, four bytes each; then the contents, compressed as one LZ4 block. The
//!   contents are items, one after the other, and a frame ends after the item that fills it
//!   ([`FRAME_BYTES`]). Differences to earlier items never reach back into an earlier frame; only
//!   kernels that were recorded do.
//! - **End mark**: a frame without contents whose stored part is the number of all items, eight bytes.
//!   A file without it was cut off.
//!
//! The first byte of an item says what it is ([`items`]); the rest are numbers in the LEB128 form, most
//! of them differences to the item before, or to the last access of the same instruction.

mod bytes;
mod decode;
mod encode;
mod error;
mod frame;
mod items;
mod kernels;
mod memory;
mod reader;
mod words;
mod writer;

#[cfg(test)]
mod tests;

pub use error::TraceError;
pub use reader::{TraceReader, TraceStep};
pub use writer::TraceWriter;

/// The first bytes of every trace file.
pub const MAGIC: [u8; 8] = *b"WSTRACE\n";
/// The version that is written, and the newest that can be read.
pub const VERSION: u32 = 7;
/// A frame is written when its contents have reached this size.
pub const FRAME_BYTES: usize = 64 * 1024;

/// What a trace says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceHeader {
    /// The seed that the schedule was made from, for the reports of a replay.
    pub seed: u64,
    /// The schedule, in one line.
    pub schedule: String,
    /// The command that made the trace.
    pub command: String,
}
