//! Copies and fills. What is copied is of no importance here; arguments that nobody looks at are words.

use super::reporting::{then, waited, work};
use crate::driver::forwarding;
use crate::wrapped::forwards;
use std::ffi::c_void;
use warpsan_gpu::{CUpointerAttribute, CUstream, OrderStep};

forwards! {
    // Of calls that return when all is done, the default stream is the one.
    fn (parameters: usize) = at_once_1:
        cuMemcpy2D, cuMemcpy2D_v2, cuMemcpy2D_v2_ptds, cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2,
        cuMemcpy2DUnaligned_v2_ptds, cuMemcpy3D, cuMemcpy3D_v2, cuMemcpy3D_v2_ptds;
    fn (to: usize, from: usize, bytes: usize) = at_once_3:
        cuMemcpy, cuMemcpy_ptds,
        cuMemcpyHtoD, cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds,
        cuMemcpyDtoH, cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds,
        cuMemcpyDtoD, cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds,
        cuMemsetD8, cuMemsetD8_v2, cuMemsetD8_v2_ptds,
        cuMemsetD16, cuMemsetD16_v2, cuMemsetD16_v2_ptds,
        cuMemsetD32, cuMemsetD32_v2, cuMemsetD32_v2_ptds;
    fn (one: usize, two: usize, three: usize, four: usize) = at_once_4:
        cuMemcpyHtoA, cuMemcpyHtoA_v2, cuMemcpyHtoA_v2_ptds,
        cuMemcpyAtoH, cuMemcpyAtoH_v2, cuMemcpyAtoH_v2_ptds,
        cuMemcpyDtoA, cuMemcpyDtoA_v2, cuMemcpyDtoA_v2_ptds,
        cuMemcpyAtoD, cuMemcpyAtoD_v2, cuMemcpyAtoD_v2_ptds;
    fn (one: usize, two: usize, three: usize, four: usize, five: usize) = at_once_5:
        cuMemcpyAtoA, cuMemcpyAtoA_v2, cuMemcpyAtoA_v2_ptds,
        cuMemsetD2D8, cuMemsetD2D8_v2, cuMemsetD2D8_v2_ptds,
        cuMemsetD2D16, cuMemsetD2D16_v2, cuMemsetD2D16_v2_ptds,
        cuMemsetD2D32, cuMemsetD2D32_v2, cuMemsetD2D32_v2_ptds;

    // Copies between devices wait for all work of both, and all work for them.
    fn (parameters: usize) = between_devices_1: cuMemcpy3DPeer, cuMemcpy3DPeer_ptds;
    fn (to: usize, of: usize, from: usize, of_other: usize, bytes: usize) = between_devices_5:
        cuMemcpyPeer, cuMemcpyPeer_ptds;

    // What goes to memory that is not page-locked is there when the call returns.
    fn (to: usize, from: usize, bytes: usize, stream: CUstream) = to_anywhere:
        cuMemcpyAsync, cuMemcpyAsync_ptsz,
        cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz;
    fn (to: usize, array: usize, offset: usize, bytes: usize, stream: CUstream) = from_array:
        cuMemcpyAtoHAsync, cuMemcpyAtoHAsync_v2, cuMemcpyAtoHAsync_v2_ptsz;
    // Where that is not looked at, it is taken to be so.
    fn (parameters: usize, stream: CUstream) = maybe_to_host_1:
        cuMemcpy2DAsync, cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz,
        cuMemcpy3DAsync, cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz;
    fn (count: usize, copies: usize, flags: usize, stream: CUstream) = maybe_to_host_3:
        cuMemcpy3DBatchAsync_v2, cuMemcpy3DBatchAsync_v2_ptsz;
    fn (count: usize, copies: usize, failed: usize, flags: usize, stream: CUstream) = maybe_to_host_4:
        cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync_ptsz;
    fn (
        to: usize,
        from: usize,
        sizes: usize,
        count: usize,
        attributes: usize,
        which: usize,
        attribute_count: usize,
        stream: CUstream
    ) = maybe_to_host_7: cuMemcpyBatchAsync_v2, cuMemcpyBatchAsync_v2_ptsz;
    fn (
        to: usize,
        from: usize,
        sizes: usize,
        count: usize,
        attributes: usize,
        which: usize,
        attribute_count: usize,
        failed: usize,
        stream: CUstream
    ) = maybe_to_host_8: cuMemcpyBatchAsync, cuMemcpyBatchAsync_ptsz;

    fn (parameters: usize, stream: CUstream) = later_1:
        cuMemcpy3DPeerAsync, cuMemcpy3DPeerAsync_ptsz;
    fn (list: usize, count: usize, stream: CUstream) = later_2:
        cuMemMapArrayAsync, cuMemMapArrayAsync_ptsz;
    fn (one: usize, two: usize, three: usize, stream: CUstream) = later_3:
        cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz,
        cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz,
        cuMemsetD8Async, cuMemsetD8Async_ptsz, cuMemsetD16Async, cuMemsetD16Async_ptsz,
        cuMemsetD32Async, cuMemsetD32Async_ptsz, cuMemPrefetchAsync, cuMemPrefetchAsync_ptsz;
    fn (one: usize, two: usize, three: usize, four: usize, stream: CUstream) = later_4:
        cuMemcpyHtoAAsync, cuMemcpyHtoAAsync_v2, cuMemcpyHtoAAsync_v2_ptsz,
        cuMemPrefetchAsync_v2, cuMemPrefetchAsync_v2_ptsz,
        cuMemDiscardBatchAsync, cuMemDiscardBatchAsync_ptsz,
        cuMemBatchDecompressAsync, cuMemBatchDecompressAsync_ptsz;
    fn (one: usize, two: usize, three: usize, four: usize, five: usize, stream: CUstream) = later_5:
        cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz,
        cuMemsetD2D8Async, cuMemsetD2D8Async_ptsz, cuMemsetD2D16Async, cuMemsetD2D16Async_ptsz,
        cuMemsetD2D32Async, cuMemsetD2D32Async_ptsz;
    fn (
        addresses: usize,
        sizes: usize,
        count: usize,
        locations: usize,
        which: usize,
        location_count: usize,
        flags: usize,
        stream: CUstream
    ) = later_7:
        cuMemPrefetchBatchAsync, cuMemPrefetchBatchAsync_ptsz,
        cuMemDiscardAndPrefetchBatchAsync, cuMemDiscardAndPrefetchBatchAsync_ptsz;
}

