//! What is expected of accesses before their checks are written, and those that wait for theirs.

use crate::meaning::access_of;
use crate::sets::in_cycles;
use warpsan_ir::{
    Among, AsyncOp, Function, FunctionWays, LaneAccess, MatrixKind, MemorySpace, Op, Phases,
    Varying, lane_strides, warp_barrier_tiles,
};
use warpsan_model::WARP_LANES;

/// Accesses that can wait for their checks at a time: each has registers.
pub(super) const MOST: usize = 8;
/// Bytes of a line.
pub(super) const LINE: u32 = 128;

/// What is expected of an instruction that accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expected {
    /// Bytes from one lane's address to that of the next.
    pub(super) stride: Option<i64>,
    /// What it always stores.
    pub(super) stored: Option<u64>,
    /// No load or store of another thread can be without a barrier between them, as far as they conflict.
    pub(super) is_alone: bool,
    /// No load of shared memory shares an interval with it.
    pub(super) without_loads: bool,
    /// All lanes of a warp come to it together.
    pub(super) of_whole_warp: bool,
    /// A thread may come to it again.
    pub(super) is_in_loop: bool,
    /// No access that may be of whole lines comes behind it before something that ends waiting.
    pub(super) is_last: bool,
    /// Of the first access in its block that may be of whole lines: how many lines a warp accesses in the block at most.
    pub(super) lines_of_block: u32,
    /// Of a barrier of a warp: the power of two of the lanes of its tile, if it is for one.
    pub(super) tile: Option<u32>,
}

/// What is expected of the instructions of a function.
pub(crate) fn expected(function: &Function) -> Vec<Expected> {
    let phases = function.is_kernel.then(|| Phases::of(function)).flatten();
    let places = |reads: bool| -> Vec<usize> {
        let may_be_shared =
            |op: &Op| space_of(op).is_some_and(|space| space != MemorySpace::Global);
        let all = function.code.iter().enumerate();
        let wanted = all.filter(|(_, one)| may_be_shared(&one.op) && is_read(&one.op) == reads);
        wanted.map(|(at, _)| at).collect()
    };
    let (writes, loads) = (places(false), places(true));
    // Copies write in later intervals, too.
    let has_copies = function.code.iter().any(|one| is_copy(&one.op));
    let phases = phases.filter(|_| !has_copies);
    let cycles = in_cycles(function);
    let share = |at: usize, others: &[usize]| {
        phases.as_ref().is_none_or(|phases| others.iter().any(|other| phases.share(at, *other)))
    };
    let strides = lane_strides(&function.code);
    let ways = FunctionWays::of(function);
    let varying = match function.is_kernel {
        true => Varying::of(ways.ways(), Among::Warp),
        false => Varying::everything(Among::Warp),
    };
    let are_last = last_in_blocks(function, &strides);
    let lines = lines_of_blocks(function, &strides);
    let tiles = warp_barrier_tiles(&function.code);
    let expect = |(at, access): (usize, LaneAccess)| {
        let op = &function.code[at].op;
        let is_shared = space_of(op) == Some(MemorySpace::Shared);
        let is_load = is_read(op);
        Expected {
            stride: access.stride,
            stored: access.stored,
            is_alone: is_shared && is_load && !share(at, &writes),
            without_loads: is_shared && !is_load && !share(at, &loads),
            of_whole_warp: !varying.is_of_some(ways.ways(), at),
            is_in_loop: cycles[function.control_flow.block_of(at as u32)],
            is_last: are_last[at],
            lines_of_block: lines[at],
            tile: tiles[at],
        }
    };
    strides.into_iter().enumerate().map(expect).collect()
}

/// Of each instruction, whether no access that may be of whole lines comes behind it before something that ends waiting.
fn last_in_blocks(function: &Function, strides: &[LaneAccess]) -> Vec<bool> {
    let flow = &function.control_flow;
    let (mut are_last, mut is_last) = (vec![true; function.code.len()], true);
    for at in (0..function.code.len()).rev() {
        let op = &function.code[at].op;
        let block = flow.block_of(at as u32);
        if flow.blocks[block].end == at as u32 + 1 {
            is_last = !may_skip(function, block);
        }
        is_last |= matches!(op, Op::BlockBarrier { .. } | Op::Call(_));
        are_last[at] = is_last;
        is_last &= !may_wait(op, strides[at].stride);
    }
    are_last
}

/// Of the first access of each block that may be of whole lines, how many lines a warp accesses in the block at most; 0 of the others.
fn lines_of_blocks(function: &Function, strides: &[LaneAccess]) -> Vec<u32> {
    let mut lines = vec![0; function.code.len()];
    for block in &function.control_flow.blocks {
        let lines_of = |at: usize| {
            let (op, stride) = (&function.code[at].op, strides[at].stride);
            match may_wait(op, stride) {
                true => stride.unwrap_or(0) as u32 * WARP_LANES / LINE,
                false => 0,
            }
        };
        let range = block.start as usize..block.end as usize;
        if let Some(first) = range.clone().find(|at| lines_of(*at) != 0) {
            lines[first] = range.map(lines_of).sum();
        }
    }
    lines
}

