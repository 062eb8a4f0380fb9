//! Attributes of streams: hints about caches, waiting and priorities, which are kept to be asked for.

use super::error::CudaError;
use crate::Stream;
use std::collections::BTreeMap;
use std::ffi::c_int;

/// `cudaLaunchAttributeAccessPolicyWindow`, `cudaLaunchAttributeSynchronizationPolicy`,
/// `cudaLaunchAttributePriority`, `cudaLaunchAttributeMemSyncDomainMap` and `cudaLaunchAttributeMemSyncDomain`: those
/// that streams have.
const OF_STREAMS: [c_int; 5] = [1, 3, 8, 9, 10];

/// The value of an attribute: a union of 64 bytes.
pub type AttributeWords = [u32; 16];

/// What was said about streams.
#[derive(Default)]
pub struct StreamAttributes {
    said: BTreeMap<(Stream, c_int), AttributeWords>,
}

impl StreamAttributes {
    /// Keeps a value, if streams have that attribute.
    pub fn set(
        &mut self,
        stream: Stream,
        attribute: c_int,
        value: AttributeWords,
    ) -> Result<(), CudaError> {
        check(attribute)?;
        self.said.insert((stream, attribute), value);
        Ok(())
    }

    /// The value that was said last, or zeros.
    pub fn get(&self, stream: Stream, attribute: c_int) -> Result<AttributeWords, CudaError> {
        check(attribute)?;
        Ok(self.said.get(&(stream, attribute)).copied().unwrap_or([0; 16]))
    }

    /// Says of one stream what was said of another.
    pub fn copy(&mut self, to: Stream, from: Stream) {
        for attribute in OF_STREAMS {
            if let Some(value) = self.said.get(&(from, attribute)).copied() {
                self.said.insert((to, attribute), value);
            }
        }
    }
}

fn check(attribute: c_int) -> Result<(), CudaError> {
    if OF_STREAMS.contains(&attribute) { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
}
