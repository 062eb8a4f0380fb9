//! Weak accesses as they are remembered: an entry for all bytes of a line with the same history.

use crate::clock::Epoch;
use crate::hb::ids::{Agent, BlockNumber, SiteNumber, WarpNumber};

/// What an access is for, where that makes a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Role {
    /// It loads or stores.
    Plain,
    /// It combines what it brings with what is there, as other copies may do at the same time.
    Reduces,
    /// It is an operation on an `mbarrier` object.
    Object,
}

/// Which lane accessed which byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mapping(u16);

const STRIDED: u16 = 1 << 15;
/// The entry is of two blocks: part of the mapping, so that it is like no entry of one block.
const TWO_BLOCKS: u16 = 1 << 14;

impl Mapping {
    /// All lanes accessed all bytes.
    pub(crate) const UNIFORM: Mapping = Mapping(0);

    /// Lane 0 accessed what begins at `first`, the next lane what begins `1 << shift` bytes further.
    pub(crate) fn strided(first: u64, shift: u32) -> Mapping {
        let phase = (first >> shift) as u16 & 31;
        Mapping(STRIDED | (shift as u16) << 5 | phase)
    }

    pub(crate) fn is_strided(self) -> bool {
        self.0 & STRIDED != 0
    }

    /// Those of `lanes` that accessed the byte at `address`.
    pub(crate) fn lanes_at(self, address: u64, lanes: u32) -> u32 {
        if !self.is_strided() {
            return lanes;
        }
        let (shift, phase) = (u32::from(self.0 >> 5 & 7), u32::from(self.0 & 31));
        lanes & 1 << (((address >> shift) as u32).wrapping_sub(phase) & 31)
    }
}

/// Accesses of one warp with one instruction in one epoch to bytes of one line.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Entry {
    /// The bytes of the line, by their place in it. Zeros are an empty entry, and no entry of a list is empty.
    pub(crate) cover: [u32; 4],
    pub(crate) block: BlockNumber,
    pub(crate) epoch: Epoch,
    pub(crate) site: SiteNumber,
    /// The lanes that accessed some byte.
    pub(crate) lanes: u32,
    /// All lanes that executed the instruction with them.
    pub(crate) active: u32,
    pub(crate) warp: u8,
    pub(crate) agent: Agent,
    /// It went through the read-only path.
    pub(crate) read_only_path: bool,
    /// The set of locks that was held.
    pub(crate) held: u8,
    pub(crate) mapping: Mapping,
    pub(crate) role: Role,
    pub(crate) writes: bool,
    /// Other warps of the block that did the very same, as all do that read what one has prepared: never `warp`
    /// itself. Or, if the mapping says so, another block whose warp of the same number did. Only threads have any,
    /// and only reads are of two blocks.
    pub(crate) others: u32,
}

/// A mask of 128 bits in parts, which need no padding before them.
#[inline]
pub(super) fn parts(cover: u128) -> [u32; 4] {
    [cover as u32, (cover >> 32) as u32, (cover >> 64) as u32, (cover >> 96) as u32]
}

/// The opposite of [`parts`].
#[inline]
pub(super) fn whole([a, b, c, d]: [u32; 4]) -> u128 {
    u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | u128::from(d) << 96
}

impl Entry {
    /// No access.
    pub(crate) const EMPTY: Entry = Entry {
        cover: [0; 4],
        block: BlockNumber(0),
        epoch: 0,
        site: SiteNumber(0),
        lanes: 0,
        active: 0,
        warp: 0,
        agent: Agent::Thread,
        read_only_path: false,
        held: 0,
        mapping: Mapping::UNIFORM,
        role: Role::Plain,
        writes: false,
        others: 0,
    };

    #[inline]
    pub(crate) fn cover(&self) -> u128 {
        whole(self.cover)
    }

    #[inline]
    pub(crate) fn set_cover(&mut self, cover: u128) {
        self.cover = parts(cover);
    }

