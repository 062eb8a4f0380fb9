//! A trace file taken apart and put together again, with right checksums whatever was changed.

/// Bytes in front of the head's payload: mark, version, length, checksum.
const HEAD: usize = 20;
/// Bytes in front of a frame's stored part: two lengths and a checksum.
const FRAME: usize = 12;

/// The parts of a trace.
#[derive(Clone, Debug)]
pub(super) struct TraceFile {
    /// Mark and version.
    pub(super) mark: [u8; 12],
    /// Seed, schedule and command.
    pub(super) head: Vec<u8>,
    /// The contents of the frames, decompressed.
    pub(super) frames: Vec<Vec<u8>>,
    /// The number of items in the end mark.
    pub(super) items: u64,
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_le_bytes(bytes) as usize)
}

impl TraceFile {
    /// Takes a file apart that warpsan has written.
    pub(super) fn of(bytes: &[u8]) -> Option<TraceFile> {
        let mark = bytes.get(..12)?.try_into().ok()?;
        let head_end = HEAD + number(bytes, 12)?;
        let head = bytes.get(HEAD..head_end)?.to_vec();
        let (mut frames, mut at) = (Vec::new(), head_end);
        loop {
            let (length, stored) = (number(bytes, at)?, number(bytes, at + 4)?);
            let part = bytes.get(at + FRAME..at + FRAME + stored)?;
            at += FRAME + stored;
            if length == 0 {
                let items = u64::from_le_bytes(part.try_into().ok()?);
                return Some(TraceFile { mark, head, frames, items });
            }
            frames.push(lz4_flex::block::decompress(part, length).ok()?);
        }
    }

    /// The file of these parts.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.mark.to_vec();
        let numbers = [self.head.len() as u32, crc32fast::hash(&self.head)];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend_from_slice(&self.head);
        let mut put = |length: usize, stored: &[u8]| {
            let lengths = [length as u32, stored.len() as u32].map(u32::to_le_bytes).concat();
            let mut sum = crc32fast::Hasher::new();
            sum.update(&lengths);
            sum.update(stored);
            bytes.extend_from_slice(&lengths);
            bytes.extend_from_slice(&sum.finalize().to_le_bytes());
            bytes.extend_from_slice(stored);
        };
        for contents in self.frames.iter().filter(|contents| !contents.is_empty()) {
            put(contents.len(), &lz4_flex::block::compress(contents));
        }
        put(0, &self.items.to_le_bytes());
        bytes
    }
}
