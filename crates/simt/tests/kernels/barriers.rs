//! Barriers of a block.

use crate::support::{Machine, Setup, everywhere, kernel};

#[test]
fn warps_meet_in_pairs_at_barriers_with_counts() {
    // Warps 0 and 1 use barrier 1, warps 2 and 3 barrier 2, for three rounds through shared memory.
    let text = kernel(
        "shr.u32 %r2, %r7, 6;
        add.s32 %r2, %r2, 1;
        shl.b32 %r3, %r7, 2;
        mov.u32 %r4, s;
        add.s32 %r3, %r3, %r4;
        xor.b32 %r5, %r7, 63;
        shl.b32 %r5, %r5, 2;
        add.s32 %r5, %r5, %r4;
        mov.u32 %r10, 0;
        mov.u32 %r6, %r7;
        $round:
        st.shared.u32 [%r3], %r6;
        bar.sync %r2, 64;
        ld.shared.u32 %r6, [%r5];
        bar.sync %r2, 64;
        add.s32 %r6, %r6, 1000;
        add.s32 %r10, %r10, 1;
        setp.lt.u32 %p1, %r10, 3;
        @%p1 bra $round;
        st.global.u32 [%rd2], %r6;
        ret;",
    );
    everywhere(&text, (1, 128), 128, |memory| {
        for (thread, value) in memory.iter().enumerate() {
            assert_eq!(*value, (thread as u32 ^ 63) + 3000);
        }
    });
}

#[test]
fn a_producer_only_arrives_and_a_consumer_waits() {
    // Barrier 1 says that the buffer is full, barrier 2 that it is empty.
    let text = kernel(
        "mov.u32 %r10, 0;
        mov.u32 %r11, 0;
        shl.b32 %r12, %r7, 2;
        and.b32 %r12, %r12, 127;
        mov.u32 %r4, s;
        add.s32 %r12, %r12, %r4;
        setp.ge.u32 %p1, %r7, 32;
        @%p1 bra $consumer;
        $produce:
        mad.lo.s32 %r3, %r10, 100, %r7;
        st.shared.u32 [%r12], %r3;
        bar.arrive 1, 64;
        bar.sync 2, 64;
        add.s32 %r10, %r10, 1;
        setp.lt.u32 %p2, %r10, 5;
        @%p2 bra $produce;
        ret;
        $consumer:
        bar.sync 1, 64;
        ld.shared.u32 %r3, [%r12];
        mad.lo.s32 %r11, %r11, 3, %r3;
        bar.arrive 2, 64;
        add.s32 %r10, %r10, 1;
        setp.lt.u32 %p2, %r10, 5;
        @%p2 bra $consumer;
        st.global.u32 [%rd2], %r11;
        ret;",
    );
    everywhere(&text, (1, 64), 64, |memory| {
        for lane in 0..32 {
            let expected = (0..5).fold(0, |sum, round| sum * 3 + round * 100 + lane as u32);
            assert_eq!(memory[32 + lane], expected);
        }
    });
}

#[test]
fn reductions_count_the_threads_that_there_are() {
    // 70 threads: the last warp has 6.
    let text = kernel(
        "setp.ge.u32 %p1, %r7, 5;
        bar.red.popc.u32 %r2, 3, %p1;
        bar.red.popc.u32 %r3, 3, !%p1;
        setp.lt.u32 %p2, %r7, 70;
        bar.red.and.pred %p3, 4, %p2;
        bar.red.and.pred %p4, 4, %p1;
        setp.eq.u32 %p5, %r7, 69;
        bar.red.or.pred %p6, 5, %p5;
        bar.red.or.pred %p7, 5, !%p2;
        selp.b32 %r4, 1, 0, %p3;
        selp.b32 %r5, 2, 0, %p4;
        selp.b32 %r6, 4, 0, %p6;
        selp.b32 %r10, 8, 0, %p7;
        or.b32 %r4, %r4, %r5;
        or.b32 %r4, %r4, %r6;
        or.b32 %r4, %r4, %r10;
        mad.lo.s32 %r4, %r2, 10000, %r4;
        mad.lo.s32 %r4, %r3, 100, %r4;
        st.global.u32 [%rd2], %r4;
        ret;",
    );
    everywhere(&text, (2, 70), 140, |memory| assert_eq!(memory, [650_505; 140]));
}

