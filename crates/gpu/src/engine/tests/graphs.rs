//! Kernels in graphs.

use super::*;

/// Warps of each launch of the tests.
const WARPS: u32 = 32;

#[test]
fn a_node_is_shown_as_the_program_gave_it() {
    let program = Program::new(64 * GIB, settings());
    let scale = program.function("scale");
    let made = program.launch(scale, LaunchSource::NewNode(CUgraph(0x99)));
    assert_ne!(made.function, scale);
    let mut queried = KernelNodeParams::NOTHING;
    // SAFETY: a node of the fake driver.
    unsafe { program.engine.driver.cuGraphKernelNodeGetParams_v2(made.node, &mut queried) };
    assert_eq!(queried.first.function, made.function);
    program.engine.node_queried(made.node, &mut queried);
    assert_eq!(queried.first.function, scale);
    assert_eq!((queried.first.block, queried.kernel.is_null()), ([128, 1, 1], true));
    let mut other = KernelNodeParams::NOTHING;
    other.first.function = CUfunction(0xAB);
    program.engine.node_queried(made.node, &mut other);
    assert_eq!(other.first.function, CUfunction(0xAB), "no kernel of ours");
}

/// Launches a graph: places and the numbers that they were filled with.
fn launch_graph(program: &Program, executable: CUgraphExec) -> Vec<(u64, u32)> {
    fake(|fake| fake.filled.clear());
    let stream = CUstream(0x33);
    program.engine.graph_launch(executable, stream, &mut || CUresult::SUCCESS);
    fake(|fake| fake.filled.clone())
}

#[test]
fn warps_have_numbers_of_their_own_in_each_launch_of_a_graph() {
    let program = Program::new(64 * GIB, settings());
    let scale = program.function("scale");
    let (one, other) = (CUgraph(0x91), CUgraph(0x92));
    for graph in [one, one, other] {
        program.launch(scale, LaunchSource::NewNode(graph));
    }
    program.engine.graph_instantiated(one, CUgraphExec(1));
    program.engine.graph_instantiated(other, CUgraphExec(2));
    let first = launch_graph(&program, CUgraphExec(1));
    let [(place, number)] = first[..] else { panic!("{first:?}") };
    assert_eq!(
        launch_graph(&program, CUgraphExec(1)),
        [(place, number + 2 * WARPS)],
        "two kernels"
    );
    let of_other = launch_graph(&program, CUgraphExec(2));
    assert_eq!(of_other.len(), 1);
    assert_ne!(of_other[0].0, place);
    assert_eq!(of_other[0].1, number + 4 * WARPS);
    // A graph that has another as a part needs the numbers of both.
    fake(|fake| fake.add_child(other, one));
    program.engine.graph_instantiated(other, CUgraphExec(2));
    assert_eq!(launch_graph(&program, CUgraphExec(2)).len(), 2);
    // So does one that nobody has heard of.
    assert_eq!(launch_graph(&program, CUgraphExec(9)).len(), 2);
    // As a part of a graph that is captured it has no launch of its own.
    fake(|fake| fake.captured = Some(CUgraph(0x93)));
    assert_eq!(launch_graph(&program, CUgraphExec(1)), []);
}

/// Where the graph's number of a node lies, and what is added to it.
fn base_of(call: &LaunchCall) -> (u64, u32) {
    let mut queried = KernelNodeParams::NOTHING;
    let driver = driver_of_thread();
    // SAFETY: a node of the fake driver, whose kernel is one of ours.
    let context = unsafe {
        driver.cuGraphKernelNodeGetParams_v2(call.node, &mut queried);
        arguments::context_of(&queried.first, &[(0, 8), (8, 4)]).expect("a context")
    };
    (context.base_place, context.base)
}

fn driver_of_thread() -> Driver {
    Driver::by_names(crate::engine::fake::find)
}

#[test]
fn a_node_with_new_parameters_keeps_its_numbers() {
    let program = Program::new(64 * GIB, settings());
    let scale = program.function("scale");
    let graph = CUgraph(0x91);
    let nodes = [0, 1].map(|_| program.launch(scale, LaunchSource::NewNode(graph)));
    let bases = nodes.each_ref().map(base_of);
    assert_eq!(bases[0].0, bases[1].0);
    assert_eq!((bases[0].1, bases[1].1), (0, WARPS));
    program.engine.graph_instantiated(graph, CUgraphExec(1));
    for source in [LaunchSource::Node, LaunchSource::NodeOf(CUgraphExec(1))] {
        let again = program.launch_of(scale, source, nodes[1].node);
        assert_eq!(base_of(&again), bases[1]);
    }
    assert_eq!(launch_graph(&program, CUgraphExec(1)).len(), 1);
    // A node whose kernel was not ours gets a number of its own, which the launch knows.
    let missing = program.function("missing");
    let plain = program.launch(missing, LaunchSource::NewNode(graph));
    let set = program.launch_of(scale, LaunchSource::NodeOf(CUgraphExec(1)), plain.node);
    assert_ne!(base_of(&set).0, bases[0].0);
    assert_eq!(launch_graph(&program, CUgraphExec(1)).len(), 2);
}

#[test]
fn captured_launches_are_nodes() {
    let program = Program::new(64 * GIB, settings());
    let scale = program.function("scale");
    let graph = CUgraph(0x91);
    fake(|fake| fake.captured = Some(graph));
    let captured = program.launch(scale, LaunchSource::Stream);
    assert_ne!(base_of(&captured).0, 0);
    program.launch(program.function("by_constant"), LaunchSource::Stream);
    fake(|fake| {
        assert_eq!(
            fake.count("cuMemcpyDtoDAsync_v2"),
            1,
            "constants are copied where it is launched"
        );
        fake.captured = None;
    });
    program.engine.graph_instantiated(graph, CUgraphExec(1));
    assert_eq!(launch_graph(&program, CUgraphExec(1)).len(), 1);
    program.engine.graph_destroyed(graph);
    program.engine.graph_ends(CUgraphExec(1));
    let again = program.launch(scale, LaunchSource::NewNode(graph));
    assert_ne!(base_of(&again).0, base_of(&captured).0, "another graph by the same handle");
}

#[test]
fn nodes_of_kernels_with_constants_run_as_they_are() {
    let program = Program::new(64 * GIB, settings());
    let function = program.function("by_constant");
    assert_ne!(program.launch(function, LaunchSource::Stream).function, function);
    let node = program.launch(function, LaunchSource::NewNode(CUgraph(0x91)));
    assert_eq!(node.function, function);
    assert!(of(&program.reported.not_covered)[0].contains("constant"));
}
