//! Kernels by hand against hb's entries on the device.

use std::collections::BTreeSet;

use warpsan_instrument::DevicePlan;
use warpsan_model::{Dim3, Geometry};
use warpsan_ptx::Document;

use crate::hb_random::on_device;

/// A block of one warp after another. `%rd1` is an array of 1024 bytes, whose second half nobody writes in these kernels, `tile` so many in
/// shared memory, `%rd3` and `%rd4` the thread's own 16 bytes in it and those of the thread behind it, `%rd2` its own ones in the second half
/// of the array.
fn kernel(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{{\n\
         .reg .b32 %r<20>;\n.reg .b64 %rd<12>;\n.reg .pred %p<6>;\n.shared .align 16 .b8 tile[4096];\n\
         ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\nmov.u64 %rd5, tile;\nmul.wide.u32 %rd6, %r1, 16;\n\
         add.u64 %rd3, %rd5, %rd6;\nand.b64 %rd7, %rd6, 511;\nadd.u64 %rd2, %rd1, %rd7;\nadd.u64 %rd2, %rd2, 512;\n\
         add.u64 %rd8, %rd6, 16;\nand.b64 %rd8, %rd8, 1023;\nadd.u64 %rd4, %rd5, %rd8;\n{body}\nret;\n}}\n"
    )
}

/// Checks which pairs of instructions race, each by a word that its line has, in a block of 64 threads.
fn check(body: &str, wanted: &[(&str, &str)]) {
    let text = kernel(body);
    let document = Document::parse(text.clone());
    assert_eq!(document.errors(), [], "{text}");
    let line = |word: &str| {
        let found = text.lines().position(|line| line.contains(word));
        found.unwrap_or_else(|| panic!("no {word} in {text}")) as u32 + 1
    };
    let pair = |(one, other): &(&str, &str)| {
        let (one, other) = (line(one), line(other));
        (one.min(other), one.max(other))
    };
    let wanted: BTreeSet<(u32, u32)> = wanted.iter().map(pair).collect();
    let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(64, 1, 1) };
    let usual = (0..6).map(|seed| (seed, DevicePlan::HappensBefore));
    let in_slots = (0..2).map(|seed| (seed, DevicePlan::HappensBeforeInSlots));
    for (seed, plan) in usual.chain(in_slots) {
        let found = on_device(&document, geometry, seed, plan).expect("a launch").expect("entries");
        for races in found {
            let lines: BTreeSet<_> = races.iter().map(|(_, one, other)| (*one, *other)).collect();
            assert_eq!(lines, wanted, "{plan:?}, seed {seed}: {text}");
        }
    }
}

const COPY: &str = "cp.async.cg.shared.global [%rd3], [%rd2], 16;";
const WAIT: &str = "cp.async.wait_all;";
const BARRIER: &str = "bar.sync 0;";
const READ_OWN: &str = "ld.shared.u32 %r2, [%rd3];";
const READ_NEXT: &str = "ld.shared.u32 %r3, [%rd4];";
const WRITE_NEXT: &str = "st.shared.u32 [%rd4], %r1;";

fn lines(all: &[&str]) -> String {
    all.join("\n")
}

#[test]
fn a_copy_is_complete_once_its_thread_has_waited_and_a_barrier_carries_that_to_others() {
    check(&lines(&[COPY, WAIT, READ_OWN]), &[]);
    check(&lines(&[COPY, READ_OWN]), &[("cp.async.cg", "%r2, [%rd3]")]);
    check(&lines(&[COPY, BARRIER, READ_OWN]), &[("cp.async.cg", "%r2, [%rd3]")]);
    check(&lines(&[COPY, WAIT, BARRIER, READ_NEXT]), &[]);
    check(&lines(&[COPY, WAIT, READ_NEXT]), &[("cp.async.cg", "%r3, [%rd4]")]);
    check(&lines(&[COPY, BARRIER, WAIT, READ_NEXT]), &[("cp.async.cg", "%r3, [%rd4]")]);
    check(&lines(&[COPY, BARRIER, WAIT, BARRIER, READ_NEXT, WRITE_NEXT]), &[]);
}

