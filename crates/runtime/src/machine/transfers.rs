//! Copies and fills: checked, then queued in a stream or captured.

use super::boxes::{BoxCopyParameters, BoxOfMemory, Extent};
use super::copy_kind::{
    DEFAULT_KIND, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, HOST_TO_HOST,
};
use super::error::CudaError;
use super::nodes::{CopyNode, FillNode, FillNodeParameters, NodeWork};
use super::state::Machine;
use super::streams::StreamHandle;
use crate::{AllocationKind, Pattern, ProgramAddress, Side, Task, Transfer, Wait};
use std::ffi::c_int;

/// When a call that copies returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// At once, as far as the host's memory allows.
    Soon,
    /// When the copy is done, unless it is one inside of the device.
    Afterwards,
}

/// A copy as a program asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyRequest {
    /// The first byte that is written.
    pub to: ProgramAddress,
    /// The first byte that is read.
    pub from: ProgramAddress,
    /// How many bytes.
    pub bytes: usize,
    /// `cudaMemcpyKind`.
    pub kind: c_int,
}

/// A copy of a box of memory.
#[derive(Debug, Clone, Copy)]
pub struct BoxCopy {
    /// What is written.
    pub to: BoxOfMemory,
    /// What is read.
    pub from: BoxOfMemory,
    /// How much.
    pub extent: Extent,
    /// `cudaMemcpyKind`.
    pub kind: c_int,
}

impl Machine {
    /// A copy, checked. Addresses are unified, so they say themselves where they belong; the kind can only
    /// be wrong about them.
    fn checked_copy(&mut self, copy: CopyRequest) -> Result<Option<Transfer>, CudaError> {
        let CopyRequest { to, from, bytes, kind } = copy;
        // A copy of nothing succeeds, whatever else is wrong with it.
        if bytes == 0 {
            return Ok(None);
        }
        let (expects_to_device, expects_from_device) = match kind {
            HOST_TO_HOST | DEFAULT_KIND => (false, false),
            HOST_TO_DEVICE => (true, false),
            DEVICE_TO_HOST => (false, true),
            DEVICE_TO_DEVICE => (true, true),
            _ => return Err(CudaError::INVALID_MEMCPY_DIRECTION),
        };
        let bytes = bytes as u64;
        let (to, from) = (self.side_of(to, bytes)?, self.side_of(from, bytes)?);
        // Page-locked host memory passes for device memory, because a device can reach it.
        let is_host = |side: Side| matches!(side, Side::Host(_));
        if expects_to_device && is_host(to) || expects_from_device && is_host(from) {
            return Err(CudaError::INVALID_VALUE);
        }
        Ok(Some(Transfer::Copy { to, from, bytes }))
    }

    /// Copies in a stream.
    pub fn copy(
        &mut self,
        copy: CopyRequest,
        stream: StreamHandle,
        returns: Returns,
    ) -> Result<(), CudaError> {
        self.streams.check(stream)?;
        let copies = self.checked_copy(copy)?.into_iter().collect();
        self.submit_copies(stream, copies, returns)
    }

    /// Copies a box in a stream.
    pub fn copy_box(
        &mut self,
        copy: BoxCopy,
        stream: StreamHandle,
        returns: Returns,
    ) -> Result<(), CudaError> {
        self.streams.check(stream)?;
        let rows = self.rows_of_copy(copy)?;
        self.submit_copies(stream, rows, returns)
    }

    /// The copies of all rows of a box, checked.
    fn rows_of_copy(&mut self, copy: BoxCopy) -> Result<Vec<Transfer>, CudaError> {
        let BoxCopy { to, from, extent, kind } = copy;
        let mut rows = Vec::new();
        if extent.is_empty() {
            return Ok(rows);
        }
        if !to.has_room_for(extent) || !from.has_room_for(extent) {
            return Err(CudaError::INVALID_PITCH_VALUE);
        }
        self.check_box(&to, extent)?;
        self.check_box(&from, extent)?;
        for slice in 0..extent.depth {
            for row in 0..extent.height {
                let (to, from) = (to.row(slice, row), from.row(slice, row));
                let row = CopyRequest { to, from, bytes: extent.width, kind };
                rows.extend(self.checked_copy(row)?);
            }
        }
        Ok(rows)
    }

