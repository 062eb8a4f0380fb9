//! The scheduler of one launch: which warp goes next, and what happens between warps.

use crate::block::Block;
use crate::launch::{Fault, Launch, LaunchError, LaunchStats};
use crate::memory::DeviceMemory;
use crate::rng::Random;
use crate::step::{Context, Stop};
use crate::trace::Trace;
use crate::warp::State;
use warpsan_event::Event;
use warpsan_model::{BlockIndex, SiteId, WARP_LANES};

/// Blocks that run at the same time at first.
const FIRST_WINDOW: usize = 32;
/// Blocks that an H100-class device can hold at the same time.
const LARGEST_WINDOW: usize = 132 * 32;
/// Bytes that the state of running blocks may take.
const MEMORY_OF_BLOCKS: u64 = 2 << 30;
/// Warp instructions without the end of any block, after which more blocks are let in: those that
/// run may wait for one that does not.
const IMPATIENCE: u64 = 1 << 20;
/// The longest run of one group before another may go.
const LONGEST_BURST: usize = 64;

pub(crate) struct Engine<'a> {
    launch: &'a Launch<'a>,
    memory: &'a DeviceMemory,
    trace: Trace<'a>,
    random: Random,
    /// Blocks that run; a slot is used again when its block has ended.
    slots: Vec<Option<Block>>,
    /// Warps that can run, as slot and warp.
    queue: Vec<(usize, usize)>,
    next_block: u64,
    running: usize,
    window: usize,
    largest_window: usize,
    instructions: u64,
    /// The instruction count when a block last ended or was let in.
    progress_at: u64,
}

/// As many blocks as the device holds, as long as their state fits into memory.
fn largest_window(launch: &Launch<'_>) -> usize {
    let kernel = &launch.kernel.kernel;
    let per_thread = 8 * u64::from(kernel.registers) + kernel.local_bytes;
    let shared = kernel.static_shared_bytes + u64::from(launch.dynamic_shared_bytes);
    let per_block = u64::from(launch.geometry.warps_per_block() * WARP_LANES) * per_thread + shared;
    (MEMORY_OF_BLOCKS / per_block.max(1)).clamp(1, LARGEST_WINDOW as u64) as usize
}

impl<'a> Engine<'a> {
    pub(crate) fn new(launch: &'a Launch<'a>, memory: &'a DeviceMemory, trace: Trace<'a>) -> Self {
        let largest_window = largest_window(launch);
        Engine {
            launch,
            memory,
            trace,
            random: Random::new(launch.seed ^ (u64::from(launch.id.0) << 32)),
            slots: Vec::new(),
            queue: Vec::new(),
            next_block: 0,
            running: 0,
            window: FIRST_WINDOW.min(largest_window),
            largest_window,
            instructions: 0,
            progress_at: 0,
        }
    }

    pub(crate) fn stats(&self) -> LaunchStats {
        LaunchStats { warp_instructions: self.instructions, accesses: self.trace.accesses }
    }

    pub(crate) fn run(&mut self) -> Result<(), LaunchError> {
        let launch = self.launch;
        if launch.geometry.threads_per_block() == 0 || launch.geometry.grid.count() == 0 {
            return Ok(());
        }
        self.trace.structure(Event::LaunchBegin {
            launch: launch.id,
            facts: &launch.kernel.facts,
            sites: &launch.kernel.sites,
            geometry: launch.geometry,
        });
        let result = self.schedule();
        self.trace.structure(Event::LaunchEnd { launch: launch.id });
        self.trace.flush();
        result
    }

    fn schedule(&mut self) -> Result<(), LaunchError> {
        self.admit();
        while self.running > 0 {
            if self.instructions >= self.launch.max_instructions {
                return Err(LaunchError::OutOfBudget { limit: self.launch.max_instructions });
            }
            if self.instructions - self.progress_at > IMPATIENCE
                && self.window < self.largest_window
            {
                self.window = (self.window * 2).min(self.largest_window);
                self.progress_at = self.instructions;
                self.admit();
            }
            // A block without a warp in the queue was ended or refused when its last warp left it.
            debug_assert!(!self.queue.is_empty());
            let pick = self.random.below(self.queue.len());
            let (slot, warp) = self.queue[pick];
            self.burst(slot, warp)?;
            self.settle(slot, pick)?;
        }
        Ok(())
    }

    /// Lets blocks in while there is room.
    fn admit(&mut self) {
        let blocks = self.launch.geometry.grid.count();
        let kernel = &self.launch.kernel.kernel;
        let shared =
            kernel.static_shared_bytes as usize + self.launch.dynamic_shared_bytes as usize;
        while self.running < self.window && self.next_block < blocks {
            let block = Block::new(kernel, &self.launch.geometry, self.next_block as u32, shared);
            self.next_block += 1;
            self.running += 1;
            self.progress_at = self.instructions;
            let free = self.slots.iter().position(Option::is_none);
            let slot = free.unwrap_or(self.slots.len());
            if free.is_none() {
                self.slots.push(None);
            }
            self.slots[slot] = Some(block);
            self.enqueue(slot);
        }
    }

