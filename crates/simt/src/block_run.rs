//! One block of a launch that somebody else drives: warp by warp from one block barrier to the next, as often as wanted.
//!
//! A warp runs until it waits at a barrier or has ended, and nothing of other warps runs meanwhile. What it writes goes to memory
//! at once; what was there before is kept, so that the driver can take the writes away as a copy of memory, put back what was there,
//! and run the warp again from a [`SavedBlock`]. Runs of the same warp in the same memory do the same: lanes that have diverged
//! take turns in a fixed order, and clocks count the instructions of the block alone.

use crate::barrier_completion;
use crate::block::Block;
use crate::cluster::Cluster;
use crate::exec::core::{Core, Stop};
use crate::lane_conflicts::{LaneConflict, LaneConflicts};
use crate::launch::{Launch, Progress};
use crate::memory::{DeviceMemory, MemoryView, PIECE, Piece, Place, PrivateView, WriteNotes};
use crate::out_of_bounds::{OutOfBounds, Strays};
use crate::outcome::{Fault, FaultKind, LaunchError, LaunchStats};
use crate::trace::Trace;
use crate::updates::Update;
use crate::warp::{NONE, State, Warp, mix};
use warpsan_event::{Access, AccessKind, Event, EventMask, EventSink, LaneAddresses};
use warpsan_model::barriers::ClusterBarrier;
use warpsan_model::{SiteId, Space, Strength, WARP_LANES};

/// Instructions that lanes which have diverged run before others of their warp take their turn.
const TURN: u64 = 512;
/// Instructions between two looks at what the world says about going on.
const LOOK: u64 = 1 << 16;

/// One block of a launch that somebody else drives.
pub struct BlockRun<'a> {
    core: Core<'a>,
    memory: &'a DeviceMemory,
    block: Block,
    view: Option<&'a PrivateView>,
    /// For each warp, what it brought to the barriers of this region: their numbers and votes.
    arrivals: Vec<u64>,
    /// Instructions of blocks before this one.
    instructions_before: u64,
    next_look: u64,
    /// Instructions after which a run of a warp is given up.
    limit: u64,
    /// Instructions of the longest run of a warp since this was last asked.
    longest: u64,
}

/// The state of all warps of a block, to go back to. Memory is not part of it.
#[derive(Debug, Default)]
pub struct SavedBlock {
    warps: Vec<Warp>,
    arrivals: Vec<u64>,
    instructions: u64,
    printed: usize,
}

/// What a warp has at the end of a region, besides memory: two runs that end alike have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct WarpEnd(u64);

/// How a region ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionEnd {
    /// All threads of the block have met at a barrier, which is complete.
    Barrier(SiteId),
    /// All threads of the block have ended.
    BlockEnd,
}

impl Drop for BlockRun<'_> {
    fn drop(&mut self) {
        if let WriteNotes::Before(writes) = std::mem::take(&mut self.core.notes) {
            self.memory.give_writes_back(*writes);
        }
    }
}

