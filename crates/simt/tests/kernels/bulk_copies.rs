//! Bulk copies and asynchronous stores.

use crate::support::{Machine, Setup, kernel};
use std::sync::atomic::{AtomicU64, Ordering};
use warpsan_simt::LaunchError;

/// Thread 0 makes a barrier for one arrival at `s`; all go on behind a barrier of the cluster.
const BARRIER: &str = "setp.eq.u32 %p10, %r7, 0;\n@%p10 mbarrier.init.shared.b64 [s], 1;\n\
    fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %r4, s;\n\
    shl.b32 %r3, %r7, 2;\nadd.s32 %r3, %r3, %r4;\n";
const WAIT: &str = "$wait:\nmbarrier.try_wait.parity.shared.b64 %p1, [s], 0;\n@!%p1 bra $wait;\n";

fn numbers(from: u32, count: u32) -> Vec<u32> {
    (from..from + count).collect()
}

#[test]
fn a_bulk_copy_goes_in_and_comes_out() {
    let text = kernel(&format!(
        "{BARRIER}
        @!%p10 bra $wait;
        mbarrier.arrive.expect_tx.shared.b64 _, [s], 256;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+128], [%rd1], 256, [s];
        {WAIT}
        ld.shared.u32 %r2, [%r3+128];
        add.s32 %r2, %r2, 1;
        st.shared.u32 [%r3+128], %r2;
        fence.proxy.async.shared::cta;
        bar.sync 0;
        @!%p10 ret;
        cp.async.bulk.global.shared::cta.bulk_group [%rd1+256], [s+128], 256;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
        ld.global.u32 %r2, [%rd1+256];
        st.global.u32 [%rd1+512], %r2;
        ret;"
    ));
    let machine = Machine::new(&text, 129);
    for seed in 0..20 {
        machine.clear();
        machine.write(0, &numbers(700, 64));
        let memory = machine.launch(&Setup::new(1, 64).seed(seed)).well();
        assert_eq!(memory[64..128], numbers(701, 64));
        assert_eq!(memory[128], 701);
    }
}

#[test]
fn copies_that_nobody_waits_for_are_carried_out_before_the_end() {
    let text = kernel(
        "shl.b32 %r3, %r7, 2;\nmov.u32 %r4, s;\nadd.s32 %r3, %r3, %r4;\nst.shared.u32 [%r3], %r7;\nbar.sync 0;\n\
         setp.ne.u32 %p1, %r7, 0;\n@%p1 ret;\n\
         cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 128;\nret;",
    );
    let machine = Machine::new(&text, 32);
    for seed in 0..10 {
        machine.clear();
        assert_eq!(machine.launch(&Setup::new(1, 32).seed(seed)).well(), numbers(0, 32));
    }
}

/// Each copy that nobody waits for costs a detector more than the one before.
#[test]
fn who_watches_is_asked_more_often_when_there_are_copies() {
    static INSTRUCTIONS: AtomicU64 = AtomicU64::new(0);
    let copies = "$l:\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;\nbra $l;\nret;";
    let machine = Machine::new(&kernel(copies), 32);
    let watch = |progress: warpsan_simt::Progress| {
        INSTRUCTIONS.store(progress.instructions, Ordering::Relaxed);
        false
    };
    let result = machine.launch(&Setup { watch, ..Setup::new(1, 32) }).result;
    assert_eq!(result, Err(LaunchError::Stopped));
    let instructions = INSTRUCTIONS.load(Ordering::Relaxed);
    assert!((1..10_000).contains(&instructions), "{instructions}");
}

#[test]
fn a_multicast_reaches_the_blocks_of_its_mask() {
    let text = kernel(&format!(
        "{BARRIER}
        mov.u32 %r2, %cluster_ctarank;
        st.shared.u32 [%r3+128], 9;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        setp.eq.u32 %p2, %r2, 1;
        @%p2 bra $end;
        @%p10 mbarrier.arrive.expect_tx.shared.b64 _, [s], 128;
        setp.eq.u32 %p3, %r2, 0;
        and.pred %p3, %p3, %p10;
        @!%p3 bra $wait;
        mov.u16 %rs1, 13;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s+128], [%rd1], 128, [s], %rs1;
        {WAIT}
        $end:
        ld.shared.u32 %r5, [%r3+128];
        st.global.u32 [%rd2+128], %r5;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        ret;"
    ));
    let text = text
        .replace("st.shared.u32 [%r3+128], 9;", "mov.u32 %r5, 9;\nst.shared.u32 [%r3+128], %r5;");
    let machine = Machine::new(&text, 32 + 128);
    for seed in 0..10 {
        machine.write(0, &numbers(40, 32));
        let memory = machine.launch(&Setup::new(4, 32).clusters_of(4).seed(seed)).well();
        for block in 0..4 {
            let found = &memory[32 + block * 32..64 + block * 32];
            let expected = if block == 1 { vec![9; 32] } else { numbers(40, 32) };
            assert_eq!(found, expected, "block {block}");
        }
    }
}