#[test]
fn a_copy_does_not_overtake_what_a_barrier_keeps_before_it() {
    check(&lines(&[READ_NEXT, BARRIER, COPY, WAIT]), &[]);
    check(&lines(&[READ_NEXT, COPY, WAIT]), &[("cp.async.cg", "%r3, [%rd4]")]);
    check(&lines(&[WRITE_NEXT, BARRIER, COPY, WAIT]), &[]);
    check(&lines(&[WRITE_NEXT, COPY, WAIT]), &[("cp.async.cg", "[%rd4], %r1")]);
    check(&lines(&[COPY, BARRIER, WRITE_NEXT, WAIT]), &[("cp.async.cg", "[%rd4], %r1")]);
}

/// Two stages: the second one is copied while the first one is waited for and read.
fn stages(groups_left: u32, read: &str) -> String {
    lines(&[
        COPY,
        "cp.async.commit_group;",
        "cp.async.cg.shared.global [%rd3+2048], [%rd2], 16;",
        "cp.async.commit_group;",
        &format!("cp.async.wait_group {groups_left};"),
        BARRIER,
        read,
    ])
}

#[test]
fn groups_are_waited_for_in_their_order() {
    let second = "ld.shared.u32 %r3, [%rd4+2048];";
    check(&stages(1, READ_NEXT), &[]);
    check(&stages(1, second), &[("[%rd3+2048]", "[%rd4+2048]")]);
    check(&stages(0, second), &[]);
    check(&stages(2, READ_NEXT), &[("cp.async.cg.shared.global [%rd3], ", "%r3, [%rd4]")]);
    // What is in no group yet is not waited for by groups.
    check(&lines(&[COPY, "cp.async.wait_group 0;", READ_OWN]), &[("cp.async.cg", "%r2, [%rd3]")]);
}

#[test]
fn a_ring_of_copies_is_clean_and_finds_a_stage_that_comes_too_early() {
    let ring = |barrier: &str| {
        format!(
            "mov.u32 %r4, 0;\nLOOP:\nand.b32 %r5, %r4, 1;\nmul.wide.u32 %rd9, %r5, 2048;\nadd.u64 %rd10, %rd3, %rd9;\n\
             add.u64 %rd11, %rd4, %rd9;\ncp.async.cg.shared.global [%rd10], [%rd2], 16;\ncp.async.commit_group;\n\
             cp.async.wait_group 0;\nbar.sync 0;\nld.shared.u32 %r3, [%rd11];\n{barrier}\nadd.u32 %r4, %r4, 1;\n\
             setp.lt.u32 %p1, %r4, 150;\n@%p1 bra LOOP;"
        )
    };
    // Two buffers and one barrier in a turn are enough: who fills a buffer again is behind the barrier of the other one.
    check(&ring(""), &[]);
    let one_buffer = ring("").replace("and.b32 %r5, %r4, 1", "and.b32 %r5, %r4, 0");
    check(&one_buffer, &[("cp.async.cg", "[%rd11]")]);
    check(&one_buffer.replace("add.u32 %r4, %r4, 1;", "bar.sync 0;\nadd.u32 %r4, %r4, 1;"), &[]);
}

#[test]
fn how_much_a_copy_reads_may_show_when_it_does() {
    // The lower half of the array is written by its own thread, which the copies of other threads read.
    let write = "and.b64 %rd9, %rd6, 511;\nadd.u64 %rd9, %rd1, %rd9;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 st.global.u32 [%rd9], %r1;";
    let copy = |read: &str| {
        format!(
            "{write}\nxor.b64 %rd10, %rd7, 16;\nadd.u64 %rd10, %rd1, %rd10;\n\
             cp.async.cg.shared.global [%rd3], [%rd10], 16, {read};\n{WAIT}"
        )
    };
    let race = [("cp.async.cg", "st.global.u32")];
    check(&copy("16"), &race);
    check(&format!("mov.u32 %r6, 16;\n{}", copy("%r6")), &race);
    check(&format!("mov.u32 %r6, 0;\n{}", copy("%r6")), &[]);
    // Each lane has its own number of words, of lines that nobody has accessed before.
    let own_number = "rem.u32 %r6, %r1, 5;\nmul.lo.u32 %r6, %r6, 4;";
    check(&format!("{own_number}\n{}", copy("%r6")), &race);
    let from_own = "cp.async.cg.shared.global [%rd3], [%rd2], 16, %r6;";
    check(&lines(&[own_number, from_own, WAIT, BARRIER, READ_OWN]), &[]);
    check(&format!("setp.eq.u32 %p2, %r1, %r1;\n{}", copy("%p2")), &[]);
    check(&format!("setp.ne.u32 %p2, %r1, %r1;\n{}", copy("%p2")), &race);
}

