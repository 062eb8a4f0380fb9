//! Reads of a block's shared memory that are not looked at before they have to be.
//!
//! Between two barriers a block may read its shared memory many times, and after the second barrier nobody
//! needs to know who read what. So a read is noted, and the lines that it read are marked with the epoch. Only
//! where somebody writes such a line without having met all of the block since, the reads are remembered line
//! by line, as all others are.

use super::LINE;
use crate::clock::Epoch;
use crate::hb::ids::SiteNumber;
use warpsan_event::LaneAddresses;

/// Reads of one warp with one instruction in one epoch, each a step further than the one before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PendingRead {
    pub(crate) epoch: Epoch,
    pub(crate) site: SiteNumber,
    pub(crate) mask: u32,
    /// Bytes of one lane.
    pub(crate) size: u16,
    pub(crate) warp: u8,
    form: Form,
    /// The address of lane 0 in the first read, or where the addresses of all lanes begin.
    first: u32,
    /// From one lane to the next, which may be backwards.
    stride: i32,
    /// From one read to the next.
    step: u32,
    count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Uniform,
    Strided,
    PerLane,
}

/// All that was noted.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    reads: Vec<PendingRead>,
    /// Of those reads whose lanes have nothing in common.
    addresses: Vec<u32>,
    /// By line: the latest epoch of a read that was noted.
    lines: Vec<Epoch>,
    /// No line was marked with a later one.
    latest: Epoch,
    /// By warp and instruction: the newest read, which another may continue.
    recent: Vec<u32>,
}

/// More reads are not noted before the others are remembered.
const MOST_READS: usize = 1024;
/// Nor more addresses.
const MOST_ADDRESSES: usize = 1 << 14;
const RECENT: usize = 128;

impl Pending {
    /// Marks a line. Its reads are noted next.
    #[inline]
    pub(crate) fn mark(&mut self, address: u64, epoch: Epoch) {
        let line = (address / LINE) as usize;
        if self.lines.len() <= line {
            self.lines.resize(line + 1, 0);
        }
        self.lines[line] = epoch;
        self.latest = self.latest.max(epoch);
    }

    /// Whether there is no room for another one.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.reads.len() >= MOST_READS || self.addresses.len() >= MOST_ADDRESSES
    }

    /// Whether nothing was noted after this epoch.
    #[inline]
    pub(crate) fn is_before(&self, epoch: Epoch) -> bool {
        self.latest <= epoch
    }

    /// Whether no read of the line was noted after this epoch.
    #[inline]
    pub(crate) fn is_line_before(&self, address: u64, epoch: Epoch) -> bool {
        self.lines.get((address / LINE) as usize).is_none_or(|latest| *latest <= epoch)
    }

    /// Notes a read of shared memory, whose addresses are small.
    #[inline]
    pub(crate) fn note(
        &mut self,
        (epoch, site, mask, warp): (Epoch, SiteNumber, u32, u8),
        size: u16,
        addresses: &LaneAddresses<'_>,
    ) {
        let (form, first, stride) = match *addresses {
            LaneAddresses::Uniform(address) => (Form::Uniform, address as u32, 0),
            LaneAddresses::Strided { first, stride } => {
                (Form::Strided, first as u32, stride as i32)
            }
            LaneAddresses::PerLane(addresses) => {
                let start = self.addresses.len() as u32;
                self.addresses.extend(addresses.iter().map(|address| *address as u32));
                (Form::PerLane, start, 0)
            }
        };
        let read =
            PendingRead { epoch, site, mask, size, warp, form, first, stride, step: 0, count: 1 };
        if self.recent.is_empty() {
            self.recent.resize(RECENT, u32::MAX);
        }
        let slot = &mut self.recent[(site.index() * 8 + usize::from(warp)) % RECENT];
        if form != Form::PerLane
            && let Some(old) = self.reads.get_mut(*slot as usize)
            && old.is_continued_by(&read)
        {
            return;
        }
        *slot = self.reads.len() as u32;
        self.reads.push(read);
    }

    /// Forgets what was noted.
    pub(crate) fn clear(&mut self) {
        self.reads.clear();
        self.addresses.clear();
    }

    /// Takes what was noted, and calls `take` for every read with the addresses of its lanes.
    pub(crate) fn take(&mut self, mut take: impl FnMut(&PendingRead, LaneAddresses<'_>)) {
        let mut far = [0u64; 32];
        for read in &self.reads {
            for number in 0..read.count {
                // Lane 0 may be before the memory's first byte, if it is not active.
                let first = read.first.wrapping_add(read.step.wrapping_mul(number)) as i32;
                let first = i64::from(first) as u64;
                let addresses = match read.form {
                    Form::Uniform => LaneAddresses::Uniform(first),
                    Form::Strided => {
                        LaneAddresses::Strided { first, stride: i64::from(read.stride) as u64 }
                    }
                    Form::PerLane => {
                        let count = read.mask.count_ones() as usize;
                        let near = &self.addresses[read.first as usize..][..count];
                        for (far, near) in far.iter_mut().zip(near) {
                            *far = u64::from(*near);
                        }
                        LaneAddresses::PerLane(&far[..count])
                    }
                };
                take(read, addresses);
            }
        }
        self.clear();
        // What was marked is remembered now.
        self.lines.fill(0);
        self.latest = 0;
    }

    /// Fails where an invariant of the fields is broken.
    pub(super) fn check_invariants(&self) {
        debug_assert!(self.lines.iter().all(|marked| *marked <= self.latest));
    }

    pub(super) fn bytes(&self) -> usize {
        self.reads.capacity() * size_of::<PendingRead>()
            + (self.addresses.capacity() + self.lines.capacity() + self.recent.capacity()) * 4
    }
}

