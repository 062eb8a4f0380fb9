//! Variables of code whose places the program asks for: kernels that do not name them may get pointers to them.

use crate::calls::{Call, filled_by};
use crate::wrapped::forwards;
use std::ffi::{CStr, c_char};
use warpsan_gpu::{CUdeviceptr, CUlibrary, CUmodule, CUresult, OrderStep};

forwards! {
    fn (address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char) = find:
        cuModuleGetGlobal_v2;
    fn (address: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char) = find:
        cuLibraryGetGlobal, cuLibraryGetManaged;
}

/// Each place may be null, and is not asked for then.
unsafe fn find<Container: Copy>(
    call: Call<
        unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, Container, *const c_char) -> CUresult,
    >,
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    container: Container,
    name: *const c_char,
) -> CUresult {
    let mut size = 0;
    let place = if bytes.is_null() { &raw mut size } else { bytes };
    // SAFETY: the program's own call, with a place for the size.
    let answer = unsafe { (call.real)(address, place, container, name) };
    // SAFETY: the driver has filled them, and has read the name.
    unsafe {
        if let (Some(address), Some(size)) = (filled_by(answer, address), filled_by(answer, place))
        {
            let name = CStr::from_ptr(name).to_string_lossy();
            call.hooks.variable_queried(address, size as u64, &name);
            if call.name == "cuLibraryGetManaged" {
                call.hooks.ordered(OrderStep::SharedWithHost);
            }
        }
    }
    answer
}
