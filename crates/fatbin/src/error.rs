//! What can be wrong with a file. Every message says what, and at which byte of the file.

use crate::Compression;
use thiserror::Error;

/// What a broken or foreign file has wrong. All offsets count from the start of the bytes that were
/// given, so that a hex dump of the file shows the place.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum FatbinError {
    /// Nothing that CUDA code is stored in.
    #[error(
        "this is no file with CUDA code: neither an executable, a library or an object file, \
         nor a .fatbin, a .cubin or PTX text (it starts with {start})"
    )]
    NotRecognised {
        /// The first bytes, as text if they are.
        start: String,
    },
    /// A container does not start with the magic number.
    #[error(
        "there is no fat binary at byte {at:#x}: it starts with {found:#010x}, not {:#010x}",
        crate::CONTAINER_MAGIC
    )]
    Magic {
        /// Where.
        at: u64,
        /// What is there.
        found: u32,
    },
    /// The version of a container is not known.
    #[error("the fat binary at byte {at:#x} has version {version}; only version 1 is known")]
    Version {
        /// Where the container starts.
        at: u64,
        /// What it says.
        version: u16,
    },
    /// Something reaches past the end of what holds it.
    #[error("cut off at byte {at:#x}: {what} needs {needed} bytes, {available} are there")]
    Truncated {
        /// Where it starts.
        at: u64,
        /// What it is.
        what: &'static str,
        /// The bytes that it needs.
        needed: u64,
        /// The bytes that there are.
        available: u64,
    },
    /// A field with a value that cannot be.
    #[error("{what} at byte {at:#x} is {found}, which cannot be")]
    Field {
        /// Where.
        at: u64,
        /// Which field.
        what: &'static str,
        /// Its value.
        found: u64,
    },
    /// Bytes between containers that are not padding.
    #[error("{length} bytes at byte {at:#x} belong to no fat binary")]
    Stray {
        /// Where they start.
        at: u64,
        /// How many they are.
        length: u64,
    },
    /// An ELF file that cannot be read.
    #[error("the ELF file at byte {at:#x} is broken: {reason}")]
    Elf {
        /// Where it starts.
        at: u64,
        /// What is wrong.
        reason: String,
    },
    /// An archive that cannot be read.
    #[error("the archive is broken: {reason}")]
    Archive {
        /// What is wrong.
        reason: String,
    },
    /// Data that does not decompress.
    #[error("the {compression} data at byte {at:#x} is broken: {reason}")]
    Compressed {
        /// Where the data starts.
        at: u64,
        /// How it is compressed.
        compression: Compression,
        /// What is wrong.
        reason: String,
    },
    /// Data that would take too much memory.
    #[error(
        "the image at byte {at:#x} claims {claimed} bytes out of {stored} stored ones; \
         at most {limit} are believed"
    )]
    TooLarge {
        /// Where the data starts.
        at: u64,
        /// How large it says it is.
        claimed: u64,
        /// How much is stored.
        stored: u64,
        /// How much would be accepted.
        limit: u64,
    },
    /// PTX that is no text.
    #[error("the PTX at byte {at:#x} is not text: byte {valid} of it is not UTF-8")]
    NotText {
        /// Where its data starts.
        at: u64,
        /// How many of its bytes are text.
        valid: u64,
    },
    /// An image of another kind than was asked for.
    #[error("the image at byte {at:#x} is {found}, not {wanted}")]
    Kind {
        /// Where its data starts.
        at: u64,
        /// What it is.
        found: &'static str,
        /// What was asked for.
        wanted: &'static str,
    },
    /// More was wrong than is listed.
    #[error("more is broken; only the first {listed} faults are listed")]
    Others {
        /// How many are listed.
        listed: usize,
    },
}
