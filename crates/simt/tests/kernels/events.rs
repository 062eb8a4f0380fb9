//! What the engine emits.

use crate::support::{Machine, Setup, kernel, module, schedules};
use warpsan_event::EventMask;

/// The accesses that one warp emits, without the words in front of the mask.
fn accesses(body: &str, threads: u32) -> Vec<String> {
    let machine = Machine::new(&kernel(body), 128);
    let done = machine.launch(&Setup::new(1, threads).listening());
    done.result.as_ref().unwrap();
    let emitted = done.emitted(&["Access"]);
    emitted.into_iter().map(|event| event[event.find("mask:").unwrap()..].to_string()).collect()
}

#[track_caller]
fn assert_emitted(event: &str, parts: &[&str]) {
    for part in parts {
        assert!(event.contains(part), "`{part}` is not in {event}");
    }
}

#[test]
fn addresses_have_their_shortest_form() {
    let emitted = accesses("ld.global.u32 %r2, [%rd1+8];\nst.global.u32 [%rd2], %r2;\nret;", 32);
    assert_emitted(
        &emitted[0],
        &[
            "mask: 4294967295",
            "kind: Read",
            "addresses: Uniform(52776558133256)",
            "bytes: 4",
            "elements: 1",
        ],
    );
    assert_emitted(&emitted[1], &["kind: Write", "Strided { first: 52776558133248, stride: 4 }"]);
    let emitted = accesses("setp.eq.u32 %p1, %r7, 5;\n@%p1 ld.shared.u32 %r2, [s+16];\nret;", 32);
    assert_emitted(&emitted[0], &["mask: 32,", "Uniform(16)", "space: Shared", "wrote: 0"]);
    let emitted = accesses(
        "shl.b32 %r2, %r7, 4;\nmov.u32 %r3, s;\nadd.s32 %r2, %r2, %r3;\nst.shared.v2.u32 [%r2], {%r1, %r7};\nret;",
        8,
    );
    assert_emitted(&emitted[0], &["mask: 255,", "Strided { first: 0, stride: 16 }", "elements: 2"]);
    let emitted = accesses(
        "mul.lo.s32 %r2, %r7, %r7;\nshl.b32 %r2, %r2, 2;\nmov.u32 %r3, s;\nadd.s32 %r2, %r2, %r3;\nld.shared.u32 %r4, [%r2];\nret;",
        5,
    );
    assert_emitted(&emitted[0], &["mask: 31,", "PerLane([0, 4, 16, 36, 64])"]);
    // Lanes of one instruction in two memories are two events.
    let emitted = accesses(
        "setp.lt.u32 %p1, %r7, 3;\nmov.u64 %rd5, s;\ncvta.shared.u64 %rd5, %rd5;\nselp.b64 %rd6, %rd5, %rd1, %p1;\nst.u32 [%rd6], %r7;\nret;",
        8,
    );
    assert_eq!(emitted.len(), 2);
    assert_emitted(&emitted[0], &["mask: 7,", "space: Shared", "Uniform(0)", "values: [0, 1, 2]"]);
    assert_emitted(&emitted[1], &["mask: 248,", "space: Global", "values: [3, 4, 5, 6, 7]"]);
}

#[test]
fn values_and_versions_are_emitted_to_who_asks() {
    let body = "ld.acquire.gpu.global.u32 %r2, [%rd1];\natom.global.add.u32 %r3, [%rd1], 5;\n\
        atom.global.cas.b32 %r3, [%rd1], 99, %r3;\nst.release.gpu.global.u32 [%rd1], 8;\nld.global.u32 %r4, [%rd1];\nret;";
    let emitted = accesses(&body.replace("[%rd1], 8;", "[%rd1], %r7;"), 2);
    assert_emitted(&emitted[0], &["values: [0, 0]", "versions: [0, 0]"]);
    assert_emitted(
        &emitted[1],
        &["kind: ReadModifyWrite", "wrote: 3,", "values: [0, 5, 5, 10]", "versions: [1, 2]"],
    );
    assert_emitted(&emitted[2], &["wrote: 0,", "values: [10, 10, 10, 10]", "versions: [2, 2]"]);
    assert_emitted(&emitted[3], &["wrote: 3,", "values: [0, 1]", "versions: [3, 4]"]);
    assert_emitted(&emitted[4], &["strength: Weak", "values: []", "versions: []"]);
    let machine = Machine::new(&kernel(body), 1);
    let interest = EventMask::ACCESSES | EventMask::STRUCTURE;
    let done = machine.launch(&Setup { interest, ..Setup::new(1, 2) });
    for event in done.emitted(&["Access"]) {
        assert_emitted(event, &["values: []", "versions: []"]);
    }
    assert!(done.emitted(&["BlockEnd"]).len() == 1 && done.emitted(&["Fence"]).is_empty());
}