impl PendingRead {
    /// Takes a read that is one step further.
    #[inline]
    fn is_continued_by(&mut self, next: &PendingRead) -> bool {
        let alike = self.epoch == next.epoch
            && self.site == next.site
            && self.mask == next.mask
            && self.size == next.size
            && self.warp == next.warp
            && self.form == next.form
            && self.stride == next.stride;
        if !alike {
            return false;
        }
        if self.count == 1 {
            self.step = next.first.wrapping_sub(self.first);
        }
        let continues = next.first == self.first.wrapping_add(self.step.wrapping_mul(self.count));
        // Reading the same again changes nothing.
        self.count += u32::from(continues && self.step != 0);
        continues
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(pending: &mut Pending) -> Vec<(u32, Vec<(u32, u64)>)> {
        let mut all = Vec::new();
        pending.take(|read, addresses| all.push((read.site.0, addresses.of(read.mask).collect())));
        all
    }

    #[test]
    fn reads_a_step_apart_are_one_and_come_back_as_they_were() {
        let mut pending = Pending::default();
        let mut expected = Vec::new();
        for step in 0..10u64 {
            for site in 0..2 {
                let addresses = LaneAddresses::Strided { first: 64 + step * 16, stride: 4 };
                pending.note((1, SiteNumber(site), 3, 0), 4, &addresses);
                expected.push((site, vec![(0, 64 + step * 16), (1, 68 + step * 16)]));
            }
        }
        let backwards = LaneAddresses::Strided { first: 64, stride: 4u64.wrapping_neg() };
        pending.note((1, SiteNumber(6), 3, 0), 4, &backwards);
        expected.push((6, vec![(0, 64), (1, 60)]));
        let second_half = LaneAddresses::Strided { first: 8u64.wrapping_neg(), stride: 4 };
        pending.note((1, SiteNumber(5), 0b1100, 0), 4, &second_half);
        expected.push((5, vec![(2, 0), (3, 4)]));
        let apart = [8u64, 900, 4];
        pending.note((1, SiteNumber(7), 0b1011, 0), 4, &LaneAddresses::PerLane(&apart));
        expected.push((7, vec![(0, 8), (1, 900), (3, 4)]));
        assert_eq!(pending.reads.len(), 5);
        let mut all = taken(&mut pending);
        all.sort_unstable();
        expected.sort_unstable();
        assert_eq!(all, expected);
        assert!(taken(&mut pending).is_empty());
    }

    #[test]
    fn lines_are_marked_with_the_latest_epoch() {
        let mut pending = Pending::default();
        pending.mark(1000, 3);
        assert!(!pending.is_before(2) && pending.is_before(3));
        assert!(!pending.is_line_before(1023, 2) && pending.is_line_before(1024, 0));
        pending.take(|_, _| {});
        assert!(pending.is_before(0) && pending.is_line_before(1000, 0));
    }

    #[test]
    fn the_same_read_again_changes_nothing() {
        let mut pending = Pending::default();
        for _ in 0..5 {
            pending.note((1, SiteNumber(0), 1, 0), 4, &LaneAddresses::Uniform(8));
        }
        assert_eq!(taken(&mut pending), [(0, vec![(0, 8)])]);
    }
}
