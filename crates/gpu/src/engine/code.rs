//! Code as the program loaded it, read when something of it is launched: finds the PTX of its images, or says why there is
//! none.

use super::error::CodeError;
use crate::driver_types::CUjitInputType;
use crate::hooks::CodeSource;
use self_cell::self_cell;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::c_void;
use std::path::Path;
use warpsan_fatbin::{Architecture, Container, choose, readable_bytes};
use warpsan_ir::ModuleIndex;
use warpsan_ir::link::{Unit, link};
use warpsan_ptx::Document;

self_cell!(
    /// PTX text with its tree, and the names in it.
    pub(super) struct Source {
        owner: Document,
        #[covariant]
        dependent: ModuleIndex,
    }
);

impl Source {
    pub(super) fn document(&self) -> &Document {
        self.borrow_owner()
    }

    pub(super) fn index(&self) -> &ModuleIndex<'_> {
        self.borrow_dependent()
    }
}

/// Code that was loaded.
pub(super) struct Code {
    images: Vec<Image>,
    /// What was chosen for each architecture.
    sources: HashMap<u32, Result<Source, CodeError>>,
    /// Its other kernels were asked for ahead.
    pub(super) is_asked_for: bool,
}

enum Image {
    /// Bytes that stay where they are: a part of the program itself.
    Place(usize, usize),
    Bytes(Vec<u8>),
    Nothing(CodeError),
}

/// The wrapper that nvcc puts around a fat binary.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const u8,
    units: *const *const u8,
}

const WRAPPER: u32 = 0x4662_43B1;
const CONTAINER: u32 = 0xBA55_ED50;
/// The version of the wrapper of a program that was compiled with `-rdc=true`.
const WITH_UNITS: u32 = 2;
/// No text of a program is longer.
const LONGEST_TEXT: usize = 1 << 30;

impl Code {
    pub(super) fn of(source: CodeSource<'_>) -> Code {
        let images = match source {
            // SAFETY: the program hands over an image that says itself how long it is.
            CodeSource::Image { start, stays } => unsafe { images_at(start, stays) },
            CodeSource::File(path) => vec![image_in(path)],
            CodeSource::Linked { pieces, .. } => {
                let text = pieces.iter().map(|piece| match piece.kind {
                    CUjitInputType::PTX | CUjitInputType::FATBINARY => {
                        Image::Bytes(piece.bytes.to_vec())
                    }
                    _ => Image::Nothing(CodeError::LinkedFromMachineCode),
                });
                text.collect()
            }
        };
        Code { images, sources: HashMap::new(), is_asked_for: false }
    }

    /// The PTX of the code, or why there is none.
    pub(super) fn source(&mut self, architecture: u32) -> Result<&Source, CodeError> {
        let images = &self.images;
        let source = self.sources.entry(architecture).or_insert_with(|| read(images, architecture));
        source.as_ref().map_err(Clone::clone)
    }

    /// Identifies the PTX of the code, which is not even decompressed for that; or why there is none.
    pub(super) fn digest(&self, architecture: u32) -> Result<[u8; 32], CodeError> {
        let mut all = Sha256::new();
        for image in &self.images {
            let bytes = image.bytes()?;
            let (is_entry, part) = match chosen(&bytes, architecture)? {
                None => continue,
                Some(Chosen::Entry(entry)) => (true, entry.stored()),
                Some(Chosen::Text(text)) => (false, text),
            };
            all.update([u8::from(is_entry)]);
            all.update((part.len() as u64).to_le_bytes());
            all.update(part);
        }
        Ok(all.finalize().into())
    }
}

impl Image {
    /// Its bytes.
    fn bytes(&self) -> Result<Cow<'_, [u8]>, CodeError> {
        match self {
            // SAFETY: the program promised to leave it there until it unloads the code, and then this is gone.
            Image::Place(start, length) => Ok(Cow::Borrowed(unsafe {
                std::slice::from_raw_parts(*start as *const u8, *length)
            })),
            Image::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Image::Nothing(why) => Err(why.clone()),
        }
    }
}

/// What is in a file now: the program may remove it as soon as the driver has read it.
fn image_in(path: &Path) -> Image {
    std::fs::read(path).map_or_else(
        |error| {
            let (file, error) = (path.display().to_string(), error.to_string());
            Image::Nothing(CodeError::Unreadable { file, error })
        },
        Image::Bytes,
    )
}

