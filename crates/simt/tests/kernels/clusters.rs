//! Clusters of blocks and their shared memory.

use crate::support::{Machine, Setup, kernel, schedules};
use warpsan_model::Dim3;
use warpsan_simt::{FaultKind, LaunchError};

#[test]
fn blocks_know_their_place_in_the_cluster() {
    let registers = [
        "clusterid.x",
        "clusterid.y",
        "cluster_ctaid.x",
        "cluster_ctaid.y",
        "nclusterid.x",
        "nclusterid.y",
        "cluster_nctaid.x",
        "cluster_nctaid.y",
        "cluster_ctarank",
        "cluster_nctarank",
    ];
    let mut body = String::from(
        "mov.u32 %r10, %ctaid.y;\nmov.u32 %r11, %nctaid.x;\nmad.lo.s32 %r10, %r10, %r11, %r9;\n\
         mul.wide.u32 %rd5, %r10, 40;\nadd.s64 %rd5, %rd5, %rd1;\n",
    );
    for (number, register) in registers.iter().enumerate() {
        body.push_str(&format!(
            "mov.u32 %r2, %{register};\nst.global.u32 [%rd5+{}], %r2;\n",
            number * 4
        ));
    }
    body.push_str("ret;");
    let setup =
        Setup { grid: Dim3::new(6, 4, 1), cluster: Some(Dim3::new(3, 2, 1)), ..Setup::new(1, 1) };
    let memory = Machine::new(&kernel(&body), 240).launch(&setup).well();
    for (block, found) in memory.chunks(10).enumerate() {
        let (x, y) = (block as u32 % 6, block as u32 / 6);
        let rank = y % 2 * 3 + x % 3;
        assert_eq!(found, [x / 3, y / 2, x % 3, y % 2, 2, 2, 3, 2, rank, 6], "block {block}");
    }
}

const ARRIVE_AND_WAIT: &str = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

#[test]
fn blocks_read_the_memory_of_their_neighbour() {
    for generic in [false, true] {
        let read = match generic {
            false => {
                "mapa.shared::cluster.u32 %r5, %r4, %r3;\nld.shared::cluster.u32 %r6, [%r5];\n\
                      getctarank.shared::cluster.u32 %r10, %r5;"
            }
            true => {
                "cvta.shared.u64 %rd5, %rd6;\nmapa.u64 %rd7, %rd5, %r3;\nld.u32 %r6, [%rd7];\n\
                     getctarank.u64 %r10, %rd7;"
            }
        };
        let text = kernel(&format!(
            "mov.u32 %r2, %cluster_ctarank;
            add.s32 %r3, %r2, 1;
            and.b32 %r3, %r3, 3;
            shl.b32 %r4, %r7, 2;
            mov.u32 %r5, s;
            add.s32 %r4, %r4, %r5;
            cvt.u64.u32 %rd6, %r4;
            st.shared.u32 [%r4], %r1;
            {ARRIVE_AND_WAIT}
            {read}
            mad.lo.s32 %r6, %r10, 10000, %r6;
            {ARRIVE_AND_WAIT}
            st.global.u32 [%rd2], %r6;
            ret;"
        ));
        let machine = Machine::new(&text, 8 * 40);
        for schedule in schedules() {
            let setup = Setup { schedule, ..Setup::new(8, 40).clusters_of(4) };
            let memory = machine.launch(&setup).well();
            for (thread, value) in memory.iter().enumerate() {
                let (block, lane) = (thread / 40, thread % 40);
                let other = block / 4 * 4 + (block + 1) % 4;
                assert_eq!(*value as usize, other % 4 * 10000 + other * 40 + lane);
            }
        }
    }
}

