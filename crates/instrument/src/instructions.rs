//! One instruction, with what is checked before and after it.

use crate::body::Body;
use crate::meaning::{access_of, is_call, is_jump, may_be_global, what_matters};
use crate::operands::{self, Rewritten, VARIABLE_REGISTER};
use crate::refusal::{InstructionRefusal, Refusal};
use crate::{
    accesses, calls, copies, happens_before, private_copies, sets, shipping, synchronisation,
};
use warpsan_ir::{AsyncOp, Instruction as Lowered, Op};
use warpsan_ptx::Instruction;

/// Writes an instruction with its checks.
pub(crate) fn write(body: &mut Body<'_, '_>, instruction: &Instruction<'_>) -> Result<(), Refusal> {
    body.writer.cost.instructions += 1;
    let rewritten = operands::rewrite(instruction, &mut body.writer.variables, VARIABLE_REGISTER)?;
    let meaning = body.meaning(instruction);
    if meaning.is_empty() && is_call(instruction) {
        // It is never reached, so nobody knows whom it calls and with what.
        return Ok(());
    }
    body.out.push_str(&rewritten.before);
    if body.writer.device_plan.ships() {
        return shipping::write(body, instruction, meaning, &rewritten);
    }
    if body.writer.device_plan.has_sets() {
        return sets::write(body, instruction, meaning, &rewritten);
    }
    if body.writer.device_plan.has_entries() {
        return happens_before::write(body, instruction, meaning, &rewritten);
    }
    if let Some(plan) = body.writer.device_plan.copies() {
        let how = (plan.mode, plan.part);
        return private_copies::write(body, instruction, meaning, &rewritten, how);
    }
    let Some(lowered) = what_matters(meaning, matters) else {
        body.plain(instruction, &rewritten);
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
    body.plain(instruction, &rewritten);
    synchronisation::after(body, instruction, lowered);
    body.checked.written(instruction);
    Ok(())
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

/// What a detector does before an instruction.
fn before(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let refuse = |reason| Err(Refusal::because_of(instruction, reason));
    match &lowered.op {
        Op::Opaque(_) => return refuse(InstructionRefusal::UnknownMeaning),
        Op::Matrix(matrix) if matrix.place.is_some_and(|place| may_be_global(place.space)) => {
            return refuse(InstructionRefusal::GlobalMatrix);
        }
        Op::Async(operation) => match &**operation {
            AsyncOp::Copy { from, .. } if may_be_global(from.space) => {
                copies::check(body, instruction, lowered, rewritten);
            }
            AsyncOp::Bulk { .. } | AsyncOp::Store { .. } | AsyncOp::Fill { .. } => {
                return refuse(InstructionRefusal::BulkOperation);
            }
            _ => {}
        },
        _ => {}
    }
    synchronisation::before(body, instruction, &lowered.op);
    if let Some(access) = access_of(&lowered.op, false) {
        accesses::check(body, instruction, lowered, rewritten, access)?;
    }
    Ok(())
}