#[test]
fn a_speculated_load_counts_where_its_value_matters() {
    let body = "setp.lt.u32 %p1, %r7, 3;\nld.shared.u32 %r2, [s];\nselp.b32 %r3, %r2, 7, %p1;\n\
        st.global.u32 [%rd2], %r3;\nret;";
    let emitted = accesses(body, 8);
    assert_eq!(emitted.len(), 2);
    assert_emitted(&emitted[0], &["mask: 7,", "kind: Read", "Uniform(0)"]);
    let never = accesses(&body.replace("%r7, 3", "%r7, 0"), 8);
    assert_eq!(never.len(), 1, "{never:?}");
}

#[test]
fn arrivals_at_block_barriers_are_emitted_when_they_happen() {
    let body = "setp.ge.u32 %p1, %r7, 32;\n@%p1 bra $wait;\nbar.arrive 3, 64;\nst.global.u32 [%rd1], %r1;\nret;\n$wait:\nbar.sync 3, 64;\nret;";
    let machine = Machine::new(&kernel(body), 1);
    for schedule in schedules() {
        let done = machine.launch(&Setup { schedule, ..Setup::new(1, 64).listening() });
        let kinds = done.emitted(&["BlockArrive", "BlockBarrier"]);
        assert_eq!(kinds.len(), 2);
        assert_emitted(kinds[0], &["BlockArrive", "warp: 0, mask: 4294967295", "barrier: 3"]);
        assert_emitted(
            kinds[1],
            &["BlockBarrier", "barrier: 3", "participants: [18446744069414584320, 4294967295]"],
        );
    }
}

#[test]
fn reconvergence_is_emitted_to_who_asks() {
    // Lanes 0 to 7 store in a branch, lanes 24 to 31 load in the next one; then lane 3 alone stores under a guard.
    let body = "setp.ge.u32 %p1, %r7, 8;\n@%p1 bra $first;\nst.global.u32 [%rd1], %r1;\n$first:\n\
        setp.lt.u32 %p1, %r7, 24;\n@%p1 bra $second;\nld.global.u32 %r2, [%rd1];\n$second:\n\
        setp.eq.u32 %p1, %r7, 3;\n@%p1 st.global.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd1];\nret;";
    let machine = Machine::new(&kernel(body), 1);
    for schedule in schedules() {
        let interest = EventMask::ACCESSES | EventMask::RECONVERGENCE;
        let setup = Setup { schedule, interest, ..Setup::new(1, 32) };
        let done = machine.launch(&setup);
        let emitted = done.emitted(&["Access", "Reconvergence"]);
        let expected = [
            ("Access", 0xff),
            ("Reconvergence", u32::MAX),
            ("Access", 0xff00_0000),
            ("Reconvergence", u32::MAX),
            ("Access", 1 << 3),
            ("Reconvergence", u32::MAX),
            ("Access", u32::MAX),
        ];
        assert_eq!(emitted.len(), expected.len(), "{emitted:?}");
        for (event, (kind, mask)) in emitted.iter().zip(expected) {
            let digits = event.split_once("mask: ").unwrap().1.split([',', ' ']).next();
            assert!(event.starts_with(kind), "{event}");
            assert_eq!(digits, Some(&*mask.to_string()), "{event}");
        }
    }
    let done = machine.launch(&Setup::new(1, 32).listening());
    assert!(done.emitted(&["Reconvergence"]).is_empty(), "nobody asked");
}

#[test]
fn lanes_that_end_are_not_waited_for_where_others_reconverge() {
    // A third of the lanes ends inside of a branch.
    let body = "setp.ge.u32 %p1, %r7, 20;\n@%p1 bra $join;\nsetp.ge.u32 %p2, %r7, 10;\n@%p2 bra $go;\nret;\n$go:\n\
        st.global.u32 [%rd1], %r1;\n$join:\nld.global.u32 %r2, [%rd1];\nret;";
    let machine = Machine::new(&kernel(body), 1);
    for schedule in schedules() {
        let interest = EventMask::RECONVERGENCE;
        let done = machine.launch(&Setup { schedule, interest, ..Setup::new(1, 32) });
        let emitted = done.emitted(&["Reconvergence"]);
        let rest = format!("mask: {} }}", u32::MAX << 10);
        assert_eq!(emitted.len(), 1, "{emitted:?}");
        assert!(emitted[0].contains(&rest), "{emitted:?}");
    }
}

