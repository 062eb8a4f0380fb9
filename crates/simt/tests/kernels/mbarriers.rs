//! `mbarrier` objects.

use crate::support::{Machine, Setup, everywhere, kernel};

/// Thread 0 makes a barrier at `s` that expects so many arrivals; then all go on.
fn with_barrier(count: u32, body: &str) -> String {
    kernel(&format!(
        "setp.eq.u32 %p10, %r7, 0;\n@%p10 mbarrier.init.shared.b64 [s], {count};\nbar.sync 0;\n{body}"
    ))
}

#[test]
fn a_phase_ends_when_all_have_arrived() {
    // Three phases; the state that an arrival gives says which one is waited for.
    let text = with_barrier(
        64,
        "mov.u32 %r10, 0;
        mov.u32 %r6, %r7;
        shl.b32 %r3, %r7, 2;
        mov.u32 %r4, s;
        add.s32 %r3, %r3, %r4;
        xor.b32 %r5, %r3, 252;
        $round:
        st.shared.u32 [%r3+256], %r6;
        mbarrier.arrive.shared.b64 %rd5, [s];
        $wait:
        mbarrier.test_wait.shared.b64 %p1, [s], %rd5;
        @!%p1 bra $wait;
        ld.shared.u32 %r6, [%r5+256];
        mbarrier.arrive.shared.b64 %rd5, [s];
        $again:
        mbarrier.try_wait.shared.b64 %p1, [s], %rd5;
        @!%p1 bra $again;
        add.s32 %r6, %r6, 100;
        add.s32 %r10, %r10, 1;
        setp.lt.u32 %p2, %r10, 3;
        @%p2 bra $round;
        st.global.u32 [%rd2], %r6;
        ret;",
    );
    everywhere(&text, (1, 64), 64, |memory| {
        assert!(memory.iter().enumerate().all(|(n, value)| *value == (n as u32 ^ 63) + 300));
    });
}

#[test]
fn a_phase_is_known_by_its_parity() {
    // One warp arrives for both; the other only waits, phase after phase.
    let text = with_barrier(
        32,
        "mov.u32 %r10, 0;
        mov.u32 %r11, 0;
        setp.ge.u32 %p1, %r7, 32;
        @%p1 bra $reader;
        $produce:
        @%p10 st.shared.u32 [s+64], %r10;
        bar.warp.sync -1;
        mbarrier.arrive.shared.b64 _, [s];
        bar.sync 1, 64;
        add.s32 %r10, %r10, 1;
        setp.lt.u32 %p2, %r10, 4;
        @%p2 bra $produce;
        ret;
        $reader:
        and.b32 %r2, %r10, 1;
        $wait:
        mbarrier.try_wait.parity.shared.b64 %p2, [s], %r2;
        @!%p2 bra $wait;
        ld.shared.u32 %r3, [s+64];
        mad.lo.s32 %r11, %r11, 10, %r3;
        bar.sync 1, 64;
        add.s32 %r10, %r10, 1;
        setp.lt.u32 %p2, %r10, 4;
        @%p2 bra $reader;
        st.global.u32 [%rd2], %r11;
        ret;",
    );
    everywhere(&text, (1, 64), 64, |memory| assert_eq!(memory[32..], [123; 32]));
}

#[test]
fn arrivals_count_as_they_say_and_who_drops_out_is_not_expected_again() {
    let text = with_barrier(
        40,
        "setp.ne.u32 %p1, %r7, 0;
        @%p1 ret;
        mbarrier.arrive.shared.b64 %rd5, [s], 10;
        mbarrier.pending_count.b64 %r2, %rd5;
        st.global.u32 [%rd1], %r2;
        mbarrier.arrive_drop.shared.b64 %rd5, [s], 5;
        mbarrier.pending_count.b64 %r2, %rd5;
        st.global.u32 [%rd1+4], %r2;
        mbarrier.test_wait.parity.shared.b64 %p2, [s], 0;
        selp.b32 %r2, 1, 0, %p2;
        st.global.u32 [%rd1+8], %r2;
        mbarrier.arrive.shared.b64 %rd5, [s], 25;
        mbarrier.pending_count.b64 %r2, %rd5;
        st.global.u32 [%rd1+12], %r2;
        mbarrier.test_wait.parity.shared.b64 %p2, [s], 0;
        selp.b32 %r2, 1, 0, %p2;
        st.global.u32 [%rd1+16], %r2;
        mbarrier.test_wait.parity.shared.b64 %p2, [s], 1;
        selp.b32 %r2, 1, 0, %p2;
        st.global.u32 [%rd1+20], %r2;
        mbarrier.arrive.shared.b64 %rd5, [s];
        mbarrier.pending_count.b64 %r2, %rd5;
        st.global.u32 [%rd1+24], %r2;
        mbarrier.inval.shared.b64 [s];
        mbarrier.init.shared.b64 [s], 3;
        mbarrier.arrive.shared.b64 %rd5, [s];
        mbarrier.pending_count.b64 %r2, %rd5;
        st.global.u32 [%rd1+28], %r2;
        ret;",
    );
    let memory = Machine::new(&text, 8).launch(&Setup::new(1, 32)).well();
    assert_eq!(memory, [40, 30, 0, 25, 1, 0, 35, 3]);
}

