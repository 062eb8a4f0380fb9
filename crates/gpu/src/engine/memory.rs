//! Memory of the engine's own, on the device.
//!
//! Everything happens in the order of the engine's stream on a device, and nobody waits for it before a launch needs
//! it: then [`Engine::settle`] waits once for all. Small tables share blocks, since each call of the driver costs
//! more than they do.

use super::Engine;
use crate::driver::DriverError;
use crate::driver_types::CUstream;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Small tables are cut from blocks of this size, which is what the driver takes at least.
const BLOCK: u64 = 2 << 20;
/// Larger ones have memory of their own.
const LARGEST_OF_BLOCK: u64 = BLOCK / 2;
/// What every table begins at a multiple of.
const ALIGNMENT: u64 = 256;

/// What the engine has on each device, by its stream there.
#[derive(Debug, Default)]
pub(crate) struct OwnMemory(Mutex<HashMap<CUstream, OfStream>>);

#[derive(Debug, Default)]
struct OfStream {
    /// What is left of the last block.
    rest: u64,
    rest_bytes: u64,
    /// Something may not be done yet.
    pending: bool,
    /// Bytes of the device that the engine has.
    held: u64,
}

impl OwnMemory {
    fn lock(&self) -> MutexGuard<'_, HashMap<CUstream, OfStream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending(&self, stream: CUstream) {
        self.lock().entry(stream).or_default().pending = true;
    }
}

/// Calls of the driver about memory, checked.
impl Engine {
    /// Plain memory that stays, filled with zeros once the stream is that far.
    pub(super) fn allocate(&self, bytes: u64, stream: CUstream) -> Result<u64, DriverError> {
        let bytes = bytes.next_multiple_of(ALIGNMENT);
        if bytes > LARGEST_OF_BLOCK {
            return self.allocate_alone(bytes, stream);
        }
        let is_left = |own: &OfStream| own.rest_bytes >= bytes;
        if !self.own.lock().get(&stream).is_some_and(is_left) {
            let block = self.allocate_alone(BLOCK, stream)?;
            let mut all = self.own.lock();
            let own = all.entry(stream).or_default();
            (own.rest, own.rest_bytes) = (block, BLOCK);
        }
        let mut all = self.own.lock();
        let own = all.entry(stream).or_default();
        let address = own.rest;
        own.rest += bytes;
        own.rest_bytes = own.rest_bytes.saturating_sub(bytes);
        Ok(address)
    }

    /// The same, which can be given back by [`Engine::give_back`].
    pub(super) fn allocate_alone(&self, bytes: u64, stream: CUstream) -> Result<u64, DriverError> {
        let mut address = 0;
        // SAFETY: a place for an address.
        let result = unsafe { self.driver.cuMemAlloc_v2(&mut address, bytes as usize) };
        self.driver.check("cuMemAlloc", result)?;
        self.own.lock().entry(stream).or_default().held += bytes;
        if let Err(error) = self.fill_with_zeros(address, bytes, stream) {
            self.give_back(address, bytes, stream);
            return Err(error);
        }
        Ok(address)
    }

    /// Gives memory back that no kernel uses.
    pub(super) fn give_back(&self, address: u64, bytes: u64, stream: CUstream) {
        // SAFETY: memory of ours.
        if unsafe { self.driver.cuMemFree_v2(address) }.is_success() {
            let mut all = self.own.lock();
            let own = all.entry(stream).or_default();
            own.held = own.held.saturating_sub(bytes);
        }
    }

    /// Bytes of the device that the engine has.
    pub(super) fn held_bytes(&self, stream: CUstream) -> u64 {
        self.own.lock().get(&stream).map_or(0, |own| own.held)
    }

    /// Zeros, in the order of the stream.
    pub(super) fn fill_with_zeros(
        &self,
        address: u64,
        bytes: u64,
        stream: CUstream,
    ) -> Result<(), DriverError> {
        self.own.pending(stream);
        self.zeros_in(address, bytes, stream)
    }

    /// The same in a stream of the program, before a launch that uses them.
    pub(super) fn zeros_in(
        &self,
        address: u64,
        bytes: u64,
        stream: CUstream,
    ) -> Result<(), DriverError> {
        // SAFETY: memory of ours, in the order of whoever uses it.
        let result = unsafe { self.driver.cuMemsetD8Async(address, 0, bytes as usize, stream) };
        self.driver.check("cuMemsetD8Async", result)
    }

    /// Copies to the device, in the order of the stream. The driver has read the values when it returns.
    pub(super) fn write<T: Copy>(
        &self,
        address: u64,
        values: &[T],
        stream: CUstream,
    ) -> Result<(), DriverError> {
        self.own.pending(stream);
        self.write_in(address, values, stream)
    }

    /// The same in a stream of the program, before a launch that uses them.
    pub(super) fn write_in<T: Copy>(
        &self,
        address: u64,
        values: &[T],
        stream: CUstream,
    ) -> Result<(), DriverError> {
        let from = values.as_ptr().cast::<c_void>();
        // SAFETY: memory of ours that is large enough.
        let result =
            unsafe { self.driver.cuMemcpyHtoDAsync_v2(address, from, size_of_val(values), stream) };
        self.driver.check("cuMemcpyHtoDAsync", result)
    }

    /// Copies from the device, done when it returns.
    pub(super) fn read<T: Copy>(
        &self,
        address: u64,
        values: &mut [T],
        stream: CUstream,
    ) -> Result<(), DriverError> {
        self.own.pending(stream);
        let to = values.as_mut_ptr().cast::<c_void>();
        // SAFETY: a place that is large enough, for a type that any bytes are good for.
        let result =
            unsafe { self.driver.cuMemcpyDtoHAsync_v2(to, address, size_of_val(values), stream) };
        self.driver.check("cuMemcpyDtoHAsync", result)?;
        self.settle(stream)
    }

    /// Waits until everything is there that launches use, which run in other streams.
    pub(super) fn settle(&self, stream: CUstream) -> Result<(), DriverError> {
        let pending = |own: &mut OfStream| std::mem::take(&mut own.pending);
        if !self.own.lock().get_mut(&stream).is_some_and(pending) {
            return Ok(());
        }
        // SAFETY: a stream of ours.
        let result = unsafe { self.driver.cuStreamSynchronize(stream) };
        self.driver.check("cuStreamSynchronize", result)
    }

    /// The memory of a context that ends is gone with it.
    pub(super) fn forget_memory(&self, stream: CUstream) {
        self.own.lock().remove(&stream);
    }

    /// Bytes that the current device has.
    pub(super) fn total_bytes(&self) -> u64 {
        self.free_and_total().1
    }

    /// Bytes that are free on the current device.
    pub(super) fn free_bytes(&self) -> u64 {
        self.free_and_total().0
    }

    /// Both are 0 where the driver does not say.
    fn free_and_total(&self) -> (u64, u64) {
        let (mut free, mut total) = (0, 0);
        // SAFETY: places for two numbers.
        match unsafe { self.driver.cuMemGetInfo_v2(&mut free, &mut total) }.ok() {
            Ok(()) => (free as u64, total as u64),
            Err(_) => (0, 0),
        }
    }
}