#[test]
fn lanes_that_end_are_emitted_where_there_are_block_barriers() {
    let body = "setp.ge.u32 %p1, %r7, 40;\n@%p1 bra $end;\nbar.sync 0;\n$end:\nret;";
    let machine = Machine::new(&kernel(body), 1);
    for schedule in schedules() {
        let done = machine.launch(&Setup { schedule, ..Setup::new(1, 64).listening() });
        let emitted = done.emitted(&["LanesEnd", "BlockBarrier"]);
        let barrier = emitted.iter().position(|event| event.starts_with("BlockBarrier")).unwrap();
        assert_emitted(emitted[barrier], &["participants: [4294967295, 255]"]);
        // Who waits has not ended, and in the end everybody has.
        let ended = |events: &[&str], warp: u32| {
            let of_warp = format!("warp: {warp}, mask: ");
            let masks = events.iter().filter_map(|event| event.split_once(&of_warp));
            masks.fold(0_u32, |all, (_, mask)| {
                let mask: u32 = mask.trim_end_matches(" }").parse().unwrap();
                assert_eq!(all & mask, 0, "nobody ends twice: {events:?}");
                all | mask
            })
        };
        assert_eq!(ended(&emitted[..barrier], 0), 0);
        assert_eq!(ended(&emitted[..barrier], 1) & 255, 0);
        assert_eq!([0, 1].map(|warp| ended(&emitted, warp)), [u32::MAX; 2]);
    }
    let without = Machine::new(&kernel(&body.replace("bar.sync 0;\n", "")), 1);
    let done = without.launch(&Setup::new(1, 64).listening());
    assert!(done.emitted(&["LanesEnd"]).is_empty());
}

#[test]
fn waits_for_earlier_launches_are_emitted_for_the_lanes_that_execute_them() {
    let body = "setp.lt.u32 %p1, %r7, 3;\n@%p1 griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\nret;";
    let machine = Machine::new(&kernel(body), 1);
    let done = machine.launch(&Setup::new(1, 32).listening());
    let waits = done.emitted(&["PrerequisiteWait"]);
    assert_eq!(waits.len(), 1, "{waits:?}");
    assert_emitted(waits[0], &["warp: 0, mask: 7,"]);
}

#[test]
fn launches_blocks_and_clusters_are_emitted_in_order() {
    let body = "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\nret;";
    let machine = Machine::new(&kernel(body), 1);
    let done = machine.launch(&Setup::new(2, 40).clusters_of(2).listening());
    let kinds: Vec<&str> =
        done.events.iter().map(|event| event.split([' ', '(']).next().unwrap()).collect();
    assert_eq!(kinds[..2], ["LaunchBegin", "Clusters"]);
    assert_emitted(&done.events[1], &["Clusters { extent: Dim3 { x: 2, y: 1, z: 1 } }"]);
    let last_arrival = kinds.iter().rposition(|kind| *kind == "ClusterArrive").unwrap();
    let first_wait = kinds.iter().position(|kind| *kind == "ClusterWait").unwrap();
    assert!(last_arrival < first_wait, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| **kind == "ClusterArrive").count(), 4);
    for event in done.emitted(&["ClusterArrive", "ClusterWait"]) {
        assert_emitted(event, &["phase: 0"]);
    }
    assert_eq!(kinds[kinds.len() - 1], "LaunchEnd");
    assert_eq!(kinds.iter().filter(|kind| **kind == "BlockEnd").count(), 2);
    let alone = machine.launch(&Setup::new(2, 40).listening());
    assert!(alone.emitted(&["Clusters"]).is_empty());
}

