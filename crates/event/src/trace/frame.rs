//! Frames: compressed parts of a file with a checksum each.

use super::TraceError;
use std::io::{self, Read, Write};

/// Contents of a frame are never larger: only a kernel can make one larger than a few score KiB.
pub(super) const MOST_CONTENTS: usize = 256 << 20;
/// LZ4 makes at most this many bytes of one.
const MOST_EXPANSION: usize = 255;
const HEADER: usize = 12;

/// A frame as it was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Contents are in the buffer.
    Contents,
    /// The end mark, with the number of all items.
    End(u64),
}

/// Writes contents as one frame.
pub(super) fn write_contents(output: &mut impl Write, contents: &[u8]) -> io::Result<()> {
    if contents.len() > MOST_CONTENTS {
        let what = format!("a kernel of {} bytes is too large for a trace", contents.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    write(output, contents.len() as u32, &lz4_flex::block::compress(contents))
}

/// Writes the end mark.
pub(super) fn write_end(output: &mut impl Write, items: u64) -> io::Result<()> {
    write(output, 0, &items.to_le_bytes())
}

fn write(output: &mut impl Write, contents_length: u32, stored: &[u8]) -> io::Result<()> {
    let stored_length = u32::try_from(stored.len()).map_err(io::Error::other)?;
    let mut lengths = [0; 8];
    lengths[..4].copy_from_slice(&contents_length.to_le_bytes());
    lengths[4..].copy_from_slice(&stored_length.to_le_bytes());
    output.write_all(&lengths)?;
    output.write_all(&checksum(&lengths, stored).to_le_bytes())?;
    output.write_all(stored)
}

fn checksum(lengths: &[u8], stored: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(lengths);
    hasher.update(stored);
    hasher.finalize()
}

/// Bytes of a file, with the place.
#[derive(Debug)]
pub(super) struct Input<R> {
    pub(super) input: R,
    pub(super) at: u64,
}

impl<R: Read> Input<R> {
    /// Up to `count` bytes, fewer only at the end. Memory is taken as bytes arrive, so a wrong number
    /// costs nothing.
    pub(super) fn up_to(&mut self, count: usize, bytes: &mut Vec<u8>) -> Result<bool, TraceError> {
        bytes.clear();
        let read = (&mut self.input).take(count as u64).read_to_end(bytes);
        read.map_err(|error| TraceError::Input { at: self.at, error })?;
        self.at += bytes.len() as u64;
        Ok(bytes.len() == count)
    }

    /// Reads the next frame; `stored` is memory to reuse.
    pub(super) fn frame(
        &mut self,
        stored: &mut Vec<u8>,
        contents: &mut Vec<u8>,
    ) -> Result<Frame, TraceError> {
        let at = self.at;
        let damaged = |what: &str| TraceError::Damaged { at, what: what.to_string() };
        if !self.up_to(HEADER, stored)? {
            return Err(TraceError::CutOff { at });
        }
        let number = |place: usize| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(&stored[place..place + 4]);
            u32::from_le_bytes(bytes)
        };
        let (length, stored_length, sum) = (number(0) as usize, number(4) as usize, number(8));
        let mut lengths = [0; 8];
        lengths.copy_from_slice(&stored[..8]);
        let whole = self.up_to(stored_length, stored)?;
        if !whole {
            return Err(TraceError::CutOff { at });
        }
        if checksum(&lengths, stored) != sum {
            return Err(damaged("the checksum is wrong"));
        }
        if length == 0 {
            let Ok(items) = <[u8; 8]>::try_from(stored.as_slice()) else {
                return Err(damaged("an end mark of the wrong size"));
            };
            return Ok(Frame::End(u64::from_le_bytes(items)));
        }
        if length > MOST_CONTENTS || length > MOST_EXPANSION * (stored.len() + 1) {
            return Err(damaged("contents of an impossible size"));
        }
        contents.clear();
        contents.resize(length, 0);
        match lz4_flex::block::decompress_into(stored, contents) {
            Ok(written) if written == length => Ok(Frame::Contents),
            Ok(_) => Err(damaged("contents of another size than it says")),
            Err(error) => Err(damaged(&format!("it cannot be decompressed: {error}"))),
        }
    }
}
