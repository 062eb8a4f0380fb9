//! Calls that put work into an order, or that wait for it.
//!
//! Only detectors on the host want to know of them: for others all of these names lead to the driver at once. What a call
//! means is told after the driver has said that it worked. Calls whose effect nobody here can follow are told, too: from
//! then on all launches are taken to be in order.

mod streams;
mod transfers;
mod unfollowed;

use super::calls::Call;
use super::memory::stream_of;
use super::wrapped::Wrapped;
use warpsan_gpu::{CUstream, OrderStep};

/// All functions of the driver that lead to this folder.
pub(super) fn wrapped() -> impl Iterator<Item = &'static Wrapped> {
    [streams::WRAPPED, transfers::WRAPPED, unfollowed::WRAPPED].into_iter().flatten()
}

/// Makes the body of functions that have these arguments: the real function is called and, if that worked, something is
/// done with the call.
macro_rules! then {
    (fn $name:ident($($argument:ident: $type:ty),*) |$call:ident| $told:expr) => {
        #[allow(clippy::too_many_arguments)]
        unsafe fn $name(
            $call: $crate::forward::calls::Call<
                unsafe extern "C" fn($($type),*) -> warpsan_gpu::CUresult,
            >,
            $($argument: $type),*
        ) -> warpsan_gpu::CUresult {
            // SAFETY: the program's own call.
            let answer = unsafe { ($call.real)($($argument),*) };
            if answer.is_success() {
                let $call = &$call;
                $told;
            }
            answer
        }
    };
}

use then;

/// Work was put into a stream.
fn work<F>(call: &Call<F>, stream: CUstream) {
    call.hooks.ordered(OrderStep::Work(stream_of(call, stream)));
}

/// Work was put into a stream, and the host has waited for it.
fn waited<F>(call: &Call<F>, stream: CUstream) {
    work(call, stream);
    call.hooks.ordered(OrderStep::HostWaitedForStream(stream_of(call, stream)));
}

#[cfg(test)]
mod tests;
