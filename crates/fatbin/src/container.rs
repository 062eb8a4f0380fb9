//! Containers: a header and a list of images.
//!
//! The layout is not documented; it was found by compiling one program with many flags and looking
//! at what changes. All numbers are little-endian. A container:
//!
//! | offset | size | meaning |
//! |---|---|---|
//! | 0 | 4 | the magic number |
//! | 4 | 2 | the version of the format, 1 |
//! | 6 | 2 | the size of this header, 16 |
//! | 8 | 8 | the size of all entries |
//!
//! An entry, offsets within it counting from its own start:
//!
//! | offset | size | meaning |
//! |---|---|---|
//! | 0 | 2 | the kind: 1 PTX, 2 machine code, 8 link-time optimisation |
//! | 2 | 2 | the version of the entry, 0x101 since at least CUDA 11 |
//! | 4 | 4 | the size of the header with the texts that follow its fixed 64 bytes |
//! | 8 | 8 | the size of the data, padded to 8 bytes; the next entry follows it |
//! | 16 | 4 | the size of the data if it is compressed, or else 0 |
//! | 20 | 4 | where the options are described, or 0: offset and length of a text, 4 bytes each |
//! | 24 | 4 | the version of PTX (or of the machine code's format): minor, major |
//! | 28 | 4 | the number of the architecture |
//! | 32 | 8 | offset and length of the name, 4 bytes each |
//! | 40 | 8 | flags |
//! | 48 | 8 | 0, or for link-time optimisation a number that differs from file to file |
//! | 56 | 8 | the size of the decompressed data, or 0 if it is not compressed |
//!
//! The data of a container is mapped lazily: reading the headers touches one page per image.

use crate::region::Region;
use crate::{
    Architecture, CONTAINER_MAGIC, Compression, FatbinError, Image, ImageKind, Place, Suffix,
};
use std::borrow::Cow;

const CONTAINER_HEADER: u64 = 16;
/// The fixed part of an entry's header.
const ENTRY_HEADER: u64 = 64;

/// Bits of an entry's flags. 0x10 stands for a Linux host; 0x10000 marks code for link-time
/// optimisation, and 0x100_0000 machine code whose options are binary attributes.
mod flag {
    pub(super) const WIDE_ADDRESSES: u64 = 0x1;
    pub(super) const DEBUG: u64 = 0x2;
    pub(super) const LZ4: u64 = 0x2000;
    pub(super) const ZSTD: u64 = 0x8000;
    pub(super) const SPECIFIC: u64 = 0x10_0000;
    pub(super) const FAMILY: u64 = 0x20_0000;
}

/// The images of one fat binary.
#[derive(Debug)]
pub struct Container<'d> {
    /// In the order in which they are stored.
    pub images: Vec<Image<'d>>,
}

impl<'d> Container<'d> {
    /// The size of a container with this header, so that it can be found in memory.
    pub fn size_from_header(header: &[u8; 16]) -> Result<usize, FatbinError> {
        let (header, size) = header_and_size(Region::whole(header))?;
        let size = header.saturating_add(size);
        let what = "the container";
        usize::try_from(size).map_err(|_| FatbinError::Truncated {
            at: 0,
            what,
            needed: size,
            available: usize::MAX as u64,
        })
    }

    /// Reads the headers of a container that a program handed over; nothing is decompressed yet.
    pub fn parse(bytes: &'d [u8]) -> Result<Container<'d>, FatbinError> {
        let (entries, cut_off) = Entries::new(Region::whole(bytes), Place::Fatbin)?;
        if let Some(fault) = cut_off {
            return Err(fault);
        }
        let mut images = entries.collect::<Result<Vec<_>, _>>()?;
        number_by_kind(&mut images);
        Ok(Container { images })
    }
}

/// Gives the images of a file their numbers.
pub(crate) fn number_by_kind(images: &mut [Image<'_>]) {
    let mut counts: Vec<(ImageKind, usize)> = Vec::new();
    for image in images {
        let place = match counts.iter().position(|(kind, _)| *kind == image.kind) {
            Some(place) => place,
            // A broken file could have all numbers there are; the list must not get long.
            None if counts.len() > 64 => continue,
            None => {
                counts.push((image.kind, 0));
                counts.len() - 1
            }
        };
        counts[place].1 += 1;
        image.ordinal = counts[place].1;
    }
}

/// The size of a container's header and of what follows it.
fn header_and_size(region: Region<'_>) -> Result<(u64, u64), FatbinError> {
    let what = "the header of a fat binary";
    let header = region.part(0, CONTAINER_HEADER, what)?;
    let magic = header.u32(0, what)?;
    if magic != CONTAINER_MAGIC {
        return Err(FatbinError::Magic { at: header.base, found: magic });
    }
    let version = header.u16(4, what)?;
    if version != 1 {
        return Err(FatbinError::Version { at: header.base, version });
    }
    let header_size = u64::from(header.u16(6, what)?);
    if header_size < CONTAINER_HEADER {
        let what = "the size of a fat binary's header";
        return Err(FatbinError::Field { at: header.offset(6), what, found: header_size });
    }
    Ok((header_size, header.u64(8, what)?))
}

/// The entries of one container, read one after the other. After an error there is no more.
#[derive(Debug)]
pub(crate) struct Entries<'d> {
    region: Region<'d>,
    next: u64,
    place: Place,
}

impl<'d> Entries<'d> {
    /// The container at the start of a region, which may go on behind it. Of one that is cut off,
    /// the entries that are there can be read all the same.
    pub(crate) fn new(
        region: Region<'d>,
        place: Place,
    ) -> Result<(Entries<'d>, Option<FatbinError>), FatbinError> {
        let (header, size) = header_and_size(region)?;
        let (region, cut_off) = match region.part(0, header.saturating_add(size), "a fat binary") {
            Ok(region) => (region, None),
            Err(fault) => (region, Some(fault)),
        };
        Ok((Entries { region, next: header, place }, cut_off))
    }

