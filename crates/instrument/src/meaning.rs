//! What an instruction means to checks: what it accesses, and whether it orders others.

use crate::checks::{Access, SynchronisationStep, is_block};
use warpsan_ir::{
    AsyncOp, ClusterStep, Instruction as Lowered, Matrix, MatrixKind, MbarrierOp, MemorySpace, Op,
    Value, used_elements,
};
use warpsan_model::Strength;
use warpsan_ptx::Instruction;

/// What is checked of the operations that an instruction stands for. What comes before is the operands of what comes last;
/// around a call there is the passing of its arguments, too.
pub(crate) fn what_matters(meaning: &[Lowered], matters: fn(&Op) -> bool) -> Option<&Lowered> {
    let is_whole = |lowered: &&Lowered| matches!(lowered.op, Op::Call(_) | Op::Opaque(_));
    let whole = meaning.iter().find(is_whole);
    whole.or_else(|| meaning.iter().rev().find(|lowered| matters(&lowered.op)))
}

/// Whether a basic block ends with it.
pub(crate) fn is_jump(instruction: &Instruction<'_>) -> bool {
    matches!(instruction.opcode(), "bra" | "brx" | "ret" | "exit" | "trap")
}

/// Whether it calls a function.
pub(crate) fn is_call(instruction: &Instruction<'_>) -> bool {
    instruction.opcode() == "call"
}

/// Whether an address of this space may be one of global memory.
pub(crate) fn may_be_global(space: MemorySpace) -> bool {
    matches!(space, MemorySpace::Global | MemorySpace::Generic)
}

/// What an operation does to memory and how many bytes of a lane it is, if that may be global memory or any will do.
pub(crate) fn access_of(op: &Op, in_any_memory: bool) -> Option<(Access, u32)> {
    let may_be_global = |space: MemorySpace| in_any_memory || may_be_global(space);
    match op {
        Op::Load { space, ty, to, strength, .. } if may_be_global(*space) => {
            Some((Access::Load, ty.bytes() * used_elements(to, *strength) as u32))
        }
        Op::Store { space, ty, from, .. } if may_be_global(*space) => {
            Some((Access::Store, ty.bytes() * from.len() as u32))
        }
        Op::Atomic { space, ty, strength, .. } if may_be_global(*space) => {
            Some((atomic(*strength), ty.bytes()))
        }
        Op::AtomicVector { space, ty, strength, from, .. } if may_be_global(*space) => {
            Some((atomic(*strength), ty.bytes() * from.len() as u32))
        }
        _ => None,
    }
}

fn atomic(strength: Strength) -> Access {
    Access::Atomic { block_scope: strength.scope().is_some_and(is_block) }
}

/// How many rows of 16 bytes a warp loads or stores in matrices of 8 by 8 elements: each of so many lanes names one. None for other shapes and operations.
pub(crate) fn rows_of(matrix: &Matrix) -> Option<u32> {
    let words = || matrix.mnemonic.split('.');
    let moves_rows = match matrix.kind {
        MatrixKind::Load | MatrixKind::Store => words().any(|word| word == "m8n8"),
        MatrixKind::Mma | MatrixKind::Wmma | MatrixKind::Transpose => false,
    };
    let rows = |word: &str| match word {
        "x1" => Some(8),
        "x2" => Some(16),
        "x4" => Some(32),
        _ => None,
    };
    words().find_map(rows).filter(|_| moves_rows)
}

/// Bytes of such a row.
pub(crate) const ROW_BYTES: u32 = 16;

/// How strong an access is.
pub(crate) fn strength_of(op: &Op) -> Option<Strength> {
    match op {
        Op::Load { strength, .. }
        | Op::Store { strength, .. }
        | Op::Atomic { strength, .. }
        | Op::AtomicVector { strength, .. } => Some(*strength),
        _ => None,
    }
}

/// What an access counts its address from.
pub(crate) fn base_of(op: &Op) -> Option<Value> {
    match op {
        Op::Load { base, .. }
        | Op::Store { base, .. }
        | Op::Atomic { base, .. }
        | Op::AtomicVector { base, .. } => Some(*base),
        _ => None,
    }
}

pub(crate) fn is_narrow(base: Value) -> bool {
    matches!(base, Value::Register(register) if register.bits == 32)
}

/// The fence that an operation is which releases, to a detector that knows fences.
pub(crate) fn is_release(op: &Op) -> Option<SynchronisationStep> {
    let strength = match op {
        // Blocks of a cluster are blocks, to a detector that knows no clusters.
        Op::ClusterBarrier { step: ClusterStep::Arrive, order, .. } => {
            return order.releases().then_some(SynchronisationStep::Fence { device: true });
        }
        Op::Async(operation) => match **operation {
            AsyncOp::Mbarrier { op: MbarrierOp::Arrive { .. }, strength, .. } => strength,
            _ => return None,
        },
        op => strength_of(op)?,
    };
    let (order, scope) = (strength.order()?, strength.scope()?);
    order.releases().then_some(SynchronisationStep::Fence { device: !is_block(scope) })
}
