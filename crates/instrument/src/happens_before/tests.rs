use crate::testing::{instrumented_with, module};
use crate::{DevicePlan, Instrumented, Refusal, Tiles, Wanted, instrument};
use warpsan_ir::ModuleIndex;
use warpsan_ptx::Document;

fn made(body: &str) -> Result<Instrumented, Refusal> {
    instrumented_with(&module(body), DevicePlan::HappensBefore)
}

fn refusal(body: &str) -> String {
    made(body).expect_err("it cannot be checked").to_string()
}

#[test]
fn kernels_whose_blocks_never_meet_are_checked() {
    let made = made("ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd1+4], %r2;").expect("a kernel");
    assert_eq!(made.cost.checked, 2);
    assert_eq!(made.uses.entries.intervals, 1);
    assert!(made.uses.entries.scatters, "lanes access the same word");
    assert!(made.text.contains(".extern .func ws_hb_each_word("), "{}", made.text);
}

#[test]
fn other_kernels_are_refused() {
    let ticket = "atom.global.add.u32 %r2, [%rd1], 1;\nst.global.u32 [%rd1+4], %r2;";
    assert_eq!(refusal(ticket), "its blocks may meet");
    assert_eq!(refusal("membar.gl;"), "its blocks may meet");
    assert!(made("fence.acq_rel.cta;").is_ok(), "a fence alone orders nothing");
    let sizes = "red.shared.add.u32 [tile], 1;\nred.shared.add.u64 [tile], 1;";
    assert_eq!(refusal(sizes), "its atomics of shared memory have several sizes");
    let of_some = "its threads may not all come to its barriers together";
    assert_eq!(refusal("bar.sync 1, 32;"), of_some);
    assert_eq!(refusal("@%p1 bar.sync 0;"), of_some);
    for (code, what) in [
        ("atom.shared.cas.b32 %r2, [tile], 0, 1;", "compare-and-swap"),
        ("atom.acquire.cta.shared.add.u32 %r2, [tile], 1;", "atomics that acquire or release"),
        ("cp.async.mbarrier.arrive.shared.b64 [tile];", "`mbarrier` objects and bulk copies"),
        (
            "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, [tile];",
            "matrices of this shape in memory",
        ),
        ("red.shared.add.u32 [tile], 1;\nfence.acq_rel.cta;", "fences beside atomics"),
        (
            "red.relaxed.cta.global.add.u32 [%rd1], 1;",
            "atomics of a narrower scope than the device in global memory",
        ),
        (
            "{\n.reg .b16 %h;\nred.global.add.noftz.f16 [%rd1], %h;\n}",
            "atomics of less than a word in global memory",
        ),
    ] {
        let why = refusal(code);
        assert!(why.ends_with(&format!("and hb on the device knows no {what}")), "{why}");
    }
}

#[test]
fn barriers_of_tiles_of_one_size_are_known_and_others_are_refused() {
    let tile = |lanes: u32| {
        let mask = (1u32 << lanes) - 1;
        format!(
            "mov.u32 %r5, %laneid;\nand.b32 %r6, %r5, -{lanes};\nshl.b32 %r7, {mask}, %r6;\nbar.warp.sync %r7;\n"
        )
    };
    let tiles = |body: &str| made(body).expect("a kernel").uses.entries.tiles;
    let known = |shift, beside_whole| Some(Tiles { shift, beside_whole });
    assert_eq!(tiles("bar.warp.sync -1;"), None);
    assert_eq!(tiles(&tile(8)), known(3, false));
    assert_eq!(tiles(&format!("{}bar.warp.sync -1;", tile(16))), known(4, true));
    assert_eq!(tiles("bar.warp.sync 0xffff;\nbar.warp.sync 1;"), known(4, false));
    let scatters = |body: &str| made(body).expect("a kernel").uses.entries.scatters;
    assert!(scatters(&tile(8)) && !scatters("bar.warp.sync -1;"), "tiles stay apart");
    let parts = "it has barriers of parts of a warp that are not known to be tiles of one size";
    let of_any = "bar.warp.sync %r2;".to_owned();
    for body in [
        of_any,
        "bar.warp.sync 0x7;".to_owned(),
        tile(8) + &tile(4),
        tile(8) + "red.shared.add.u32 [tile], 1;",
        tile(8) + "st.volatile.shared.u32 [tile], 1;",
        tile(8) + "cp.async.ca.shared.global [tile+8], [%rd1], 4;",
    ] {
        let why = refusal(&body);
        assert!(why.starts_with(parts), "{body}: {why}");
    }
    // One lane for all would have one of several epochs.
    let read = format!("{}ld.global.u32 %r3, [%rd1];", tile(8));
    assert!(!made(&read).expect("a kernel").text.contains("ws_hb_global_read"));
}

