//! Kernels of the suites with their checks: a part of what `cargo xtask instrument-corpus` does with all of them.

mod curd;
mod emulated;
mod entries;
mod functions;
mod ld;
mod shipped;

use std::path::{Path, PathBuf};

use warpsan_instrument::{
    DevicePlan, InstructionRefusal, MetadataPlan, Refusal, Shape, Shipping, linked_functions,
};
use warpsan_testkit::corpus::{Compilers, Store};
use warpsan_testkit::instrumented::{Parsed, Text, Verdict, texts};
use warpsan_toolchain::Search;

/// What is instrumented here, and how many of its kernels have to get their checks.
const SAMPLE: [(&str, usize); 16] = [
    // Functions that call each other and themselves, with parameters and results in memory.
    ("ptx/calls_and_recursion sm_90 O3", 1),
    ("ptx/calls_and_recursion sm_90 G", 1),
    // Variables of the module, constants, and code that the compiler did not simplify: with calls through pointers in
    // it, which are refused.
    ("ptx/global_variables sm_90 G", 0),
    ("ptx/launch_attributes sm_90 O3", 1),
    // Locks, scopes and orders of atomics.
    ("ptx/atomics_integer sm_90 O3", 1),
    ("ptx/memory_order_instructions sm_90 O3", 1),
    ("ptx/cuda_barrier_latch_semaphore sm_90 O3", 1),
    // Asynchronous copies, with fewer bytes than they have room for and with a source that may be ignored.
    ("ptx/cp_async_and_awbarrier sm_90 O3", 3),
    ("ptx/mbarrier_instructions sm_90 O3", 1),
    ("ptx/thread_block_clusters sm_90 O3", 1),
    ("ptx/shared_memory sm_90 G", 1),
    ("ptx/inline_assembly_formats sm_90 O3", 1),
    // Units that were linked.
    ("rdc/recursion_across_units sm_90 rdc", 1),
    ("rdc/extern_variables sm_90 rdc", 1),
    // Loads that are checked under a condition.
    ("speculation/short_circuit_and sm_90 O3", 1),
    ("speculation/loop_select sm_90 O3", 1),
];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn compilers(root: &Path) -> Compilers {
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let store = Store::new(root.join("target/corpus"));
    Compilers::new(toolchain, None, store, &root.join("suites/ptx")).expect("compilers")
}

/// What became of the kernels of a text.
fn verdicts(text: &Text, compilers: &Compilers) -> Vec<(String, Verdict)> {
    verdicts_with(DevicePlan::Metadata(MetadataPlan::USUAL), text, compilers)
}

fn verdicts_with(plan: DevicePlan, text: &Text, compilers: &Compilers) -> Vec<(String, Verdict)> {
    let document = text.document(compilers).unwrap_or_else(|error| panic!("{text}: {error:#}"));
    let parsed = Parsed::of(&document);
    let kernels = parsed.kernels().into_iter();
    let checked =
        kernels.map(|kernel| (kernel.name.to_owned(), parsed.check(kernel, text, plan, compilers)));
    checked.collect()
}

fn the_text<'t>(all: &'t [Text], name: &str) -> &'t Text {
    all.iter().find(|text| text.to_string() == name).unwrap_or_else(|| panic!("no text {name}"))
}

#[test]
fn the_assembler_takes_what_instrumentation_makes() {
    let root = root();
    let (all, compilers) = (texts(&root).expect("the suites"), compilers(&root));
    let plans = [
        DevicePlan::Metadata(MetadataPlan::USUAL),
        DevicePlan::Metadata(MetadataPlan::general(Shape::default())),
    ];
    for ((name, wanted), plan) in
        SAMPLE.into_iter().flat_map(|sample| plans.map(|plan| (sample, plan)))
    {
        let verdicts = verdicts_with(plan, the_text(&all, name), &compilers);
        for (kernel, verdict) in &verdicts {
            assert!(!matches!(verdict, Verdict::Wrong(_)), "{name} {kernel}: {verdict:?}");
        }
        let checked = |verdict: &Verdict| matches!(verdict, Verdict::Instrumented(made) if made.cost.checked > 0);
        let instrumented = verdicts.iter().filter(|(_, verdict)| checked(verdict)).count();
        assert!(instrumented >= wanted, "{name}: {instrumented} of {wanted}, {verdicts:?}");
    }
}

