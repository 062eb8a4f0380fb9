//! The lanes of an access in pieces whose addresses are alike.

use super::{LINE, Mapping, cover_of, line_of};
use warpsan_event::{Access, AccessKind, LaneAddresses};

/// Lanes whose addresses are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hb) struct Segment {
    pub(in crate::hb) lanes: u32,
    /// The address of the lowest lane; with a stride, that of lane 0, whether it is active or not.
    pub(in crate::hb) first: u64,
    /// The distance between lanes is `1 << shift`; none if all use the same address.
    pub(in crate::hb) shift: Option<u32>,
}

/// Strides above a line are no pattern within lines.
const WIDEST_SHIFT: u32 = 7;

/// Calls `take` for runs of lanes with the same address or with neighbouring ones. Lanes of a store that
/// write the same place are one piece, so that all of them are remembered.
#[inline]
pub(in crate::hb) fn for_each_segment(
    access: &Access<'_>,
    mask: u32,
    size: u64,
    take: impl FnMut(Segment),
) {
    let lanes = (access.mask, mask);
    match access.kind == AccessKind::Read {
        true => segments_of_read(&access.addresses, lanes, size, take),
        false => segments_of_store(&access.addresses, lanes, size, take),
    }
}

/// The one piece that regular addresses are.
#[inline]
fn regular(addresses: &LaneAddresses<'_>, lanes: u32, size: u64) -> Option<Segment> {
    match *addresses {
        LaneAddresses::Uniform(first) => Some(Segment { lanes, first, shift: None }),
        LaneAddresses::Strided { first, stride }
            if stride >= size
                && stride.is_power_of_two()
                && stride.trailing_zeros() <= WIDEST_SHIFT =>
        {
            Some(Segment { lanes, first, shift: Some(stride.trailing_zeros()) })
        }
        _ => None,
    }
}

/// The pieces of those lanes of a read that are in `mask`.
#[inline]
pub(in crate::hb) fn segments_of_read(
    addresses: &LaneAddresses<'_>,
    (active, mask): (u32, u32),
    size: u64,
    mut take: impl FnMut(Segment),
) {
    match regular(addresses, mask, size) {
        Some(piece) => take(piece),
        None => {
            let of_mask = addresses.of(active);
            runs(of_mask.filter(|(lane, _)| mask >> lane & 1 == 1), size, take);
        }
    }
}

#[inline]
fn segments_of_store(
    addresses: &LaneAddresses<'_>,
    (active, mask): (u32, u32),
    size: u64,
    mut take: impl FnMut(Segment),
) {
    if let Some(piece) = regular(addresses, mask, size) {
        return take(piece);
    }
    let mut order = [(u64::MAX, 0u32); 32];
    let mut count = 0;
    for (lane, address) in addresses.of(active) {
        if mask >> lane & 1 == 1 {
            order[count] = (address, lane);
            count += 1;
        }
    }
    order[..count].sort_unstable();
    // Lanes with the same address come out before the others are put together.
    let mut single = [(0u32, 0u64); 32];
    let mut singles = 0;
    for group in order[..count].chunk_by(|one, other| one.0 == other.0) {
        if let [(address, lane)] = *group {
            single[singles] = (lane, address);
            singles += 1;
        } else {
            let lanes = group.iter().fold(0, |lanes, (_, lane)| lanes | 1 << lane);
            take(Segment { lanes, first: group[0].0, shift: None });
        }
    }
    runs(single[..singles].iter().copied(), size, take);
}

fn runs(order: impl Iterator<Item = (u32, u64)>, size: u64, mut take: impl FnMut(Segment)) {
    let shift = size.trailing_zeros();
    let may_stride = size.is_power_of_two() && shift <= WIDEST_SHIFT;
    let mut piece: Option<Segment> = None;
    let mut last = (0u32, 0u64);
    for (lane, address) in order {
        if let Some(piece) = &mut piece {
            let single = piece.lanes.is_power_of_two();
            if address == last.1 && piece.shift.is_none() {
                piece.lanes |= 1 << lane;
                last = (lane, address);
                continue;
            }
            let next = address == last.1.wrapping_add(size) && lane == last.0 + 1;
            if next && may_stride && (single || piece.shift.is_some()) {
                if single {
                    piece.first = last.1.wrapping_sub(u64::from(last.0) * size);
                    piece.shift = Some(shift);
                }
                piece.lanes |= 1 << lane;
                last = (lane, address);
                continue;
            }
        }
        if let Some(done) = piece.replace(Segment { lanes: 1 << lane, first: address, shift: None })
        {
            take(done);
        }
        last = (lane, address);
    }
    if let Some(done) = piece {
        take(done);
    }
}

