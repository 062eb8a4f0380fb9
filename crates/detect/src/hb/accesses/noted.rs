//! Weak reads that need no entry for each piece: those of a block's own shared memory, which are noted until
//! somebody has to know them, and those that scatter over global memory, which are remembered by word.

use crate::clock::Epoch;
use crate::hb::HappensBefore;
use crate::hb::history::{ByLane, Entry, LINE, Line, Shadow, Touched};
use crate::hb::ids::{BlockNumber, WarpId, WarpNumber};
use crate::hb::rules::Rule;
use warpsan_event::{Access, AccessKind, LaneAddresses};

impl HappensBefore {
    /// Takes a read of lanes that share a view, if there is a short way. Returns the lanes that are left.
    #[inline]
    pub(super) fn read_shortly(&mut self, access: &Access<'_>, owner: Option<BlockNumber>) -> u32 {
        if access.read_only_path || !self.rules.are_whole() {
            return access.mask;
        }
        let block = self.order.block_number(access.block);
        match owner {
            Some(owner) => {
                let noted = owner == block
                    && self.history.noted_reads.pays()
                    && !self.order.threads.has_clusters()
                    && self.note_read(access, block);
                if noted { 0 } else { access.mask }
            }
            None if is_scattered(access) => self.scattered_read(access, block),
            None => access.mask,
        }
    }

    /// Notes a read of the block's own shared memory, if all that was written there is known to it.
    fn note_read(&mut self, access: &Access<'_>, block: BlockNumber) -> bool {
        let Some(state) =
            self.order.threads.existing_warp(WarpId { block, warp: WarpNumber(access.warp) })
        else {
            return false;
        };
        let (epoch, block_known) = (state.epoch, state.block_known);
        let size = access.bytes_of_lane();
        if self.history.memories.shared.get(block).is_some_and(|shadow| shadow.pending.is_full()) {
            self.history.remember_noted_reads(block, self.order.threads.base);
        }
        let shadow = self.history.memories.shared.get_or_begin(block);
        let is_quiet = |line: &Line| {
            let quiet = line.more.as_ref().is_none_or(|more| more.has_only_reads());
            quiet && (!line.first.writes || is_before(&line.first, block, block_known))
        };
        let quiet = Touched::by(access, block, Some(block)).all_lines(|base| {
            shadow.pending.mark(base, epoch);
            is_quiet(shadow.line(base))
        });
        if quiet {
            let site = self.order.site_number(access.site);
            let who = (epoch, site, access.mask, access.warp as u8);
            shadow.pending.note(who, size as u16, &access.addresses);
            self.history.noted_reads.noted += 1;
        }
        quiet
    }

    /// Remembers the noted reads of a block's shared memory if something that this warp writes may be
    /// unordered with one of them.
    #[inline]
    pub(in crate::hb) fn meet_noted_reads(&mut self, touched: &Touched<'_>) {
        let Some(owner) = touched.owner else { return };
        let Some(Shadow { pending, .. }) = self.history.memories.shared.get(owner) else { return };
        let known = self.order.threads.known_in(owner, touched.who);
        if !pending.is_before(known)
            && !touched.all_lines(|base| pending.is_line_before(base, known))
        {
            self.history.remember_noted_reads(owner, self.order.threads.base);
        }
    }

    /// Remembers the noted updates of a block's shared memory if a weak access of this warp may be unordered
    /// with one of them.
    #[inline]
    pub(super) fn meet_noted_updates(&mut self, touched: &Touched<'_>) {
        let Some(owner) = touched.owner else { return };
        if self.history.memories.shared.get(owner).is_none_or(|shadow| shadow.updates.are_before(0))
        {
            return;
        }
        let known = self.order.threads.known_in(owner, touched.who);
        let Some(Shadow { updates, .. }) = self.history.memories.shared.get_mut(owner) else {
            return;
        };
        let are_before = touched.all_lines(|base| {
            updates.look_again(base);
            updates.is_line_before(base, known)
        });
        if !are_before {
            self.history.remember_noted_updates(owner);
        }
    }

    /// Remembers reads of global memory by word. Returns the lanes for which that is not possible.
    fn scattered_read(&mut self, access: &Access<'_>, block: BlockNumber) -> u32 {
        let Some(state) =
            self.order.threads.existing_warp(WarpId { block, warp: WarpNumber(access.warp) })
        else {
            return access.mask;
        };
        let block_known = state.block_known;
        let words = access.bytes_of_lane() as u32 / 4;
        let site = self.order.site_number(access.site);
        let (warp, active) = (access.warp as u8, access.mask);
        let threads = &self.order.threads;
        let launch = self.this_launch();
        let is_permanent = |old: &ByLane| threads.is_permanent(old.block, old.warp, old.epoch);
        let mut left = 0;
        let mut beside_others = 0;
        for (lane, address) in access.lanes() {
            let reader = ByLane { block, epoch: state.epoch, site, active, warp, lane: lane as u8 };
            let line = self.history.memories.global.line(address);
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

fn is_before(old: &Entry, block: BlockNumber, block_known: Epoch) -> bool {
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
    let distant = addresses.windows(2).filter(|pair| {
        let distance = pair[1].wrapping_sub(pair[0]);
        distance != 0 && distance != size
    });
    let aligned = addresses.iter().fold(0, |all, address| all | address) % size == 0;
    aligned && distant.count() * 4 >= addresses.len()
}
