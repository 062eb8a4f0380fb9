//! The calls that ask how many blocks and clusters of a kernel fit on the device.

use crate::answer::answer;
use crate::call::call;
use crate::execution::launch_attributes::{attributes_of, cluster_of};
use crate::types::LaunchConfig;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::Dim3;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::kernels::allowed_dynamic_shared_bytes;
use warpsan_runtime::machine::occupancy::{
    available_shared_bytes, largest_cluster, resident_blocks, resident_clusters,
};

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
    call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", |machine| {
        let (info, settings) = machine.kernel_and_settings(function.addr())?;
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
    call("cudaOccupancyAvailableDynamicSMemPerBlock", |machine| {
        let (info, settings) = machine.kernel_and_settings(function.addr())?;
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
    call("cudaOccupancyMaxActiveClusters", |machine| {
        let (info, settings) = machine.kernel_and_settings(function.addr())?;
        // SAFETY: the program passes null or a configuration.
        let config = unsafe { config.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the configuration states how many attributes it has.
        let attributes = unsafe { attributes_of(config) }?;
        let asked = cluster_of(attributes);
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
    call("cudaOccupancyMaxPotentialClusterSize", |machine| {
        let (info, settings) = machine.kernel_and_settings(function.addr())?;
        // SAFETY: the program passes null or a configuration.
        let config = unsafe { config.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let threads = Dim3::from(config.block).count().min(c_int::MAX as u64) as c_int;
        let fits = resident_blocks(&info, threads, config.dynamic_shared_bytes) > 0;
        let most = largest_cluster(settings.non_portable_cluster_allowed != 0);
        // SAFETY: the program passes a place for a number.
        unsafe { answer(blocks, if fits { most } else { 0 }) }
    })
}
