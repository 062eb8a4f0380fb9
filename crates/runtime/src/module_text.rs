//! The PTX text of a module: out of its fat binary, or linked from the fat binaries of its units.

use crate::module_error::ModuleError;
use warpsan_fatbin::{Architecture, Container, FatbinError, choose};
use warpsan_ir::link::{Unit, link};
use warpsan_model::EMULATED_DEVICE;
use warpsan_ptx::{Document, Item};

/// The architecture that the CPU engine runs as.
const ARCHITECTURE: u32 = EMULATED_DEVICE.architecture();

/// The PTX text of a fat binary. A program without any cannot be checked; the error says how to get it.
pub(crate) fn ptx_of(bytes: &[u8]) -> Result<String, ModuleError> {
    let container = Container::parse(bytes).map_err(broken)?;
    let choice = choose(&container.images, Architecture::plain(ARCHITECTURE));
    if let Some(image) = choice.ptx {
        return Ok(image.text().map_err(broken)?.into_owned());
    }
    Err(ModuleError::Unsupported(match choice.warnings.first() {
        Some(warning) => warning.to_string(),
        None => "a fat binary without code".to_string(),
    }))
}

/// The PTX text of a program that was compiled with `-rdc=true`: each unit has its own fat binary,
/// and what the device linker made of them is machine code only, so they are linked here again.
pub(crate) fn linked_ptx_of(units: &[Vec<u8>]) -> Result<String, ModuleError> {
    let mut documents = Vec::new();
    for bytes in units.iter().filter(|bytes| has_code(bytes)) {
        let document = Document::parse(ptx_of(bytes)?);
        readable(&document)?;
        let name = source_of(&document).unwrap_or_else(|| format!("unit {}", documents.len() + 1));
        documents.push((name, document));
    }
    let units: Vec<Unit<'_>> =
        documents.iter().map(|(name, document)| Unit { name, module: document.module() }).collect();
    let unlinked = |error| ModuleError::Unreadable(format!("the units do not link: {error}"));
    Ok(link(&units).map_err(unlinked)?.text)
}

/// Refuses text that is no PTX.
pub(crate) fn readable(document: &Document) -> Result<(), ModuleError> {
    let Some(error) = document.errors().first() else { return Ok(()) };
    let error = error.message_with_line(document.text());
    let more = match document.errors().len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let what = format!("the PTX cannot be read: {error}{more}");
    Err(ModuleError::Unreadable(what))
}

fn broken(error: FatbinError) -> ModuleError {
    ModuleError::Unreadable(error.to_string())
}

/// Whether a unit brings anything: those without device code have an empty container.
fn has_code(bytes: &[u8]) -> bool {
    Container::parse(bytes).map_or(true, |container| !container.images.is_empty())
}

/// The source file that the line table of a unit names first.
fn source_of(document: &Document) -> Option<String> {
    document.module().items.iter().find_map(|item| match item {
        Item::File(file) => Some(file.path.to_owned()),
        _ => None,
    })
}