impl Segment {
    /// The address of a lane.
    fn address(&self, lane: u32) -> u64 {
        self.shift.map_or(self.first, |shift| self.first.wrapping_add(u64::from(lane) << shift))
    }

    /// Which lane accesses which byte.
    #[inline]
    pub(in crate::hb) fn mapping(&self) -> Mapping {
        self.shift.map_or(Mapping::UNIFORM, |shift| Mapping::strided(self.first, shift))
    }

    /// Calls `take` for every line that the lanes access, with its bytes, if each accesses `size` bytes.
    #[inline]
    pub(in crate::hb) fn for_each_line(&self, size: u64, mut take: impl FnMut(u64, u128)) {
        let (low, high) = (self.lanes.trailing_zeros(), 31 - self.lanes.leading_zeros());
        let start = self.address(low);
        let end = self.address(high).saturating_add(size);
        let whole = self.shift.is_none_or(|shift| 1 << shift == size && is_run(self.lanes >> low));
        let mut base = line_of(start);
        while base < end {
            let cover = match whole {
                true => cover_of(base, start, end.wrapping_sub(start)),
                false => self.cover_with_gaps(base, size),
            };
            if cover != 0 {
                take(base, cover);
            }
            let Some(next) = base.checked_add(LINE) else { break };
            base = next;
        }
    }

    /// The bytes of a line that lanes with gaps between them access.
    fn cover_with_gaps(&self, base: u64, size: u64) -> u128 {
        // Lane 0 may be before the memory's first byte, if it is not active.
        let lane_at = |address: u64| {
            (address.wrapping_sub(self.first) as i64) >> self.shift.unwrap_or_default()
        };
        let (low, high) = (lane_at(base).max(0), lane_at(base.saturating_add(LINE - 1)).min(31));
        let mut cover = 0;
        for lane in low..=high {
            let lane = lane as u32;
            let start = self.address(lane);
            if self.lanes >> lane & 1 == 1 && start.saturating_add(size) > base {
                cover |= cover_of(base, start, size);
            }
        }
        cover
    }
}

/// Whether there are no gaps, from the lowest bit on.
fn is_run(bits: u32) -> bool {
    bits & bits.wrapping_add(1) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_model::{BlockIndex, SiteId, Space, Strength};

    fn cut(addresses: &[(u32, u64)]) -> Vec<(u32, u64, Option<u32>)> {
        let mut pieces = Vec::new();
        runs(addresses.iter().copied(), 4, |piece| {
            pieces.push((piece.lanes, piece.first, piece.shift));
        });
        pieces
    }

    #[test]
    fn runs_of_equal_and_of_neighbouring_addresses_are_pieces() {
        let rows: Vec<_> = (0..8).map(|lane| (lane, 100 + u64::from(lane / 4) * 64)).collect();
        assert_eq!(cut(&rows), [(0x0f, 100, None), (0xf0, 164, None)]);
        let columns: Vec<_> = (0..8).map(|lane| (lane, 128 + u64::from(lane % 4) * 4)).collect();
        assert_eq!(cut(&columns), [(0x0f, 128, Some(2)), (0xf0, 128 - 16, Some(2))]);
        assert_eq!(cut(&[(3, 40)]), [(8, 40, None)]);
        assert_eq!(cut(&[(0, 40), (1, 80), (2, 84)]), [(1, 40, None), (6, 76, Some(2))]);
    }

    #[test]
    fn lanes_of_a_store_with_the_same_address_are_one_piece() {
        let pieces = |kind| {
            let access = Access {
                block: BlockIndex(0),
                warp: 0,
                site: SiteId(0),
                mask: 0b1111,
                wrote: 0b1111,
                space: Space::Global,
                owner: BlockIndex(0),
                kind,
                strength: Strength::Weak,
                bytes: 4,
                elements: 1,
                addresses: LaneAddresses::PerLane(&[100, 104, 104, 108]),
                values: &[],
                versions: &[],
                read_only_path: false,
            };
            let mut pieces = Vec::new();
            for_each_segment(&access, access.mask, 4, |piece| {
                pieces.push((piece.lanes, piece.first))
            });
            pieces
        };
        assert_eq!(pieces(AccessKind::Write), [(0b0110, 104), (0b0001, 100), (0b1000, 108)]);
        assert_eq!(pieces(AccessKind::Read).len(), 2, "lanes of a read need not be distinguished");
    }
}
