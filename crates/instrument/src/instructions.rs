//! One instruction, with what is checked before and after it.

use crate::accesses::{self, may_be_global};
use crate::function::Body;
use crate::module::NotInstrumented;
use crate::operands::{self, Rewritten, VARIABLE_REGISTER};
use crate::{calls, copies, sets, synchronisation, telling};
use std::fmt::Write;
use warpsan_ir::{AsyncOp, Instruction as Lowered, Op};
use warpsan_ptx::Instruction;

/// Writes an instruction with its checks.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
) -> Result<(), NotInstrumented> {
    body.writer.cost.instructions += 1;
    let rewritten = operands::rewrite(instruction, &mut body.writer.variables, VARIABLE_REGISTER)
        .map_err(NotInstrumented)?;
    let meaning = body.meaning(instruction);
    if meaning.is_empty() && instruction.opcode() == "call" {
        // It is never reached, so nobody knows whom it calls and with what.
        return Ok(());
    }
    body.out.push_str(&rewritten.before);
    if body.writer.checks.tells() {
        return telling::write(body, instruction, meaning, &rewritten);
    }
    if body.writer.checks.has_sets() {
        return sets::write(body, instruction, meaning, &rewritten);
    }
    let Some(lowered) = what_matters(meaning, matters) else {
        plain(body, instruction, &rewritten);
        if is_jump(instruction) {
            body.checked.forget();
        }
        body.checked.written(instruction);
        return Ok(());
    };
    if let Op::Call(call) = &lowered.op {
        body.checked.forget();
        return calls::write(body, instruction, &call.callee, &rewritten);
    }
    before(body, instruction, lowered, &rewritten)?;
    plain(body, instruction, &rewritten);
    synchronisation::after(body, instruction, lowered);
    body.checked.written(instruction);
    Ok(())
}

/// What is checked of the operations that an instruction stands for. What comes before is the operands of what comes last;
/// around a call there is the passing of its arguments, too.
pub(crate) fn what_matters(meaning: &[Lowered], matters: fn(&Op) -> bool) -> Option<&Lowered> {
    let is_whole = |lowered: &&Lowered| matches!(lowered.op, Op::Call(_) | Op::Opaque(_));
    let whole = meaning.iter().find(is_whole);
    whole.or_else(|| meaning.iter().rev().find(|lowered| matters(&lowered.op)))
}

/// Whether anything is done about it.
fn matters(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::AtomicVector { .. }
            | Op::Fence { .. }
            | Op::BlockBarrier { .. }
            | Op::WarpBarrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Async(_)
            | Op::Matrix(_)
    )
}

/// Whether a thread leaves the kernel with it.
pub(crate) fn leaves_kernel(body: &Body<'_, '_>, instruction: &Instruction<'_>) -> bool {
    match instruction.opcode() {
        "exit" => true,
        "ret" => body.surroundings.is_kernel,
        _ => false,
    }
}

/// Whether a basic block ends with it.
pub(crate) fn is_jump(instruction: &Instruction<'_>) -> bool {
    matches!(instruction.opcode(), "bra" | "brx" | "ret" | "exit" | "trap")
}

/// The instruction itself.
pub(crate) fn plain(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, rewritten: &Rewritten) {
    body.out.push('\t');
    guard(body, instruction);
    body.out.push_str(&rewritten.text);
    body.out.push_str(";\n");
}

/// What stands in front of an instruction that has a guard.
pub(crate) fn guard(body: &mut Body<'_, '_>, instruction: &Instruction<'_>) {
    if let Some(guard) = instruction.guard {
        let negation = if guard.negated { "!" } else { "" };
        let _ = write!(body.out, "@{negation}{} ", guard.register);
    }
}

/// What a detector does before an instruction.
fn before(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), NotInstrumented> {
    let refuse = |what: &str| {
        let text = instruction.mnemonic.text;
        Err(NotInstrumented(format!("it has `{text}`, {what}")))
    };
    match &lowered.op {
        Op::Opaque(_) => return refuse("whose meaning is not known"),
        Op::Matrix(matrix) if matrix.place.is_some_and(|place| may_be_global(place.space)) => {
            return refuse("which accesses global memory as a matrix");
        }
        Op::Async(operation) => match &**operation {
            AsyncOp::Copy { from, .. } if may_be_global(from.space) => {
                copies::check(body, instruction, lowered, rewritten);
            }
            AsyncOp::Bulk { .. } | AsyncOp::Store { .. } | AsyncOp::Fill { .. } => {
                return refuse("an asynchronous bulk operation");
            }
            _ => {}
        },
        _ => {}
    }
    synchronisation::before(body, instruction, &lowered.op);
    if let Some(access) = accesses::access_of(&lowered.op, false) {
        accesses::check(body, instruction, lowered, rewritten, access)?;
    }
    Ok(())
}
