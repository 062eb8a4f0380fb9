//! One entry of the metadata: the fields of the paper's figure 7, in 64 bits.

use super::access::{Current, Kind};
use crate::last_access::{Fences, Reach};

/// A field: its lowest bit and how many it has.
type Field = (u32, u32);

// The text names the fields and the widths of all but two. Blocks have eight bits here, since 15 multiprocessors of
// 8 blocks need seven, and warps have five, since a block has at most 32. With the five bits of section VI for a
// thread, that is 64.
const LOCKS: Field = (0, 16);
const BARRIER: Field = (16, 8);
const BLOCK_FENCE: Field = (24, 6);
const DEVICE_FENCE: Field = (30, 6);
const WARP: Field = (36, 5);
const THREAD: Field = (41, 5);
const BLOCK: Field = (46, 8);
const MODIFIED: Field = (54, 1);
const BLOCK_SHARED: Field = (55, 1);
const DEVICE_SHARED: Field = (56, 1);
const IS_ATOMIC: Field = (57, 1);
const OF_BLOCK: Field = (58, 1);
const STRONG: Field = (59, 1);
const TAG: Field = (60, 4);

/// With independent thread scheduling, the upper bit of the barrier's field says that the warp had diverged.
const DIVERGED: u8 = 0x80;

/// What is remembered of one location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Metadata(u64);

/// Who shares a location.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sharing {
    /// Warps of one block.
    pub(super) in_block: bool,
    /// Blocks.
    pub(super) in_device: bool,
}

impl Metadata {
    /// What the entry of a location is before its first access: three flags that are never set together again.
    pub(super) const INITIAL: Metadata =
        Metadata(1 << MODIFIED.0 | 1 << BLOCK_SHARED.0 | 1 << DEVICE_SHARED.0);

    /// What an access leaves behind, in an entry with this tag.
    #[inline]
    pub(super) fn of(current: &Current, tag: u8, sharing: Sharing, is_strong: bool) -> Metadata {
        let mut entry = Metadata(0);
        entry.set(TAG, u64::from(tag));
        entry.set(BLOCK, u64::from(current.block));
        entry.set(WARP, u64::from(current.warp));
        entry.set(BLOCK_FENCE, u64::from(current.fences.block));
        entry.set(DEVICE_FENCE, u64::from(current.fences.device));
        entry.set(LOCKS, u64::from(current.locks));
        entry.set(BLOCK_SHARED, u64::from(sharing.in_block));
        entry.set(DEVICE_SHARED, u64::from(sharing.in_device));
        entry.set(STRONG, u64::from(is_strong));
        entry.set(MODIFIED, u64::from(current.kind != Kind::Load));
        if let Kind::Atomic(reach) = current.kind {
            entry.set(IS_ATOMIC, 1);
            entry.set(OF_BLOCK, u64::from(reach == Reach::Block));
        }
        let barrier = match current.lanes {
            None => current.barrier,
            Some(lanes) => {
                entry.set(THREAD, u64::from(lanes.mask.trailing_zeros()));
                current.barrier & !DIVERGED | if lanes.diverged { DIVERGED } else { 0 }
            }
        };
        entry.set(BARRIER, u64::from(barrier));
        entry
    }

    #[inline]
    fn get(self, (shift, bits): Field) -> u64 {
        self.0 >> shift & ((1 << bits) - 1)
    }

    #[inline]
    fn set(&mut self, (shift, bits): Field, value: u64) {
        let mask = (1 << bits) - 1;
        self.0 = self.0 & !(mask << shift) | (value & mask) << shift;
    }

    /// The same entry, but for its tag.
    #[inline]
    pub(super) fn with_tag(mut self, tag: u8) -> Metadata {
        self.set(TAG, u64::from(tag));
        self
    }

    /// The same entry, but that all accesses were strong, or not.
    #[inline]
    pub(super) fn with_strong(mut self, is_strong: bool) -> Metadata {
        self.set(STRONG, u64::from(is_strong));
        self
    }

    #[inline]
    pub(super) fn is_initial(self) -> bool {
        self.is_modified() && self.is_block_shared() && self.is_device_shared()
    }

    #[inline]
    pub(super) fn tag(self) -> u8 {
        self.get(TAG) as u8
    }

    #[inline]
    pub(super) fn block(self) -> u8 {
        self.get(BLOCK) as u8
    }

    #[inline]
    pub(super) fn warp(self) -> u8 {
        self.get(WARP) as u8
    }

