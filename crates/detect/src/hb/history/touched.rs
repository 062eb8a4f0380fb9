//! The lines that an access touches.

use super::{LINE, line_of};
use crate::hb::ids::{BlockNumber, WarpId, WarpNumber};
use warpsan_event::{Access, LaneAddresses};
use warpsan_model::lanes;

/// What an access touches.
pub(in crate::hb) struct Touched<'a> {
    /// The block whose shared memory it is; none for global memory.
    pub(in crate::hb) owner: Option<BlockNumber>,
    /// The block and the warp of those who access.
    pub(in crate::hb) who: WarpId,
    pub(in crate::hb) addresses: LaneAddresses<'a>,
    pub(in crate::hb) mask: u32,
    /// Bytes of one lane.
    pub(in crate::hb) size: u64,
}

impl<'a> Touched<'a> {
    /// What an access of a warp of this block touches.
    pub(in crate::hb) fn by(
        access: &Access<'a>,
        block: BlockNumber,
        owner: Option<BlockNumber>,
    ) -> Touched<'a> {
        let who = WarpId { block, warp: WarpNumber(access.warp) };
        let size = access.bytes_of_lane();
        Touched { owner, who, addresses: access.addresses, mask: access.mask, size }
    }

    /// Whether something holds for all lines. Where lanes have gaps between them, lines in the gaps are
    /// looked at, too.
    #[inline]
    pub(in crate::hb) fn all_lines(&self, mut holds: impl FnMut(u64) -> bool) -> bool {
        let (mask, size) = (self.mask, self.size);
        let mut range = |start: u64, end: u64| {
            let mut base = line_of(start);
            while base < end {
                if !holds(base) {
                    return false;
                }
                let Some(next) = base.checked_add(LINE) else { break };
                base = next;
            }
            true
        };
        match self.addresses {
            LaneAddresses::Uniform(address) => range(address, address.saturating_add(size)),
            LaneAddresses::Strided { first, stride } if stride <= LINE => {
                let at = |lane: u32| first.wrapping_add(u64::from(lane) * stride);
                let (low, high) = (mask.trailing_zeros(), 31 - mask.leading_zeros());
                range(at(low), at(high).saturating_add(size))
            }
            LaneAddresses::Strided { first, stride } => lanes(mask).all(|lane| {
                let start = first.wrapping_add(u64::from(lane).wrapping_mul(stride));
                range(start, start.saturating_add(size))
            }),
            LaneAddresses::PerLane(addresses) => {
                let mut last = u64::MAX;
                addresses.iter().all(|&start| {
                    let end = start.saturating_add(size);
                    let (line, last_line) = (line_of(start), line_of(end - 1));
                    if line == last && line == last_line {
                        return true;
                    }
                    last = last_line;
                    range(start, end)
                })
            }
        }
    }
}
