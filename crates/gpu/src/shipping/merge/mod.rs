//! Operations of all warps, put into one order in which they may have happened.
//!
//! A lane's operations stay in their order; lanes of one warp that have diverged do not wait for each
//! other, since a group may ship earlier what it saw from another. Of a strong operation each lane goes
//! when its turn has come, so that one record may become several events. Whoever is at a barrier waits
//! for its completion, by the rules of the CPU engine.

mod barriers;
mod blocks;
mod clusters;
mod reconvergence;
mod retrying;
mod tickets;
mod turns;

use super::error::ShippingError;
use super::launch::ShippedLaunch;
use super::operation::{Operation, resolve};
use super::translate::{Translator, place_of};
use blocks::{Block, Origin, Pending, Why};
use clusters::Cluster;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tickets::Tickets;
use turns::{Turn, Turns};
use warpsan_event::{EventMask, EventSink};
use warpsan_instrument::record::{RecordKind, fence_location, location};
use warpsan_model::lanes;

/// So many operations that wait are named in an error.
const EXAMPLES: usize = 8;

/// Puts the operations of one launch into order and emits them to a sink.
pub struct Merger<'a> {
    launch: &'a ShippedLaunch,
    out: Translator<'a>,
    /// Blocks that have begun, with those of their clusters, until all of a cluster have ended.
    blocks: FxHashMap<u32, Block>,
    clusters: FxHashMap<u64, Cluster>,
    ended: EndedBlocks,
    turns: Turns,
    tickets: Tickets,
    queues: Vec<Queue>,
    /// Warps with operations that may be able to go now.
    work: Vec<(u32, u32)>,
    /// Operations that went.
    done: u64,
    /// Lanes reconverge where their paths in the code do.
    reconverges: bool,
}

/// What is known about a queue.
#[derive(Debug)]
struct Queue {
    capacity: u64,
    /// Where the operations are that have to wait.
    held: BTreeSet<u64>,
}

/// Which blocks have ended.
#[derive(Debug, Default)]
struct EndedBlocks {
    bits: Vec<u64>,
    count: u64,
}

impl EndedBlocks {
    fn add(&mut self, block: u32) {
        let word = block as usize / 64;
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (block % 64);
        self.count += 1;
    }

    fn contains(&self, block: u32) -> bool {
        self.bits.get(block as usize / 64).is_some_and(|word| word >> (block % 64) & 1 == 1)
    }

    fn first_missing(&self) -> u64 {
        let full = self.bits.iter().take_while(|word| **word == u64::MAX).count() as u64;
        full * 64 + self.bits.get(full as usize).map_or(0, |word| u64::from(word.trailing_ones()))
    }
}

