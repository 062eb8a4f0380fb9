//! Lanes of one warp that go their own ways.

use crate::support::{everywhere, kernel};

#[test]
fn all_lanes_of_a_warp_get_a_spin_lock() {
    let text = kernel(
        "$again:
        atom.global.cas.b32 %r2, [%rd1], 0, 1;
        setp.ne.s32 %p1, %r2, 0;
        @%p1 bra $again;
        ld.volatile.global.u32 %r3, [%rd1+4];
        add.s32 %r3, %r3, 1;
        st.volatile.global.u32 [%rd1+4], %r3;
        membar.gl;
        atom.global.exch.b32 %r4, [%rd1], 0;
        ret;",
    );
    everywhere(&text, (1, 32), 2, |memory| assert_eq!(memory, [0, 32]));
}

#[test]
fn a_lock_that_is_let_go_inside_of_the_loop_serves_all() {
    // The well-known form for warps that run in lockstep: a flag leaves the loop.
    let text = kernel(
        "mov.u32 %r5, 0;
        $again:
        atom.shared.cas.b32 %r2, [s], 0, 1;
        setp.ne.s32 %p1, %r2, 0;
        @%p1 bra $next;
        ld.volatile.shared.u32 %r3, [s+4];
        add.s32 %r3, %r3, 1;
        st.volatile.shared.u32 [s+4], %r3;
        atom.shared.exch.b32 %r4, [s], 0;
        mov.u32 %r5, 1;
        $next:
        setp.eq.u32 %p2, %r5, 0;
        @%p2 bra $again;
        bar.sync 0;
        ld.volatile.shared.u32 %r3, [s+4];
        st.global.u32 [%rd2], %r3;
        ret;",
    );
    everywhere(&text, (1, 64), 64, |memory| assert_eq!(memory, [64; 64]));
}

const PRODUCE: &str = "st.volatile.global.u32 [%rd1+4], 42;
        membar.gl;
        st.volatile.global.u32 [%rd1], 1;\n";
const CONSUME: &str = "$wait:
        ld.volatile.global.u32 %r2, [%rd1];
        setp.eq.u32 %p3, %r2, 0;
        @%p3 bra $wait;
        ld.volatile.global.u32 %r3, [%rd1+4];
        st.global.u32 [%rd1+8], %r3;\n";

#[test]
fn a_lane_waits_for_another_whichever_branch_comes_first() {
    for (first, second) in [(PRODUCE, CONSUME), (CONSUME, PRODUCE)] {
        for producer in ["eq", "ne"] {
            let text = kernel(&format!(
                "setp.gt.u32 %p1, %r7, 1;
                @%p1 bra $end;
                setp.{producer}.u32 %p2, %r7, 1;
                @%p2 bra $second;
                {first}
                bra $end;
                $second:
                {second}
                $end:
                ret;"
            ));
            everywhere(&text, (1, 32), 3, |memory| assert_eq!(memory, [1, 42, 42]));
        }
    }
}

#[test]
fn lanes_pass_a_token_round_the_warp_backwards() {
    // Every lane waits for the one above it in a loop of its own.
    let text = kernel(
        "mov.u32 %r5, 31;
        sub.s32 %r5, %r5, %r7;
        $wait:
        ld.volatile.global.u32 %r2, [%rd1];
        setp.ne.u32 %p1, %r2, %r5;
        @%p1 bra $wait;
        add.s32 %r2, %r2, 1;
        st.volatile.global.u32 [%rd1], %r2;
        ret;",
    );
    everywhere(&text, (1, 32), 1, |memory| assert_eq!(memory, [32]));
}

