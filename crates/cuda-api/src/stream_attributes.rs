//! Attributes of streams: hints about caches, waiting and priorities, which are kept to be asked for.

use crate::call::call;
use crate::error::CudaError;
use crate::streams::answer;
use crate::types::{CudaStream, LaunchAttributeValue};
use std::collections::BTreeMap;
use std::ffi::c_int;
use warpsan_runtime::Stream;

/// `cudaLaunchAttributeAccessPolicyWindow`, `cudaLaunchAttributeSynchronizationPolicy`,
/// `cudaLaunchAttributePriority`, `cudaLaunchAttributeMemSyncDomainMap` and `cudaLaunchAttributeMemSyncDomain`: those
/// that streams have.
const OF_STREAMS: [c_int; 5] = [1, 3, 8, 9, 10];

/// What was said about streams.
#[derive(Default)]
pub(crate) struct StreamAttributes {
    said: BTreeMap<(Stream, c_int), LaunchAttributeValue>,
}

fn check(attribute: c_int) -> Result<(), CudaError> {
    if OF_STREAMS.contains(&attribute) { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamSetAttribute(
    stream: CudaStream,
    attribute: c_int,
    value: *const LaunchAttributeValue,
) -> CudaError {
    call("cudaStreamSetAttribute", |api| {
        let stream = api.streams.name(stream)?;
        check(attribute)?;
        // SAFETY: the program passes null or a value.
        let value = unsafe { value.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        api.stream_attributes.said.insert((stream, attribute), *value);
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetAttribute(
    stream: CudaStream,
    attribute: c_int,
    value: *mut LaunchAttributeValue,
) -> CudaError {
    call("cudaStreamGetAttribute", |api| {
        let stream = api.streams.name(stream)?;
        check(attribute)?;
        let said = api.stream_attributes.said.get(&(stream, attribute)).copied();
        // SAFETY: the program passes a place for a value.
        unsafe { answer(value, said.unwrap_or(LaunchAttributeValue { words: [0; 16] })) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamCopyAttributes(to: CudaStream, from: CudaStream) -> CudaError {
    call("cudaStreamCopyAttributes", |api| {
        let (to, from) = (api.streams.name(to)?, api.streams.name(from)?);
        let said = &mut api.stream_attributes.said;
        for attribute in OF_STREAMS {
            if let Some(value) = said.get(&(from, attribute)).copied() {
                said.insert((to, attribute), value);
            }
        }
        Ok(())
    })
}
