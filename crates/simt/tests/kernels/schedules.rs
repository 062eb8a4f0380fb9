//! Schedules: the same one does the same, and what was recorded can be replayed.

use crate::support::{Machine, Setup, kernel, schedules};
use std::collections::HashSet;
use warpsan_simt::{LaunchError, Policy, Schedule, Turn, Who};

/// Kernels whose result depends on who goes when, for two blocks of 64 threads and 256 words.
fn racy_kernels() -> Vec<String> {
    let increments = "mov.u32 %r2, 0;
        and.b32 %r10, %r7, 7;
        $loop:
        ld.volatile.global.u32 %r3, [%rd1];
        mad.lo.s32 %r3, %r3, 3, %r1;
        st.volatile.global.u32 [%rd1], %r3;
        add.s32 %r2, %r2, 1;
        setp.le.u32 %p1, %r2, %r10;
        @%p1 bra $loop;
        ld.volatile.global.u32 %r3, [%rd1];
        st.global.u32 [%rd2+4], %r3;
        ret;";
    let barriers = "st.volatile.shared.u32 [s], %r7;
        setp.lt.u32 %p1, %r7, 20;
        @%p1 bra $low;
        ld.volatile.shared.u32 %r3, [s];
        st.volatile.shared.u32 [s+4], %r3;
        barrier.sync 0;
        bra $end;
        $low:
        atom.global.add.u32 %r4, [%rd1], 1;
        st.volatile.shared.u32 [s+4], %r4;
        barrier.sync 0;
        $end:
        ld.volatile.shared.u32 %r3, [s+4];
        shfl.sync.bfly.b32 %r5, %r3, 1, 31, -1;
        atom.global.exch.b32 %r6, [%rd1+4], %r5;
        st.global.u32 [%rd2+8], %r6;
        ret;";
    let locks = "setp.ge.u32 %p2, %r7, 2;
        @%p2 ret;
        $again:
        atom.global.cas.b32 %r2, [%rd1], 0, 1;
        setp.ne.s32 %p1, %r2, 0;
        @%p1 bra $again;
        ld.volatile.global.u32 %r3, [%rd1+4];
        mad.lo.s32 %r3, %r3, 3, %r1;
        st.volatile.global.u32 [%rd1+4], %r3;
        atom.global.exch.b32 %r4, [%rd1], 0;
        ret;";
    // Lanes leave a reconvergence point for an operation, as in the basics.
    let reconvergences = "mov.u32 %r4, 0;\nsetp.ge.u32 %p1, %r7, 16;\nsetp.lt.u32 %p5, %r7, 8;\n$loop:\n\
        setp.eq.u32 %p6, %r4, 1;\n@%p6 bra $second;\n@%p1 bra $x;\nmov.u32 %r3, 0;\n$spin:\n\
        add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, 1500;\n@%p3 bra $spin;\n@%p5 bra $x;\n$second:\n\
        @%p5 bra $x;\nbar.warp.sync 0xFFFFFF00;\n$x:\nadd.u32 %r4, %r4, 1;\n\
        setp.lt.u32 %p3, %r4, 2;\n@%p1 bra $again;\nbra $out;\n$again:\n@%p3 bra $loop;\n$out:\n\
        atom.global.exch.b32 %r6, [%rd1], %r1;\nst.global.u32 [%rd2+4], %r6;\nret;";
    let copies = "setp.eq.u32 %p10, %r7, 0;
        mov.u32 %r4, s;
        @%p10 mbarrier.init.shared.b64 [s], 1;
        bar.sync 0;
        @!%p10 bra $wait;
        mbarrier.arrive.expect_tx.shared.b64 _, [s], 64;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+128], [%rd1], 64, [s];
        $wait:
        ld.volatile.shared.u32 %r3, [s+132];
        atom.global.add.u32 %r2, [%rd1+4], 3;
        mbarrier.test_wait.parity.shared.b64 %p1, [s], 0;
        @!%p1 bra $wait;
        ld.shared.u32 %r5, [s+132];
        add.s32 %r3, %r3, %r5;
        st.global.u32 [%rd2+256], %r3;
        ret;";
    [increments, barriers, locks, reconvergences, copies].map(kernel).to_vec()
}

