//! What the bytes of a log mean.

use std::sync::atomic::{AtomicU32, AtomicU64};

/// The size of a chunk, and of the header.
pub(crate) const CHUNK: usize = 4096;
/// Bytes of a chunk that a stream may use.
pub(crate) const PAYLOAD: usize = CHUNK - size_of::<ChunkHead>();
/// The first bytes of a log, with the version of its layout.
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"wslog\0\0\x01");

/// The header of a log. All of it is shared among processes, so all of it is atomic.
#[repr(C)]
pub(crate) struct Header {
    /// [`MAGIC`], once the log can be used.
    pub(crate) magic: AtomicU64,
    /// Chunks that have storage. Grows only; chunks from here on must not be touched.
    pub(crate) stored: AtomicU64,
    /// Chunks that belong to a stream. Grows only, and never beyond `stored`.
    pub(crate) claimed: AtomicU64,
    /// Streams that were begun; the numbers of streams are 1 to this.
    pub(crate) streams: AtomicU64,
    /// Pieces that found no room.
    pub(crate) lost: AtomicU64,
    /// Not 0 when the keeper cannot get more storage, or has gone: nobody waits for it.
    pub(crate) is_full: AtomicU32,
}

/// The beginning of a chunk.
#[repr(C)]
pub(crate) struct ChunkHead {
    /// The stream that it belongs to; 0 for a moment after it was claimed.
    pub(crate) stream: AtomicU64,
    /// Bytes that are written, at most [`PAYLOAD`].
    pub(crate) used: AtomicU32,
    /// What the stream is, as [`StreamKind`](crate::StreamKind) numbers it.
    pub(crate) kind: AtomicU32,
}

const _: () = assert!(size_of::<Header>() <= CHUNK && size_of::<ChunkHead>() == 16);

/// Where a chunk begins in the file.
pub(crate) fn offset(chunk: u64) -> usize {
    CHUNK * (1 + chunk as usize)
}
