//! What a log holds. It is read from the file, not from mapped memory: the file may be shorter than it says.

use crate::StreamKind;
use crate::layout::{CHUNK, ChunkHeadInFile, HeaderInFile, PAYLOAD, offset};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// All that was written to a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The bytes of each stream, in the order in which streams were begun. Those of a writer that was killed may end
    /// in the middle of a piece.
    pub streams: Vec<(StreamKind, Vec<u8>)>,
    /// Pieces that found no room.
    pub lost: u64,
    /// Something in it is not as its writers leave it: the program has written over it, or has cut it off.
    pub is_damaged: bool,
}

/// Reads the log that a command has left behind.
pub fn read_file(path: &Path) -> io::Result<Evidence> {
    let file = File::open(path)?;
    let chunks = (file.metadata()?.len() / CHUNK as u64).saturating_sub(1);
    if HeaderInFile::of(&file).is_none_or(|header| header.stored > chunks) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is not a log of this warpsan, or it is cut off",
        ));
    }
    Ok(read(&file))
}

/// Reads a log, or what is left of it.
pub(crate) fn read(file: &File) -> Evidence {
    let Some(HeaderInFile { stored, claimed, streams: begun, lost }) = HeaderInFile::of(file)
    else {
        return Evidence { is_damaged: true, ..Evidence::default() };
    };
    let mut evidence = Evidence { lost, is_damaged: claimed > stored, ..Evidence::default() };
    let mut streams: BTreeMap<u64, (StreamKind, Vec<u8>)> = BTreeMap::new();
    let mut chunk = [0; CHUNK];
    for number in 0..claimed.min(stored) {
        if file.read_exact_at(&mut chunk, offset(number) as u64).is_err() {
            evidence.is_damaged = true;
            break;
        }
        let ChunkHeadInFile { stream, used, kind } = ChunkHeadInFile::of(&chunk);
        let used = used as usize;
        match StreamKind::of_number(kind) {
            // Its owner was killed before anything was in it.
            _ if stream == 0 && used == 0 => {}
            Some(kind) if (1..=begun).contains(&stream) && used <= PAYLOAD => {
                let (_, bytes) = streams.entry(stream).or_insert_with(|| (kind, Vec::new()));
                let payload = &chunk[CHUNK - PAYLOAD..];
                bytes.extend_from_slice(&payload[..used]);
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
