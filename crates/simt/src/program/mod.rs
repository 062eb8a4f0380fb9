//! A kernel in the form that the inner loop walks: rows instead of registers, functions instead of
//! names of operations, nothing to look up.

mod live;
mod lower;
pub(crate) mod matrix_form;
pub(crate) mod rare;
mod region;
mod rows;
pub(crate) mod translate;

use crate::lanes::{LaneFn, Operands, Row, TestFn};
use crate::out_of_bounds::NO_ARGUMENT;
pub(crate) use live::Live;
use rare::RareOp;
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_ir::{AtomicOp, BoolOp, MemorySpace};
use warpsan_model::{SiteId, Strength};

/// A predicate, perhaps negated: its number times two, plus one if negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Condition(pub(crate) u32);

impl Condition {
    /// No condition: always true.
    pub(crate) const ALWAYS: Condition = Condition(u32::MAX);

    /// The lanes for which it holds.
    #[inline(always)]
    pub(crate) fn lanes(self, predicates: &[u32]) -> u32 {
        if self == Condition::ALWAYS {
            return u32::MAX;
        }
        let bits = predicates[(self.0 >> 1) as usize];
        bits ^ 0u32.wrapping_sub(self.0 & 1)
    }
}

/// One instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inst {
    pub(crate) action: Action,
    pub(crate) guard: Condition,
    pub(crate) operands: Operands,
    pub(crate) site: SiteId,
}

/// What an instruction does. Numbers lead into the tables of the [`Program`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    /// Computes a register.
    Lanes(LaneFn),
    /// Computes a predicate from registers.
    Test { function: TestFn, to: u32, complement: u32, combine: u32 },
    /// Takes `a` where the condition holds, else `b`.
    Select { by: Condition, rows: u8 },
    /// Computes a predicate from predicates.
    Logic { op: Logic, to: u32, a: Condition, b: Condition },
    /// Jumps.
    Branch { target: u32, reconverge: u32 },
    /// Loads.
    Load(u32),
    /// Stores.
    Store(u32),
    /// Updates memory by one of the common functions.
    Atomic(u32),
    /// Anything else.
    Rare(u32),
}

/// Logic on predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logic {
    False,
    True,
    /// `a` alone.
    Same,
    Of(BoolOp),
}

/// How a comparison is combined with a predicate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Combine {
    pub(crate) op: BoolOp,
    pub(crate) with: Condition,
}

/// An address: a row of it, 32 or 64 bits wide, and an offset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub(crate) space: MemorySpace,
    pub(crate) base: u32,
    pub(crate) is_wide: bool,
    pub(crate) offset: i64,
}

/// A register that takes part in an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its first row, or [`NO_ROW`].
    pub(crate) row: u32,
    /// Its width in rows.
    pub(crate) rows: u8,
}

/// A part of a vector load that nobody wants.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Rows that a register of this width takes.
pub(super) fn rows_of(bits: u8) -> u8 {
    warpsan_ir::words_of(bits)
}

/// A load or store.
#[derive(Debug, Clone)]
pub(crate) struct AccessForm {
    pub(crate) address: Address,
    /// Bytes of one element.
    pub(crate) bytes: u32,
    /// A narrower value is extended by its sign.
    pub(crate) is_signed: bool,
    pub(crate) parts: Vec<Part>,
    pub(crate) strength: Strength,
    pub(crate) read_only_path: bool,
    /// A speculated load counts as an access where this holds.
    pub(crate) counts_if: Condition,
    /// The argument that the address is counted from: a number into [`Program::arguments`], or
    /// [`NO_ARGUMENT`].
    pub(crate) argument: u16,
    /// The first elements of a load that count as read: those behind the last one with a register do not.
    pub(crate) read: u8,
}

impl AccessForm {
    /// Bytes of all elements of a lane.
    pub(crate) fn size(&self) -> u64 {
        u64::from(self.bytes) * self.parts.len() as u64
    }
}

/// An atomic operation on integers of 32 or 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AtomicForm {
    pub(crate) op: AtomicOp,
    pub(crate) is_signed: bool,
    /// Where the address is: a number into [`Program::accesses`].
    pub(crate) access: u32,
    /// The old value goes there, or nowhere.
    pub(crate) to: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// A subroutine.
#[derive(Debug, Clone)]
pub(crate) struct Routine {
    pub(crate) address: u64,
    pub(crate) entry: u32,
    pub(crate) rows: u32,
    pub(crate) predicates: u32,
    pub(crate) local_words: u32,
}

/// What is the same in all lanes that run together, in the kernel itself.
#[derive(Debug, Default)]
pub(crate) struct Uniform {
    /// Rows that hold such registers, as first row and count.
    pub(crate) rows: Vec<(u32, u8)>,
    pub(crate) predicates: Vec<u32>,
}

/// A kernel ready to run.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) code: Vec<Inst>,
    /// Constants, each in all lanes.
    pub(crate) constants: Vec<Row>,
    pub(crate) combines: Vec<Combine>,
    pub(crate) accesses: Vec<AccessForm>,
    pub(crate) atomics: Vec<AtomicForm>,
    /// What the inner loop hands on.
    pub(crate) rare: Vec<RareOp>,
    pub(crate) routines: Vec<Routine>,
    /// Where the pointers stand in the parameters that accesses are counted from.
    pub(crate) arguments: Vec<u32>,
    /// For each site, the argument that its address is counted from, as in [`AccessForm::argument`].
    pub(crate) argument_of_site: Vec<u16>,
    pub(crate) rows: u32,
    pub(crate) uniform: Arc<Uniform>,
    pub(crate) predicates: u32,
    pub(crate) local_words: u32,
    /// What lives on behind the block barriers of the kernel itself.
    pub(crate) live_behind: HashMap<u32, Live>,
    /// Blocks cannot observe what other blocks of the launch do: no atomics and no strong accesses to
    /// global memory, no clusters, no output.
    pub(crate) blocks_are_independent: bool,
}

impl Program {
    /// The argument that the address of a site is counted from, as in [`AccessForm::argument`].
    pub(crate) fn argument_of(&self, site: SiteId) -> u16 {
        self.argument_of_site.get(site.0 as usize).copied().unwrap_or(NO_ARGUMENT)
    }
}
