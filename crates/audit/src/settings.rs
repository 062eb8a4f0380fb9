//! What `warpsan run` says to the audit library through the environment.

use crate::notes::Notes;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The folder with our libraries.
const LIBRARY_FOLDER: &str = "WARPSAN_LIBRARY_DIR";
/// The log of the run.
const LOG: &str = "WARPSAN_LOG";

/// Where things are.
pub(crate) struct Settings {
    /// The folder with our libraries.
    pub(crate) library_folder: PathBuf,
    /// Where notes go.
    pub(crate) notes: Notes,
}

impl Settings {
    /// The settings, if the process was started by `warpsan run`.
    pub(crate) fn from_environment() -> Option<Settings> {
        let library_folder = std::env::var_os(LIBRARY_FOLDER).map(PathBuf::from)?;
        let log = std::env::var_os(LOG).map(PathBuf::from)?;
        Some(Settings { library_folder, notes: Notes::to(&log) })
    }

    /// Whether a file of this path is one of our libraries.
    pub(crate) fn is_ours(&self, path: &[u8]) -> bool {
        path.strip_prefix(self.library_folder.as_os_str().as_bytes())
            .is_some_and(|rest| rest.starts_with(b"/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_libraries_are_those_in_our_folder() {
        let settings =
            Settings { library_folder: "/cache/libraries".into(), notes: Notes::to_nowhere() };
        assert!(settings.is_ours(b"/cache/libraries/libcudart.so.13"));
        assert!(!settings.is_ours(b"/cache/libraries2/libcudart.so.13"));
        assert!(!settings.is_ours(b"/usr/lib/libcudart.so.13"));
    }
}
