//! What nodes of graphs do.

use super::boxes::{BoxCopyParameters, BoxSide, Extent, PitchedPointer, Position};
use super::copy_kind::DEFAULT_KIND;
use crate::{HostFunction, ProgramAddress, QueuedLaunch, Side, Transfer};
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

/// What a node does.
#[derive(Clone)]
pub enum NodeWork {
    /// Launches a kernel.
    Kernel(KernelNode),
    /// Copies.
    Copy(CopyNode),
    /// Fills.
    Fill(FillNode),
    /// Calls a function of the host.
    Host(HostNode),
    /// A graph that belongs to the node.
    Graph(usize),
    /// Nothing.
    Empty,
    /// Waits for an event.
    Wait(usize),
    /// Records an event.
    Record(usize),
}

impl NodeWork {
    /// `cudaGraphNodeType`.
    pub fn kind(&self) -> c_int {
        match self {
            NodeWork::Kernel(_) => 0,
            NodeWork::Copy(_) => 1,
            NodeWork::Fill(_) => 2,
            NodeWork::Host(_) => 3,
            NodeWork::Graph(_) => 4,
            NodeWork::Empty => 5,
            NodeWork::Wait(_) => 6,
            NodeWork::Record(_) => 7,
        }
    }

    /// Whether a node that can be launched may do something else instead: it is of the same kind, copies of several
    /// rows stay as they are, and fills of several rows keep their extents.
    pub fn can_become(&self, other: &NodeWork) -> bool {
        match (self, other) {
            (NodeWork::Copy(own), NodeWork::Copy(other)) => {
                own.transfers.len() == 1 && other.transfers.len() == 1
            }
            (NodeWork::Fill(own), NodeWork::Fill(other)) => {
                let (own, other) = (own.parameters, other.parameters);
                let is_row = own.height == 1 && other.height == 1;
                is_row || (own.width, own.height) == (other.width, other.height)
            }
            _ => self.kind() == other.kind(),
        }
    }
}

/// A launch, and how the program described it.
#[derive(Clone)]
pub struct KernelNode {
    /// The launch.
    pub launch: QueuedLaunch,
    /// The function's handle.
    pub function: usize,
    /// Where the program finds the arguments when it asks for them.
    arguments: Arc<[usize]>,
    /// The arguments that these addresses are of.
    _kept: Arc<[u8]>,
}

impl KernelNode {
    /// A launch of a function whose parameters begin at some offsets.
    pub fn new(launch: QueuedLaunch, function: usize, offsets: &[usize]) -> KernelNode {
        let kept: Arc<[u8]> = launch.parameters.clone().into();
        let address = kept.as_ptr().expose_provenance();
        let arguments = offsets.iter().map(|offset| address + offset).collect();
        KernelNode { launch, function, arguments, _kept: kept }
    }

    /// The addresses of the arguments, which stay as long as the node does.
    pub fn arguments(&self) -> &[usize] {
        &self.arguments
    }
}

/// Copies, and how the program described them.
#[derive(Clone)]
pub struct CopyNode {
    /// The copies.
    pub transfers: Vec<Transfer>,
    /// The description.
    pub parameters: BoxCopyParameters,
}

impl CopyNode {
    /// Copies that are described by their first row.
    pub fn of_transfers(transfers: Vec<Transfer>) -> CopyNode {
        let (to, from, bytes) = match transfers.first() {
            Some(Transfer::Copy { to, from, bytes }) => (address(*to), address(*from), *bytes),
            _ => (ProgramAddress::NULL, ProgramAddress::NULL, 0),
        };
        let bytes = bytes as usize;
        let side = |address| BoxSide {
            array: 0,
            position: Position { x: 0, y: 0, z: 0 },
            memory: PitchedPointer { address, pitch: bytes, row_bytes: bytes, rows: 1 },
        };
        let extent = Extent { width: bytes, height: transfers.len(), depth: 1 };
        let (from, to) = (side(from), side(to));
        CopyNode {
            transfers,
            parameters: BoxCopyParameters { from, to, extent, kind: DEFAULT_KIND },
        }
    }
}

/// `cudaMemsetParams`, and its second version.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct FillNodeParameters {
    /// The first byte.
    pub to: ProgramAddress,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// What is written to each element.
    pub value: c_uint,
    /// 1, 2 or 4.
    pub element_bytes: c_uint,
    /// In elements.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// Fills, and how the program described them.
#[derive(Clone)]
pub struct FillNode {
    /// The fills.
    pub transfers: Vec<Transfer>,
    /// The description.
    pub parameters: FillNodeParameters,
}

impl FillNode {
    /// Fills that were captured.
    pub fn of_transfers(transfers: Vec<Transfer>) -> FillNode {
        let (to, value, width) = match transfers.first() {
            Some(Transfer::Fill { to: to @ Side::Device(_), pattern, bytes }) => {
                (address(*to), pattern.value, *bytes as usize)
            }
            _ => (ProgramAddress::NULL, 0, 0),
        };
        let height = transfers.len();
        let parameters =
            FillNodeParameters { to, pitch: width, value, element_bytes: 1, width, height };
        FillNode { transfers, parameters }
    }
}

/// A function of the host, and how the program described it.
#[derive(Clone)]
pub struct HostNode {
    /// The function, with its argument.
    pub function: HostFunction,
    /// The addresses of both.
    pub described: (usize, usize),
}

/// The address of a side, as the program knows it.
fn address(side: Side) -> ProgramAddress {
    match side {
        Side::Device(address) => ProgramAddress::of_device(address),
        Side::Registered(address) | Side::Host(address) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Sizes and offsets as the C compiler gives them for the headers of 12.9 and 13.0.
    #[test]
    fn the_layouts_are_those_of_the_headers() {
        assert_eq!(size_of::<FillNodeParameters>(), 40);
        assert_eq!(offset_of!(FillNodeParameters, width), 24);
    }
}
