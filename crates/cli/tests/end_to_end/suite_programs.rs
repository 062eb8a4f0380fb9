//! Programs of `suites/programs` that work stay so: the list of the suite marks those that every test run has time
//! for. `cargo xtask programs` runs all, in every way to build them, and says which are to be added to the list.

use std::path::{Path, PathBuf};
use std::time::Duration;

use warpsan_testkit::corpus::in_parallel;
use warpsan_testkit::programs::{
    Builder, Code, Cudart, Judged, Program, Variant, judge, read_programs, read_working, run,
};
use warpsan_testkit::values::Limits;
use warpsan_toolchain::Search;

use crate::support::build::need_compiler;

/// Far more than any of the programs takes, on a slow machine too.
const LIMITS: Limits = Limits { program: Duration::from_secs(60) };

/// Programs that are built and run at the same time.
const AT_A_TIME: usize = 2;

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/programs")
}

/// Builds are kept where `cargo xtask programs` keeps them, in cargo's folder.
fn builder() -> Builder {
    need_compiler();
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("programs");
    Builder::new(toolchain, &suite(), kept).unwrap_or_else(|error| panic!("{error:#}"))
}

/// What is wrong with these programs. Every other one has the shared runtime: both get their share.
fn judged(programs: &[Program]) -> Vec<(String, Judged)> {
    let builder = builder();
    let numbered: Vec<(usize, &Program)> = programs.iter().enumerate().collect();
    let check = |(number, program): &(usize, &Program)| {
        let cudart = if number % 2 == 0 { Cudart::Static } else { Cudart::Shared };
        let variant = Variant { cudart, code: Code::Optimised };
        let warpsan = Path::new(env!("CARGO_BIN_EXE_warpsan"));
        let ended = builder
            .build(program, variant)
            .and_then(|executable| run(warpsan, &executable, &[], LIMITS));
        let judged = match ended {
            Ok(ended) => judge(program, &ended),
            Err(error) => Judged::not_built(&error),
        };
        (format!("{} [{variant}]", program.name), judged)
    };
    let checked = in_parallel(&numbered, AT_A_TIME, None, check, |_, _| {});
    checked.into_iter().map(|done| done.verdict.expect("no time limit")).collect()
}

fn programs() -> Vec<Program> {
    read_programs(&suite()).unwrap_or_else(|error| panic!("{error:#}"))
}

#[test]
fn programs_that_work_stay_so() {
    let list = read_working(&suite()).unwrap_or_else(|error| panic!("{error:#}"));
    let mut programs = programs();
    for listed in &list {
        let is_there = programs.iter().any(|program| program.name == listed.name);
        assert!(is_there, "{} is in the list of programs that work, and not there", listed.name);
    }
    programs
        .retain(|program| list.iter().any(|listed| listed.is_quick && listed.name == program.name));
    assert!(programs.len() >= 20, "only {} programs are quick", programs.len());
    let wrong: Vec<String> = judged(&programs)
        .into_iter()
        .filter(|(_, judged)| !judged.is_right())
        .map(|(name, judged)| format!("{name}: {:#?}", judged.differences))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_program_that_does_something_else_is_found() {
    let mut programs = programs();
    programs.retain(|program| program.name == "kernel_missing_barrier");
    programs[0].stdout.push_str("one line more\n");
    programs[0].head.exit = 7;
    programs[0].files[0].expectations.clear();
    let (_, judged) = judged(&programs).remove(0);
    let kinds: Vec<_> = judged.differences.iter().map(|difference| difference.kind()).collect();
    assert_eq!(kinds, ["stdout", "exit", "unexpected"], "{judged:?}");
}
