//! Files: where in an executable, a library or an object the containers are.

use crate::container::{Entries, number_by_kind};
use crate::cubin::{MACHINE_CUDA, cubin_header};
use crate::ptx_header::{looks_like_ptx, read_ptx_header};
use crate::region::Region;
use crate::{Architecture, CONTAINER_MAGIC, Compression, FatbinError, Image, ImageKind, Place};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::fmt;

/// Faults beyond this number are not listed one by one.
const MOST_FAULTS: usize = 32;
const MAGIC: [u8; 4] = CONTAINER_MAGIC.to_le_bytes();
/// The ELF type of files that are still to be linked.
const ELF_RELOCATABLE: u16 = 1;

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// An executable or a shared library.
    Program,
    /// An object file.
    Object,
    /// A static library.
    Archive,
    /// Containers without anything around them.
    Fatbin,
    /// Machine code for a GPU.
    Cubin,
    /// PTX text.
    Ptx,
}

/// A file with CUDA code, and a list of its images. Only headers have been read: pages of a mapped
/// file that hold code stay untouched until the code is asked for.
#[derive(Debug)]
pub struct FatFile<'d> {
    /// What kind of file it is.
    pub format: FileFormat,
    /// All images, in the order in which they are stored.
    pub images: Vec<Image<'d>>,
    /// What is broken in it. The images that could be read in spite of it are listed.
    pub faults: Vec<FatbinError>,
    containers: usize,
}

impl<'d> FatFile<'d> {
    /// Finds the images of a file, which may be any that [`FileFormat`] lists.
    pub fn open(bytes: &'d [u8]) -> Result<FatFile<'d>, FatbinError> {
        let region = Region::whole(bytes);
        let mut file = FatFile {
            format: FileFormat::Archive,
            images: Vec::new(),
            faults: Vec::new(),
            containers: 0,
        };
        if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") {
            file.read_archive(bytes)?;
        } else {
            file.format = file.read_member(region, None)?.ok_or_else(|| not_recognised(bytes))?;
        }
        number_by_kind(&mut file.images);
        Ok(file)
    }