#[test]
fn warp_barriers_of_both_branches_are_one() {
    let text = kernel(
        "shl.b32 %r2, %r7, 2;
        mov.u32 %r3, s;
        add.s32 %r2, %r2, %r3;
        xor.b32 %r4, %r7, 31;
        shl.b32 %r4, %r4, 2;
        add.s32 %r4, %r4, %r3;
        and.b32 %r5, %r7, 1;
        setp.eq.u32 %p1, %r5, 0;
        @%p1 bra $even;
        add.s32 %r6, %r7, 100;
        st.shared.u32 [%r2], %r6;
        bar.warp.sync -1;
        ld.shared.u32 %r6, [%r4];
        bra $end;
        $even:
        add.s32 %r6, %r7, 200;
        st.shared.u32 [%r2], %r6;
        bar.warp.sync -1;
        ld.shared.u32 %r6, [%r4];
        $end:
        st.global.u32 [%rd2], %r6;
        ret;",
    );
    everywhere(&text, (1, 32), 32, |memory| {
        for (lane, value) in memory.iter().enumerate() {
            let other = 31 - lane as u32;
            assert_eq!(*value, other + if other.is_multiple_of(2) { 200 } else { 100 });
        }
    });
}

/// Both branches have their own copy of an instruction with the full mask; `%r6` is its result and
/// `%r5` is 1000 in one branch and 2000 in the other, plus the lane.
fn in_both_branches(instruction: &str) -> String {
    kernel(&format!(
        "setp.lt.u32 %p1, %r7, 10;
        @%p1 bra $low;
        add.s32 %r5, %r7, 1000;
        {instruction}
        bra $end;
        $low:
        add.s32 %r5, %r7, 2000;
        add.s32 %r4, %r5, 1;
        {instruction}
        $end:
        st.global.u32 [%rd2], %r6;
        ret;"
    ))
}

fn in_branch(lane: usize) -> u32 {
    lane as u32 + if lane < 10 { 2000 } else { 1000 }
}

#[test]
fn shuffles_of_one_mask_meet_wherever_they_stand() {
    let text = in_both_branches("shfl.sync.bfly.b32 %r6, %r5, 31, 31, -1;");
    everywhere(&text, (1, 32), 32, |memory| {
        assert!((0..32).all(|lane| memory[lane] == in_branch(31 - lane)), "{memory:?}");
    });
    let text = in_both_branches("shfl.sync.idx.b32 %r6, %r5, 3, 31, -1;");
    everywhere(&text, (1, 32), 32, |memory| assert_eq!(memory, [2003; 32]));
}

#[test]
fn votes_of_one_mask_meet_wherever_they_stand() {
    let text = in_both_branches(
        "setp.gt.u32 %p2, %r7, 4;\nvote.sync.ballot.b32 %r6, %p2, -1;\nvote.sync.any.pred %p3, !%p2, -1;\n\
         vote.sync.all.pred %p4, %p2, -1;\nselp.b32 %r10, 2, 0, %p3;\nselp.b32 %r11, 1, 0, %p4;\n\
         xor.b32 %r6, %r6, %r10;\nxor.b32 %r6, %r6, %r11;",
    );
    everywhere(&text, (1, 32), 32, |memory| assert_eq!(memory, [0xFFFF_FFE2; 32]));
}

#[test]
fn matches_of_one_mask_meet_wherever_they_stand() {
    let text = in_both_branches("and.b32 %r10, %r7, 3;\nmatch.any.sync.b32 %r6, %r10, -1;");
    everywhere(&text, (1, 32), 32, |memory| {
        assert!((0..32).all(|lane| memory[lane] == 0x1111_1111 << (lane % 4)), "{memory:x?}");
    });
    let text = in_both_branches(
        "match.all.sync.b32 %r6|%p2, 7, -1;\nmatch.all.sync.b32 %r10|%p3, %r7, -1;\n\
         selp.b32 %r11, 1, 0, %p2;\nselp.b32 %r12, 2, 0, %p3;\nxor.b32 %r6, %r6, %r10;\n\
         xor.b32 %r6, %r6, %r11;\nxor.b32 %r6, %r6, %r12;",
    );
    everywhere(&text, (1, 32), 32, |memory| assert_eq!(memory, [0xFFFF_FFFE; 32]));
}

