//! Variables of code whose places the program asks for: kernels that do not name them may get pointers to them.

use crate::calls::{Call, filled_by};
use crate::wrapped::forwards;
use std::ffi::{CStr, c_char};
use warpsan_gpu::{CUdeviceptr, CUlibrary, CUmodule, CUresult, OrderStep};

forwards! {
    fn (address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char) = find:
        cuModuleGetGlobal_v2;
    fn (address: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char) = find:
        cuLibraryGetGlobal;
    fn (address: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char) = find_managed:
        cuLibraryGetManaged;
}

type Find<Container> =
    unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, Container, *const c_char) -> CUresult;

unsafe fn find<Container: Copy>(
    call: Call<Find<Container>>,
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    container: Container,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the program's own call.
    unsafe { found(&call, address, bytes, container, name).0 }
}

/// A managed variable is memory that the host may access, too.
unsafe fn find_managed(
    call: Call<Find<CUlibrary>>,
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    library: CUlibrary,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the program's own call.
    let (answer, is_found) = unsafe { found(&call, address, bytes, library, name) };
    if is_found {
        call.hooks.ordered(OrderStep::SharedWithHost);
    }
    answer
}

/// Calls the hook for a variable that the driver has found, and says whether it has. Each place may be null, and is not
/// asked for then.
///
/// # Safety
/// The arguments are those of the program's own call.
unsafe fn found<Container: Copy>(
    call: &Call<Find<Container>>,
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    container: Container,
    name: *const c_char,
) -> (CUresult, bool) {
    let mut size = 0;
    let place = if bytes.is_null() { &raw mut size } else { bytes };
    // SAFETY: the program's own call, with a place for the size.
    let answer = unsafe { (call.real)(address, place, container, name) };
    // SAFETY: the driver has filled them, and has read the name.
    unsafe {
        let (Some(address), Some(size)) = (filled_by(answer, address), filled_by(answer, place))
        else {
            return (answer, false);
        };
        let name = CStr::from_ptr(name).to_string_lossy();
        call.hooks.variable_queried(address, size as u64, &name);
    }
    (answer, true)
}
