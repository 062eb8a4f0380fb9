//! The accesses of one instruction, each against its entry.

use super::Scord;
use super::access::{Current, Kind, Lanes};
use super::findings::PendingRace;
use super::messages::Fault;
use super::rules::{self, Earlier, Outcome};
use super::settings::BlockIds;
use super::shadow::Accessor;
use super::synchronisation::View;
use warpsan_event::LaneAddresses;

/// One instruction of a warp that reads or writes global memory.
pub(super) struct Instruction<'a> {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) mask: u32,
    pub(super) site: u32,
    pub(super) kind: Kind,
    pub(super) is_strong: bool,
    /// Bytes of each lane.
    pub(super) bytes: u64,
    pub(super) addresses: LaneAddresses<'a>,
}

impl Scord {
    /// Checks what the lanes of one instruction access, each granule once.
    #[inline]
    pub(super) fn check(&mut self, instruction: &Instruction<'_>) {
        let Some(view) = self.synchronisation.view(instruction.block, instruction.warp) else {
            return;
        };
        let mut granules = std::mem::take(&mut self.granules);
        self.collect_granules(instruction, &mut granules);
        for (granule, lanes) in granules.drain(..) {
            self.check_granule(instruction, &view, granule, lanes);
        }
        self.granules = granules;
    }

    #[inline]
    fn collect_granules(&self, instruction: &Instruction<'_>, granules: &mut Vec<(u64, u32)>) {
        for (lane, address) in instruction.addresses.of(instruction.mask) {
            let touched = self.shadow.granularity.granules(address, instruction.bytes);
            granules.extend(touched.map(|granule| (granule, 1 << lane)));
        }
        if !granules.is_sorted_by_key(|(granule, _)| *granule) {
            granules.sort_unstable();
        }
        granules.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            earlier.1 |= if is_same { later.1 } else { 0 };
            is_same
        });
    }

    #[inline]
    fn check_granule(
        &mut self,
        instruction: &Instruction<'_>,
        view: &View,
        granule: u64,
        lanes: u32,
    ) {
        let Instruction { block, warp, mask, site, kind, is_strong, .. } = *instruction;
        let options = &self.settings.scord;
        let diverged = mask != view.live;
        let current = Current {
            kind,
            is_strong,
            block: block as u8,
            warp: warp as u8,
            barrier: if options.its { view.barrier & 0x7f } else { view.barrier },
            fences: view.fences,
            locks: view.locks,
            lanes: options.its.then_some(Lanes { mask: lanes, diverged }),
        };
        let accessor = Accessor {
            block,
            site,
            warp: current.warp,
            lane: lanes.trailing_zeros() as u8,
            meetings: view.meetings,
        };
        let synchronisation = &self.synchronisation;
        let slot = self.shadow.slot(granule);
        let last = slot.last;
        let is_in_block = match options.block_ids {
            BlockIds::Wide => last.block == block,
            BlockIds::Paper => slot.metadata.block() == current.block,
        };
        let is_initial = slot.metadata.is_initial();
        self.counts.other_blocks += u64::from(!is_initial && is_in_block && last.block != block);
        let earlier = Earlier { is_in_block, has_met: last.meetings != view.meetings };
        let before = slot.metadata;
        let fences_now = || synchronisation.fences(last.block, u32::from(last.warp));
        let checked = rules::check(&mut slot.metadata, &current, earlier, fences_now);
        let is_same_warp = last.is_same_warp(&accessor);
        let other = if is_same_warp { slot.other } else { last };
        if checked.is_noted {
            (slot.last, slot.other) = (accessor, other);
        }
        self.counts.count(checked.outcome);
        if let Outcome::Race { rule, only_block_fence } = checked.outcome {
            // What a warp did itself is no race; the other warp that shares the location is meant.
            let is_shared = before.is_block_shared() || before.is_device_shared();
            let earlier = if is_same_warp && is_shared { other } else { last };
            let fault = Fault {
                rule,
                is_in_block: earlier.block == block,
                is_in_warp: earlier.is_same_warp(&accessor),
                only_block_fence,
            };
            self.found.push(PendingRace { fault, granule, earlier, current: accessor });
        }
    }
}