impl<'a> BlockRun<'a> {
    /// A place for blocks of a launch to run, one after the other, in device memory itself or in a view of it. What blocks do
    /// is emitted only while [`BlockRun::listen`] says so.
    pub fn new(
        launch: &'a Launch<'a>,
        memory: &'a DeviceMemory,
        view: Option<&'a PrivateView>,
        sink: &'a mut dyn EventSink,
    ) -> BlockRun<'a> {
        let seen = match view {
            Some(view) => MemoryView::private(memory, view.memory()),
            None => MemoryView::of(memory),
        };
        let mut core = Core::new(&launch.kernel.program, launch, seen, Trace::new(sink), 0);
        core.trace.listen(false);
        core.notes = WriteNotes::Before(Box::new(memory.take_writes()));
        core.clusters.push(Cluster {
            barrier: ClusterBarrier::default(),
            slots: vec![0],
            in_use: true,
        });
        BlockRun {
            core,
            memory,
            block: Block::new(),
            view,
            arrivals: Vec::new(),
            instructions_before: 0,
            next_look: LOOK,
            limit: launch.max_instructions,
            longest: 0,
        }
    }

    /// Begins with a block of the grid, whose threads are in front of their first instruction.
    pub fn start(&mut self, block: u32) {
        let launch = self.core.launch;
        let program = self.core.program;
        self.block.start(program, &launch.geometry, block, launch.shared_bytes());
        self.arrivals.clear();
        self.arrivals.resize(self.block.warps.len(), 0);
        self.instructions_before += self.core.instructions;
        self.core.instructions = 0;
        self.next_look = LOOK;
        self.core.phases.clear();
    }

    /// The block that runs.
    pub fn block(&self) -> u32 {
        self.block.info.index.0
    }

    /// Warps of the block.
    pub fn warps(&self) -> usize {
        self.block.warps.len()
    }

    /// Whether all threads of a warp have ended.
    pub fn has_ended(&self, warp: usize) -> bool {
        self.block.warps[warp].live == 0
    }

    /// Bytes of the block's shared memory.
    pub fn shared_bytes(&self) -> u64 {
        self.block.info.shared.bytes()
    }

    /// Keeps the state of all warps.
    pub fn save(&self, to: &mut SavedBlock) {
        to.warps.resize_with(self.block.warps.len(), || Warp::new(0));
        for (to, from) in to.warps.iter_mut().zip(&self.block.warps) {
            to.copy_from(from);
        }
        to.arrivals.clone_from(&self.arrivals);
        to.instructions = self.core.instructions;
        to.printed = self.core.printed.len();
    }

    /// Goes back to a state of the same block. No barrier was complete since.
    pub fn restore(&mut self, from: &SavedBlock) {
        self.core.trace.flush();
        for (to, from) in self.block.warps.iter_mut().zip(&from.warps) {
            to.copy_from(from);
        }
        self.arrivals.clone_from(&from.arrivals);
        self.core.instructions = from.instructions;
        self.core.printed.truncate(from.printed);
        self.block.barriers.reset();
    }

    /// Runs a warp until none of its lanes can go on: they wait at a block barrier, or have ended.
    pub fn run_warp(&mut self, warp: usize) -> Result<(), LaunchError> {
        // Whichever warps ran before it, a warp sees the same clock.
        let at_start = self.core.instructions;
        let result = self.run_until_it_waits(warp);
        let ran = self.core.instructions - at_start;
        self.longest = self.longest.max(ran);
        self.instructions_before += ran;
        self.core.instructions = at_start;
        result
    }

    /// Instructions of the longest run of a warp since this was last asked.
    pub fn take_longest(&mut self) -> u64 {
        std::mem::take(&mut self.longest)
    }

    fn run_until_it_waits(&mut self, number: usize) -> Result<(), LaunchError> {
        let Block { info, warps, barriers, .. } = &mut self.block;
        let mut turn = 0;
        let mut left = self.limit;
        loop {
            let all = warps.len();
            let warp = &mut warps[number];
            let ready = |(_, group): &(usize, &crate::warp::Group)| group.state == State::Ready;
            let count = warp.groups.iter().enumerate().filter(ready).count();
            if count == 0 {
                if warp.lose_patience(true) {
                    continue;
                }
                return Ok(());
            }
            let chosen = warp.groups.iter().enumerate().filter(ready).nth(turn % count);
            let group = chosen.map_or(0, |(group, _)| group);
            turn += 1;
            let before = self.core.instructions;
            let stop = self.core.run(info, warp, group, TURN).map_err(LaunchError::Fault)?;
            warp.lose_patience(false);
            self.core.tell_reconverged(info, warp);
            if let Stop::AtBlockBarrier(arrival) = stop {
                let word = u64::from(arrival.barrier) << 32 | u64::from(arrival.votes);
                let mixed = mix(self.arrivals[number], word);
                self.arrivals[number] = mix(mixed, u64::from(arrival.lanes));
                barriers.arrive(all, number, &arrival);
            }
            let ran = self.core.instructions - before;
            left = left.saturating_sub(ran);
            if left == 0 {
                return Err(LaunchError::OutOfBudget { limit: self.limit });
            }
            self.next_look = self.next_look.saturating_sub(ran);
            if self.next_look == 0 {
                self.next_look = LOOK;
                let instructions = self.instructions_before + self.core.instructions;
                let launch = self.core.launch;
                let blocks = launch.geometry.grid.count();
                let blocks_done = u64::from(info.index.0);
                if !(launch.watch)(Progress { instructions, blocks_done, blocks }) {
                    return Err(LaunchError::Stopped);
                }
            }
        }
    }

    /// Ends the region in which all warps have run: the barrier that they wait at is complete.
    pub fn end_region(&mut self) -> Result<RegionEnd, LaunchError> {
        self.arrivals.fill(0);
        if self.block.warps.iter().all(|warp| warp.live == 0) {
            return Ok(RegionEnd::BlockEnd);
        }
        let Some(number) = self.block.complete_barrier() else {
            return Err(LaunchError::Fault(self.stuck()));
        };
        let groups = barrier_completion::waiting_groups(self.core.program, &self.block, number);
        let site = groups.first().map_or(SiteId(0), |(_, group)| group.site);
        barrier_completion::complete(&mut self.core, &mut self.block, number);
        Ok(RegionEnd::Barrier(site))
    }

    #[cold]
    fn stuck(&self) -> Fault {
        let mut waiting = self.block.warps.iter().filter(|warp| warp.live != 0);
        let (site, thread) = waiting.next().map_or((SiteId(0), 0), |warp| {
            let group = &warp.groups[0];
            let site = self.core.program.code[group.at.saturating_sub(1) as usize].site;
            (site, warp.index * WARP_LANES + group.mask.trailing_zeros())
        });
        let what = "threads wait at a barrier that others of the block never reach".to_string();
        Fault { kind: FaultKind::Deadlock, what, site, block: self.block.info.index, thread }
    }

    /// The barrier that lanes of a warp wait at.
    pub fn barrier_of(&self, warp: usize) -> Option<SiteId> {
        self.block.warps[warp].groups.iter().find_map(|group| match group.state {
            State::AtBlockBarrier { instruction, .. } => {
                Some(self.core.program.code[instruction as usize].site)
            }
            _ => None,
        })
    }

    /// What a warp has that waits or has ended: where its lanes are, what they brought to the barrier, and what lives on in registers
    /// and local memory.
    pub fn warp_end(&self, number: usize) -> WarpEnd {
        let warp = &self.block.warps[number];
        let mut hash = mix(self.arrivals[number], u64::from(warp.live));
        for group in &warp.groups {
            hash = mix(hash, u64::from(group.mask) << 32 | u64::from(group.at));
            if let State::AtBlockBarrier { instruction, .. } = group.state
                && let Some(live) = self.core.program.live_behind.get(&instruction)
                && group.call == NONE
            {
                hash = warp.mix_live(live, group.mask, hash);
            }
        }
        if warp.live != 0 {
            for row in &warp.local {
                hash = row.0.iter().fold(hash, |hash, word| mix(hash, u64::from(*word)));
            }
        }
        WarpEnd(hash)
    }

    /// The pieces of memory that were written to since this was last asked, with what was there before.
    pub fn take_writes(&mut self, to: &mut Vec<Piece>) {
        if let WriteNotes::Before(writes) = &mut self.core.notes {
            writes.take(to);
        }
    }

    /// The atomic updates since this was last asked, if they are kept.
    pub fn take_updates(&mut self, to: &mut Vec<Update>) {
        to.clear();
        if let Some(updates) = &mut self.core.updates {
            std::mem::swap(updates, to);
        }
    }

    /// What a piece of memory holds.
    pub fn content(&self, place: Place) -> [u8; PIECE] {
        // SAFETY: places come from writes, so that the whole piece is in device memory or in shared memory.
        unsafe { self.pointer(place).cast::<[u8; PIECE]>().read_unaligned() }
    }

    /// Puts something into a piece of memory.
    pub fn put(&mut self, place: Place, content: &[u8; PIECE]) {
        // SAFETY: as above.
        unsafe { self.pointer(place).cast::<[u8; PIECE]>().write_unaligned(*content) };
    }

    fn pointer(&self, place: Place) -> *mut u8 {
        match place {
            Place::Shared(offset) => {
                assert!(
                    u64::from(offset) < self.block.info.shared.bytes(),
                    "inside of the block's"
                );
                self.block.info.shared.pointer().wrapping_add(offset as usize)
            }
            Place::Global(address) => {
                assert!(crate::memory::is_device_address(address), "inside of the device's");
                self.core.memory.pointer(address)
            }
        }
    }

    /// What was written to a view is forgotten: it shows device memory as it is.
    pub fn refresh_view(&mut self) {
        let WriteNotes::Before(writes) = &mut self.core.notes else { return };
        let pages = writes.take_pages();
        if let Some(view) = self.view {
            view.drop_pages(pages);
        }
    }

    /// Whether what happens is emitted from now on, for those who asked for it.
    pub fn listen(&mut self, is_heard: bool) {
        self.core.trace.flush();
        self.core.trace.listen(is_heard);
    }

    /// Hands all that was emitted to the sink.
    pub fn flush(&mut self) {
        self.core.trace.flush();
    }

    /// Emits that the launch begins.
    pub fn emit_launch_begin(&mut self) {
        let launch = self.core.launch;
        self.core.trace.structure(Event::LaunchBegin {
            launch: launch.id,
            facts: &launch.kernel.facts,
            sites: &launch.kernel.sites,
            geometry: launch.geometry,
        });
    }

    /// Emits that the block has ended.
    pub fn emit_block_end(&mut self) {
        let block = self.block.info.index;
        self.core.trace.structure(Event::BlockEnd { block });
    }

    /// Emits that the launch has ended.
    pub fn emit_launch_end(&mut self) {
        let launch = self.core.launch.id;
        self.core.trace.structure(Event::LaunchEnd { launch });
    }

    /// Emits that all live threads of the block meet once more.
    pub fn emit_barrier(&mut self) {
        let participants: Vec<u64> =
            self.block.warps.iter().map(|warp| u64::from(warp.live)).collect();
        let block = self.block.info.index;
        let barrier = Event::BlockBarrier { block, barrier: 0, participants: &participants };
        self.core.trace.synchronisation(barrier);
    }

    /// Emits that the first live lane of the block writes a piece at an address of device memory, whatever is there.
    pub fn emit_write(&mut self, site: SiteId, address: u64) {
        let Some(warp) = self.block.warps.iter().find(|warp| warp.live != 0) else { return };
        if !self.core.trace.wants_accesses() {
            return;
        }
        let mask = 1 << warp.live.trailing_zeros();
        let block = self.block.info.index;
        let access = Access {
            block,
            warp: warp.index,
            site,
            mask,
            wrote: mask,
            space: Space::Global,
            owner: block,
            kind: AccessKind::Write,
            strength: Strength::Weak,
            bytes: 16,
            elements: (PIECE / 16) as u8,
            addresses: LaneAddresses::Uniform(address),
            values: &[0; PIECE / 8],
            versions: &[],
            read_only_path: false,
        };
        self.core.trace.access(access, &[address; 32], Some(LaneAddresses::Uniform(address)));
    }

    /// The events that the sink asked for.
    pub fn interest(&self) -> EventMask {
        self.core.trace.interest()
    }

    /// Looks for lanes of one instruction that write different values to one place, or stops to.
    pub fn look_for_lane_conflicts(&mut self, looks: bool) -> Vec<LaneConflict> {
        let next = looks.then(LaneConflicts::default);
        let found = std::mem::replace(&mut self.core.lane_conflicts, next);
        found.map(|conflicts| conflicts.found).unwrap_or_default()
    }

    /// Whether atomic updates are kept, for [`BlockRun::take_updates`].
    pub fn keep_updates(&mut self, keeps: bool) {
        self.core.updates = keeps.then(Vec::new);
    }

    /// Gives up runs of a warp after so many instructions.
    pub fn set_limit(&mut self, instructions: u64) {
        self.limit = instructions.max(1);
    }

    /// What the block has printed, which is then forgotten.
    pub fn take_printed(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.core.printed)
    }

    /// Accesses that went to other memory than they were meant for, of all blocks so far.
    pub fn take_out_of_bounds(&mut self) -> Vec<OutOfBounds> {
        let strays: Strays = std::mem::take(&mut self.core.strays);
        strays.into_certain(&self.core.launch.pointers)
    }

    /// What all blocks have done so far, in all runs.
    pub fn stats(&self) -> LaunchStats {
        LaunchStats {
            warp_instructions: self.instructions_before + self.core.instructions,
            accesses: self.core.trace.accesses,
        }
    }
}
