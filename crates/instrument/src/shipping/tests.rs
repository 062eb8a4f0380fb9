//! What is shipped of each instruction, in which order with it, and what cannot be.

use crate::testing::{instrumented_with, lines_with, module};
use crate::{Access, DevicePlan, Instrumented, MetadataPlan, Refusal, Shape, Shipping};

fn shipped(body: &str) -> Instrumented {
    instrumented_with(&module(body), DevicePlan::Ship(Shipping::Everything))
        .unwrap_or_else(|why| panic!("{body}: {why}"))
}

fn refusal(body: &str) -> Refusal {
    instrumented_with(&module(body), DevicePlan::Ship(Shipping::Everything))
        .expect_err("that is not shipped")
}

/// Where a text has something, counted in letters.
fn place(made: &Instrumented, text: &str) -> usize {
    made.text.find(text).unwrap_or_else(|| panic!("no `{text}` in {}", made.text))
}

#[test]
fn everything_that_is_shipped_has_its_template() {
    let source = concat!(
        include_str!("../shipping.rs"),
        include_str!("accesses.rs"),
        include_str!("objects.rs"),
        include_str!("copies.rs")
    );
    let mut names = 0;
    for word in source.split('"').filter(|word| word.starts_with("ws_")) {
        let plan = match word {
            word if word.starts_with("ws_ordered_general") => {
                DevicePlan::Metadata(MetadataPlan::general(Shape::default()).ordered())
            }
            word if word.starts_with("ws_ordered") => {
                DevicePlan::Metadata(MetadataPlan::USUAL.ordered())
            }
            _ => DevicePlan::Ship(Shipping::Everything),
        };
        let spaces: &[&str] = match word.contains("{name}") {
            true => &["global", "generic", "shared", "cluster", "generic_in_cluster"],
            false => &[""],
        };
        for space in spaces {
            let name = word.replace("{name}", space);
            assert!(plan.template(&name).is_some(), "{name}");
            names += 1;
        }
    }
    assert!(names > 10, "{names}");
}

#[test]
fn a_block_ships_once_what_it_loads_where_that_is_enough() {
    const LOAD: &str = "ld.global.u32 %r1, [%rd1];";
    const STORE: &str = "st.global.u32 [%rd1], %r2;";
    const FENCE: &str = "fence.acq_rel.gpu;";
    let pruned = |body: &[&str], plan| {
        let made = instrumented_with(&module(&body.join("\n")), plan).expect("it can be shipped");
        let loads = body.iter().filter(|line| line.starts_with("ld.")).count();
        let found = made.text.matches("\tld.global.u32 %r1, [%rd1];\n").count();
        assert_eq!(found, loads, "every load is made: {}", made.text);
        made.cost.pruned
    };
    let twice = [LOAD, LOAD];
    assert_eq!(pruned(&twice, DevicePlan::Ship(Shipping::Once)), 1);
    assert_eq!(
        pruned(&twice, DevicePlan::Ship(Shipping::Everything)),
        0,
        "everything is shipped to other detectors"
    );
    let cases: [(&[&str], u32); 8] = [
        (&[STORE, LOAD], 1),
        (&[LOAD, STORE], 0),
        (&[STORE, STORE], 0),
        (&[LOAD, "mov.u64 %rd1, %rd2;", LOAD], 0),
        (&[LOAD, FENCE, LOAD], 0),
        (&[LOAD, "bar.sync 0;", LOAD], 0),
        (&[LOAD, LOAD, FENCE], 0),
        (&[LOAD, "$next:", LOAD], 0),
    ];
    for (body, expected) in cases {
        assert_eq!(pruned(body, DevicePlan::Ship(Shipping::Once)), expected, "{body:?}");
    }
    let made = instrumented_with(&module(&twice.join("\n")), DevicePlan::Ship(Shipping::Once))
        .expect("it can");
    assert_eq!((made.cost.instructions, made.cost.instrumented), (5, 2), "a load and the end");
}

