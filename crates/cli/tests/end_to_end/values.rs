//! A sample of the programs that `cargo xtask values` and `cargo xtask determinism` run: they print what an
//! H200 printed, and the same seed gives the same trace.

use std::path::Path;
use std::time::Duration;

use warpsan_testkit::corpus::in_parallel;
use warpsan_testkit::values::{Limits, Program, Verdict, compile, judge, read_programs, trace};
use warpsan_toolchain::{Search, Toolchain};

use crate::support::build::need_compiler;

/// Quick programs, each for something that kernels do. All of `progress` come on top: locks, named
/// barriers, barriers over the grid.
const SAMPLE: [&str; 11] = [
    "values/asynchronous_copies",
    "values/clusters",
    "values/device_heap_and_output",
    "values/graphs",
    "values/half_precision",
    "values/indirect_calls",
    "values/matrix_products_mma",
    "values/matrix_products_wmma",
    "values/recursion",
    "values/reductions_cooperative_groups",
    "values/sorting_networks",
];

const SCHEDULES: [&str; 3] = ["random:1", "round-robin:1", "pct:3:1"];

/// Far more than any of the programs takes, on a slow machine too.
const LIMITS: Limits = Limits { program: Duration::from_secs(100) };

/// Programs that are built and run at the same time.
const AT_A_TIME: usize = 2;

fn warpsan() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_warpsan"))
}

fn toolchain() -> Toolchain {
    need_compiler();
    Search::new(None).find().expect("the compiler is looked for").expect("there is a compiler")
}

fn programs(wanted: impl Fn(&str) -> bool) -> Vec<Program> {
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites");
    let mut programs = read_programs(&suites).expect("the suites");
    programs.retain(|program| wanted(&program.name));
    programs
}

/// What differs from the GPU, by program and schedule.
fn differences(programs: &[Program]) -> Vec<String> {
    let toolchain = toolchain();
    let check = |program: &Program| -> Vec<String> {
        let name = &program.name;
        let executable = match compile(&toolchain, program) {
            Ok(executable) => executable,
            Err(error) => return vec![format!("{name}: {error:#}")],
        };
        let run = |schedule: &&str| {
            let flags = ["--detector", "none", "--schedule", schedule].map(str::to_owned);
            match judge(warpsan(), &executable, program, &flags, LIMITS).map(|run| run.verdict) {
                Ok(Verdict::Same) => None,
                Ok(other) => Some(format!("{name} {schedule}: {other:?}")),
                Err(error) => Some(format!("{name} {schedule}: {error:#}")),
            }
        };
        SCHEDULES.iter().filter_map(run).collect()
    };
    let checked = in_parallel(programs, AT_A_TIME, None, check, |_, _| {});
    checked.into_iter().flat_map(|done| done.verdict.expect("no time limit")).collect()
}

#[test]
fn programs_print_what_a_gpu_printed() {
    let programs = programs(|name| SAMPLE.contains(&name));
    assert_eq!(programs.len(), SAMPLE.len());
    let differences = differences(&programs);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn programs_that_need_progress_end_under_every_policy() {
    let programs = programs(|name| name.starts_with("progress/"));
    assert!(programs.len() >= 8);
    let differences = differences(&programs);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn a_program_that_prints_something_else_is_found() {
    let mut programs = programs(|name| name == "values/recursion");
    programs[0].expected.push_str("ok one_more checksum=0\n");
    let differences = differences(&programs);
    assert_eq!(differences.len(), SCHEDULES.len());
    assert!(differences[0].contains("warpsan nothing more"), "{}", differences[0]);
}

#[test]
fn the_same_seed_gives_the_same_trace_on_any_number_of_cores() {
    let wanted = ["values/device_heap_and_output", "values/recursion", "progress/ticket_lock"];
    let toolchain = toolchain();
    for program in programs(|name| wanted.contains(&name)) {
        let executable = compile(&toolchain, &program).expect("a program");
        for schedule in ["random:1", "pct:3:2"] {
            let traced = |jobs: usize| trace(warpsan(), &executable, schedule, jobs, LIMITS);
            let (one, two) = (traced(1).expect("a trace"), traced(2).expect("a trace"));
            assert!(one.bytes > 1000 && one == two, "{} {schedule}", program.name);
        }
    }
}