#[test]
fn a_block_has_sixteen_barriers() {
    // In round n threads exchange through barrier n, whose number is in a register.
    let text = kernel(
        "mov.u32 %r10, 0;
        shl.b32 %r3, %r7, 2;
        mov.u32 %r4, s;
        add.s32 %r3, %r3, %r4;
        xor.b32 %r5, %r3, 252;
        mov.u32 %r6, %r7;
        $round:
        st.shared.u32 [%r3], %r6;
        bar.sync %r10;
        ld.shared.u32 %r6, [%r5];
        bar.sync %r10;
        add.s32 %r6, %r6, %r10;
        add.s32 %r10, %r10, 1;
        setp.lt.u32 %p1, %r10, 16;
        @%p1 bra $round;
        st.global.u32 [%rd2], %r6;
        ret;",
    );
    everywhere(&text, (1, 64), 64, |memory| {
        assert!(memory.iter().enumerate().all(|(thread, value)| *value == thread as u32 + 120));
    });
    let text = kernel("mov.u32 %r2, 16;\nbar.sync %r2;\nret;");
    let fault = Machine::new(&text, 1).launch(&Setup::new(1, 32)).fault();
    assert_eq!(fault.what, "it uses barrier 16, but a block has 16");
    let text = kernel("mov.u32 %r2, 0;\nbar.sync 3, %r2;\nret;");
    let fault = Machine::new(&text, 1).launch(&Setup::new(1, 32)).fault();
    assert_eq!(fault.what, "it waits at barrier 3 for no threads at all");
}

#[test]
fn a_partial_last_warp_counts_in_full() {
    let text = kernel(
        "shl.b32 %r3, %r7, 2;
        mov.u32 %r4, s;
        add.s32 %r3, %r3, %r4;
        st.shared.u32 [%r3], %r7;
        bar.sync 1, 64;
        sub.s32 %r5, 39, %r7;
        shl.b32 %r5, %r5, 2;
        add.s32 %r5, %r5, %r4;
        ld.shared.u32 %r6, [%r5];
        st.global.u32 [%rd2], %r6;
        ret;",
    );
    let text = text.replace("sub.s32 %r5, 39, %r7;", "mov.u32 %r5, 39;\nsub.s32 %r5, %r5, %r7;");
    everywhere(&text, (1, 40), 40, |memory| {
        assert!(memory.iter().enumerate().all(|(thread, value)| *value == 39 - thread as u32));
    });
}

#[test]
fn warps_that_have_exited_are_not_waited_for_in_later_rounds() {
    // In every round the highest warp leaves.
    let text = kernel(
        "mov.u32 %r10, 4;
        shr.u32 %r2, %r7, 5;
        mov.u32 %r3, 0;
        $round:
        bar.sync 0;
        add.s32 %r3, %r3, 1;
        sub.s32 %r10, %r10, 1;
        setp.lt.u32 %p1, %r2, %r10;
        @%p1 bra $round;
        st.global.u32 [%rd2], %r3;
        ret;",
    );
    everywhere(&text, (1, 128), 128, |memory| {
        assert!(memory.iter().enumerate().all(|(thread, value)| *value == 4 - thread as u32 / 32));
    });
}

#[test]
fn barriers_that_are_not_aligned_work_in_parted_warps() {
    // Both branches have their own barrier; odd lanes come later.
    let text = kernel(
        "shl.b32 %r3, %r7, 2;
        mov.u32 %r4, s;
        add.s32 %r3, %r3, %r4;
        xor.b32 %r5, %r3, 4;
        and.b32 %r2, %r7, 1;
        setp.eq.u32 %p1, %r2, 0;
        @%p1 bra $even;
        mov.u32 %r10, 0;
        $spin:
        add.s32 %r10, %r10, 1;
        setp.lt.u32 %p2, %r10, %r7;
        @%p2 bra $spin;
        st.shared.u32 [%r3], %r7;
        barrier.sync 0;
        ld.shared.u32 %r6, [%r5];
        bra $end;
        $even:
        st.shared.u32 [%r3], %r7;
        barrier.sync 0;
        ld.shared.u32 %r6, [%r5];
        $end:
        st.global.u32 [%rd2], %r6;
        ret;",
    );
    everywhere(&text, (1, 96), 96, |memory| {
        assert!(memory.iter().enumerate().all(|(thread, value)| *value == thread as u32 ^ 1));
    });
}

#[test]
fn a_named_barrier_that_one_half_uses_does_not_hold_up_the_other() {
    let text = kernel(
        "setp.ge.u32 %p1, %r7, 64;
        @%p1 bra $high;
        bar.sync 1, 64;
        st.volatile.global.u32 [%rd1], 1;
        ret;
        $high:
        ld.volatile.global.u32 %r2, [%rd1];
        setp.eq.u32 %p2, %r2, 0;
        @%p2 bra $high;
        bar.sync 2, 64;
        st.global.u32 [%rd2], 5;
        ret;",
    );
    everywhere(&text, (1, 128), 128, |memory| assert_eq!(memory[64..], [5; 64]));
}