/// # Safety
/// `start` leads to a wrapper, a container, machine code or text with a zero at its end.
unsafe fn images_at(start: *const c_void, stays: bool) -> Vec<Image> {
    if start.is_null() {
        return vec![Image::Nothing(CodeError::NoImage)];
    }
    // SAFETY: every image is longer than this, texts included: they begin with `.version`.
    let magic = unsafe { start.cast::<u32>().read_unaligned() };
    if magic == WRAPPER {
        // SAFETY: that is a wrapper.
        let wrapper = unsafe { &*start.cast::<Wrapper>() };
        if wrapper.version == WITH_UNITS && !wrapper.units.is_null() {
            let mut images = Vec::new();
            let mut next = wrapper.units;
            // SAFETY: the list ends with a null pointer.
            while let Some(unit) = unsafe { next.read().as_ref() } {
                // SAFETY: each leads to a container.
                images.push(unsafe { image_at(unit, stays) });
                // SAFETY: not yet at its end.
                next = unsafe { next.add(1) };
            }
            return images;
        }
        // SAFETY: a wrapper leads to a container.
        return vec![unsafe { image_at(wrapper.data, stays) }];
    }
    // SAFETY: the same image.
    vec![unsafe { image_at(start.cast(), stays) }]
}

/// # Safety
/// `start` leads to a container, machine code or text with a zero at its end.
unsafe fn image_at(start: *const u8, stays: bool) -> Image {
    if start.is_null() {
        return Image::Nothing(CodeError::NoImage);
    }
    // SAFETY: every image has four bytes.
    let magic = unsafe { start.cast::<u32>().read_unaligned() };
    let length = match magic {
        CONTAINER => {
            // SAFETY: a container has a header of 16 bytes, with the size of what follows.
            let follows = unsafe { start.add(8).cast::<u64>().read_unaligned() };
            // A damaged header promises more than there is.
            readable_bytes(start.addr(), follows.saturating_add(16))
        }
        0x464C_457F => return Image::Nothing(CodeError::MachineCode),
        // SAFETY: text ends with a zero.
        _ => unsafe { text_length(start) },
    };
    if stays {
        return Image::Place(start as usize, length);
    }
    // SAFETY: so many bytes are there.
    Image::Bytes(unsafe { std::slice::from_raw_parts(start, length) }.to_vec())
}

/// # Safety
/// There is a zero behind the text.
unsafe fn text_length(start: *const u8) -> usize {
    // SAFETY: the caller says that there is an end.
    (0..LONGEST_TEXT).find(|at| unsafe { *start.add(*at) } == 0).unwrap_or(0)
}

fn read(images: &[Image], architecture: u32) -> Result<Source, CodeError> {
    let mut documents = Vec::new();
    for image in images {
        let bytes = image.bytes()?;
        let text = match chosen(&bytes, architecture)? {
            None => continue,
            Some(Chosen::Text(text)) => String::from_utf8_lossy(text).into_owned(),
            Some(Chosen::Entry(entry)) => entry.text()?.into_owned(),
        };
        let document = Document::parse(text);
        if let Some(error) = document.errors().first() {
            return Err(CodeError::InvalidPtx(error.message_with_line(document.text())));
        }
        documents.push(document);
    }
    let document = match documents.len() {
        0 => return Err(CodeError::NoCode),
        1 => documents.remove(0),
        _ => {
            let names: Vec<String> =
                (1..=documents.len()).map(|number| format!("unit {number}")).collect();
            let units: Vec<Unit<'_>> = documents
                .iter()
                .zip(&names)
                .map(|(document, name)| Unit { name, module: document.module() })
                .collect();
            let linked = link(&units).map_err(CodeError::NotLinked)?;
            Document::parse(linked.text)
        }
    };
    Ok(Source::new(document, |document| ModuleIndex::of(document)))
}

/// The PTX of an image.
enum Chosen<'d> {
    /// An entry of a container, most likely compressed.
    Entry(warpsan_fatbin::Image<'d>),
    Text(&'d [u8]),
}

/// Chooses the PTX of an image; none if it has no code at all. Of other entries nothing but their headers is touched:
/// they may be hundreds of megabytes.
fn chosen(bytes: &[u8], architecture: u32) -> Result<Option<Chosen<'_>>, CodeError> {
    if bytes.starts_with(&CONTAINER.to_le_bytes()) {
        let container = Container::parse(bytes)?;
        if container.images.is_empty() {
            return Ok(None);
        }
        let choice = choose(&container.images, Architecture::plain(architecture));
        let Some(image) = choice.ptx else {
            return Err(CodeError::MachineCodeOnly);
        };
        return Ok(Some(Chosen::Entry(image.clone())));
    }
    if bytes.starts_with(b"\x7fELF") {
        return Err(CodeError::MachineCode);
    }
    Ok(Some(Chosen::Text(bytes.split(|byte| *byte == 0).next().unwrap_or_default())))
}

#[cfg(test)]
mod tests;