#[test]
fn the_assembler_takes_kernels_and_the_functions_that_they_are_linked_with() {
    let root = root();
    let (all, compilers) = (texts(&root).expect("the suites"), compilers(&root));
    let ship = DevicePlan::Ship(Shipping::Everything);
    for (plan, name, wanted) in [
        (ship, "ptx/calls_and_recursion sm_90 O3", 1),
        (ship, "ptx/memory_order_instructions sm_90 O3", 1),
        (ship, "ptx/cp_async_and_awbarrier sm_90 O3", 3),
        (ship, "ptx/thread_block_clusters sm_90 O3", 1),
        (DevicePlan::HappensBefore, "ptx/calls_and_recursion sm_90 O3", 1),
        (DevicePlan::HappensBefore, "ptx/shared_memory sm_90 G", 1),
        (DevicePlan::HappensBeforeInSlots, "ptx/shared_memory sm_90 O3", 1),
        (DevicePlan::HappensBeforeInSlots, "programs/real_gemm_cp_async sm_90 O3", 1),
        (DevicePlan::HappensBefore, "ptx/cp_async_and_awbarrier sm_90 O3", 1),
        (DevicePlan::HappensBefore, "ptx/mma_instructions sm_90 O3", 1),
        (DevicePlan::HappensBefore, "ptx/thrust_sort sm_90 O3", 10),
        (DevicePlan::HappensBefore, "programs/real_gemm_cp_async sm_90 O3", 1),
    ] {
        let verdicts = verdicts_with(plan, the_text(&all, name), &compilers);
        for (kernel, verdict) in &verdicts {
            assert!(!matches!(verdict, Verdict::Wrong(_)), "{name} {kernel}: {verdict:?}");
        }
        let made = |verdict: &Verdict| matches!(verdict, Verdict::Instrumented(_));
        let instrumented = verdicts.iter().filter(|(_, verdict)| made(verdict)).count();
        assert!(instrumented >= wanted, "{name}: {instrumented} of {wanted}, {verdicts:?}");
    }
    // Asynchronous copies are of `sm_80` and later.
    let pieces = [
        (DevicePlan::HappensBefore, 0, "sm_75"),
        (DevicePlan::HappensBefore, 0, "sm_100a"),
        (ship, 0, "sm_75"),
        (ship, 0, "sm_120"),
        (ship, 1, "sm_80"),
        (ship, 1, "sm_103a"),
    ];
    for (plan, piece, target) in pieces {
        let text = linked_functions(plan, piece, target).expect("a device library");
        assert!(text.contains(".visible .func"), "{plan:?} {piece}");
        let assembled = compilers.time_for(&text, target, true);
        assert!(assembled.is_ok(), "{plan:?} {piece} {target}: {assembled:?}");
    }
}

#[test]
fn a_speculated_load_is_checked_under_its_condition() {
    let root = root();
    let (all, compilers) = (texts(&root).expect("the suites"), compilers(&root));
    for name in ["short_circuit_and", "flag_bit", "device_scalar"] {
        let text = the_text(&all, &format!("speculation/{name} sm_90 O3"));
        let speculated: u32 = verdicts(text, &compilers)
            .iter()
            .map(|(kernel, verdict)| match verdict {
                Verdict::Instrumented(made) => made.cost.speculated,
                other => panic!("{text} {kernel}: {other:?}"),
            })
            .sum();
        assert!(speculated > 0, "{text}");
    }
}

/// Whether a kernel was refused for an instruction of this kind.
fn is_instruction(why: &Refusal, wanted: &InstructionRefusal) -> bool {
    matches!(why, Refusal::Instruction { reason, .. } if reason == wanted)
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let root = root();
    let (all, compilers) = (texts(&root).expect("the suites"), compilers(&root));
    type IsReason = fn(&Refusal) -> bool;
    let refused: [(&str, &str, IsReason); 4] = [
        ("ptx/wmma_api sm_90 O3", "halves", |why| {
            is_instruction(why, &InstructionRefusal::GlobalMatrix)
        }),
        ("ptx/bulk_copies sm_90 O3", "copy_in_and_out", |why| {
            is_instruction(why, &InstructionRefusal::BulkOperation)
        }),
        ("ptx/indirect_calls sm_90 O3", "virtual_calls", |why| *why == Refusal::CallThroughPointer),
        ("ptx/indirect_calls sm_90 O3", "fill", |why| matches!(why, Refusal::AddressOfFunction(_))),
    ];
    for (name, kernel, is_reason) in refused {
        let verdicts = verdicts(the_text(&all, name), &compilers);
        let (_, verdict) = verdicts
            .iter()
            .find(|(found, _)| found.contains(kernel))
            .unwrap_or_else(|| panic!("{name} has no {kernel}"));
        let Verdict::Refused(why) = verdict else { panic!("{name} {kernel}: {verdict:?}") };
        assert!(is_reason(why), "{name} {kernel}: {why}");
    }
}