/// Whether a block ends with a branch that may do no more than skip the next one, behind which accesses go on waiting.
fn may_skip(function: &Function, block: usize) -> bool {
    let flow = &function.control_flow;
    let ways: Vec<usize> = flow.successors(block).collect();
    let skips = |skipped: usize, behind: usize| flow.successors(skipped).eq([behind]);
    matches!(*ways, [one, other] if skips(one, other) || skips(other, one))
}

/// The memory that an operation accesses, if threads share that. Of a copy, that is where it writes.
pub(super) fn space_of(op: &Op) -> Option<MemorySpace> {
    let space = match op {
        Op::Load { space, .. } | Op::Store { space, .. } | Op::Atomic { space, .. } => space,
        Op::Matrix(matrix) => &matrix.place?.space,
        op if is_copy(op) => return Some(MemorySpace::Shared),
        _ => return None,
    };
    let is_shared =
        matches!(space, MemorySpace::Global | MemorySpace::Generic | MemorySpace::Shared);
    is_shared.then_some(*space)
}

/// Whether an access may be of whole lines, by itself or with others, by the bytes from one lane's address to that of the next.
pub(super) fn may_be_of_lines(space: MemorySpace, bytes: u32, stride: Option<i64>) -> bool {
    space == MemorySpace::Global
        && bytes >= 4
        && stride.is_some_and(|stride| matches!(stride, 4 | 8 | 16) && i64::from(bytes) <= stride)
}

/// Whether an operation is an access that may wait, since it may be one of whole lines.
fn may_wait(op: &Op, stride: Option<i64>) -> bool {
    let bytes = access_of(op, true).map_or(0, |(_, bytes)| bytes);
    let is_update = matches!(op, Op::Atomic { .. });
    !is_update && space_of(op).is_some_and(|space| may_be_of_lines(space, bytes, stride))
}

/// Whether an operation only reads memory.
fn is_read(op: &Op) -> bool {
    match op {
        Op::Matrix(matrix) => matrix.kind == MatrixKind::Load,
        op => matches!(op, Op::Load { .. }),
    }
}

/// Whether it is an asynchronous copy of a thread from global to shared memory.
pub(super) fn is_copy(op: &Op) -> bool {
    matches!(op, Op::Async(operation) if matches!(**operation, AsyncOp::Copy { .. }))
}

/// An access that waits for its check. Its address is in a register of its number, and so is what it stores.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) site: u32,
    /// A number that accesses of the same source line have in common.
    pub(crate) source: usize,
    /// Bytes of a lane.
    pub(crate) bytes: u32,
    /// Bytes from one lane's address to that of the next, as far as these are expected to be few; or 0.
    pub(crate) stride: u32,
    /// What its address is counted from, and by how much.
    pub(crate) base: String,
    pub(crate) offset: i64,
    /// As `hows` has it.
    pub(crate) how: u32,
    /// Bytes of what it stores, if that is known.
    pub(crate) value_bytes: u32,
    /// Some lanes may not have made it. A register of its number says which have.
    pub(crate) is_conditional: bool,
    /// Its thread may come to it again.
    pub(crate) is_in_loop: bool,
    /// It was checked already.
    pub(crate) is_checked: bool,
    /// It is a store of shared memory whose entries say who stored last alone.
    pub(crate) of_owner: bool,
    /// Room for so many collected lines was made in front of it.
    pub(crate) room: u32,
}

impl Waiting {
    /// Whether it is one of global memory that was not checked yet.
    pub(super) fn is_of_global(&self) -> bool {
        !self.of_owner && !self.is_checked
    }

    /// Whether it differs from another one by its address only.
    pub(super) fn goes_with(&self, other: &Waiting) -> bool {
        (self.source, self.bytes, self.stride, self.how)
            == (other.source, other.bytes, other.stride, other.how)
            && self.base == other.base
    }
}

/// Which accesses of a kernel are collected in loops ([`collected`](super::collected)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Collects {
    /// Loads, unless they are by the read-only path.
    pub(super) reads: bool,
    /// Stores. To a load by the read-only path it matters whether it came before a store of its own thread, so that there is no such load.
    pub(super) writes: bool,
    /// Loads by the read-only path. There is no store in any loop, and before one elsewhere all lines are checked.
    pub(super) read_only: bool,
}

impl Collects {
    /// Whether there are any.
    pub(super) fn any(self) -> bool {
        self.reads || self.writes || self.read_only
    }
}

/// Accesses that wait.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(super) waiting: Vec<Waiting>,
    /// The label behind the instructions that a branch skips, while these are written.
    pub(super) join: Option<String>,
    /// What is collected in loops.
    pub(super) collects: Collects,
}

impl Batch {
    /// How those of global memory are made, as `hows` has it.
    pub(super) fn how(&self) -> u32 {
        let of_global = self.waiting.iter().filter(|one| one.is_of_global());
        of_global.fold(0, |how, one| how | one.how)
    }

    /// Whether one of them is made in one of these ways.
    pub(super) fn has(&self, how: u32) -> bool {
        self.how() & how != 0
    }

    /// What an access stores is in its register: so many bytes.
    pub(super) fn knows(&mut self, index: usize, value_bytes: u32) {
        if let Some(waiting) = self.waiting.get_mut(index) {
            waiting.value_bytes = value_bytes;
        }
    }

    /// Whether no register is left for another one.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() == MOST
    }

    /// Whether instructions are written that some lanes skip.
    pub(super) fn is_in_branch(&self) -> bool {
        self.join.is_some()
    }
}
