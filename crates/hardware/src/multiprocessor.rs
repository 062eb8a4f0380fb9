//! The state of one streaming multiprocessor: the blocks and warps that it runs, its L1, and its ports.

use crate::cache::Cache;
use crate::configuration::{Configuration, LINE_BYTES};
use crate::interconnect::Port;
use crate::recorder::MOST_WARPS;
use crate::workload::{BlockProgram, WarpProgram};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What a warp waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Its turn, or a time that is set.
    Turn,
    /// Values that it has asked for.
    Loads,
    /// Acknowledgements of its stores.
    Stores,
    /// The barrier of this number.
    Barrier(u32),
}

/// A warp that runs.
#[derive(Debug)]
pub(crate) struct Warp<'w> {
    pub(crate) program: &'w WarpProgram,
    /// The place of its block.
    pub(crate) block: usize,
    pub(crate) state: State,
    /// Its number in the launch.
    pub(crate) number: usize,
    /// The next operation, and the first of its lines.
    pub(crate) operation: usize,
    pub(crate) line: usize,
    /// Lines of the operation that are dealt with.
    pub(crate) lines_done: usize,
    /// Lines that it waits for.
    pub(crate) loads: u32,
    /// Stores that are not acknowledged.
    pub(crate) stores: u32,
    /// Polls that have ended, and turns of the next one.
    polls: usize,
    turns: u32,
}

/// The number of a warp in a launch.
fn number_of(block: usize, warp: u32) -> usize {
    block * MOST_WARPS as usize + warp as usize
}

impl<'w> Warp<'w> {
    fn new(program: &'w WarpProgram, block: usize, number: usize) -> Warp<'w> {
        Warp {
            program,
            block,
            state: State::Turn,
            number,
            operation: 0,
            line: 0,
            lines_done: 0,
            loads: 0,
            stores: 0,
            polls: 0,
            turns: 0,
        }
    }

    /// Goes back to the operation that has just ended, if it polls for what another warp has not issued yet.
    /// `issued` has how far each warp of the launch is.
    pub(crate) fn polls_again(&mut self, issued: &[u32]) -> bool {
        let Some(poll) = self.program.polls.get(self.polls) else { return false };
        if poll.operation as usize + 1 != self.operation {
            return false;
        }
        self.turns += 1;
        let other = number_of(poll.block as usize, poll.warp);
        let is_there = issued.get(other).is_some_and(|count| *count >= poll.operations);
        if is_there || self.turns >= poll.turns {
            self.polls += 1;
            self.turns = 0;
            return false;
        }
        self.operation -= 1;
        self.line -= usize::from(self.program.operations[self.operation].lines);
        true
    }

    /// Goes to the next operation.
    pub(crate) fn advance(&mut self) {
        if let Some(done) = self.program.operations.get(self.operation) {
            self.line += usize::from(done.lines);
        }
        self.operation += 1;
        self.lines_done = 0;
    }
}

/// A block that runs.
#[derive(Debug)]
pub(crate) struct Block {
    /// Places that it takes, also of warps that do nothing.
    places: u32,
    /// Warps that have not ended.
    pub(crate) warps: u32,
    /// For each barrier, the warps that have not come.
    pub(crate) barriers: Vec<u32>,
}

/// Why the instruction that is being issued cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stall {
    /// Too many requests are on their way.
    Requests,
    /// The buffer for packets of hits is full.
    HitBuffer,
}

/// A multiprocessor.
#[derive(Debug)]
pub(crate) struct Multiprocessor<'w> {
    pub(crate) l1: Cache,
    /// Lines that the L1 has asked for, with a bit for each warp that waits.
    pub(crate) awaited: FxHashMap<u32, u64>,
    pub(crate) warps: Vec<Option<Warp<'w>>>,
    pub(crate) blocks: Vec<Option<Block>>,
    places_taken: u32,
    places: u32,
    /// Warps whose turn it is, in the order in which they became ready: a loose round robin.
    pub(crate) ready: VecDeque<u32>,
    /// The warp whose instruction has lines left.
    pub(crate) busy_with: Option<u32>,
    /// Why that is so, and since when.
    pub(crate) stalled: Option<(Stall, u64)>,
    /// When the next instruction can be issued.
    pub(crate) issue_free: u64,
    /// Issuing is on the agenda.
    pub(crate) issue_planned: bool,
    /// Requests on their way.
    pub(crate) requests: u32,
    /// Packets of hits on their way to the detector, or being checked there.
    pub(crate) packets_of_hits: u32,
    pub(crate) out: Port,
    pub(crate) into: Port,
}

impl<'w> Multiprocessor<'w> {
    pub(crate) fn new(configuration: &Configuration) -> Multiprocessor<'w> {
        let slots = configuration.warps_per_multiprocessor.clamp(MOST_WARPS, u64::BITS);
        Multiprocessor {
            l1: Cache::new(configuration.l1_bytes / LINE_BYTES, configuration.l1_ways),
            awaited: FxHashMap::default(),
            warps: (0..slots).map(|_| None).collect(),
            blocks: (0..configuration.blocks_per_multiprocessor.max(1)).map(|_| None).collect(),
            places_taken: 0,
            places: configuration.warps_per_multiprocessor.min(slots),
            ready: VecDeque::new(),
            busy_with: None,
            stalled: None,
            issue_free: 0,
            issue_planned: false,
            requests: 0,
            packets_of_hits: 0,
            out: Port::default(),
            into: Port::default(),
        }
    }

    /// Whether a block finds room. One that is alone always does.
    pub(crate) fn has_room(&self, block: &BlockProgram) -> bool {
        let places = block.warps.len() as u32;
        let fits = self.places_taken + places <= self.places;
        self.blocks.iter().any(Option::is_none) && (fits || self.places_taken == 0)
    }

    /// Takes a block in; gives the places of its warps that have something to do.
    pub(crate) fn admit(&mut self, program: &'w BlockProgram, number: usize) -> Vec<u32> {
        let Some(place) = self.blocks.iter().position(Option::is_none) else { return Vec::new() };
        let mut admitted = Vec::new();
        let mut free = (0..self.warps.len()).filter(|slot| self.warps[*slot].is_none());
        let doing = program.warps.iter().enumerate();
        let doing = doing.filter(|(_, warp)| !warp.operations.is_empty());
        let places: Vec<(usize, (usize, &WarpProgram))> = free.by_ref().zip(doing).collect();
        for (slot, (warp, program)) in places {
            let number = number_of(number, warp as u32);
            self.warps[slot] = Some(Warp::new(program, place, number));
            admitted.push(slot as u32);
        }
        if !admitted.is_empty() {
            let places = program.warps.len() as u32;
            self.places_taken += places;
            let barriers = program.barriers.clone();
            self.blocks[place] = Some(Block { places, warps: admitted.len() as u32, barriers });
        }
        admitted
    }

    /// Ends a warp; whether its block has ended with it.
    pub(crate) fn retire(&mut self, slot: u32) -> bool {
        let Some(warp) = self.warps[slot as usize].take() else { return false };
        let Some(block) = &mut self.blocks[warp.block] else { return false };
        block.warps -= 1;
        if block.warps > 0 {
            return false;
        }
        self.places_taken -= block.places;
        self.blocks[warp.block] = None;
        true
    }

    /// The warp at a place.
    pub(crate) fn warp(&mut self, slot: u32) -> Option<&mut Warp<'w>> {
        self.warps.get_mut(slot as usize)?.as_mut()
    }
}
