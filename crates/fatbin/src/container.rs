use crate::CONTAINER_MAGIC;
use std::io::Read;
use thiserror::Error;

/// The fixed part of an entry's header, up to and with the size of the decompressed data.
const ENTRY_HEADER: usize = 64;
const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
/// Decompressed data larger than this is refused: it is a broken header, not a kernel.
const MOST_BYTES: u64 = 1 << 30;

/// What a broken or foreign container has wrong.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FatbinError {
    /// It does not start with the magic number.
    #[error("this is not a fat binary: it starts with {found:#010x}, not {CONTAINER_MAGIC:#010x}")]
    Magic {
        /// What it starts with.
        found: u32,
    },
    /// A header or its data reaches past the end.
    #[error("the fat binary is cut off at byte {at}: {what} needs {needed} bytes")]
    Truncated {
        /// Where.
        at: usize,
        /// What is there.
        what: &'static str,
        /// What it needs.
        needed: u64,
    },
    /// The version of the container is not known.
    #[error("the fat binary has version {0}; only version 1 is known")]
    Version(u16),
    /// Compressed data that does not decompress.
    #[error("the {compression:?} data of a fat-binary entry is broken: {reason}")]
    Compressed {
        /// How it is compressed.
        compression: Compression,
        /// What the decompressor says.
        reason: String,
    },
    /// PTX that is no text.
    #[error("the PTX of a fat-binary entry is not text")]
    NotText,
}

/// What an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// PTX text.
    Ptx,
    /// Machine code.
    Elf,
    /// Something else, by its number.
    Other(u16),
}

/// How an entry's data is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    None,
    /// An LZ4 block.
    Lz4,
    /// A zstd frame.
    Zstd,
}

/// One image of a container.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// What it holds.
    pub kind: EntryKind,
    /// The architecture's number, 90 for `sm_90`.
    pub architecture: u32,
    /// How its data is stored.
    pub compression: Compression,
    data: &'a [u8],
    decompressed: u64,
}

/// The images of a fat binary.
#[derive(Debug)]
pub struct Container<'a> {
    /// In the order in which they are stored.
    pub entries: Vec<Entry<'a>>,
}

impl<'a> Container<'a> {
    /// The size of a container with this header, so that it can be found in memory.
    pub fn size_from_header(header: &[u8; 16]) -> Result<usize, FatbinError> {
        let reader = Reader { bytes: header };
        let magic = reader.u32(0, "the container's header")?;
        if magic != CONTAINER_MAGIC {
            return Err(FatbinError::Magic { found: magic });
        }
        let version = reader.u16(4, "the container's header")?;
        if version != 1 {
            return Err(FatbinError::Version(version));
        }
        let head = u64::from(reader.u16(6, "the container's header")?);
        let size = head.saturating_add(reader.u64(8, "the container's header")?);
        let too_large = FatbinError::Truncated { at: 8, what: "the container", needed: size };
        usize::try_from(size).map_err(|_| too_large)
    }

    /// Reads the headers; nothing is decompressed yet.
    pub fn parse(bytes: &'a [u8]) -> Result<Container<'a>, FatbinError> {
        let reader = Reader { bytes };
        let header = reader.slice(0, 16, "the container's header")?;
        let header: &[u8; 16] = header.try_into().map_err(|_| FatbinError::NotText)?;
        let end = Self::size_from_header(header)?;
        let reader = Reader { bytes: reader.slice(0, end as u64, "the container")? };
        let mut at = usize::from(reader.u16(6, "the container's header")?);
        let mut entries = Vec::new();
        while at < end {
            let what = "an entry's header";
            reader.slice(at, ENTRY_HEADER as u64, what)?;
            let head = u64::from(reader.u32(at + 4, what)?);
            let padded = reader.u64(at + 8, what)?;
            let compressed = u64::from(reader.u32(at + 16, what)?);
            let flags = reader.u64(at + 40, what)?;
            let compression = match flags & (FLAG_LZ4 | FLAG_ZSTD) {
                0 => Compression::None,
                FLAG_LZ4 => Compression::Lz4,
                _ => Compression::Zstd,
            };
            let stored = if compression == Compression::None { padded } else { compressed };
            let data_at = at.saturating_add(usize::try_from(head).unwrap_or(usize::MAX));
            entries.push(Entry {
                kind: match reader.u16(at, what)? {
                    1 => EntryKind::Ptx,
                    2 => EntryKind::Elf,
                    other => EntryKind::Other(other),
                },
                architecture: reader.u32(at + 28, what)?,
                compression,
                data: reader.slice(data_at, stored, "an entry's data")?,
                decompressed: reader.u64(at + 56, what)?,
            });
            let step = head.saturating_add(padded).max(ENTRY_HEADER as u64);
            at = at.saturating_add(usize::try_from(step).unwrap_or(usize::MAX));
        }
        Ok(Container { entries })
    }
}

impl Entry<'_> {
    /// The data, decompressed.
    pub fn data(&self) -> Result<Vec<u8>, FatbinError> {
        let broken =
            |reason: String| FatbinError::Compressed { compression: self.compression, reason };
        if self.decompressed > MOST_BYTES {
            return Err(broken(format!("it claims {} bytes", self.decompressed)));
        }
        match self.compression {
            Compression::None => Ok(self.data.to_vec()),
            Compression::Lz4 => lz4_flex::block::decompress(self.data, self.decompressed as usize)
                .map_err(|error| broken(error.to_string())),
            Compression::Zstd => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(self.data)
                    .map_err(|error| broken(error.to_string()))?;
                let mut data = Vec::new();
                decoder
                    .take(MOST_BYTES)
                    .read_to_end(&mut data)
                    .map_err(|error| broken(error.to_string()))?;
                Ok(data)
            }
        }
    }

    /// The data as PTX text. Entries are padded with zeros.
    pub fn text(&self) -> Result<String, FatbinError> {
        let mut data = self.data()?;
        let length = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
        data.truncate(length);
        String::from_utf8(data).map_err(|_| FatbinError::NotText)
    }
}