    /// A copy of a box as its parameters describe it, or nothing where the box is empty.
    pub fn described_box(
        &mut self,
        parameters: &BoxCopyParameters,
    ) -> Result<Option<BoxCopy>, CudaError> {
        let BoxCopyParameters { from, to, extent, kind } = *parameters;
        if extent.is_empty() {
            return Ok(None);
        }
        if !(HOST_TO_HOST..=DEFAULT_KIND).contains(&kind) {
            return Err(CudaError::INVALID_MEMCPY_DIRECTION);
        }
        if to.array != 0 || from.array != 0 {
            return self.refuse("cudaMemcpy3D of a CUDA array");
        }
        let to = BoxOfMemory::of_side(&to, extent)?;
        let from = BoxOfMemory::of_side(&from, extent)?;
        Ok(Some(BoxCopy { to, from, extent, kind }))
    }

    /// A node that copies a box.
    pub fn box_copy_node(&mut self, parameters: &BoxCopyParameters) -> Result<NodeWork, CudaError> {
        let described = self.described_box(parameters)?.ok_or(CudaError::INVALID_VALUE)?;
        let transfers = self.rows_of_copy(described)?;
        Ok(NodeWork::Copy(CopyNode { transfers, parameters: *parameters }))
    }

    /// A node that copies bytes that follow each other.
    pub fn copy_node(&mut self, copy: CopyRequest) -> Result<NodeWork, CudaError> {
        let transfer = self.checked_copy(copy)?.ok_or(CudaError::INVALID_VALUE)?;
        Ok(NodeWork::Copy(CopyNode::of_transfers(vec![transfer])))
    }

    /// Puts copies into a stream. What is read of memory that is not page-locked is read before the call returns, and
    /// what is written to such memory is written by then.
    fn submit_copies(
        &mut self,
        stream: StreamHandle,
        copies: Vec<Transfer>,
        returns: Returns,
    ) -> Result<(), CudaError> {
        let name = self.streams.name(stream)?;
        if copies.is_empty() {
            return Ok(());
        }
        if returns == Returns::Afterwards {
            self.captures.check_wait(Wait::Stream(name))?;
        }
        if self.is_capturing(stream)? {
            return self.capture(stream, NodeWork::Copy(CopyNode::of_transfers(copies)));
        }
        let mut waits = false;
        let mut ready = Vec::with_capacity(copies.len());
        for copy in copies {
            let Transfer::Copy { to, from, bytes } = copy else { continue };
            let is_inside = self.is_device_only(to)? && self.is_device_only(from)?;
            let is_between_hosts = self.is_host_memory(to)? && self.is_host_memory(from)?;
            waits |= matches!(to, Side::Host(_))
                || is_between_hosts
                || returns == Returns::Afterwards && !is_inside;
            ready.push((to, from, bytes));
        }
        let transfers = ready.into_iter().map(|(to, from, bytes)| match from {
            Side::Host(from) if !waits => Transfer::Store { to, bytes: from.read(bytes) },
            from => Transfer::Copy { to, from, bytes },
        });
        let transfers = transfers.collect();
        self.submit(stream, Task::Transfers(transfers))?;
        if waits { self.wait_for(Wait::Stream(name)) } else { Ok(()) }
    }

    /// Whether the host cannot use the memory itself.
    fn is_device_only(&mut self, side: Side) -> Result<bool, CudaError> {
        let Side::Device(address) = side else { return Ok(false) };
        let allocation = self.session()?.allocation_at(address);
        Ok(allocation.is_some_and(|allocation| !allocation.kind.is_host_visible()))
    }

