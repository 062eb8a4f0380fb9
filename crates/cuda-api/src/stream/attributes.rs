//! The calls about attributes of streams.

use crate::answer::answer;
use crate::call::call;
use crate::handles::stream_of;
use crate::types::{CudaStream, LaunchAttributeValue};
use std::ffi::c_int;
use warpsan_runtime::machine::error::CudaError;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamSetAttribute(
    stream: CudaStream,
    attribute: c_int,
    value: *const LaunchAttributeValue,
) -> CudaError {
    call("cudaStreamSetAttribute", |machine| {
        let stream = machine.streams.name(stream_of(stream))?;
        // SAFETY: the program passes null or a value.
        let value = unsafe { value.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        machine.stream_attributes.set(stream, attribute, value.words)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetAttribute(
    stream: CudaStream,
    attribute: c_int,
    value: *mut LaunchAttributeValue,
) -> CudaError {
    call("cudaStreamGetAttribute", |machine| {
        let stream = machine.streams.name(stream_of(stream))?;
        let words = machine.stream_attributes.get(stream, attribute)?;
        // SAFETY: the program passes a place for a value.
        unsafe { answer(value, LaunchAttributeValue { words }) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamCopyAttributes(to: CudaStream, from: CudaStream) -> CudaError {
    call("cudaStreamCopyAttributes", |machine| {
        let to = machine.streams.name(stream_of(to))?;
        let from = machine.streams.name(stream_of(from))?;
        machine.stream_attributes.copy(to, from);
        Ok(())
    })
}
