//! Races that are found while an access is compared, until they are reported.

use super::locks::Word;
use super::writers::Point;
use crate::clock::Epoch;
use crate::hb::history::{Entry, Role, StrongEntry};
use crate::hb::ids::{Agent, BlockNumber, SiteNumber, WarpNumber};

/// One side of a race that was remembered.
#[derive(Debug, Clone, Copy)]
pub(in crate::hb) struct Side {
    pub(in crate::hb) block: BlockNumber,
    pub(in crate::hb) warp: WarpNumber,
    pub(in crate::hb) lane: u32,
    pub(in crate::hb) epoch: Epoch,
    pub(in crate::hb) site: SiteNumber,
    pub(in crate::hb) active: u32,
    pub(in crate::hb) held: u8,
    pub(in crate::hb) agent: Agent,
    pub(in crate::hb) writes: bool,
    pub(in crate::hb) atomic: bool,
    pub(in crate::hb) weak: bool,
    /// It is an operation on an `mbarrier` object.
    pub(in crate::hb) object: bool,
    pub(in crate::hb) read_only_path: bool,
    /// What a strong store wrote.
    pub(in crate::hb) value: Option<u64>,
}

impl Side {
    /// Whether the same thread did, or began, the other.
    pub(super) fn is_same_thread(&self, other: &Side) -> bool {
        (self.block, self.warp, self.lane) == (other.block, other.warp, other.lane)
    }

    /// Its thread, at the time of the access.
    pub(super) fn point(&self) -> Point {
        let (lanes, epoch) = (1 << self.lane, self.epoch);
        Point { block: self.block, warp: self.warp, lanes, epoch, met: 0 }
    }

    pub(in crate::hb) fn of_entry(entry: &Entry, lane: u32) -> Side {
        Side {
            block: entry.block,
            warp: WarpNumber::of_entry(entry.warp),
            lane,
            epoch: entry.epoch,
            site: entry.site,
            active: entry.active,
            held: entry.held,
            agent: entry.agent,
            writes: entry.writes,
            atomic: false,
            weak: true,
            object: entry.role == Role::Object,
            read_only_path: entry.read_only_path,
            value: None,
        }
    }

    pub(in crate::hb) fn of_strong(entry: &StrongEntry, lane: u32) -> Side {
        Side {
            block: entry.block,
            warp: WarpNumber::of_entry(entry.warp),
            lane,
            epoch: entry.epoch,
            site: entry.site,
            active: entry.active,
            held: entry.held,
            agent: Agent::Thread,
            writes: entry.writes,
            atomic: entry.atomic,
            weak: false,
            object: entry.object,
            read_only_path: false,
            value: entry.value,
        }
    }
}

/// A pair of accesses that race.
#[derive(Debug, Clone, Copy)]
pub(in crate::hb) struct PendingRace {
    pub(in crate::hb) old: Side,
    pub(in crate::hb) new: Side,
    /// The first byte that both access.
    pub(in crate::hb) address: u64,
    /// Further bytes of the line, by their place in it, that the same two lanes access unordered.
    pub(in crate::hb) further: u128,
    /// The block whose shared memory it is in; none for global memory.
    pub(in crate::hb) owner: Option<BlockNumber>,
    /// Both are lanes of one instruction.
    pub(in crate::hb) same_event: bool,
    /// Both stored the same bytes.
    pub(in crate::hb) same_value: bool,
    /// A read through the read-only path is ordered before the write: its value was in a register by then.
    pub(in crate::hb) read_before: bool,
    /// A kernel and the host may have handed over between the two, through this instruction of the kernel.
    pub(in crate::hb) handed_over: Option<SiteNumber>,
}

impl PendingRace {
    /// Two accesses of different instructions that race at an address.
    pub(in crate::hb) fn new(
        old: Side,
        new: Side,
        address: u64,
        owner: Option<BlockNumber>,
    ) -> PendingRace {
        PendingRace {
            old,
            new,
            address,
            further: 0,
            owner,
            same_event: false,
            same_value: false,
            read_before: false,
            handed_over: None,
        }
    }

    /// The word that they access.
    pub(super) fn word(&self) -> Word {
        (self.owner, self.address - self.address % 4)
    }

    /// The bytes of the line at `base` that the two lanes access.
    pub(in crate::hb) fn addresses(&self, base: u64) -> impl Iterator<Item = u64> + use<> {
        let mut left = self.further;
        let first = self.address;
        let rest = std::iter::from_fn(move || {
            let offset = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (offset < 128).then(|| base + u64::from(offset))
        });
        std::iter::once(first).chain(rest)
    }
}
