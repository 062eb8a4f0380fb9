//! What nearly every kernel needs.

use crate::support::{self, Machine, kernel};
use warpsan_simt::{FaultKind, LaunchError};

fn run(body: &str, blocks: u32, threads: u32, words: usize) -> Result<Vec<u32>, LaunchError> {
    Machine::new(&kernel(body), words).run(blocks, threads, 1)
}

#[test]
fn every_thread_computes_its_own_element() {
    let body = "mul.lo.s32 %r2, %r1, %r1;\nst.global.u32 [%rd2], %r2;\nret;";
    let memory = run(body, 3, 70, 210).unwrap();
    assert!(memory.iter().enumerate().all(|(index, value)| *value == (index * index) as u32));
}

#[test]
fn lanes_that_loop_differently_all_finish_and_meet() {
    // Each lane adds up 0..tid; behind the loop all are active again.
    let body = "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\n$loop:\nsetp.ge.u32 %p1, %r3, %r7;\n@%p1 bra $end;\n\
        add.s32 %r2, %r2, %r3;\nadd.s32 %r3, %r3, 1;\nbra $loop;\n$end:\nactivemask.b32 %r4;\n\
        popc.b32 %r4, %r4;\nshl.b32 %r4, %r4, 16;\nor.b32 %r2, %r2, %r4;\nst.global.u32 [%rd2], %r2;\nret;";
    let memory = run(body, 1, 64, 64).unwrap();
    for (index, value) in memory.iter().enumerate() {
        let thread = index as u32;
        let sum = thread * thread.saturating_sub(1) / 2;
        assert_eq!((value >> 16, value & 0xFFFF), (32, sum), "thread {thread}");
    }
}

#[test]
fn a_block_barrier_makes_shared_memory_visible() {
    let body = "shl.b32 %r2, %r7, 2;\nmov.u32 %r3, s;\nadd.s32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r7;\nbar.sync 0;\n\
        sub.s32 %r4, %r8, 1;\nsub.s32 %r4, %r4, %r7;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r4, %r4, %r3;\n\
        ld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd2], %r5;\nret;";
    for seed in 0..10 {
        let memory = Machine::new(&kernel(body), 256).run(2, 128, seed).unwrap();
        assert!(
            memory.iter().enumerate().all(|(index, value)| *value == 127 - (index as u32 % 128))
        );
    }
}

#[test]
fn a_barrier_with_a_reduction_gives_all_the_same_answer() {
    let body = "setp.lt.u32 %p1, %r7, 40;\nbar.red.popc.u32 %r2, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\n\
        bar.red.or.pred %p3, 0, %p1;\nselp.u32 %r3, 100, 0, %p2;\nselp.u32 %r4, 1000, 0, %p3;\n\
        add.s32 %r2, %r2, %r3;\nadd.s32 %r2, %r2, %r4;\nst.global.u32 [%rd2], %r2;\nret;";
    assert_eq!(run(body, 1, 64, 64).unwrap(), [1040; 64]);
}

#[test]
fn atomics_of_all_threads_add_up() {
    let body = "atom.global.add.u32 %r2, [%rd1], 1;\nred.global.max.u32 [%rd1+4], %r1;\nret;";
    let memory = run(body, 40, 96, 2).unwrap();
    assert_eq!(memory, [40 * 96, 40 * 96 - 1]);
}

#[test]
fn a_spin_lock_among_the_lanes_of_a_warp_ends() {
    let body = "$again:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra $again;\n\
        ld.volatile.global.u32 %r3, [%rd1+4];\nadd.s32 %r3, %r3, 1;\nst.volatile.global.u32 [%rd1+4], %r3;\n\
        membar.gl;\natom.global.exch.b32 %r4, [%rd1], 0;\nret;";
    for seed in 0..3 {
        let machine = Machine::new(&kernel(body), 2);
        assert_eq!(machine.run(2, 40, seed).unwrap(), [0, 80]);
    }
}

#[test]
fn a_block_may_wait_for_a_block_that_starts_later() {
    // All blocks wait until all have said that they are there; far more than start at first.
    let body = "atom.global.add.u32 %r2, [%rd1], 1;\n$wait:\nld.volatile.global.u32 %r3, [%rd1];\n\
        setp.lt.u32 %p1, %r3, 200;\n@%p1 bra $wait;\nret;";
    assert_eq!(run(body, 200, 1, 1).unwrap(), [200]);
}

