use super::{MemoryOperand, NEXT_SITE};
use crate::{Access, AccessKind, CopyBegin, CopyKind};
use warpsan_model::{BlockIndex, Strength, WARP_LANES};

/// Lanes of a warp, which execute an instruction together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lanes {
    /// The block.
    pub block: BlockIndex,
    /// The warp's number in its block.
    pub warp: u32,
    /// The lanes.
    pub mask: u32,
}

impl Lanes {
    /// All lanes of a warp.
    pub const fn warp(block: u32, warp: u32) -> Lanes {
        Lanes { block: BlockIndex(block), warp, mask: u32::MAX }
    }

    /// The lowest of the lanes.
    pub(super) const fn first(self) -> u32 {
        self.mask.trailing_zeros()
    }

    /// An access of these lanes, without values: the story's next instruction.
    ///
    /// # Panics
    /// When an element has more bytes than an access can have.
    pub fn access<'a>(
        self,
        kind: AccessKind,
        strength: Strength,
        at: impl Into<MemoryOperand<'a>>,
    ) -> Access<'a> {
        let at = at.into();
        Access {
            block: self.block,
            warp: self.warp,
            site: NEXT_SITE,
            mask: self.mask,
            wrote: if kind == AccessKind::Read { 0 } else { self.mask },
            space: at.space,
            owner: at.owner_for(self.block),
            kind,
            strength,
            bytes: u8::try_from(at.bytes).expect("an element has few bytes"),
            elements: at.elements,
            addresses: at.addresses,
            values: &[],
            versions: &[],
            read_only_path: false,
        }
    }

    /// One asynchronous copy for each of these lanes: the story's next instruction, and its next copies.
    pub fn copy<'a>(
        self,
        kind: CopyKind,
        from: impl Into<MemoryOperand<'a>>,
        to: impl Into<MemoryOperand<'a>>,
    ) -> CopyBegin<'a> {
        CopyBegin {
            block: self.block,
            warp: self.warp,
            mask: self.mask,
            site: NEXT_SITE,
            kind,
            first: 0,
            from: Some(from.into().side(self.block)),
            to: to.into().side(self.block),
            reduces: false,
        }
    }
}

/// A thread by its block and its number there.
impl From<(u32, u32)> for Lanes {
    fn from((block, thread): (u32, u32)) -> Lanes {
        let (warp, mask) = (thread / WARP_LANES, 1 << (thread % WARP_LANES));
        Lanes { block: BlockIndex(block), warp, mask }
    }
}

/// Lanes by block, warp and mask.
impl From<(u32, u32, u32)> for Lanes {
    fn from((block, warp, mask): (u32, u32, u32)) -> Lanes {
        Lanes { block: BlockIndex(block), warp, mask }
    }
}
