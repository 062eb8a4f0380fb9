//! The clocks of a warp: its lanes, in groups that execute together.

use super::GroupClock;
use warpsan_model::WARP_LANES;

/// What lanes that execute now, and did not together before, say about branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Branch {
    /// The same lanes as before.
    None,
    /// Some lanes of a group go on without the others.
    If,
    /// Lanes that waited execute again, or lanes reconverge.
    ElseOrEnd,
}

/// The groups of a warp. Each lane is in one of them, except for lanes that have ended.
#[derive(Debug)]
pub(crate) struct WarpClocks {
    whole: u32,
    ended: u32,
    /// The group that executed last.
    active: usize,
    groups: Vec<GroupClock>,
}

impl WarpClocks {
    pub(super) fn new(block: u32, warp: u16, lanes: u32) -> WarpClocks {
        let whole = if lanes >= WARP_LANES { u32::MAX } else { (1 << lanes) - 1 };
        WarpClocks { whole, ended: 0, active: 0, groups: vec![GroupClock::new(block, warp, whole)] }
    }

    /// The lanes that have not ended.
    pub(crate) fn live(&self) -> u32 {
        self.whole & !self.ended
    }

    /// Lanes have ended. What they know stays: a barrier of the block is after them.
    pub(crate) fn end_lanes(&mut self, mask: u32) {
        self.ended |= mask;
    }

    /// The group that executed last.
    #[inline]
    pub(crate) fn active(&self) -> &GroupClock {
        &self.groups[self.active]
    }

    #[inline]
    pub(crate) fn active_mut(&mut self) -> &mut GroupClock {
        &mut self.groups[self.active]
    }

    pub(super) fn groups(&self) -> &[GroupClock] {
        &self.groups
    }

    /// All lanes that live are one group from now on.
    pub(super) fn become_one(&mut self, group: GroupClock) {
        self.groups = vec![group];
        self.active = 0;
    }

    /// Lanes execute together, and are a group from now on. None if the warp has no such lanes.
    #[inline]
    pub(crate) fn activate(&mut self, mask: u32) -> Option<Branch> {
        let mask = mask & self.whole;
        match mask {
            0 => None,
            _ if self.active().lanes() == mask => Some(Branch::None),
            _ => Some(self.regroup(mask)),
        }
    }

    fn regroup(&mut self, mask: u32) -> Branch {
        if let Some(number) = self.groups.iter().position(|group| group.lanes() == mask) {
            self.active = number;
            self.active_mut().advance();
            return Branch::ElseOrEnd;
        }
        let mut meeting: Option<GroupClock> = None;
        let mut met = false;
        let mut rest = Vec::with_capacity(self.groups.len() + 1);
        for mut group in std::mem::take(&mut self.groups) {
            let common = group.lanes() & mask;
            let part = match common {
                0 => {
                    rest.push(group);
                    continue;
                }
                _ if common == group.lanes() => group,
                _ => {
                    let part = group.split(common);
                    rest.push(group);
                    part
                }
            };
            match &mut meeting {
                None => meeting = Some(part),
                Some(met_so_far) => {
                    met_so_far.join(&part);
                    met = true;
                }
            }
        }
        if let Some(mut group) = meeting {
            if !met {
                group.advance();
            }
            rest.push(group);
        }
        self.groups = rest;
        self.active = self.groups.len() - 1;
        if met { Branch::ElseOrEnd } else { Branch::If }
    }
}