impl<'a> Merger<'a> {
    /// For a launch whose queues have these capacities. The sink gets the launch's beginning.
    pub fn new(
        launch: &'a ShippedLaunch,
        capacities: &[u64],
        sink: &'a mut dyn EventSink,
    ) -> Merger<'a> {
        let queue = |capacity: &u64| Queue { capacity: *capacity, held: BTreeSet::new() };
        let reconverges = sink.interest().contains(EventMask::JOINED);
        Merger {
            launch,
            reconverges,
            out: Translator::new(launch, sink),
            blocks: FxHashMap::default(),
            clusters: FxHashMap::default(),
            ended: EndedBlocks::default(),
            turns: Turns::new(launch.turn_bits),
            tickets: Tickets::default(),
            queues: capacities.iter().map(queue).collect(),
            work: Vec::new(),
            done: 0,
        }
    }

    /// Operations that were emitted so far.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Whether every thread of the launch has shipped its end.
    pub fn all_have_ended(&self) -> bool {
        self.ended.count >= self.launch.blocks()
    }

    /// Whether the slot with this index of a queue may be taken now: if an operation of the queue waits,
    /// what it waits for is less than a capacity behind it.
    pub fn may_read(&self, queue: usize, index: u64) -> bool {
        let Queue { capacity, held } = &self.queues[queue];
        held.first().is_none_or(|oldest| index < oldest + capacity)
    }

    /// Takes the next operation of a queue; `index` is that of its first slot.
    pub fn accept(
        &mut self,
        queue: usize,
        index: u64,
        operation: Operation,
    ) -> Result<(), ShippingError> {
        self.check(&operation)?;
        let origin = Origin { queue, index };
        if self.tickets.are_used(&operation, self.launch)? {
            return self.accept_by_ticket(origin, operation);
        }
        let header = operation.header();
        let (number, mask) = (u32::from(header.warp), header.mask);
        let key = (header.block, number);
        self.begin_block(header.block);
        if operation.kind() == RecordKind::BlockBarrierArrive {
            self.note_arrival(&operation)?;
        }
        let warp = self.warp(key);
        let is_first = mask & (warp.waiting | warp.pending_lanes) == 0;
        let may_reconverge = is_first && self.may_reconverge(&operation);
        let left = match is_first && !may_reconverge {
            true => self.go(&operation, mask)?,
            false => mask,
        };
        if left == 0 {
            self.done += 1;
        } else {
            self.queues[queue].held.insert(index);
            let why = if is_first && !may_reconverge { Why::NoTurn } else { Why::Behind };
            let warp = self.warp(key);
            warp.pending_lanes |= left;
            warp.pending.push_back(Pending { origin, operation, left, why });
        }
        if may_reconverge || self.some_wait_to_reconverge(key) {
            self.work.push(key);
        }
        self.settle()
    }

    /// All was read. Emits the launch's end, or says what is missing.
    pub fn finish(mut self) -> Result<u64, ShippingError> {
        let result = self.stop_all_reconverging().and_then(|()| self.missing());
        self.out.launch_end();
        result.map(|()| self.done)
    }

    /// The launch was stopped from outside. Barriers that can never complete are reported.
    pub fn stop(mut self) -> ShippingError {
        if let Err(error) = self.stop_all_reconverging() {
            tracing::debug!("a launch that was stopped: {error}");
        }
        let blocks = self.launch.blocks();
        if self.ended.count < blocks {
            self.report_deadlocks();
        }
        self.out.launch_end();
        ShippingError::Stopped
    }

    /// Something is wrong, and nothing more can be emitted but that the launch is over.
    pub fn give_up(mut self) {
        self.out.launch_end();
    }

    fn missing(&mut self) -> Result<(), ShippingError> {
        let count: usize = self.queues.iter().map(|queue| queue.held.len()).sum();
        if count > 0 {
            return Err(ShippingError::Stuck { count, examples: self.examples() });
        }
        let blocks = self.launch.blocks();
        match blocks - self.ended.count.min(blocks) {
            0 => Ok(()),
            missing => {
                let first = self.ended.first_missing();
                Err(ShippingError::BlocksMissing { missing, blocks, first })
            }
        }
    }

    /// Some operations that wait, in words.
    #[cold]
    pub fn examples(&self) -> String {
        let mut texts = self.tickets.examples(self.launch, EXAMPLES);
        let mut numbers: Vec<&u32> = self.blocks.keys().collect();
        numbers.sort();
        for block in numbers.into_iter().filter_map(|number| self.blocks.get(number)) {
            for warp in &block.warps {
                // The others of the warp may only be behind the first one.
                let Some(pending) = warp.pending.front() else { continue };
                if texts.len() == EXAMPLES {
                    return texts.join("; ");
                }
                let operation = &pending.operation;
                let why = match (pending.left & warp.waiting, operation.turns()) {
                    (0, Some(turns)) => self.why_no_turn(operation, pending.left, turns),
                    (0, None) => String::new(),
                    (waiting, _) => format!(": lanes {waiting:#x} are at a barrier"),
                };
                texts.push(format!("{}{why}", operation.describe(self.launch)));
            }
        }
        texts.join("; ")
    }

    fn why_no_turn(&self, operation: &Operation, left: u32, turns: &[u64; 32]) -> String {
        let Some(lane) = lanes(left).next() else { return String::new() };
        let turn = turns[lane as usize];
        match self.locations(operation, left) {
            Ok(places) => {
                let taken = self.turns.taken(places[lane as usize]);
                format!(": lane {lane} has turn {turn}, and {taken} were taken at its location")
            }
            Err(_) => String::new(),
        }
    }

    /// Refuses what no warp of the launch can have shipped.
    fn check(&self, operation: &Operation) -> Result<(), ShippingError> {
        let header = operation.header();
        let wrong = |what: &str| Err(operation.is_bad(self.launch, what));
        if u64::from(header.block) >= self.launch.blocks() {
            return wrong("there is no such block");
        }
        let all = self.launch.lanes_of_warp(u32::from(header.warp));
        if header.mask & !all != 0 || header.mask == 0 {
            return wrong("the warp has no such lanes");
        }
        if header.site as usize >= self.launch.infos.len() {
            return wrong("there is no such site");
        }
        if self.ended.contains(header.block) {
            return wrong("the block has ended");
        }
        Ok(())
    }

    fn warp(&mut self, (block, warp): (u32, u32)) -> &mut blocks::Warp {
        let block = self.blocks.get_mut(&block).expect("the block has begun");
        &mut block.warps[warp as usize]
    }

    /// Lets lanes of an operation go, as far as they can. Returns those that cannot.
    fn advance(&mut self, operation: &Operation, left: u32) -> Result<u32, ShippingError> {
        let header = operation.header();
        let block = self.blocks.get(&header.block);
        let live = block.map_or(0, |block| block.warps[usize::from(header.warp)].live);
        if left & !live != 0 {
            return Err(operation.is_bad(self.launch, "lanes of it have ended"));
        }
        if operation.turns().is_some() && !self.tickets.in_use() {
            return self.take_turns(operation, left);
        }
        match operation.kind() {
            RecordKind::BlockBarrierArrive => return self.block_barrier(operation),
            RecordKind::WarpBarrier => self.warp_barrier(operation),
            RecordKind::Exit => self.exit(operation)?,
            RecordKind::ClusterArrive => self.cluster_arrive(operation)?,
            RecordKind::ClusterWait => return self.cluster_wait(operation, left),
            RecordKind::BlockBarrierLeave => {}
            _ => self.out.operation(operation, left)?,
        }
        Ok(0)
    }

    fn take_turns(&mut self, operation: &Operation, left: u32) -> Result<u32, ShippingError> {
        let Some(turns) = operation.turns() else { return Ok(0) };
        let places = self.locations(operation, left)?;
        let mut left = left;
        loop {
            let mut go = 0;
            for lane in lanes(left) {
                let (place, turn) = (places[lane as usize], turns[lane as usize]);
                match self.turns.take(place, turn, &mut self.work) {
                    Turn::Taken => go |= 1 << lane,
                    Turn::NotYet => {}
                    Turn::Over => {
                        let what = format!("turn {turn} of lane {lane} was taken already");
                        return Err(operation.is_bad(self.launch, what));
                    }
                }
            }
            if go == 0 {
                break;
            }
            left &= !go;
            self.out.operation(operation, go)?;
        }
        let header = operation.header();
        let who = (header.block, u32::from(header.warp));
        for lane in lanes(left) {
            self.turns.wait(places[lane as usize], turns[lane as usize], who);
        }
        Ok(left)
    }

    /// The words of the table of turns that lanes of an operation use.
    fn locations(&self, operation: &Operation, of: u32) -> Result<[u32; 32], ShippingError> {
        let bits = self.launch.turn_bits;
        let mut found = [0; 32];
        let (place, words) = match operation.kind() {
            RecordKind::Fence => return Ok([fence_location(bits); 32]),
            RecordKind::CopyBegin => match operation.part(RecordKind::CopyObject) {
                Some(object) => (place_of(operation, object, self.launch)?, &object.lanes),
                None => return Err(operation.is_bad(self.launch, "a turn without an object")),
            },
            RecordKind::Access | RecordKind::Mbarrier | RecordKind::CopyArrive => {
                (self.out.place(operation)?, operation.lanes())
            }
            _ => return Err(operation.is_bad(self.launch, "it takes no turn anywhere")),
        };
        for lane in lanes(of) {
            let word = words[lane as usize];
            let (owner, address) = resolve(place, operation.block(), word).unwrap_or((None, word));
            found[lane as usize] = location(owner, address, bits);
        }
        Ok(found)
    }
}