    /// A file that is PTX because its name says so, whatever it contains.
    pub fn of_ptx_text(bytes: &'d [u8]) -> FatFile<'d> {
        let mut file = FatFile {
            format: FileFormat::Ptx,
            images: Vec::new(),
            faults: Vec::new(),
            containers: 0,
        };
        file.add_text(Region::whole(bytes), None);
        number_by_kind(&mut file.images);
        file
    }

    /// How many containers the file has; each image knows the number of its own.
    pub fn container_count(&self) -> usize {
        self.containers
    }

    fn fault(&mut self, fault: FatbinError) {
        match self.faults.len() {
            0..MOST_FAULTS => self.faults.push(fault),
            MOST_FAULTS => self.faults.push(FatbinError::Others { listed: MOST_FAULTS }),
            _ => {}
        }
    }

    fn read_archive(&mut self, bytes: &'d [u8]) -> Result<(), FatbinError> {
        let broken = |error: object::Error| FatbinError::Archive { reason: error.to_string() };
        let archive = ArchiveFile::parse(bytes).map_err(broken)?;
        if archive.is_thin() {
            let reason = "it is a thin one, without its members; read those instead".to_string();
            return Err(FatbinError::Archive { reason });
        }
        for member in archive.members() {
            let member = match member {
                Ok(member) => member,
                Err(error) => {
                    self.fault(broken(error));
                    break;
                }
            };
            let (offset, size) = member.file_range();
            let name = std::str::from_utf8(member.name()).unwrap_or("(a name that is no text)");
            let read = Region::whole(bytes)
                .part(offset, size, "a member of the archive")
                .and_then(|region| self.read_member(region, Some(name)));
            // Members without CUDA code are nothing special.
            if let Err(fault) = read {
                self.fault(fault);
            }
        }
        Ok(())
    }

    /// Reads a file or a member of an archive. Nothing is returned for what has no CUDA code in it.
    fn read_member(
        &mut self,
        region: Region<'d>,
        member: Option<&'d str>,
    ) -> Result<Option<FileFormat>, FatbinError> {
        let bytes = region.bytes;
        if bytes.starts_with(b"\x7fELF") {
            let machine = region.u16(18, "the header of an ELF file")?;
            if machine == MACHINE_CUDA {
                self.add_cubin(region, member)?;
                return Ok(Some(FileFormat::Cubin));
            }
            self.read_host_elf(region, member)?;
            let kind = region.u16(16, "the header of an ELF file")?;
            let is_object = kind == ELF_RELOCATABLE;
            return Ok(Some(if is_object { FileFormat::Object } else { FileFormat::Program }));
        }
        if bytes.starts_with(&MAGIC) {
            self.read_containers(region, Place::Fatbin, member);
            return Ok(Some(FileFormat::Fatbin));
        }
        if looks_like_ptx(bytes) {
            self.add_text(region, member);
            return Ok(Some(FileFormat::Ptx));
        }
        Ok(None)
    }

    fn read_host_elf(
        &mut self,
        region: Region<'d>,
        member: Option<&'d str>,
    ) -> Result<(), FatbinError> {
        let broken =
            |error: object::Error| FatbinError::Elf { at: region.base, reason: error.to_string() };
        let file = object::File::parse(region.bytes).map_err(broken)?;
        // A broken file may have many sections over the same bytes, which must not be read again
        // for each of them.
        let mut read: Vec<(u64, u64)> = Vec::new();
        for section in file.sections() {
            let place = match section.name_bytes() {
                Ok(b".nv_fatbin") => Place::Executable,
                Ok(b"__nv_relfatbin") => Place::Relocatable,
                _ => continue,
            };
            let Some((at, length)) = section.file_range() else { continue };
            if read.len() >= MOST_FAULTS {
                let what = "the number of sections with fat binaries";
                self.fault(FatbinError::Field { at: region.base, what, found: read.len() as u64 });
                break;
            }
            let end = at.saturating_add(length);
            if let Some((other, _)) = read.iter().find(|(from, to)| at < *to && *from < end) {
                let what = "a section inside of another, which";
                self.fault(FatbinError::Field { at: region.offset(at), what, found: *other });
                continue;
            }
            read.push((at, end));
            match region.part(at, length, "a section with fat binaries") {
                Ok(section) => self.read_containers(section, place, member),
                Err(fault) => self.fault(fault),
            }
        }
        Ok(())
    }

    /// Reads the containers of a section. Between those of different objects the linker pads with
    /// zeros.
    fn read_containers(&mut self, region: Region<'d>, place: Place, member: Option<&'d str>) {
        let mut at = 0;
        while let Ok(rest) = region.part(at, region.length() - at, "a section")
            && !rest.bytes.is_empty()
        {
            let gap = length_before_magic(rest.bytes);
            if rest.bytes[..gap].iter().any(|byte| *byte != 0) {
                self.fault(FatbinError::Stray { at: rest.base, length: gap as u64 });
            }
            at += gap as u64;
            let Ok(rest) = rest.part(gap as u64, rest.length() - gap as u64, "a section") else {
                break;
            };
            if rest.bytes.is_empty() {
                break;
            }
            at += match Entries::new(rest, place) {
                Ok((entries, cut_off)) => {
                    if let Some(fault) = cut_off {
                        self.fault(fault);
                    }
                    let size = entries.size();
                    self.read_entries(entries, member);
                    size
                }
                Err(fault) => {
                    self.fault(fault);
                    // The search for the next one goes on behind the magic number.
                    MAGIC.len() as u64
                }
            };
        }
    }

    fn read_entries(&mut self, entries: Entries<'d>, member: Option<&'d str>) {
        let container = self.new_container();
        for entry in entries {
            match entry {
                Ok(image) => self.images.push(Image { member, container, ..image }),
                Err(fault) => self.fault(fault),
            }
        }
    }

    fn new_container(&mut self) -> usize {
        self.containers += 1;
        self.containers - 1
    }

    fn add_cubin(
        &mut self,
        region: Region<'d>,
        member: Option<&'d str>,
    ) -> Result<(), FatbinError> {
        let header = cubin_header(region)?;
        let image = Image {
            kind: ImageKind::Elf,
            architecture: header.architecture,
            version: (1, header.abi_version.into()),
            wide_addresses: header.wide_addresses,
            ..self.plain_image(region, Place::Cubin, member)
        };
        self.images.push(image);
        Ok(())
    }

    fn add_text(&mut self, region: Region<'d>, member: Option<&'d str>) {
        let header = read_ptx_header(region.bytes);
        let image = Image {
            kind: ImageKind::Ptx,
            architecture: header.architecture.unwrap_or(Architecture::plain(0)),
            version: header.version,
            debug: header.debug,
            wide_addresses: header.wide_addresses,
            ..self.plain_image(region, Place::Text, member)
        };
        self.images.push(image);
    }

    /// An image that is a file of its own, in a container of its own.
    fn plain_image(
        &mut self,
        region: Region<'d>,
        place: Place,
        member: Option<&'d str>,
    ) -> Image<'d> {
        Image {
            kind: ImageKind::Other(0),
            architecture: Architecture::plain(0),
            version: (0, 0),
            compression: Compression::None,
            stored_size: region.length(),
            size: region.length(),
            name: Cow::Borrowed(""),
            options: Cow::Borrowed(""),
            debug: false,
            wide_addresses: false,
            place,
            member,
            container: self.new_container(),
            ordinal: 0,
            data: region,
        }
    }
}

/// How many bytes there are before the next magic number; all, if there is none.
fn length_before_magic(bytes: &[u8]) -> usize {
    bytes.windows(MAGIC.len()).position(|window| window == MAGIC).unwrap_or(bytes.len())
}

fn not_recognised(bytes: &[u8]) -> FatbinError {
    let first = &bytes[..bytes.len().min(16)];
    let start = match std::str::from_utf8(first) {
        Ok("") => "nothing: it is empty".to_string(),
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("the bytes {first:02x?}"),
    };
    FatbinError::NotRecognised { start }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            FileFormat::Program => "program or shared library",
            FileFormat::Object => "object file",
            FileFormat::Archive => "static library",
            FileFormat::Fatbin => "fat binary",
            FileFormat::Cubin => "machine code (cubin)",
            FileFormat::Ptx => "PTX text",
        })
    }
}

#[cfg(test)]
mod tests;
