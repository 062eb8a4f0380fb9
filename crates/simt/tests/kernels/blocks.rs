//! Blocks that wait for each other.

use crate::support::{Machine, Setup, everywhere, kernel, schedules};

#[test]
fn the_first_block_may_wait_for_the_last() {
    let text = kernel(
        "setp.eq.u32 %p1, %r9, 0;
        @!%p1 bra $other;
        $wait:
        ld.acquire.gpu.global.u32 %r2, [%rd1];
        setp.eq.u32 %p2, %r2, 0;
        @%p2 bra $wait;
        ld.global.u32 %r3, [%rd1+4];
        st.global.u32 [%rd1+8], %r3;
        ret;
        $other:
        setp.ne.u32 %p1, %r9, 299;
        @%p1 ret;
        st.global.u32 [%rd1+4], 77;
        st.release.gpu.global.u32 [%rd1], 1;
        ret;",
    );
    let machine = Machine::new(&text, 3);
    for schedule in schedules() {
        machine.clear();
        let done = machine.launch(&Setup { schedule, ..Setup::new(300, 32) });
        assert_eq!(done.well(), [1, 77, 77]);
    }
}

/// Three rounds of a barrier of all blocks, made of atomics; every block sees what all others wrote
/// in the round before.
fn grid_barrier(blocks: u32) -> String {
    kernel(&format!(
        "mov.u32 %r10, 0;
        mul.wide.u32 %rd5, %r9, 4;
        add.s64 %rd5, %rd5, %rd1;
        $round:
        add.s32 %r10, %r10, 1;
        bar.sync 0;
        setp.ne.u32 %p1, %r7, 0;
        @%p1 bra $passed;
        st.global.u32 [%rd5+8], %r10;
        membar.gl;
        atom.global.add.u32 %r2, [%rd1], 1;
        mul.lo.s32 %r3, %r10, {blocks};
        $wait:
        ld.volatile.global.u32 %r2, [%rd1];
        setp.lt.u32 %p2, %r2, %r3;
        @%p2 bra $wait;
        membar.gl;
        mov.u32 %r4, 0;
        mov.u64 %rd6, %rd1;
        $look:
        ld.volatile.global.u32 %r5, [%rd6+8];
        setp.lt.u32 %p3, %r5, %r10;
        @%p3 red.global.add.u32 [%rd1+4], 1;
        add.s64 %rd6, %rd6, 4;
        add.s32 %r4, %r4, 1;
        setp.lt.u32 %p3, %r4, {blocks};
        @%p3 bra $look;
        $passed:
        bar.sync 0;
        setp.lt.u32 %p1, %r10, 3;
        @%p1 bra $round;
        ret;"
    ))
}

#[test]
fn all_blocks_of_a_grid_meet_again_and_again() {
    let machine = Machine::new(&grid_barrier(64), 66);
    for cooperative in [false, true] {
        for seed in 0..2 {
            machine.clear();
            let setup = Setup { cooperative, ..Setup::new(64, 64).seed(seed) };
            let memory = machine.launch(&setup).well();
            assert_eq!((memory[0], memory[1]), (192, 0), "nobody may see an old value");
            assert_eq!(memory[2..], [3; 64]);
        }
    }
}

#[test]
fn the_last_block_adds_up_what_all_have_left() {
    let text = kernel(
        "setp.ne.u32 %p1, %r7, 0;
        @%p1 bra $vote;
        mul.wide.u32 %rd5, %r9, 4;
        add.s64 %rd5, %rd5, %rd1;
        add.s32 %r2, %r9, 1;
        st.global.u32 [%rd5+8], %r2;
        membar.gl;
        mov.u32 %r3, %nctaid.x;
        sub.s32 %r3, %r3, 1;
        atom.global.inc.u32 %r4, [%rd1], %r3;
        st.shared.u32 [s], %r4;
        $vote:
        bar.sync 0;
        ld.shared.u32 %r4, [s];
        setp.ne.u32 %p2, %r4, 49;
        @%p2 ret;
        setp.ge.u32 %p3, %r7, 50;
        @%p3 ret;
        mul.wide.u32 %rd5, %r7, 4;
        add.s64 %rd5, %rd5, %rd1;
        ld.volatile.global.u32 %r5, [%rd5+8];
        red.global.add.u32 [%rd1+4], %r5;
        ret;",
    );
    everywhere(&text, (50, 64), 52, |memory| assert_eq!(memory[..2], [0, 50 * 51 / 2]));
}

#[test]
fn positions_in_three_dimensions_are_right() {
    let text = kernel(
        "mov.u32 %r10, %ctaid.x;
        mov.u32 %r11, %ctaid.y;
        mov.u32 %r12, %ctaid.z;
        mov.u32 %r13, %nctaid.x;
        mov.u32 %r14, %nctaid.y;
        mad.lo.s32 %r15, %r12, %r14, %r11;
        mad.lo.s32 %r15, %r15, %r13, %r10;
        mov.u32 %r16, %tid.x;
        mov.u32 %r17, %tid.y;
        mov.u32 %r18, %tid.z;
        mov.u32 %r19, %ntid.y;
        mad.lo.s32 %r20, %r18, %r19, %r17;
        mad.lo.s32 %r20, %r20, %r8, %r16;
        mov.u32 %r21, %laneid;
        and.b32 %r22, %r20, 31;
        setp.ne.u32 %p1, %r21, %r22;
        @%p1 trap;
        mad.lo.s32 %r15, %r15, 60, %r20;
        mul.wide.u32 %rd5, %r15, 4;
        add.s64 %rd5, %rd5, %rd1;
        red.global.add.u32 [%rd5], %r15;
        ret;",
    );
    let dim = |x, y, z| warpsan_model::Dim3 { x, y, z };
    let setup = Setup { grid: dim(2, 3, 4), block: dim(5, 4, 3), ..Setup::new(1, 1) };
    let memory = Machine::new(&text, 24 * 60).launch(&setup).well();
    assert!(memory.iter().enumerate().all(|(index, value)| *value == index as u32));
}
