//! How many blocks and clusters of a kernel fit on the device.

use crate::call::call;
use crate::device;
use crate::error::CudaError;
use crate::functions::{allowed_dynamic_shared_bytes, kernel_and_settings};
use crate::launch_attributes::{LaunchAttributes, attributes_of};
use crate::streams::answer;
use crate::types::LaunchConfig;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::{Dim3, EMULATED_DEVICE, KernelInfo};

/// Registers are given to a warp in lumps of this many.
const REGISTER_LUMP: usize = EMULATED_DEVICE.register_granularity as usize;
/// Shared memory is given to a block in lumps of this many bytes.
const SHARED_LUMP: usize = EMULATED_DEVICE.shared_granularity as usize;
/// Blocks of clusters that one multiprocessor holds at most.
const MAX_BLOCKS_OF_CLUSTERS: c_int =
    EMULATED_DEVICE.max_cluster_blocks_per_multiprocessor as c_int;
/// The multiprocessors of each group that a cluster cannot leave.
const GROUPS: [u32; 8] = EMULATED_DEVICE.multiprocessor_groups;

/// How many blocks of a kernel one multiprocessor holds.
pub(crate) fn resident_blocks(
    info: &KernelInfo,
    threads: c_int,
    dynamic_shared_bytes: usize,
) -> c_int {
    if !(1..=device::MAX_THREADS_PER_BLOCK).contains(&threads) {
        return 0;
    }
    let warps = (threads as usize).div_ceil(device::WARP_SIZE as usize);
    let warp_slots = (device::MAX_THREADS_PER_MULTIPROCESSOR / device::WARP_SIZE) as usize;
    let registers_per_warp = (info.registers.max(1) as usize * device::WARP_SIZE as usize)
        .next_multiple_of(REGISTER_LUMP);
    let shared_bytes = info
        .static_shared_bytes
        .saturating_add(dynamic_shared_bytes)
        .saturating_add(device::SHARED_BYTES_RESERVED);
    let by_warps = warp_slots / warps;
    let by_registers = device::REGISTERS as usize / (registers_per_warp * warps);
    let by_shared_memory = device::SHARED_BYTES_PER_MULTIPROCESSOR / shared_bytes;
    let blocks = by_warps.min(by_registers).min(by_shared_memory);
    (blocks as c_int).min(device::MAX_BLOCKS_PER_MULTIPROCESSOR)
}

/// The largest cluster, in blocks.
pub(crate) fn largest_cluster(non_portable_allowed: bool) -> c_int {
    if non_portable_allowed { device::MAX_CLUSTER } else { device::MAX_PORTABLE_CLUSTER }
}

/// How many clusters of so many blocks fit on the device, when one multiprocessor holds so many of
/// the blocks. Each block of a cluster is taken to be on a multiprocessor of its own; the device packs
/// some sizes a little closer.
fn resident_clusters(blocks: c_int, resident: c_int) -> c_int {
    let places: c_int = GROUPS.iter().map(|group| *group as c_int / blocks.max(1)).sum();
    places * resident.min(MAX_BLOCKS_OF_CLUSTERS)
}

/// Dynamic shared memory that each of so many blocks can have.
fn available_shared_bytes(info: &KernelInfo, allowed: usize, blocks: usize) -> usize {
    let share = device::SHARED_BYTES_PER_MULTIPROCESSOR / blocks;
    let share = share / SHARED_LUMP * SHARED_LUMP;
    share.saturating_sub(info.static_shared_bytes).min(allowed)
}

