//! What is found while an access is compared, until it is told.

use super::shadow::{Agent, Entry, Role, StrongEntry};
use crate::clock::Epoch;

/// One side of a race that was remembered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) lane: u32,
    pub(super) epoch: Epoch,
    pub(super) site: u32,
    pub(super) active: u32,
    pub(super) held: u8,
    pub(super) agent: Agent,
    pub(super) writes: bool,
    pub(super) atomic: bool,
    pub(super) weak: bool,
    /// It is an operation on an `mbarrier` object.
    pub(super) object: bool,
    pub(super) read_only_path: bool,
    /// What a strong store wrote.
    pub(super) value: Option<u64>,
}

impl Side {
    pub(super) fn of_entry(entry: &Entry, lane: u32) -> Side {
        Side {
            block: entry.block,
            warp: u32::from(entry.warp),
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

    pub(super) fn of_strong(entry: &StrongEntry, lane: u32) -> Side {
        Side {
            block: entry.block,
            warp: u32::from(entry.warp),
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
pub(super) struct Conflict {
    pub(super) old: Side,
    pub(super) new: Side,
    /// The first byte that both access.
    pub(super) address: u64,
    /// Further bytes of the line, by their place in it, that the same two lanes access unordered.
    pub(super) further: u128,
    /// The block whose shared memory it is in; none for global memory.
    pub(super) owner: Option<u32>,
    /// Both are lanes of one instruction.
    pub(super) same_event: bool,
    /// Both stored the same bytes.
    pub(super) same_value: bool,
}

impl Conflict {
    /// Two accesses of different instructions that race at an address.
    pub(super) fn new(old: Side, new: Side, address: u64, owner: Option<u32>) -> Conflict {
        Conflict { old, new, address, further: 0, owner, same_event: false, same_value: false }
    }

    /// The bytes of the line at `base` that the two lanes access.
    pub(super) fn addresses(&self, base: u64) -> impl Iterator<Item = u64> + use<> {
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
