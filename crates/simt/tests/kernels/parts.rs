//! Large grids of blocks that cannot notice each other are run in parts, on several cores.

use crate::support::{Machine, Setup, kernel};
use std::sync::atomic::{AtomicU32, Ordering};
use warpsan_simt::LaunchError;

/// Enough work in each block for a grid of hundreds to be divided. `%r9` is the block.
fn busy(then: &str) -> String {
    let spin = "mov.u32 %r3, 0;\n$spin:\nadd.s32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 8000;\n@%p1 bra $spin;\n";
    kernel(&format!("{spin}{then}\nret;"))
}

#[test]
fn the_number_of_cores_changes_nothing() {
    // Racy on purpose: all threads of all blocks write to a few words, and read them back.
    let text = busy(
        "and.b32 %r4, %r9, 7;\nmul.wide.u32 %rd5, %r4, 4;\nadd.s64 %rd6, %rd1, %rd5;\n\
         ld.global.u32 %r5, [%rd6];\nadd.s32 %r5, %r5, %r9;\nst.global.u32 [%rd6], %r5;",
    );
    let mut seen = Vec::new();
    for jobs in [1, 2, 5] {
        let machine = Machine::new(&text, 8);
        let done = machine.launch(&Setup { jobs, ..Setup::new(300, 32).listening() });
        done.result.unwrap();
        seen.push((done.memory, done.events, done.stats));
    }
    assert!(seen[0] == seen[1] && seen[0] == seen[2]);
    assert!(seen[0].1.len() > 600, "all accesses are emitted");
}

#[test]
fn updates_of_all_parts_count() {
    for update in ["red.global.add.u32 [%rd1], 1;", "atom.global.add.u32 %r4, [%rd1], 1;"] {
        let text = busy(update);
        for jobs in [1, 2] {
            let machine = Machine::new(&text, 1);
            let done = machine.launch(&Setup { jobs, ..Setup::new(300, 32) });
            assert_eq!(done.well(), [300 * 32], "{update}");
        }
    }
}

#[test]
fn a_fault_is_the_same_on_any_number_of_cores() {
    // Block 100 goes wrong at once, block 90 later; blocks behind them never end.
    let text = kernel(
        "setp.eq.u32 %p1, %r9, 100;\n@%p1 trap;\nmov.u32 %r3, 0;\n$spin:\nadd.s32 %r3, %r3, 1;\n\
         st.global.u32 [%rd1], %r3;\nsetp.gt.u32 %p2, %r9, 100;\n@%p2 bra $spin;\n\
         setp.lt.u32 %p2, %r3, 8000;\n@%p2 bra $spin;\n\
         setp.eq.u32 %p1, %r9, 90;\n@%p1 trap;\nret;",
    );
    let mut seen = Vec::new();
    for jobs in [1, 3] {
        let machine = Machine::new(&text, 8);
        let setup = Setup { jobs, max_instructions: 1 << 40, ..Setup::new(300, 32).listening() };
        let done = machine.launch(&setup);
        let Err(LaunchError::Fault(fault)) = done.result else { panic!("{:?}", done.result) };
        seen.push((fault, done.memory, done.events));
    }
    assert_eq!(seen[0].0.block.0, 90);
    assert!(seen[0] == seen[1]);
}

#[test]
fn what_two_parts_write_to_one_place_is_one_of_the_two() {
    // The numbers differ in two bytes; the neighbouring byte belongs to a third block.
    let text = busy(
        "setp.eq.u32 %p1, %r9, 255;\nsetp.eq.u32 %p2, %r9, 256;\nor.pred %p1, %p1, %p2;\n\
         @%p1 st.global.u32 [%rd1], %r9;\nsetp.eq.u32 %p1, %r9, 20;\nmov.u32 %r4, 77;\n\
         @%p1 st.global.u8 [%rd1+4], %r4;\nsetp.eq.u32 %p1, %r9, 250;\n@%p1 st.global.u8 [%rd1+5], %r4;",
    );
    for jobs in [1, 2] {
        let machine = Machine::new(&text, 2);
        let done = machine.launch(&Setup { jobs, ..Setup::new(300, 32) });
        assert_eq!(done.well(), [256, 77 | 77 << 8], "the later block's number, and both bytes");
    }
}

#[test]
fn who_watches_is_asked_however_short_the_parts_are() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let text = busy("");
    let machine = Machine::new(&text, 1);
    let setup =
        Setup { watch: |_| ASKED.fetch_add(1, Ordering::Relaxed) < 3, ..Setup::new(3000, 32) };
    assert_eq!(machine.launch(&setup).result, Err(LaunchError::Stopped));
    assert!(ASKED.load(Ordering::Relaxed) >= 3);
}

#[test]
fn the_budget_counts_all_parts() {
    let machine = Machine::new(&busy(""), 1);
    let setup = Setup { max_instructions: 1 << 20, ..Setup::new(1000, 32) };
    let result = machine.launch(&setup).result;
    assert_eq!(result, Err(LaunchError::OutOfBudget { limit: 1 << 20 }));
}