#[test]
fn updates_of_global_memory_race_with_other_accesses_and_not_with_each_other() {
    const FIFTH: &str = "setp.eq.u32 %p1, %r1, 5;";
    for (red, place) in [("red.global.add.u32", "[%rd1]"), ("red.add.u64", "[%rd1+8]")] {
        let update = format!("{red} {place}, 1;");
        let load = format!("@%p1 ld.global.u32 %r2, {place};");
        let store = format!("@%p1 st.global.u32 {place}, %r1;");
        check(&update, &[]);
        for (access, word) in [(&load, "ld.global"), (&store, "st.global")] {
            check(&lines(&[FIFTH, &update, access]), &[(red, word)]);
            check(&lines(&[FIFTH, access, &update]), &[(red, word)]);
            check(&lines(&[FIFTH, access, BARRIER, &update]), &[]);
            check(&lines(&[FIFTH, &update, BARRIER, access]), &[]);
            check(
                &lines(&[FIFTH, access, BARRIER, &update, BARRIER, &update, BARRIER, access]),
                &[],
            );
        }
    }
}

#[test]
fn what_one_launch_has_updated_the_next_one_may_write() {
    // The first launch leaves behind that it was there. Each thread has sixteen bytes.
    let by_turns = "add.u64 %rd9, %rd1, %rd6;\nld.global.u32 %r6, [%rd1+1020];\nsetp.eq.u32 %p1, %r6, 0;\n\
        @%p1 red.global.add.u32 [%rd9], 1;\n@!%p1 st.global.u32 [%rd9], %r1;\nbar.sync 0;\n\
        setp.eq.u32 %p2, %r1, 0;\n@%p2 st.global.u32 [%rd1+1020], 1;";
    check(by_turns, &[]);
}

#[test]
fn turns_may_be_counted_in_memory() {
    let turns = |behind: &str| {
        format!(
            "ld.global.u32 %r6, [%rd1];\nadd.u32 %r6, %r6, 3;\nmov.u32 %r4, 0;\nLOOP:\nst.shared.u32 [%rd3], %r1;\nbar.sync 0;\n\
             {READ_NEXT}\n{behind}\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r6;\n@%p1 bra LOOP;"
        )
    };
    check(&turns(BARRIER), &[]);
    check(&turns(""), &[("[%rd3], %r1", "%r3, [%rd4]")]);
}

#[test]
fn who_stored_in_one_interval_is_not_taken_for_one_of_a_later_interval() {
    // Two threads store to a place, so many turns apart, each of which ends with a barrier; half of the block's threads have left.
    let turns_apart = |turns: u32| {
        format!(
            "setp.ge.u32 %p1, %r1, 40;\n@%p1 ret;\nmov.u32 %r4, 0;\nmul.lo.u32 %r5, %r1, {turns};\nLOOP:\n\
             setp.eq.u32 %p1, %r4, %r5;\nsetp.lt.and.u32 %p2, %r1, 2, %p1;\n@%p2 st.shared.u32 [tile], %r1;\n\
             bar.sync 0;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 2500;\n@%p3 bra LOOP;"
        )
    };
    for turns in [1, 2, 512, 1024, 2048] {
        check(&turns_apart(turns), &[]);
    }
    check(&turns_apart(0), &[("st.shared.u32", "st.shared.u32")]);
}

