//! What of the accesses that wait may be of whole lines: one access, or several of a lane that lie behind each other, as those of a loop that was unrolled. A
//! read and a write of the same place are one span, as in `a[i] += x`.

use super::expected::{LINE, Waiting};
use super::layout::hows;
use warpsan_model::WARP_LANES;

/// Bytes of a lane that an entry of a line can have.
const SHAPES: [u32; 3] = [4, 8, 16];

/// Accesses that lanes make side by side, as far as that is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// The accesses, by their numbers, in the order of their addresses.
    pub(super) members: Vec<usize>,
    /// If they write, accesses that read the same; or none.
    pub(super) reads: Vec<usize>,
    /// Bytes of each of them.
    pub(super) step: u32,
    /// Bytes of a lane.
    pub(super) bytes: u32,
    /// The lane that has the first of its lines.
    pub(super) first_lane: u32,
}

impl Span {
    /// Lines that a warp accesses.
    pub(super) fn lines(&self) -> u32 {
        self.bytes * WARP_LANES / LINE
    }

    /// Whether an access is one of its own.
    pub(super) fn has(&self, index: usize) -> bool {
        self.members.contains(&index) || self.reads.contains(&index)
    }

    /// All accesses, each with its distance from the first.
    pub(super) fn distances(&self) -> impl Iterator<Item = (usize, u32)> {
        let distances = || (0..).step_by(self.step as usize);
        let members = self.members.iter().copied().zip(distances());
        members.chain(self.reads.iter().copied().zip(distances()))
    }

    /// The lanes that have its lines.
    pub(super) fn lanes(&self) -> u32 {
        (((1u64 << self.lines()) - 1) << self.first_lane) as u32
    }
}

/// The spans of accesses that wait, as far as there are lanes for their lines. Where a device can replace both entries of a line in one step, a read and a write can be
/// one.
pub(super) fn spans(waiting: &[Waiting], lanes: u32, has_wide_atomics: bool) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for index in 0..waiting.len() {
        let is_taken = |index: usize| spans.iter().any(|span| span.has(index));
        let Some(members) = members(waiting, index, is_taken) else { continue };
        let (step, bytes) = (waiting[index].bytes, waiting[index].stride);
        spans.push(Span { members, reads: Vec::new(), step, bytes, first_lane: 0 });
    }
    if has_wide_atomics {
        join(waiting, &mut spans);
    }
    let mut first_lane = 0;
    spans.retain_mut(|span| {
        span.first_lane = first_lane;
        let fits = first_lane + span.lines() <= lanes;
        first_lane += if fits { span.lines() } else { 0 };
        fits
    });
    spans
}

/// Makes a read part of the write of the same place.
fn join(waiting: &[Waiting], spans: &mut Vec<Span>) {
    let first = |span: &Span| span.members.first().map(|first| &waiting[*first]);
    for number in 0..spans.len() {
        let write = &spans[number];
        let Some(written) = first(write).filter(|one| one.how & hows::WRITES != 0) else {
            continue;
        };
        let is_read = |read: &Span| {
            first(read).is_some_and(|one| {
                one.how & (hows::WRITES | hows::BY_READ_ONLY_PATH) == 0
                    && (one.offset, read.step, read.bytes)
                        == (written.offset, write.step, write.bytes)
                    && one.base == written.base
            })
        };
        if let Some(read) = spans.iter().position(is_read) {
            spans[number].reads = std::mem::take(&mut spans[read].members);
        }
    }
    spans.retain(|span| !span.members.is_empty());
}

/// The accesses that make a span with this one, if it is the first of them.
fn members(
    waiting: &[Waiting],
    index: usize,
    is_taken: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let first = &waiting[index];
    if !first.is_of_global()
        || !SHAPES.contains(&first.stride)
        || is_taken(index)
        || !first.stride.is_multiple_of(first.bytes)
    {
        return None;
    }
    let offsets = (0..first.stride).step_by(first.bytes as usize);
    let wanted = offsets.map(|distance| first.offset + i64::from(distance));
    wanted
        .map(|offset| {
            let is_it = |(other, access): &(usize, &Waiting)| {
                access.offset == offset
                    && access.is_of_global()
                    && access.goes_with(first)
                    && !is_taken(*other)
            };
            // The one that a loop would have made last is as good as any.
            waiting.iter().enumerate().find(is_it).map(|(other, _)| other)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(offset: i64, bytes: u32, stride: u32) -> Waiting {
        Waiting { offset, bytes, stride, ..Waiting::default() }
    }

    fn found(waiting: &[Waiting], lanes: u32) -> Vec<(Vec<usize>, u32)> {
        let spans = spans(waiting, lanes, true).into_iter();
        spans.map(|span| (span.members.clone(), span.lanes())).collect()
    }

    #[test]
    fn a_read_and_a_write_of_the_same_place_are_one_span() {
        let (read, write) = (access(8, 4, 4), Waiting { how: hows::WRITES, ..access(8, 4, 4) });
        let both = [access(0, 4, 4), read, write];
        let found = spans(&both, 32, true);
        let whose: Vec<_> = found.iter().map(|span| (&span.members[..], &span.reads[..])).collect();
        assert_eq!(whose, [(&[0][..], &[][..]), (&[2], &[1])]);
        assert_eq!(spans(&both, 32, false).len(), 3, "two steps");
        let by_read_only_path = Waiting { how: hows::BY_READ_ONLY_PATH, ..both[1].clone() };
        assert_eq!(spans(&[by_read_only_path, both[2].clone()], 32, true).len(), 2);
    }

    #[test]
    fn an_access_is_a_span_where_lanes_are_side_by_side() {
        let both = [access(0, 4, 4), access(0, 4, 128), access(8, 16, 16), access(0, 4, 12)];
        assert_eq!(found(&both, 32), [(vec![0], 1), (vec![2], 0b11110)]);
        assert_eq!(found(&both, 4), [(vec![0], 1)], "no lanes for the others");
    }

    #[test]
    fn accesses_behind_each_other_are_one_span() {
        let unrolled = [access(4, 4, 16), access(0, 4, 16), access(12, 4, 16), access(8, 4, 16)];
        assert_eq!(found(&unrolled, 32), [(vec![1, 0, 3, 2], 0b1111)]);
        assert!(found(&unrolled[..3], 32).is_empty(), "one is missing");
    }

    #[test]
    fn accesses_that_differ_are_no_span() {
        let first = access(0, 4, 8);
        let second = access(4, 4, 8);
        assert_eq!(found(&[first.clone(), second.clone()], 32), [(vec![0, 1], 0b11)]);
        for other in [
            Waiting { base: "%rd2".to_owned(), ..second.clone() },
            Waiting { how: 1, ..second.clone() },
            Waiting { source: 1, ..second.clone() },
            Waiting { bytes: 2, ..second },
        ] {
            assert!(found(&[first.clone(), other], 32).is_empty());
        }
    }
}