    /// Puts every warp of a block that can run into the queue.
    fn enqueue(&mut self, slot: usize) {
        let Some(block) = &mut self.slots[slot] else { return };
        for (index, warp) in block.warps.iter_mut().enumerate() {
            if !warp.queued && warp.has_ready() {
                warp.queued = true;
                self.queue.push((slot, index));
            }
        }
    }

    /// Runs one group of a warp for a while.
    fn burst(&mut self, slot: usize, warp: usize) -> Result<(), LaunchError> {
        let Some(block) = &mut self.slots[slot] else { return Ok(()) };
        let Block { index, position, shared, warps, .. } = block;
        let warp_state = &mut warps[warp];
        let ready = warp_state.groups.iter().filter(|group| group.state == State::Ready).count();
        let choice = self.random.below(ready);
        let group = warp_state
            .groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.state == State::Ready)
            .nth(choice)
            .map_or(0, |(group, _)| group);
        let length = 1 + self.random.below(LONGEST_BURST);
        let before = warp_state.instructions;
        let mut context = Context {
            kernel: &self.launch.kernel.kernel,
            geometry: &self.launch.geometry,
            launch: self.launch,
            memory: self.memory,
            shared,
            trace: &mut self.trace,
            block: *index,
            position: *position,
            clock: self.instructions,
        };
        let stop = context.run(warp_state, group, length as u64);
        self.instructions += warp_state.instructions - before;
        warp_state.lose_patience(false);
        match stop {
            Ok(Stop::AtBlockBarrier(arrival)) => block.arrive(warp, &arrival),
            Ok(Stop::Changed) => {}
            Err(fault) => return Err(LaunchError::Fault(fault)),
        }
        Ok(())
    }

    /// After a burst: barriers that are complete, warps that cannot go on, blocks that have ended.
    fn settle(&mut self, slot: usize, pick: usize) -> Result<(), LaunchError> {
        let Some(block) = &mut self.slots[slot] else { return Ok(()) };
        while let Some((barrier, participants)) = block.complete_barrier() {
            self.trace.synchronisation(Event::BlockBarrier {
                block: block.index,
                barrier,
                participants: &participants,
            });
        }
        // A warp in which all wait gives up meetings at once, whatever the rest of the block does.
        let (_, warp) = self.queue[pick];
        if !block.warps[warp].has_ready() && !block.warps[warp].lose_patience(true) {
            block.warps[warp].queued = false;
            self.queue.swap_remove(pick);
        }
        if block.has_ended() {
            self.trace.structure(Event::BlockEnd { block: block.index });
            self.slots[slot] = None;
            self.running -= 1;
            self.progress_at = self.instructions;
            self.admit();
            return Ok(());
        }
        self.enqueue(slot);
        let stuck = self.slots[slot]
            .as_ref()
            .is_some_and(|block| block.warps.iter().all(|warp| !warp.queued));
        // Nobody in the block can run, and nobody outside of it can help.
        if stuck { Err(self.deadlock(slot)) } else { Ok(()) }
    }

    #[cold]
    fn deadlock(&mut self, slot: usize) -> LaunchError {
        let code = &self.launch.kernel.kernel.code;
        let mut waits: Vec<(SiteId, u32, bool)> = Vec::new();
        let mut index = BlockIndex(0);
        if let Some(block) = &self.slots[slot] {
            index = block.index;
            for warp in &block.warps {
                for group in &warp.groups {
                    let at_block_barrier = matches!(group.state, State::AtBlockBarrier { .. });
                    let behind = matches!(
                        group.state,
                        State::AtBlockBarrier { .. } | State::AtWarpBarrier { .. }
                    );
                    let at = group.at as usize - usize::from(behind);
                    let thread = warp.index * WARP_LANES + group.mask.trailing_zeros();
                    waits.push((code[at].site, thread, at_block_barrier));
                }
            }
        }
        let first = waits.iter().find(|(_, _, at_barrier)| *at_barrier).or(waits.first());
        let (site, thread, at_barrier) = *first.unwrap_or(&(SiteId(0), 0, false));
        let other = waits.iter().find(|(other, _, _)| *other != site);
        if let (Some((other_site, other_thread, _)), true) = (other, at_barrier) {
            self.trace.synchronisation(Event::BarrierDivergence {
                block: index,
                site,
                thread,
                other_site: *other_site,
                other_thread: *other_thread,
            });
        }
        // `.sync` operations of one mask at two places do meet on a device; here they do not yet.
        let what = match (other, at_barrier) {
            (Some(_), true) => "threads wait at a block barrier for others that wait elsewhere",
            (Some(_), false) => "lanes wait for each other at different places of the code",
            (None, _) => "threads wait at a barrier for others that never come",
        };
        LaunchError::Deadlock(Fault { what: what.to_string(), site, block: index, thread })
    }
}
