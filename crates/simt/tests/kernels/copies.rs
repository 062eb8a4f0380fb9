//! `cp.async` and its groups.

use crate::support::{Machine, Setup, kernel, schedules};

/// The memory holds 128 words, 1000 and on; what the kernel leaves is behind them.
fn run(body: &str, threads: u32, words: usize, check: impl Fn(&[u32])) {
    let prologue = "shl.b32 %r10, %r7, 4;\nmov.u32 %r11, s;\nadd.s32 %r10, %r10, %r11;\n\
        mul.wide.u32 %rd5, %r7, 16;\nadd.s64 %rd5, %rd5, %rd1;\nadd.s64 %rd6, %rd2, 512;\n";
    let machine = Machine::new(&kernel(&format!("{prologue}{body}")), 128 + words);
    machine.write(0, &(1000..1128).collect::<Vec<u32>>());
    for schedule in schedules() {
        let done = machine.launch(&Setup { schedule, ..Setup::new(1, threads) });
        check(&done.well()[128..]);
    }
}

#[test]
fn a_copy_is_there_after_the_wait_for_its_group() {
    // Two groups; each is waited for in turn, and then exchanged through a barrier.
    let body = "cp.async.ca.shared.global [%r10], [%rd5], 8;
        cp.async.commit_group;
        cp.async.ca.shared.global [%r10+8], [%rd5+8], 8;
        cp.async.commit_group;
        cp.async.wait_group 1;
        ld.shared.u32 %r2, [%r10+4];
        cp.async.wait_group 0;
        bar.sync 0;
        xor.b32 %r12, %r10, 496;
        ld.shared.u32 %r3, [%r12+12];
        mad.lo.s32 %r2, %r2, 10000, %r3;
        st.global.u32 [%rd6], %r2;
        ret;";
    run(body, 32, 32, |found| {
        for (lane, value) in found.iter().enumerate() {
            let lane = lane as u32;
            assert_eq!(*value, (1000 + lane * 4 + 1) * 10000 + 1000 + (31 - lane) * 4 + 3);
        }
    });
}

#[test]
fn waiting_for_all_needs_no_group() {
    let body = "cp.async.cg.shared.global [%r10], [%rd5], 16;
        cp.async.wait_all;
        ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r10];
        add.s32 %r2, %r2, %r3;
        add.s32 %r2, %r2, %r4;
        add.s32 %r2, %r2, %r5;
        st.global.u32 [%rd6], %r2;
        ret;";
    run(body, 32, 32, |found| {
        assert!((0..32).all(|lane| found[lane] == 4006 + 16 * lane as u32));
    });
}

#[test]
fn what_is_not_read_is_zero() {
    // Lane n copies n bytes of 16, at most 16; lanes from 20 on ignore their source altogether, and
    // that may be no address at all.
    let body = "mov.u32 %r2, -1;
        st.shared.v4.u32 [%r10], {%r2, %r2, %r2, %r2};
        min.u32 %r3, %r7, 16;
        setp.ge.u32 %p1, %r7, 20;
        selp.b64 %rd5, 16, %rd5, %p1;
        @!%p1 bra $sized;
        cp.async.cg.shared.global [%r10], [%rd5], 16, %p1;
        bra $end;
        $sized:
        cp.async.cg.shared.global [%r10], [%rd5], 16, %r3;
        $end:
        cp.async.wait_all;
        ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r10];
        mul.wide.u32 %rd7, %r7, 16;
        add.s64 %rd7, %rd7, %rd1;
        st.global.v4.u32 [%rd7+512], {%r2, %r3, %r4, %r5};
        ret;";
    run(body, 32, 128, |found| {
        for (lane, words) in found.chunks(4).enumerate() {
            let wanted = if lane >= 20 { 0 } else { lane.min(16) };
            let mut expected: Vec<u8> =
                (0..4).flat_map(|word| (1000 + lane as u32 * 4 + word).to_le_bytes()).collect();
            expected[wanted..].fill(0);
            let found: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(found, expected, "lane {lane}");
        }
    });
}

#[test]
fn a_wait_in_a_later_round_sees_the_groups_of_earlier_ones() {
    // A pipeline of two stages over four pieces.
    let body = "mov.u32 %r12, 0;
        mov.u32 %r13, 0;
        cp.async.ca.shared.global [%r10], [%rd5], 4;
        cp.async.commit_group;
        $round:
        add.s32 %r14, %r12, 1;
        and.b32 %r15, %r14, 1;
        shl.b32 %r15, %r15, 2;
        add.s32 %r15, %r15, %r10;
        add.s64 %rd5, %rd5, 4;
        setp.lt.u32 %p1, %r14, 4;
        @%p1 cp.async.ca.shared.global [%r15], [%rd5], 4;
        cp.async.commit_group;
        cp.async.wait_group 1;
        and.b32 %r15, %r12, 1;
        shl.b32 %r15, %r15, 2;
        add.s32 %r15, %r15, %r10;
        ld.shared.u32 %r16, [%r15];
        mad.lo.s32 %r13, %r13, 3, %r16;
        mov.u32 %r12, %r14;
        @%p1 bra $round;
        st.global.u32 [%rd6], %r13;
        ret;";
    run(body, 32, 32, |found| {
        for (lane, value) in found.iter().enumerate() {
            let expected = (0..4).fold(0, |sum, word| sum * 3 + 1000 + lane as u32 * 4 + word);
            assert_eq!(*value, expected);
        }
    });
}

#[test]
fn copies_of_a_thread_are_finished_when_it_exits() {
    let body = "setp.ge.u32 %p1, %r7, 32;
        @%p1 bra $reader;
        cp.async.cg.shared.global [%r10], [%rd5], 16;
        ret;
        $reader:
        bar.sync 0;
        ld.shared.u32 %r2, [%r10+-512];
        st.global.u32 [%rd6], %r2;
        ret;";
    run(body, 64, 64, |found| {
        assert!((0..32).all(|lane| found[32 + lane] == 1000 + 4 * lane as u32));
    });
}

#[test]
fn bad_copies_are_faults() {
    let fault = |body: &str| {
        let machine = Machine::new(&kernel(body), 32);
        machine.launch(&Setup::new(1, 32)).fault()
    };
    let what = fault("mov.u32 %r2, s;\ncp.async.ca.shared.global [%r2], [%rd1+4], 8;\nret;").what;
    assert!(what.starts_with("a misaligned address: it copies 8 bytes at"), "{what}");
    let what = fault("mov.u32 %r2, s;\ncp.async.ca.shared.global [%r2], [%rd2+4], 4;\nret;");
    assert_eq!(what.thread, 31);
    assert!(what.what.contains("it is 0 bytes behind the end of"), "{}", what.what);
    let what =
        fault("mov.u32 %r2, s;\ncp.async.ca.shared.global [%r2+1024], [%rd1], 4;\nret;").what;
    assert!(what.contains("the block has 1024 bytes of shared memory"), "{what}");
}
