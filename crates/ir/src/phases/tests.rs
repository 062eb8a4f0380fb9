use super::*;
use crate::{MemorySpace, ModuleIndex, function};
use warpsan_ptx::Document;

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.shared .b32 tile[64];\n\
    .entry k(.param .b64 p, .param .b32 n)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<8>;\n.reg .pred %p<6>;\n\
    ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\n";

/// The phases of a kernel, and its accesses of shared memory in order.
fn phases(code: &str) -> (Option<Phases>, Vec<usize>) {
    let document = Document::parse(format!("{HEAD}{code}\nret;\n}}\n"));
    assert_eq!(document.errors(), [], "{code}");
    let kernel = function(&ModuleIndex::of(&document), "k").expect("a function");
    let accesses = kernel.code.iter().enumerate().filter_map(|(at, one)| match one.op {
        Op::Load { space: MemorySpace::Shared, .. }
        | Op::Store { space: MemorySpace::Shared, .. } => Some(at),
        _ => None,
    });
    (Phases::of(&kernel), accesses.collect())
}

/// Which pairs of accesses of shared memory share a phase.
fn sharing(code: &str) -> Option<Vec<(usize, usize)>> {
    let (phases, accesses) = phases(code);
    let phases = phases?;
    let mut pairs = Vec::new();
    for (number, one) in accesses.iter().enumerate() {
        for (other_number, other) in accesses.iter().enumerate().skip(number) {
            if phases.share(*one, *other) {
                pairs.push((number, other_number));
            }
        }
    }
    Some(pairs)
}

#[test]
fn a_tiled_product_stores_and_loads_in_phases_of_their_own() {
    let code = "mov.u32 %r4, 0;\nLOOP:\nst.shared.u32 [tile], %r2;\nbar.sync 0;\n\
        ld.shared.u32 %r5, [tile];\nbar.sync 0;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r1;\n@%p1 bra LOOP;";
    assert_eq!(sharing(code), Some(vec![(0, 0), (1, 1)]));
    // Without the second barrier, the next turn's store is in the phase of the load.
    let code =
        code.replacen("ld.shared.u32 %r5, [tile];\nbar.sync 0;", "ld.shared.u32 %r5, [tile];", 1);
    assert_eq!(sharing(&code), Some(vec![(0, 0), (0, 1), (1, 1)]));
}

#[test]
fn branches_that_some_take_have_no_barrier_in_them() {
    let inside = "setp.lt.u32 %p1, %r2, 32;\n@!%p1 bra END;\nst.shared.u32 [tile], %r2;\nbar.sync 0;\nEND:\n\
        st.global.u32 [%rd1], %r2;";
    assert_eq!(sharing(inside), None, "some come to it");
    let behind = "setp.lt.u32 %p1, %r2, 32;\n@!%p1 bra END;\nst.shared.u32 [tile], %r2;\nEND:\nbar.sync 0;\n\
        ld.shared.u32 %r5, [tile];";
    assert_eq!(sharing(behind), Some(vec![(0, 0), (1, 1)]));
    let together = "setp.lt.u32 %p1, %r3, %r1;\n@!%p1 bra END;\nst.shared.u32 [tile], %r2;\nbar.sync 0;\nEND:\n\
        ld.shared.u32 %r5, [tile];";
    assert_eq!(sharing(together), Some(vec![(0, 0), (0, 1), (1, 1)]), "by way of the entry");
}

#[test]
fn loops_whose_turns_differ_have_no_barrier_in_them() {
    let turns = |bound: &str| {
        format!(
            "mov.u32 %r4, 0;\nLOOP:\nst.shared.u32 [tile], %r2;\nbar.sync 0;\nadd.u32 %r4, %r4, 1;\n\
             setp.lt.u32 %p1, %r4, {bound};\n@%p1 bra LOOP;\n\
             st.global.u32 [%rd1], %r4;"
        )
    };
    assert!(sharing(&turns("%r1")).is_some() && sharing(&turns("%r3")).is_some());
    assert_eq!(sharing(&turns("%r2")), None);
}

