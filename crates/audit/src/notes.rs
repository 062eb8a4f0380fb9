//! Notes for `warpsan run` about objects that are not checked.
//!
//! One line for each: the kind, a tab, and the object's path. `crates/cli/src/process/unchecked.rs` reads
//! them.

use std::path::Path;
use warpsan_evidence::{Log, StreamKind};

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
    /// It carries kernels or cudart and is in a namespace of its own (`dlmopen`), where our libraries are not.
    OtherNamespace,
    /// Its file could not be read, so that nobody knows what it carries.
    Unreadable,
}

impl Note {
    fn word(self) -> &'static str {
        match self {
            Note::Stripped => "stripped",
            Note::UnknownVersion => "unknown-version",
            Note::NotPatched => "not-patched",
            Note::Driver => "driver",
            Note::ClosedLibrary => "closed-library",
            Note::OtherNamespace => "other-namespace",
            Note::Unreadable => "unreadable",
        }
    }
}

/// Where notes go: the log of the run, mapped before the program's first instruction.
pub(crate) struct Notes {
    log: Option<Log>,
}

impl Notes {
    /// Notes go to this log. Where it cannot be used, the command knows by itself that the process was not entered.
    pub(crate) fn to(log: &Path) -> Notes {
        Notes { log: Log::open(log).ok() }
    }

    #[cfg(test)]
    pub(crate) fn to_nowhere() -> Notes {
        Notes { log: None }
    }

    /// Appends a note.
    pub(crate) fn write(&self, note: Note, path: &[u8]) {
        let Some(log) = &self.log else { return };
        let mut line = Vec::with_capacity(path.len() + 32);
        line.extend_from_slice(note.word().as_bytes());
        line.push(b'\t');
        // A line break in a path must not make two notes of one.
        line.extend(path.iter().map(|&byte| if byte == b'\n' { b'?' } else { byte }));
        line.push(b'\n');
        // What finds no room is counted by the log itself.
        let _ = log.stream(StreamKind::Audit).append(&line);
    }
}
