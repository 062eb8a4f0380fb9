//! Kernels on private copies.

use super::*;
use crate::driver_types::CUgraph;
use warpsan_instrument::{CopiesMode, CopiesPlan};

fn plan(mode: CopiesMode) -> EngineSettings {
    EngineSettings { plan: DevicePlan::Copies(CopiesPlan::new(mode)), ..settings() }
}

/// Where the kernels' first argument leads.
const DATA: u64 = 0x7100_0000_0000;

/// Launches a kernel of 8 blocks of 128 threads: the kernels that the driver got, ours by their names and the program's as `*`.
fn launched(program: &Program, kernel: &str) -> (CUfunction, Vec<CUfunction>, Vec<String>) {
    let function = program.function(kernel);
    let (mut data, mut count) = (DATA, 0u32);
    let mut parameters: [*mut c_void; 2] =
        [(&raw mut data).cast::<c_void>(), (&raw mut count).cast::<c_void>()];
    let mut call = program.call(function, LaunchSource::Stream, CUstream::NULL);
    call.parameters = parameters.as_mut_ptr();
    let mut runs = Vec::new();
    let mut order = Vec::new();
    let before = fake(|fake| fake.launched.len());
    program.engine.launch(&mut call, &mut |call| {
        let ours = fake(|fake| fake.launched.len()) - before;
        order.push(ours);
        runs.push(call.function);
        CUresult::SUCCESS
    });
    let ours: Vec<String> = fake(|fake| {
        let all = fake.launched[before..].iter();
        all.map(|name| name.to_string_lossy().into_owned()).collect()
    });
    let mut names = Vec::new();
    for (at, name) in ours.iter().enumerate() {
        names.extend(order.iter().filter(|before| **before == at).map(|_| "*".to_owned()));
        names.push(name.clone());
    }
    names.extend(order.iter().filter(|before| **before == ours.len()).map(|_| "*".to_owned()));
    (function, runs, names)
}

#[test]
fn a_launch_becomes_passes_with_sweeps_between_them() {
    let program = Program::new(64 * GIB, plan(CopiesMode::Detect));
    program.allocate(DATA, 4096);
    let (function, runs, names) = launched(&program, "scale");
    let pass = ["ws_ld_begin", "*", "ws_ld_union", "*", "ws_ld_compare"];
    let log = ["ws_ld_set_back", "*", "ws_ld_set_back", "*", "ws_ld_report"];
    assert_eq!(names, [&pass[..], &log[..]].concat());
    assert!(!runs.contains(&function), "the program's own kernel is not run");
    assert!(runs[0] == runs[1] && runs[0] != runs[2] && runs[2] == runs[3], "two variants");
    assert_eq!(of(&program.reported.not_covered), Vec::<String>::new());
    let copied = of(&program.reported.copied);
    assert_eq!(copied.len(), 1);
    assert_eq!((copied[0].copies, copied[0].target_bytes), (32, 4096));
    assert_eq!(
        copied[0].total_bytes,
        33 * 4096,
        "copies times what they are of, and what was before"
    );
    let held = fake(|fake| fake.memory.values().any(|bytes| *bytes == 33 * 4096));
    assert!(held, "so much is allocated");
    let allocations = fake(|fake| fake.count("cuMemAlloc_v2"));
    launched(&program, "scale");
    assert_eq!(fake(|fake| fake.count("cuMemAlloc_v2")), allocations, "launches share copies");
}

#[test]
fn fewer_copies_take_more_rounds() {
    let copies = CopiesSettings { copies: Some(2), ..CopiesSettings::default() };
    let settings = EngineSettings { copies, ..plan(CopiesMode::Detect) };
    let program = Program::new(64 * GIB, settings);
    program.allocate(DATA, 4096);
    let (_, runs, _) = launched(&program, "scale");
    assert_eq!(runs.len(), 2 * 5 + 2, "8 blocks of 4 warps");
    assert_eq!(of(&program.reported.copied)[0].total_bytes, 3 * 4096);
}

#[test]
fn parts_of_a_launch_are_timed_where_that_is_asked_for() {
    let copies = CopiesSettings { times: true, ..CopiesSettings::default() };
    let settings = EngineSettings { copies, ..plan(CopiesMode::Detect) };
    let program = Program::new(64 * GIB, settings);
    program.allocate(DATA, 4096);
    launched(&program, "scale");
    let parts: Vec<&str> = of(&program.reported.timed).iter().map(|(part, _)| *part).collect();
    let passes =
        ["the first state", "the first pass", "the union", "the second pass", "the comparison"];
    assert_eq!(parts, [&passes[..], &["the log"; 5]].concat());
    let total: Duration = of(&program.reported.timed).iter().map(|(_, time)| *time).sum();
    assert_eq!(total, Duration::from_millis(5), "half a millisecond each");
}

#[test]
fn what_copies_are_not_for_runs_as_it_is() {
    let program = Program::new(64 * GIB, plan(CopiesMode::Detect));
    let (function, runs, _) = launched(&program, "scale");
    assert_eq!(runs, [function], "nobody knows what to copy");
    program.allocate(DATA, 4096);
    let (counts, runs, _) = launched(&program, "counts");
    assert_eq!(runs, [counts]);
    let node = program.launch(function, LaunchSource::NewNode(CUgraph(7)));
    assert_eq!(node.function, function);
    let reasons = of(&program.reported.not_covered);
    let wanted = [
        "it stores to memory that is in no allocation of the program's",
        "it has `red.global.add.u32`, an atomic operation, which cannot run on private copies",
        "a node of a graph, which has no private copies",
    ];
    assert_eq!(reasons, wanted);
}

#[test]
fn safe_execution_has_one_pass_and_a_merge() {
    let program = Program::new(64 * GIB, plan(CopiesMode::Deterministic));
    program.allocate(DATA, 4096);
    let (_, runs, names) = launched(&program, "scale");
    assert_eq!(
        (runs.len(), &names[..]),
        (1, &["ws_ld_begin", "*", "ws_ld_merge"].map(String::from)[..])
    );
    assert_eq!(of(&program.reported.copied)[0].copies, 32, "one for each warp");
    let (counts, runs, _) = launched(&program, "counts");
    assert_eq!(runs, [counts], "updates of any order need no copies");
    assert_eq!(of(&program.reported.not_covered), Vec::<String>::new());
}
