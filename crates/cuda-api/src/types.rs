//! C structures that CUDA 12 and 13 lay out alike.

use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::Dim3;

/// `dim3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct CudaDim3 {
    pub(crate) x: c_uint,
    pub(crate) y: c_uint,
    pub(crate) z: c_uint,
}

impl From<CudaDim3> for Dim3 {
    fn from(extent: CudaDim3) -> Self {
        Dim3 { x: extent.x, y: extent.y, z: extent.z }
    }
}

impl From<Dim3> for CudaDim3 {
    fn from(extent: Dim3) -> Self {
        CudaDim3 { x: extent.x, y: extent.y, z: extent.z }
    }
}

/// `cudaStream_t`, an opaque handle.
pub(crate) type CudaStream = *mut c_void;
/// `cudaEvent_t`, an opaque handle.
pub(crate) type CudaEvent = *mut c_void;
/// `cudaGraph_t`, an opaque handle.
pub(crate) type CudaGraph = *mut c_void;

/// `cudaGraphNode_t`, an opaque handle.
pub(crate) type CudaNode = *mut c_void;

/// `cudaGraphExec_t`, an opaque handle.
pub(crate) type CudaExecutable = *mut c_void;

/// `cudaKernel_t`. A kernel's handle is the host address that the program registered for it.
pub(crate) type CudaKernel = *const c_void;

/// `cudaLaunchAttribute`: an id, and a value that is a union of 64 bytes.
#[repr(C)]
pub(crate) struct LaunchAttribute {
    pub(crate) id: c_int,
    pub(crate) padding: [u8; 4],
    pub(crate) value: LaunchAttributeValue,
}

/// `cudaLaunchAttributeValue`, seen as the words of which it consists.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct LaunchAttributeValue {
    pub(crate) words: [c_uint; 16],
}

/// `cudaLaunchConfig_t`.
#[repr(C)]
pub(crate) struct LaunchConfig {
    pub(crate) grid: CudaDim3,
    pub(crate) block: CudaDim3,
    pub(crate) dynamic_shared_bytes: usize,
    pub(crate) stream: CudaStream,
    pub(crate) attributes: *const LaunchAttribute,
    pub(crate) attribute_count: c_uint,
}

/// `cudaFuncAttributes`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct FunctionAttributes {
    pub(crate) static_shared_bytes: usize,
    pub(crate) constant_bytes: usize,
    pub(crate) local_bytes: usize,
    pub(crate) max_threads_per_block: c_int,
    pub(crate) registers: c_int,
    pub(crate) ptx_version: c_int,
    pub(crate) binary_version: c_int,
    pub(crate) cache_mode_ca: c_int,
    pub(crate) max_dynamic_shared_bytes: c_int,
    pub(crate) preferred_shared_carveout: c_int,
    pub(crate) cluster_must_be_set: c_int,
    pub(crate) required_cluster: [c_int; 3],
    pub(crate) cluster_scheduling_policy: c_int,
    pub(crate) non_portable_cluster_allowed: c_int,
    pub(crate) reserved: [c_int; 16],
}

/// `cudaChannelFormatDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ChannelFormat {
    pub(crate) x: c_int,
    pub(crate) y: c_int,
    pub(crate) z: c_int,
    pub(crate) w: c_int,
    pub(crate) kind: c_int,
}

/// `cudaMemLocation`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct MemoryLocation {
    pub(crate) kind: c_int,
    pub(crate) id: c_int,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Sizes and offsets as the C compiler gives them for the headers of 12.9 and 13.0.
    #[test]
    fn the_layouts_are_those_of_the_headers() {
        assert_eq!(size_of::<CudaDim3>(), 12);
        assert_eq!(size_of::<LaunchAttribute>(), 72);
        assert_eq!(offset_of!(LaunchAttribute, value), 8);
        assert_eq!(size_of::<LaunchConfig>(), 56);
        assert_eq!(offset_of!(LaunchConfig, attributes), 40);
        assert_eq!(size_of::<FunctionAttributes>(), 144);
        assert_eq!(offset_of!(FunctionAttributes, max_threads_per_block), 24);
        assert_eq!(offset_of!(FunctionAttributes, max_dynamic_shared_bytes), 44);
        assert_eq!(size_of::<ChannelFormat>(), 20);
        assert_eq!(size_of::<MemoryLocation>(), 8);
    }
}
