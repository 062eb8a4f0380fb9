//! What is reported of the calls of this folder: work in a stream, and the host that waits for it.

use crate::calls::{Call, stream_of};
use warpsan_gpu::{CUstream, OrderStep};

/// Makes the body of functions that have these arguments: the real function is called and, if that worked, something is
/// done with the call.
macro_rules! then {
    (fn $name:ident($($argument:ident: $type:ty),*) |$call:ident| $report:expr) => {
        #[allow(clippy::too_many_arguments)]
        unsafe fn $name(
            $call: $crate::calls::Call<
                unsafe extern "C" fn($($type),*) -> warpsan_gpu::CUresult,
            >,
            $($argument: $type),*
        ) -> warpsan_gpu::CUresult {
            // SAFETY: the program's own call.
            let answer = unsafe { ($call.real)($($argument),*) };
            if answer.is_success() {
                let $call = &$call;
                $report;
            }
            answer
        }
    };
}

pub(super) use then;

/// Work was put into a stream.
pub(super) fn work<F>(call: &Call<F>, stream: CUstream) {
    call.hooks.ordered(OrderStep::Work(stream_of(call, stream)));
}

/// Work was put into a stream, and the host has waited for it.
pub(super) fn waited<F>(call: &Call<F>, stream: CUstream) {
    work(call, stream);
    call.hooks.ordered(OrderStep::HostWaitedForStream(stream_of(call, stream)));
}
