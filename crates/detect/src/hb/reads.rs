//! Weak reads that need no entry for each piece: those of a block's own shared memory, which are noted until
//! somebody has to know them, and those that scatter over global memory, which are remembered by word.

use super::HappensBefore;
use super::compare::line_of;
use super::rules::Rule;
use super::segments::{Segment, segments_of_read};
use super::shadow::{ByLane, Entry, LINE, Line, Shadow, ThisLaunch};
use crate::clock::Epoch;
use warpsan_event::{Access, AccessKind, LaneAddresses};
use warpsan_model::lanes;

/// What an access touches.
pub(super) struct Touched<'a> {
    /// The block whose shared memory it is; none for global memory.
    pub(super) owner: Option<u32>,
    /// The block and the warp of those who access.
    pub(super) who: (u32, u32),
    pub(super) addresses: LaneAddresses<'a>,
    pub(super) mask: u32,
    /// Bytes of one lane.
    pub(super) size: u64,
}

/// How well it pays to note reads of shared memory.
#[derive(Debug, Default)]
pub(super) struct NotedReads {
    noted: u64,
    /// Those that had to be remembered after all.
    remembered: u64,
}

/// Fewer reads say nothing about a kernel.
const SAMPLE: u64 = 4096;

impl NotedReads {
    /// A kernel that writes what it reads without a barrier in between is better off without.
    fn pays(&self) -> bool {
        self.remembered < SAMPLE || self.remembered * 2 < self.noted
    }
}

impl HappensBefore {
    /// Takes a read of lanes that share a view, if there is a short way. Returns the lanes that are left.
    #[inline]
    pub(super) fn read_shortly(&mut self, access: &Access<'_>, owner: Option<u32>) -> u32 {
        if access.read_only_path || !self.rules.are_whole() {
            return access.mask;
        }
        let block = self.block_number(access.block);
        match owner {
            Some(owner) => {
                let noted = owner == block
                    && self.noted_reads.pays()
                    && !self.threads.has_clusters()
                    && self.note_read(access, block);
                if noted { 0 } else { access.mask }
            }
            None if is_scattered(access) => self.scattered_read(access, block),
            None => access.mask,
        }
    }

    /// Notes a read of the block's own shared memory, if all that was written there is known to it.
    fn note_read(&mut self, access: &Access<'_>, block: u32) -> bool {
        let Some(state) = self.threads.existing_warp(block, access.warp) else { return false };
        let (epoch, block_known) = (state.epoch, state.block_known);
        let size = access.bytes_of_lane();
        if self.shared.get(block).is_some_and(|shadow| shadow.pending.is_full()) {
            self.remember_noted_reads(block);
        }
        let shadow = self.shared.get_or_begin(block);
        let is_quiet = |line: &Line| {
            let quiet = line.more.as_ref().is_none_or(|more| more.has_only_reads());
            quiet && (!line.first.writes || is_before(&line.first, block, block_known))
        };
        let quiet = Touched::by(access, block, Some(block)).all_lines(|base| {
            shadow.pending.mark(base, epoch);
            is_quiet(shadow.line(base))
        });
        if quiet {
            let site = self.first_site + access.site.0;
            let who = (epoch, site, access.mask, access.warp as u8);
            shadow.pending.note(who, size as u16, &access.addresses);
            self.noted_reads.noted += 1;
        }
        quiet
    }

    /// Remembers the noted reads of a block's shared memory if something that this warp writes may be
    /// unordered with one of them.
    #[inline]
    pub(super) fn meet_noted_reads(&mut self, touched: &Touched<'_>) {
        let Some(owner) = touched.owner else { return };
        let Some(Shadow { pending, .. }) = self.shared.get(owner) else { return };
        let known = self.known_in(owner, touched.who);
        if !pending.is_before(known)
            && !touched.all_lines(|base| pending.is_line_before(base, known))
        {
            self.remember_noted_reads(owner);
        }
    }

    /// Remembers the noted updates of a block's shared memory if a weak access of this warp may be unordered
    /// with one of them.
    #[inline]
    pub(super) fn meet_noted_updates(&mut self, touched: &Touched<'_>) {
        let Some(owner) = touched.owner else { return };
        if self.shared.get(owner).is_none_or(|shadow| shadow.updates.are_before(0)) {
            return;
        }
        let known = self.known_in(owner, touched.who);
        let Some(Shadow { updates, .. }) = self.shared.get_mut(owner) else { return };
        let are_before = touched.all_lines(|base| {
            updates.look_again(base);
            updates.is_line_before(base, known)
        });
        if !are_before {
            self.remember_noted_updates(owner);
        }
    }

