//! Plain data about an instrumented kernel, as detectors want it.

use warpsan_event::KernelFacts;
use warpsan_ir::{AsyncOp, AtomicOp, Function, MemorySpace, Op, display_name};
use warpsan_model::Strength;

/// What a kernel and the functions that it may call use. Where shared variables lie only the assembler knows.
pub(crate) fn of(kernel: &str, functions: &[Function]) -> KernelFacts {
    let mut facts = KernelFacts {
        name: kernel.to_owned(),
        display_name: display_name(kernel),
        has_line_information: functions.iter().any(|function| function.has_line_information),
        ..KernelFacts::default()
    };
    for instruction in functions.iter().flat_map(|function| &function.code) {
        add(&mut facts, &instruction.op);
    }
    facts
}

fn add(facts: &mut KernelFacts, op: &Op) {
    match op {
        Op::Load { strength, space, .. } | Op::Store { strength, space, .. } => {
            facts.uses_strong_accesses |= *strength != Strength::Weak;
            facts.uses_cluster |= *space == MemorySpace::SharedCluster;
        }
        Op::Atomic { op, space, .. } => {
            facts.uses_strong_accesses = true;
            facts.uses_atomics = true;
            facts.may_use_locks |= matches!(op, AtomicOp::Cas | AtomicOp::Exch);
            facts.uses_cluster |= *space == MemorySpace::SharedCluster;
        }
        Op::AtomicVector { .. } => {
            facts.uses_strong_accesses = true;
            facts.uses_atomics = true;
        }
        Op::Fence { .. } => facts.uses_fences = true,
        Op::BlockBarrier { .. } => facts.uses_block_barriers = true,
        Op::WarpBarrier { .. }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Redux { .. }
        | Op::Elect { .. } => facts.uses_warp_synchronisation = true,
        Op::ClusterBarrier { .. } | Op::MapAddress { .. } => facts.uses_cluster = true,
        Op::Async(operation) => match &**operation {
            AsyncOp::Mbarrier { .. } => facts.uses_mbarriers = true,
            AsyncOp::PendingCount { .. } => {}
            other => {
                facts.uses_async_copies = true;
                facts.uses_bulk_copies |= matches!(other, AsyncOp::Bulk { .. });
            }
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::kernel;

    #[test]
    fn facts_are_those_of_the_kernel_and_of_what_it_calls() {
        let plain = kernel("ld.global.u32 %r2, [%rd1];").facts;
        assert_eq!((plain.name.as_str(), plain.uses_atomics), ("k", false));
        assert!(!plain.uses_block_barriers && !plain.uses_strong_accesses && !plain.uses_fences);
        let strong = kernel("ld.acquire.gpu.u32 %r2, [%rd1];\nmembar.gl;\nbar.sync 0;").facts;
        assert!(strong.uses_strong_accesses && strong.uses_fences && strong.uses_block_barriers);
        let locks = kernel("atom.global.cas.b32 %r2, [%rd1], 0, 1;").facts;
        assert!(locks.uses_atomics && locks.may_use_locks);
        assert!(kernel("bar.warp.sync -1;").facts.uses_warp_synchronisation);
        assert!(kernel("barrier.cluster.arrive;").facts.uses_cluster);
        let copies = kernel("cp.async.ca.shared.global [tile], [%rd1], 4;").facts;
        assert!(copies.uses_async_copies && !copies.uses_bulk_copies);
    }
}
