//! What writer and reader both remember of a frame, so that an item can be stored as a difference.

use super::items::{Listed, number_of_strength, strength_of_number};
use crate::vocabulary::{Access, AccessKind};
use warpsan_model::{Space, Strength};

/// Instructions whose last access is remembered; a power of two.
const SITES: usize = 256;

/// Which lanes of an access wrote, where a rule says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrote {
    Nobody,
    All,
    Listed,
}

/// What is mostly the same for all accesses of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) space: Space,
    pub(super) kind: AccessKind,
    pub(super) strength: Strength,
    pub(super) bytes: u8,
    pub(super) elements: u8,
    pub(super) read_only_path: bool,
    pub(super) own_memory: bool,
    pub(super) wrote: Wrote,
}

impl Shape {
    pub(super) fn of(access: &Access<'_>) -> Shape {
        Shape {
            space: access.space,
            kind: access.kind,
            strength: access.strength,
            bytes: access.bytes,
            elements: access.elements,
            read_only_path: access.read_only_path,
            own_memory: access.owner == access.block,
            wrote: match access.wrote {
                0 => Wrote::Nobody,
                wrote if wrote == access.mask => Wrote::All,
                _ => Wrote::Listed,
            },
        }
    }

    pub(super) fn number(self) -> u64 {
        let wrote = match self.wrote {
            Wrote::Nobody => 0,
            Wrote::All => 1,
            Wrote::Listed => 2,
        };
        u64::from(self.space.number())
            | u64::from(self.kind.number()) << 3
            | u64::from(self.read_only_path) << 5
            | u64::from(self.own_memory) << 6
            | u64::from(number_of_strength(self.strength)) << 7
            | wrote << 12
            | u64::from(self.elements) << 14
            | u64::from(self.bytes) << 22
    }

    pub(super) fn of_number(number: u64) -> Option<Shape> {
        let bits = |at: u32, count: u32| (number >> at & ((1 << count) - 1)) as u8;
        if number >> 30 != 0 {
            return None;
        }
        Some(Shape {
            space: Space::of_number(bits(0, 3))?,
            kind: AccessKind::of_number(bits(3, 2))?,
            read_only_path: bits(5, 1) == 1,
            own_memory: bits(6, 1) == 1,
            strength: strength_of_number(bits(7, 5))?,
            wrote: match bits(12, 2) {
                0 => Wrote::Nobody,
                1 => Wrote::All,
                2 => Wrote::Listed,
                _ => return None,
            },
            elements: bits(14, 8),
            bytes: bits(22, 8),
        })
    }
}

/// The last access of an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastAccess {
    site: u32,
    pub(super) shape: Shape,
    pub(super) address: u64,
}

/// What came before in the same frame.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) site: u32,
    /// The last address outside of accesses, or of an instruction that is not remembered.
    pub(super) address: u64,
    /// The last number of a copy.
    pub(super) copy: u64,
    accesses: Vec<Option<LastAccess>>,
}

impl Memory {
    pub(super) fn new() -> Memory {
        Memory { block: 0, warp: 0, site: 0, address: 0, copy: 0, accesses: vec![None; SITES] }
    }

    /// A new frame begins.
    pub(super) fn clear(&mut self) {
        (self.block, self.warp, self.site, self.address, self.copy) = (0, 0, 0, 0, 0);
        self.accesses.fill(None);
    }

    pub(super) fn last_access(&self, site: u32) -> Option<LastAccess> {
        self.accesses[site as usize % SITES].filter(|last| last.site == site)
    }

    pub(super) fn remember(&mut self, site: u32, shape: Shape, address: u64) {
        self.accesses[site as usize % SITES] = Some(LastAccess { site, shape, address });
        self.address = address;
    }
}
