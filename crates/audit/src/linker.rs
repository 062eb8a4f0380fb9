//! The functions that the dynamic linker calls, see `rtld-audit(7)`.

use crate::entry_points::CudartVersion;
use crate::redirection::{LoadedObject, Redirection};
use crate::settings::Settings;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The beginning of the dynamic linker's description of an object (`struct link_map`).
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
}

/// The namespace of the program, as opposed to those that `dlmopen` makes.
const BASE_NAMESPACE: c_int = 0;
/// The loaded objects are complete again.
const ACTIVITY_CONSISTENT: c_uint = 0;

static REDIRECTION: Mutex<Option<Redirection>> = Mutex::new(None);
/// Our own libraries, for [`la_objsearch`], whose answers have to stay valid.
static LIBRARIES: Mutex<Vec<(CudartVersion, CString)>> = Mutex::new(Vec::new());

/// Nothing may unwind into the dynamic linker; a failure leaves the object as it is.
fn without_panic<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

fn with_redirection(body: impl FnOnce(&mut Redirection)) {
    without_panic((), || {
        let mut redirection = REDIRECTION.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(redirection) = redirection.as_mut() {
            body(redirection);
        }
    });
}

#[unsafe(no_mangle)]
extern "C" fn la_version(version: c_uint) -> c_uint {
    without_panic((), || {
        let Some(settings) = Settings::from_environment() else { return };
        let mut libraries = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
        for version in [CudartVersion::V12, CudartVersion::V13] {
            let path = settings.library_folder.join(version.library());
            if let Ok(path) = CString::new(path.as_os_str().as_bytes()) {
                libraries.push((version, path));
            }
        }
        *REDIRECTION.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Redirection::new(settings));
    });
    // What is used here is the same in every version of the interface.
    version
}

#[unsafe(no_mangle)]
unsafe extern "C" fn la_objopen(
    map: *const LinkMap,
    namespace: c_int,
    _cookie: *mut c_void,
) -> c_uint {
    // SAFETY: the dynamic linker passes an object.
    let object = unsafe { &*map };
    if !object.name.is_null() {
        // SAFETY: not null, so it is a C string.
        let path = unsafe { CStr::from_ptr(object.name) }.to_owned();
        let base = object.base;
        let is_in_base_namespace = namespace == BASE_NAMESPACE;
        with_redirection(|redirection| {
            redirection.add(LoadedObject { path, base: base as u64, is_in_base_namespace })
        });
    }
    // No calls between objects are to be reported.
    0
}

#[unsafe(no_mangle)]
extern "C" fn la_activity(_cookie: *mut c_void, activity: c_uint) {
    if activity == ACTIVITY_CONSISTENT {
        with_redirection(Redirection::redirect_new_objects);
    }
}

/// Sends a search for a genuine cudart to ours. One that is asked for by its plain name is found
/// among the preloaded libraries before this is called; this is for paths.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objsearch(
    name: *const c_char,
    _cookie: *mut c_void,
    _flag: c_uint,
) -> *const c_char {
    without_panic(name, || {
        // SAFETY: the dynamic linker passes a C string.
        let requested = unsafe { CStr::from_ptr(name) };
        let Some(version) = requested_version(requested) else { return name };
        let libraries = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
        let ours = libraries.iter().find(|(ours, _)| *ours == version);
        // The texts are never changed after the start, so the pointer stays valid.
        ours.map_or(name, |(_, path)| path.as_ptr())
    })
}

/// The version of the cudart that a path leads to. The name without a version, as in a toolkit's
/// folder, is a link to the name with one.
fn requested_version(requested: &CStr) -> Option<CudartVersion> {
    let path = Path::new(std::ffi::OsStr::from_bytes(requested.to_bytes()));
    let name = path.file_name()?.as_bytes();
    if !name.starts_with(b"libcudart.so") || !requested.to_bytes().contains(&b'/') {
        return None;
    }
    let target = std::fs::canonicalize(path).ok()?;
    let version = target.file_name()?.as_bytes().strip_prefix(b"libcudart.so.")?;
    match version.split(|&byte| byte == b'.').next()? {
        b"12" => Some(CudartVersion::V12),
        b"13" => Some(CudartVersion::V13),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_to_a_genuine_cudart_is_recognised_by_what_it_leads_to() {
        let folder = std::env::temp_dir().join(format!("warpsan-audit-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("libcudart.so.12.9.79"), "").expect("a file");
        let link = folder.join("libcudart.so");
        std::os::unix::fs::symlink("libcudart.so.12.9.79", &link).expect("a link");
        let version = |path: &Path| {
            requested_version(&CString::new(path.as_os_str().as_bytes()).expect("a path"))
        };
        assert_eq!(version(&link), Some(CudartVersion::V12));
        assert_eq!(version(&folder.join("libcudart.so.12.9.79")), Some(CudartVersion::V12));
        assert_eq!(version(&folder.join("libcudart.so.13")), None, "not there");
        assert_eq!(version(Path::new("libcudart.so.12")), None, "not a path");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