#[test]
fn a_copy_from_block_to_block_completes_at_the_other_ones_barrier() {
    let text = kernel(&format!(
        "{BARRIER}
        mov.u32 %r2, %cluster_ctarank;
        xor.b32 %r2, %r2, 1;
        st.shared.u32 [%r3+128], %r1;
        fence.proxy.async;
        bar.sync 0;
        @!%p10 bra $wait;
        mbarrier.arrive.expect_tx.shared.b64 _, [s], 128;
        mapa.shared::cluster.u32 %r5, %r4, %r2;
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5+256], [s+128], 128, [%r5];
        {WAIT}
        ld.shared.u32 %r6, [%r3+256];
        st.global.u32 [%rd2], %r6;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        ret;"
    ));
    let machine = Machine::new(&text, 64);
    for seed in 0..10 {
        let memory = machine.launch(&Setup::new(2, 32).clusters_of(2).seed(seed)).well();
        assert!(memory.iter().enumerate().all(|(n, value)| *value == n as u32 ^ 32));
    }
}

#[test]
fn bulk_reductions_combine_with_what_is_there() {
    let reduction = |op: &str, ty: &str| {
        let text = kernel(&format!(
            "shl.b32 %r3, %r7, 2;\nmov.u32 %r4, s;\nadd.s32 %r3, %r3, %r4;\nst.shared.u32 [%r3], %r7;\n\
             fence.proxy.async;\nbar.sync 0;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 ret;\n\
             cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{ty} [%rd1], [s], 128;\n\
             cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nret;"
        ));
        let machine = Machine::new(&text, 32);
        machine.write(0, &[10; 32]);
        machine.launch(&Setup::new(3, 32)).well()
    };
    for lane in 0..32u32 {
        assert_eq!(reduction("add", "u32")[lane as usize], 10 + 3 * lane);
        if lane > 2 {
            continue;
        }
        assert_eq!(reduction("max", "s32"), (0..32).map(|lane| lane.max(10)).collect::<Vec<u32>>());
        assert_eq!(reduction("min", "u32"), (0..32).map(|lane| lane.min(10)).collect::<Vec<u32>>());
        assert_eq!(reduction("or", "b32"), (0..32).map(|lane| lane | 10).collect::<Vec<u32>>());
    }
}

#[test]
fn asynchronous_stores_complete_their_bytes_at_the_barrier() {
    let text = kernel(&format!(
        "{BARRIER}
        mov.u32 %r2, %cluster_ctarank;
        xor.b32 %r2, %r2, 1;
        mapa.shared::cluster.u32 %r5, %r4, %r2;
        shl.b32 %r6, %r7, 2;
        add.s32 %r6, %r6, %r5;
        @%p10 mbarrier.arrive.expect_tx.shared.b64 _, [s], 128;
        st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6+128], %r1, [%r5];
        {WAIT}
        ld.shared.u32 %r6, [%r3+128];
        st.global.u32 [%rd2], %r6;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        ret;"
    ));
    let text = text.replace("st.async.weak.shared", "st.async.shared");
    let machine = Machine::new(&text, 64);
    for seed in 0..10 {
        let memory = machine.launch(&Setup::new(2, 32).clusters_of(2).seed(seed)).well();
        assert!(memory.iter().enumerate().all(|(n, value)| *value == n as u32 ^ 32));
    }
}

#[test]
fn bulk_groups_are_waited_for_oldest_first() {
    let text = kernel(
        "shl.b32 %r3, %r7, 2;\nmov.u32 %r4, s;\nadd.s32 %r3, %r3, %r4;\nadd.s32 %r5, %r7, 50;\n\
         st.shared.u32 [%r3], %r5;\nbar.sync 0;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 ret;\n\
         cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 64;\ncp.async.bulk.commit_group;\n\
         cp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [s+64], 64;\ncp.async.bulk.commit_group;\n\
         cp.async.bulk.wait_group 1;\nld.global.u32 %r2, [%rd1+60];\nst.global.u32 [%rd1+128], %r2;\n\
         cp.async.bulk.wait_group 0;\nld.global.u32 %r2, [%rd1+124];\nst.global.u32 [%rd1+132], %r2;\nret;",
    );
    let machine = Machine::new(&text, 34);
    for seed in 0..10 {
        machine.clear();
        let memory = machine.launch(&Setup::new(1, 32).seed(seed)).well();
        assert_eq!(memory[32..], [65, 81]);
    }
}

#[test]
fn bad_bulk_copies_are_faults() {
    let fault = |to: &str, from: &str, bytes: u32| {
        let text = kernel(&format!(
            "setp.ne.u32 %p1, %r7, 3;\n@%p1 ret;\n\
             cp.async.bulk.global.shared::cta.bulk_group [{to}], [{from}], {bytes};\nret;"
        ));
        let fault = Machine::new(&text, 32).launch(&Setup::new(1, 32)).fault();
        assert_eq!(fault.thread, 3);
        fault.what
    };
    let what = fault("%rd1+8", "s", 32);
    assert!(what.starts_with("a misaligned address: it copies to 32 bytes at"), "{what}");
    let what = fault("%rd1", "s+4", 32);
    assert!(what.starts_with("a misaligned address: it copies 32 bytes at"), "{what}");
    assert_eq!(fault("%rd1", "s", 24), "a bulk copy of 24 bytes, which is no multiple of 16");
    let what = fault("%rd1+112", "s", 32);
    assert!(what.contains("in the last 16 bytes of the allocation of 128 bytes"), "{what}");
    assert!(fault("%rd1", "s+1008", 32).contains("the block has 1024 bytes of shared memory"));
}
