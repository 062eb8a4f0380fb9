//! Accesses that leave the memory that a pointer among the arguments points into, and are in other memory.

use crate::support::{Machine, Setup, kernel};
use warpsan_event::AccessKind;
use warpsan_simt::{AllocationKind, OutOfBounds};

/// Words of each of two allocations, which are neighbours.
const WORDS: usize = 64;
const BYTES: u64 = WORDS as u64 * 4;

/// Two allocations of 64 words.
fn neighbours(body: &str) -> (Machine, u64) {
    let machine = Machine::new(&kernel(body), WORDS);
    let other = machine.memory.allocate(BYTES, AllocationKind::Device).unwrap();
    assert_eq!(other.0, machine.data.0 + BYTES);
    (machine, other.0)
}

/// What a kernel accesses out of bounds, whose second argument is so far from the second of two allocations. It has to
/// end well.
#[track_caller]
fn found(body: &str, setup: Setup, distance: i64) -> Vec<OutOfBounds> {
    let (machine, other) = neighbours(body);
    let argument = other.wrapping_add_signed(distance);
    let done = machine.launch(&Setup { argument, ..setup });
    let found = done.out_of_bounds.clone();
    done.well();
    found
}

/// Kind, bytes, distance from the start of the first allocation, thread, and count.
fn short(found: &[OutOfBounds]) -> Vec<(AccessKind, u64, u64, u32, u64)> {
    let short = |one: &OutOfBounds| {
        let from = one.meant.address.0.min(one.hit.address.0);
        (one.kind, one.bytes, one.address.0 - from, one.thread, one.count)
    };
    found.iter().map(short).collect()
}

#[test]
fn a_store_behind_the_end_is_seen_and_done() {
    let (machine, other) = neighbours("st.global.u32 [%rd2], 7;\nret;");
    let done = machine.launch(&Setup::new(1, 96));
    assert_eq!(short(&done.out_of_bounds), [(AccessKind::Write, 4, BYTES, 64, 32)]);
    let [one] = &done.out_of_bounds[..] else { panic!() };
    assert_eq!((one.meant.address, one.hit.address.0, one.argument), (machine.data, other, 0));
    done.well();
    let mut word = [0; 4];
    machine.memory.read(warpsan_model::DeviceAddress(other + 124), &mut word).unwrap();
    assert_eq!(word, [7, 0, 0, 0]);
}

#[test]
fn a_warp_that_is_partly_inside_and_each_kind_of_access() {
    let body = "add.s64 %rd5, %rd2, 192;\nld.global.u32 %r2, [%rd5];\natom.global.exch.b32 %r3, [%rd5], 1;\n\
        red.global.add.f32 [%rd5], 0f3F800000;\nld.global.v2.u32 {%r4, %r5}, [%rd1+256];\nret;";
    assert_eq!(
        short(&found(body, Setup::new(1, 32), 0)),
        [
            (AccessKind::Read, 4, BYTES, 16, 16),
            (AccessKind::ReadModifyWrite, 4, BYTES, 16, 16),
            (AccessKind::Reduction, 4, BYTES, 16, 16),
            (AccessKind::Read, 8, BYTES, 0, 32),
        ]
    );
}

#[test]
fn the_source_of_a_copy() {
    let body = "mul.wide.u32 %rd5, %r7, 16;\nadd.s64 %rd6, %rd1, %rd5;\nshl.b32 %r2, %r7, 4;\nmov.u32 %r3, s;\n\
        add.s32 %r3, %r3, %r2;\ncp.async.cg.shared.global [%r3], [%rd6], 16;\ncp.async.wait_all;\nret;";
    assert_eq!(short(&found(body, Setup::new(1, 32), 0)), [(AccessKind::Read, 16, BYTES, 16, 16)]);
    let bulk = "setp.ne.u32 %p1, %r7, 0;\n@%p1 ret;\nmov.u32 %r3, s;\n\
        cp.async.bulk.global.shared::cta.bulk_group [%rd1+256], [%r3], 64;\n\
        cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;";
    assert_eq!(short(&found(bulk, Setup::new(1, 32), 0)), [(AccessKind::Write, 64, BYTES, 0, 1)]);
}

#[test]
fn each_instruction_and_memory_is_found_once_and_the_number_of_cores_does_not_matter() {
    let body = "st.global.u32 [%rd2], %r1;\nld.global.u32 %r2, [%rd2];\nret;";
    let words = 64 * 200;
    let all = |jobs: usize| {
        let machine = Machine::new(&kernel(body), words - 64);
        machine.memory.allocate(BYTES, AllocationKind::Device).unwrap();
        let done = machine.launch(&Setup { jobs, ..Setup::new(200, 64) });
        let found = done.out_of_bounds.clone();
        done.well();
        found
    };
    let found = all(1);
    let counts: Vec<(u32, u64)> = found.iter().map(|one| (one.block.0, one.count)).collect();
    assert_eq!(counts, [(199, 64), (199, 64)]);
    assert_eq!(all(4), found);
}

#[test]
fn nothing_is_said_where_memory_is_used_as_it_was_meant() {
    for body in [
        // The difference of two pointers leads from one to the other.
        "sub.s64 %rd5, %rd4, %rd1;\nadd.s64 %rd6, %rd2, %rd5;\nld.global.u32 %r2, [%rd6];\nret;",
        // Either of two pointers.
        "setp.lt.u32 %p1, %r7, 8;\nselp.b64 %rd5, %rd1, %rd4, %p1;\nld.global.u32 %r2, [%rd5];\nret;",
        // A pointer that another pointer leads to.
        "st.global.u64 [%rd1], %rd4;\nld.global.u64 %rd5, [%rd1];\nld.global.u32 %r2, [%rd5];\nret;",
    ] {
        assert_eq!(found(body, Setup::new(1, 32), 0), [], "{body}");
    }
}

#[test]
fn a_pointer_may_stand_in_front_of_its_memory_or_behind_it() {
    // Elements are numbered from 1: the pointer is in the last word of the other allocation.
    let from_one = "add.s64 %rd5, %rd4, %rd3;\nld.global.u32 %r2, [%rd5+4];\nret;";
    assert_eq!(found(from_one, Setup::new(1, 64), -4), []);
    // Backwards from the end, which is where the other allocation begins.
    let backwards = "sub.s64 %rd5, %rd4, %rd3;\nld.global.u32 %r2, [%rd5+-4];\nret;";
    assert_eq!(found(backwards, Setup::new(1, 64), 0), []);
    // It is used as a pointer to that allocation, too.
    let both = "ld.global.u32 %r2, [%rd4];\nld.global.u32 %r3, [%rd4+-4];\nret;";
    assert_eq!(short(&found(both, Setup::new(1, 1), 0)), [(AccessKind::Read, 4, BYTES - 4, 0, 1)]);
    // A pointer into the middle, used inside of its memory and behind it.
    let chunk = "add.s64 %rd5, %rd4, %rd3;\nld.global.u32 %r2, [%rd5];\nret;";
    assert_eq!(
        short(&found(chunk, Setup::new(1, 64), -128)),
        [(AccessKind::Read, 4, BYTES, 32, 32)]
    );
}
