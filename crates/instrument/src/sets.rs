//! CURD's sets: one instruction, with what is written down of it.
//!
//! An access goes to the sets of its threads (`device/curd.h`), a barrier compares the threads of a block, and so does the end of
//! the last one. The static choice of the thesis is made here, too: a kernel with atomics, fences, or anything else that sets do
//! not know, is refused. [`plan`] says beforehand which accesses are written down together, and of which a thread keeps the
//! last region in registers.

pub(crate) mod expanding;
pub(crate) mod layout;
mod operations;
pub(crate) mod plan;
mod regions;
mod unwritten;

use crate::accesses::{condition_of, shared_address};
use crate::body::Body;
use crate::calls;
use crate::meaning::{base_of, is_narrow, what_matters};
use crate::operands::Rewritten;
use crate::refusal::{InstructionRefusal, Refusal};
pub(crate) use expanding::{begin, leave};
use layout::{BLOCK_BYTES, BLOCK_WORDS};
use operations::{beyond_sets, matters};
use plan::Planned;
pub(crate) use regions::in_cycles;
use warpsan_ir::{Instruction as Lowered, Op};
use warpsan_ptx::Instruction;

/// As many threads have to fit on a multiprocessor with what is compared in it: a function that is seldom called would take
/// so many registers otherwise that few blocks could run at a time. Those of blocks that are compared have more in registers, and
/// so have those that keep much in loops.
pub(crate) fn threads_at_once(has_blocks: bool, kept: usize) -> u32 {
    if has_blocks || kept > 4 { 1024 } else { 1536 }
}

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
) -> Result<(), Refusal> {
    let Some(lowered) = what_matters(meaning, matters) else {
        if body.leaves_kernel(instruction) {
            body.guarded(instruction, expanding::leave);
        }
        body.plain(instruction, rewritten);
        return Ok(());
    };
    if let Some(what) = beyond_sets(&lowered.op) {
        return Err(Refusal::because_of(instruction, InstructionRefusal::BeyondSets(what)));
    }
    match &lowered.op {
        Op::Call(call) => calls::write(body, instruction, &call.callee, rewritten),
        Op::Opaque(_) => Err(Refusal::because_of(instruction, InstructionRefusal::UnknownMeaning)),
        Op::BlockBarrier { .. } => {
            body.guarded(instruction, expanding::before_barrier);
            body.plain(instruction, rewritten);
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
) -> Result<(), Refusal> {
    let planned = match body.plan.at(instruction.span.start) {
        Some(Planned::Access(planned)) => *planned,
        Some(Planned::WithAnother) => {
            body.writer.cost.pruned += 1;
            body.plain(instruction, rewritten);
            return Ok(());
        }
        None => {
            body.plain(instruction, rewritten);
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
    body.plain(instruction, rewritten);
    Ok(())
}

#[cfg(test)]
mod tests;
