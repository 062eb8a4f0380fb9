//! Fences, barriers, locks, and operations that count as fences.

use crate::accesses::{may_be_global, strength_of};
use crate::checks::{Step, is_block};
use crate::function::Body;
use std::fmt::Write;
use warpsan_ir::{
    AsyncOp, AtomicOp, BarrierOp, ClusterStep, Instruction as Lowered, MbarrierOp, Op,
};
use warpsan_model::Strength;
use warpsan_ptx::{Instruction, Operand};

/// What a detector does before an instruction that orders others: what releases is a fence in front of it.
pub(crate) fn before(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, op: &Op) {
    match op {
        Op::Async(operation) => {
            if let AsyncOp::Mbarrier { op: MbarrierOp::Arrive { .. }, strength, .. } = **operation {
                release(body, instruction, strength);
            }
        }
        Op::ClusterBarrier { step: ClusterStep::Arrive, order, .. } if order.releases() => {
            body.checked.forget();
            body.guarded(instruction, |body| body.step(Step::Fence { device: true }, ""));
        }
        op => {
            if let Some(strength) = strength_of(op) {
                release(body, instruction, strength);
            }
        }
    }
}

/// An operation that releases is a fence, to a detector that knows fences.
fn release(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, strength: Strength) {
    if let (Some(order), Some(scope)) = (strength.order(), strength.scope())
        && order.releases()
    {
        body.checked.forget();
        let device = !is_block(scope);
        body.guarded(instruction, |body| body.step(Step::Fence { device }, ""));
    }
}

/// What a detector does behind an instruction that orders others.
pub(crate) fn after(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, lowered: &Lowered) {
    match &lowered.op {
        Op::Fence { scope, .. } => {
            body.checked.forget();
            let device = !is_block(*scope);
            body.guarded(instruction, |body| body.step(Step::Fence { device }, ""));
        }
        Op::BlockBarrier { op, threads, .. } => {
            body.checked.forget();
            if *op == BarrierOp::Arrive {
                return;
            }
            let threads = threads.and_then(|_| {
                let position = if *op == BarrierOp::Sync { 1 } else { 2 };
                instruction.operands.get(position).map(Operand::to_string)
            });
            body.guarded(instruction, |body| block_barrier(body, threads));
        }
        Op::WarpBarrier { .. } => {
            body.checked.forget();
            let mask = instruction.operands.first().map(Operand::to_string).unwrap_or_default();
            body.guarded(instruction, |body| body.step(Step::WarpBarrier, &mask));
        }
        Op::ClusterBarrier { .. } | Op::Async(_) | Op::AtomicVector { .. } => body.checked.forget(),
        // What acquires may have waited for others.
        Op::Load { strength, .. } if strength.order().is_some() => body.checked.forget(),
        Op::Atomic { op, strength, space, .. } => {
            body.checked.forget();
            if body.writer.uses.locks && may_be_global(*space) {
                let block_scope = strength.scope().is_some_and(is_block);
                lock(body, instruction, *op, block_scope);
            }
        }
        _ => {}
    }
}

/// Whoever exchanges a word if it has some value may take a lock, and whoever exchanges it anyway gives one back.
fn lock(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, op: AtomicOp, block_scope: bool) {
    let step = match op {
        AtomicOp::Cas => Step::Swap { block_scope },
        AtomicOp::Exch => Step::Exchange { block_scope },
        _ => return,
    };
    body.guarded(instruction, |body| body.step(step, ""));
}

/// A barrier of the whole block is counted as one; one of fewer threads is known to order those of each warp only.
pub(crate) fn block_barrier(body: &mut Body<'_, '_>, threads: Option<String>) {
    let Some(threads) = threads else { return body.step(Step::BlockBarrier, "") };
    let number = body.writer.next_number();
    let _ = writeln!(
        body.out,
        "\tsetp.lt.u32 %ws_counts, {threads}, %ws_threads;\n\t@%ws_counts bra $ws_part_{number};"
    );
    body.step(Step::BlockBarrier, "");
    let _ = writeln!(body.out, "\tbra $ws_whole_{number};\n$ws_part_{number}:");
    body.step(Step::PartialBarrier, "");
    let _ = writeln!(body.out, "$ws_whole_{number}:");
}
