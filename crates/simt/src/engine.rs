//! The scheduler of one launch: which blocks run, which warp goes next, and what happens between
//! warps.

use crate::barrier_completion;
use crate::block::{Block, Peer};
use crate::cluster::Cluster;
use crate::exec::core::{Core, Stop};
use crate::launch::{Launch, Progress};
use crate::memory::MemoryView;
use crate::outcome::{Fault, FaultKind, LaunchError, LaunchStats};
use crate::program::Program;
use crate::schedule::{Turn, Who};
use crate::trace::Trace;
use crate::turns::{COPIES, Candidate, GroupChoice, Impossible, Turns};
use crate::warp::{State, Warp};
use std::ops::Range;
use warpsan_event::Event;
use warpsan_model::barriers::ClusterBarrier;
use warpsan_model::{BlockIndex, EMULATED_DEVICE, SiteId, WARP_LANES};

/// Blocks that run at the same time at first.
const FIRST_WINDOW: usize = 8;
/// Blocks that the device can hold at the same time.
const LARGEST_WINDOW: usize = EMULATED_DEVICE.max_resident_blocks() as usize;
/// Bytes that the state of running blocks may take.
const MEMORY_OF_BLOCKS: u64 = 2 << 30;
/// Warp instructions without the end of any block, after which more blocks are let in: those that
/// run may wait for one that does not.
const IMPATIENCE: u64 = 1 << 18;
/// Instructions between two looks at what the world says about going on.
const LOOK: u64 = 1 << 16;
/// The same for asynchronous copies: while none of them is waited for, a detector has to compare each with all others.
const COPIES_LOOK: u64 = 512;

/// Runs blocks of a launch, one after the other and side by side, on one thread.
pub(crate) struct Engine<'a> {
    core: Core<'a>,
    turns: Turns,
    /// Blocks that run; a slot is used again when its cluster has ended.
    slots: Vec<Block>,
    free_slots: Vec<usize>,
    queue: Vec<Candidate>,
    /// Clusters that have not begun.
    waiting: Range<u64>,
    blocks_done: u64,
    running: usize,
    window: usize,
    largest_window: usize,
    /// The instruction count when a block last ended or was let in.
    progress_at: u64,
    next_look: u64,
    next_look_at_copies: u64,
    /// Writes to memory and the instruction count when they were last seen to change.
    idle_since: (u64, u64),
    recorded: Option<Vec<Turn>>,
}

/// As many blocks as the device holds, as long as their state fits into memory.
fn largest_window(launch: &Launch<'_>, program: &Program) -> usize {
    let per_warp = 128 * u64::from(program.rows + program.local_words + 1);
    let shared = launch.shared_bytes() as u64;
    let per_block = u64::from(launch.geometry.warps_per_block()) * per_warp + shared;
    let most = (MEMORY_OF_BLOCKS / per_block.max(1)).clamp(1, LARGEST_WINDOW as u64) as usize;
    most.max(launch.cluster_extents().count() as usize)
}

impl<'a> Engine<'a> {
    /// For the clusters of a range; `part` distinguishes the parts of a launch.
    pub(crate) fn new(
        program: &'a Program,
        launch: &'a Launch<'a>,
        memory: MemoryView<'a>,
        trace: Trace<'a>,
        clusters: Range<u64>,
        part: u64,
    ) -> Self {
        let largest_window = largest_window(launch, program);
        let first = if launch.cooperative { largest_window } else { FIRST_WINDOW };
        let salt = u64::from(launch.id.0) << 32 | part;
        Engine {
            core: Core::new(program, launch, memory, trace, part),
            turns: Turns::new(launch.schedule, salt),
            slots: Vec::new(),
            free_slots: Vec::new(),
            queue: Vec::new(),
            waiting: clusters,
            blocks_done: 0,
            running: 0,
            window: first.min(largest_window),
            largest_window,
            progress_at: 0,
            next_look: LOOK,
            next_look_at_copies: COPIES_LOOK,
            idle_since: (0, 0),
            recorded: launch.record_schedule.then(Vec::new),
        }
    }

