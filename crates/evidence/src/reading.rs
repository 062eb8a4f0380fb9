//! What a log holds.

use crate::layout::{CHUNK, MAGIC, PAYLOAD};
use crate::{Log, StreamKind};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;

/// All that was written to a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The bytes of each stream, in the order in which streams were begun. Those of a writer that was killed may end
    /// in the middle of a piece.
    pub streams: Vec<(StreamKind, Vec<u8>)>,
    /// Pieces that found no room.
    pub lost: u64,
    /// Something in it is not as its writers leave it: the program has written over it.
    pub is_damaged: bool,
}

/// Reads the log that a command has left behind.
pub fn read_file(path: &Path) -> io::Result<Evidence> {
    let file = File::options().read(true).write(true).open(path)?;
    let chunks = (file.metadata()?.len() / CHUNK as u64).saturating_sub(1);
    let log = Log::map(&file)?;
    let header = log.header();
    if header.magic.load(Ordering::Acquire) != MAGIC
        || header.stored.load(Ordering::Acquire) > chunks
    {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is not a log of this warpsan, or it is cut off",
        ));
    }
    Ok(read(&log))
}

pub(crate) fn read(log: &Log) -> Evidence {
    let header = log.header();
    let stored = header.stored.load(Ordering::Acquire).min(log.reach());
    let claimed = header.claimed.load(Ordering::Acquire);
    let begun = header.streams.load(Ordering::Acquire);
    let mut evidence = Evidence {
        lost: header.lost.load(Ordering::Acquire),
        is_damaged: claimed > stored,
        ..Evidence::default()
    };
    let mut streams: BTreeMap<u64, (StreamKind, Vec<u8>)> = BTreeMap::new();
    for number in 0..claimed.min(stored) {
        let chunk = log.chunk(number);
        let used = chunk.head.used.load(Ordering::Acquire) as usize;
        let stream = chunk.head.stream.load(Ordering::Acquire);
        match StreamKind::of_number(chunk.head.kind.load(Ordering::Acquire)) {
            // Its owner was killed before anything was in it.
            _ if stream == 0 && used == 0 => {}
            Some(kind) if (1..=begun).contains(&stream) && used <= PAYLOAD => {
                let (_, bytes) = streams.entry(stream).or_insert_with(|| (kind, Vec::new()));
                bytes.reserve(used);
                // SAFETY: so many bytes are behind the head of every chunk, those that are counted do not change, and the
                // vector has room for them.
                unsafe {
                    let end = bytes.as_mut_ptr().add(bytes.len());
                    end.copy_from_nonoverlapping(chunk.bytes, used);
                    bytes.set_len(bytes.len() + used);
                }
            }
            _ => evidence.is_damaged = true,
        }
    }
    evidence.streams = streams.into_values().collect();
    evidence
}

impl Evidence {
    /// The streams of one kind.
    pub fn of(&self, wanted: StreamKind) -> impl Iterator<Item = &[u8]> {
        let wanted = self.streams.iter().filter(move |(kind, _)| *kind == wanted);
        wanted.map(|(_, bytes)| bytes.as_slice())
    }
}
