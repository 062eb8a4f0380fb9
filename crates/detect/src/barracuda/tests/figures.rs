//! Figures 5.4 and 5.5 of the thesis as they stand: a full vector clock for each thread, a history for each byte, a stack of
//! active masks for each warp. Nothing is compressed, shared or levelled. It knows no events.

use super::super::messages::Class;
use std::collections::{BTreeMap, BTreeSet};
use warpsan_model::{WARP_LANES, lanes};

/// A thread by its number in the grid, all blocks one after the other.
pub(super) type Thread = usize;
type VectorClock = Vec<u32>;

/// A location x: a byte of global memory, or of the shared memory of a block.
pub(super) type Byte = (Option<u32>, u64);

/// The scope of a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Block,
    Global,
}

/// An operation of one thread on one location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Read,
    /// With the byte that is written, for lanes of one instruction that write the same.
    Write(u8),
    Atomic,
    Acquire(Scope),
    Release(Scope),
    /// The scope on the side of the acquire, and on that of the release. The figures have the case that they are equal,
    /// and leave it out at global scope: it is an acquire, then a release.
    AcquireRelease(Scope, Scope),
}

/// An access that is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Access {
    thread: Thread,
    clock: u32,
    site: u32,
    instruction: u64,
    /// The byte that was written, where there is one.
    byte: Option<u8>,
}

/// R.
#[derive(Debug, Clone)]
enum Reads {
    Epoch(Option<Access>),
    VectorClock(BTreeMap<Thread, Access>),
}

#[derive(Debug, Clone)]
struct Location {
    write: Option<Access>,
    atomic: bool,
    reads: Reads,
}

/// Two accesses that race: the class, the byte, the earlier thread with its instruction and the later one with its.
pub(super) type Race = (Class, Byte, (Thread, u32), (Thread, u32));

/// Why lanes are active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    Whole,
    Then,
    Else,
}

/// The analysis state (K, C, S, R, W) of section 5.4.3.
pub(super) struct Figures {
    threads_per_block: usize,
    masks: Vec<Vec<(Path, u32)>>,
    clocks: Vec<VectorClock>,
    released: BTreeMap<Byte, Vec<VectorClock>>,
    memory: BTreeMap<Byte, Location>,
    instruction: u64,
    pub(super) races: BTreeSet<Race>,
}

fn join(into: &mut VectorClock, other: &VectorClock) {
    into.iter_mut().zip(other).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}

impl Figures {
    pub(super) fn new(blocks: usize, threads_per_block: usize) -> Figures {
        let threads = blocks * threads_per_block;
        let clock = |thread| (0..threads).map(|other| u32::from(other == thread)).collect();
        let in_warp = |warp: usize| {
            let rest = threads_per_block - warp * WARP_LANES as usize;
            if rest >= WARP_LANES as usize { u32::MAX } else { (1 << rest) - 1 }
        };
        let warps = threads_per_block.div_ceil(WARP_LANES as usize);
        let stack = |warp: usize| vec![(Path::Whole, in_warp(warp % warps))];
        Figures {
            threads_per_block,
            masks: (0..blocks * warps).map(stack).collect(),
            clocks: (0..threads).map(clock).collect(),
            released: BTreeMap::new(),
            memory: BTreeMap::new(),
            instruction: 0,
            races: BTreeSet::new(),
        }
    }

    fn warps_per_block(&self) -> usize {
        self.threads_per_block.div_ceil(WARP_LANES as usize)
    }

    /// The threads of a warp of the grid.
    pub(super) fn threads(&self, warp: usize, mask: u32) -> Vec<Thread> {
        let (block, warp) = (warp / self.warps_per_block(), warp % self.warps_per_block());
        let first = block * self.threads_per_block + warp * WARP_LANES as usize;
        lanes(mask).map(|lane| first + lane as usize).collect()
    }

    pub(super) fn block_of(&self, thread: Thread) -> usize {
        thread / self.threads_per_block
    }

    fn class(&self, earlier: &Access, now: &Access) -> Class {
        let [first, second] = [earlier.thread, now.thread]
            .map(|thread| (self.block_of(thread), thread % self.threads_per_block / 32));
        match (first.0 == second.0, first.1 == second.1) {
            (false, _) => Class::InterBlock,
            (true, false) => Class::IntraBlock,
            _ if earlier.instruction == now.instruction => Class::IntraWarp,
            _ => Class::BranchOrdering,
        }
    }

    /// The lanes that are active, and why.
    pub(super) fn peek(&self, warp: usize) -> (Path, u32) {
        self.masks[warp].last().copied().expect("a warp has lanes")
    }

    /// What ENDINSN, IF, ELSEENDIF and BAR have in common.
    fn join_and_fork(&mut self, threads: &[Thread]) {
        let mut joined = vec![0; self.clocks.len()];
        threads.iter().for_each(|thread| join(&mut joined, &self.clocks[*thread]));
        for thread in threads {
            self.clocks[*thread] = joined.clone();
            self.clocks[*thread][*thread] += 1;
        }
    }

    /// `endi(w)`.
    pub(super) fn end_instruction(&mut self, warp: usize) {
        let (_, mask) = self.peek(warp);
        self.join_and_fork(&self.threads(warp, mask));
        self.instruction += 1;
    }