#[test]
fn atomics_and_stores_reach_another_blocks_memory() {
    let text = kernel(&format!(
        "mov.u32 %r5, s;
        setp.eq.u32 %p1, %r7, 0;
        @%p1 st.shared.u32 [%r5], 0;
        {ARRIVE_AND_WAIT}
        mov.u32 %r3, 0;
        mapa.shared::cluster.u32 %r6, %r5, %r3;
        atom.shared::cluster.add.u32 %r10, [%r6], 1;
        red.shared::cluster.max.u32 [%r6+4], %r1;
        mov.u32 %r2, %cluster_ctarank;
        shl.b32 %r11, %r2, 2;
        add.s32 %r11, %r11, %r6;
        @%p1 st.shared::cluster.u32 [%r11+8], %r9;
        {ARRIVE_AND_WAIT}
        setp.ne.u32 %p2, %r2, 0;
        @%p2 ret;
        setp.ge.u32 %p2, %r7, 6;
        @%p2 ret;
        shl.b32 %r12, %r7, 2;
        add.s32 %r12, %r12, %r5;
        ld.shared.u32 %r13, [%r12];
        mul.wide.u32 %rd5, %r9, 8;
        add.s64 %rd5, %rd5, %rd1;
        mul.wide.u32 %rd6, %r7, 4;
        add.s64 %rd5, %rd5, %rd6;
        st.global.u32 [%rd5], %r13;
        ret;"
    ));
    let machine = Machine::new(&text, 16);
    for seed in 0..10 {
        let memory = machine.launch(&Setup::new(8, 64).clusters_of(4).seed(seed)).well();
        assert_eq!(memory[..6], [256, 255, 0, 1, 2, 3]);
        assert_eq!(memory[8..14], [256, 511, 4, 5, 6, 7]);
    }
}

#[test]
fn the_halves_of_a_cluster_barrier_may_be_apart() {
    // Work between arriving and waiting; relaxed arrivals; blocks that exit are not waited for.
    let text = kernel(
        "mov.u32 %r2, %cluster_ctarank;
        mov.u32 %r10, 0;
        $round:
        barrier.cluster.arrive.relaxed.aligned;
        mov.u32 %r3, 0;
        $spin:
        add.s32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, %r7;
        @%p1 bra $spin;
        barrier.cluster.wait.aligned;
        add.s32 %r10, %r10, 1;
        mov.u32 %r4, 3;
        sub.s32 %r4, %r4, %r2;
        setp.lt.u32 %p1, %r10, %r4;
        @%p1 bra $round;
        st.global.u32 [%rd2], %r10;
        ret;",
    );
    let machine = Machine::new(&text, 3 * 64);
    for schedule in schedules() {
        let memory = machine.launch(&Setup { schedule, ..Setup::new(3, 64).clusters_of(3) }).well();
        for (thread, value) in memory.iter().enumerate() {
            assert_eq!(*value, 3 - thread as u32 / 64);
        }
    }
}

#[test]
fn what_does_not_fit_a_cluster_is_reported() {
    let machine = Machine::new(&kernel("ret;"), 1);
    let done = machine.launch(&Setup::new(5, 32).clusters_of(2));
    let error = done.result.unwrap_err();
    assert!(matches!(error, LaunchError::Geometry(_)), "{error:?}");
    assert!(error.to_string().contains("no multiple of clusters"), "{error}");
    let text = kernel(
        "mov.u32 %r5, s;\nmov.u32 %r3, 2;\nmapa.shared::cluster.u32 %r6, %r5, %r3;\n\
         ld.shared::cluster.u32 %r2, [%r6];\nret;",
    );
    let fault = Machine::new(&text, 1).launch(&Setup::new(2, 32).clusters_of(2)).fault();
    assert!(fault.what.contains("the cluster has no block of that rank"), "{}", fault.what);
}

#[test]
fn a_block_that_is_stuck_is_reported_when_the_rest_of_its_cluster_has_ended() {
    // Block 0 waits for a second warp that it does not have; block 1 goes on for a while.
    let text = kernel(
        "setp.eq.u32 %p1, %r9, 0;
        @%p1 bra $stuck;
        mov.u32 %r3, 0;
        $spin:
        add.s32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, 3000;
        @%p1 bra $spin;
        ret;
        $stuck:
        bar.sync 1, 64;
        ret;",
    );
    for seed in 0..5 {
        let machine = Machine::new(&text, 1);
        let done = machine.launch(&Setup::new(2, 32).clusters_of(2).seed(seed));
        let Err(LaunchError::Fault(fault)) = done.result else { panic!("{:?}", done.result) };
        assert_eq!(fault.kind, FaultKind::Deadlock);
        assert_eq!(fault.block.0, 0);
    }
}