#[test]
fn reductions_and_elections_of_one_mask_meet_wherever_they_stand() {
    let sum = (0..32).map(in_branch).sum::<u32>();
    let text = in_both_branches("redux.sync.add.u32 %r6, %r5, -1;");
    everywhere(&text, (1, 32), 32, |memory| assert_eq!(memory, [sum; 32]));
    let text = in_both_branches("redux.sync.min.s32 %r6, %r5, -1;");
    everywhere(&text, (1, 32), 32, |memory| assert_eq!(memory, [1010; 32]));
    let text = in_both_branches("elect.sync %r6|%p2, 0xFFFFFFF0;\n@%p2 add.s32 %r6, %r6, 100;");
    // Lanes 0 to 3 do not belong to the mask.
    let text = text.replace(
        "setp.lt.u32 %p1, %r7, 10;",
        "setp.lt.u32 %p1, %r7, 4;\n@%p1 exit;\nsetp.lt.u32 %p1, %r7, 10;",
    );
    everywhere(&text, (1, 32), 32, |memory| {
        assert_eq!(memory[4], 104);
        assert_eq!(memory[5..], [4; 27]);
    });
}

#[test]
fn nested_branches_keep_every_lane_on_its_way() {
    let mut body = String::from("mov.u32 %r2, 0;\n");
    for bit in 0..5 {
        body.push_str(&format!(
            "and.b32 %r3, %r7, {};\nsetp.eq.u32 %p{bit}, %r3, 0;\n@%p{bit} bra $zero{bit};\n\
             mad.lo.s32 %r2, %r2, 3, {};\n",
            1 << bit,
            bit + 1
        ));
    }
    for bit in (0..5).rev() {
        body.push_str(&format!(
            "bra $end{bit};\n$zero{bit}:\nmad.lo.s32 %r2, %r2, 5, {bit};\n$end{bit}:\nadd.s32 %r2, %r2, 7;\n"
        ));
    }
    body.push_str("activemask.b32 %r4;\npopc.b32 %r4, %r4;\nshl.b32 %r4, %r4, 24;\nor.b32 %r2, %r2, %r4;\nst.global.u32 [%rd2], %r2;\nret;");
    everywhere(&kernel(&body), (1, 32), 32, |memory| {
        for (lane, value) in memory.iter().enumerate() {
            let mut result = 0u32;
            // The lane goes inwards until a bit is zero, and then out of all that it is inside of.
            let inside = (0..5).take_while(|bit| lane >> bit & 1 == 1).count();
            for bit in 0..inside {
                result = result * 3 + bit as u32 + 1;
            }
            if inside < 5 {
                result = result * 5 + inside as u32 + 7;
            } else {
                // Behind the innermost branch, at its end.
                result += 7;
            }
            result += 7 * inside.min(4) as u32;
            assert_eq!((value >> 24, value & 0xFF_FFFF), (32, result), "lane {lane}");
        }
    });
}

#[test]
fn loops_in_loops_end_for_each_lane_on_its_own() {
    let text = kernel(
        "mov.u32 %r2, 0;
        mov.u32 %r3, 0;
        $outer:
        setp.ge.u32 %p1, %r3, %r7;
        @%p1 bra $done;
        mov.u32 %r4, 0;
        $inner:
        setp.ge.u32 %p2, %r4, %r3;
        @%p2 bra $next;
        add.s32 %r2, %r2, %r4;
        add.s32 %r4, %r4, 1;
        setp.gt.u32 %p3, %r2, 1000;
        @%p3 bra $done;
        bra $inner;
        $next:
        add.s32 %r3, %r3, 1;
        bra $outer;
        $done:
        activemask.b32 %r5;
        popc.b32 %r5, %r5;
        shl.b32 %r5, %r5, 24;
        or.b32 %r2, %r2, %r5;
        st.global.u32 [%rd2], %r2;
        ret;",
    );
    let expected = |lane: u32| {
        let mut sum = 0;
        for outer in 0..lane {
            for inner in 0..outer {
                sum += inner;
                if sum > 1000 {
                    return sum;
                }
            }
        }
        sum
    };
    everywhere(&text, (1, 32), 32, |memory| {
        for (lane, value) in memory.iter().enumerate() {
            assert_eq!((value >> 24, value & 0xFF_FFFF), (32, expected(lane as u32)));
        }
    });
}

