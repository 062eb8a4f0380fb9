//! What the audit library could not redirect.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use warpsan_evidence::{Evidence, StreamKind};
use warpsan_report::NotCovered;

/// A program or library whose kernels were not checked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UncheckedObject {
    /// The file.
    pub(crate) path: PathBuf,
    /// Why.
    pub(crate) reason: UncheckedReason,
}

/// Why the kernels of an object were not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UncheckedReason {
    /// Its cudart is linked statically and its symbols are stripped.
    Stripped,
    /// Its cudart is linked statically and is neither of CUDA 12 nor of CUDA 13.
    UnknownVersion,
    /// Its code could not be changed.
    NotPatched,
    /// It is the CUDA driver, which the program uses without the runtime.
    Driver,
    /// It is a library of NVIDIA's that brings kernels as machine code only.
    ClosedLibrary,
    /// It was loaded into a namespace of its own, where our libraries are not.
    OtherNamespace,
    /// Its file could not be read when it was loaded.
    Unreadable,
}

impl UncheckedObject {
    /// What a report says about it.
    pub(crate) fn in_report(&self) -> NotCovered {
        NotCovered {
            what: self.to_string(),
            place: self.path.display().to_string(),
            advice: self.advice().to_string(),
        }
    }

    /// What the reader can do, or has to know.
    pub(crate) fn advice(&self) -> &'static str {
        match self.reason {
            UncheckedReason::ClosedLibrary => {
                "without a GPU its functions fail; leave the parts that use it out, or put kernels of \
                 your own in their place for the check"
            }
            _ => "its kernels were not checked",
        }
    }

    /// Whether functions of the driver that are not supported follow from this and need not be reported. A cudart that is
    /// not redirected asks the driver for all its functions at once.
    pub(crate) fn explains_driver_functions(&self) -> bool {
        matches!(self.reason, UncheckedReason::Stripped | UncheckedReason::ClosedLibrary)
    }
}

impl fmt::Display for UncheckedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.reason {
            UncheckedReason::Stripped => write!(
                f,
                "{path} has kernels and a statically linked CUDA runtime without symbols, which \
                 cannot be redirected"
            ),
            UncheckedReason::UnknownVersion => write!(
                f,
                "{path} is, or contains, a CUDA runtime that is neither of CUDA 12 nor of CUDA 13"
            ),
            UncheckedReason::Driver => {
                return write!(
                    f,
                    "{path} was loaded: what a program does through the driver API is not checked yet"
                );
            }
            UncheckedReason::ClosedLibrary => {
                return write!(
                    f,
                    "{path} was loaded, whose kernels are machine code without PTX: they cannot run here"
                );
            }
            UncheckedReason::OtherNamespace => {
                return write!(
                    f,
                    "{path} was loaded by dlmopen into a namespace of its own, where warpsan is not"
                );
            }
            UncheckedReason::Unreadable => {
                return write!(
                    f,
                    "{path} was loaded and could not be read, so that nobody knows whether it has kernels"
                );
            }
            UncheckedReason::NotPatched => write!(
                f,
                "{path} has a statically linked CUDA runtime, and the system did not allow to \
                 redirect it"
            ),
        }?;
        f.write_str("; relink it with `-cudart shared`")
    }
}

/// Reads the notes that audit libraries have written (`crates/audit/src/notes.rs`). Processes repeat
/// what others have noted, so each object is named once.
pub(crate) fn read(evidence: &Evidence) -> Vec<UncheckedObject> {
    let lines = evidence.of(StreamKind::Audit).flat_map(|notes| notes.split(|&byte| byte == b'\n'));
    let objects: BTreeSet<_> = lines.filter_map(object).collect();
    objects.into_iter().collect()
}

fn object(line: &[u8]) -> Option<UncheckedObject> {
    let tab = line.iter().position(|&byte| byte == b'\t')?;
    let (word, path) = (&line[..tab], &line[tab + 1..]);
    let reason = match word {
        b"stripped" => UncheckedReason::Stripped,
        b"unknown-version" => UncheckedReason::UnknownVersion,
        b"driver" => UncheckedReason::Driver,
        b"closed-library" => UncheckedReason::ClosedLibrary,
        b"other-namespace" => UncheckedReason::OtherNamespace,
        b"unreadable" => UncheckedReason::Unreadable,
        // A word that is not known still means that something was not checked.
        _ => UncheckedReason::NotPatched,
    };
    Some(UncheckedObject { path: PathBuf::from(OsStr::from_bytes(path)), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_and_not_repeated() {
        assert!(read(&Evidence::default()).is_empty());
        let line = |text: &str| (StreamKind::Audit, text.as_bytes().to_vec());
        let lines = ["stripped\t/a b/app\n", "unknown-version\t/lib.so\n", "stripped\t/a b/app\n"];
        let streams = lines.map(line).to_vec();
        let notes = read(&Evidence { streams, ..Evidence::default() });
        assert_eq!(notes.len(), 2);
        assert_eq!(notes[0].path, std::path::Path::new("/a b/app"));
        assert_eq!(notes[0].reason, UncheckedReason::Stripped);
        assert!(notes[0].to_string().contains("-cudart shared"));
        assert_eq!(notes[1].reason, UncheckedReason::UnknownVersion);
    }

    #[test]
    fn functions_of_the_driver_are_not_reported_one_by_one() {
        let object = |reason| UncheckedObject { path: "/lib/libcublas.so.13".into(), reason };
        let library = object(UncheckedReason::ClosedLibrary);
        assert!(library.explains_driver_functions());
        let driver = object(UncheckedReason::Driver);
        assert!(!driver.explains_driver_functions());
        assert!(library.to_string().contains("libcublas.so.13"));
        assert!(!library.to_string().contains("relink"), "nobody can");
    }
}
