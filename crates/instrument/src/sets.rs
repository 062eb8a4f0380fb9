//! CURD's sets: one instruction, with what is written down of it.
//!
//! An access goes to the sets of its threads (`device/curd.h`), a barrier compares the threads of a block, and so does the end of
//! the last one. The static choice of the thesis is made here, too: a kernel with atomics, fences, or anything else that sets do
//! not know, is refused. [`plan`] says beforehand which accesses are written down together, and of which a thread keeps the
//! last region in registers.

mod expanding;
pub(crate) mod layout;
pub(crate) mod plan;
mod regions;

use crate::accesses::{access_of, base_of, condition_of};
use crate::calls;
use crate::function::Body;
use crate::instructions::{leaves_kernel, plain, what_matters};
use crate::module::NotInstrumented;
use crate::operands::Rewritten;
use crate::telling::{is_narrow, shared_address};
pub(crate) use expanding::{begin, leave};
use plan::Planned;
use warpsan_ir::{BarrierOp, Instruction as Lowered, MemorySpace, Op};
use warpsan_ptx::Instruction;

/// As many threads have to fit on a multiprocessor with what is compared in it: a function that is seldom called would take
/// so many registers otherwise that few blocks could run at a time. Those of blocks that are compared have more in registers, and
/// so have those that keep much in loops.
pub(crate) fn threads_at_once(has_blocks: bool, kept: usize) -> u32 {
    if has_blocks || kept > 4 { 1024 } else { 1536 }
}

/// The words of a block in shared memory: `device/curd_entries.h`.
pub(crate) const BLOCK_WORDS: &str = "ws_block";
/// Their bytes.
pub(crate) const BLOCK_BYTES: u32 = 112 + 2 * 2 * 64 * 8;

/// Declares what a module needs whose blocks are compared.
pub(crate) fn declare(has_blocks: bool, out: &mut String) {
    if has_blocks {
        out.push_str(&format!(".shared .align 16 .b8 {BLOCK_WORDS}[{BLOCK_BYTES}];\n"));
    }
}

/// Whether threads of a block are compared while the kernel runs: where there is something that only they share, or a barrier.
/// All other kernels have one set of a block from beginning to end, which is compared with those of others afterwards.
pub(crate) fn has_blocks(functions: &[warpsan_ir::Function]) -> bool {
    functions.iter().any(|function| {
        let is_barrier = |one: &Lowered| matches!(one.op, Op::BlockBarrier { .. });
        !function.shared.is_empty()
            || function.dynamic_shared.is_some()
            || function.code.iter().any(is_barrier)
    })
}

/// Writes an instruction of a kernel or function.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    meaning: &[Lowered],
    rewritten: &Rewritten,
) -> Result<(), NotInstrumented> {
    let Some(lowered) = what_matters(meaning, matters) else {
        if leaves_kernel(body, instruction) {
            body.guarded(instruction, expanding::leave);
        }
        plain(body, instruction, rewritten);
        return Ok(());
    };
    if let Some(what) = beyond_sets(&lowered.op) {
        let text = instruction.mnemonic.text;
        return Err(NotInstrumented(format!("it has `{text}`, and CURD's sets know no {what}")));
    }
    match &lowered.op {
        Op::Call(call) => calls::write(body, instruction, &call.callee, rewritten),
        Op::Opaque(_) => {
            let text = instruction.mnemonic.text;
            Err(NotInstrumented(format!("it has `{text}`, whose meaning is not known")))
        }
        Op::BlockBarrier { .. } => {
            body.guarded(instruction, expanding::before_barrier);
            plain(body, instruction, rewritten);
            body.guarded(instruction, expanding::barrier);
            Ok(())
        }
        _ => access(body, instruction, lowered, rewritten),
    }
}

/// An access, which is written down before it is made.
fn access(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), NotInstrumented> {
    let planned = match body.plan.at(instruction.span.start) {
        Some(Planned::Access(planned)) => *planned,
        Some(Planned::WithAnother) => {
            body.writer.cost.pruned += 1;
            plain(body, instruction, rewritten);
            return Ok(());
        }
        None => {
            plain(body, instruction, rewritten);
            return Ok(());
        }
    };
    let place = rewritten.first_address()?;
    let condition = condition_of(body, instruction, lowered)?;
    let mut place = place.clone();
    place.offset = place.offset.wrapping_add(planned.ahead);
    let narrow = base_of(&lowered.op).is_some_and(is_narrow);
    body.writer.cost.checked += 1;
    body.guarded(instruction, |body| {
        let write = |body: &mut Body<'_, '_>| {
            shared_address(body, &place, narrow);
            expanding::access(body, &planned);
        };
        match condition {
            None => write(body),
            Some(condition) => {
                body.writer.cost.speculated += 1;
                body.out.push_str(&condition);
                body.skipped_unless_it_counts(write);
            }
        }
    });
    plain(body, instruction, rewritten);
    Ok(())
}

/// Where an access goes to, and whether it writes and how many bytes, if it goes to memory that threads share.
pub(crate) fn shared_access(op: &Op) -> Option<(MemorySpace, bool, u32)> {
    let (Op::Load { space, .. } | Op::Store { space, .. }) = op else { return None };
    let is_shared =
        matches!(space, MemorySpace::Global | MemorySpace::Generic | MemorySpace::Shared);
    let (_, bytes) = access_of(op, true).filter(|_| is_shared)?;
    Some((*space, matches!(op, Op::Store { .. }), bytes))
}

/// What of an operation sets do not know, as `beyond_sets` of `detect::curd` has it.
fn beyond_sets(op: &Op) -> Option<&'static str> {
    match op {
        Op::Atomic { .. } | Op::AtomicVector { .. } => Some("atomics"),
        Op::Fence { .. } => Some("fences"),
        Op::Load { space: MemorySpace::SharedCluster, .. }
        | Op::Store { space: MemorySpace::SharedCluster, .. }
        | Op::ClusterBarrier { .. } => Some("clusters"),
        Op::Load { strength, .. } | Op::Store { strength, .. }
            if strength.order().is_some_and(|order| order.acquires() || order.releases()) =>
        {
            Some("accesses that acquire or release")
        }
        Op::WarpBarrier { .. } => Some("barriers of warps"),
        Op::BlockBarrier { op: BarrierOp::Arrive, .. }
        | Op::BlockBarrier { threads: Some(_), .. } => Some("barriers of parts of a block"),
        Op::Async(_) => Some("asynchronous copies"),
        Op::Matrix(matrix) if matrix.place.is_some() => Some("matrices in memory"),
        _ => None,
    }
}

fn matters(op: &Op) -> bool {
    matches!(op, Op::BlockBarrier { .. })
        || shared_access(op).is_some()
        || beyond_sets(op).is_some()
}

#[cfg(test)]
mod tests;