    /// `if(w)`; these lanes, as far as they are active, go first.
    pub(super) fn begin_branch(&mut self, warp: usize, then: u32) {
        let (_, mask) = self.peek(warp);
        self.masks[warp].push((Path::Else, mask & !then));
        self.masks[warp].push((Path::Then, mask & then));
        self.join_and_fork(&self.threads(warp, mask & then));
    }

    /// `else(w)` or `fi(w)`, whatever comes next.
    pub(super) fn go_on(&mut self, warp: usize) {
        self.masks[warp].pop();
        let (_, mask) = self.peek(warp);
        self.join_and_fork(&self.threads(warp, mask));
    }

    /// `bar(b)`: all threads of the block have to be active.
    pub(super) fn barrier(&mut self, block: usize) {
        let first = block * self.threads_per_block;
        let threads: Vec<Thread> = (first..first + self.threads_per_block).collect();
        self.join_and_fork(&threads);
    }

    /// One operation of a thread. It is of the same instruction as those before it, until the instruction ends.
    pub(super) fn take(&mut self, thread: Thread, site: u32, byte: Byte, operation: Operation) {
        let clock = self.clocks[thread][thread];
        let written = if let Operation::Write(byte) = operation { Some(byte) } else { None };
        let now = Access { thread, clock, site, instruction: self.instruction, byte: written };
        match operation {
            Operation::Read => self.read(byte, now),
            Operation::Write(_) => self.write(byte, now, false),
            Operation::Atomic => self.write(byte, now, true),
            Operation::Acquire(scope) => self.acquire(thread, byte, scope),
            Operation::Release(scope) => self.release(thread, byte, scope),
            Operation::AcquireRelease(acquire, release) => {
                self.acquire(thread, byte, acquire);
                self.release(thread, byte, release);
            }
        }
    }

    /// The premise that an access was before: where it does not hold, there is a race, unless lanes of one instruction write
    /// the same.
    fn is_before(&mut self, byte: Byte, earlier: Access, now: Access) -> bool {
        if earlier.clock <= self.clocks[now.thread][earlier.thread] {
            return true;
        }
        let class = self.class(&earlier, &now);
        if class != Class::IntraWarp || earlier.byte.is_none() || earlier.byte != now.byte {
            let (first, second) = ((earlier.thread, earlier.site), (now.thread, now.site));
            self.races.insert((class, byte, first, second));
        }
        false
    }

    fn location(&mut self, byte: Byte) -> Location {
        let nothing = Location { write: None, atomic: false, reads: Reads::Epoch(None) };
        self.memory.get(&byte).cloned().unwrap_or(nothing)
    }

    /// READSHARED, READEXCL and READINFLATE.
    fn read(&mut self, byte: Byte, now: Access) {
        let mut location = self.location(byte);
        if let Some(write) = location.write {
            self.is_before(byte, write, now);
        }
        location.reads = match location.reads {
            Reads::VectorClock(mut reads) => {
                reads.insert(now.thread, now);
                Reads::VectorClock(reads)
            }
            Reads::Epoch(Some(last)) if last.clock > self.clocks[now.thread][last.thread] => {
                Reads::VectorClock([last, now].map(|read| (read.thread, read)).into())
            }
            Reads::Epoch(_) => Reads::Epoch(Some(now)),
        };
        self.memory.insert(byte, location);
    }

    /// WRITEEXCL and WRITESHARED; for atomics INITATOMEXCL, INITATOMSHRD, ATOMEXCL and ATOMSHARED.
    fn write(&mut self, byte: Byte, now: Access, atomic: bool) {
        let location = self.location(byte);
        if let Some(write) = location.write
            && !(atomic && location.atomic)
        {
            self.is_before(byte, write, now);
        }
        // Of several reads that were not before it, the first thread's is named.
        match location.reads {
            Reads::Epoch(last) => {
                last.into_iter().all(|read| self.is_before(byte, read, now));
            }
            Reads::VectorClock(reads) => {
                reads.into_values().all(|read| self.is_before(byte, read, now));
            }
        }
        let reads = Reads::Epoch(None);
        self.memory.insert(byte, Location { write: Some(now), atomic, reads });
    }

    fn released(&mut self, byte: Byte) -> &mut Vec<VectorClock> {
        let blocks = self.clocks.len() / self.threads_per_block;
        let nothing = vec![vec![0; self.clocks.len()]; blocks];
        self.released.entry(byte).or_insert(nothing)
    }

    /// ACQBLOCK and ACQGLOBAL.
    fn acquire(&mut self, thread: Thread, byte: Byte, scope: Scope) {
        let block = self.block_of(thread);
        let released = self.released(byte).clone();
        match scope {
            Scope::Block => join(&mut self.clocks[thread], &released[block]),
            Scope::Global => {
                released.iter().for_each(|clock| join(&mut self.clocks[thread], clock));
            }
        }
    }

    /// RELBLOCK and RELGLOBAL.
    fn release(&mut self, thread: Thread, byte: Byte, scope: Scope) {
        let (block, clock) = (self.block_of(thread), self.clocks[thread].clone());
        let released = self.released(byte);
        match scope {
            Scope::Block => released[block] = clock,
            Scope::Global => released.fill(clock),
        }
        self.clocks[thread][thread] += 1;
    }
}
