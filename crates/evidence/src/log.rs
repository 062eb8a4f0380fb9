//! A log as it lies in the memory of a process.

use crate::layout::{CHUNK, ChunkHead, Header, MAGIC, PAYLOAD, offset};
use memmap2::{MmapOptions, MmapRaw};
use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The address space that a log is given, largest first: a process may be short of it. Most of it has no storage.
const SPACES: [usize; 4] = [16 << 30, 1 << 30, 64 << 20, 4 << 20];
/// How long a process waits for the keeper to get more storage.
const PATIENCE: Duration = Duration::from_secs(5);

/// A log that is mapped. It stays usable whatever becomes of the file and of the descriptors of the process.
#[derive(Debug)]
pub struct Log {
    /// At least the header and one chunk long.
    memory: MmapRaw,
}

/// A chunk of the log: `bytes` are behind its head.
pub(crate) struct Chunk<'a> {
    pub(crate) head: &'a ChunkHead,
    /// [`PAYLOAD`] bytes.
    pub(crate) bytes: *mut u8,
}

impl Log {
    /// Maps the log of a run.
    pub fn open(path: &Path) -> io::Result<Log> {
        let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // The fallback of the keeper is a link by its nature.
        let flags = if path.starts_with("/proc") { libc::O_CLOEXEC } else { flags };
        let file = File::options().read(true).write(true).custom_flags(flags).open(path)?;
        let log = Log::map(&file)?;
        if log.header().magic.load(Ordering::Acquire) != MAGIC {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it is not a log of this warpsan",
            ));
        }
        Ok(log)
    }

    /// Maps a file that has storage for a header and a chunk at least.
    pub(crate) fn map(file: &File) -> io::Result<Log> {
        if file.metadata()?.len() < 2 * CHUNK as u64 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is shorter than any log"));
        }
        let mut last = io::Error::other("there is no address space");
        for space in SPACES {
            match MmapOptions::new().len(space).map_raw(file) {
                Ok(memory) => return Ok(Log { memory }),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: the mapping begins on a page and is longer than a header, all of which is atomic; it has storage, and
        // nobody makes the file shorter.
        unsafe { &*self.memory.as_ptr().cast::<Header>() }
    }

    /// Chunks that could be reached by this mapping.
    pub(crate) fn reach(&self) -> u64 {
        (self.memory.len() / CHUNK - 1) as u64
    }

    /// A chunk that has storage.
    pub(crate) fn chunk(&self, number: u64) -> Chunk<'_> {
        debug_assert!(number < self.header().stored.load(Ordering::Relaxed).min(self.reach()));
        let start = self.memory.as_mut_ptr();
        // SAFETY: the chunk is inside of the mapping and has storage; its head is atomic.
        unsafe {
            let head = start.add(offset(number));
            Chunk { head: &*head.cast::<ChunkHead>(), bytes: head.add(CHUNK - PAYLOAD) }
        }
    }

    /// Takes a chunk that nobody has, if there is one.
    pub(crate) fn claim(&self) -> Option<u64> {
        let header = self.header();
        let mut waits_since = None;
        loop {
            let claimed = header.claimed.load(Ordering::Acquire);
            if claimed < header.stored.load(Ordering::Acquire).min(self.reach()) {
                let taken = header.claimed.compare_exchange_weak(
                    claimed,
                    claimed + 1,
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                );
                if taken.is_ok() {
                    return Some(claimed);
                }
                continue;
            }
            let since = *waits_since.get_or_insert_with(Instant::now);
            let is_over = claimed >= self.reach() || since.elapsed() > PATIENCE;
            if is_over || header.is_full.load(Ordering::Acquire) != 0 {
                return None;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
