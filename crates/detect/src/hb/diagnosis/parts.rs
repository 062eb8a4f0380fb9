//! Warps whose lanes synchronise in parts, tile by tile: there, lanes that execute apart need not be on different paths
//! of a branch.

use crate::hb::ids::{BlockNumber, SiteNumber, WarpId};
use rustc_hash::FxHashMap;

/// What the lanes of a warp have executed since a barrier of only some of them: by instruction, the lanes.
type Executed = FxHashMap<SiteNumber, u32>;

/// The warps of a launch that have synchronised in parts.
#[derive(Debug, Default)]
pub(in crate::hb) struct Parts {
    warps: FxHashMap<WarpId, Executed>,
}

impl Parts {
    pub(super) fn clear(&mut self) {
        self.warps.clear();
    }

    /// Lanes of a warp that has these lanes were at a barrier of the warp.
    pub(in crate::hb) fn barrier(&mut self, warp: WarpId, mask: u32, all: u32) {
        if mask & all != all {
            self.warps.entry(warp).or_default();
        }
    }

    /// Lanes of a warp execute an access.
    #[inline]
    pub(in crate::hb) fn access(&mut self, warp: WarpId, site: SiteNumber, mask: u32) {
        if !self.warps.is_empty()
            && let Some(executed) = self.warps.get_mut(&warp)
        {
            *executed.entry(site).or_default() |= mask;
        }
    }

    pub(in crate::hb) fn end_block(&mut self, block: BlockNumber) {
        if !self.warps.is_empty() {
            self.warps.retain(|warp, _| warp.block != block);
        }
    }

    /// Whether one of two lanes of a warp has executed the instruction of the other, and so is on the same path.
    pub(super) fn same_path(
        &self,
        warp: WarpId,
        old: (SiteNumber, u32),
        new: (SiteNumber, u32),
    ) -> bool {
        self.warps.get(&warp).is_some_and(|executed| {
            let has = |site: SiteNumber, lane: u32| {
                executed.get(&site).is_some_and(|lanes| lanes >> lane & 1 == 1)
            };
            has(old.0, new.1) || has(new.0, old.1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hb::ids::WarpNumber;

    const WARP: WarpId = WarpId { block: BlockNumber(2), warp: WarpNumber(1) };
    const FIRST: SiteNumber = SiteNumber(1);
    const SECOND: SiteNumber = SiteNumber(2);

    #[test]
    fn tiles_that_execute_the_same_are_on_one_path() {
        let mut parts = Parts::default();
        parts.barrier(WARP, 0xff, 0xffff);
        parts.access(WARP, FIRST, 0xff);
        assert!(!parts.same_path(WARP, (FIRST, 0), (SECOND, 8)));
        parts.access(WARP, FIRST, 0xff00);
        assert!(parts.same_path(WARP, (FIRST, 0), (SECOND, 8)));
        assert!(parts.same_path(WARP, (SECOND, 8), (FIRST, 0)));
        parts.end_block(BlockNumber(2));
        assert!(!parts.same_path(WARP, (FIRST, 0), (SECOND, 8)));
    }

    #[test]
    fn a_whole_warp_has_no_parts() {
        let mut parts = Parts::default();
        parts.barrier(WARP, u32::MAX, 0xffff);
        parts.access(WARP, FIRST, u32::MAX);
        assert!(!parts.same_path(WARP, (FIRST, 0), (FIRST, 8)));
    }
}
