//! Notes for `warpsan run` about objects that are not checked.
//!
//! One line for each: the kind, a tab, and the object's path. `crates/cli/src/process.rs` reads
//! them.

use std::ffi::CStr;

/// Why the kernels of an object are not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    /// It carries kernels and a cudart whose symbols were stripped.
    Stripped,
    /// It carries a cudart of a version that we do not answer.
    UnknownVersion,
    /// Its code could not be changed.
    NotPatched,
    /// It is the CUDA driver: the program works around the runtime.
    Driver,
    /// It is a library of NVIDIA's with kernels that are machine code only.
    ClosedLibrary,
}

impl Note {
    fn word(self) -> &'static str {
        match self {
            Note::Stripped => "stripped",
            Note::UnknownVersion => "unknown-version",
            Note::NotPatched => "not-patched",
            Note::Driver => "driver",
            Note::ClosedLibrary => "closed-library",
        }
    }
}

/// Appends a note. A failure to write is ignored: there is nobody to report it to.
pub(crate) fn write(file: Option<&CStr>, note: Note, path: &[u8]) {
    let Some(file) = file else { return };
    let mut line = Vec::with_capacity(path.len() + 32);
    line.extend_from_slice(note.word().as_bytes());
    line.push(b'\t');
    // A line break in a path must not make two notes of one.
    line.extend(path.iter().map(|&byte| if byte == b'\n' { b'?' } else { byte }));
    line.push(b'\n');
    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC;
    // SAFETY: the path is a C string; the mode goes with `O_CREAT`.
    let descriptor = unsafe { libc::open(file.as_ptr(), flags, 0o600) };
    if descriptor >= 0 {
        // One call, so that lines of several processes do not mix.
        // SAFETY: the buffer is valid for its length, and the descriptor is open.
        unsafe {
            libc::write(descriptor, line.as_ptr().cast(), line.len());
            libc::close(descriptor);
        }
    }
}
