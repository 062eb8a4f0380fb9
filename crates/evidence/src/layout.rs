//! What the bytes of a log mean.

use std::fs::File;
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
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

/// Where the file has [`Header::stored`].
pub(crate) const STORED: u64 = offset_of!(Header, stored) as u64;
/// Where the file has [`Header::is_full`].
pub(crate) const IS_FULL: u64 = offset_of!(Header, is_full) as u64;

/// The header as it is in the file, for those who do not map it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeaderInFile {
    pub(crate) stored: u64,
    pub(crate) claimed: u64,
    pub(crate) streams: u64,
    pub(crate) lost: u64,
}

impl HeaderInFile {
    /// The header, unless it is none or was cut off.
    pub(crate) fn of(file: &File) -> Option<HeaderInFile> {
        let mut bytes = [0; size_of::<Header>()];
        file.read_exact_at(&mut bytes, 0).ok()?;
        if number(&bytes, offset_of!(Header, magic)) != MAGIC {
            return None;
        }
        Some(HeaderInFile {
            stored: number(&bytes, offset_of!(Header, stored)),
            claimed: number(&bytes, offset_of!(Header, claimed)),
            streams: number(&bytes, offset_of!(Header, streams)),
            lost: number(&bytes, offset_of!(Header, lost)),
        })
    }
}

/// The head of a chunk, as it is in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkHeadInFile {
    pub(crate) stream: u64,
    pub(crate) used: u32,
    pub(crate) kind: u32,
}

impl ChunkHeadInFile {
    /// The head at the start of a chunk.
    pub(crate) fn of(chunk: &[u8; CHUNK]) -> ChunkHeadInFile {
        ChunkHeadInFile {
            stream: number(chunk, offset_of!(ChunkHead, stream)),
            used: u32::from_ne_bytes(bytes_at(chunk, offset_of!(ChunkHead, used))),
            kind: u32::from_ne_bytes(bytes_at(chunk, offset_of!(ChunkHead, kind))),
        }
    }
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes_at(bytes, at))
}

/// Bytes at a place that is inside.
fn bytes_at<const COUNT: usize>(bytes: &[u8], at: usize) -> [u8; COUNT] {
    let mut found = [0; COUNT];
    found.copy_from_slice(&bytes[at..at + COUNT]);
    found
}