#[test]
fn shuffles_and_votes_see_all_lanes_even_after_a_branch() {
    let body = "setp.lt.u32 %p1, %r7, 16;\n@%p1 bra $low;\nadd.s32 %r2, %r7, 100;\nbra $go;\n$low:\n\
        add.s32 %r2, %r7, 200;\n$go:\nshfl.sync.bfly.b32 %r3, %r2, 31, 31, -1;\n\
        vote.sync.ballot.b32 %r4, %p1, -1;\nand.b32 %r4, %r4, 0xFF000;\nadd.s32 %r3, %r3, %r4;\n\
        st.global.u32 [%rd2], %r3;\nret;";
    let memory = run(body, 1, 32, 32).unwrap();
    for (lane, value) in memory.iter().enumerate() {
        let other = 31 - lane as u32;
        assert_eq!(*value, other + if other < 16 { 200 } else { 100 } + 0xF000);
    }
}

#[test]
fn an_illegal_address_stops_the_kernel_and_is_reported() {
    let error = run("st.global.u32 [%rd2+4096], %r1;\nret;", 1, 32, 32).unwrap_err();
    let LaunchError::Fault(fault) = error else { panic!("{error:?}") };
    assert!(
        fault.what.starts_with("an illegal address: it writes 4 bytes at 0x3"),
        "{}",
        fault.what
    );
    let error = run("st.global.u32 [%rd2+2], %r1;\nret;", 1, 32, 64).unwrap_err();
    assert!(error.to_string().contains("not a multiple of 4"), "{error}");
}

#[test]
fn a_barrier_that_some_threads_never_reach_is_a_deadlock() {
    let body =
        "setp.lt.u32 %p1, %r7, 32;\n@%p1 bra $one;\nbar.sync 1;\nret;\n$one:\nbar.sync 2;\nret;";
    let error = run(body, 1, 64, 1).unwrap_err();
    let LaunchError::Fault(fault) = error else { panic!("{error:?}") };
    assert_eq!(fault.kind, FaultKind::Deadlock);
}

#[test]
fn threads_that_have_exited_are_not_waited_for() {
    let body = "setp.lt.u32 %p1, %r7, 40;\n@%p1 bra $go;\nret;\n$go:\nbar.sync 0;\nst.global.u32 [%rd2], 7;\nret;";
    let memory = run(body, 1, 64, 64).unwrap();
    assert_eq!(memory.iter().filter(|value| **value == 7).count(), 40);
}

#[test]
fn a_kernel_that_never_ends_is_given_up() {
    let error = run("$l:\nbra $l;", 1, 32, 1).unwrap_err();
    assert_eq!(error, LaunchError::OutOfBudget { limit: support::BUDGET });
}

#[test]
fn the_same_seed_emits_the_same_events_and_another_seed_others() {
    let body =
        "atom.global.add.u32 %r2, [%rd1], 1;\nst.global.u32 [%rd2+4], %r2;\nbar.sync 0;\nret;";
    let events = |seed| {
        let machine = Machine::new(&kernel(body), 512);
        machine.events(4, 96, seed)
    };
    assert_eq!(events(7), events(7));
    assert_ne!(events(7), events(8));
}

#[test]
fn tiles_of_a_warp_vote_and_wait_on_their_own() {
    // Both halves execute the same instructions with their own mask.
    let body = "and.b32 %r2, %r7, 16;\nmov.u32 %r3, 0xFFFF;\nshl.b32 %r3, %r3, %r2;\n\
        setp.lt.u32 %p1, %r7, 16;\nvote.sync.all.pred %p2, %p1, %r3;\nvote.sync.ballot.b32 %r4, %p1, %r3;\n\
        bar.warp.sync %r3;\nselp.u32 %r5, 1, 0, %p2;\nshl.b32 %r5, %r5, 20;\nor.b32 %r4, %r4, %r5;\n\
        st.global.u32 [%rd2], %r4;\nret;";
    let memory = run(body, 1, 32, 32).unwrap();
    assert_eq!(memory[..16], [0x10_FFFF; 16]);
    assert_eq!(memory[16..], [0; 16]);
    let events = Machine::new(&kernel(body), 32).events(1, 32, 1);
    let barriers: Vec<_> = events.iter().filter(|event| event.starts_with("WarpBarrier")).collect();
    assert_eq!(barriers.len(), 2, "each half waits for itself only: {barriers:?}");
}

#[test]
fn a_guarded_warp_barrier_concerns_the_lanes_that_execute_it() {
    let body =
        "setp.lt.u32 %p1, %r7, 16;\n@%p1 bar.warp.sync 0xFFFF;\nst.global.u32 [%rd2], 1;\nret;";
    let events = Machine::new(&kernel(body), 32).events(1, 32, 1);
    let barriers: Vec<_> = events.iter().filter(|event| event.starts_with("WarpBarrier")).collect();
    assert_eq!(barriers, ["WarpBarrier { block: BlockIndex(0), warp: 0, mask: 65535 }"]);
}

