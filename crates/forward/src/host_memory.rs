//! Memory of the host that devices can use.

use crate::calls::{Call, filled_by};
use crate::wrapped::forwards;
use std::ffi::{c_uint, c_void};
use warpsan_gpu::{Allocation, AllocationKind, CUresult, CUstream, Freed};

forwards! {
    fn (place: *mut *mut c_void, bytes: usize) = allocate: cuMemAllocHost_v2;
    fn (place: *mut *mut c_void, bytes: usize, flags: c_uint) = allocate_with_flags: cuMemHostAlloc;
    fn (address: *mut c_void, bytes: usize, flags: c_uint) = register:
        cuMemHostRegister, cuMemHostRegister_v2;
    fn (address: *mut c_void) = free: cuMemFreeHost, cuMemHostUnregister;
}

/// Calls the hook for memory that devices know by the same address.
fn allocated<F>(
    call: &Call<F>,
    answer: CUresult,
    address: Option<*mut c_void>,
    bytes: usize,
    kind: AllocationKind,
) -> CUresult {
    if let Some(address) = address.filter(|address| answer.is_success() && !address.is_null()) {
        call.hooks.allocated(&Allocation {
            address: address.addr() as u64,
            bytes: bytes as u64,
            kind,
            stream: CUstream::NULL,
        });
    }
    answer
}

unsafe fn allocate(
    call: Call<unsafe extern "C" fn(*mut *mut c_void, usize) -> CUresult>,
    place: *mut *mut c_void,
    bytes: usize,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    let (answer, address) = unsafe {
        let answer = (call.real)(place, bytes);
        (answer, filled_by(answer, place))
    };
    allocated(&call, answer, address, bytes, AllocationKind::Host)
}

unsafe fn allocate_with_flags(
    call: Call<unsafe extern "C" fn(*mut *mut c_void, usize, c_uint) -> CUresult>,
    place: *mut *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    let (answer, address) = unsafe {
        let answer = (call.real)(place, bytes, flags);
        (answer, filled_by(answer, place))
    };
    allocated(&call, answer, address, bytes, AllocationKind::Host)
}

unsafe fn register(
    call: Call<unsafe extern "C" fn(*mut c_void, usize, c_uint) -> CUresult>,
    address: *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CUresult {
    // SAFETY: the program's own call.
    let answer = unsafe { (call.real)(address, bytes, flags) };
    allocated(&call, answer, Some(address), bytes, AllocationKind::Registered)
}

unsafe fn free(
    call: Call<unsafe extern "C" fn(*mut c_void) -> CUresult>,
    address: *mut c_void,
) -> CUresult {
    let freed = Freed { address: address.addr() as u64, bytes: None, stream: None };
    // SAFETY: the program's own call.
    call.hooks.free(&freed, &mut || unsafe { (call.real)(address) })
}
