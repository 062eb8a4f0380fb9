//! What `warpsan run` passes to the audit library in the environment.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The folder with our libraries.
const LIBRARY_FOLDER: &str = "WARPSAN_LIBRARY_DIR";
/// The file that notes go to.
const NOTES_FILE: &str = "WARPSAN_AUDIT_FILE";

/// Where things are.
pub(crate) struct Settings {
    /// The folder with our libraries.
    pub(crate) library_folder: PathBuf,
    /// The file that notes go to.
    pub(crate) notes_file: Option<CString>,
}

impl Settings {
    /// The settings, if the process was started by `warpsan run`.
    pub(crate) fn from_environment() -> Option<Settings> {
        let library_folder = std::env::var_os(LIBRARY_FOLDER).map(PathBuf::from)?;
        let notes_file = std::env::var_os(NOTES_FILE)
            .and_then(|path: OsString| CString::new(path.into_vec()).ok());
        Some(Settings { library_folder, notes_file })
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
        let settings = Settings { library_folder: "/cache/libraries".into(), notes_file: None };
        assert!(settings.is_ours(b"/cache/libraries/libcudart.so.13"));
        assert!(!settings.is_ours(b"/cache/libraries2/libcudart.so.13"));
        assert!(!settings.is_ours(b"/usr/lib/libcudart.so.13"));
    }
}