#[test]
fn updates_of_global_memory_that_return_nothing_are_checked() {
    for update in [
        "atom.global.add.u32 %r2, [%rd1], 1;",
        "red.add.u64 [%rd1], 1;",
        "red.global.max.u32 [%rd1], 1;",
    ] {
        let made = made(&format!("{update}\nst.shared.u32 [tile], 1;\nbar.sync 0;")).expect(update);
        assert_eq!(made.cost.checked, 2, "{update}");
    }
    let made = made("red.global.add.u32 [%rd1], 1;\nst.shared.u32 [tile], 1;").expect("a kernel");
    let shared = made.uses.entries.shared.expect("shared memory");
    assert!(!shared.has_updates(), "updates of global memory are none of shared memory");
}

#[test]
fn volatile_accesses_of_shared_memory_are_checked_unless_they_may_hand_over() {
    let flag = "st.volatile.shared.u32 [tile], 1;\nld.volatile.shared.u32 %r2, [tile];";
    assert_eq!(made(flag).expect("a kernel").cost.checked, 2);
    for beside in [
        "fence.acq_rel.cta;",
        "red.shared.add.u32 [tile+4], 1;",
        "cp.async.ca.shared.global [tile+8], [%rd1], 4;",
    ] {
        assert_eq!(
            refusal(&format!("{flag}\n{beside}")),
            "it has volatile accesses of shared memory beside fences, atomics or asynchronous copies"
        );
    }
}

#[test]
fn threads_may_leave_before_a_barrier_if_they_have_accessed_nothing_since_the_last_one() {
    let some = "mov.u32 %r2, %tid.x;\nsetp.ge.u32 %p1, %r2, 40;";
    let rest = "st.shared.u32 [tile], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [tile+4];";
    for leave in ["@%p1 ret;", "@%p1 exit;", "@%p1 bra END;"] {
        let early = format!("{some}\n{leave}\n{rest}\nEND:\n");
        assert_eq!(made(&early).expect("a kernel").uses.entries.intervals, 2, "{leave}");
        let late = format!("{some}\nst.shared.u32 [tile+8], %r1;\n{leave}\n{rest}\nEND:\n");
        assert_eq!(refusal(&late), "its threads may not all come to its barriers together");
        let between =
            format!("st.shared.u32 [tile+8], %r1;\nbar.sync 0;\n{some}\n{leave}\n{rest}\nEND:\n");
        assert_eq!(made(&between).expect("a kernel").uses.entries.intervals, 3, "{leave}");
    }
}

#[test]
fn one_thread_may_have_the_last_word() {
    let body = "mov.u32 %r2, %tid.x;\nst.shared.u32 [tile], %r1;\nbar.sync 0;\nld.shared.u32 %r1, [tile+4];\n\
                setp.ne.u32 %p1, %r2, 0;\n@%p1 bra END;\nst.global.u32 [%rd1], %r1;\nEND:\n";
    assert_eq!(made(body).expect("a kernel").uses.entries.intervals, 2);
}

#[test]
fn loads_of_shared_memory_without_a_store_in_their_interval_are_not_checked() {
    let apart = "st.shared.u32 [tile], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [tile+4];";
    let apart = made(apart).expect("a kernel");
    assert_eq!((apart.cost.checked, apart.cost.pruned), (1, 1));
    assert_eq!(apart.uses.entries.intervals, 2);
    let together = made("st.shared.u32 [tile], %r1;\nld.shared.u32 %r2, [tile+4];");
    assert_eq!(together.expect("a kernel").cost.checked, 2);
}

