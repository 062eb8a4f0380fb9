//! What this crate takes from its surroundings: environment variables and the usual folder.
//!
//! It is a value, so that the order of the search is testable without touching the variables of the
//! running process. Every compiler and every pip that this crate starts gets exactly these variables.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::Error;

/// The variable that moves the private cache of warpsan.
pub(crate) const CACHE_VARIABLE: &str = "WARPSAN_CACHE_DIR";

/// Environment variables, and the folder where a system-wide toolkit usually is.
#[derive(Clone, Debug)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    usual_folder: PathBuf,
}

impl Environment {
    /// The variables of this process and `/usr/local/cuda`.
    pub fn of_process() -> Self {
        Self::new(std::env::vars_os(), PathBuf::from("/usr/local/cuda"))
    }

    /// The given variables only.
    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        usual_folder: PathBuf,
    ) -> Self {
        Self { variables: variables.into_iter().collect(), usual_folder }
    }

    /// A variable's value; an empty variable counts as not set, as shells treat it.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// All variables, for a child process.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.variables.iter()
    }

    /// Where a system-wide toolkit usually is.
    pub(crate) fn usual_folder(&self) -> &Path {
        &self.usual_folder
    }

    /// The root of warpsan's private per-user cache.
    pub fn cache_root(&self) -> Result<PathBuf, Error> {
        let absolute = |name: &str| self.get(name).map(PathBuf::from).filter(|p| p.is_absolute());
        if let Some(chosen) = self.get(CACHE_VARIABLE) {
            // A relative folder would be another cache in every working directory of one project.
            let chosen = PathBuf::from(chosen);
            return if chosen.is_absolute() {
                Ok(chosen)
            } else {
                Err(Error::RelativeCacheFolder { variable: CACHE_VARIABLE, folder: chosen })
            };
        }
        // The XDG specification says that a relative XDG_CACHE_HOME is to be ignored.
        absolute("XDG_CACHE_HOME")
            .map(|folder| folder.join("warpsan"))
            .or_else(|| absolute("HOME").map(|home| home.join(".cache/warpsan")))
            .ok_or(Error::NoCacheFolder)
    }

    /// The first executable file of that name on `PATH`; a name with a slash is taken as a path.
    pub(crate) fn find_program(&self, name: &OsStr) -> Option<PathBuf> {
        if Path::new(name).components().count() > 1 {
            return Some(PathBuf::from(name)).filter(|path| is_executable(path));
        }
        std::env::split_paths(self.get("PATH")?)
            .map(|folder| folder.join(name))
            .find(|candidate| is_executable(candidate))
    }
}

/// Whether there is a file that somebody may execute.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let variables = variables.iter().map(|(k, v)| (OsString::from(k), OsString::from(v)));
        Environment::new(variables, PathBuf::from("/nowhere"))
    }

    #[test]
    fn the_cache_root_follows_the_documented_order() {
        let all = [("WARPSAN_CACHE_DIR", "/w"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(environment(&all).cache_root().unwrap(), Path::new("/w"));
        assert_eq!(environment(&all[1..]).cache_root().unwrap(), Path::new("/x/warpsan"));
        assert_eq!(environment(&all[2..]).cache_root().unwrap(), Path::new("/h/.cache/warpsan"));
        assert!(matches!(environment(&[]).cache_root(), Err(Error::NoCacheFolder)));
    }

    #[test]
    fn empty_and_relative_variables_are_not_taken_silently() {
        let empty = environment(&[("WARPSAN_CACHE_DIR", ""), ("HOME", "/h")]);
        assert_eq!(empty.cache_root().unwrap(), Path::new("/h/.cache/warpsan"));
        let relative = environment(&[("WARPSAN_CACHE_DIR", "cache"), ("HOME", "/h")]);
        let error = relative.cache_root().unwrap_err().to_string();
        assert!(error.contains("WARPSAN_CACHE_DIR") && error.contains("cache"), "{error}");
    }
}
