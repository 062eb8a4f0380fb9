//! Steps of `mbarrier` objects. Each is made under the lock of its object, so that the host knows their order and the
//! phase that each belongs to.

use super::templates::{bring, in_cluster, ordered_step, space_word};
use crate::body::Body;
use crate::operands::Rewritten;
use crate::record::{Place as Memory, RecordKind};
use crate::refusal::{InstructionRefusal, Refusal};
use std::fmt::Write;
use warpsan_ir::{AsyncOp, Instruction as Lowered, MbarrierOp, Op, Value};
use warpsan_ptx::{Instruction, Operand};

/// Writes a step of an object.
pub(super) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Op::Async(operation) = &lowered.op else { return Ok(()) };
    let (barrier, op) = match &**operation {
        AsyncOp::Mbarrier { barrier, op, .. } => (barrier, Some(op)),
        AsyncOp::CopyArrive { barrier, .. } => (barrier, None),
        _ => return Ok(()),
    };
    if body.writer.device_plan.is_ordered() {
        // Only arrivals mean something to a detector that knows fences.
        if matches!(op, Some(MbarrierOp::Arrive { .. })) {
            let site = body.shipped_site(instruction, lowered)?;
            bring(body, "%ws_address", rewritten.first_address()?, barrier);
            let record = (RecordKind::Mbarrier, Memory::Shared as u32);
            body.guarded(instruction, |body| ordered_step(body, site, &lowered.op, record));
        }
        body.plain(instruction, rewritten);
        return Ok(());
    }
    if let Some(MbarrierOp::Wait { .. }) = op {
        return wait(body, instruction, lowered, rewritten);
    }
    let site = body.shipped_site(instruction, lowered)?;
    bring(body, "%ws_address", rewritten.first_address()?, barrier);
    let (kind, asks, arrivals) = match (&**operation, op) {
        (_, Some(MbarrierOp::Init { count })) => (RecordKind::Mbarrier, "0", Some(*count)),
        (_, Some(MbarrierOp::Invalidate)) => (RecordKind::Mbarrier, "0", None),
        (_, Some(MbarrierOp::Arrive { count, .. })) => {
            (RecordKind::Mbarrier, "1", Some(count.unwrap_or(Value::Constant(1))))
        }
        (AsyncOp::CopyArrive { no_increment: true, .. }, _) => {
            (RecordKind::CopyArrive, "1", Some(Value::Constant(1)))
        }
        (AsyncOp::CopyArrive { .. }, _) => (RecordKind::CopyArrive, "1", None),
        _ => (RecordKind::Mbarrier, "1", None),
    };
    let arrivals = match arrivals {
        None => "0".to_owned(),
        Some(Value::Constant(count)) => count.to_string(),
        // The count is the last operand, and no other one is a register of 32 bits behind the address.
        Some(Value::Register(_)) => match instruction.operands.last() {
            Some(Operand::Name(name)) => (*name).to_owned(),
            _ => {
                return Err(Refusal::because_of(
                    instruction,
                    InstructionRefusal::CountIsNoRegister,
                ));
            }
        },
    };
    let inputs = [
        ("kind", (kind as u8).to_string()),
        ("space", space_word(barrier.space)),
        ("asks", asks.to_owned()),
        ("arrivals", arrivals),
    ];
    let name = in_cluster(body, "ws_ship_mbarrier");
    let made = format!("\t{};\n", rewritten.text);
    body.guarded(instruction, |body| body.ship_around(&name, site, &inputs, &made));
    Ok(())
}

/// Writes a wait. Whether a phase is complete is asked without a lock, where the lane may sleep; if it is, it is asked
/// again under the lock, and that answer is the one that counts.
fn wait(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Op::Async(operation) = &lowered.op else { return Ok(()) };
    let AsyncOp::Mbarrier { barrier, .. } = &**operation else { return Ok(()) };
    let site = body.shipped_site(instruction, lowered)?;
    let Some(Operand::Name(result)) = instruction.operands.first() else {
        return Err(Refusal::because_of(instruction, InstructionRefusal::ResultIsNoRegister));
    };
    if instruction.guard.is_some_and(|guard| guard.register == *result) {
        return Err(Refusal::because_of(instruction, InstructionRefusal::GuardIsResult));
    }
    body.plain(instruction, rewritten);
    bring(body, "%ws_address", rewritten.first_address()?, barrier);
    let Some((words, operands)) = rewritten.text.split_once(char::is_whitespace) else {
        return Err(Refusal::because_of(instruction, InstructionRefusal::NoOperands));
    };
    // A hint how long to sleep is the fourth operand.
    let operands: Vec<&str> = operands.split(',').map(str::trim).take(3).collect();
    let again = format!(
        "\t{} {};\n\tmov.pred %ws_wrote, {result};\n",
        words.replace("try_wait", "test_wait"),
        operands.join(", ")
    );
    let inputs = [
        ("kind", (RecordKind::Mbarrier as u8).to_string()),
        ("space", space_word(barrier.space)),
        ("asks", "1".to_owned()),
        ("wrote", "%ws_wrote".to_owned()),
    ];
    let name = in_cluster(body, "ws_ship_mbarrier_wait");
    body.guarded(instruction, |body| {
        let _ = writeln!(body.out, "\tmov.pred %ws_counts, {result};");
        body.skipped_unless_it_counts(|body| body.ship_around(&name, site, &inputs, &again));
    });
    Ok(())
}