then! { fn at_once_1(one: usize) |call| waited(call, CUstream::NULL) }

then! { fn at_once_3(one: usize, two: usize, three: usize) |call| waited(call, CUstream::NULL) }

then! {
    fn at_once_4(one: usize, two: usize, three: usize, four: usize)
        |call| waited(call, CUstream::NULL)
}

then! {
    fn at_once_5(one: usize, two: usize, three: usize, four: usize, five: usize)
        |call| waited(call, CUstream::NULL)
}

then! { fn between_devices_1(one: usize) |call| call.hooks.ordered(OrderStep::HostWaitedForAll) }

then! {
    fn between_devices_5(one: usize, two: usize, three: usize, four: usize, five: usize)
        |call| call.hooks.ordered(OrderStep::HostWaitedForAll)
}

then! {
    fn to_anywhere(to: usize, from: usize, bytes: usize, stream: CUstream)
        |call| match is_known(to) {
            true => work(call, stream),
            false => waited(call, stream),
        }
}

then! {
    fn from_array(to: usize, array: usize, offset: usize, bytes: usize, stream: CUstream)
        |call| match is_known(to) {
            true => work(call, stream),
            false => waited(call, stream),
        }
}

then! { fn maybe_to_host_1(one: usize, stream: CUstream) |call| waited(call, stream) }

then! {
    fn maybe_to_host_3(one: usize, two: usize, three: usize, stream: CUstream)
        |call| waited(call, stream)
}

then! {
    fn maybe_to_host_4(one: usize, two: usize, three: usize, four: usize, stream: CUstream)
        |call| waited(call, stream)
}

then! {
    fn maybe_to_host_7(
        one: usize, two: usize, three: usize, four: usize, five: usize, six: usize, seven: usize,
        stream: CUstream
    ) |call| waited(call, stream)
}

then! {
    fn maybe_to_host_8(
        one: usize, two: usize, three: usize, four: usize, five: usize, six: usize, seven: usize,
        eight: usize, stream: CUstream
    ) |call| waited(call, stream)
}

then! { fn later_1(one: usize, stream: CUstream) |call| work(call, stream) }

then! { fn later_2(one: usize, two: usize, stream: CUstream) |call| work(call, stream) }

then! {
    fn later_3(one: usize, two: usize, three: usize, stream: CUstream) |call| work(call, stream)
}

then! {
    fn later_4(one: usize, two: usize, three: usize, four: usize, stream: CUstream)
        |call| work(call, stream)
}

then! {
    fn later_5(
        one: usize, two: usize, three: usize, four: usize, five: usize, stream: CUstream
    ) |call| work(call, stream)
}

then! {
    fn later_7(
        one: usize, two: usize, three: usize, four: usize, five: usize, six: usize, seven: usize,
        stream: CUstream
    ) |call| work(call, stream)
}

/// Whether the driver knows some memory; other memory is the program's own, and not page-locked.
fn is_known(address: usize) -> bool {
    let mut kind = 0u32;
    forwarding().is_some_and(|forwarding| {
        let place = (&raw mut kind).cast::<c_void>();
        let what = CUpointerAttribute::MEMORY_TYPE;
        // SAFETY: a place for a number.
        unsafe { forwarding.driver.cuPointerGetAttribute(place, what, address as u64) }.is_success()
    }) && kind != 0
}
