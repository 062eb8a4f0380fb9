//! Copies and fills: those that are done at once, and those that are queued.

use super::Session;
use crate::RuntimeError;
use crate::operation::{MemoryPart, Toucher, emit_call};
use crate::order::WorkId;
use crate::work::{ApiCall, Pattern, Side, Transfer};
use warpsan_model::DeviceAddress;
use warpsan_simt::{DeviceMemory, MemoryError};

impl Session {
    /// Copies from the host to the device.
    pub fn copy_to_device(&mut self, to: DeviceAddress, from: &[u8]) -> Result<(), RuntimeError> {
        self.memory.write(to, from).map_err(|error| self.memory_error(error))
    }

    /// Copies from the device to the host.
    pub fn copy_from_device(
        &mut self,
        to: &mut [u8],
        from: DeviceAddress,
    ) -> Result<(), RuntimeError> {
        self.memory.read(from, to).map_err(|error| self.memory_error(error))
    }

    /// Fills device memory with one byte.
    pub fn fill(&mut self, at: DeviceAddress, byte: u8, bytes: u64) -> Result<(), RuntimeError> {
        self.memory.fill(at, byte, bytes).map_err(|error| self.memory_error(error))
    }

    /// Refuses a range of device memory that is not inside of one allocation.
    pub fn check_range(&mut self, address: DeviceAddress, bytes: u64) -> Result<(), RuntimeError> {
        self.memory.check_range(address, bytes).map_err(|error| self.memory_error(error))
    }

    /// Does copies and fills whose turn it is, and emits them.
    pub(super) fn run_transfers(
        &mut self,
        work: WorkId,
        call: &ApiCall,
        transfers: &[Transfer],
    ) -> Result<(), RuntimeError> {
        let result = run_transfers(&self.memory, transfers);
        self.emit_transfers(work, call, transfers);
        result.map_err(|error| self.memory_error(error))
    }

    /// Emits copies and fills that were done.
    pub(super) fn emit_transfers(&mut self, work: WorkId, call: &ApiCall, transfers: &[Transfer]) {
        let parts: Vec<MemoryPart> = transfers.iter().flat_map(touched_by).flatten().collect();
        self.emit_work(work, &call.name, &parts, || vec![Toucher::of_call(call)]);
    }

    /// Emits work that is done and is no launch, if it can still matter to other work. Its parts name the one of the
    /// touchers that did them.
    pub(super) fn emit_work(
        &mut self,
        work: WorkId,
        name: &str,
        parts: &[MemoryPart],
        touchers: impl FnOnce() -> Vec<Toucher>,
    ) {
        if parts.is_empty() {
            return self.order.done(work, None);
        }
        let position = self.order.position(work);
        let id = self.next_launch();
        self.order.done(work, Some(id));
        if position.open.is_empty() && !self.order.counts(work) {
            // Nobody has heard of it, so that the next one may have the number.
            self.starts.launches -= 1;
            return;
        }
        let touchers = touchers();
        emit_call(&mut *self.detector, &mut self.journal, (id, &position), name, &touchers, parts);
    }
}

/// Does copies and fills, one after the other.
pub(super) fn run_transfers(
    memory: &DeviceMemory,
    transfers: &[Transfer],
) -> Result<(), MemoryError> {
    transfers.iter().try_for_each(|transfer| run_transfer(memory, transfer))
}

/// Does one copy or fill.
fn run_transfer(memory: &DeviceMemory, transfer: &Transfer) -> Result<(), MemoryError> {
    match transfer {
        Transfer::Copy { to, from, bytes } => run_copy(memory, *to, *from, *bytes),
        Transfer::Store { to, bytes } => match *to {
            Side::Device(to) => memory.write(to, bytes),
            Side::Host(to) | Side::Registered(to) => {
                to.write(bytes);
                Ok(())
            }
        },
        Transfer::Fill { to, pattern, bytes } => run_fill(memory, *to, *pattern, *bytes),
    }
}

fn run_copy(memory: &DeviceMemory, to: Side, from: Side, bytes: u64) -> Result<(), MemoryError> {
    match (to, from) {
        (Side::Device(to), Side::Device(from)) => memory.copy(to, from, bytes),
        (Side::Device(to), Side::Host(from) | Side::Registered(from)) => {
            memory.write_from(to, from, bytes)
        }
        (Side::Host(to) | Side::Registered(to), Side::Device(from)) => {
            memory.read_into(from, to, bytes)
        }
        (Side::Host(to) | Side::Registered(to), Side::Host(from) | Side::Registered(from)) => {
            to.copy_from(from, bytes);
            Ok(())
        }
    }
}

fn run_fill(
    memory: &DeviceMemory,
    to: Side,
    pattern: Pattern,
    bytes: u64,
) -> Result<(), MemoryError> {
    let value = pattern.value.to_le_bytes();
    let value = &value[..usize::from(pattern.bytes).clamp(1, 4)];
    if let (Side::Device(to), true) = (to, value.iter().all(|byte| *byte == value[0])) {
        return memory.fill(to, value[0], bytes);
    }
    let repeated: Vec<u8> = value.iter().copied().cycle().take(bytes as usize).collect();
    run_transfer(memory, &Transfer::Store { to, bytes: repeated.into() })
}

/// What a transfer reads and writes of the memory that kernels can use.
fn touched_by(transfer: &Transfer) -> [Option<MemoryPart>; 2] {
    let part = |side: Side, bytes: u64, writes: bool| {
        let address = match side {
            Side::Device(address) => address.0,
            Side::Registered(address) => address.get(),
            Side::Host(_) => return None,
        };
        Some(MemoryPart { address, bytes, writes, toucher: 0, by_host: false })
    };
    match transfer {
        Transfer::Copy { to, from, bytes } => [part(*from, *bytes, false), part(*to, *bytes, true)],
        Transfer::Store { to, bytes } => [part(*to, bytes.len() as u64, true), None],
        Transfer::Fill { to, bytes, .. } => [part(*to, *bytes, true), None],
    }
}