#[test]
fn bytes_that_are_expected_hold_the_phase_open() {
    let text = with_barrier(
        1,
        "setp.ne.u32 %p1, %r7, 0;
        @%p1 ret;
        mbarrier.arrive.expect_tx.shared.b64 %rd5, [s], 48;
        mbarrier.test_wait.shared.b64 %p2, [s], %rd5;
        selp.b32 %r2, 1, 0, %p2;
        st.global.u32 [%rd1], %r2;
        mbarrier.complete_tx.shared.b64 [s], 32;
        mbarrier.test_wait.shared.b64 %p2, [s], %rd5;
        selp.b32 %r2, 1, 0, %p2;
        st.global.u32 [%rd1+4], %r2;
        mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [s], 4;
        mbarrier.complete_tx.shared.b64 [s], 20;
        mbarrier.test_wait.shared.b64 %p2, [s], %rd5;
        selp.b32 %r2, 1, 0, %p2;
        st.global.u32 [%rd1+8], %r2;
        ret;",
    );
    let memory = Machine::new(&text, 3).launch(&Setup::new(1, 32)).well();
    assert_eq!(memory, [0, 0, 1]);
}

#[test]
fn an_arrival_comes_after_the_copies_of_its_thread() {
    for (increment, count) in [("", 1), (".noinc", 33)] {
        let text = with_barrier(
            count,
            &format!(
                "shl.b32 %r3, %r7, 2;
                mov.u32 %r4, s;
                add.s32 %r3, %r3, %r4;
                xor.b32 %r5, %r3, 124;
                cp.async.ca.shared.global [%r3+128], [%rd2], 4;
                cp.async.mbarrier.arrive{increment}.shared.b64 [s];
                bar.warp.sync -1;
                @%p10 mbarrier.arrive.shared.b64 %rd5, [s];
                $wait:
                mbarrier.try_wait.parity.shared.b64 %p1, [s], 0;
                @!%p1 bra $wait;
                ld.shared.u32 %r6, [%r5+128];
                st.global.u32 [%rd2+128], %r6;
                ret;"
            ),
        );
        let machine = Machine::new(&text, 64);
        for seed in 0..20 {
            machine.write(0, &(500..532).collect::<Vec<u32>>());
            let memory = machine.launch(&Setup::new(1, 32).seed(seed)).well();
            assert!((0..32).all(|lane| memory[32 + lane] == 531 - lane as u32), "{memory:?}");
        }
    }
}

#[test]
fn blocks_arrive_at_the_barriers_of_others() {
    let text = kernel(
        "setp.eq.u32 %p10, %r7, 0;
        @%p10 mbarrier.init.shared.b64 [s], 64;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        mov.u32 %r2, %cluster_ctarank;
        xor.b32 %r2, %r2, 1;
        mov.u32 %r4, s;
        mapa.shared::cluster.u32 %r5, %r4, %r2;
        shl.b32 %r6, %r7, 2;
        add.s32 %r6, %r6, %r5;
        st.shared::cluster.u32 [%r6+64], %r1;
        mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
        $wait:
        mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [s], 0;
        @!%p1 bra $wait;
        shl.b32 %r6, %r7, 2;
        add.s32 %r6, %r6, %r4;
        ld.shared.u32 %r3, [%r6+64];
        st.global.u32 [%rd2], %r3;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        ret;",
    );
    let machine = Machine::new(&text, 256);
    for seed in 0..10 {
        let memory = machine.launch(&Setup::new(4, 64).clusters_of(2).seed(seed)).well();
        assert!(memory.iter().enumerate().all(|(n, value)| *value == n as u32 ^ 64));
    }
}

#[test]
fn misuse_is_a_fault() {
    let fault = |text: &str| Machine::new(text, 32).launch(&Setup::new(1, 32)).fault();
    let one = "setp.ne.u32 %p1, %r7, 7;\n@%p1 ret;\n";
    let found =
        fault(&with_barrier(3, &format!("{one}mbarrier.arrive.shared.b64 _, [s], 4;\nret;")));
    assert_eq!(found.what, "more arrivals at an mbarrier than its phase expects");
    assert_eq!((found.thread, found.block.0), (7, 0));
    let found =
        fault(&with_barrier(3, &format!("{one}mbarrier.arrive.shared.b64 _, [s+8];\nret;")));
    assert_eq!(found.what, "it uses an mbarrier that was not initialised, or was overwritten");
    let body = "st.shared.u64 [s], %rd1;\nmbarrier.test_wait.parity.shared.b64 %p2, [s], 0;\nret;";
    let found = fault(&with_barrier(3, &format!("{one}{body}")));
    assert_eq!(found.what, "it uses an mbarrier that was not initialised, or was overwritten");
    let found =
        fault(&with_barrier(3, &format!("{one}mbarrier.arrive.shared.b64 _, [s+4];\nret;")));
    assert!(found.what.starts_with("a misaligned address"), "{}", found.what);
    let found = fault(&with_barrier(3, &format!("{one}mbarrier.arrive.b64 _, [%rd1];\nret;")));
    assert_eq!(found.what, "an mbarrier that is not in shared memory");
    let body = "mbarrier.inval.shared.b64 [s];\nmbarrier.arrive.shared.b64 _, [s];\nret;";
    let found = fault(&with_barrier(3, &format!("{one}{body}")));
    assert_eq!(found.what, "it uses an mbarrier that was not initialised, or was overwritten");
}
