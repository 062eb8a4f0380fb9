use crate::{CopySide, LaneAddresses};
use warpsan_model::{BlockIndex, Space};

/// Where lanes access memory, and how much of it: one word of global memory unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOperand<'a> {
    /// Global or shared.
    pub space: Space,
    /// The block whose shared memory it is, if not that of the lanes.
    pub owner: Option<u32>,
    /// Where each lane's first element is.
    pub addresses: LaneAddresses<'a>,
    /// Bytes of one element, or of one lane's part of a copy.
    pub bytes: u32,
    /// Neighbouring elements of each lane.
    pub elements: u8,
}

impl<'a> MemoryOperand<'a> {
    /// A word of global memory, the same for all lanes.
    pub const fn global(address: u64) -> MemoryOperand<'a> {
        MemoryOperand::global_lanes(LaneAddresses::Uniform(address))
    }

    /// Words of global memory.
    pub const fn global_lanes(addresses: LaneAddresses<'a>) -> MemoryOperand<'a> {
        MemoryOperand { space: Space::Global, owner: None, addresses, bytes: 4, elements: 1 }
    }

    /// The same addresses in the shared memory of the lanes' own block.
    pub const fn shared(self) -> MemoryOperand<'a> {
        MemoryOperand { space: Space::Shared, ..self }
    }

    /// The same addresses in the shared memory of a block.
    pub const fn shared_of(self, owner: u32) -> MemoryOperand<'a> {
        MemoryOperand { space: Space::Shared, owner: Some(owner), ..self }
    }

    /// Elements of so many bytes.
    pub const fn bytes(self, bytes: u32) -> MemoryOperand<'a> {
        MemoryOperand { bytes, ..self }
    }

    /// So many neighbouring elements for each lane.
    pub const fn elements(self, elements: u8) -> MemoryOperand<'a> {
        MemoryOperand { elements, ..self }
    }

    /// So many bytes further.
    ///
    /// # Panics
    /// When each lane has an address of its own.
    pub const fn plus(self, more: u64) -> MemoryOperand<'a> {
        let addresses = match self.addresses {
            LaneAddresses::Uniform(address) => LaneAddresses::Uniform(address + more),
            LaneAddresses::Strided { first, stride } => {
                LaneAddresses::Strided { first: first + more, stride }
            }
            LaneAddresses::PerLane(_) => panic!("each lane has an address of its own"),
        };
        MemoryOperand { addresses, ..self }
    }

    /// The block that owns the place, for lanes of a block.
    pub(super) fn owner_for(&self, block: BlockIndex) -> BlockIndex {
        self.owner.map_or(block, BlockIndex)
    }

    /// The place as one side of a copy that lanes of a block begin.
    pub(super) fn side(self, block: BlockIndex) -> CopySide<'a> {
        CopySide {
            space: self.space,
            owner: self.owner_for(block),
            addresses: self.addresses,
            bytes: self.bytes,
        }
    }
}

impl From<u64> for MemoryOperand<'_> {
    fn from(address: u64) -> Self {
        MemoryOperand::global(address)
    }
}

impl<'a> From<LaneAddresses<'a>> for MemoryOperand<'a> {
    fn from(addresses: LaneAddresses<'a>) -> Self {
        MemoryOperand::global_lanes(addresses)
    }
}
