//! Which kernels CURD's sets are for, and what they keep.

use crate::testing::{instrumented_with, lines_with, module};
use crate::{DevicePlan, Instrumented, Refusal, SetScheme};

fn kernel(body: &str) -> Instrumented {
    instrumented_with(&module(body), DevicePlan::Sets(SetScheme::Lazy))
        .unwrap_or_else(|why| panic!("{body}: {why}"))
}

fn refusal(body: &str) -> Refusal {
    instrumented_with(&module(body), DevicePlan::Sets(SetScheme::Lazy))
        .expect_err("sets do not know it")
}

#[test]
fn what_sets_do_not_know_is_refused() {
    for (statement, what) in [
        ("atom.global.add.u32 %r2, [%rd1], 1;", "atomics"),
        ("red.shared.add.u32 [tile], 1;", "atomics"),
        ("membar.gl;", "fences"),
        ("ld.acquire.gpu.u32 %r2, [%rd1];", "accesses that acquire or release"),
        ("bar.warp.sync -1;", "barriers of warps"),
        ("bar.sync 1, 64;", "barriers of parts of a block"),
        ("bar.arrive 1, 64;", "barriers of parts of a block"),
        ("barrier.cluster.arrive;", "clusters"),
        ("cp.async.ca.shared.global [tile], [%rd1], 4;", "asynchronous copies"),
    ] {
        let why = refusal(statement).to_string();
        assert!(why.ends_with(&format!("CURD's sets know no {what}")), "{statement}: {why}");
    }
    for statement in
        ["ld.volatile.global.u32 %r2, [%rd1];", "bar.sync 0;", "bar.red.popc.u32 %r2, 0, %p1;"]
    {
        kernel(statement);
    }
}

#[test]
fn accesses_at_equal_distances_are_one_strip() {
    let made = kernel(
        "ld.global.u32 %r2, [%rd1+8];\nld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+4];\n\
         st.global.u32 [%rd1+4], %r2;",
    );
    assert_eq!((made.cost.checked, made.cost.pruned), (2, 2), "three loads, and the store");
    assert_eq!(made.sites.sites.len(), 2);
    // From the first in the text to the lowest address.
    let addresses = lines_with(&made.text, &["%ws_address, %rd1"]);
    assert_eq!(addresses, ["mov.b64 %ws_address, %rd1;", "add.s64 %ws_address, %rd1, 4;"]);
    let apart =
        kernel("ld.global.u32 %r2, [%rd1];\nmov.b64 %rd1, 0;\nld.global.u32 %r3, [%rd1+4];");
    assert_eq!(apart.cost.checked, 2, "the register has changed");
    let jumps = kernel("ld.global.u32 %r2, [%rd1];\nNEXT:\nld.global.u32 %r3, [%rd1+4];");
    assert_eq!(jumps.cost.checked, 2, "somebody may come from elsewhere");
    let meets = kernel("ld.global.u32 %r2, [%rd1];\nbar.sync 0;\nld.global.u32 %r3, [%rd1+4];");
    assert_eq!(meets.cost.checked, 2, "a barrier is between them");
    let guarded = kernel("ld.global.u32 %r2, [%rd1];\n@%p1 ld.global.u32 %r3, [%rd1+4];");
    assert_eq!(guarded.cost.checked, 2, "one may not be made");
}

#[test]
fn only_kernels_whose_threads_share_something_have_memory_for_their_blocks() {
    let alone = kernel("st.global.u32 [%rd1], %r1;");
    assert!(alone.uses.block_sets, "the kernel has a shared variable");
    let text =
        module("st.global.u32 [%rd1], %r1;").replace(".shared .align 16 .b8 tile[64];\n", "");
    let alone =
        instrumented_with(&text, DevicePlan::Sets(SetScheme::Lazy)).expect("it can be checked");
    assert!(!alone.uses.block_sets && !alone.text.contains("ws_block"), "{}", alone.text);
    assert_eq!(alone.uses.places.count, 1);
    let meets = instrumented_with(
        &text.replace("st.global", "bar.sync 0;\nst.global"),
        DevicePlan::Sets(SetScheme::Lazy),
    );
    let meets = meets.expect("it can be checked");
    assert!(meets.uses.block_sets && meets.text.contains(".shared .align 16 .b8 ws_block[2160];"));
}

#[test]
fn a_body_that_ends_without_a_word_is_left_too() {
    let text = module("LOOP:\nst.global.u32 [%rd1], %r1;\n@%p1 bra LOOP;");
    let with = instrumented_with(&text, DevicePlan::Sets(SetScheme::Lazy))
        .expect("it can be checked")
        .text;
    let text = text.replace("ret;\n", "");
    let without = instrumented_with(&text, DevicePlan::Sets(SetScheme::Lazy))
        .expect("it can be checked")
        .text;
    assert_eq!(with.matches("ws_curd_note, ").count(), without.matches("ws_curd_note, ").count());
    assert!(without.trim_end().ends_with("ret;\n}"), "{without}");
}

#[test]
fn what_comes_again_is_kept_in_registers() {
    let body = "LOOP:\nld.global.u32 %r2, [%rd1];\nadd.s64 %rd1, %rd1, 4;\nsetp.lt.u32 %p1, %r2, 9;\n\
                @%p1 bra LOOP;\nst.global.u32 [%rd1], %r2;";
    let made = kernel(body);
    assert!(made.text.contains(".reg .b64 %ws_last_0;") && !made.text.contains("%ws_last_1"));
    assert_eq!(made.uses.places.count, 3, "two for the end of the run, and the store");
    let shared = kernel("ld.shared.u32 %r2, [tile];\nst.shared.u32 [tile], %r2;");
    assert!(shared.text.contains("%ws_last_0"), "nobody looks at it unless somebody writes");
}

#[test]
fn loads_that_share_no_phase_with_a_store_are_left_out() {
    let checked = |body: &str| kernel(body).cost.checked;
    let tiled = "st.shared.u32 [tile], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [tile];\nbar.sync 0;\n\
                 st.shared.u32 [tile], %r2;";
    assert_eq!(checked(tiled), 2, "the stores");
    let open =
        tiled.replacen("ld.shared.u32 %r2, [tile];\nbar.sync 0;", "ld.shared.u32 %r2, [tile];", 1);
    assert_eq!(checked(&open), 3, "the store behind the load");
    let anywhere = tiled.replacen("ld.shared", "st.u32 [%rd1], %r1;\nld.shared", 1);
    assert_eq!(checked(&anywhere), 4, "that store may be to shared memory");
    let global = tiled.replacen("ld.shared", "st.global.u32 [%rd1], %r1;\nld.shared", 1);
    assert_eq!(checked(&global), 3, "and that one is not");
    let some = tiled.replacen("bar.sync 0;", "setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 0;", 1);
    assert_eq!(checked(&some), 3, "not all threads come to the barrier");
    let calls = tiled.replacen(
        "bar.sync 0;",
        "bar.sync 0;\n{ .param .b64 a;\nst.param.b64 [a], %rd1;\ncall.uni helper, (a);\n}",
        1,
    );
    assert!(checked(&calls) > 3, "who is called may do anything");
}
