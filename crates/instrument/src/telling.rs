//! One instruction, with what the host is told about it.
//!
//! Weak accesses are told before they are made. Strong ones are made in the middle of telling, under the lock of their
//! location, so that their turns are known; in a launch with a total order all accesses are. What can wait is told
//! before it waits.

mod accesses;
mod copies;
mod objects;
mod values;

use crate::accesses::{address, may_be_global};
use crate::calls;
use crate::checks::{Step, is_block};
use crate::function::Body;
use crate::instructions::{is_jump, leaves_kernel, plain, what_matters};
use crate::module::NotInstrumented;
use crate::operands::{Based, Rewritten};
use crate::record::{ARRIVES_ONLY, RecordKind};
use crate::synchronisation::{block_barrier, is_release};
use std::fmt::Write;
use warpsan_ir::{
    AsyncOp, BarrierOp, ClusterStep, Instruction as Lowered, MemorySpace, Op, Place, Value,
};
use warpsan_model::Order;
use warpsan_ptx::{Instruction, Mnemonic, Operand};

/// Writes an instruction that the host hears of.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    meaning: &[Lowered],
    rewritten: &Rewritten,
) -> Result<(), NotInstrumented> {
    let lowered = what_matters(meaning, is_told);
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
) -> Result<(), NotInstrumented> {
    let is_ordered = body.writer.checks.is_ordered();
    let Some(lowered) = lowered else {
        if leaves_kernel(body, instruction)
            && let Some(lowered) = meaning.first()
        {
            let site = body.told_site(instruction, lowered)?;
            body.guarded(instruction, |body| body.tell("ws_ship_exit", site, &[]));
        }
        plain(body, instruction, rewritten);
        return Ok(());
    };
    match &lowered.op {
        Op::Call(call) => return calls::write(body, instruction, &call.callee, rewritten),
        Op::Opaque(_) => return refuse(instruction, "whose meaning is not known"),
        Op::Matrix(matrix) => match matrix.place {
            Some(place) if may_be_global(place.space) => {
                return refuse(instruction, "which accesses memory as a matrix");
            }
            Some(_) if !is_ordered => {
                return accesses::matrix(body, instruction, lowered, rewritten);
            }
            _ => plain(body, instruction, rewritten),
        },
        Op::Async(operation) => match &**operation {
            AsyncOp::PendingCount { .. } => plain(body, instruction, rewritten),
            AsyncOp::Mbarrier { .. } | AsyncOp::CopyArrive { .. } => {
                return objects::write(body, instruction, lowered, rewritten);
            }
            _ => return copies::write(body, instruction, lowered, rewritten),
        },
        Op::ClusterBarrier { step: ClusterStep::Arrive, .. } => {
            let site = body.told_site(instruction, lowered)?;
            body.guarded(instruction, |body| match is_ordered {
                true => {
                    ordered_step(body, site, &lowered.op, (RecordKind::ClusterArrive, 0));
                }
                false => body.tell("ws_ship_cluster_arrive", site, &[]),
            });
            plain(body, instruction, rewritten);
        }
        Op::ClusterBarrier { step: ClusterStep::Wait, .. } => {
            after(body, instruction, lowered, rewritten, "ws_ship_cluster_wait")?;
        }
        Op::Fence { order: Order::SeqCst, .. } if !is_ordered => {
            let site = body.told_site(instruction, lowered)?;
            let operation = format!("\t{};\n", rewritten.text);
            body.guarded(instruction, |body| {
                body.tell_around("ws_ship_fence_sc", site, &[], &operation);
            });
        }
        Op::Fence { .. } if !is_ordered => {
            after(body, instruction, lowered, rewritten, "ws_ship_fence")?;
        }
        Op::Fence { scope, .. } => {
            plain(body, instruction, rewritten);
            let site = body.told_site(instruction, lowered)?;
            let reach = release_word(is_block(*scope));
            let kind = (RecordKind::Fence as u8).to_string();
            let inputs = [("release", reach), ("kind", kind), locks(body)];
            body.guarded(instruction, |body| body.tell("ws_ordered_step", site, &inputs));
        }
        Op::ProxyFence { .. } => {
            after(body, instruction, lowered, rewritten, "ws_ship_proxy_fence")?;
        }
        Op::WaitForPrerequisites => {
            after(body, instruction, lowered, rewritten, "ws_ship_prerequisite_wait")?;
        }
        Op::BlockBarrier { op, threads, .. } => {
            let site = body.told_site(instruction, lowered)?;
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
                body.tell("ws_ship_block_barrier", site, &inputs);
            });
            plain(body, instruction, rewritten);
            if is_ordered && !arrives {
                body.guarded(instruction, |body| block_barrier(body, expected));
            }
        }
        Op::WarpBarrier { .. } => {
            let mask = instruction.operands.first().map(Operand::to_string).unwrap_or_default();
            let site = body.told_site(instruction, lowered)?;
            let inputs = [("mask", mask.clone())];
            body.guarded(instruction, |body| body.tell("ws_ship_warp_barrier", site, &inputs));
            plain(body, instruction, rewritten);
            if is_ordered {
                body.guarded(instruction, |body| body.step(Step::WarpBarrier, &mask));
            }
        }
        _ => return accesses::write(body, instruction, lowered, rewritten),
    }
    Ok(())
}

