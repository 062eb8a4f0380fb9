//! Calls by which work gets into an order that cannot be seen here: streams that wait for memory, other processes,
//! and other interfaces.

use super::reporting::then;
use crate::types::IpcHandle;
use crate::wrapped::forwards;
use std::ffi::{c_int, c_uint};
use warpsan_gpu::{CUstream, OrderStep};

forwards! {
    fn (stream: CUstream, address: u64, value: u32, flags: c_uint) = word:
        cuStreamWaitValue32, cuStreamWaitValue32_ptsz,
        cuStreamWaitValue32_v2, cuStreamWaitValue32_v2_ptsz,
        cuStreamWriteValue32, cuStreamWriteValue32_ptsz,
        cuStreamWriteValue32_v2, cuStreamWriteValue32_v2_ptsz;
    fn (stream: CUstream, address: u64, value: u64, flags: c_uint) = double_word:
        cuStreamWaitValue64, cuStreamWaitValue64_ptsz,
        cuStreamWaitValue64_v2, cuStreamWaitValue64_v2_ptsz,
        cuStreamWriteValue64, cuStreamWriteValue64_ptsz,
        cuStreamWriteValue64_v2, cuStreamWriteValue64_v2_ptsz;
    fn (stream: CUstream, count: c_uint, operations: usize, flags: c_uint) = memory_operations:
        cuStreamBatchMemOp, cuStreamBatchMemOp_ptsz,
        cuStreamBatchMemOp_v2, cuStreamBatchMemOp_v2_ptsz;
    fn (semaphores: usize, parameters: usize, count: c_uint, stream: CUstream) = other_semaphores:
        cuWaitExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync_ptsz,
        cuSignalExternalSemaphoresAsync, cuSignalExternalSemaphoresAsync_ptsz;
    fn (event: usize, handle: IpcHandle) = open_event: cuIpcOpenEventHandle;
    fn (one: usize) = by_one: cuGLRegisterBufferObject;
    fn (one: usize, two: usize) = by_two:
        cuIpcGetEventHandle, cuIpcGetMemHandle, cuMemPoolExportPointer, cuImportExternalSemaphore,
        cuEGLStreamConsumerConnect;
    fn (one: usize, two: usize, three: usize) = by_three:
        cuGraphicsGLRegisterBuffer, cuGraphicsEGLRegisterImage, cuGraphicsVDPAURegisterVideoSurface,
        cuGraphicsVDPAURegisterOutputSurface, cuEGLStreamConsumerConnectWithFlags;
    fn (one: usize, two: usize, three: usize, four: usize) = by_four:
        cuMemExportToShareableHandle, cuGraphicsGLRegisterImage;
    fn (connection: usize, stream: usize, width: c_int, height: c_int) = produce:
        cuEGLStreamProducerConnect;
}

/// What happens after each of these calls is the same, whatever its parameters.
macro_rules! not_followed {
    ($(fn $name:ident($($parameters:tt)*);)*) => {
        $(then! { fn $name($($parameters)*) |call| call.hooks.ordered(OrderStep::NotFollowed) })*
    };
}

not_followed! {
    fn word(stream: CUstream, address: u64, value: u32, flags: c_uint);
    fn double_word(stream: CUstream, address: u64, value: u64, flags: c_uint);
    fn memory_operations(stream: CUstream, count: c_uint, operations: usize, flags: c_uint);
    fn other_semaphores(semaphores: usize, parameters: usize, count: c_uint, stream: CUstream);
    fn open_event(event: usize, handle: IpcHandle);
    fn by_one(one: usize);
    fn by_two(one: usize, two: usize);
    fn by_three(one: usize, two: usize, three: usize);
    fn by_four(one: usize, two: usize, three: usize, four: usize);
    fn produce(connection: usize, stream: usize, width: c_int, height: c_int);
}
