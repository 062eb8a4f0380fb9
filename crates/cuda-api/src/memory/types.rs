//! C structures of the memory part of the API.

use crate::types::MemoryLocation;
use std::ffi::{c_int, c_long, c_uchar, c_ushort, c_void};
use warpsan_runtime::machine::boxes::{BoxSide, Extent};

/// `cudaMemcpy3DPeerParms`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct PeerBoxCopyParameters {
    pub(crate) from: BoxSide,
    pub(crate) from_device: c_int,
    pub(crate) to: BoxSide,
    pub(crate) to_device: c_int,
    pub(crate) extent: Extent,
}

/// `cudaPointerAttributes` of CUDA 12.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct PointerAttributes12 {
    pub(crate) kind: c_int,
    pub(crate) device: c_int,
    pub(crate) device_pointer: *mut c_void,
    pub(crate) host_pointer: *mut c_void,
}

/// `cudaPointerAttributes` of CUDA 13.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct PointerAttributes13 {
    pub(crate) known: PointerAttributes12,
    pub(crate) reserved: [c_long; 8],
}

/// `cudaMemPoolProps`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct PoolProperties {
    pub(crate) allocation_kind: c_int,
    pub(crate) handle_kinds: c_int,
    pub(crate) location: MemoryLocation,
    pub(crate) security_attributes: *mut c_void,
    pub(crate) most_bytes: usize,
    pub(crate) usage: c_ushort,
    pub(crate) reserved: [c_uchar; 54],
}

/// `cudaMemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct AccessDescription {
    pub(crate) location: MemoryLocation,
    pub(crate) access: c_int,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Sizes and offsets as the C compiler gives them for the headers of 12.9 and 13.0.
    #[test]
    fn the_layouts_are_those_of_the_headers() {
        assert_eq!(size_of::<PeerBoxCopyParameters>(), 168);
        assert_eq!(offset_of!(PeerBoxCopyParameters, to), 72);
        assert_eq!(offset_of!(PeerBoxCopyParameters, extent), 144);
        assert_eq!(size_of::<PointerAttributes12>(), 24);
        assert_eq!(size_of::<PointerAttributes13>(), 88);
        assert_eq!(size_of::<PoolProperties>(), 88);
        assert_eq!(offset_of!(PoolProperties, most_bytes), 24);
        assert_eq!(size_of::<AccessDescription>(), 12);
    }
}