#[test]
fn a_bulk_copy_begins_ends_signals_and_is_waited_for() {
    let body = "setp.eq.u32 %p10, %r7, 0;\n@%p10 mbarrier.init.shared.b64 [s], 1;\nbar.sync 0;\n@!%p10 bra $wait;\n\
        mbarrier.arrive.expect_tx.shared.b64 _, [s], 32;\n\
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+128], [%rd1], 32, [s];\n\
        $wait:\nmbarrier.try_wait.parity.shared.b64 %p1, [s], 0;\n@!%p1 bra $wait;\nret;";
    let machine = Machine::new(&kernel(body), 8);
    for seed in 0..10 {
        let done = machine.launch(&Setup::new(1, 32).seed(seed).listening());
        let emitted = done.emitted(&["Copy", "Mbarrier"]);
        let expected = [
            "step: Init",
            "step: Arrive",
            "CopyBegin",
            "CopyEnd { copy: 0 }",
            "copy: Some(0), owner",
        ];
        for (event, part) in emitted.iter().zip(expected) {
            assert_emitted(event, &[part]);
        }
        assert_eq!(emitted.len(), 5 + 32, "every lane sees the end");
        assert!(
            emitted[5..]
                .iter()
                .all(|event| event.contains("step: Wait") && event.contains("phase: 1"))
        );
        assert_emitted(
            emitted[2],
            &["kind: Bulk", "bytes: 32", "space: Global", "space: Shared", "reduces: false"],
        );
        assert_emitted(emitted[4], &["address: 0, phase: 0"]);
    }
}

#[test]
fn copies_of_threads_emit_what_they_really_read() {
    let copy = |operands: &str| {
        let body = format!(
            "shl.b32 %r10, %r7, 4;\nmov.u32 %r11, s;\nadd.s32 %r10, %r10, %r11;\nmul.wide.u32 %rd5, %r7, 16;\n\
             add.s64 %rd5, %rd5, %rd1;\nshl.b32 %r2, %r7, 2;\nmov.u32 %r3, 0;\n\
             cp.async.cg.shared.global [%r10], [%rd5], 16{operands};\ncp.async.commit_group;\ncp.async.wait_group 0;\nret;"
        );
        let done = Machine::new(&kernel(&body), 128).launch(&Setup::new(1, 3).listening());
        done.emitted(&["Copy"]).into_iter().map(str::to_string).collect::<Vec<String>>()
    };
    let emitted = copy("");
    assert_eq!(emitted.len(), 5, "one beginning, three ends, one wait");
    assert_emitted(
        &emitted[0],
        &["mask: 7", "first: 0", "from: Some(CopySide { space: Global", "bytes: 16"],
    );
    assert_emitted(&emitted[4], &["CopyWait", "bulk: false", "before: [1, 2, 3]"]);
    let emitted = copy(", %r3");
    assert_emitted(&emitted[0], &["mask: 7", "from: None", "bytes: 16"]);
    let emitted = copy(", %r2");
    assert_emitted(&emitted[0], &["mask: 1,", "first: 0", "from: None"]);
    assert_emitted(
        &emitted[1],
        &["mask: 2,", "first: 1", "from: Some(CopySide { space: Global", "bytes: 4 }"],
    );
    assert_emitted(&emitted[2], &["mask: 4,", "first: 2", "bytes: 8 }"]);
}

#[test]
fn accesses_to_another_blocks_memory_name_its_owner() {
    let body = "mov.u32 %r2, %cluster_ctarank;\nxor.b32 %r2, %r2, 1;\nmov.u32 %r4, s;\n\
        mapa.shared::cluster.u32 %r5, %r4, %r2;\nst.shared::cluster.u32 [%r5+4], %r1;\n\
        barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;";
    let machine = Machine::new(&kernel(body), 1);
    let done = machine.launch(&Setup::new(4, 1).clusters_of(2).listening());
    for event in done.emitted(&["Access"]) {
        let block =
            (0..4).find(|block| event.contains(&format!("block: BlockIndex({block})"))).unwrap();
        assert_emitted(
            event,
            &[&format!("owner: BlockIndex({})", block ^ 1), "Uniform(4)", "space: Shared"],
        );
    }
    assert_eq!(done.emitted(&["Access"]).len(), 4);
}

#[test]
fn fences_are_emitted_with_order_and_scope() {
    let text = module(
        "",
        "membar.gl;\nfence.acq_rel.cta;\nfence.sc.sys;\nfence.proxy.async.shared::cta;\nret;",
    );
    let done = Machine::new(&text, 1).launch(&Setup::new(1, 32).listening());
    let emitted = done.emitted(&["Fence", "ProxyFence"]);
    assert_eq!(emitted.len(), 4, "{emitted:?}");
    assert_emitted(emitted[0], &["Fence", "scope: Gpu"]);
    assert_emitted(emitted[1], &["order: AcqRel", "scope: Cta"]);
    assert_emitted(emitted[2], &["scope: Sys"]);
    assert_emitted(emitted[3], &["ProxyFence", "proxy: AsyncShared"]);
}
