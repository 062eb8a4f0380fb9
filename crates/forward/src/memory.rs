//! Memory of the device that is taken and given back. A program that runs out of it gets what the engine can spare.

use crate::calls::{Call, filled, filled_by, stream_of};
use crate::driver::forwarding;
use crate::types::IpcHandle;
use crate::wrapped::forwards;
use std::ffi::{c_uint, c_ulonglong, c_void};
use warpsan_gpu::{
    Allocation, AllocationKind, CUdeviceptr, CUexternalMemory, CUmemGenericAllocationHandle,
    CUmemoryPool, CUresult, CUstream, Freed,
};

forwards! {
    fn (address: *mut CUdeviceptr, bytes: usize) = allocate: cuMemAlloc_v2;
    fn (
        address: *mut CUdeviceptr,
        pitch: *mut usize,
        width: usize,
        height: usize,
        element: c_uint
    ) = allocate_pitched: cuMemAllocPitch_v2;
    fn (address: *mut CUdeviceptr, bytes: usize, flags: c_uint) = allocate_managed: cuMemAllocManaged;
    fn (address: *mut CUdeviceptr, bytes: usize, stream: CUstream) = allocate_in_order:
        cuMemAllocAsync, cuMemAllocAsync_ptsz;
    fn (address: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream) = allocate_from_pool:
        cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz;
    fn (
        address: CUdeviceptr,
        bytes: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle,
        flags: c_ulonglong
    ) = map: cuMemMap;
    fn (
        handle: *mut CUmemGenericAllocationHandle,
        bytes: usize,
        properties: *const c_void,
        flags: c_ulonglong
    ) = create: cuMemCreate;
    fn (address: CUdeviceptr, bytes: usize) = unmap: cuMemUnmap;
    fn (address: CUdeviceptr) = free: cuMemFree_v2, cuIpcCloseMemHandle;
    fn (address: CUdeviceptr, stream: CUstream) = free_in_order: cuMemFreeAsync, cuMemFreeAsync_ptsz;
    fn (address: *mut CUdeviceptr, handle: IpcHandle, flags: c_uint) = open_handle:
        cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2;
    fn (address: *mut CUdeviceptr, pool: CUmemoryPool, data: *mut c_void) = import_pointer:
        cuMemPoolImportPointer;
    fn (address: *mut CUdeviceptr, memory: CUexternalMemory, buffer: *const ExternalBuffer) = map_external:
        cuExternalMemoryGetMappedBuffer;
    fn (free: *mut usize, total: *mut usize) = info: cuMemGetInfo_v2;
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC`, as far as it is read here.
#[repr(C)]
struct ExternalBuffer {
    offset: c_ulonglong,
    bytes: c_ulonglong,
}

/// Calls the hook for memory whose address the driver has just filled in.
///
/// # Safety
/// `place` is null or filled after success.
pub(crate) unsafe fn allocated<F>(
    call: &Call<F>,
    answer: CUresult,
    place: *mut CUdeviceptr,
    bytes: impl FnOnce(CUdeviceptr) -> u64,
    kind: AllocationKind,
    stream: CUstream,
) -> CUresult {
    // SAFETY: the driver has filled it.
    let filled = unsafe { filled_by(answer, place) };
    if let Some(address) = filled.filter(|address| *address != 0) {
        call.hooks.allocated(&Allocation { address, bytes: bytes(address), kind, stream });
    }
    answer
}

/// Takes memory, and tries again as long as somebody makes room for it.
fn with_room<F>(call: &Call<F>, bytes: usize, mut real: impl FnMut() -> CUresult) -> CUresult {
    // Whoever makes room has less to give each time, and this ends in any case.
    const MOST_ATTEMPTS: usize = 100;
    let mut answer = real();
    for _ in 0..MOST_ATTEMPTS {
        if answer != CUresult::OUT_OF_MEMORY || !call.hooks.make_room(bytes as u64) {
            break;
        }
        answer = real();
    }
    answer
}

/// How large an allocation is, for calls that do not say so.
fn bytes_at(address: CUdeviceptr) -> u64 {
    let mut bytes = 0;
    if let Some(forwarding) = forwarding() {
        let mut base = 0;
        // SAFETY: places for an address and a size.
        unsafe { forwarding.driver.cuMemGetAddressRange_v2(&mut base, &mut bytes, address) };
    }
    bytes as u64
}

unsafe fn allocate(
    call: Call<unsafe extern "C" fn(*mut CUdeviceptr, usize) -> CUresult>,
    address: *mut CUdeviceptr,
    bytes: usize,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = with_room(&call, bytes, || (call.real)(address, bytes));
        allocated(&call, answer, address, |_| bytes as u64, AllocationKind::Device, CUstream::NULL)
    }
}

unsafe fn allocate_pitched(
    call: Call<
        unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, usize, usize, c_uint) -> CUresult,
    >,
    address: *mut CUdeviceptr,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: c_uint,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let wanted = width.saturating_mul(height);
        let answer =
            with_room(&call, wanted, || (call.real)(address, pitch, width, height, element));
        let bytes = |_| filled(pitch).unwrap_or(width).saturating_mul(height) as u64;
        allocated(&call, answer, address, bytes, AllocationKind::Device, CUstream::NULL)
    }
}

unsafe fn allocate_managed(
    call: Call<unsafe extern "C" fn(*mut CUdeviceptr, usize, c_uint) -> CUresult>,
    address: *mut CUdeviceptr,
    bytes: usize,
    flags: c_uint,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = with_room(&call, bytes, || (call.real)(address, bytes, flags));
        allocated(&call, answer, address, |_| bytes as u64, AllocationKind::Managed, CUstream::NULL)
    }
}

unsafe fn allocate_in_order(
    call: Call<unsafe extern "C" fn(*mut CUdeviceptr, usize, CUstream) -> CUresult>,
    address: *mut CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> CUresult {
    let named = stream_of(&call, stream);
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = with_room(&call, bytes, || (call.real)(address, bytes, stream));
        allocated(&call, answer, address, |_| bytes as u64, AllocationKind::StreamOrdered, named)
    }
}

unsafe fn allocate_from_pool(
    call: Call<unsafe extern "C" fn(*mut CUdeviceptr, usize, CUmemoryPool, CUstream) -> CUresult>,
    address: *mut CUdeviceptr,
    bytes: usize,
    pool: CUmemoryPool,
    stream: CUstream,
) -> CUresult {
    let named = stream_of(&call, stream);
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = with_room(&call, bytes, || (call.real)(address, bytes, pool, stream));
        allocated(&call, answer, address, |_| bytes as u64, AllocationKind::StreamOrdered, named)
    }
}

unsafe fn map(
    call: Call<
        unsafe extern "C" fn(
            CUdeviceptr,
            usize,
            usize,
            CUmemGenericAllocationHandle,
            c_ulonglong,
        ) -> CUresult,
    >,
    address: CUdeviceptr,
    bytes: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the program's own call, and a place of our own.
    unsafe {
        let answer = (call.real)(address, bytes, offset, handle, flags);
        let mut place = address;
        allocated(
            &call,
            answer,
            &mut place,
            |_| bytes as u64,
            AllocationKind::Mapped,
            CUstream::NULL,
        )
    }
}

unsafe fn create(
    call: Call<
        unsafe extern "C" fn(
            *mut CUmemGenericAllocationHandle,
            usize,
            *const c_void,
            c_ulonglong,
        ) -> CUresult,
    >,
    handle: *mut CUmemGenericAllocationHandle,
    bytes: usize,
    properties: *const c_void,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the program's own call. It has no address before it is mapped.
    with_room(&call, bytes, || unsafe { (call.real)(handle, bytes, properties, flags) })
}

unsafe fn unmap(
    call: Call<unsafe extern "C" fn(CUdeviceptr, usize) -> CUresult>,
    address: CUdeviceptr,
    bytes: usize,
) -> CUresult {
    let freed = Freed { address, bytes: Some(bytes as u64), stream: None };
    // SAFETY: the program's own call.
    call.hooks.free(&freed, &mut || unsafe { (call.real)(address, bytes) })
}

unsafe fn free(
    call: Call<unsafe extern "C" fn(CUdeviceptr) -> CUresult>,
    address: CUdeviceptr,
) -> CUresult {
    let freed = Freed { address, bytes: None, stream: None };
    // SAFETY: the program's own call.
    call.hooks.free(&freed, &mut || unsafe { (call.real)(address) })
}

unsafe fn free_in_order(
    call: Call<unsafe extern "C" fn(CUdeviceptr, CUstream) -> CUresult>,
    address: CUdeviceptr,
    stream: CUstream,
) -> CUresult {
    let freed = Freed { address, bytes: None, stream: Some(stream_of(&call, stream)) };
    // SAFETY: the program's own call.
    call.hooks.free(&freed, &mut || unsafe { (call.real)(address, stream) })
}

unsafe fn open_handle(
    call: Call<unsafe extern "C" fn(*mut CUdeviceptr, IpcHandle, c_uint) -> CUresult>,
    address: *mut CUdeviceptr,
    handle: IpcHandle,
    flags: c_uint,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(address, handle, flags);
        allocated(&call, answer, address, bytes_at, AllocationKind::OtherProcess, CUstream::NULL)
    }
}

unsafe fn import_pointer(
    call: Call<unsafe extern "C" fn(*mut CUdeviceptr, CUmemoryPool, *mut c_void) -> CUresult>,
    address: *mut CUdeviceptr,
    pool: CUmemoryPool,
    data: *mut c_void,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(address, pool, data);
        allocated(&call, answer, address, bytes_at, AllocationKind::OtherProcess, CUstream::NULL)
    }
}

unsafe fn map_external(
    call: Call<
        unsafe extern "C" fn(*mut CUdeviceptr, CUexternalMemory, *const ExternalBuffer) -> CUresult,
    >,
    address: *mut CUdeviceptr,
    memory: CUexternalMemory,
    buffer: *const ExternalBuffer,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has read and filled in.
    unsafe {
        let answer = (call.real)(address, memory, buffer);
        let bytes = |_| (*buffer).bytes;
        allocated(&call, answer, address, bytes, AllocationKind::External, CUstream::NULL)
    }
}

unsafe fn info(
    call: Call<unsafe extern "C" fn(*mut usize, *mut usize) -> CUresult>,
    free: *mut usize,
    total: *mut usize,
) -> CUresult {
    // SAFETY: the program's own call.
    let answer = unsafe { (call.real)(free, total) };
    if answer.is_success() && !free.is_null() && !total.is_null() && free != total {
        // SAFETY: two places that the driver has filled, and nobody else uses now.
        unsafe { call.hooks.memory_queried(&mut *free, &mut *total) };
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::Mutex;
    use warpsan_gpu::Hooks;

    /// Has so much to give, a part of it each time.
    struct Giver {
        left: Mutex<u32>,
        asked: Mutex<Vec<u64>>,
    }

    impl Hooks for Giver {
        fn make_room(&self, bytes: u64) -> bool {
            self.asked.lock().expect("no panic").push(bytes);
            let mut left = self.left.lock().expect("no panic");
            let has_given = *left > 0;
            *left = left.saturating_sub(1);
            has_given
        }
    }

    /// Attempts to take memory until the answer is not that there is none, and what was asked for meanwhile.
    fn attempts(left: u32, needed: usize, otherwise: CUresult) -> (usize, CUresult, Vec<u64>) {
        let giver: &'static Giver =
            Box::leak(Box::new(Giver { left: Mutex::new(left), asked: Mutex::default() }));
        let call = Call { real: (), hooks: giver, name: "cuMemAlloc_v2" };
        let count = Cell::new(0);
        let answer = with_room(&call, 4096, || {
            count.set(count.get() + 1);
            if count.get() > needed { otherwise } else { CUresult::OUT_OF_MEMORY }
        });
        (count.get(), answer, giver.asked.lock().expect("no panic").clone())
    }

    #[test]
    fn memory_is_asked_for_again_when_somebody_makes_room() {
        assert_eq!(attempts(0, 0, CUresult::SUCCESS), (1, CUresult::SUCCESS, vec![]));
        assert_eq!(attempts(5, 2, CUresult::SUCCESS), (3, CUresult::SUCCESS, vec![4096; 2]));
        let attempted = attempts(1, 9, CUresult::SUCCESS);
        assert_eq!(attempted, (2, CUresult::OUT_OF_MEMORY, vec![4096; 2]));
        let attempted = attempts(9, 0, CUresult::INVALID_VALUE);
        assert_eq!(attempted, (1, CUresult::INVALID_VALUE, vec![]));
        assert_eq!(attempts(u32::MAX, usize::MAX, CUresult::SUCCESS).1, CUresult::OUT_OF_MEMORY);
    }
}
