//! Strong accesses of a location, seen from an access that is not morally strong with all of them.

use crate::hb::history::{StrongEntry, StrongLocation};
use crate::hb::order::{Observer, Past};
use crate::hb::rules::Rule;
use warpsan_model::lanes;

/// Calls `conflict` for every remembered access that a lane is unordered with, with one of its lanes.
///
/// A write that an ordered access has observed is ordered too, and so are those before it, as long as
/// each was updated by the next: a plain store, or an update that is not morally strong with what it
/// updates, ends the chain.
pub(super) fn compare_with_location(
    location: &StrongLocation,
    who: &Observer<'_>,
    lane: u32,
    writes: bool,
    mut conflict: impl FnMut(&StrongEntry, u32),
) {
    let observation = who.rules.applies(Rule::Observation);
    // Whether the write before the entries that were looked at has been observed.
    let mut observed = false;
    for entry in location.entries.iter().rev() {
        let unordered = who.unordered_with(&Past::of_strong(entry), lane);
        if !entry.writes {
            // What a write left behind reaches the asynchronous proxy through a fence only.
            let unfenced = match who.asynchronous {
                Some(_) => {
                    who.unordered_with(&Past { writes: true, ..Past::of_strong(entry) }, lane)
                }
                None => unordered,
            };
            observed |= observation && entry.linked && entry.lanes & !unfenced != 0;
            if writes && unordered != 0 {
                conflict(entry, unordered.trailing_zeros());
            }
        } else if entry.atomic {
            let lowest = entry.lanes.trailing_zeros();
            let mut racing = None;
            for one in lanes(entry.lanes.reverse_bits()).map(|reversed| 31 - reversed) {
                let is_ordered = unordered >> one & 1 == 0;
                if !is_ordered && observed {
                    who.rules.count(Rule::Observation);
                } else if !is_ordered {
                    racing = Some(one);
                }
                // Each lane updates what the one below it wrote.
                let linked = one != lowest || entry.linked;
                observed = linked && (observed || observation && is_ordered && entry.observes);
            }
            if let Some(one) = racing {
                conflict(entry, one);
            }
        } else {
            // Of several lanes only the highest one's value was there to be observed.
            let visible = 1 << (31 - entry.lanes.leading_zeros());
            let covered = if observed { visible } else { 0 };
            if unordered & covered != 0 {
                who.rules.count(Rule::Observation);
            }
            if unordered & !covered != 0 {
                conflict(entry, (unordered & !covered).trailing_zeros());
            }
            observed = false;
        }
    }
}