#[test]
fn weak_accesses_are_shipped_before_they_are_made() {
    let made = shipped("st.global.u32 [%rd1+4], %r1;\nld.shared.u32 %r2, [tile+8];");
    let address = place(&made, "add.s64 %ws_address, %rd1, 4;");
    let store = place(&made, "\tst.global.u32 [%rd1+4], %r1;\n");
    assert!(address < store && store < place(&made, "mov.b64 %ws_address, tile;"));
    assert_eq!(made.cost.checked, 2, "shared memory, too");
    assert_eq!(made.accesses[0].access, Access::Store);
    // The end of the kernel is shipped as well.
    assert_eq!(made.sites.sites.len(), 3);
    assert_eq!(&*made.sites.sites[2].instruction, "ret");
}

#[test]
fn strong_accesses_are_made_while_they_are_shipped() {
    let made = shipped("atom.global.add.u32 %r2, [%rd1], 1;");
    assert_eq!(lines_with(&made.text, &["atom.global.add.u32"]).len(), 1);
    // The braces of the check are still open behind it.
    let behind = &made.text[place(&made, "atom.global.add.u32")..];
    let (open, close) = (behind.matches('{').count(), behind.matches('}').count());
    assert!(close > open + 1, "{behind}");
}

#[test]
fn whether_an_exchange_wrote_is_seen_by_what_it_found() {
    let made = shipped("atom.global.cas.b32 %r2, [%rd1], %r3, %r4;");
    let lines = lines_with(&made.text, &["%ws_compared"]);
    let wanted = [
        ".reg .b32 %ws_compared;",
        "mov.b32 %ws_compared, %r3;",
        "setp.eq.b32 %ws_wrote, %ws_compared, %r2;",
    ];
    assert_eq!(lines, wanted);
}

#[test]
fn a_speculated_load_is_shipped_where_it_counts_and_made_anyway() {
    let body = "setp.eq.s32 %p1, %r1, 0;\nld.global.u32 %r2, [first];\nselp.b32 %r3, %r2, 7, %p1;\n\
                st.global.u32 [%rd1], %r3;";
    let load = "\tld.global.u32 %r2, [%ws_variable];\n";
    let made = shipped(body);
    assert_eq!((made.cost.speculated, made.text.matches(load).count()), (1, 1));
    assert!(place(&made, "$ws_unshipped_") < place(&made, load), "it is not skipped");
    let ordered =
        instrumented_with(&module(body), DevicePlan::Metadata(MetadataPlan::USUAL.ordered()))
            .expect("it can be shipped");
    let is_label = |line: &&str| line.starts_with("$ws_unshipped_");
    let mut lines = ordered.text.lines().skip_while(|line| !is_label(line));
    assert!(lines.next().is_some(), "{}", ordered.text);
    assert_eq!(lines.next().map(str::trim), Some(load.trim()), "alone, where it does not count");
}

#[test]
fn barriers_are_shipped_before_they_wait() {
    let made = shipped("barrier.sync 3, 32;\nbar.arrive 2, 64;\nbar.warp.sync %r2;");
    let numbers = lines_with(&made.text, &["or.b32 %ws_a, "]);
    let arrives = format!("or.b32 %ws_a, 2, {};", crate::record::ARRIVES_ONLY);
    assert_eq!(numbers, ["or.b32 %ws_a, 3, 0;", arrives.as_str()]);
    assert!(place(&made, "or.b32 %ws_a, 3") < place(&made, "barrier.sync 3, 32;"));
}

#[test]
fn what_cannot_be_shipped_is_refused() {
    let why = refusal("st.bulk.weak.shared::cta [%rd1], %rd2, 0;").to_string();
    assert!(why.contains("an asynchronous bulk operation"), "{why}");
    let bulk = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 16, [tile+16];";
    assert_eq!(shipped(bulk).sites.sites.len(), 2, "the copy and the end of the kernel");
    let why = instrumented_with(&module(bulk), DevicePlan::Metadata(MetadataPlan::USUAL.ordered()))
        .expect_err("no copies in bulk")
        .to_string();
    assert!(why.contains("an asynchronous bulk operation"), "{why}");
}