/// Tells that threads leave a kernel at the end of its text.
pub(crate) fn end(body: &mut Body<'_, '_>, lowered: &Lowered) -> Result<(), NotInstrumented> {
    let mnemonic = Mnemonic { text: "ret", opcode: "ret", modifiers: &[], row: None };
    let span = lowered.span;
    let instruction = Instruction { guard: None, mnemonic: &mnemonic, operands: &[], span };
    let site = body.told_site(&instruction, lowered)?;
    body.tell("ws_ship_exit", site, &[]);
    Ok(())
}

/// A kernel with this instruction runs as it is.
fn refuse<T>(instruction: &Instruction<'_>, what: &str) -> Result<T, NotInstrumented> {
    let text = instruction.mnemonic.text;
    Err(NotInstrumented(format!("it has `{text}`, {what}")))
}

/// An instruction that is told once it was executed.
fn after(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
    template: &str,
) -> Result<(), NotInstrumented> {
    plain(body, instruction, rewritten);
    let site = body.told_site(instruction, lowered)?;
    body.guarded(instruction, |body| body.tell(template, site, &[]));
    Ok(())
}

/// Tells of something that may be a fence to a detector that knows fences, and makes it one.
fn ordered_step(body: &mut Body<'_, '_>, site: u32, op: &Op, (kind, extra): (RecordKind, u32)) {
    let release = match is_release(op) {
        Some(Step::Fence { device }) => release_word(!device),
        _ => "0".to_owned(),
    };
    let inputs = [
        ("release", release),
        ("kind", (kind as u8).to_string()),
        ("extra", extra.to_string()),
        locks(body),
    ];
    body.tell("ws_ordered_step", site, &inputs);
}

/// The name of a check in kernels that reach into other blocks of their cluster.
fn in_cluster(body: &Body<'_, '_>, name: &str) -> String {
    match body.writer.in_cluster {
        true => format!("{name}_in_cluster"),
        false => name.to_owned(),
    }
}

/// Brings the address of an operand to a register of ours.
fn bring(body: &mut Body<'_, '_>, to: &str, place: &Based, of: &Place) {
    shared_address(body, place, is_narrow(of.base));
    if to != "%ws_address" {
        let _ = writeln!(body.out, "\tmov.b64 {to}, %ws_address;");
    }
}

pub(crate) fn is_narrow(base: Value) -> bool {
    matches!(base, Value::Register(register) if register.bits == 32)
}

/// Brings an address to a register of ours that may stand in one of 32 bits, as those of shared memory do.
pub(crate) fn shared_address(body: &mut Body<'_, '_>, place: &Based, is_narrow: bool) {
    if !is_narrow {
        return address(body, place, 0);
    }
    let (base, offset) = (&place.register, place.offset);
    let _ = writeln!(
        body.out,
        "\tcvt.u64.u32 %ws_address, {base};\n\tadd.s64 %ws_address, %ws_address, {offset};"
    );
}

/// How checks are told in which memory an address is: `Space` of `device/asynchronous.cu`.
fn space_word(space: MemorySpace) -> String {
    match space {
        MemorySpace::Generic => "1",
        MemorySpace::SharedCluster => "2",
        _ => "0",
    }
    .to_owned()
}

/// Whether anything is done about it.
fn is_told(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::AtomicVector { .. }
            | Op::Fence { .. }
            | Op::ProxyFence { .. }
            | Op::WaitForPrerequisites
            | Op::BlockBarrier { .. }
            | Op::WarpBarrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Async(_)
            | Op::Matrix(_)
    )
}

fn release_word(is_block: bool) -> String {
    if is_block { "1" } else { "2" }.to_owned()
}

/// Whether lock tables are in use, as a bit of an access.
fn locks(body: &Body<'_, '_>) -> (&'static str, String) {
    ("access", if body.writer.uses.locks { "8" } else { "0" }.to_owned())
}

#[cfg(test)]
mod tests;
