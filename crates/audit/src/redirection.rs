//! The work at each change of the loaded objects: look at the new ones, and redirect.

use crate::elf::ElfFile;
use crate::entry_points::{Contents, CudartVersion, Slot, exports, has_kernels, inspect, slots};
use crate::mapped_file::MappedFile;
use crate::notes::Note;
use crate::patch::{JUMP_BYTES, WritableCode};
use crate::settings::Settings;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

/// An object of the program as the dynamic linker announced it.
pub(crate) struct LoadedObject {
    /// Its path; empty for the program itself.
    pub(crate) path: CString,
    /// How far its addresses are from those in its file.
    pub(crate) base: u64,
    /// It is where the program is, and our libraries; not in a namespace that `dlmopen` made.
    pub(crate) is_in_base_namespace: bool,
}

impl LoadedObject {
    /// A path that can be opened.
    fn file(&self) -> &CStr {
        if self.path.is_empty() { c"/proc/self/exe" } else { &self.path }
    }

    /// A path that says something to a person.
    fn name(&self) -> Vec<u8> {
        use std::os::unix::ffi::OsStringExt;
        if !self.path.is_empty() {
            return self.path.to_bytes().to_vec();
        }
        let program = std::env::current_exe();
        program.map_or_else(|_| b"the program".to_vec(), |path| path.into_os_string().into_vec())
    }
}

/// What is known about the process.
pub(crate) struct Redirection {
    settings: Settings,
    /// Our libraries, with the place where each is loaded.
    ours: BTreeMap<CudartVersion, LoadedObject>,
    /// Objects that are loaded and have not been looked at.
    pending: Vec<LoadedObject>,
}

/// Libraries that bring kernels of their own, without PTX, and a cudart without symbols: how their names
/// begin, before the `.so`.
const CLOSED_LIBRARIES: [&[u8]; 13] = [
    b"libcublas",
    b"libcudnn",
    b"libcufft",
    b"libcufile",
    b"libcurand",
    b"libcusolver",
    b"libcusparse",
    b"libcutensor",
    b"libnccl",
    b"libnpp",
    b"libnvinfer",
    b"libnvjpeg",
    b"libnvshmem",
];

/// A library through which kernels run that nobody checks. Calls of cudart 12 and 13 come to ours
/// whatever file is loaded.
fn foreign_library(path: &[u8]) -> Option<Note> {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    if name.starts_with(b"libcuda.so") {
        return Some(Note::Driver);
    }
    if CLOSED_LIBRARIES.iter().any(|start| name.starts_with(start)) {
        return Some(Note::ClosedLibrary);
    }
    let version = name.strip_prefix(b"libcudart.so.")?;
    let answered = version.starts_with(b"12") || version.starts_with(b"13");
    (!answered).then_some(Note::UnknownVersion)
}

impl Redirection {
    pub(crate) fn new(settings: Settings) -> Redirection {
        Redirection { settings, ours: BTreeMap::new(), pending: Vec::new() }
    }

    /// Takes note of a new object.
    pub(crate) fn add(&mut self, object: LoadedObject) {
        let path = object.path.to_bytes();
        if !self.settings.is_ours(path) {
            self.pending.push(object);
            return;
        }
        // A copy of ours in another namespace has a state of its own, which nobody hears of.
        if !object.is_in_base_namespace {
            self.settings.notes.write(Note::OtherNamespace, path);
            return;
        }
        for version in [CudartVersion::V12, CudartVersion::V13] {
            if path.ends_with(version.library().as_bytes()) {
                self.ours.insert(version, object);
                return;
            }
        }
    }

    /// Looks at the new objects, before any of their code runs.
    pub(crate) fn redirect_new_objects(&mut self) {
        for object in std::mem::take(&mut self.pending) {
            if let Some(note) = self.redirect(&object) {
                self.settings.notes.write(note, &object.name());
            }
        }
    }

    fn redirect(&self, object: &LoadedObject) -> Option<Note> {
        if let Some(note) = foreign_library(object.path.to_bytes()) {
            return Some(note);
        }
        let Some(file) = MappedFile::open(object.file()) else {
            // What has no path is the system's own.
            let is_file = object.path.is_empty() || object.path.to_bytes().contains(&b'/');
            return is_file.then_some(Note::Unreadable);
        };
        let file = ElfFile::parse(file.bytes())?;
        match inspect(&file) {
            Contents::NoStaticCudart if object.is_in_base_namespace => None,
            Contents::NoStaticCudart => has_kernels(&file).then_some(Note::OtherNamespace),
            Contents::Stripped => Some(Note::Stripped),
            Contents::OtherCudart => Some(Note::UnknownVersion),
            Contents::StaticCudart(version) => self
                .redirect_entry_points(object, &file, version)
                .is_none()
                .then_some(Note::NotPatched),
        }
    }

    /// Nothing when our library is missing, a slot is too small, or the code cannot be changed.
    fn redirect_entry_points(
        &self,
        object: &LoadedObject,
        file: &ElfFile<'_>,
        version: CudartVersion,
    ) -> Option<()> {
        let ours = self.ours.get(&version)?;
        let our_file = MappedFile::open(ours.file())?;
        let exports = exports(&ElfFile::parse(our_file.bytes())?);
        let slots = slots(file, &exports);
        if slots.iter().any(|slot| slot.room < JUMP_BYTES as u64) {
            return None;
        }
        let first = slots.iter().map(|slot| slot.from).min()?;
        let last = slots.iter().map(|slot| slot.from).max()?;
        let place = |offset: u64| usize::try_from(object.base.wrapping_add(offset)).ok();
        // SAFETY: these are functions of the object, which is mapped and whose constructors have
        // not run.
        let code = unsafe { WritableCode::unlock(place(first)?, place(last)? + JUMP_BYTES) }?;
        for Slot { from, to, .. } in slots {
            // SAFETY: the slot lies between the first and the last, and has room for a jump.
            unsafe { code.redirect(place(from)?, ours.base.wrapping_add(to)) };
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_and_other_runtimes_are_noted() {
        assert_eq!(foreign_library(b"/usr/lib/libcuda.so.1"), Some(Note::Driver));
        assert_eq!(foreign_library(b"/opt/libcudart.so.11.0"), Some(Note::UnknownVersion));
        for closed in ["/x/libcublas.so.13", "libcublasLt.so.12", "/y/libcudnn_ops.so.9"] {
            assert_eq!(foreign_library(closed.as_bytes()), Some(Note::ClosedLibrary), "{closed}");
        }
        for fine in
            ["/x/libcudart.so.12", "libcudart.so.13", "/lib/libc.so.6", "/x/libcudadevrt.so"]
        {
            assert_eq!(foreign_library(fine.as_bytes()), None, "{fine}");
        }
    }
}
