//! Lanes of one instruction that write different values to one place.

use crate::warp::lanes;
use std::collections::HashSet;
use warpsan_model::{BlockIndex, SiteId, Space};

/// What two lanes wrote to one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneConflict {
    /// The block.
    pub block: BlockIndex,
    /// The warp in its block.
    pub warp: u32,
    /// The instruction.
    pub site: SiteId,
    /// The lanes, the lower one first.
    pub lanes: [u32; 2],
    /// The memory.
    pub space: Space,
    /// The first byte that both wrote; in shared memory, an offset.
    pub address: u64,
    /// Bytes that each wrote.
    pub bytes: u64,
}

/// Those that were found: the first of each instruction, and how many there were of all.
#[derive(Debug, Default)]
pub(crate) struct LaneConflicts {
    known: HashSet<SiteId>,
    pub(crate) found: Vec<LaneConflict>,
}

impl LaneConflicts {
    /// Looks at a store of several lanes. `same` says whether two lanes store the same value.
    pub(crate) fn look_at(
        &mut self,
        (block, warp, site): (BlockIndex, u32, SiteId),
        mask: u32,
        space: Space,
        addresses: &[u64; 32],
        bytes: u64,
        same: impl Fn(usize, usize) -> bool,
    ) {
        if self.known.contains(&site) {
            return;
        }
        let mut order: Vec<usize> = lanes(mask).collect();
        order.sort_unstable_by_key(|lane| (addresses[*lane], *lane));
        for pair in order.windows(2) {
            let (one, other) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            let distance = addresses[pair[1]] - addresses[pair[0]];
            if distance >= bytes || (distance == 0 && same(one, other)) {
                continue;
            }
            self.known.insert(site);
            self.found.push(LaneConflict {
                block,
                warp,
                site,
                lanes: [one as u32, other as u32],
                space,
                address: addresses[pair[1]],
                bytes,
            });
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_write_the_same_or_elsewhere_do_not_conflict() {
        let who = (BlockIndex(0), 1, SiteId(4));
        let mut conflicts = LaneConflicts::default();
        let mut addresses: [u64; 32] = std::array::from_fn(|lane| 4 * (31 - lane as u64));
        conflicts.look_at(who, u32::MAX, Space::Shared, &addresses, 4, |_, _| false);
        assert!(conflicts.found.is_empty(), "each has a place of its own");
        addresses[9] = addresses[3];
        conflicts.look_at(who, u32::MAX, Space::Shared, &addresses, 4, |_, _| true);
        assert!(conflicts.found.is_empty(), "they write the same");
        conflicts.look_at(who, !(1 << 9), Space::Shared, &addresses, 4, |_, _| false);
        assert!(conflicts.found.is_empty(), "one of them does not write");
        for _ in 0..2 {
            conflicts.look_at(who, u32::MAX, Space::Shared, &addresses, 4, |_, _| false);
        }
        let [found] = conflicts.found[..] else { panic!("once for each instruction") };
        assert_eq!((found.lanes, found.address), ([3, 9], addresses[3]));
    }
}
