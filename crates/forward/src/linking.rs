//! The driver's linker: what it makes is machine code, and what that was made of is kept here.

use crate::calls::{Call, filled_by};
use crate::wrapped::forwards;
use std::collections::HashMap;
use std::ffi::{CStr, OsStr, c_char, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use warpsan_gpu::{CUjitInputType, CUjitOption, CUlinkState, CUresult, LinkedPiece};

forwards! {
    fn (
        count: c_uint,
        options: *mut CUjitOption,
        values: *mut *mut c_void,
        state: *mut CUlinkState
    ) = create: cuLinkCreate, cuLinkCreate_v2;
    fn (
        state: CUlinkState,
        kind: CUjitInputType,
        data: *mut c_void,
        bytes: usize,
        name: *const c_char,
        count: c_uint,
        options: *mut CUjitOption,
        values: *mut *mut c_void
    ) = add_data: cuLinkAddData, cuLinkAddData_v2;
    fn (
        state: CUlinkState,
        kind: CUjitInputType,
        path: *const c_char,
        count: c_uint,
        options: *mut CUjitOption,
        values: *mut *mut c_void
    ) = add_file: cuLinkAddFile, cuLinkAddFile_v2;
    fn (state: CUlinkState, code: *mut *mut c_void, bytes: *mut usize) = complete: cuLinkComplete;
    fn (state: CUlinkState) = destroy: cuLinkDestroy;
}

/// Machine code that was linked, and of what.
struct Linked {
    code: Box<[u8]>,
    pieces: Arc<[LinkedPiece]>,
}

/// What is being linked, and what was.
#[derive(Default)]
struct Links {
    open: HashMap<CUlinkState, Vec<LinkedPiece>>,
    /// Kept for good: programs copy the code and load it when the linker is gone.
    done: Vec<Linked>,
}

static LINKS: LazyLock<Mutex<Links>> = LazyLock::new(Mutex::default);

fn links() -> MutexGuard<'static, Links> {
    LINKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What an image was linked of, if it was. A program may load a copy of what the linker has given it.
///
/// # Safety
/// `image` is an image that the driver has accepted.
pub(crate) unsafe fn pieces_of(image: *const c_void) -> Option<Arc<[LinkedPiece]>> {
    /// The header of an ELF file, which says how long the file is.
    const HEADER: usize = 64;
    let links = links();
    if links.done.is_empty() || image.is_null() {
        return None;
    }
    // SAFETY: an image has at least four bytes.
    let is_elf = unsafe { image.cast::<[u8; 4]>().read_unaligned() } == *b"\x7fELF";
    if !is_elf {
        return None;
    }
    // SAFETY: an ELF file has a header.
    let header = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), HEADER) };
    let found = links.done.iter().rev().find(|linked| {
        linked.code.get(..HEADER) == Some(header)
            // SAFETY: files with the same header are equally long.
            && *linked.code == *unsafe {
                std::slice::from_raw_parts(image.cast::<u8>(), linked.code.len())
            }
    });
    found.map(|linked| linked.pieces.clone())
}

unsafe fn create(
    call: Call<
        unsafe extern "C" fn(
            c_uint,
            *mut CUjitOption,
            *mut *mut c_void,
            *mut CUlinkState,
        ) -> CUresult,
    >,
    count: c_uint,
    options: *mut CUjitOption,
    values: *mut *mut c_void,
    state: *mut CUlinkState,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(count, options, values, state);
        if let Some(state) = filled_by(answer, state) {
            links().open.insert(state, Vec::new());
        }
        answer
    }
}

fn add(state: CUlinkState, piece: LinkedPiece) {
    links().open.entry(state).or_default().push(piece);
}

type AddData = unsafe extern "C" fn(
    CUlinkState,
    CUjitInputType,
    *mut c_void,
    usize,
    *const c_char,
    c_uint,
    *mut CUjitOption,
    *mut *mut c_void,
) -> CUresult;

