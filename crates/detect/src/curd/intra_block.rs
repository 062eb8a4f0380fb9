//! A block that runs: the sets of its threads since the last barrier, and the check at the next one.

use super::findings::{Class, Findings, Party, PendingRace};
use super::sets::{BlockSet, Room, SetCounts, WarpSet, gather};
use super::settings::CurdSettings;
use super::writes::{Item, Writes};
use crate::last_access::blocks::waiting;
use warpsan_model::{Space, WARP_LANES};

/// The sets of a warp's threads.
#[derive(Debug, Default)]
pub(super) struct Sets {
    reads: WarpSet,
    writes: WarpSet,
}

impl Sets {
    pub(super) fn set(&mut self, writes: bool) -> &mut WarpSet {
        if writes { &mut self.writes } else { &mut self.reads }
    }

    fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }
}

/// What threads did in one memory space since the last barrier.
#[derive(Debug, Default)]
struct SpaceSets {
    warps: Box<[Sets]>,
    has_reads: bool,
    has_writes: bool,
}

impl SpaceSets {
    fn new(warps: u32) -> SpaceSets {
        let warps = (0..warps).map(|_| Sets::default()).collect();
        SpaceSets { warps, has_reads: false, has_writes: false }
    }

    fn set(&mut self, warp: u32, writes: bool) -> Option<&mut WarpSet> {
        let sets = self.warps.get_mut(warp as usize)?;
        self.has_writes |= writes;
        self.has_reads |= !writes;
        Some(sets.set(writes))
    }

    fn clear(&mut self) {
        if self.has_reads || self.has_writes {
            self.warps.iter_mut().for_each(Sets::clear);
        }
        (self.has_reads, self.has_writes) = (false, false);
    }
}

/// A block that has begun and not ended.
#[derive(Debug)]
pub(super) struct Block {
    /// Its number in the grid.
    pub(super) number: u32,
    shared: SpaceSets,
    global: SpaceSets,
    /// The lanes of each warp that have not ended.
    live: Box<[u32]>,
}

impl Block {
    pub(super) fn new(number: u32, threads: u32) -> Block {
        let warps = threads.div_ceil(WARP_LANES);
        let (shared, global) = (SpaceSets::new(warps), SpaceSets::new(warps));
        let mut block =
            Block { number, shared, global, live: vec![0; warps as usize].into_boxed_slice() };
        block.begin(number, threads);
        block
    }

    /// The block of another number, with this one's memory.
    pub(super) fn begin(&mut self, number: u32, threads: u32) {
        self.number = number;
        for (warp, live) in self.live.iter_mut().enumerate() {
            let lanes = threads - warp as u32 * WARP_LANES;
            *live = if lanes >= WARP_LANES { u32::MAX } else { (1 << lanes) - 1 };
        }
    }

    pub(super) fn warps(&self) -> usize {
        self.live.len()
    }

    /// The sets that a warp's accesses go to.
    #[inline]
    pub(super) fn set(&mut self, warp: u32, space: Space, writes: bool) -> Option<&mut WarpSet> {
        match space {
            Space::Shared => self.shared.set(warp, writes),
            _ => self.global.set(warp, writes),
        }
    }

    pub(super) fn end_lanes(&mut self, warp: u32, mask: u32) {
        if let Some(live) = self.live.get_mut(warp as usize) {
            *live &= !mask;
        }
    }

    /// Whether all threads that have not ended waited at a barrier, and none only arrived.
    pub(super) fn have_all_waited(&self, participants: &[u64]) -> bool {
        let mut warps = self.live.iter().enumerate();
        participants.iter().all(|lanes| lanes >> 32 == 0)
            && warps.all(|(warp, live)| live & !waiting(participants, warp) == 0)
    }

    /// Compares the sets of all threads since the last barrier.
    pub(super) fn check(&self, writes: &mut Writes, findings: &mut Findings) -> Checked {
        let mut checked = Checked::default();
        for (space, sets) in [(Space::Shared, &self.shared), (Space::Global, &self.global)] {
            if sets.has_writes {
                checked.checks += 1;
                checked.with_reads += u64::from(sets.has_reads);
                check_space(self.number, space, sets, writes, findings);
            }
        }
        checked
    }

    /// Whether threads accessed global memory since the last barrier.
    pub(super) fn has_used_global(&self) -> bool {
        self.global.has_reads || self.global.has_writes
    }

    /// Adds what was done in global memory to the sets of the block.
    pub(super) fn add_to(
        &self,
        [reads, writes]: [&mut BlockSet; 2],
        room: &mut Room,
        settings: &CurdSettings,
        counts: &mut SetCounts,
    ) {
        let warps = self.global.warps.iter();
        if self.global.has_reads {
            reads.add(warps.clone().map(|sets| &sets.reads), room, settings, counts);
        }
        if self.global.has_writes {
            writes.add(warps.map(|sets| &sets.writes), room, settings, counts);
        }
    }

    /// The sets of threads begin anew.
    pub(super) fn clear(&mut self) {
        self.shared.clear();
        self.global.clear();
    }
}

/// How often sets were compared.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Checked {
    /// Write sets with each other.
    pub(super) checks: u64,
    /// Read sets with write sets, too.
    pub(super) with_reads: u64,
}

fn check_space(
    block: u32,
    space: Space,
    sets: &SpaceSets,
    writes: &mut Writes,
    findings: &mut Findings,
) {
    let warps = || sets.warps.iter().zip(0..);
    gather(warps().map(|(sets, warp)| (warp, &sets.writes)), writes);
    writes.prepare();
    let party = |item: &Item, lane: u32, writes: bool| Party {
        block,
        thread: item.strip.base + lane,
        source: item.strip.source,
        writes,
    };
    let mut found = |first: &Item, second: &Item, at: super::overlap::Overlap, reads: bool| {
        let class = if first.owner == second.owner { Class::WarpSync } else { Class::IntraBlock };
        let first = party(first, at.lanes.0, true);
        let second = party(second, at.lanes.1, !reads);
        findings.add(PendingRace { class, space, address: at.address, parties: [first, second] });
    };
    writes.with_each_other(|first, second, at| found(first, second, at, false));
    for (sets, warp) in warps() {
        sets.reads.visit_near(warp, writes, |writes, read| {
            writes.with_read(read, |write, read, at| found(write, read, at, true));
        });
    }
}
