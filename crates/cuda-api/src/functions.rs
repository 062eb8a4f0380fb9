//! Attributes of kernels, and how many blocks of them fit.

use crate::call::call;
use crate::device;
use crate::error::CudaError;
use crate::streams::answer;
use crate::types::{ChannelFormat, FunctionAttributes};
use std::ffi::{c_char, c_int, c_uint, c_void};
use warpsan_runtime::KernelInfo;

/// `cudaFuncAttribute`.
const MAX_DYNAMIC_SHARED_BYTES: c_int = 8;
const PREFERRED_SHARED_CARVEOUT: c_int = 9;

/// Registers are given to a warp in lumps of this many.
const REGISTER_LUMP: usize = 256;

/// PTX and machine code are both those of the device, as major times ten plus minor.
const CODE_VERSION: c_int = device::COMPUTE_CAPABILITY.0 * 10 + device::COMPUTE_CAPABILITY.1;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaFuncGetAttributes(
    attributes: *mut FunctionAttributes,
    function: *const c_void,
) -> CudaError {
    call("cudaFuncGetAttributes", |api| {
        let (session, registry) = api.session_and_registry()?;
        let kernel = registry.kernel(session, function)?;
        let info = session.kernel_info(kernel)?;
        let entry = registry.function(function)?;
        let usual = device::SHARED_BYTES_PER_BLOCK.saturating_sub(info.static_shared_bytes);
        let allowed = entry.max_dynamic_shared_bytes.map_or(usual, |bytes| bytes as usize);
        let value = FunctionAttributes {
            static_shared_bytes: info.static_shared_bytes,
            local_bytes: info.local_bytes,
            max_threads_per_block: (info.max_threads as c_int).min(device::MAX_THREADS_PER_BLOCK),
            registers: info.registers as c_int,
            ptx_version: CODE_VERSION,
            binary_version: CODE_VERSION,
            max_dynamic_shared_bytes: allowed as c_int,
            preferred_shared_carveout: entry.preferred_shared_carveout,
            ..FunctionAttributes::default()
        };
        // SAFETY: the program passes a place for the structure.
        unsafe { answer(attributes, value) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFuncSetAttribute(
    function: *const c_void,
    attribute: c_int,
    value: c_int,
) -> CudaError {
    call("cudaFuncSetAttribute", |api| {
        let (session, registry) = api.session_and_registry()?;
        match attribute {
            MAX_DYNAMIC_SHARED_BYTES => {
                let bytes = u32::try_from(value).map_err(|_| CudaError::INVALID_VALUE)?;
                let kernel = registry.kernel(session, function)?;
                let total = session.kernel_info(kernel)?.static_shared_bytes + bytes as usize;
                if total > device::SHARED_BYTES_PER_BLOCK_OPT_IN {
                    return Err(CudaError::INVALID_VALUE);
                }
                registry.function(function)?.max_dynamic_shared_bytes = Some(bytes);
                Ok(())
            }
            PREFERRED_SHARED_CARVEOUT if (-1..=100).contains(&value) => {
                registry.function(function)?.preferred_shared_carveout = value;
                Ok(())
            }
            PREFERRED_SHARED_CARVEOUT => Err(CudaError::INVALID_VALUE),
            _ => {
                // What is left is about clusters of blocks.
                session.not_supported("cudaFuncSetAttribute for clusters of blocks");
                Err(CudaError::NOT_SUPPORTED)
            }
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFuncSetCacheConfig(function: *const c_void, _config: c_int) -> CudaError {
    // A hint about caches, of which there are none.
    call("cudaFuncSetCacheConfig", |api| api.registry.function(function).map(|_| ()))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFuncSetSharedMemConfig(
    function: *const c_void,
    _config: c_int,
) -> CudaError {
    // Banks have had one width since sm_50.
    call("cudaFuncSetSharedMemConfig", |api| api.registry.function(function).map(|_| ()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaFuncGetName(
    name: *mut *const c_char,
    function: *const c_void,
) -> CudaError {
    call("cudaFuncGetName", |api| {
        let entry = api.registry.function(function)?;
        // SAFETY: the program passes a place for a pointer; the name lives until the kernel's
        // image is unregistered.
        unsafe { answer(name, entry.name.as_ptr()) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaFuncGetParamInfo(
    function: *const c_void,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> CudaError {
    call("cudaFuncGetParamInfo", |api| {
        let (session, registry) = api.session_and_registry()?;
        let kernel = registry.kernel(session, function)?;
        let info = session.kernel_info(kernel)?;
        let parameter = info.parameters.get(index).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program passes a place for the offset.
        unsafe { answer(offset, parameter.offset) }?;
        if !size.is_null() {
            // SAFETY: the program passes null or a place for the size.
            unsafe { answer(size, parameter.size) }?;
        }
        Ok(())
    })
}

/// How many blocks of a kernel one multiprocessor holds.
fn resident_blocks(info: &KernelInfo, threads: c_int, dynamic_shared_bytes: usize) -> c_int {
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

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    function: *const c_void,
    threads: c_int,
    dynamic_shared_bytes: usize,
    _flags: c_uint,
) -> CudaError {
    call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", |api| {
        let (session, registry) = api.session_and_registry()?;
        let kernel = registry.kernel(session, function)?;
        let info = session.kernel_info(kernel)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(blocks, resident_blocks(&info, threads, dynamic_shared_bytes)) }
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

/// Describes a texel. This one returns a structure, so it cannot be refused with a code.
#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    kind: c_int,
) -> ChannelFormat {
    ChannelFormat { x, y, z, w, kind }
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
}