#[test]
fn entries_of_shared_memory_are_as_fine_as_its_accesses() {
    let entries = |body: &str| made(body).expect("a kernel").uses.entries.shared;
    let words = "st.shared.u32 [tile], %r1;\nld.shared.u32 %r2, [tile+4];";
    let words = entries(words).expect("entries");
    assert_eq!((words.granule_shift, words.entry_shift), (2, 4));
    let bytes = "st.shared.u8 [tile], %r1;\nld.shared.u32 %r2, [tile+4];";
    let bytes = entries(bytes).expect("entries");
    assert_eq!((bytes.granule_shift, bytes.entry_shift), (0, 4));
    let rows = "st.shared.v4.u32 [tile], {%r1, %r1, %r1, %r1};\ncp.async.cg.shared.global [tile], [%rd1], 16;\n\
                ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [tile];";
    assert_eq!(entries(rows).expect("entries").granule_shift, 4);
    let mixed = format!("{rows}\nld.shared.v2.u32 {{%r2, %r3}}, [tile];");
    assert_eq!(entries(&mixed).expect("entries").granule_shift, 3);
    let updated = entries("red.shared.add.u32 [tile], %r1;").expect("entries");
    assert_eq!((updated.granule_shift, updated.entry_shift), (2, 5));
    // And two for each word: the site of another reader.
    assert_eq!(words.bytes_behind(1024), 4096 + 512);
}

#[test]
fn where_loads_need_no_checks_entries_are_of_who_stored_alone() {
    let entries = |store: &str, load: &str| {
        let made = made(&format!("{store}\nbar.sync 0;\n{load}")).expect("a kernel");
        (made.uses.entries.shared.expect("entries"), made.text)
    };
    let (word, load) = ("st.shared.u32 [tile], %r1;", "ld.shared.u8 %r2, [tile+4];");
    let (words, text) = entries(word, load);
    assert_eq!((words.granule_shift, words.entry_shift, words.bytes_behind(1024)), (2, 2, 1024));
    assert!(text.contains("atom.shared.exch.b32"), "{text}");
    let row = "st.shared.v4.u32 [tile], {%r1, %r1, %r1, %r1};";
    let (rows, _) = entries(row, load);
    assert_eq!((rows.granule_shift, rows.entry_shift, rows.bytes_behind(1024)), (4, 2, 256));
    let (both, text) = entries(&format!("{row}\n{word}"), load);
    assert_eq!((both.granule_shift, both.entry_shift), (2, 2));
    assert!(text.contains("ws_hb_shared_own,"), "{text}");
    // These have more to say.
    for store in [
        "st.shared.u32 [tile], %r1;\nld.shared.u32 %r2, [tile+4];",
        "st.shared.u32 [tile], %r1;\nbar.warp.sync -1;",
        "st.u32 [%rd1], %r1;",
        "st.volatile.shared.u32 [tile], %r1;",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {%r1};",
    ] {
        assert_eq!(entries(store, load).0.entry_shift, 4, "{store}");
    }
}

#[test]
fn lines_are_collected_in_loops_where_it_does_not_matter_when_they_are_entered() {
    let text = |turn: &str, behind: &str| {
        let body = format!(
            "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nmov.u32 %r3, 0;\n\
             LOOP:\n{turn}\nadd.s64 %rd3, %rd3, 256;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 9;\n\
             @%p1 bra LOOP;\n{behind}"
        );
        made(&body).expect("a kernel").text
    };
    let collects = |turn: &str, behind: &str| text(turn, behind).contains("ws_hb_collected,");
    let (load, store) = ("ld.global.u32 %r4, [%rd3];", "st.global.u32 [%rd3], %r3;");
    let read_only = "ld.global.nc.u32 %r4, [%rd3];";
    for turn in [load, store, read_only] {
        assert!(collects(turn, ""), "{turn}");
        assert!(!collects(&format!("{turn}\nbar.sync 0;"), ""), "{turn}");
        assert!(!collects("", turn), "{turn}");
    }
    // A load by the read-only path, and a store, are entered in the order in which a thread makes them.
    assert!(!collects(&format!("{read_only}\nst.global.u32 [%rd3+4096], %r4;"), ""));
    let behind = text(read_only, store);
    let (loop_end, store) = (behind.find("bra LOOP;"), behind.rfind("st.global.u32 [%rd3]"));
    let between = &behind[loop_end.expect("a loop")..store.expect("a store")];
    assert!(between.contains("ws_hb_collected,"), "{behind}");
}

#[test]
fn copies_of_lanes_side_by_side_read_whole_lines() {
    let body = "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 16;\nadd.s64 %rd3, %rd1, %rd2;\ncvt.u32.u64 %r3, %rd2;\n\
                cp.async.cg.shared.global [%r3], [%rd3], 16;\ncp.async.wait_all;";
    let made = made(body).expect("a kernel");
    assert!(made.text.contains("ws_hb_line,"), "{}", made.text);
    let scattered = "cp.async.cg.shared.global [tile], [%rd1], 16;\ncp.async.wait_all;";
    let scattered = self::made(scattered).expect("a kernel");
    assert!(!scattered.text.contains("ws_hb_line,"), "{}", scattered.text);
}

