//! Whether what the history remembers is ordered before a new access: the order's answers, entry by entry.

use crate::hb::history::{Entry, Role, StrongEntry};
use crate::hb::ids::{Agent, WarpNumber};
use crate::hb::order::{Observer, Past};
use crate::hb::rules::Rule;
use warpsan_model::lanes;

/// Two lanes that nothing orders, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) old_warp: WarpNumber,
    pub(super) old_lane: u32,
    pub(super) new_lane: u32,
    pub(super) address: u64,
    /// Further bytes of the line that the same two lanes accessed.
    pub(super) further: u128,
}

impl Past {
    pub(super) fn of_entry(entry: &Entry, warp: WarpNumber) -> Past {
        Past {
            block: entry.block,
            warp,
            epoch: entry.epoch,
            lanes: entry.lanes,
            agent: entry.agent,
            writes: entry.writes,
        }
    }

    pub(super) fn of_strong(entry: &StrongEntry) -> Past {
        Past {
            block: entry.block,
            warp: WarpNumber::of_entry(entry.warp),
            epoch: entry.epoch,
            lanes: entry.lanes,
            agent: Agent::Thread,
            writes: entry.writes,
        }
    }
}

impl Observer<'_> {
    /// Whether the entry is ordered before all lanes of the new one, as far as can be seen at once.
    #[inline]
    pub(super) fn surely_after(&self, old: &Entry, new: &Entry) -> bool {
        old.is_of_block(self.block)
            && self.asynchronous.is_none()
            && (old.epoch <= self.block_known
                || WarpNumber::of_entry(old.warp) == self.warp
                    && old.others == 0
                    && (old.epoch <= self.met
                        || old.has_same_threads(new)
                            && (old.mapping.is_strided() || old.lanes.is_power_of_two())))
    }

    /// Two lanes of an earlier and of the new access that nothing orders: of the same warp, and of another
    /// one. `overlap` has the bytes of the line at `base` that both accessed.
    pub(super) fn unordered_pairs(
        &self,
        old: &Entry,
        new: &Entry,
        overlap: u128,
        base: u64,
    ) -> [Option<Pair>; 2] {
        let is_own = |warp: &WarpNumber| old.block == self.block && *warp == self.warp;
        let pair = |warp: WarpNumber| {
            let past = Past::of_entry(old, warp);
            self.unordered_with_warp(old, &past, new, overlap, base)
        };
        let own = old.warps().filter(is_own).find_map(pair);
        [own, old.warps().filter(|warp| !is_own(warp)).find_map(pair)]
    }

    /// The lanes whose initialisation of an `mbarrier` object is known.
    fn initialised_lanes(&self, old: &Entry, past: &Past) -> u32 {
        if old.role != Role::Object || !old.writes {
            return 0;
        }
        let more = self.view.known.more();
        more.map_or(0, |more| {
            more.initialised.lanes(past.block.key(), past.warp.0, past.lanes, past.epoch)
        })
    }

    /// Two lanes, the earlier of which read through the read-only path what the later one writes: some that are
    /// ordered, which the flag says, and some that are not.
    pub(super) fn pairs_with_read_only_path(
        &self,
        old: &Entry,
        new: &Entry,
        overlap: u128,
        base: u64,
    ) -> impl Iterator<Item = (Pair, bool)> + use<> {
        let mut found = [None, None];
        for old_warp in old.warps() {
            let past = Past::of_entry(old, old_warp);
            let unknown = self.unknown_lanes(&past);
            let mut left = overlap;
            while left != 0 && found.contains(&None) {
                let address = base + u64::from(left.trailing_zeros());
                left &= left - 1;
                for new_lane in lanes(new.lanes_at(address)) {
                    let own = if self.same_warp(&past) { 1 << new_lane } else { 0 };
                    let readers = old.lanes_at(address);
                    for (ordered, readers) in
                        [(false, readers & unknown & !own), (true, readers & (!unknown | own))]
                    {
                        if readers != 0 {
                            let old_lane = readers.trailing_zeros();
                            let pair = Pair { old_warp, old_lane, new_lane, address, further: 0 };
                            found[usize::from(ordered)].get_or_insert((pair, ordered));
                        }
                    }
                }
            }
        }
        found.into_iter().flatten()
    }

    fn unordered_with_warp(
        &self,
        old: &Entry,
        past: &Past,
        new: &Entry,
        overlap: u128,
        base: u64,
    ) -> Option<Pair> {
        let unknown = self.unknown_lanes(past) & !self.initialised_lanes(old, past);
        if unknown == 0 {
            return None;
        }
        let own = self.same_warp(past) && old.agent == Agent::Thread;
        if own {
            self.rules.count(Rule::LanesAreThreads);
        }
        if own && !self.rules.applies(Rule::LanesAreThreads) {
            return None;
        }
        let may_be_same = own && !(self.asynchronous.is_some() && past.writes);
        let mut left = overlap;
        while left != 0 {
            let offset = left.trailing_zeros();
            left &= left - 1;
            let address = base + u64::from(offset);
            let (old_lanes, new_lanes) = (old.lanes_at(address) & unknown, new.lanes_at(address));
            for new_lane in lanes(new_lanes) {
                let others = match may_be_same {
                    true => {
                        let met = self.within.known(new_lane, old_lanes, past.epoch);
                        old_lanes & !(1 << new_lane) & !met
                    }
                    false => old_lanes,
                };
                if others != 0 {
                    let old_lane = others.trailing_zeros();
                    let further = both(old, new, (old_lane, new_lane), left, base);
                    let old_warp = past.warp;
                    return Some(Pair { old_warp, old_lane, new_lane, address, further });
                }
            }
        }
        None
    }
}

/// Those of the bytes that a lane of each accessed.
fn both(old: &Entry, new: &Entry, lanes: (u32, u32), bytes: u128, base: u64) -> u128 {
    let mut left = bytes;
    let mut both = 0;
    while left != 0 {
        let offset = left.trailing_zeros();
        left &= left - 1;
        let address = base + u64::from(offset);
        if old.lanes_at(address) >> lanes.0 & new.lanes_at(address) >> lanes.1 & 1 == 1 {
            both |= 1 << offset;
        }
    }
    both
}
