//! One image: code for one architecture, in one form.

use crate::decompress::{LIKELY_RATIO, decompress, usual_limit};
use crate::region::Region;
use crate::{Architecture, FatbinError, Suffix};
use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// What an image holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// PTX text.
    Ptx,
    /// Machine code in an ELF file, a cubin.
    Elf,
    /// The compiler's own code for link-time optimisation, which is not documented.
    LtoIr,
    /// Something else, by its number.
    Other(u16),
}

/// How an image is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// As it is.
    None,
    /// An LZ4 block.
    Lz4,
    /// A zstd frame.
    Zstd,
}

/// What holds an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The section `.nv_fatbin`: what the program gives to the driver.
    Executable,
    /// The section `__nv_relfatbin`: what `-rdc=true` keeps of each object for the device linker.
    Relocatable,
    /// A container in a file of its own, or one that a program handed over.
    Fatbin,
    /// A file of machine code.
    Cubin,
    /// A file of PTX text.
    Text,
}

/// One image of a file.
#[derive(Debug, Clone)]
pub struct Image<'d> {
    /// What it holds.
    pub kind: ImageKind,
    /// What it was compiled for.
    pub architecture: Architecture,
    /// The version of PTX, 9.0, or of the machine code's file format.
    pub version: (u16, u16),
    /// How it is stored.
    pub compression: Compression,
    /// The bytes that it takes in the file, without its header.
    pub stored_size: u64,
    /// Its size once decompressed. PTX that is not compressed counts its padding.
    pub size: u64,
    /// The sources that it was compiled from, separated by spaces. nvcc notes them only with
    /// `-lineinfo` and `-G`; without, this is empty.
    pub name: Cow<'d, str>,
    /// The flags for ptxas that the program was compiled with: they belong to the PTX.
    pub options: Cow<'d, str>,
    /// Whether it was compiled with `-G`.
    pub debug: bool,
    /// Whether its addresses have 64 bits.
    pub wide_addresses: bool,
    /// What holds it.
    pub place: Place,
    /// The member of the archive that it is in.
    pub member: Option<&'d str>,
    /// Which container of the file it is in, from 0. A container is what the driver gets as one
    /// module and takes one image of.
    pub container: usize,
    /// Which image of its kind in the file it is, from 1.
    pub ordinal: usize,
    pub(crate) data: Region<'d>,
}

impl<'d> Image<'d> {
    /// Where its data starts in the file.
    pub fn offset(&self) -> u64 {
        self.data.base
    }

    /// Its data as it is stored, which may be compressed.
    pub fn stored(&self) -> &'d [u8] {
        self.data.bytes
    }

    /// Its data, decompressed. An image that claims to be more than 64 MiB and more than 50 times
    /// what is stored is refused.
    pub fn bytes(&self) -> Result<Cow<'d, [u8]>, FatbinError> {
        self.bytes_within(usual_limit(self.stored_size))
    }

    /// Its data, decompressed, if that is not more than `limit` bytes. The memory in use meanwhile is
    /// at most twice the limit and a few megabytes.
    pub fn bytes_within(&self, limit: u64) -> Result<Cow<'d, [u8]>, FatbinError> {
        match self.compression {
            Compression::None => Ok(Cow::Borrowed(self.data.bytes)),
            compression => decompress(self.data, compression, self.size, limit).map(Cow::Owned),
        }
    }

    /// Its data, decompressed, where nobody asked for it: with no exception for small images.
    pub(crate) fn likely_bytes(&self) -> Result<Cow<'d, [u8]>, FatbinError> {
        self.bytes_within(self.stored_size.saturating_mul(LIKELY_RATIO))
    }

    /// Its PTX text, exactly as the compiler wrote it: without the zeros that it is padded with.
    pub fn text(&self) -> Result<Cow<'d, str>, FatbinError> {
        self.text_within(usual_limit(self.stored_size))
    }

    /// Its PTX text, if that is not more than `limit` bytes.
    pub fn text_within(&self, limit: u64) -> Result<Cow<'d, str>, FatbinError> {
        if self.kind != ImageKind::Ptx {
            let (at, found) = (self.data.base, self.kind.in_words());
            return Err(FatbinError::Kind { at, found, wanted: ImageKind::Ptx.in_words() });
        }
        let not_text = |error: std::str::Utf8Error| FatbinError::NotText {
            at: self.data.base,
            valid: error.valid_up_to() as u64,
        };
        match self.bytes_within(limit)? {
            Cow::Borrowed(bytes) => {
                let text = &bytes[..text_length(bytes)];
                std::str::from_utf8(text).map(Cow::Borrowed).map_err(not_text)
            }
            Cow::Owned(mut bytes) => {
                bytes.truncate(text_length(&bytes));
                String::from_utf8(bytes)
                    .map(Cow::Owned)
                    .map_err(|error| not_text(error.utf8_error()))
            }
        }
    }

    /// Whether it is a part that the device linker puts together with others: code compiled with
    /// `-rdc=true`. Such a part may call functions that it does not contain.
    pub fn is_relocatable(&self) -> bool {
        self.place == Place::Relocatable
            || self.options.split_whitespace().any(|option| option == "--compile-only")
    }

    /// The name of the file that `cuobjdump` extracts this image to, where it extracts any.
    pub fn extracted_name(&self, file: &Path) -> Option<String> {
        let (ending, architecture) = match self.kind {
            ImageKind::Ptx => ("ptx", self.architecture),
            // Of machine code, cuobjdump does not distinguish `sm_100f` from `sm_100`.
            ImageKind::Elf if self.architecture.suffix == Suffix::Family => {
                ("cubin", Architecture::plain(self.architecture.number))
            }
            ImageKind::Elf => ("cubin", self.architecture),
            ImageKind::LtoIr | ImageKind::Other(_) => return None,
        };
        let stem = |path: &Path| {
            path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let sources: Vec<_> =
            self.name.split_whitespace().map(|source| stem(Path::new(source))).collect();
        Some(match (sources.is_empty(), self.place) {
            (false, _) => format!("{}.{architecture}.{ending}", sources.join("-")),
            (true, Place::Cubin | Place::Text) => format!("{}.{architecture}.{ending}", stem(file)),
            (true, _) => format!("{}.{}.{architecture}.{ending}", stem(file), self.ordinal),
        })
    }
}

/// Text ends at the first zero, for the compiler as for us.
fn text_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len())
}

impl ImageKind {
    /// What it is, for a sentence.
    pub fn in_words(self) -> &'static str {
        match self {
            ImageKind::Ptx => "PTX",
            ImageKind::Elf => "machine code",
            ImageKind::LtoIr => "code for link-time optimisation",
            ImageKind::Other(_) => "of an unknown kind",
        }
    }
}

impl fmt::Display for ImageKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageKind::Ptx => formatter.pad("ptx"),
            ImageKind::Elf => formatter.pad("elf"),
            ImageKind::LtoIr => formatter.pad("lto-ir"),
            ImageKind::Other(number) => formatter.pad(&format!("kind {number}")),
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Compression::None => "none",
            Compression::Lz4 => "LZ4",
            Compression::Zstd => "zstd",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Place::Executable => ".nv_fatbin",
            Place::Relocatable => "__nv_relfatbin",
            Place::Fatbin => "fatbin",
            Place::Cubin => "cubin",
            Place::Text => "text",
        })
    }
}