    /// Forgets the bytes. Reads through the read-only path stay, since no order helps against them.
    #[inline]
    pub(super) fn forget(&mut self, cover: u128) {
        if !self.read_only_path {
            self.set_cover(self.cover() & !cover);
        }
    }

    #[inline]
    pub(crate) fn with_cover(mut self, cover: u128) -> Entry {
        self.set_cover(cover);
        self
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.cover == [0; 4]
    }

    /// Whether the two differ in nothing but the bytes.
    #[inline]
    pub(crate) fn is_alike(&self, other: &Entry) -> bool {
        // In the order in which they lie in memory, so that they are compared together.
        self.block == other.block
            && self.epoch == other.epoch
            && self.site == other.site
            && self.lanes == other.lanes
            && self.active == other.active
            && self.warp == other.warp
            && self.agent == other.agent
            && self.read_only_path == other.read_only_path
            && self.held == other.held
            && self.mapping == other.mapping
            && self.role == other.role
            && self.writes == other.writes
            && self.others == other.others
    }

    /// Whether the two differ in nothing but the warps.
    fn is_twin(&self, other: &Entry) -> bool {
        let other = Entry { warp: self.warp, others: self.others, ..*other };
        self.is_alike(&other)
    }

    /// Takes the warps of an entry that differs in nothing else. Returns whether it does.
    pub(crate) fn unite(&mut self, other: &Entry) -> bool {
        let twin = self.cover == other.cover
            && self.site == other.site
            && self.agent == Agent::Thread
            && self.is_twin(other);
        if twin {
            self.others |= (other.others | 1 << other.warp) & !(1 << self.warp);
        }
        twin
    }

    /// Whether it was made by threads of this block, and of no other.
    #[inline]
    pub(crate) fn is_of_block(&self, block: BlockNumber) -> bool {
        self.block == block && self.agent == Agent::Thread && !self.has_two_blocks()
    }

    /// Whether a warp of a second block did the same.
    #[inline]
    pub(crate) fn has_two_blocks(&self) -> bool {
        self.mapping.0 & TWO_BLOCKS != 0
    }

    /// Takes the block of an entry that differs in nothing else. Returns whether it does.
    pub(crate) fn unite_blocks(&mut self, other: &Entry) -> bool {
        let twin = self.cover == other.cover
            && self.site == other.site
            && self.block != other.block
            && self.others | other.others == 0
            && self.agent == Agent::Thread
            && self.is_alike(&Entry { block: self.block, ..*other });
        if twin {
            self.mapping.0 |= TWO_BLOCKS;
            self.others = other.block.0;
        }
        twin
    }

    /// The entries of each block.
    pub(crate) fn by_block(&self) -> [Option<Entry>; 2] {
        if !self.has_two_blocks() {
            return [Some(*self), None];
        }
        let mapping = Mapping(self.mapping.0 & !TWO_BLOCKS);
        let first = Entry { mapping, others: 0, ..*self };
        [Some(first), Some(Entry { block: BlockNumber(self.others), ..first })]
    }

    /// Whether it has, among those of several warps, what the other has of one.
    #[inline]
    pub(crate) fn covers_as(&self, other: &Entry) -> bool {
        let own = Entry { warp: other.warp, others: other.others, ..*self };
        other.cover() & !self.cover() == 0 && own.is_alike(other)
    }

    /// The warps.
    pub(crate) fn warps(&self) -> impl Iterator<Item = WarpNumber> + use<> {
        let others = if self.has_two_blocks() { 0 } else { self.others };
        warpsan_model::lanes(others | 1 << self.warp).map(WarpNumber)
    }

    /// Whether each byte was accessed by the same threads as by the other, and by no others.
    #[inline]
    pub(crate) fn has_same_threads(&self, other: &Entry) -> bool {
        self.block == other.block
            && self.warp == other.warp
            && self.others | other.others == 0
            && self.mapping == other.mapping
            && self.agent == Agent::Thread
            && other.agent == Agent::Thread
            && (self.mapping.is_strided() || self.lanes == other.lanes)
    }