#[allow(clippy::too_many_arguments)]
unsafe fn add_data(
    call: Call<AddData>,
    state: CUlinkState,
    kind: CUjitInputType,
    data: *mut c_void,
    bytes: usize,
    name: *const c_char,
    count: c_uint,
    options: *mut CUjitOption,
    values: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the program's own call.
    let answer = unsafe { (call.real)(state, kind, data, bytes, name, count, options, values) };
    if answer.is_success() && !data.is_null() {
        // SAFETY: the driver has read so many bytes there.
        let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) };
        // SAFETY: null or a text.
        let name = unsafe { text(name) };
        add(state, LinkedPiece { kind, name, bytes: bytes.into() });
    }
    answer
}

/// # Safety
/// `text` is null or a text.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, so it is a text.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

type AddFile = unsafe extern "C" fn(
    CUlinkState,
    CUjitInputType,
    *const c_char,
    c_uint,
    *mut CUjitOption,
    *mut *mut c_void,
) -> CUresult;

unsafe fn add_file(
    call: Call<AddFile>,
    state: CUlinkState,
    kind: CUjitInputType,
    path: *const c_char,
    count: c_uint,
    options: *mut CUjitOption,
    values: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the program's own call.
    let answer = unsafe { (call.real)(state, kind, path, count, options, values) };
    if answer.is_success() && !path.is_null() {
        // SAFETY: not null, so it is a text.
        let path = unsafe { CStr::from_ptr(path) };
        let file = Path::new(OsStr::from_bytes(path.to_bytes()));
        match std::fs::read(file) {
            Ok(bytes) => {
                let name = file.display().to_string();
                add(state, LinkedPiece { kind, name, bytes: bytes.into() });
            }
            // Without the file nobody could know what was linked: it is machine code of unknown origin.
            Err(error) => {
                tracing::warn!("cannot read {}: {error}", file.display());
                links().open.remove(&state);
            }
        }
    }
    answer
}

unsafe fn complete(
    call: Call<unsafe extern "C" fn(CUlinkState, *mut *mut c_void, *mut usize) -> CUresult>,
    state: CUlinkState,
    code: *mut *mut c_void,
    bytes: *mut usize,
) -> CUresult {
    let (mut own_code, mut own_bytes) = (std::ptr::null_mut(), 0);
    // A program may not want to know how long it is, but we do.
    let code = if code.is_null() { &raw mut own_code } else { code };
    let bytes = if bytes.is_null() { &raw mut own_bytes } else { bytes };
    // SAFETY: the program's own call.
    let answer = unsafe { (call.real)(state, code, bytes) };
    if answer.is_success() {
        // SAFETY: the driver has filled both places.
        let (code, bytes) = unsafe { (code.read(), bytes.read()) };
        let mut links = links();
        if let Some(pieces) = links.open.remove(&state)
            && !code.is_null()
        {
            // SAFETY: so many bytes of code, which stay until the linker is destroyed.
            let code = unsafe { std::slice::from_raw_parts(code.cast::<u8>(), bytes) };
            links.done.push(Linked { code: code.into(), pieces: pieces.into() });
        }
    }
    answer
}

unsafe fn destroy(
    call: Call<unsafe extern "C" fn(CUlinkState) -> CUresult>,
    state: CUlinkState,
) -> CUresult {
    links().open.remove(&state);
    // SAFETY: the program's own call.
    unsafe { (call.real)(state) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_linked_code_is_known_and_other_code_is_not() {
        let mut code = b"\x7fELF".to_vec();
        code.resize(200, 7);
        let piece = LinkedPiece {
            kind: CUjitInputType::PTX,
            name: "a.ptx".to_string(),
            bytes: b".version 8.0".as_slice().into(),
        };
        links().done.push(Linked { code: code.clone().into(), pieces: [piece].into() });
        // SAFETY: images of at least a header.
        let pieces = |image: &[u8]| unsafe { pieces_of(image.as_ptr().cast()) };
        assert_eq!(pieces(&code).expect("it was linked")[0].name, "a.ptx");
        *code.last_mut().expect("a byte") = 8;
        assert!(pieces(&code).is_none(), "another file with the same header");
        assert!(pieces(b".version 8.0\0").is_none(), "PTX");
    }
}
