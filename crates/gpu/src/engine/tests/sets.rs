//! Kernels with CURD's sets.

use super::*;
use crate::driver_types::CUgraph;
use warpsan_instrument::CHECKER_KERNELS;

fn program() -> Program {
    Program::new(64 * GIB, EngineSettings { plan: DevicePlan::Sets(SetScheme::Lazy), ..settings() })
}

fn own_launches() -> Vec<String> {
    fake(|fake| fake.launched.iter().map(|name| name.to_string_lossy().into_owned()).collect())
}

#[test]
fn blocks_are_compared_behind_every_launch() {
    let program = program();
    let scale = program.function("scale");
    assert_ne!(program.launch(scale, LaunchSource::Stream).function, scale, "it is instrumented");
    assert_eq!(own_launches(), CHECKER_KERNELS);
    let (allocations, held) = fake(|fake| (fake.count("cuMemAlloc_v2"), fake.memory.len()));
    program.launch(scale, LaunchSource::Stream);
    assert_eq!(own_launches().len(), 2 * CHECKER_KERNELS.len());
    let now = fake(|fake| (fake.count("cuMemAlloc_v2"), fake.memory.len()));
    assert_eq!(now, (allocations, held), "launches of a stream share their sets");
    assert_eq!(program.warnings(), Vec::<String>::new());
}

#[test]
fn eagerly_nothing_is_left_to_compare_behind_a_launch() {
    let eager = EngineSettings { plan: DevicePlan::Sets(SetScheme::Eager), ..settings() };
    let program = Program::new(64 * GIB, eager);
    let scale = program.function("scale");
    assert_ne!(program.launch(scale, LaunchSource::Stream).function, scale, "it is instrumented");
    assert_eq!(own_launches(), Vec::<String>::new());
}

#[test]
fn sets_take_what_they_are_given() {
    let given = EngineSettings {
        plan: DevicePlan::Sets(SetScheme::Lazy),
        set_bytes: Some(64 << 20),
        ..settings()
    };
    let program = Program::new(64 * GIB, given);
    let scale = program.function("scale");
    program.launch(scale, LaunchSource::Stream);
    let taken: u64 = fake(|fake| fake.memory.values().sum());
    let usual = 64 * GIB / 16;
    assert!(taken < usual / 2, "{taken}");
}

#[test]
fn sets_take_less_where_there_is_less() {
    let program =
        Program::new(GIB, EngineSettings { plan: DevicePlan::Sets(SetScheme::Lazy), ..settings() });
    let scale = program.function("scale");
    assert_ne!(program.launch(scale, LaunchSource::Stream).function, scale);
    let taken: u64 = fake(|fake| fake.memory.values().sum());
    assert!(taken < GIB / 4, "{taken}");
}

#[test]
fn what_sets_are_not_for_is_shipped_to_the_host() {
    let program = program();
    let is_shipped = || program.engine.lock().devices[&CONTEXT].shipping.is_some();
    let (scale, counts) = (program.function("scale"), program.function("counts"));
    program.launch(scale, LaunchSource::Stream);
    assert!(!is_shipped(), "nobody needs queues yet");
    let compared = own_launches().len();
    assert_ne!(program.launch(counts, LaunchSource::Stream).function, counts);
    assert!(is_shipped());
    assert_eq!(own_launches().len(), compared, "there is nothing to compare behind it");
    program.launch(scale, LaunchSource::Stream);
    assert_eq!(own_launches().len(), 2 * compared, "sets go on where they are kept");
    assert_eq!(of(&program.reported.not_covered), Vec::<String>::new());
    let launches = |step: &&OrderStep| matches!(step, OrderStep::Launched(_) | OrderStep::Work(_));
    let steps = of(&program.reported.steps);
    assert_eq!(steps.iter().filter(launches).count(), 3, "{steps:?}");
}

#[test]
fn what_was_refused_is_asked_again_when_its_handle_is_anothers() {
    let program = program();
    let counts = program.function("counts");
    assert_ne!(program.launch(counts, LaunchSource::Stream).function, counts, "it is shipped");
    let is_known = || {
        let state = program.engine.lock();
        state.variants.refused().any(|function| function == counts)
    };
    assert!(is_known(), "sets are not tried at each launch");
    program.engine.code_unloads(MODULE);
    assert!(!is_known());
}

#[test]
fn a_node_of_a_graph_runs_as_it_is() {
    let program = program();
    let scale = program.function("scale");
    let source = LaunchSource::NewNode(CUgraph(7));
    assert_eq!(program.launch(scale, source).function, scale);
    let reasons = of(&program.reported.not_covered);
    assert_eq!(reasons, ["a node of a graph, behind which no blocks can be compared"]);
}
