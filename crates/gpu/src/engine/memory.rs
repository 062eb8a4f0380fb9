//! Memory of the engine's own, on the device.

use super::Engine;
use crate::driver::DriverError;
use crate::driver_types::CUstream;
use std::ffi::c_void;

/// Calls of the driver about memory, checked.
impl Engine {
    /// Plain memory, filled with zeros.
    pub(super) fn allocate(&self, bytes: u64, stream: CUstream) -> Result<u64, DriverError> {
        let mut address = 0;
        // SAFETY: a place for an address.
        let result = unsafe { self.driver.cuMemAlloc_v2(&mut address, bytes as usize) };
        self.driver.check("cuMemAlloc", result)?;
        self.fill_with_zeros(address, bytes, stream)?;
        Ok(address)
    }

    /// Zeros, there when it returns.
    pub(super) fn fill_with_zeros(
        &self,
        address: u64,
        bytes: u64,
        stream: CUstream,
    ) -> Result<(), DriverError> {
        // SAFETY: memory of ours, a stream of ours.
        let result = unsafe { self.driver.cuMemsetD8Async(address, 0, bytes as usize, stream) };
        self.driver.check("cuMemsetD8Async", result)?;
        self.wait(stream)
    }

    /// Copies to the device, done when it returns.
    pub(super) fn write<T: Copy>(
        &self,
        address: u64,
        values: &[T],
        stream: CUstream,
    ) -> Result<(), DriverError> {
        let from = values.as_ptr().cast::<c_void>();
        // SAFETY: memory of ours that is large enough.
        let result =
            unsafe { self.driver.cuMemcpyHtoDAsync_v2(address, from, size_of_val(values), stream) };
        self.driver.check("cuMemcpyHtoDAsync", result)?;
        self.wait(stream)
    }

    /// Copies from the device, done when it returns.
    pub(super) fn read<T: Copy>(
        &self,
        address: u64,
        values: &mut [T],
        stream: CUstream,
    ) -> Result<(), DriverError> {
        let to = values.as_mut_ptr().cast::<c_void>();
        // SAFETY: a place that is large enough, for a type that any bytes are good for.
        let result =
            unsafe { self.driver.cuMemcpyDtoHAsync_v2(to, address, size_of_val(values), stream) };
        self.driver.check("cuMemcpyDtoHAsync", result)?;
        self.wait(stream)
    }

    fn wait(&self, stream: CUstream) -> Result<(), DriverError> {
        // SAFETY: a stream of ours.
        let result = unsafe { self.driver.cuStreamSynchronize(stream) };
        self.driver.check("cuStreamSynchronize", result)
    }

    /// Bytes that are free on the current device.
    pub(super) fn free_bytes(&self) -> u64 {
        let (mut free, mut total) = (0, 0);
        // SAFETY: places for two numbers.
        match unsafe { self.driver.cuMemGetInfo_v2(&mut free, &mut total) }.ok() {
            Ok(()) => free as u64,
            Err(_) => 0,
        }
    }
}