    /// Whether each of its threads accessed the same bytes in the other, too, and not earlier. Reads that were
    /// noted become entries after others that were made later.
    #[inline]
    pub(crate) fn is_repeated_by(&self, later: &Entry) -> bool {
        let warps = |entry: &Entry| entry.others | 1 << entry.warp;
        self.block == later.block
            && self.epoch <= later.epoch
            && warps(self) & !warps(later) == 0
            && self.mapping == later.mapping
            && self.agent == Agent::Thread
            && later.agent == Agent::Thread
            && (self.mapping.is_strided() || self.lanes == later.lanes)
            && self.cover() & !later.cover() == 0
    }

    /// Leaves out a warp, if it is one of several.
    pub(crate) fn leave_out(&mut self, warp: u8) {
        let left = (self.others | 1 << self.warp) & !(1 << warp);
        if left != 0 {
            self.warp = left.trailing_zeros() as u8;
            self.others = left & (left - 1);
        }
    }

    /// Whether the two are of one event: groups of its lanes that know different things, or lanes that copy.
    pub(crate) fn is_same_event(&self, other: &Entry) -> bool {
        self.block == other.block
            && self.warp == other.warp
            && self.epoch == other.epoch
            && self.site == other.site
    }

    /// Fails where an invariant of the fields is broken.
    pub(super) fn check_invariants(&self) {
        debug_assert!(self.others == 0 || self.agent == Agent::Thread, "copies have one issuer");
        if self.has_two_blocks() {
            debug_assert!(!self.writes && self.others != self.block.0, "two blocks that read");
        } else {
            debug_assert!(self.others >> self.warp & 1 == 0, "a warp is not one of the others");
        }
    }

    /// The lanes that accessed the byte.
    pub(crate) fn lanes_at(&self, address: u64) -> u32 {
        self.mapping.lanes_at(address, self.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strided_lanes_are_found_from_the_byte() {
        let mapping = Mapping::strided(4096 + 12, 2);
        assert_eq!(mapping.lanes_at(4096 + 12, u32::MAX), 1);
        assert_eq!(mapping.lanes_at(4096 + 15, u32::MAX), 1);
        assert_eq!(mapping.lanes_at(4096 + 16, u32::MAX), 2);
        assert_eq!(mapping.lanes_at(4096 + 12 + 31 * 4, u32::MAX), 1 << 31);
        assert_eq!(mapping.lanes_at(4096 + 16, 1), 0, "the lane was not active");
        assert_eq!(Mapping::UNIFORM.lanes_at(5, 0b101), 0b101);
        assert_eq!(Mapping::strided(256, 4).lanes_at(256 + 5 * 16 + 3, u32::MAX), 1 << 5);
    }

    #[test]
    fn what_two_blocks_do_alike_is_one_entry() {
        let of = |block, site| {
            let (block, site) = (BlockNumber(block), SiteNumber(site));
            Entry { block, site, lanes: 3, ..Entry::EMPTY }.with_cover(0xff)
        };
        let mut both = of(4, 1);
        assert!(!both.unite_blocks(&of(4, 1)) && !both.unite_blocks(&of(5, 2)));
        assert!(both.unite_blocks(&of(5, 1)) && both.has_two_blocks());
        assert!(!both.unite_blocks(&of(6, 1)), "two are enough");
        assert!(!both.is_alike(&of(4, 1)) && !both.has_same_threads(&of(4, 1)));
        assert!(!both.is_repeated_by(&of(4, 1)) && !both.unite(&of(4, 1)));
        assert_eq!(both.warps().collect::<Vec<_>>(), [WarpNumber(0)]);
        let blocks = both.by_block().map(|entry| entry.map(|entry| (entry.block.0, entry.others)));
        assert_eq!(blocks, [Some((4, 0)), Some((5, 0))]);
    }

    #[test]
    fn a_cover_survives_being_stored() {
        let cover = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978u128;
        assert_eq!(Entry::EMPTY.with_cover(cover).cover(), cover);
        assert!(std::mem::size_of::<Entry>() <= 48);
    }
}