    /// With independent thread scheduling: the lowest lane of the last access.
    #[inline]
    pub(super) fn thread(self) -> u32 {
        self.get(THREAD) as u32
    }

    /// The barrier's number: of eight bits, or of seven with independent thread scheduling.
    #[inline]
    pub(super) fn barrier(self, has_threads: bool) -> u8 {
        let barrier = self.get(BARRIER) as u8;
        if has_threads { barrier & !DIVERGED } else { barrier }
    }

    /// With independent thread scheduling: the last access was one of a part of the warp.
    #[inline]
    pub(super) fn had_diverged(self) -> bool {
        self.get(BARRIER) as u8 & DIVERGED != 0
    }

    #[inline]
    pub(super) fn fences(self) -> Fences {
        Fences { device: self.get(DEVICE_FENCE) as u8, block: self.get(BLOCK_FENCE) as u8 }
    }

    #[inline]
    pub(super) fn locks(self) -> u16 {
        self.get(LOCKS) as u16
    }

    #[inline]
    pub(super) fn is_modified(self) -> bool {
        self.get(MODIFIED) != 0
    }

    #[inline]
    pub(super) fn is_block_shared(self) -> bool {
        self.get(BLOCK_SHARED) != 0
    }

    #[inline]
    pub(super) fn is_device_shared(self) -> bool {
        self.get(DEVICE_SHARED) != 0
    }

    #[inline]
    pub(super) fn is_strong(self) -> bool {
        self.get(STRONG) != 0
    }

    /// The scope of the last access, if it was an atomic.
    #[inline]
    pub(super) fn atomic(self) -> Option<Reach> {
        let reach = if self.get(OF_BLOCK) != 0 { Reach::Block } else { Reach::Device };
        (self.get(IS_ATOMIC) != 0).then_some(reach)
    }
}

#[cfg(test)]
mod tests {
    use super::super::access::Lanes;
    use super::*;

    #[test]
    fn fields_fill_sixty_four_bits_and_do_not_overlap() {
        let fields = [
            LOCKS,
            BARRIER,
            BLOCK_FENCE,
            DEVICE_FENCE,
            WARP,
            THREAD,
            BLOCK,
            MODIFIED,
            BLOCK_SHARED,
            DEVICE_SHARED,
            IS_ATOMIC,
            OF_BLOCK,
            STRONG,
            TAG,
        ];
        let mut next = 0;
        for (shift, bits) in fields {
            assert_eq!(shift, next);
            next += bits;
        }
        assert_eq!((next, size_of::<Metadata>()), (64, 8));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let current = Current {
            kind: Kind::Atomic(Reach::Block),
            is_strong: true,
            block: 0xa5,
            warp: 31,
            barrier: 0xff,
            fences: Fences { device: 63, block: 42 },
            locks: 0xbeef,
            lanes: None,
        };
        let sharing = Sharing { in_block: true, in_device: false };
        let entry = Metadata::of(&current, 9, sharing, true);
        assert_eq!((entry.block(), entry.warp(), entry.tag()), (0xa5, 31, 9));
        assert_eq!((entry.barrier(false), entry.fences()), (0xff, current.fences));
        assert_eq!((entry.locks(), entry.atomic()), (0xbeef, Some(Reach::Block)));
        assert!(entry.is_modified() && entry.is_block_shared() && !entry.is_device_shared());
        assert!(entry.is_strong() && !entry.with_strong(false).is_strong());
        assert_eq!(entry.with_tag(15).with_tag(9), entry);
        let lanes = Some(Lanes { mask: 0b1100_0000, diverged: true });
        let load = Current { kind: Kind::Load, lanes, barrier: 0x7f, ..current };
        let entry = Metadata::of(&load, 0, Sharing::default(), false);
        assert_eq!((entry.thread(), entry.barrier(true)), (6, 0x7f));
        assert!(entry.had_diverged() && !entry.is_modified() && entry.atomic().is_none());
        let lanes = Some(Lanes { mask: 1, diverged: false });
        let entry = Metadata::of(&Current { lanes, ..load }, 0, Sharing::default(), false);
        assert_eq!((entry.had_diverged(), entry.barrier(true)), (false, 0x7f));
    }

    #[test]
    fn the_first_state_says_nothing_but_that() {
        assert!(Metadata::INITIAL.is_initial());
        assert!(Metadata::INITIAL.with_tag(7).is_initial());
        assert_eq!(Metadata::INITIAL.locks(), 0);
    }
}