/// `cudaOccupancyDisableCachingOverride`, the only flag there is.
const FLAGS: c_uint = 1;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    function: *const c_void,
    threads: c_int,
    dynamic_shared_bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", |api| {
        let (info, settings) = kernel_and_settings(api, function)?;
        if threads <= 0 || flags & !FLAGS != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        // A launch with more shared memory than the kernel may have does not happen.
        let fits = dynamic_shared_bytes <= allowed_dynamic_shared_bytes(&info, &settings);
        let found = if fits { resident_blocks(&info, threads, dynamic_shared_bytes) } else { 0 };
        // SAFETY: the program passes a place for a number.
        unsafe { answer(blocks, found) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    function: *const c_void,
    threads: c_int,
    dynamic_shared_bytes: usize,
) -> CudaError {
    // SAFETY: the same contract.
    unsafe {
        wsrt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            blocks,
            function,
            threads,
            dynamic_shared_bytes,
            0,
        )
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaOccupancyAvailableDynamicSMemPerBlock(
    bytes: *mut usize,
    function: *const c_void,
    blocks: c_int,
    threads: c_int,
) -> CudaError {
    call("cudaOccupancyAvailableDynamicSMemPerBlock", |api| {
        let (info, settings) = kernel_and_settings(api, function)?;
        if blocks <= 0 || blocks > resident_blocks(&info, threads, 0) {
            return Err(CudaError::INVALID_VALUE);
        }
        let allowed = allowed_dynamic_shared_bytes(&info, &settings);
        let found = available_shared_bytes(&info, allowed, blocks as usize);
        // SAFETY: the program passes a place for a size.
        unsafe { answer(bytes, found) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaOccupancyMaxActiveClusters(
    clusters: *mut c_int,
    function: *const c_void,
    config: *const LaunchConfig,
) -> CudaError {
    call("cudaOccupancyMaxActiveClusters", |api| {
        let (info, settings) = kernel_and_settings(api, function)?;
        // SAFETY: the program passes null or a configuration.
        let config = unsafe { config.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the configuration states how many attributes it has.
        let attributes = unsafe { attributes_of(config) }?;
        let asked = LaunchAttributes::cluster_of(attributes).map(Dim3::from);
        let blocks = asked.or(info.cluster).map_or(1, |cluster| cluster.count());
        let most = largest_cluster(settings.non_portable_cluster_allowed != 0);
        if blocks == 0 || blocks > most as u64 {
            return Err(CudaError::INVALID_CLUSTER_SIZE);
        }
        let threads = Dim3::from(config.block).count().min(c_int::MAX as u64) as c_int;
        let resident = resident_blocks(&info, threads, config.dynamic_shared_bytes);
        // SAFETY: the program passes a place for a number.
        unsafe { answer(clusters, resident_clusters(blocks as c_int, resident)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaOccupancyMaxPotentialClusterSize(
    blocks: *mut c_int,
    function: *const c_void,
    config: *const LaunchConfig,
) -> CudaError {
    call("cudaOccupancyMaxPotentialClusterSize", |api| {
        let (info, settings) = kernel_and_settings(api, function)?;
        // SAFETY: the program passes null or a configuration.
        let config = unsafe { config.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let threads = Dim3::from(config.block).count().min(c_int::MAX as u64) as c_int;
        let fits = resident_blocks(&info, threads, config.dynamic_shared_bytes) > 0;
        let most = largest_cluster(settings.non_portable_cluster_allowed != 0);
        // SAFETY: the program passes a place for a number.
        unsafe { answer(blocks, if fits { most } else { 0 }) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(registers: u32, static_shared_bytes: usize) -> KernelInfo {
        KernelInfo {
            name: "kernel".to_owned(),
            parameters: Vec::new(),
            parameter_bytes: 0,
            static_shared_bytes,
            registers,
            local_bytes: 0,
            max_threads: 1024,
            cluster: None,
        }
    }

    #[test]
    fn the_scarcest_resource_decides() {
        assert_eq!(resident_blocks(&info(16, 0), 1024, 0), 2, "threads");
        assert_eq!(resident_blocks(&info(16, 0), 32, 0), 32, "blocks");
        assert_eq!(resident_blocks(&info(255, 0), 256, 0), 1, "registers");
        assert_eq!(resident_blocks(&info(16, 40 * 1024), 32, 8 * 1024), 4, "shared memory");
        assert_eq!(resident_blocks(&info(16, 0), 1025, 0), 0, "a block that cannot be launched");
    }

    /// Answers as an H200 gave them for a kernel of ten registers.
    #[test]
    fn blocks_are_those_of_the_device() {
        let found = |threads| resident_blocks(&info(10, 0), threads, 0);
        let measured = [
            (1, 32),
            (64, 32),
            (96, 21),
            (100, 16),
            (192, 10),
            (384, 5),
            (512, 4),
            (768, 2),
            (1000, 2),
        ];
        for (threads, blocks) in measured {
            assert_eq!(found(threads), blocks, "{threads} threads");
        }
        assert_eq!(resident_blocks(&info(10, 0), 128, 48 * 1024), 4);
    }

    #[test]
    fn shared_memory_and_clusters_are_those_of_the_device() {
        let kernel = info(10, 0);
        let measured =
            [(1, 49_152), (4, 49_152), (5, 46_592), (6, 38_912), (7, 33_280), (32, 7_296)];
        for (blocks, bytes) in measured {
            assert_eq!(available_shared_bytes(&kernel, 49_152, blocks), bytes, "{blocks} blocks");
        }
        let measured =
            [(1, 8, 1056), (2, 8, 528), (2, 5, 330), (4, 8, 248), (4, 2, 62), (8, 2, 30)];
        for (blocks, resident, clusters) in measured {
            assert_eq!(resident_clusters(blocks, resident), clusters, "clusters of {blocks}");
        }
    }
}