/// The PTX to use on a device of this architecture: the newest that is not newer than the device.
pub fn choose_ptx<'c, 'a>(
    container: &'c Container<'a>,
    architecture: u32,
) -> Option<&'c Entry<'a>> {
    container
        .entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Ptx && entry.architecture <= architecture)
        .max_by_key(|entry| entry.architecture)
}

/// Little-endian numbers at checked places.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn slice(&self, at: usize, length: u64, what: &'static str) -> Result<&'a [u8], FatbinError> {
        let truncated = FatbinError::Truncated { at, what, needed: length };
        let end = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
        end.and_then(|end| self.bytes.get(at..end)).ok_or(truncated)
    }

    fn array<const N: usize>(&self, at: usize, what: &'static str) -> Result<[u8; N], FatbinError> {
        let mut array = [0; N];
        array.copy_from_slice(self.slice(at, N as u64, what)?);
        Ok(array)
    }

    fn u16(&self, at: usize, what: &'static str) -> Result<u16, FatbinError> {
        self.array(at, what).map(u16::from_le_bytes)
    }

    fn u32(&self, at: usize, what: &'static str) -> Result<u32, FatbinError> {
        self.array(at, what).map(u32::from_le_bytes)
    }

    fn u64(&self, at: usize, what: &'static str) -> Result<u64, FatbinError> {
        self.array(at, what).map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A container with one entry, laid out by hand.
    fn container(kind: u16, architecture: u32, flags: u64, data: &[u8], length: u64) -> Vec<u8> {
        let mut padded = data.to_vec();
        padded.resize(data.len().next_multiple_of(8), 0);
        let mut entry = Vec::new();
        entry.extend_from_slice(&kind.to_le_bytes());
        entry.extend_from_slice(&0x101u16.to_le_bytes());
        entry.extend_from_slice(&(ENTRY_HEADER as u32).to_le_bytes());
        entry.extend_from_slice(&(padded.len() as u64).to_le_bytes());
        entry.extend_from_slice(&(data.len() as u32).to_le_bytes());
        entry.extend_from_slice(&[0; 8]);
        entry.extend_from_slice(&architecture.to_le_bytes());
        entry.extend_from_slice(&[0; 8]);
        entry.extend_from_slice(&flags.to_le_bytes());
        entry.extend_from_slice(&[0; 8]);
        entry.extend_from_slice(&length.to_le_bytes());
        assert_eq!(entry.len(), ENTRY_HEADER);
        entry.extend_from_slice(&padded);
        let mut bytes = CONTAINER_MAGIC.to_le_bytes().to_vec();
        bytes.extend_from_slice(&1u16.to_le_bytes());
        bytes.extend_from_slice(&16u16.to_le_bytes());
        bytes.extend_from_slice(&(entry.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&entry);
        bytes
    }

    const TEXT: &str = ".version 9.0\n.target sm_90\n";

    #[test]
    fn text_comes_back_from_every_compression() {
        let length = TEXT.len() as u64;
        let lz4 = lz4_flex::block::compress(TEXT.as_bytes());
        let zstd = ruzstd::encoding::compress_to_vec(
            TEXT.as_bytes(),
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        for (flags, data) in
            [(0, TEXT.as_bytes()), (FLAG_LZ4, lz4.as_slice()), (FLAG_ZSTD, zstd.as_slice())]
        {
            let bytes = container(1, 90, flags, data, length);
            let parsed = Container::parse(&bytes).unwrap();
            assert_eq!(parsed.entries[0].text().unwrap(), TEXT, "{flags:#x}");
        }
    }

    #[test]
    fn the_newest_ptx_that_the_device_can_run_is_chosen() {
        let mut bytes = container(1, 75, 0, b"old", 3);
        for (kind, architecture) in [(1, 90), (2, 90), (1, 100)] {
            bytes.extend_from_slice(&container(kind, architecture, 0, b"new", 3)[16..]);
        }
        let size = (bytes.len() - 16) as u64;
        bytes[8..16].copy_from_slice(&size.to_le_bytes());
        let parsed = Container::parse(&bytes).unwrap();
        assert_eq!(parsed.entries.len(), 4);
        let chosen = choose_ptx(&parsed, 90).unwrap();
        assert_eq!((chosen.kind, chosen.architecture), (EntryKind::Ptx, 90));
        assert!(choose_ptx(&parsed, 70).is_none());
    }

    #[test]
    fn broken_containers_say_what_is_wrong() {
        assert_eq!(Container::parse(&[0; 64]).unwrap_err(), FatbinError::Magic { found: 0 });
        let whole = container(1, 90, 0, TEXT.as_bytes(), 0);
        for length in 0..whole.len() {
            assert!(Container::parse(&whole[..length]).is_err(), "{length}");
        }
        let bad = container(1, 90, FLAG_ZSTD, b"not zstd", 8);
        let error = Container::parse(&bad).unwrap().entries[0].text().unwrap_err();
        assert!(error.to_string().contains("Zstd data"), "{error}");
    }

    proptest! {
        #[test]
        fn damaged_containers_never_panic(at in 0usize..120, byte in any::<u8>()) {
            let mut bytes = container(1, 90, FLAG_LZ4, &lz4_flex::block::compress(TEXT.as_bytes()), 27);
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            if let Ok(parsed) = Container::parse(&bytes) {
                for entry in &parsed.entries {
                    let _ = entry.text();
                }
            }
        }
    }
}