    pub(crate) fn core(&mut self) -> &mut Core<'a> {
        &mut self.core
    }

    pub(crate) fn take_recorded(&mut self) -> Option<Vec<Turn>> {
        self.recorded.take()
    }

    /// Runs all blocks to their end, and returns what it did.
    pub(crate) fn run(&mut self) -> (LaunchStats, Result<(), LaunchError>) {
        let result = self.run_blocks();
        let core = &mut self.core;
        core.trace.flush();
        let stats =
            LaunchStats { warp_instructions: core.instructions, accesses: core.trace.accesses };
        (stats, result)
    }

    fn run_blocks(&mut self) -> Result<(), LaunchError> {
        self.admit();
        while self.running > 0 {
            if self.core.instructions >= self.next_look
                || self.core.copies >= self.next_look_at_copies
            {
                self.look()?;
            }
            if self.queue.is_empty() {
                return Err(LaunchError::Fault(self.all_stuck()));
            }
            self.turn()?;
        }
        Ok(())
    }

    /// Limits, and whether blocks that do not run are waited for.
    fn look(&mut self) -> Result<(), LaunchError> {
        let now = self.core.instructions;
        self.next_look = now + LOOK;
        self.next_look_at_copies = self.core.copies + COPIES_LOOK;
        let launch = self.core.launch;
        if now >= launch.max_instructions {
            return Err(LaunchError::OutOfBudget { limit: launch.max_instructions });
        }
        if self.core.writes != self.idle_since.0 {
            self.idle_since = (self.core.writes, now);
        }
        let idle = now - self.idle_since.1.max(self.progress_at);
        if idle > launch.max_idle_instructions {
            return Err(LaunchError::Fault(self.somebody(FaultKind::Livelock, format!(
                "a livelock: in {idle} instructions nobody wrote to memory, passed a barrier or ended"
            ))));
        }
        let blocks = launch.geometry.grid.count();
        let progress = Progress { instructions: now, blocks_done: self.blocks_done, blocks };
        if !(launch.watch)(progress) {
            return Err(LaunchError::Stopped);
        }
        let impatient = now - self.progress_at > IMPATIENCE;
        if impatient && self.window < self.largest_window && !self.waiting.is_empty() {
            self.window = (self.window * 2).min(self.largest_window);
            self.progress_at = now;
            self.admit();
        }
        Ok(())
    }

    /// Lets clusters in while there is room.
    fn admit(&mut self) {
        let launch = self.core.launch;
        let in_cluster = launch.cluster_extents().count() as usize;
        while self.running == 0 || self.running + in_cluster <= self.window {
            let Some(cluster) = self.waiting.next() else { return };
            self.admit_cluster(cluster);
            self.progress_at = self.core.instructions;
        }
    }

    fn admit_cluster(&mut self, number: u64) {
        let launch = self.core.launch;
        let blocks = launch.blocks_of_cluster(number);
        let clusters = &mut self.core.clusters;
        let free = clusters.iter().position(|cluster| !cluster.in_use);
        let id = free.unwrap_or_else(|| {
            clusters.push(Cluster::default());
            clusters.len() - 1
        });
        let mut slots = Vec::with_capacity(blocks.len());
        for (rank, index) in blocks.iter().enumerate() {
            let slot = self.free_slots.pop().unwrap_or_else(|| {
                self.slots.push(Block::new());
                self.slots.len() - 1
            });
            let block = &mut self.slots[slot];
            block.start(self.core.program, &launch.geometry, *index, launch.shared_bytes());
            block.info.rank = rank as u32;
            block.info.cluster = id;
            slots.push(slot);
            self.running += 1;
        }
        if blocks.len() > 1 {
            let peer = |slot: &usize| {
                let info = &self.slots[*slot].info;
                Peer {
                    index: info.index,
                    pointer: info.shared.pointer(),
                    bytes: info.shared.bytes(),
                }
            };
            let peers: Vec<Peer> = slots.iter().map(peer).collect();
            for slot in &slots {
                self.slots[*slot].info.peers.clone_from(&peers);
            }
        }
        for slot in &slots {
            self.enqueue(*slot);
        }
        self.core.clusters[id] =
            Cluster { barrier: ClusterBarrier::default(), slots, in_use: true };
    }

    /// Puts everything of a block that can go on into the queue.
    fn enqueue(&mut self, slot: usize) {
        let block = &mut self.slots[slot];
        let index = block.info.index.0;
        for (number, warp) in block.warps.iter_mut().enumerate() {
            if !warp.queued && warp.has_ready() {
                warp.queued = true;
                let demotions = warp.demotions;
                self.queue.push(Candidate { slot, warp: number, block: index, demotions });
            }
        }
        if block.info.pending.has_jobs() && !block.copies_queued {
            block.copies_queued = true;
            self.queue.push(Candidate { slot, warp: COPIES, block: index, demotions: 0 });
        }
    }

    /// One choice of the scheduler, carried out.
    fn turn(&mut self) -> Result<(), LaunchError> {
        let before = self.core.instructions;
        let choice = self.turns.choose(&self.queue, before).map_err(impossible)?;
        let candidate = self.queue[choice.candidate];
        let slot = candidate.slot;
        if candidate.warp == COPIES {
            self.note(candidate.block, Who::Copies, 1);
            let block = &mut self.slots[slot];
            self.core.run_job(&mut block.info, &mut block.warps).map_err(LaunchError::Fault)?;
            if !block.info.pending.has_jobs() {
                block.copies_queued = false;
                self.queue.swap_remove(choice.candidate);
            }
            return self.settle(slot);
        }
        let block = &mut self.slots[slot];
        let warp = &mut block.warps[candidate.warp];
        let group = ready_group(warp, choice.group);
        let Some(group) = group else {
            return Err(self.turns.refuse().map_or_else(no_ready_group, impossible));
        };
        let lane = warp.groups[group].mask.trailing_zeros();
        let stop = self.core.run(&mut block.info, warp, group, choice.length);
        warp.lose_patience(false);
        self.core.tell_reconverged(&block.info, warp);
        let ran = self.core.instructions - before;
        if self.turns.is_demoted(&candidate, self.core.instructions, ran) {
            warp.demotions += 1;
            self.queue[choice.candidate].demotions = warp.demotions;
        }
        let who = Who::Warp { warp: candidate.warp as u32, lane };
        // What it was allowed, not what it used: lanes come to reconvergence points at no cost, and a shorter turn
        // might end in front of one.
        self.note(candidate.block, who, choice.length as u32);
        let stop = stop.map_err(LaunchError::Fault)?;
        let block = &mut self.slots[slot];
        if let Stop::AtBlockBarrier(arrival) = stop {
            block.arrive(candidate.warp, &arrival);
        }
        // A warp in which all wait gives up reconvergence at once, whatever the rest of the block does.
        let warp = &mut block.warps[candidate.warp];
        if !warp.has_ready() && !warp.lose_patience(true) {
            warp.queued = false;
            self.queue.swap_remove(choice.candidate);
        }
        self.core.tell_reconverged(&block.info, warp);
        if stop != Stop::Over || !self.slots[slot].warps[candidate.warp].queued {
            self.settle(slot)?;
        } else {
            self.enqueue(slot);
        }
        Ok(())
    }

    fn note(&mut self, block: u32, who: Who, length: u32) {
        if let Some(turns) = &mut self.recorded {
            turns.push(Turn { block, who, length });
        }
    }

    /// After something that others may have waited for: barriers that are complete, blocks that have
    /// ended, blocks in which nobody can go on.
    fn settle(&mut self, slot: usize) -> Result<(), LaunchError> {
        while let Some(number) = self.slots[slot].complete_barrier() {
            self.complete_barrier(slot, number);
        }
        self.settle_cluster(slot);
        let block = &mut self.slots[slot];
        let ended = block.warps.iter().all(|warp| warp.live == 0) && !block.info.pending.has_jobs();
        if ended && !block.has_ended {
            block.has_ended = true;
            self.end_block(slot);
            return Ok(());
        }
        self.enqueue(slot);
        let block = &self.slots[slot];
        let idle = block.warps.iter().all(|warp| !warp.queued) && !block.copies_queued;
        if idle && !block.has_ended {
            self.refuse_if_stuck(slot)?;
        }
        Ok(())
    }

    fn end_block(&mut self, slot: usize) {
        let info = &self.slots[slot].info;
        let (index, cluster) = (info.index, info.cluster);
        self.core.trace.structure(Event::BlockEnd { block: index });
        self.blocks_done += 1;
        self.progress_at = self.core.instructions;
        // Others of the cluster may still use the block's memory, so all go at once.
        let slots = &self.core.clusters[cluster].slots;
        if slots.iter().all(|slot| self.slots[*slot].has_ended) {
            self.running -= slots.len();
            self.free_slots.extend(slots);
            self.core.clusters[cluster].in_use = false;
            self.admit();
        }
    }

    fn complete_barrier(&mut self, slot: usize, number: usize) {
        barrier_completion::complete(&mut self.core, &mut self.slots[slot], number);
        self.progress_at = self.core.instructions;
    }

    /// Completes the barrier of a block's cluster if all are there.
    fn settle_cluster(&mut self, slot: usize) {
        let id = self.slots[slot].info.cluster;
        let cluster = &self.core.clusters[id];
        let live = |rank: usize, warp: usize| self.slots[cluster.slots[rank]].warps[warp].live;
        if !cluster.barrier.is_complete(live) {
            return;
        }
        let cluster = &mut self.core.clusters[id];
        cluster.barrier.release();
        let slots = cluster.slots.clone();
        self.progress_at = self.core.instructions;
        for slot in slots {
            for warp in &mut self.slots[slot].warps {
                for group in &mut warp.groups {
                    if matches!(group.state, State::AtClusterBarrier { .. }) {
                        group.state = State::Ready;
                    }
                }
                warp.merge_equal_groups();
            }
            self.enqueue(slot);
        }
    }

    /// Nobody in the block can go on: others of its cluster may help, or nobody can.
    fn refuse_if_stuck(&mut self, slot: usize) -> Result<(), LaunchError> {
        let cluster = &self.core.clusters[self.slots[slot].info.cluster];
        let others_run = cluster.slots.iter().any(|slot| {
            let block = &self.slots[*slot];
            block.copies_queued || block.warps.iter().any(|warp| warp.queued)
        });
        if others_run {
            return Ok(());
        }
        Err(LaunchError::Fault(self.deadlock(slot)))
    }

    /// Blocks are left, and nobody can go on.
    #[cold]
    fn all_stuck(&mut self) -> Fault {
        let in_use = self.core.clusters.iter().filter(|cluster| cluster.in_use);
        let mut slots = in_use.flat_map(|cluster| &cluster.slots);
        let stuck = slots.find(|slot| !self.slots[**slot].has_ended).copied();
        self.deadlock(stuck.unwrap_or(0))
    }

    #[cold]
    fn deadlock(&mut self, slot: usize) -> Fault {
        let kind = FaultKind::Deadlock;
        let block = &self.slots[slot];
        let program = self.core.program;
        // Groups in front of what they wait for, or behind it.
        let mut waiting: Vec<(SiteId, (u32, u32), bool)> = Vec::new();
        for warp in &block.warps {
            for group in &warp.groups {
                let at = match group.state {
                    State::AtBlockBarrier { instruction, .. } => instruction,
                    State::AtWarpBarrier { .. } => group.at.saturating_sub(1),
                    _ => group.at,
                };
                let site = program.code[at as usize].site;
                let thread = warp.index * WARP_LANES + group.mask.trailing_zeros();
                let at_barrier = matches!(group.state, State::AtBlockBarrier { .. });
                waiting.push((site, (thread, group.mask), at_barrier));
            }
        }
        let index = block.info.index;
        let at_barrier = waiting.iter().find(|one| one.2).copied();
        let Some((site, (thread, lanes), _)) = at_barrier else {
            let (site, thread) = waiting.first().map_or((SiteId(0), 0), |one| (one.0, one.1.0));
            let what = "threads wait for each other and none can go on".to_string();
            return Fault { kind, what, site, block: index, thread };
        };
        let other = waiting.iter().find(|one| one.0 != site || !one.2).copied();
        let (other_site, (other_thread, other_lanes)) = match other {
            Some((site, group, _)) => (site, group),
            None => (site, (thread, lanes)),
        };
        self.core.trace.synchronisation(Event::BarrierDivergence {
            block: index,
            site,
            thread,
            lanes,
            other_site,
            other_thread,
            other_lanes,
            completes: false,
        });
        let what = "threads wait at a barrier that others of the block never reach".to_string();
        Fault { kind, what, site, block: index, thread }
    }

    /// The place of some thread, for what concerns all.
    fn somebody(&self, kind: FaultKind, what: String) -> Fault {
        let running = self.queue.iter().find(|one| one.warp != COPIES);
        let (site, block, thread) = match running {
            Some(candidate) => {
                let block = &self.slots[candidate.slot];
                let warp = &block.warps[candidate.warp];
                let group = &warp.groups[0];
                let site = self.core.program.code[group.at as usize].site;
                (site, block.info.index, warp.index * WARP_LANES + group.mask.trailing_zeros())
            }
            None => (SiteId(0), BlockIndex(0), 0),
        };
        Fault { kind, what, site, block, thread }
    }
}

/// A stored schedule that is not one of this launch.
fn impossible(Impossible(turn): Impossible) -> LaunchError {
    LaunchError::Schedule(match turn {
        Some(turn) => format!("the stored schedule does not fit: {turn:?} is not possible"),
        None => "the stored schedule ends before the launch does".to_string(),
    })
}

/// Only a stored schedule may choose a warp that cannot go on.
#[cold]
fn no_ready_group() -> LaunchError {
    LaunchError::Internal(
        "warpsan itself failed: its scheduler chose a warp that waits".to_string(),
    )
}

/// The ready group that was chosen, if there is one.
fn ready_group(warp: &Warp, choice: GroupChoice) -> Option<usize> {
    let groups = warp.groups.iter().enumerate();
    let mut ready = groups.filter(|(_, group)| group.state == State::Ready);
    let found = match choice {
        GroupChoice::Lane(lane) => ready.find(|(_, group)| group.mask >> lane & 1 == 1),
        GroupChoice::Number(number) => {
            let count = ready.clone().count() as u64;
            ready.nth(number.checked_rem(count)? as usize)
        }
    };
    found.map(|(index, _)| index)
}