    /// The size of the container.
    pub(crate) fn size(&self) -> u64 {
        self.region.length()
    }

    fn read(&mut self) -> Result<Image<'d>, FatbinError> {
        let what = "the header of an image";
        let fixed = self.region.part(self.next, ENTRY_HEADER, what)?;
        let header_size = u64::from(fixed.u32(4, what)?);
        if header_size < ENTRY_HEADER {
            let what = "the size of an image's header";
            return Err(FatbinError::Field { at: fixed.offset(4), what, found: header_size });
        }
        let header = self.region.part(self.next, header_size, what)?;
        let padded_size = header.u64(8, what)?;
        let compressed_size = u64::from(header.u32(16, what)?);
        let padded = self.region.part(
            self.next.saturating_add(header_size),
            padded_size,
            "the data of an image",
        )?;
        let flags = header.u64(40, what)?;
        let compression = match flags & (flag::LZ4 | flag::ZSTD) {
            0 => Compression::None,
            flag::LZ4 => Compression::Lz4,
            flag::ZSTD => Compression::Zstd,
            both => {
                let what = "the compression of an image";
                return Err(FatbinError::Field { at: header.offset(40), what, found: both });
            }
        };
        let (data, size) = match compression {
            Compression::None => (padded, padded_size),
            _ => {
                let data = padded.part(0, compressed_size, "the compressed data of an image")?;
                (data, header.u64(56, what)?)
            }
        };
        let kind = match header.u16(0, what)? {
            1 => ImageKind::Ptx,
            2 => ImageKind::Elf,
            8 => ImageKind::LtoIr,
            other => ImageKind::Other(other),
        };
        let suffix = match (flags & flag::SPECIFIC != 0, flags & flag::FAMILY != 0) {
            (true, _) => Suffix::Specific,
            (false, true) => Suffix::Family,
            (false, false) => Suffix::None,
        };
        let name = text(header, header.u32(32, what)?, header.u32(36, what)?, "an image's name")?;
        let options = options(header, kind)?;
        self.next = self.next.saturating_add(header_size).saturating_add(padded_size);
        Ok(Image {
            kind,
            architecture: Architecture { number: header.u32(28, what)?, suffix },
            version: (header.u16(26, what)?, header.u16(24, what)?),
            compression,
            stored_size: data.length(),
            size,
            name,
            options,
            debug: flags & flag::DEBUG != 0,
            wide_addresses: flags & flag::WIDE_ADDRESSES != 0,
            place: self.place,
            member: None,
            container: 0,
            ordinal: 0,
            data,
        })
    }
}

impl<'d> Iterator for Entries<'d> {
    type Item = Result<Image<'d>, FatbinError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.region.length() {
            return None;
        }
        let entry = self.read();
        if entry.is_err() {
            self.next = self.region.length();
        }
        Some(entry)
    }
}

/// A text of an entry. It has to be in the entry's own header, so that texts of different entries
/// share no bytes and take no more memory together than the file.
fn text<'d>(
    header: Region<'d>,
    offset: u32,
    length: u32,
    what: &'static str,
) -> Result<Cow<'d, str>, FatbinError> {
    if length == 0 {
        return Ok(Cow::Borrowed(""));
    }
    let bytes = header.part(offset.into(), length.into(), what)?.bytes;
    Ok(match String::from_utf8_lossy(bytes.trim_ascii()) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_end_matches('\0').trim()),
        owned => owned,
    })
}

/// The options of PTX and of code for link-time optimisation. Those of machine code are no text.
fn options<'d>(header: Region<'d>, kind: ImageKind) -> Result<Cow<'d, str>, FatbinError> {
    let what = "an image's options";
    let described_at = header.u32(20, what)?;
    if described_at == 0 || !matches!(kind, ImageKind::Ptx | ImageKind::LtoIr) {
        return Ok(Cow::Borrowed(""));
    }
    let at = u64::from(described_at);
    text(header, header.u32(at, what)?, header.u32(at.saturating_add(4), what)?, what)
}

#[cfg(test)]
pub(crate) mod handmade;

#[cfg(test)]
mod tests;
