//! CURD's sets on the emulated device: what they say of programs that only have barriers.

use warpsan_instrument::{DevicePlan, InstructionRefusal, Refusal, SetScheme};
use warpsan_ptx::Document;
use warpsan_suite::{Program, read_programs};
use warpsan_testkit::instrumented::{Choices, Parsed, found_in};
use warpsan_toolchain::{KernelOptions, Search, Toolchain};

use crate::{compilers, root};

/// The benches whose kernels have barriers alone.
const BENCHES: [&str; 8] =
    ["matmul", "nbody", "reduction", "scan", "spmv", "stencil", "transpose", "vector_add"];

/// Sets do not depend on who comes first, so that every schedule has the same races.
const SEEDS: [u64; 2] = [1, 2];

/// Whether a kernel has more than the barriers that CURD's sets know.
fn is_beyond_sets(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(Refusal::Instruction { reason: InstructionRefusal::BeyondSets(_), .. })
    )
}

/// What is wrong with the races of a program; nothing if sets do not know something that it has.
fn problems(program: &Program, toolchain: &Toolchain) -> Option<Vec<String>> {
    let mut problems = Vec::new();
    for seed in SEEDS {
        let all = match found_in(
            program,
            toolchain,
            &Choices::of(program, DevicePlan::Sets(SetScheme::Lazy)),
            seed,
        ) {
            Ok(all) => all,
            Err(error) if is_beyond_sets(&error) => return None,
            Err(error) => return Some(vec![format!("{error:#}")]),
        };
        for found in &all {
            if !program.expectations.iter().any(|expected| found.is(expected)) {
                problems.push(format!("seed {seed}: {found:?} is not expected"));
            }
        }
        for expected in &program.expectations {
            if !all.iter().any(|found| found.is(expected)) {
                problems.push(format!("seed {seed}: missed {expected:?}"));
            }
        }
    }
    Some(problems)
}

#[test]
fn sets_find_the_races_of_programs_with_barriers_alone() {
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let programs = read_programs(&root().join("suites/bugs"), "curd").expect("the suite");
    let (mut wrong, mut right) = (Vec::new(), 0);
    for program in &programs {
        let Some(problems) = problems(program, &toolchain) else { continue };
        right += usize::from(problems.is_empty());
        wrong.extend(problems.iter().map(|problem| format!("{}: {problem}", program.name)));
    }
    assert!(wrong.is_empty(), "{} are wrong, {right} right:\n{}", wrong.len(), wrong.join("\n"));
    assert!(right > 40, "{right} programs");
}

#[test]
fn the_assembler_takes_benches_with_sets() {
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let compilers = compilers(&root());
    for name in BENCHES {
        let source = root().join("suites/gpu/bench").join(format!("{name}.cu"));
        let compiled = toolchain.compile_kernels(&source, &KernelOptions::default());
        let document = Document::parse(compiled.expect("a bench that compiles").ptx);
        let parsed = Parsed::of(&document);
        for kernel in parsed.kernels() {
            let made = parsed.instrument(kernel, "sm_90", DevicePlan::Sets(SetScheme::Lazy));
            let made = made.unwrap_or_else(|why| panic!("{name} {}: {why}", kernel.name));
            assert!(made.cost.checked > 0, "{name} {}", kernel.name);
            if let Err(error) = compilers.time_for(&made.text, "sm_90", false) {
                panic!("{name} {}: {error:?}", kernel.name);
            }
        }
    }
}
