//! Structures that go through the driver's interface, laid out as `cuda.h` says.

use crate::driver_types::{CUcontext, CUdeviceptr, CUfunction, CUkernel, CUstream};
use std::ffi::{c_int, c_uint, c_void};

/// One attribute of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct CUlaunchAttribute {
    /// Which one.
    pub id: c_uint,
    /// Nothing.
    pub padding: c_uint,
    /// Its value, which each attribute reads in its own way.
    pub value: [u64; 8],
}

impl CUlaunchAttribute {
    /// All blocks must be able to run at the same time; the first number of the value says whether.
    pub const COOPERATIVE: c_uint = 2;
    /// Blocks of a cluster, as three numbers.
    pub const CLUSTER_DIMENSION: c_uint = 4;
    /// The launch may begin before the one in front of it has ended.
    pub const PROGRAMMATIC_STREAM_SERIALIZATION: c_uint = 6;
    /// An event that blocks fire.
    pub const PROGRAMMATIC_EVENT: c_uint = 7;
    /// Blocks of a cluster that would be better, as three numbers.
    pub const PREFERRED_CLUSTER_DIMENSION: c_uint = 11;
    /// An event that is recorded when all blocks have begun.
    pub const LAUNCH_COMPLETION_EVENT: c_uint = 12;
    /// The kernel node can be changed by the device.
    pub const DEVICE_UPDATABLE_KERNEL_NODE: c_uint = 13;

    /// The first numbers of the value, as most attributes read it.
    pub fn numbers(&self) -> [c_uint; 3] {
        let low = |index: usize| self.value[index] as c_uint;
        [low(0), (self.value[0] >> 32) as c_uint, low(1)]
    }
}

/// All of a launch but its kernel and the kernel's parameters, for `cuLaunchKernelEx`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct CUlaunchConfig {
    /// Blocks of the grid.
    pub grid: [c_uint; 3],
    /// Threads of a block.
    pub block: [c_uint; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: c_uint,
    /// The stream.
    pub stream: CUstream,
    /// The attributes.
    pub attributes: *const CUlaunchAttribute,
    /// How many they are.
    pub attribute_count: c_uint,
}

/// `CUDA_KERNEL_NODE_PARAMS_v1`, which is the beginning of [`KernelNodeParams`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct KernelNodeParamsV1 {
    /// The kernel.
    pub function: CUfunction,
    /// Blocks of the grid.
    pub grid: [c_uint; 3],
    /// Threads of a block.
    pub block: [c_uint; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: c_uint,
    /// An array of pointers to the parameters.
    pub parameters: *mut *mut c_void,
    /// The parameters in another form.
    pub extra: *mut *mut c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS_v2` and `_v3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct KernelNodeParams {
    /// What the first version has.
    pub first: KernelNodeParamsV1,
    /// The kernel, where `function` is null.
    pub kernel: CUkernel,
    /// The context that such a kernel runs in; null is the current one.
    pub context: CUcontext,
}

impl KernelNodeParams {
    /// A place that the driver fills with parameters.
    pub const NOTHING: KernelNodeParams = KernelNodeParams {
        first: KernelNodeParamsV1 {
            function: CUfunction::NULL,
            grid: [0; 3],
            block: [0; 3],
            shared_bytes: 0,
            parameters: std::ptr::null_mut(),
            extra: std::ptr::null_mut(),
        },
        kernel: CUkernel::NULL,
        context: CUcontext::NULL,
    };
}

/// `CUgraphNodeParams`: the parameters of a node of any type.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct GraphNodeParams {
    /// The type of the node.
    pub node_type: c_int,
    /// Zeros.
    pub reserved: [c_int; 3],
    /// What the type has.
    pub of_type: NodeParamsOfType,
    /// Zero.
    pub reserved_end: i64,
}

impl GraphNodeParams {
    /// The type of kernel nodes.
    pub const KERNEL: c_int = 0;
    /// The type of nodes that take memory.
    pub const MEM_ALLOC: c_int = 10;
}