#[test]
fn lines_of_one_loop_leave_room_for_those_of_the_next() {
    // Both warps load the same lines, one in each turn; then they store to three others.
    let loops = |turns: u32| {
        format!(
            "mov.u32 %r2, %laneid;\nmul.wide.u32 %rd9, %r2, 4;\nadd.u64 %rd9, %rd9, %rd1;\nmov.u32 %r4, 0;\nFIRST:\n\
             ld.global.u32 %r5, [%rd9+512];\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, {turns};\n@%p1 bra FIRST;\n\
             SECOND:\nst.global.u32 [%rd9], %r1;\nst.global.u32 [%rd9+128], %r1;\nst.global.u32 [%rd9+256], %r1;\n\
             add.u32 %r4, %r4, {turns};\nsetp.lt.u32 %p1, %r4, 9;\n@%p1 bra SECOND;"
        )
    };
    let all = ["[%rd9], %r1", "[%rd9+128]", "[%rd9+256]"].map(|store| (store, store));
    for turns in 10..70 {
        check(&loops(turns), &all);
    }
}

#[test]
fn matrices_are_rows_of_sixteen_bytes() {
    let store = "st.shared.v4.u32 [%rd3], {%r1, %r1, %r1, %r1};";
    // Lanes of a warp name the rows that its other lanes have stored.
    let load = "xor.b64 %rd9, %rd6, 16;\nadd.u64 %rd9, %rd9, %rd5;\n\
                ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%rd9];";
    check(&lines(&[store, BARRIER, load]), &[]);
    check(&lines(&[store, "bar.warp.sync -1;", load]), &[]);
    check(&lines(&[store, load]), &[("st.shared.v4", "ldmatrix")]);
    let own = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%rd3];";
    check(&lines(&[store, own]), &[]);
    // Of one matrix, only the first eight lanes name rows.
    let one = "and.b64 %rd9, %rd6, 127;\nadd.u64 %rd9, %rd9, %rd5;\nxor.b64 %rd9, %rd9, 512;\n\
               ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%rd9];";
    let first = format!("setp.lt.u32 %p1, %r1, 16;\n@!%p1 {store}\n");
    check(&format!("{first}{one}"), &[("st.shared.v4", "ldmatrix")]);
    let put = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%rd3], {%r1, %r1, %r1, %r1};";
    check(&lines(&[put, BARRIER, READ_NEXT]), &[]);
    check(&lines(&[put, READ_NEXT]), &[("stmatrix", "%r3, [%rd4]")]);
}

#[test]
fn volatile_accesses_race_with_weak_ones_and_each_other() {
    let (write, read) =
        ("st.volatile.shared.u32 [%rd3], 7;", "ld.volatile.shared.u32 %r2, [%rd4];");
    let weak = "st.shared.u32 [%rd3], %r1;";
    let pair = |one, other| {
        check(&lines(&[one, BARRIER, other]), &[]);
        check(&lines(&[one, "bar.warp.sync -1;", BARRIER, other, BARRIER]), &[]);
        let what = |text: &'static str| text.split_once(';').map_or(text, |(before, _)| before);
        check(&lines(&[one, other]), &[(what(one), what(other))]);
    };
    pair(write, read);
    pair(weak, read);
    pair(write, READ_NEXT);
}

/// Every thread updates the word at `%rd9` five times.
const UPDATES: &str = "mov.u32 %r6, 0;\nTURN:\nred.shared.add.u32 [%rd9], 1;\nadd.u32 %r6, %r6, 1;\n\
                       setp.lt.u32 %p1, %r6, 5;\n@%p1 bra TURN;";

#[test]
fn many_updates_of_one_word_race_with_who_reads_it() {
    let of_block = "mov.u64 %rd9, %rd5;";
    let of_warp = "shr.u32 %r8, %r1, 5;\nmul.wide.u32 %rd9, %r8, 4;\nadd.u64 %rd9, %rd9, %rd5;";
    // A load behind a loop of whose value nothing is used would not count.
    let read = "ld.shared.u32 %r7, [%rd9];\nst.shared.u32 [%rd3+8], %r7;";
    let write = "st.shared.u32 [%rd3], %r1;";
    let warps_meet = "bar.warp.sync -1;";
    let race = [("red.shared", "ld.shared.u32 %r7")];
    for (word, meet) in [(of_block, BARRIER), (of_warp, warps_meet)] {
        check(&lines(&[word, write, BARRIER, UPDATES, meet, read]), &[]);
        check(&lines(&[word, write, BARRIER, UPDATES, read]), &race);
    }
    check(&lines(&[of_block, write, BARRIER, UPDATES, warps_meet, read]), &race);
}

