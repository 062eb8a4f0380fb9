//! The library of the real driver: which file it is, and opening it.
//!
//! A forwarder of the same name stands in front of it, so the name cannot be asked for: the file is found as
//! the dynamic linker would have found it, and opened by its path.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The variable by which the real driver can be named.
pub const REAL_DRIVER_VARIABLE: &str = "WARPSAN_REAL_LIBCUDA";

/// The name by which programs ask for the driver.
const NAME: &str = "libcuda.so.1";

/// The list of libraries that the dynamic linker keeps.
const LINKER_CACHE: &str = "/etc/ld.so.cache";

/// Where drivers are put that the list does not know.
const FOLDERS: [&str; 8] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/lib64",
    "/usr/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib/wsl/lib",
];

/// What every library of ours that stands in for a driver has in it: the name of the one behind it.
const MARK_OF_OURS: &[u8] = b"libwarpsan_rt.so";

/// A stand-in of ours is never larger, and the driver is never so small.
const LARGEST_OF_OURS: u64 = 4 << 20;

/// Finds the file of the real driver.
pub fn real_driver() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(REAL_DRIVER_VARIABLE).filter(|name| !name.is_empty()) {
        return Some(PathBuf::from(named));
    }
    candidates().into_iter().find(|file| is_genuine_driver(file))
}

/// Files that have the driver's name, in the order of the dynamic linker.
fn candidates() -> Vec<PathBuf> {
    let paths = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let listed = std::fs::read(LINKER_CACHE).unwrap_or_default();
    let folders = std::env::split_paths(&paths).filter(|folder| folder.is_absolute());
    let mut files: Vec<PathBuf> = folders.map(|folder| folder.join(NAME)).collect();
    files.extend(entries_of_linker_cache(&listed, NAME.as_bytes()));
    files.extend(FOLDERS.iter().map(|folder| Path::new(folder).join(NAME)));
    files
}

/// Whether a file is there and no stand-in of our own.
pub fn is_genuine_driver(file: &Path) -> bool {
    let Ok(data) = file.metadata() else { return false };
    if !data.is_file() {
        return false;
    }
    let may_be_ours = data.size() <= LARGEST_OF_OURS;
    !may_be_ours || std::fs::read(file).is_ok_and(|bytes| find(&bytes, MARK_OF_OURS).is_none())
}

/// The files that the dynamic linker's list has for a name, of 64-bit libraries for this machine.
fn entries_of_linker_cache(list: &[u8], name: &[u8]) -> Vec<PathBuf> {
    const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
    const HEADER: usize = 48;
    const ENTRY: usize = 24;
    const OF_THIS_MACHINE: u32 = 0x0303;
    // An older list may stand in front of it. Offsets count from where this one begins.
    let Some(start) = find(list, MAGIC) else { return Vec::new() };
    let list = &list[start..];
    let number = |at: usize| {
        let bytes = list.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let text = |at: u32| {
        let rest = list.get(at as usize..)?;
        rest.split(|byte| *byte == 0).next()
    };
    let count = number(MAGIC.len()).unwrap_or(0) as usize;
    let most = list.len() / ENTRY;
    let mut found = Vec::new();
    for entry in (0..count.min(most)).map(|index| HEADER + index * ENTRY) {
        let (Some(flags), Some(key), Some(value)) =
            (number(entry), number(entry + 4), number(entry + 8))
        else {
            break;
        };
        if flags == OF_THIS_MACHINE
            && text(key) == Some(name)
            && let Some(path) = text(value)
        {
            found.push(PathBuf::from(OsStr::from_bytes(path)));
        }
    }
    found
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Why a library cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// A name that no file can have.
    #[error("{} is no path", .0.display())]
    NoPath(PathBuf),
    /// What the dynamic linker says.
    #[error("{0}")]
    Linker(String),
    /// The dynamic linker says nothing.
    #[error("the dynamic linker gives no reason")]
    Unknown,
}

/// A library that is open, and stays so until the process ends.
#[derive(Debug, Clone, Copy)]
pub struct OpenLibrary {
    handle: *mut c_void,
}

// SAFETY: the handle is a number to the dynamic linker, which any thread may use.
unsafe impl Send for OpenLibrary {}
// SAFETY: as above.
unsafe impl Sync for OpenLibrary {}

impl OpenLibrary {
    /// Opens a library by its path, for nobody else.
    pub fn open(file: &Path) -> Result<OpenLibrary, LibraryError> {
        let path = CString::new(file.as_os_str().as_bytes())
            .map_err(|_| LibraryError::NoPath(file.to_owned()))?;
        // SAFETY: a text; what the library does when it is opened is the driver's business.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(last_error());
        }
        Ok(OpenLibrary { handle })
    }

    /// What a name leads to, or null.
    pub fn symbol(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the library is open, and the name is a text.
        unsafe { libc::dlsym(self.handle, name.as_ptr()) }
    }
}

