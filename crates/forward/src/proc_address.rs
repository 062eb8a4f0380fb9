//! Asking the driver for the address of a function, which is how the runtime finds nearly all of them.

use crate::driver::forwarding;
use crate::wrapped::{Real, Wrapped, c_name};
use std::ffi::{CStr, c_char, c_int, c_void};
use warpsan_gpu::CUresult;

type GetProcAddress =
    unsafe extern "C" fn(*const c_char, *mut *const c_void, c_int, u64) -> CUresult;
type GetProcAddressV2 =
    unsafe extern "C" fn(*const c_char, *mut *const c_void, c_int, u64, *mut c_int) -> CUresult;

static REAL: Real = Real::unknown();
static REAL_V2: Real = Real::unknown();

/// The functions of this file. They answer also before the driver was started.
pub(crate) static WRAPPED: &[Wrapped] = &[
    Wrapped {
        name: c_name("cuGetProcAddress\0"),
        ours: get_proc_address as *const c_void,
        real: &REAL,
    },
    Wrapped {
        name: c_name("cuGetProcAddress_v2\0"),
        ours: get_proc_address_v2 as *const c_void,
        real: &REAL_V2,
    },
];

unsafe extern "C" fn get_proc_address(
    symbol: *const c_char,
    function: *mut *const c_void,
    version: c_int,
    flags: u64,
) -> CUresult {
    // SAFETY: null is none, and what the driver has under this name has this type.
    let real = unsafe { std::mem::transmute::<*mut c_void, Option<GetProcAddress>>(REAL.get()) };
    let Some(real) = real else { return CUresult::NOT_FOUND };
    // SAFETY: the program's own call.
    let answer = unsafe { real(symbol, function, version, flags) };
    // SAFETY: a name, and a place that the driver may have filled.
    unsafe { exchange(answer, symbol, function) };
    answer
}

unsafe extern "C" fn get_proc_address_v2(
    symbol: *const c_char,
    function: *mut *const c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> CUresult {
    // SAFETY: null is none, and what the driver has under this name has this type.
    let real =
        unsafe { std::mem::transmute::<*mut c_void, Option<GetProcAddressV2>>(REAL_V2.get()) };
    let Some(real) = real else { return CUresult::NOT_FOUND };
    // SAFETY: the program's own call.
    let answer = unsafe { real(symbol, function, version, flags, status) };
    // SAFETY: a name, and a place that the driver may have filled.
    unsafe { exchange(answer, symbol, function) };
    answer
}

/// Puts our function in the place of the real one, where we have one. Which of its versions and variants the
/// driver means is known by the address alone: names and versions are for it to understand.
///
/// # Safety
/// `symbol` is null or a text, and `function` null or a place for an address.
unsafe fn exchange(answer: CUresult, symbol: *const c_char, function: *mut *const c_void) {
    if !answer.is_success() || function.is_null() || symbol.is_null() {
        return;
    }
    // SAFETY: not null, so it is a place, which the driver has filled.
    let real = unsafe { function.read() };
    let Some(forwarding) = forwarding().filter(|_| !real.is_null()) else { return };
    if let Some(ours) = forwarding.in_front_of(real) {
        // SAFETY: as above.
        unsafe { function.write(ours) };
        return;
    }
    // SAFETY: not null, so it is a text.
    let name = unsafe { CStr::from_ptr(symbol) };
    forwarding.note_unless_exported(name, real);
}
