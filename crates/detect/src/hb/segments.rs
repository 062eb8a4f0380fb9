//! The lanes of an access in pieces whose addresses are alike.

use warpsan_event::{Access, AccessKind, LaneAddresses};
use warpsan_model::lanes;

/// Lanes whose addresses are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) lanes: u32,
    /// The address of the lowest lane; with a stride, that of lane 0, whether it is active or not.
    pub(super) first: u64,
    /// The distance between lanes is `1 << shift`; none if all use the same address.
    pub(super) shift: Option<u32>,
}

/// Strides above a line are no pattern within lines.
const WIDEST_SHIFT: u32 = 7;

/// Calls `take` for runs of lanes with the same address or with neighbouring ones. Lanes of a store that
/// write the same place are one piece, so that all of them are remembered.
#[inline]
pub(super) fn for_each_segment(
    access: &Access<'_>,
    mask: u32,
    size: u64,
    mut take: impl FnMut(Segment),
) {
    match access.addresses {
        LaneAddresses::Uniform(first) => take(Segment { lanes: mask, first, shift: None }),
        LaneAddresses::Strided { first, stride }
            if stride >= size
                && stride.is_power_of_two()
                && stride.trailing_zeros() <= WIDEST_SHIFT =>
        {
            take(Segment { lanes: mask, first, shift: Some(stride.trailing_zeros()) });
        }
        _ if access.kind == AccessKind::Read => {
            let of_mask = access.addresses.of(access.mask);
            runs(of_mask.filter(|(lane, _)| mask >> lane & 1 == 1), size, take);
        }
        _ => {
            let mut order = [(u64::MAX, 0u32); 32];
            let mut count = 0;
            for (lane, address) in access.addresses.of(access.mask) {
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
    }
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
    pub(super) fn address(&self, lane: u32) -> u64 {
        self.shift.map_or(self.first, |shift| self.first.wrapping_add(u64::from(lane) << shift))
    }

    /// The lanes with their addresses.
    pub(super) fn addresses(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        lanes(self.lanes).map(|lane| (lane, self.address(lane)))
    }
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
        assert_eq!(pieces(AccessKind::Read).len(), 2, "reads need not be told apart");
    }
}
