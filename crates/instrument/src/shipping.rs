//! One instruction, with the records of it that are shipped to the host.
//!
//! Weak accesses are shipped before they are made. Strong ones are made in the middle of shipping, under the lock of their
//! location, so that their turns are known; in a launch with a total order all accesses are. What can wait is shipped
//! before it waits.

mod accesses;
mod copies;
mod objects;
mod templates;
pub(crate) mod values;

use crate::body::Body;
use crate::calls;
use crate::checks::{SynchronisationStep, is_block};
use crate::meaning::{is_jump, may_be_global, what_matters};
use crate::operands::Rewritten;
use crate::record::{ARRIVES_ONLY, RecordKind};
use crate::refusal::{InstructionRefusal, Refusal};
use crate::synchronisation::block_barrier;
use std::fmt::Write;
use templates::{after, is_shipped, locks, ordered_step, release_word};
use warpsan_ir::{AsyncOp, BarrierOp, ClusterStep, Instruction as Lowered, Op};
use warpsan_model::Order;
use warpsan_ptx::{Instruction, Mnemonic, Operand};

/// Writes an instruction that is shipped to the host.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    meaning: &[Lowered],
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let lowered = what_matters(meaning, is_shipped);
    write_one(body, instruction, meaning, lowered, rewritten)?;
    let stays = match lowered {
        Some(lowered) => matches!(lowered.op, Op::Load { .. } | Op::Store { .. }),
        None => !is_jump(instruction),
    };
    if !stays {
        body.checked.forget();
    }
    body.checked.written(instruction);
    Ok(())
}

fn write_one(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    meaning: &[Lowered],
    lowered: Option<&Lowered>,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let is_ordered = body.writer.device_plan.is_ordered();
    let Some(lowered) = lowered else {
        if body.leaves_kernel(instruction)
            && let Some(lowered) = meaning.first()
        {
            let site = body.shipped_site(instruction, lowered)?;
            body.guarded(instruction, |body| body.ship("ws_ship_exit", site, &[]));
        }
        body.plain(instruction, rewritten);
        return Ok(());
    };
    match &lowered.op {
        Op::Call(call) => return calls::write(body, instruction, &call.callee, rewritten),
        Op::Opaque(_) => {
            return Err(Refusal::because_of(instruction, InstructionRefusal::UnknownMeaning));
        }
        Op::Matrix(matrix) => match matrix.place {
            Some(place) if may_be_global(place.space) => {
                return Err(Refusal::because_of(instruction, InstructionRefusal::Matrix));
            }
            Some(_) if !is_ordered => {
                return accesses::matrix(body, instruction, lowered, rewritten);
            }
            _ => body.plain(instruction, rewritten),
        },
        Op::Async(operation) => match &**operation {
            AsyncOp::PendingCount { .. } => body.plain(instruction, rewritten),
            AsyncOp::Mbarrier { .. } | AsyncOp::CopyArrive { .. } => {
                return objects::write(body, instruction, lowered, rewritten);
            }
            _ => return copies::write(body, instruction, lowered, rewritten),
        },
        Op::ClusterBarrier { step: ClusterStep::Arrive, .. } => {
            let site = body.shipped_site(instruction, lowered)?;
            body.guarded(instruction, |body| match is_ordered {
                true => {
                    ordered_step(body, site, &lowered.op, (RecordKind::ClusterArrive, 0));
                }
                false => body.ship("ws_ship_cluster_arrive", site, &[]),
            });
            body.plain(instruction, rewritten);
        }
        Op::ClusterBarrier { step: ClusterStep::Wait, .. } => {
            after(body, instruction, lowered, rewritten, "ws_ship_cluster_wait")?;
        }
        Op::Fence { order: Order::SeqCst, .. } if !is_ordered => {
            let site = body.shipped_site(instruction, lowered)?;
            let operation = format!("\t{};\n", rewritten.text);
            body.guarded(instruction, |body| {
                body.ship_around("ws_ship_fence_sc", site, &[], &operation);
            });
        }
        Op::Fence { .. } if !is_ordered => {
            after(body, instruction, lowered, rewritten, "ws_ship_fence")?;
        }
        Op::Fence { scope, .. } => {
            body.plain(instruction, rewritten);
            let site = body.shipped_site(instruction, lowered)?;
            let reach = release_word(is_block(*scope));
            let kind = (RecordKind::Fence as u8).to_string();
            let inputs = [("release", reach), ("kind", kind), locks(body)];
            body.guarded(instruction, |body| body.ship("ws_ordered_step", site, &inputs));
        }
        Op::ProxyFence { .. } => {
            after(body, instruction, lowered, rewritten, "ws_ship_proxy_fence")?;
        }
        Op::WaitForPrerequisites => {
            after(body, instruction, lowered, rewritten, "ws_ship_prerequisite_wait")?;
        }
        Op::BlockBarrier { op, threads, .. } => {
            let site = body.shipped_site(instruction, lowered)?;
            let first = if matches!(op, BarrierOp::Sync | BarrierOp::Arrive) { 0 } else { 1 };
            let operand = |at: usize| instruction.operands.get(at).map(Operand::to_string);
            let number = operand(first).unwrap_or_else(|| "0".to_owned());
            let expected = threads.and_then(|_| operand(first + 1));
            let arrives = *op == BarrierOp::Arrive;
            body.guarded(instruction, |body| {
                let flag = if arrives { ARRIVES_ONLY } else { 0 };
                let _ = writeln!(body.out, "\tor.b32 %ws_a, {number}, {flag};");
                let expected = expected.clone().unwrap_or_else(|| "0".to_owned());
                let inputs = [("barrier", "%ws_a".to_owned()), ("expected", expected)];
                body.ship("ws_ship_block_barrier", site, &inputs);
            });
            body.plain(instruction, rewritten);
            if is_ordered && !arrives {
                body.guarded(instruction, |body| block_barrier(body, expected));
            }
        }
        Op::WarpBarrier { .. } => {
            let mask = instruction.operands.first().map(Operand::to_string).unwrap_or_default();
            let site = body.shipped_site(instruction, lowered)?;
            let inputs = [("mask", mask.clone())];
            body.guarded(instruction, |body| body.ship("ws_ship_warp_barrier", site, &inputs));
            body.plain(instruction, rewritten);
            if is_ordered {
                body.guarded(instruction, |body| {
                    body.step(SynchronisationStep::WarpBarrier, &mask)
                });
            }
        }
        _ => return accesses::write(body, instruction, lowered, rewritten),
    }
    Ok(())
}

/// Ships that threads leave a kernel at the end of its text.
pub(crate) fn end(body: &mut Body<'_, '_>, lowered: &Lowered) -> Result<(), Refusal> {
    let mnemonic = Mnemonic { text: "ret", opcode: "ret", modifiers: &[], row: None };
    let span = lowered.span;
    let instruction = Instruction { guard: None, mnemonic: &mnemonic, operands: &[], span };
    let site = body.shipped_site(&instruction, lowered)?;
    body.ship("ws_ship_exit", site, &[]);
    Ok(())
}

#[cfg(test)]
mod tests;