#[test]
fn two_writers_of_a_word_that_both_have_read_are_a_pair_of_their_own() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{\n\
                .reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n.reg .pred %p<6>;\nld.param.u64 %rd1, [k_0];\n\
                mov.u32 %r1, %laneid;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\n\
                ld.global.u32 %r9, [%rd1];\nst.global.u32 [%rd1], %r9;\nret;\n}\n";
    let document = Document::parse(text.to_owned());
    let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(64, 1, 1) };
    let line = |what: &str| text.lines().position(|line| line.starts_with(what)).unwrap_or(0) + 1;
    let (load, store) = (line("ld.global") as u32, line("st.global") as u32);
    let pair = |one, other| ("missing-sync".to_owned(), one, other);
    let wanted = BTreeSet::from([pair(load, store), pair(store, store)]);
    for seed in 0..40 {
        let found = on_device(&document, geometry, seed, DevicePlan::HappensBefore)
            .expect("a launch")
            .expect("entries");
        assert_eq!(found, [wanted.clone(), wanted.clone()], "seed {seed}");
    }
}

#[test]
fn what_one_lane_writes_and_all_read_is_a_race() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{\n\
                .reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n.reg .pred %p<6>;\nld.param.u64 %rd1, [k_0];\n\
                mov.u32 %r1, %laneid;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra ALL;\n\
                st.global.u32 [%rd1], 7;\nALL:\nld.global.u32 %r9, [%rd1];\nret;\n}\n";
    let document = Document::parse(text.to_owned());
    let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(32, 1, 1) };
    let line = |what: &str| text.lines().position(|line| line.starts_with(what)).unwrap_or(0) + 1;
    let (load, store) = (line("ld.global") as u32, line("st.global") as u32);
    let wanted = BTreeSet::from([("warp-sync".to_owned(), store, load)]);
    for seed in 0..20 {
        let found = on_device(&document, geometry, seed, DevicePlan::HappensBefore)
            .expect("a launch")
            .expect("entries");
        assert_eq!(found, [wanted.clone(), wanted.clone()], "seed {seed}");
    }
}

/// A kernel whose threads load so many elements in a row, from their own on. The first thread stores to the one that only the last load of the last thread reads.
fn many_loads(loads: u32) -> String {
    let mut text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{\n\
                    .reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n.reg .pred %p<6>;\nld.param.u64 %rd1, [k_0];\n\
                    mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
        .to_owned();
    for load in 0..loads {
        text += &format!("ld.global.u32 %r2, [%rd3+{}];\n", load * 4);
    }
    let last = (63 + loads - 1) * 4;
    text + &format!(
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nst.global.u32 [%rd1+{last}], %r2;\nEND:\nret;\n}}\n"
    )
}

#[test]
fn the_address_of_a_load_is_its_own_where_others_are_checked_first() {
    let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(64, 1, 1) };
    for loads in 1..12 {
        let text = many_loads(loads);
        let document = Document::parse(text.clone());
        assert_eq!(document.errors(), [], "{text}");
        let line = |what: &str| {
            text.lines().position(|line| line.starts_with(what)).unwrap_or(0) as u32 + 1
        };
        let (load, store) = (line("ld.global") + loads - 1, line("st.global"));
        let wanted = BTreeSet::from([("missing-sync".to_owned(), load, store)]);
        let found = on_device(&document, geometry, 1, DevicePlan::HappensBefore)
            .expect("a launch")
            .expect("entries");
        assert_eq!(found, [wanted.clone(), wanted], "{loads} loads");
    }
}

/// What a kernel with tiles of lanes begins with: their mask is in `%r11`.
fn tiles_of(lanes: u32) -> String {
    format!(
        "mov.u32 %r10, %laneid;\nand.b32 %r13, %r10, -{lanes};\nshl.b32 %r11, {}, %r13;",
        (1u32 << lanes) - 1
    )
}

const WRITE_OWN: &str = "st.shared.u32 [%rd3], %r1;";
const TILE: &str = "bar.warp.sync %r11;";
const WARP: &str = "bar.warp.sync -1;";