#[test]
fn loads_are_checked_where_copies_may_write_later() {
    let body = |read: &str| format!("{read}\nbar.sync 0;\nld.shared.u32 %r2, [tile+4];");
    let copy = made(&body("cp.async.ca.shared.global [tile], [%rd1], 4;")).expect("a kernel");
    assert_eq!(
        (copy.cost.checked, copy.cost.pruned),
        (3, 0),
        "both sides of the copy, and the load"
    );
    assert!(copy.accesses[0].copies && copy.accesses[1].copies && !copy.accesses[2].copies);
    assert!(copy.text.contains(".local .align 8 .b8 ws_copies["), "{}", copy.text);
    let matrix = body("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [tile];");
    assert_eq!(made(&matrix).expect("a kernel").cost.pruned, 2, "nobody writes");
    let call = "{ .param .b64 p; st.param.b64 [p], %rd1; call.uni helper, (p); }";
    let beside = refusal(&format!("{call}\ncp.async.ca.shared.global [tile], [%rd1], 4;"));
    assert_eq!(beside, "it calls functions, and copies asynchronously");
}

#[test]
fn a_barrier_in_a_loop_leaves_the_intervals_open() {
    let body = "LOOP:\nbar.sync 0;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 4;\n@%p1 bra LOOP;";
    let body = format!("mov.u32 %r2, 0;\n{body}");
    assert_eq!(made(&body).expect("a kernel").uses.entries.intervals, 0);
}

#[test]
fn the_warp_is_known_to_be_whole_where_nothing_has_diverged() {
    let body = "st.global.u32 [%rd1], %r1;\nmov.u32 %r2, %tid.x;\nsetp.lt.u32 %p1, %r2, 4;\n\
                @%p1 st.global.u32 [%rd1+64], %r1;";
    let made = made(body).expect("a kernel");
    let whole: Vec<bool> = made.accesses.iter().map(|access| access.of_whole_warp).collect();
    assert_eq!(whole, [true, false]);
}

#[test]
fn atomics_of_128_bits_are_for_who_has_them() {
    let body = "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];";
    let text = module(body);
    assert!(made(body).expect("a kernel").text.contains("cas.b128"));
    let document = Document::parse(text);
    let (plan, target) = (DevicePlan::HappensBefore, "sm_86");
    let wanted = Wanted { kernel: "k", block: [64, 1, 1], blocks_at_once: None, target, plan };
    let made = instrument(&document, &ModuleIndex::of(&document), &wanted).expect("a kernel");
    assert!(made.text.contains("cas.b64") && !made.text.contains("b128"), "{}", made.text);
}

#[test]
fn entries_that_do_not_fit_behind_shared_memory_are_in_a_slot() {
    let body =
        "st.shared.u32 [tile], %r1;\nld.shared.u32 %r2, [tile+4];\nst.shared.u32 [tile+8], %r2;";
    let plan = DevicePlan::HappensBeforeInSlots;
    let behind = made(body).expect("a kernel");
    let in_slot = instrumented_with(&module(body), plan).expect("a kernel");
    assert_eq!(in_slot.cost.checked, behind.cost.checked);
    let entries = |made: &Instrumented| made.uses.entries.shared.expect("shared memory");
    let (behind, in_slot, text) = (entries(&behind), entries(&in_slot), in_slot.text);
    assert_eq!((behind.bytes_behind(4096), behind.slot_bytes(4096)), (1024 * 18, None));
    assert_eq!((in_slot.bytes_behind(4096), in_slot.slot_bytes(4096)), (32, Some(1024 * 18)));
    assert!(text.contains("ws_hb_shared("), "by a call that asks where entries are: {text}");
    let stores = "st.shared.u32 [tile], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [tile+4];";
    let of_owners = entries(&made(stores).expect("a kernel"));
    let in_slot = entries(&instrumented_with(&module(stores), plan).expect("a kernel"));
    assert!(of_owners.is_of_owners() && !in_slot.is_of_owners(), "these are behind it alone");
    assert_eq!(plan.fallback(), DevicePlan::HappensBefore.fallback());
    assert_eq!((plan.with_slots(), DevicePlan::HappensBefore.with_slots()), (None, Some(plan)));
}
