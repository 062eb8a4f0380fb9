//! Fences, barriers, locks, and operations that count as fences.

use crate::body::Body;
use crate::checks::{SynchronisationStep, is_block};
use crate::meaning::{is_release, may_be_global};
use std::fmt::Write;
use warpsan_ir::{AtomicOp, BarrierOp, Instruction as Lowered, Op};
use warpsan_ptx::{Instruction, Operand};

/// What a detector does before an instruction that orders others: what releases is a fence in front of it.
pub(crate) fn before(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, op: &Op) {
    if let Some(fence) = is_release(op) {
        body.checked.forget();
        body.guarded(instruction, |body| body.step(fence, ""));
    }
}

/// What a detector does behind an instruction that orders others.
pub(crate) fn after(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, lowered: &Lowered) {
    match &lowered.op {
        Op::Fence { scope, .. } => {
            body.checked.forget();
            let device = !is_block(*scope);
            body.guarded(instruction, |body| body.step(SynchronisationStep::Fence { device }, ""));
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
            body.guarded(instruction, |body| body.step(SynchronisationStep::WarpBarrier, &mask));
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
        AtomicOp::Cas => SynchronisationStep::Swap { block_scope },
        AtomicOp::Exch => SynchronisationStep::Exchange { block_scope },
        _ => return,
    };
    body.guarded(instruction, |body| body.step(step, ""));
}

/// A barrier of the whole block is counted as one; one of fewer threads is known to order those of each warp only.
pub(crate) fn block_barrier(body: &mut Body<'_, '_>, threads: Option<String>) {
    let Some(threads) = threads else { return body.step(SynchronisationStep::BlockBarrier, "") };
    let number = body.writer.next_number();
    let _ = writeln!(
        body.out,
        "\tsetp.lt.u32 %ws_counts, {threads}, %ws_threads;\n\t@%ws_counts bra $ws_part_{number};"
    );
    body.step(SynchronisationStep::BlockBarrier, "");
    let _ = writeln!(body.out, "\tbra $ws_whole_{number};\n$ws_part_{number}:");
    body.step(SynchronisationStep::PartialBarrier, "");
    let _ = writeln!(body.out, "$ws_whole_{number}:");
}

#[cfg(test)]
mod tests {
    use crate::testing::kernel;

    /// How much longer the text of a kernel is with a statement than with another one of the same length.
    fn grows(statement: &str) -> bool {
        let without = kernel("mov.u32 %r2, %r1;").text.len();
        kernel(statement).text.len() > without + statement.len() + 20
    }

    #[test]
    fn what_orders_others_gets_checks() {
        for statement in [
            "membar.gl;",
            "fence.acq_rel.cta;",
            "bar.sync 0;",
            "barrier.sync 1, 64;",
            "bar.red.popc.u32 %r2, 0, %p1;",
            "bar.warp.sync -1;",
            "barrier.cluster.arrive;",
            "red.release.gpu.shared.add.u32 [tile], 1;",
            "mbarrier.arrive.shared.b64 %rd2, [tile];",
        ] {
            assert!(grows(statement), "{statement}");
        }
        for statement in [
            "bar.arrive 1, 64;",
            "barrier.cluster.wait;",
            "barrier.cluster.arrive.relaxed;",
            "fence.proxy.async;",
            "red.relaxed.gpu.shared.add.u32 [tile], 1;",
        ] {
            assert!(!grows(statement), "{statement}");
        }
    }

    #[test]
    fn barriers_of_fewer_threads_are_recognised_while_the_kernel_runs() {
        let text = kernel("barrier.sync 1, %r2;").text;
        assert!(text.contains("setp.lt.u32 %ws_counts, %r2, %ws_threads;"), "{text}");
        let text = kernel("barrier.red.popc.u32 %r3, 1, %r2, %p1;").text;
        assert!(text.contains("setp.lt.u32 %ws_counts, %r2, %ws_threads;"), "{text}");
    }

    #[test]
    fn locks_are_words_of_global_memory() {
        assert!(kernel("atom.global.cas.b32 %r2, [%rd1], 0, 1;").uses.locks);
        assert!(!kernel("atom.shared.cas.b32 %r2, [tile], 0, 1;").uses.locks);
        assert!(!kernel("atom.global.exch.b32 %r2, [%rd1], 1;").uses.locks, "nobody takes one");
    }

    #[test]
    fn what_a_kernel_needs_at_a_launch_is_known() {
        let uses = kernel("ld.global.u32 %r2, [%rd1];").uses;
        assert_eq!(uses, crate::Uses::default());
        assert!(kernel("membar.gl;").uses.fences);
        assert!(kernel("st.release.gpu.u32 [%rd1], 1;").uses.fences);
        assert!(kernel("barrier.cluster.arrive;").uses.fences);
        assert!(kernel("bar.warp.sync -1;").uses.warp_barriers);
        assert!(!kernel("bar.warp.sync -1;").uses.parts_of_warps);
        assert!(kernel("bar.warp.sync %r2;").uses.parts_of_warps);
        assert!(kernel("bar.sync 1, 32;").uses.parts_of_warps);
        assert!(!kernel("bar.sync 0;").uses.parts_of_warps);
    }
}
