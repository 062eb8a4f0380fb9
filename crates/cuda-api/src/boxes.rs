//! Boxes of bytes in memory with a pitch: rows, and slices of rows.

use crate::call::Api;
use crate::error::CudaError;
use crate::memory_types::{BoxSide, Extent, PitchedPointer};
use crate::pointers::allocation_at;
use std::ffi::c_void;

/// A box that begins at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BoxOfMemory {
    pub(crate) address: *mut c_void,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
    /// Rows from one slice to the next.
    pub(crate) rows: usize,
}

impl BoxOfMemory {
    /// A box of one slice.
    pub(crate) fn of_rows(address: *mut c_void, pitch: usize) -> BoxOfMemory {
        BoxOfMemory { address, pitch, rows: 0 }
    }

    pub(crate) fn of_pointer(pointer: PitchedPointer) -> BoxOfMemory {
        BoxOfMemory { address: pointer.address, pitch: pointer.pitch, rows: pointer.rows }
    }

    /// One side of a copy, from its position on.
    pub(crate) fn of_side(side: &BoxSide, extent: Extent) -> Result<BoxOfMemory, CudaError> {
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
        Ok(BoxOfMemory { address: whole.address.wrapping_byte_add(offset), ..whole })
    }

    /// Whether rows and slices of this size lie one behind the other, and not over each other.
    pub(crate) fn has_room_for(&self, extent: Extent) -> bool {
        let rows_fit = extent.width <= self.pitch || (extent.height <= 1 && extent.depth <= 1);
        rows_fit && (extent.height <= self.rows || extent.depth <= 1)
    }

    /// The address of a row of a slice.
    pub(crate) fn row(&self, slice: usize, row: usize) -> *mut c_void {
        let rows = slice.wrapping_mul(self.rows).wrapping_add(row);
        self.address.wrapping_byte_add(rows.wrapping_mul(self.pitch))
    }

    /// Refuses a box in device memory that is not inside of one allocation, before anything of it is
    /// touched. The extent is not empty.
    pub(crate) fn check_is_allocated(
        &self,
        api: &mut Api,
        extent: Extent,
    ) -> Result<(), CudaError> {
        if !api.session()?.is_device_address(self.address.addr() as u64) {
            return Ok(());
        }
        let allocation = allocation_at(api, self.address)?.ok_or(CudaError::INVALID_VALUE)?;
        let left = allocation.address.0 + allocation.bytes - self.address.addr() as u64;
        match self.bytes_to_the_end(extent) {
            Some(bytes) if bytes as u64 <= left => Ok(()),
            _ => Err(CudaError::INVALID_VALUE),
        }
    }

    /// Bytes from the first of the box to behind its last.
    fn bytes_to_the_end(&self, extent: Extent) -> Option<usize> {
        let rows = (extent.depth - 1).checked_mul(self.rows)?.checked_add(extent.height - 1)?;
        rows.checked_mul(self.pitch)?.checked_add(extent.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_types::Position;

    fn side(x: usize, y: usize, z: usize) -> BoxSide {
        let address = std::ptr::without_provenance_mut(0x1000);
        BoxSide {
            array: std::ptr::null_mut(),
            position: Position { x, y, z },
            memory: PitchedPointer { address, pitch: 32, row_bytes: 20, rows: 5 },
        }
    }

    const EXTENT: Extent = Extent { width: 8, height: 2, depth: 3 };

    #[test]
    fn a_box_begins_at_its_position() {
        let place = BoxOfMemory::of_side(&side(4, 3, 2), EXTENT).expect("a box");
        assert_eq!(place.address.addr(), 0x1000 + (2 * 5 + 3) * 32 + 4);
        assert_eq!(place.row(1, 1).addr(), place.address.addr() + 6 * 32);
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