/// What the dynamic linker has to say.
fn last_error() -> LibraryError {
    // SAFETY: the text is copied before this thread asks the dynamic linker for anything else.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            return LibraryError::Unknown;
        }
        LibraryError::Linker(CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list as the dynamic linker writes it.
    fn linker_cache(entries: &[(u32, &str, &str)]) -> Vec<u8> {
        let mut list = b"glibc-ld.so.cache1.1".to_vec();
        list.extend((entries.len() as u32).to_le_bytes());
        list.resize(48, 0);
        let strings_at = 48 + 24 * entries.len();
        let mut strings = Vec::new();
        for (flags, name, path) in entries {
            let key = strings_at + strings.len();
            strings.extend(name.bytes().chain([0]));
            let value = strings_at + strings.len();
            strings.extend(path.bytes().chain([0]));
            list.extend(flags.to_le_bytes());
            list.extend((key as u32).to_le_bytes());
            list.extend((value as u32).to_le_bytes());
            list.extend([0; 12]);
        }
        list.extend(strings);
        list
    }

    #[test]
    fn the_list_of_the_dynamic_linker_is_read() {
        let list = linker_cache(&[
            (0x0303, "libc.so.6", "/lib64/libc.so.6"),
            (0x0003, "libcuda.so.1", "/usr/lib32/libcuda.so.1"),
            (0x0303, "libcuda.so.1", "/opt/driver/libcuda.so.1"),
            (0x0303, "libcuda.so", "/opt/driver/libcuda.so"),
        ]);
        let expected = [PathBuf::from("/opt/driver/libcuda.so.1")];
        assert_eq!(entries_of_linker_cache(&list, b"libcuda.so.1"), expected);
        let behind_an_old_one = [b"ld.so-1.7.0\0\0\0\0\0".as_slice(), &list].concat();
        assert_eq!(entries_of_linker_cache(&behind_an_old_one, b"libcuda.so.1"), expected);
    }

    #[test]
    fn a_damaged_list_has_no_entries() {
        let list = linker_cache(&[(0x0303, "libcuda.so.1", "/opt/driver/libcuda.so.1")]);
        for length in 0..list.len() {
            let found = entries_of_linker_cache(&list[..length], b"libcuda.so.1");
            assert!(found.len() <= 1);
        }
        let mut wild = list;
        wild[20..24].fill(0xff);
        wild[52..60].fill(0xff);
        assert!(entries_of_linker_cache(&wild, b"libcuda.so.1").is_empty());
    }

    #[test]
    fn the_list_of_this_machine_has_the_c_library() {
        let list = std::fs::read(LINKER_CACHE).unwrap_or_default();
        if find(&list, b"libc.so.6").is_some() {
            let found = entries_of_linker_cache(&list, b"libc.so.6");
            assert!(found.iter().any(|path| path.is_file()), "{found:?}");
        }
    }

    #[test]
    fn a_library_of_ours_is_not_the_driver() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(NAME);
        assert!(!is_genuine_driver(&file), "it is not there");
        std::fs::write(&file, b"some driver").expect("a file");
        assert!(is_genuine_driver(&file));
        std::fs::write(&file, b"needs libwarpsan_rt.so to run").expect("a file");
        assert!(!is_genuine_driver(&file));
        assert!(!is_genuine_driver(folder.path()), "a folder");
    }

    #[test]
    fn a_library_that_cannot_be_opened_is_reported_with_the_reason() {
        let error = OpenLibrary::open(Path::new("/no/such/library.so")).expect_err("not there");
        assert!(error.to_string().contains("/no/such/library.so"), "{error}");
    }
}