#[test]
fn an_indexed_branch_goes_where_each_lane_says() {
    let text = kernel(
        "$targets: .branchtargets $a, $b, $c, $d;
        and.b32 %r2, %r7, 3;
        brx.idx %r2, $targets;
        $a:
        mov.u32 %r3, 10;
        bra $end;
        $b:
        mov.u32 %r3, 20;
        bra $c;
        $c:
        mov.u32 %r3, 30;
        bra $end;
        $d:
        ret;
        $end:
        vote.sync.ballot.b32 %r4, 1, 0x77777777;
        add.s32 %r3, %r3, %r4;
        st.global.u32 [%rd2], %r3;
        ret;",
    );
    let text = text
        .replace("%r4, 1, 0x", "%r4, %p9, 0x")
        .replace("$targets:", "setp.eq.u32 %p9, %r7, 5;\n$targets:");
    everywhere(&text, (1, 32), 32, |memory| {
        for (lane, value) in memory.iter().enumerate() {
            let way = [10, 30, 30, 0][lane % 4];
            assert_eq!(*value, if way == 0 { 0 } else { way + 0x20 }, "lane {lane}");
        }
    });
}

#[test]
fn lanes_that_exit_inside_of_branches_are_not_missed() {
    let text = kernel(
        "setp.lt.u32 %p1, %r7, 20;
        @%p1 bra $low;
        setp.eq.u32 %p2, %r7, 25;
        @%p2 exit;
        setp.gt.u32 %p2, %r7, 29;
        @%p2 bra $leave;
        add.s32 %r2, %r7, 500;
        bra $end;
        $low:
        setp.lt.u32 %p3, %r7, 3;
        @%p3 ret;
        add.s32 %r2, %r7, 600;
        bra $end;
        $leave:
        exit;
        $end:
        bar.warp.sync -1;
        activemask.b32 %r3;
        vote.sync.ballot.b32 %r4, %p1, -1;
        bar.sync 0;
        st.global.u32 [%rd2], %r2;
        setp.eq.u32 %p4, %r7, 3;
        @%p4 st.global.u32 [%rd1], %r3;
        @%p4 st.global.u32 [%rd1+4], %r4;
        ret;",
    );
    everywhere(&text, (1, 32), 32, |memory| {
        assert_eq!((memory[0], memory[1]), (0x3DFF_FFF8, 0x000F_FFF8));
        for (lane, value) in memory.iter().enumerate().skip(3) {
            let expected = match lane {
                25 | 30.. => 0,
                20.. => lane + 500,
                _ => lane + 600,
            };
            assert_eq!(*value, expected as u32, "lane {lane}");
        }
    });
}

#[test]
fn lanes_of_many_warps_take_a_ticket_lock_in_turn() {
    let text = kernel(
        "atom.global.add.u32 %r2, [%rd1], 1;
        $wait:
        ld.acquire.gpu.global.u32 %r3, [%rd1+4];
        setp.ne.u32 %p1, %r2, %r3;
        @%p1 bra $wait;
        ld.global.u32 %r4, [%rd1+8];
        add.s32 %r4, %r4, 1;
        st.global.u32 [%rd1+8], %r4;
        add.s32 %r3, %r3, 1;
        st.release.gpu.global.u32 [%rd1+4], %r3;
        ret;",
    );
    everywhere(&text, (2, 12), 3, |memory| assert_eq!(memory, [24; 3]));
}

#[test]
fn lanes_in_different_iterations_keep_their_own_counters() {
    // Lanes 0 to 7 meet twice in an iteration, lanes 8 to 15 once, the others never: they diverge,
    // and may come to the same instruction in different iterations.
    let text = kernel(
        "setp.lt.u32 %p1, %r7, 16;
        setp.lt.u32 %p2, %r7, 8;
        mov.u32 %r2, 0;
        mov.u32 %r3, %r7;
        $l:
        add.u32 %r2, %r2, 1;
        add.u32 %r3, %r3, 1;
        @%p2 vote.sync.ballot.b32 %r4, %p1, 0xff;
        @%p1 vote.sync.ballot.b32 %r5, %p1, 0xffff;
        setp.lt.u32 %p3, %r2, 500;
        @%p3 bra $l;
        sub.u32 %r3, %r3, %r7;
        st.global.u32 [%rd2], %r3;
        ret;",
    );
    everywhere(&text, (1, 32), 32, |memory| assert_eq!(memory, [500; 32]));
}