    /// The epoch up to which a warp knows all of the block whose shared memory it accesses.
    fn known_in(&self, owner: u32, (block, warp): (u32, u32)) -> Epoch {
        let state = self.threads.existing_warp(block, warp).filter(|_| block == owner);
        state.map_or(0, |state| state.block_known)
    }

    /// All of the block may know by now what was noted of its shared memory.
    pub(super) fn forget_what_was_noted(&mut self, block: u32) {
        let known = self.threads.known_to_all(block);
        let Some(shadow) = self.shared.get_mut(block) else { return };
        if shadow.pending.is_before(known) {
            shadow.pending.clear();
        }
        if shadow.updates.are_before(known) {
            shadow.updates.clear();
        }
    }

    #[inline(never)]
    fn remember_noted_reads(&mut self, block: u32) {
        let Some(shadow) = self.shared.get_mut(block) else { return };
        shadow.updates.look_everywhere_again();
        let launch = ThisLaunch { first_block: self.threads.base, blocks_never_meet: false };
        let mut pending = std::mem::take(&mut shadow.pending);
        pending.take(|read, addresses| {
            self.noted_reads.remembered += 1;
            let entry = Entry {
                block,
                epoch: read.epoch,
                site: read.site,
                active: read.mask,
                warp: read.warp,
                ..Entry::EMPTY
            };
            let size = u64::from(read.size);
            segments_of_read(&addresses, (read.mask, read.mask), size, |segment: Segment| {
                let (lanes, mapping) = (segment.lanes, segment.mapping());
                let entry = Entry { lanes, mapping, ..entry };
                segment.for_each_line(size, |base, cover| {
                    let line = shadow.line(base);
                    line.add_read(entry.with_cover(cover), |_| false, |_| false, launch);
                });
            });
        });
        shadow.pending = pending;
    }

    /// Remembers reads of global memory by word. Returns the lanes for which that is not possible.
    fn scattered_read(&mut self, access: &Access<'_>, block: u32) -> u32 {
        let Some(state) = self.threads.existing_warp(block, access.warp) else {
            return access.mask;
        };
        let block_known = state.block_known;
        let words = access.bytes_of_lane() as u32 / 4;
        let site = self.first_site + access.site.0;
        let (warp, active) = (access.warp as u8, access.mask);
        let threads = &self.threads;
        let launch = self.this_launch();
        let is_permanent = |old: &ByLane| threads.is_permanent(old.block, old.warp, old.epoch);
        let mut left = 0;
        let mut beside_others = 0;
        for (lane, address) in access.lanes() {
            let reader = ByLane { block, epoch: state.epoch, site, active, warp, lane: lane as u8 };
            let line = self.global.line(address);
            let first = &line.first;
            let written = first.writes && !is_before(first, block, block_known);
            let quiet = line.more.as_ref().is_none_or(|more| more.has_only_reads());
            beside_others += u64::from(!first.is_empty() && first.block != block);
            let word = (address % LINE / 4) as u32;
            let taken = quiet
                && !written
                && (word..word + words)
                    .all(|word| line.read_word(reader, word, block_known, is_permanent, launch));
            left |= u32::from(!taken) << lane;
        }
        self.rules.count_more(Rule::AllReaders, beside_others);
        left
    }
}

fn is_before(old: &Entry, block: u32, block_known: Epoch) -> bool {
    old.is_empty() || old.is_of_block(block) && old.epoch <= block_known
}

/// Whether most lanes read words of their own, with nothing that neighbours have in common.
#[inline]
fn is_scattered(access: &Access<'_>) -> bool {
    let size = access.bytes_of_lane();
    let LaneAddresses::PerLane(addresses) = access.addresses else { return false };
    if access.kind != AccessKind::Read || !matches!(size, 4 | 8 | 16) {
        return false;
    }
    let apart = addresses.windows(2).filter(|pair| {
        let distance = pair[1].wrapping_sub(pair[0]);
        distance != 0 && distance != size
    });
    let aligned = addresses.iter().fold(0, |all, address| all | address) % size == 0;
    aligned && apart.count() * 4 >= addresses.len()
}

impl<'a> Touched<'a> {
    /// What an access of a warp of this block touches.
    pub(super) fn by(access: &Access<'a>, block: u32, owner: Option<u32>) -> Touched<'a> {
        let (who, size) = ((block, access.warp), access.bytes_of_lane());
        Touched { owner, who, addresses: access.addresses, mask: access.mask, size }
    }

    /// Whether something holds for all lines. Where lanes have gaps between them, lines in the gaps are
    /// looked at, too.
    #[inline]
    fn all_lines(&self, mut holds: impl FnMut(u64) -> bool) -> bool {
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
