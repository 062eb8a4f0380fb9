//! Boxes of bytes in memory with a pitch: rows, and slices of rows. The structures are laid out as CUDA 12 and 13 have
//! them, so that a door can read them where the program has written them.

use super::error::CudaError;
use crate::ProgramAddress;
use std::ffi::c_int;

/// `cudaPitchedPtr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct PitchedPointer {
    /// The first byte.
    pub address: ProgramAddress,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Bytes of a row that are used.
    pub row_bytes: usize,
    /// Rows of a slice.
    pub rows: usize,
}

/// `cudaExtent`. The width is in bytes where no array is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Extent {
    /// Bytes in a row.
    pub width: usize,
    /// Rows in a slice.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

impl Extent {
    /// Whether there is nothing in it.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }
}

/// `cudaPos`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Position {
    /// Bytes into a row.
    pub x: usize,
    /// Rows into a slice.
    pub y: usize,
    /// Slices.
    pub z: usize,
}

/// One side of `cudaMemcpy3DParms`: an array, or memory with a pitch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct BoxSide {
    /// The array's handle, or zero.
    pub array: usize,
    /// Where the box begins in it.
    pub position: Position,
    /// The memory, where there is no array.
    pub memory: PitchedPointer,
}

/// `cudaMemcpy3DParms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct BoxCopyParameters {
    /// What is read.
    pub from: BoxSide,
    /// What is written.
    pub to: BoxSide,
    /// How much.
    pub extent: Extent,
    /// `cudaMemcpyKind`.
    pub kind: c_int,
}

/// A box that begins at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxOfMemory {
    /// The first byte.
    pub address: ProgramAddress,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Rows from one slice to the next.
    pub rows: usize,
}

impl BoxOfMemory {
    /// A box of one slice.
    pub fn of_rows(address: ProgramAddress, pitch: usize) -> BoxOfMemory {
        BoxOfMemory { address, pitch, rows: 0 }
    }

    /// A box of whole rows.
    pub fn of_pointer(pointer: PitchedPointer) -> BoxOfMemory {
        BoxOfMemory { address: pointer.address, pitch: pointer.pitch, rows: pointer.rows }
    }

    /// One side of a copy, from its position on.
    pub fn of_side(side: &BoxSide, extent: Extent) -> Result<BoxOfMemory, CudaError> {
        let whole = BoxOfMemory::of_pointer(side.memory);
        if whole.address.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let (position, pitch) = (side.position, whole.pitch);
        // A row that begins inside of a longer one has to end there, too.
        let end_of_row = position.x.checked_add(extent.width);
        if position.x != 0 && end_of_row.is_none_or(|end| end > pitch) {
            return Err(CudaError::INVALID_VALUE);
        }
        let offset = position
            .z
            .checked_mul(whole.rows)
            .and_then(|rows| rows.checked_add(position.y))
            .and_then(|rows| rows.checked_mul(pitch))
            .and_then(|bytes| bytes.checked_add(position.x))
            .ok_or(CudaError::INVALID_VALUE)?;
        Ok(BoxOfMemory { address: whole.address.behind(offset), ..whole })
    }

    /// Whether rows and slices of this size lie one behind the other, and not over each other.
    pub fn has_room_for(&self, extent: Extent) -> bool {
        let rows_fit = extent.width <= self.pitch || (extent.height <= 1 && extent.depth <= 1);
        rows_fit && (extent.height <= self.rows || extent.depth <= 1)
    }

    /// The address of a row of a slice.
    pub fn row(&self, slice: usize, row: usize) -> ProgramAddress {
        let rows = slice.wrapping_mul(self.rows).wrapping_add(row);
        self.address.behind(rows.wrapping_mul(self.pitch))
    }

    /// Bytes from the first of the box to behind its last.
    pub(super) fn bytes_to_the_end(&self, extent: Extent) -> Option<usize> {
        let rows = (extent.depth - 1).checked_mul(self.rows)?.checked_add(extent.height - 1)?;
        rows.checked_mul(self.pitch)?.checked_add(extent.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceAddress;

    fn side(x: usize, y: usize, z: usize) -> BoxSide {
        let address = ProgramAddress::of_device(DeviceAddress(0x1000));
        BoxSide {
            array: 0,
            position: Position { x, y, z },
            memory: PitchedPointer { address, pitch: 32, row_bytes: 20, rows: 5 },
        }
    }

    const EXTENT: Extent = Extent { width: 8, height: 2, depth: 3 };

    /// Sizes and offsets as the C compiler gives them for the headers of 12.9 and 13.0.
    #[test]
    fn the_layouts_are_those_of_the_headers() {
        use std::mem::{offset_of, size_of};
        assert_eq!(size_of::<PitchedPointer>(), 32);
        assert_eq!(size_of::<Extent>(), 24);
        assert_eq!(size_of::<BoxCopyParameters>(), 160);
        assert_eq!(offset_of!(BoxCopyParameters, to), 64);
        assert_eq!(offset_of!(BoxCopyParameters, extent), 128);
        assert_eq!(offset_of!(BoxCopyParameters, kind), 152);
    }

    #[test]
    fn a_box_begins_at_its_position() {
        let place = BoxOfMemory::of_side(&side(4, 3, 2), EXTENT).expect("a box");
        assert_eq!(place.address.get() as usize, 0x1000 + (2 * 5 + 3) * 32 + 4);
        assert_eq!(place.row(1, 1).get() as usize, place.address.get() as usize + 6 * 32);
        assert_eq!(place.bytes_to_the_end(EXTENT), Some((2 * 5 + 1) * 32 + 8));
        let beyond = BoxOfMemory::of_side(&side(25, 0, 0), EXTENT);
        assert_eq!(beyond, Err(CudaError::INVALID_VALUE));
        let far = BoxOfMemory::of_side(&side(0, 0, usize::MAX), EXTENT);
        assert_eq!(far, Err(CudaError::INVALID_VALUE));
    }

    #[test]
    fn rows_and_slices_must_not_overlap() {
        let place = BoxOfMemory::of_side(&side(0, 0, 0), EXTENT).expect("a box");
        assert!(place.has_room_for(Extent { width: 32, height: 5, depth: 2 }));
        assert!(!place.has_room_for(Extent { width: 33, height: 2, depth: 1 }));
        assert!(!place.has_room_for(Extent { width: 8, height: 6, depth: 2 }));
        assert!(place.has_room_for(Extent { width: 33, height: 1, depth: 1 }), "one row");
        assert!(place.has_room_for(Extent { width: 8, height: 6, depth: 1 }), "one slice");
    }
}