    /// Whether it is memory of the host, page-locked or not.
    fn is_host_memory(&mut self, side: Side) -> Result<bool, CudaError> {
        let Side::Device(address) = side else { return Ok(true) };
        let allocation = self.session()?.allocation_at(address);
        Ok(allocation.is_some_and(|allocation| allocation.kind == AllocationKind::Pinned))
    }

    /// A fill, checked; registered memory of the host can be filled, too.
    fn checked_fill(
        &mut self,
        to: ProgramAddress,
        pattern: Pattern,
        bytes: usize,
    ) -> Result<Transfer, CudaError> {
        let bytes = bytes as u64;
        match self.side_of(to, bytes)? {
            Side::Host(_) => Err(CudaError::INVALID_VALUE),
            to => Ok(Transfer::Fill { to, pattern, bytes }),
        }
    }

    /// Puts fills into a stream, or into the graph that it is captured to.
    fn submit_fills(
        &mut self,
        stream: StreamHandle,
        fills: Vec<Transfer>,
    ) -> Result<(), CudaError> {
        if self.is_capturing(stream)? {
            return self.capture(stream, NodeWork::Fill(FillNode::of_transfers(fills)));
        }
        self.submit(stream, Task::Transfers(fills))
    }

    /// Fills bytes in a stream.
    pub fn fill(
        &mut self,
        to: ProgramAddress,
        value: c_int,
        bytes: usize,
        stream: StreamHandle,
    ) -> Result<(), CudaError> {
        self.streams.check(stream)?;
        if bytes == 0 {
            return Ok(());
        }
        let fill = self.checked_fill(to, byte_pattern(value), bytes)?;
        self.submit_fills(stream, vec![fill])
    }

    /// Fills a box in a stream.
    pub fn fill_box(
        &mut self,
        place: BoxOfMemory,
        value: c_int,
        extent: Extent,
        stream: StreamHandle,
    ) -> Result<(), CudaError> {
        self.streams.check(stream)?;
        if extent.is_empty() {
            return Ok(());
        }
        if !place.has_room_for(extent) {
            return Err(CudaError::INVALID_VALUE);
        }
        self.check_box(&place, extent)?;
        let mut rows = Vec::new();
        for slice in 0..extent.depth {
            for row in 0..extent.height {
                let row = place.row(slice, row);
                rows.push(self.checked_fill(row, byte_pattern(value), extent.width)?);
            }
        }
        self.submit_fills(stream, rows)
    }

    /// A fill of memory that the host can use returns when it is done.
    pub fn wait_if_host_visible(&mut self, address: ProgramAddress) -> Result<(), CudaError> {
        let allocation = self.allocation_at(address)?;
        let is_visible = allocation.is_none_or(|allocation| allocation.kind.is_host_visible());
        if !is_visible {
            return Ok(());
        }
        let default = self.streams.name(StreamHandle::DEFAULT)?;
        self.wait_for(Wait::Stream(default))
    }

    /// A node that fills rows.
    pub fn fill_node(&mut self, parameters: &FillNodeParameters) -> Result<NodeWork, CudaError> {
        let FillNodeParameters { to, pitch, value, element_bytes, width, height } = *parameters;
        let row = width.checked_mul(element_bytes as usize);
        let fits = |row: usize| height <= 1 || row <= pitch;
        let row = row.filter(|row| *row > 0 && height > 0 && fits(*row));
        let (Some(row), 1 | 2 | 4) = (row, element_bytes) else {
            return Err(CudaError::INVALID_VALUE);
        };
        let pattern = Pattern { value, bytes: element_bytes as u8 };
        let mut transfers = Vec::new();
        for index in 0..height {
            let offset = pitch.checked_mul(index).ok_or(CudaError::INVALID_VALUE)?;
            transfers.push(self.checked_fill(to.behind(offset), pattern, row)?);
        }
        Ok(NodeWork::Fill(FillNode { transfers, parameters: *parameters }))
    }
}

/// Only the lowest byte counts, as for `memset`.
fn byte_pattern(value: c_int) -> Pattern {
    Pattern { value: u32::from(value as u8), bytes: 1 }
}
