//! C structures of the memory part of the API.

use crate::types::MemoryLocation;
use std::ffi::{c_int, c_long, c_uchar, c_ushort, c_void};

/// `cudaPitchedPtr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct PitchedPointer {
    pub(crate) address: *mut c_void,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
    /// Bytes of a row that are used.
    pub(crate) row_bytes: usize,
    /// Rows of a slice.
    pub(crate) rows: usize,
}

/// `cudaExtent`. The width is in bytes where no array is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Extent {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

impl Extent {
    pub(crate) fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }
}

/// `cudaPos`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Position {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
}

/// One side of `cudaMemcpy3DParms`: an array, or memory with a pitch.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct BoxSide {
    pub(crate) array: *mut c_void,
    pub(crate) position: Position,
    pub(crate) memory: PitchedPointer,
}

/// `cudaMemcpy3DParms`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct BoxCopyParameters {
    pub(crate) from: BoxSide,
    pub(crate) to: BoxSide,
    pub(crate) extent: Extent,
    pub(crate) kind: c_int,
}

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
        assert_eq!(size_of::<PitchedPointer>(), 32);
        assert_eq!(size_of::<Extent>(), 24);
        assert_eq!(size_of::<BoxCopyParameters>(), 160);
        assert_eq!(offset_of!(BoxCopyParameters, to), 64);
        assert_eq!(offset_of!(BoxCopyParameters, extent), 128);
        assert_eq!(offset_of!(BoxCopyParameters, kind), 152);
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