#[test]
fn each_lane_that_names_a_row_of_a_matrix_ships_it() {
    for (instruction, rows) in [
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%rd1];", 8),
        ("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r2, %r3, %r4, %r5}, [%rd1];", 32),
        ("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%rd1], {%r2, %r3};", 16),
    ] {
        let wanted = format!("setp.lt.u32 %ws_counts, %ws_a, {rows};");
        assert_eq!(lines_with(&shipped(instruction).text, &[&wanted]), [wanted], "{instruction}");
    }
}

#[test]
fn what_a_store_writes_is_shipped_with_it() {
    let made = shipped("st.global.v2.u32 [%rd1], {%r2, 7};\nst.shared.u8 [tile], %r3;");
    let lines = lines_with(&made.text, &["%ws_value_"]);
    let wanted = [
        "cvt.u64.u32 %ws_value_0, %ws_a;",
        "and.b64 %ws_value_0, %ws_value_0, 4294967295;",
        "mov.b64 %ws_value_1, 7;",
        "and.b64 %ws_value_1, %ws_value_1, 4294967295;",
    ];
    let of_store: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| !line.contains("%ws_rd") && !line.starts_with(".reg"))
        .collect();
    assert_eq!(of_store[..4], wanted);
    assert!(of_store.contains(&"and.b64 %ws_value_0, %ws_value_0, 255;"), "{of_store:?}");
}

#[test]
fn a_phase_is_asked_for_again_under_the_lock_without_sleeping() {
    let made = shipped("mbarrier.try_wait.parity.shared::cta.b64 %p1, [tile], %r2, 100;");
    let plain = place(&made, "mbarrier.try_wait.parity.shared::cta.b64 %p1, [tile], %r2, 100;");
    let again = place(&made, "mbarrier.test_wait.parity.shared::cta.b64 %p1, [tile], %r2;");
    assert!(plain < again);
    let why =
        refusal("@!%p1 mbarrier.try_wait.parity.shared::cta.b64 %p1, [tile], %r2;").to_string();
    assert!(why.contains("whose guard is its result"), "{why}");
}

#[test]
fn only_kernels_that_use_clusters_ask_for_ranks() {
    let generic = "st.u32 [%rd1], %r1;";
    assert!(!shipped(generic).text.contains("getctarank"));
    let made = shipped(&format!("barrier.cluster.arrive;\nbarrier.cluster.wait;\n{generic}"));
    assert!(made.text.contains("getctarank"), "{}", made.text);
}

#[test]
fn an_address_of_32_bits_is_one_whatever_its_register_is_called() {
    let made = shipped("{ .reg .b32 remote; mov.b32 remote, %r1; st.shared.u32 [remote+4], %r2; }");
    let wanted = "\tcvt.u64.u32 %ws_address, remote;\n\tadd.s64 %ws_address, %ws_address, 4;\n";
    assert!(made.text.contains(wanted), "{}", made.text);
}

#[test]
fn threads_that_come_to_the_end_of_a_kernel_are_shipped_as_leaving() {
    let shipped_sites = |body: &str, plan| {
        let text = module(body);
        let (head, rest) = text.rsplit_once("ret;").expect("the kernel's return");
        let made = instrumented_with(&format!("{head}{rest}"), plan).expect("it can be shipped");
        made.sites.sites.len()
    };
    for plan in [
        DevicePlan::Ship(Shipping::Everything),
        DevicePlan::Metadata(MetadataPlan::USUAL.ordered()),
    ] {
        assert_eq!(shipped_sites("st.global.u32 [%rd1], %r1;", plan), 2, "the store and the end");
        assert_eq!(shipped_sites("@%p1 bra $end;\nexit;\n$end:", plan), 2, "two ways to leave");
        assert_eq!(shipped_sites("@%p1 exit;", plan), 2, "those that stay leave, too");
        assert_eq!(shipped_sites("exit;\n$nobody_comes_here:", plan), 1);
        assert_eq!(shipped_sites("$again:\nbra $again;", plan), 0);
    }
}