#[test]
fn lanes_that_exit_release_those_who_wait_for_them() {
    // Lanes 0 to 15 wait for all, lane 31 exits, the others come later.
    let body = "setp.lt.u32 %p1, %r7, 16;\n@%p1 bra $wait;\nsetp.eq.u32 %p2, %r7, 31;\n@%p2 exit;\n\
        mov.u32 %r2, 0;\n$spin:\nadd.s32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 200;\n@%p2 bra $spin;\n$wait:\n\
        vote.sync.ballot.b32 %r4, %p1, -1;\nst.global.u32 [%rd2], %r4;\nret;";
    for seed in 0..10 {
        let machine = Machine::new(&kernel(body), 32);
        let memory = machine.run(1, 32, seed).unwrap();
        assert!(memory[..31].iter().all(|value| *value == 0xFFFF), "{memory:x?}");
    }
}

#[test]
fn two_operations_that_one_exit_completes_both_go_on() {
    let body = "setp.eq.u32 %p1, %r7, 31;\n@%p1 bra $leave;\nsetp.lt.u32 %p2, %r7, 15;\n@%p2 bra $low;\n\
        vote.sync.ballot.b32 %r4, %p1, 0xFFFF8000;\nbra $go;\n$low:\n\
        vote.sync.ballot.b32 %r4, %p1, 0x80007FFF;\n$go:\nbar.sync 0;\nst.global.u32 [%rd2], 7;\nret;\n\
        $leave:\nmov.u32 %r2, 0;\n$spin:\nadd.s32 %r2, %r2, 1;\nsetp.lt.u32 %p3, %r2, 300;\n@%p3 bra $spin;\nret;";
    for seed in 0..10 {
        let machine = Machine::new(&kernel(body), 32);
        let memory = machine.run(1, 32, seed).unwrap();
        assert_eq!(memory[..31], [7; 31], "seed {seed}");
    }
}

#[test]
fn a_warp_in_which_all_wait_does_not_hold_up_the_block() {
    // Lanes 0 to 15 are at the reconvergence point, 16 to 31 at a barrier with warp 1, which spins on a flag
    // that lane 0 sets behind it.
    let body = "setp.ge.u32 %p1, %r7, 32;\n@%p1 bra $other;\nsetp.lt.u32 %p2, %r7, 16;\n@%p2 bra $together;\n\
        barrier.sync 1, 48;\n$together:\nst.volatile.global.u32 [%rd1], 1;\nret;\n$other:\n\
        ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p3, %r2, 0;\n@%p3 bra $other;\nbarrier.sync 1, 48;\nret;";
    for seed in 0..5 {
        let machine = Machine::new(&kernel(body), 64);
        assert_eq!(machine.run(1, 64, seed).unwrap()[0], 1);
    }
}

#[test]
fn lanes_may_use_different_barriers() {
    let body = "and.b32 %r2, %r7, 1;\nadd.s32 %r2, %r2, 1;\nbarrier.sync %r2, 32;\nst.global.u32 [%rd2], %r2;\nret;";
    let memory = run(body, 1, 64, 64).unwrap();
    assert!(memory.iter().enumerate().all(|(thread, value)| *value == thread as u32 % 2 + 1));
}

#[test]
fn lanes_that_leave_a_reconvergence_point_for_an_operation_leave_nobody_behind() {
    // Lanes 8 to 15 come late to the loop's end, by way of an operation with lanes that are in
    // their second round; those who wait for them at the first reconvergence point have to go on.
    let body = "mov.u32 %r4, 0;\nsetp.ge.u32 %p1, %r7, 16;\nsetp.lt.u32 %p5, %r7, 8;\n$loop:\n\
        setp.eq.u32 %p6, %r4, 1;\n@%p6 bra $second;\n@%p1 bra $x;\nmov.u32 %r3, 0;\n$spin:\n\
        add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, 1500;\n@%p3 bra $spin;\n@%p5 bra $x;\n$second:\n\
        @%p5 bra $x;\nvote.sync.any.pred %p4, %p1, 0xFFFFFF00;\n$x:\nadd.u32 %r4, %r4, 1;\n\
        setp.lt.u32 %p3, %r4, 2;\n@%p1 bra $again;\nbra $out;\n$again:\n@%p3 bra $loop;\n$out:\n\
        st.global.u32 [%rd2], %r4;\nret;";
    for seed in 0..20 {
        let machine = Machine::new(&kernel(body), 32);
        let memory = machine.run(1, 32, seed).unwrap();
        assert_eq!((memory[..16].to_vec(), memory[16..].to_vec()), (vec![1; 16], vec![2; 16]));
    }
}
