//! Plain data about an instrumented kernel, as detectors want it.

use warpsan_event::KernelFacts;
use warpsan_ir::{Function, display_name};

/// What a kernel and the functions that it may call use. Where shared variables lie only the assembler knows.
pub(crate) fn of(kernel: &str, functions: &[Function]) -> KernelFacts {
    let facts = KernelFacts {
        name: kernel.to_owned(),
        display_name: display_name(kernel),
        has_line_information: functions.iter().any(|function| function.has_line_information),
        ..KernelFacts::default()
    };
    let code = functions.iter().flat_map(|function| &function.code);
    facts.with_features(code.flat_map(|instruction| instruction.op.features()))
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

    #[test]
    fn blocks_meet_by_what_others_can_notice() {
        let never_meet = |code: &str| kernel(code).facts.blocks_never_meet;
        for code in [
            "ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd1], %r2;\nbar.sync 0;",
            "atom.shared.add.u32 %r2, [tile], 1;",
            "ld.volatile.shared.u32 %r2, [tile];",
            "fence.acq_rel.cta;",
            "cp.async.ca.shared.global [tile], [%rd1], 4;",
            "bar.warp.sync -1;",
            "atom.global.add.u32 %r2, [%rd1], 1;",
            "red.global.add.u32 [%rd1], 1;",
        ] {
            assert!(never_meet(code), "{code}");
        }
        for code in [
            "atom.global.add.u32 %r2, [%rd1], 1;\nst.global.u32 [%rd1+4], %r2;",
            "atom.global.exch.b32 %r2, [%rd1], 1;",
            "red.release.gpu.global.add.u32 [%rd1], 1;",
            "red.global.add.u32 [%rd1], 1;\nmembar.gl;",
            "ld.volatile.global.u32 %r2, [%rd1];",
            "ld.acquire.gpu.u32 %r2, [%rd1];",
            "membar.gl;",
            "barrier.cluster.arrive;",
        ] {
            assert!(!never_meet(code), "{code}");
        }
    }
}
