//! Whether regions of two strips overlap, without looking at each pair of lanes. Knows no events.

use super::strips::Strip;
use warpsan_model::lanes;

/// A byte that lanes of two strips accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overlap {
    pub(super) address: u64,
    /// The lane of the first strip, and that of the second.
    pub(super) lanes: (u32, u32),
}

/// Which lanes of two strips are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lanes {
    /// Each with each.
    All,
    /// Each with others only: the same lane is the same thread.
    Different,
}

/// An overlap of regions of two strips, if there is one.
pub(super) fn overlap(first: &Strip, second: &Strip, which: Lanes) -> Option<Overlap> {
    let lanes = if first.stride == second.stride {
        at_one_stride(first, second, which)?
    } else if second.stride == 0 {
        let (other, one) = lane_by_lane(second, first, which)?;
        (one, other)
    } else {
        lane_by_lane(first, second, which)?
    };
    let address = first.address(lanes.0).max(second.address(lanes.1));
    Some(Overlap { address, lanes })
}

/// Lane `i` of the first and lane `j` of the second overlap if `j - i` is one of a few numbers, the same for all `i`.
fn at_one_stride(first: &Strip, second: &Strip, which: Lanes) -> Option<(u32, u32)> {
    let (low, high) = bounds(first.first, first, second);
    if first.stride == 0 {
        return if low < 0 && high > 0 { pair(first.mask, second.mask, which) } else { None };
    }
    let (from, to) = between(low, high, first.stride as i64);
    for distance in from.max(-31)..=to.min(31) {
        if distance == 0 && which == Lanes::Different {
            continue;
        }
        // The lanes of the first whose lane at the distance the second has.
        let both = if distance >= 0 {
            first.mask & second.mask >> distance
        } else {
            first.mask & second.mask << -distance
        };
        if both != 0 {
            let lane = both.trailing_zeros();
            return Some((lane, (i64::from(lane) + distance) as u32));
        }
    }
    None
}

/// The lanes of the second that overlap one of the first are neighbours.
fn lane_by_lane(first: &Strip, second: &Strip, which: Lanes) -> Option<(u32, u32)> {
    lanes(first.mask).find_map(|lane| {
        let (low, high) = bounds(first.address(lane), first, second);
        let (from, to) = between(low, high, second.stride as i64);
        let (from, to) = (from.clamp(0, 32), to.clamp(-1, 31));
        let mut near = second.mask & lanes_between(from, to);
        if which == Lanes::Different {
            near &= !(1 << lane);
        }
        (near != 0).then(|| (lane, near.trailing_zeros()))
    })
}

/// What the distances of the lanes of the second from its beginning have to be between, exclusively, to overlap a region of the
/// first that begins at this address.
fn bounds(address: u64, first: &Strip, second: &Strip) -> (i64, i64) {
    let ahead = second.first.wrapping_sub(address) as i64;
    (-(second.bytes as i64) - ahead, first.bytes as i64 - ahead)
}

/// The smallest and the largest number whose product with the factor is between the two, exclusively.
fn between(low: i64, high: i64, factor: i64) -> (i64, i64) {
    let (low, high, factor) = if factor > 0 { (low, high, factor) } else { (-high, -low, -factor) };
    (low.div_euclid(factor) + 1, -(-high).div_euclid(factor) - 1)
}

/// The lanes from one to another, of which there may be none.
fn lanes_between(from: i64, to: i64) -> u32 {
    let up_to = |lane: i64| ((1_u64 << (lane + 1)) - 1) as u32;
    if from > to { 0 } else { up_to(to) & !up_to(from - 1) }
}

/// A lane of each, different ones if that is asked for.
fn pair(first: u32, second: u32, which: Lanes) -> Option<(u32, u32)> {
    let (one, other) = (first.trailing_zeros(), second.trailing_zeros());
    if which == Lanes::All || one != other {
        return Some((one, other));
    }
    let without = |mask: u32| mask & (mask - 1);
    let next = |mask: u32| (mask != 0).then(|| mask.trailing_zeros());
    let second_of_first = next(without(first)).map(|lane| (lane, other));
    second_of_first.or_else(|| next(without(second)).map(|lane| (one, lane)))
}

#[cfg(test)]
mod tests;