#[test]
fn the_same_schedule_does_the_same() {
    for text in racy_kernels() {
        let machine = Machine::new(&text, 256);
        for schedule in schedules().into_iter().skip(18).step_by(2) {
            let launch = || {
                machine.clear();
                let done = machine
                    .launch(&Setup { schedule: schedule.clone(), ..Setup::new(2, 64).listening() });
                done.result.unwrap();
                (done.events, done.memory, done.stats)
            };
            assert!(launch() == launch(), "{schedule}");
        }
    }
}

#[test]
fn recorded_turns_do_the_same_again() {
    for (number, text) in racy_kernels().iter().enumerate() {
        let machine = Machine::new(text, 256);
        for schedule in schedules().into_iter().skip(16) {
            machine.clear();
            let setup =
                Setup { schedule: schedule.clone(), record: true, ..Setup::new(2, 64).listening() };
            let first = machine.launch(&setup);
            first.result.unwrap();
            let turns = first.turns.unwrap();
            assert!(matches!(turns.policy, Policy::Replay(_)));
            let read_back: Schedule = turns.to_string().parse().unwrap();
            assert_eq!(read_back, turns);
            machine.clear();
            let again = machine.launch(&Setup { schedule: read_back, ..setup.clone() });
            assert_eq!(again.result, Ok(()), "kernel {number}, {schedule}");
            assert_eq!(again.memory, first.memory, "kernel {number}, {schedule}");
            assert!(again.events == first.events, "kernel {number}, {schedule}");
            assert_eq!(again.turns, Some(turns), "kernel {number}, {schedule}");
        }
    }
}

#[test]
fn other_seeds_find_other_results() {
    for (number, text) in racy_kernels().iter().enumerate() {
        let machine = Machine::new(text, 256);
        let results: HashSet<Vec<u32>> = (0..50)
            .map(|seed| {
                machine.clear();
                machine.launch(&Setup::new(2, 64).seed(seed)).well()
            })
            .collect();
        assert!(results.len() > 1, "kernel {number} has only {} results", results.len());
    }
}

#[test]
fn nobody_listening_changes_nothing() {
    for text in racy_kernels() {
        let machine = Machine::new(&text, 256);
        for seed in 0..5 {
            machine.clear();
            let deaf = machine.launch(&Setup::new(2, 64).seed(seed));
            machine.clear();
            let all = machine.launch(&Setup::new(2, 64).seed(seed).listening());
            assert_eq!((deaf.memory, deaf.stats), (all.memory, all.stats));
            assert!(deaf.events.is_empty() && !all.events.is_empty());
        }
    }
}

#[test]
fn a_stored_schedule_of_another_launch_is_an_error() {
    let machine = Machine::new(&racy_kernels()[0], 256);
    let recorded = machine.launch(&Setup { record: true, ..Setup::new(2, 64) });
    let Some(Schedule { policy: Policy::Replay(turns), seed }) = recorded.turns else { panic!() };
    let replay = |turns: Vec<Turn>, setup: Setup| {
        let schedule = Schedule { policy: Policy::Replay(turns), seed };
        machine.launch(&Setup { schedule, ..setup }).result
    };
    assert_eq!(replay(turns.clone(), Setup::new(2, 64)), Ok(()));
    let fails_with = |result: Result<(), LaunchError>, part: &str| {
        let Err(LaunchError::Schedule(what)) = result else { panic!("{result:?}") };
        assert!(what.contains(part), "{what}");
    };
    fails_with(
        replay(turns[..turns.len() / 2].to_vec(), Setup::new(2, 64)),
        "ends before the launch does",
    );
    fails_with(replay(Vec::new(), Setup::new(2, 64)), "ends before the launch does");
    fails_with(replay(turns.clone(), Setup::new(1, 64)), "does not fit");
    fails_with(replay(turns.clone(), Setup::new(2, 32)), "does not fit");
    let copies = Turn { block: 0, who: Who::Copies, length: 1 };
    fails_with(replay(vec![copies], Setup::new(2, 64)), "does not fit");
    // The same machine still does what it should.
    assert_eq!(replay(turns, Setup::new(2, 64)), Ok(()));
}

#[test]
fn a_stored_turn_of_lanes_that_cannot_go_is_an_error() {
    let machine = Machine::new(&kernel("ret;"), 1);
    let turn = Turn { block: 0, who: Who::Warp { warp: 0, lane: 20 }, length: 100 };
    let schedule = Schedule { policy: Policy::Replay(vec![turn]), seed: 0 };
    let result = machine.launch(&Setup { schedule, ..Setup::new(1, 8) }).result;
    assert!(matches!(result, Err(LaunchError::Schedule(_))), "{result:?}");
}