#[test]
fn turns_may_be_counted_by_what_all_have_loaded_from_one_address() {
    let turns = |load: &str| {
        format!(
            "mov.u32 %r4, 0;\n{load}\nLOOP:\nst.shared.u32 [tile], %r2;\nbar.sync 0;\nadd.u32 %r4, %r4, 1;\n\
             setp.lt.u32 %p1, %r4, %r6;\n@%p1 bra LOOP;\nst.global.u32 [%rd1], %r4;"
        )
    };
    for load in ["ld.global.u32 %r6, [%rd1+4];", "ld.shared.u32 %r6, [tile+4];"] {
        assert!(sharing(&turns(load)).is_some(), "{load}");
    }
    let own = "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r6, [%rd3];";
    for load in ["ld.volatile.global.u32 %r6, [%rd1+4];", "ld.u32 %r6, [%rd1+4];", own] {
        assert_eq!(sharing(&turns(load)), None, "{load}");
    }
    let by_all = "mov.u32 %r4, 0;\nLOOP:\nst.shared.u32 [tile], %r2;\nsetp.lt.u32 %p2, %r4, %r2;\n\
                  bar.red.or.pred %p1, 0, %p2;\nadd.u32 %r4, %r4, 1;\n@%p1 bra LOOP;\nst.global.u32 [%rd1], %r4;";
    assert!(sharing(by_all).is_some(), "all threads get what all of them have brought");
}

#[test]
fn threads_that_leave_are_not_ordered_by_later_barriers() {
    let code = "st.shared.u32 [tile], %r2;\nsetp.lt.u32 %p1, %r2, 32;\n@%p1 ret;\nbar.sync 0;\nld.shared.u32 %r5, [tile];";
    assert_eq!(sharing(code), Some(vec![(0, 0), (0, 1), (1, 1)]));
    let code = "setp.lt.u32 %p1, %r2, 32;\n@%p1 ret;\nst.shared.u32 [tile], %r2;\nbar.sync 0;\nld.shared.u32 %r5, [tile];";
    assert_eq!(sharing(code), Some(vec![(0, 0), (1, 1)]), "they have done nothing");
    let code = "st.shared.u32 [tile], %r2;\nsetp.lt.u32 %p1, %r3, 32;\n@%p1 ret;\nbar.sync 0;\nld.shared.u32 %r5, [tile];";
    assert_eq!(sharing(code), Some(vec![(0, 0), (1, 1)]), "all of a block leave, or none");
}

#[test]
fn a_branch_to_the_end_leaves_as_well() {
    let rest = "st.shared.u32 [tile], %r2;\nbar.sync 0;\nld.shared.u32 %r5, [tile];\nEND:";
    let code = format!("setp.lt.u32 %p1, %r2, 32;\n@%p1 bra END;\n{rest}");
    assert_eq!(sharing(&code), Some(vec![(0, 0), (1, 1)]), "they have done nothing");
    let code =
        format!("st.shared.u32 [tile], %r2;\nsetp.lt.u32 %p1, %r2, 32;\n@%p1 bra END;\n{rest}");
    let all = vec![(0, 0), (0, 1), (0, 2), (1, 1), (2, 2)];
    assert_eq!(sharing(&code), Some(all), "what they have done is not ordered");
    let code = "st.shared.u32 [tile], %r2;\nbar.sync 0;\nld.shared.u32 %r5, [tile];\nsetp.lt.u32 %p1, %r2, 32;\n\
                @%p1 bra END;\nst.global.u32 [%rd1], %r5;\nEND:";
    let (phases, accesses) = phases(code);
    let phases = phases.expect("phases");
    assert!(!accesses.iter().any(|at| phases.may_end_behind(*at)), "no barrier comes any more");
    let turns = "mov.u32 %r4, 0;\nLOOP:\nst.shared.u32 [tile], %r2;\nbar.sync 0;\nadd.u32 %r4, %r4, 1;\n\
                 setp.lt.u32 %p1, %r4, %r2;\n@%p1 bra LOOP;";
    assert_eq!(sharing(turns), Some(vec![(0, 0)]), "who ends does nothing in later turns");
}

#[test]
fn barriers_of_some_threads_leave_no_phases() {
    for code in [
        "bar.sync 0, 64;",
        "bar.arrive 0, 64;",
        "bar.sync 0;\nbar.sync 1;",
        "bar.sync %r2;",
        "setp.lt.u32 %p1, %r2, 32;\n@%p1 bar.sync 0;",
    ] {
        assert!(phases(code).0.is_none(), "{code}");
    }
    assert!(phases("bar.sync 1;\nbar.sync 1;").0.is_some(), "one number, all threads");
    assert_eq!(
        sharing("st.shared.u32 [tile], %r2;\nld.shared.u32 %r5, [tile];"),
        Some(vec![(0, 0), (0, 1), (1, 1)])
    );
}