/// Addresses `%rd9` of the place of the lane whose number differs by one bit.
fn lane_beside(bit: u32) -> String {
    format!("xor.b32 %r12, %r1, {bit};\nmul.wide.u32 %rd9, %r12, 16;\nadd.u64 %rd9, %rd5, %rd9;")
}

const READ_BESIDE: &str = "ld.shared.u32 %r3, [%rd9];";

#[test]
fn a_barrier_of_a_tile_orders_its_lanes_and_no_others() {
    let pair = [("[%rd3], %r1", "%r3, [%rd9]")];
    for lanes in [2, 4, 8, 16] {
        let begin = tiles_of(lanes);
        let (within, beyond) = (lane_beside(lanes / 2), lane_beside(lanes));
        check(&lines(&[&begin, &within, WRITE_OWN, TILE, READ_BESIDE]), &[]);
        check(&lines(&[&begin, &within, WRITE_OWN, READ_BESIDE, TILE]), &pair);
        check(&lines(&[&begin, &beyond, WRITE_OWN, TILE, READ_BESIDE]), &pair);
        check(&lines(&[&begin, &beyond, WRITE_OWN, TILE, WARP, READ_BESIDE]), &[]);
        check(&lines(&[&begin, &beyond, WRITE_OWN, WARP, TILE, READ_BESIDE]), &[]);
        check(&lines(&[&begin, &beyond, WRITE_OWN, BARRIER, TILE, READ_BESIDE]), &[]);
    }
}

#[test]
fn lanes_of_a_tile_that_have_read_stand_for_each_other_until_its_next_barrier() {
    // All lanes read the place of lane 0, and then one of them writes it.
    let read = "ld.shared.u32 %r3, [tile];";
    let write =
        |lane: u32| format!("setp.eq.u32 %p1, %r1, {lane};\n@%p1 st.shared.u32 [tile], %r1;");
    let begin = format!("setp.lt.u32 %p2, %r1, 32;\n@!%p2 bra END;\n{}", tiles_of(8));
    let pair = [("%r3, [tile]", "[tile], %r1")];
    for lane in [0, 7, 8, 31] {
        let write = write(lane);
        let of = |middle: &[&str]| {
            let used = "st.global.v2.u32 [%rd2], {%r3, %r4};\nEND:";
            lines(&[&begin, &lines(middle), &write, used])
        };
        check(&of(&[read]), &pair);
        check(&of(&[read, TILE]), &pair);
        check(&of(&[read, WARP]), &[]);
        check(&of(&[read, WARP, TILE]), &[]);
        // Those of one tile, which the writer's barrier has in common with them, or not.
        let of_first = "setp.lt.u32 %p3, %r1, 8;\n@%p3 ld.shared.u32 %r3, [tile];";
        check(&of(&[of_first, TILE]), if lane < 8 { &[] } else { &pair });
        // Two tiles after each other, and a barrier of the second one only.
        let of_second = "setp.lt.u32 %p3, %r1, 8;\n@%p3 bra SKIP;\nsetp.lt.u32 %p3, %r1, 16;\n@%p3 ld.shared.u32 %r4, [tile];\nSKIP:";
        let found = of(&[of_first, of_second, TILE]);
        let of_both = [pair[0], ("%r4, [tile]", "[tile], %r1")];
        let wanted: &[_] = match lane {
            0 | 7 => &of_both[1..],
            8 => &of_both[..1],
            // One pair of a place is enough: that of the newest reader.
            _ => &of_both[1..],
        };
        check(&found, wanted);
    }
}

#[test]
fn a_tile_may_pass_many_barriers() {
    let turns = |beside: &str, last: &str| {
        lines(&[
            &tiles_of(4),
            beside,
            "mov.u32 %r4, 0;\nLOOP:",
            WRITE_OWN,
            TILE,
            READ_BESIDE,
            TILE,
            "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 200;\n@%p1 bra LOOP;",
            last,
        ])
    };
    check(&turns(&lane_beside(2), ""), &[]);
    check(&turns(&lane_beside(4), ""), &[("[%rd3], %r1", "%r3, [%rd9]")]);
    check(&turns(&lane_beside(2), WARP), &[]);
}
