//! What the one device is, as the API names it. The numbers are those of [`EMULATED_DEVICE`].

use std::ffi::c_int;
use warpsan_runtime::EMULATED_DEVICE;
use warpsan_runtime::machine::error::CudaError;

/// The name that programs print.
pub(crate) const NAME: &str = "warpsan CPU engine (sm_90)";
pub(crate) const COMPUTE_CAPABILITY: (c_int, c_int) =
    (EMULATED_DEVICE.compute_capability.0 as c_int, EMULATED_DEVICE.compute_capability.1 as c_int);
pub(crate) const MULTIPROCESSORS: c_int = EMULATED_DEVICE.multiprocessors as c_int;
pub(crate) const WARP_SIZE: c_int = EMULATED_DEVICE.warp_size as c_int;
pub(crate) const MAX_THREADS_PER_BLOCK: c_int = EMULATED_DEVICE.max_threads_per_block as c_int;
pub(crate) const MAX_BLOCK: [c_int; 3] = numbers(EMULATED_DEVICE.max_block);
pub(crate) const MAX_GRID: [c_int; 3] = numbers(EMULATED_DEVICE.max_grid);
pub(crate) const MAX_THREADS_PER_MULTIPROCESSOR: c_int =
    EMULATED_DEVICE.max_threads_per_multiprocessor as c_int;
pub(crate) const MAX_BLOCKS_PER_MULTIPROCESSOR: c_int =
    EMULATED_DEVICE.max_blocks_per_multiprocessor as c_int;
pub(crate) const REGISTERS: c_int = EMULATED_DEVICE.registers as c_int;
/// Shared memory that a block gets without asking.
pub(crate) const SHARED_BYTES_PER_BLOCK: usize = EMULATED_DEVICE.shared_bytes_per_block as usize;
/// Shared memory that a block gets after `cudaFuncSetAttribute`.
pub(crate) const SHARED_BYTES_PER_BLOCK_OPT_IN: usize =
    EMULATED_DEVICE.shared_bytes_per_block_opt_in as usize;
pub(crate) const SHARED_BYTES_PER_MULTIPROCESSOR: usize =
    EMULATED_DEVICE.shared_bytes_per_multiprocessor as usize;
/// Shared memory of a block that the system keeps for itself.
pub(crate) const SHARED_BYTES_RESERVED: usize = EMULATED_DEVICE.shared_bytes_reserved as usize;
pub(crate) const CONSTANT_BYTES: usize = EMULATED_DEVICE.constant_bytes as usize;
pub(crate) const MAX_PITCH: usize = EMULATED_DEVICE.max_pitch as usize;
pub(crate) const TEXTURE_ALIGNMENT: usize = EMULATED_DEVICE.texture_alignment as usize;
pub(crate) const TEXTURE_PITCH_ALIGNMENT: usize = EMULATED_DEVICE.texture_pitch_alignment as usize;
pub(crate) const CLOCK_KILOHERTZ: c_int = EMULATED_DEVICE.clock_kilohertz as c_int;
pub(crate) const MEMORY_CLOCK_KILOHERTZ: c_int = EMULATED_DEVICE.memory_clock_kilohertz as c_int;
pub(crate) const MEMORY_BUS_BITS: c_int = EMULATED_DEVICE.memory_bus_bits as c_int;
pub(crate) const L2_BYTES: c_int = EMULATED_DEVICE.l2_bytes as c_int;
/// The part of the L2 cache that can be set aside for accesses that persist.
pub(crate) const PERSISTING_L2_BYTES: c_int = EMULATED_DEVICE.persisting_l2_bytes as c_int;
pub(crate) const ACCESS_POLICY_WINDOW_BYTES: c_int =
    EMULATED_DEVICE.access_policy_window_bytes as c_int;
pub(crate) const ASYNC_ENGINES: c_int = EMULATED_DEVICE.async_engines as c_int;
/// Where the device claims to be.
pub(crate) const PCI_DOMAIN: c_int = 0;
pub(crate) const PCI_BUS: c_int = 1;
pub(crate) const PCI_DEVICE: c_int = 0;
/// What distinguishes the device from others; it is the same in every run.
pub(crate) const UUID: &[u8; 16] = b"warpsan-cpu-sm90";

/// The version of the driver that we stand for: new enough for every runtime that we answer.
pub(crate) const DRIVER_VERSION: c_int = 13000;

/// Limits of the device by dimension, as the API has them.
const fn numbers([x, y, z]: [u32; 3]) -> [c_int; 3] {
    [x as c_int, y as c_int, z as c_int]
}

/// Refuses every device but the first.
pub(crate) fn check_device(device: c_int) -> Result<(), CudaError> {
    if device == 0 { Ok(()) } else { Err(CudaError::INVALID_DEVICE) }
}