/// The parameters of a node, by type.
#[derive(Clone, Copy)]
#[repr(C)]
pub union NodeParamsOfType {
    /// A kernel node's.
    pub kernel: KernelNodeParams,
    /// Those of a node that takes memory.
    pub allocation: MemAllocNodeParams,
    /// Those of all others.
    pub other: [i64; 29],
}

/// `CUDA_LAUNCH_PARAMS`: one launch of `cuLaunchCooperativeKernelMultiDevice`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct LaunchParams {
    /// The kernel.
    pub function: CUfunction,
    /// Blocks of the grid.
    pub grid: [c_uint; 3],
    /// Threads of a block.
    pub block: [c_uint; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: c_uint,
    /// The stream.
    pub stream: CUstream,
    /// An array of pointers to the parameters.
    pub parameters: *mut *mut c_void,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct MemAllocNodeParams {
    /// The pool, which nobody here reads.
    pub pool: [u64; 11],
    /// Who may use the memory.
    pub access: *const CUmemAccessDesc,
    /// How many entries that has.
    pub access_count: usize,
    /// How much memory.
    pub bytes: usize,
    /// Where it will be; the driver fills it in.
    pub address: CUdeviceptr,
}

/// Where memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemLocation {
    /// What kind of place.
    pub kind: c_int,
    /// Which one of that kind.
    pub id: c_int,
}

impl CUmemLocation {
    /// The memory of a device.
    pub const fn device(id: c_int) -> CUmemLocation {
        CUmemLocation { kind: 1, id }
    }
}

/// Properties of physical memory, for `cuMemCreate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemAllocationProp {
    /// How it is allocated.
    pub kind: c_int,
    /// How other processes could get it.
    pub handle_types: c_int,
    /// Where.
    pub location: CUmemLocation,
    /// Nothing, outside of Windows.
    pub win32_handle_metadata: usize,
    /// Compression and the like.
    pub flags: [u8; 8],
}

impl CUmemAllocationProp {
    /// Plain memory of a device.
    pub const fn of_device(device: c_int) -> CUmemAllocationProp {
        CUmemAllocationProp {
            kind: 1,
            handle_types: 0,
            location: CUmemLocation::device(device),
            win32_handle_metadata: 0,
            flags: [0; 8],
        }
    }
}

/// Who may do what with a range of addresses, for `cuMemSetAccess`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemAccessDesc {
    /// Who.
    pub location: CUmemLocation,
    /// What: 0 nothing, 1 read, 3 read and write.
    pub flags: c_int,
}

impl CUmemAccessDesc {
    /// A device may read and write.
    pub const fn read_write(device: c_int) -> CUmemAccessDesc {
        CUmemAccessDesc { location: CUmemLocation::device(device), flags: 3 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// The sizes that the C compiler gives the structures of `cuda.h` for this machine.
    #[test]
    fn structures_are_as_large_as_those_of_the_driver() {
        assert_eq!(size_of::<CUlaunchAttribute>(), 72);
        assert_eq!(size_of::<CUlaunchConfig>(), 56);
        assert_eq!(size_of::<KernelNodeParamsV1>(), 56);
        assert_eq!(size_of::<KernelNodeParams>(), 72);
        assert_eq!(size_of::<GraphNodeParams>(), 256);
        assert_eq!(size_of::<LaunchParams>(), 56);
        assert_eq!(size_of::<MemAllocNodeParams>(), 120);
        assert_eq!(offset_of!(MemAllocNodeParams, bytes), 104);
        assert_eq!(size_of::<CUmemAllocationProp>(), 32);
        assert_eq!(size_of::<CUmemAccessDesc>(), 12);
    }

    #[test]
    fn numbers_of_an_attribute_are_those_of_a_structure_of_three() {
        let mut attribute = CUlaunchAttribute { id: 4, padding: 0, value: [0; 8] };
        attribute.value[0] = 2 | 3 << 32;
        attribute.value[1] = 4;
        assert_eq!(attribute.numbers(), [2, 3, 4]);
    }
}
