//! hb's entries over the programs of the suites: every race that a program expects is reported, with its kind, and nothing else.

use warpsan_instrument::{DevicePlan, Refusal};
use warpsan_suite::{Answer, Program, judge, read_programs};
use warpsan_testkit::instrumented::{NotEmulated, UnknownFlag, answer_with_entries};
use warpsan_testkit::shipping::leniently;
use warpsan_toolchain::{Search, Toolchain};

use crate::root;

/// Which threads are first is up to the schedule. Where entries of shared memory are, is no matter.
const RUNS: [(u64, DevicePlan); 3] = [
    (1, DevicePlan::HappensBefore),
    (2, DevicePlan::HappensBefore),
    (3, DevicePlan::HappensBeforeInSlots),
];
/// Programs whose pairs of lines are reported as another kind, as docs/gpu.md says: values of two instructions are not compared, and of two lanes that were together at
/// the first access nothing is known at the second.
const OF_ANOTHER_KIND: [&str; 3] = [
    "matrix/same_value_on_two_paths.cu",
    "branch_two_paths_write_the_same_value.cu",
    "iguard_figure_2_reduction.cu",
];

/// Whether a program has a flag or a launch that is not for the emulated device, or a kernel that entries are not for.
fn is_not_for_entries(error: &anyhow::Error) -> bool {
    error.is::<Refusal>() || error.is::<UnknownFlag>() || error.is::<NotEmulated>()
}

/// Launches know nothing of each other there.
fn has_launches_that_race(program: &Program) -> bool {
    program.expectations.iter().any(|expectation| expectation.kind == "inter-kernel")
}

/// What is wrong with what entries say of a program; nothing where they are not for it.
fn problems(program: &Program, toolchain: &Toolchain) -> Option<Vec<String>> {
    let mut answers: Vec<(u64, Answer)> = Vec::new();
    for (seed, plan) in RUNS {
        match answer_with_entries(program, toolchain, seed, plan) {
            Ok(answer) => answers.push((seed, answer)),
            Err(error) if error.downcast_ref() == Some(&Refusal::EndsInFunction) => {}
            Err(error) if is_not_for_entries(&error) => return None,
            Err(error) => return Some(vec![format!("{error:#}")]),
        }
    }
    let mut expected = leniently(program, &answers);
    if OF_ANOTHER_KIND.contains(&&*program.name) {
        for expectation in &mut expected.expectations {
            (expectation.kind, expectation.severity) = ("divergence".to_owned(), None);
        }
    }
    let verdict = judge(&expected, &answers);
    Some(verdict.problems.into_iter().map(|problem| problem.what).collect())
}

/// How many programs of a suite are right; all of them have to be that entries are for.
fn all_right(suite: &str) -> usize {
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let mut programs = read_programs(&root().join(suite), "hb").expect("the suite");
    programs.retain(|program| !has_launches_that_race(program));
    let (mut wrong, mut right) = (Vec::new(), 0);
    for program in &programs {
        let Some(problems) = problems(program, &toolchain) else { continue };
        right += usize::from(problems.is_empty());
        wrong.extend(problems.iter().map(|problem| format!("{}: {problem}", program.name)));
    }
    assert!(wrong.is_empty(), "{right} are right, and these are not:\n{}", wrong.join("\n"));
    right
}

#[test]
fn entries_say_of_the_programs_of_hb_what_the_cpu_engine_says() {
    let right = all_right("suites/hb");
    assert!(right > 200, "{right} programs");
}

#[test]
fn entries_say_of_the_bug_suite_what_the_cpu_engine_says() {
    let right = all_right("suites/bugs");
    assert!(right > 58, "{right} programs");
}
