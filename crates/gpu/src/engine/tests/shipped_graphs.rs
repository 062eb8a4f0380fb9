//! Kernels in graphs that ship their operations to the host.

use super::*;
use warpsan_event::{Batch, Event, EventSink};
use warpsan_instrument::LaunchContext;
use warpsan_instrument::record::{Header, RecordKind, Slot};

/// The kernels and numbers of launches that were shipped to their end.
#[derive(Default)]
struct Launches {
    begun: Vec<(String, u32)>,
    ended: Ended,
}

impl EventSink for Launches {
    fn batch(&mut self, batch: &Batch<'_>) {
        for event in batch.events() {
            match event {
                Event::LaunchBegin { launch, facts, .. } => {
                    self.begun.push((facts.name.clone(), launch.0));
                }
                Event::LaunchEnd { .. } => {
                    let last = self.begun.last().expect("a launch has begun").clone();
                    self.ended.lock().expect("no panic").push(last);
                }
                _ => {}
            }
        }
    }
}

type Ended = Arc<Mutex<Vec<(String, u32)>>>;

/// A program whose kernels ship, and the launches that have ended.
fn shipping() -> (Program, Ended) {
    let sink = Launches::default();
    let ended = sink.ended.clone();
    let mut program = Program::new(
        64 * GIB,
        EngineSettings { plan: DevicePlan::Ship(Shipping::Everything), ..settings() },
    );
    program.engine.events = Some(Arc::new(Mutex::new(Box::new(sink))));
    (program, ended)
}

fn context_of(node: CUgraphNode) -> LaunchContext {
    let driver = Driver::by_names(crate::engine::fake::find);
    let mut queried = KernelNodeParams::NOTHING;
    // SAFETY: a node of the fake driver, whose kernel is one of ours.
    unsafe {
        driver.cuGraphKernelNodeGetParams_v2(node, &mut queried);
        arguments::context_of(&queried.first, &[(0, 8), (8, 4)]).expect("a context")
    }
}

/// Does what the device does when a node runs: every warp of its eight blocks ships its end. `index` is that of the
/// first slot of each queue.
fn run(node: CUgraphNode, index: u64) {
    let LaunchContext { queues, queue_count, .. } = context_of(node);
    assert_eq!(queue_count, 8, "one for each block");
    for block in 0..8 {
        let word = |at: u64| fake(|fake| fake.words[&(queues + u64::from(block) * 40 + at * 8)]);
        let (ready, slots, capacity) = (word(2), word(3), word(4));
        for (warp, index) in (0..4).zip(index..) {
            let kind = RecordKind::Exit.with_parts(0);
            let header = Header { block, warp, kind, mask: u32::MAX, ..Header::default() };
            let at = index % capacity;
            // SAFETY: memory of the fake driver, in which the queue has so many slots.
            unsafe {
                (slots as *mut Slot).add(at as usize).write(Slot { header, lanes: [0; 32] });
                (ready as *mut u64).add(at as usize).write(index + 1);
            }
        }
    }
}

fn wait(program: &Program) {
    program.engine.drain_all();
}

#[test]
fn kernels_of_a_graph_are_shipped_one_after_the_other_each_time() {
    let (program, ended) = shipping();
    let graph = CUgraph(0x91);
    let [one, other] = ["scale", "scale"].map(|name| {
        let made = program.launch(program.function(name), LaunchSource::NewNode(graph));
        assert_ne!(made.function, CUfunction::NULL);
        made.node
    });
    assert_ne!(context_of(one).queues, context_of(other).queues);
    // The second is before the first.
    fake(|fake| fake.edges.insert(graph, vec![(other, one)]));
    program.engine.graph_instantiated(graph, CUgraphExec(1));
    for index in [0, 4] {
        let stream = CUstream(0x33);
        program.engine.graph_launch(CUgraphExec(1), stream, &mut || {
            run(one, index);
            run(other, index);
            CUresult::SUCCESS
        });
        wait(&program);
    }
    let ended = of(&ended);
    assert_eq!(ended.len(), 4, "{ended:?}; {:?}", of(&program.reported.not_covered));
    let numbers: Vec<u32> = ended.iter().map(|(_, number)| *number).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    assert!(
        of(&program.reported.not_covered).is_empty(),
        "{:?}",
        of(&program.reported.not_covered)
    );
}

#[test]
fn what_cannot_be_distinguished_is_read_and_named() {
    let (program, ended) = shipping();
    let (inner, outer) = (CUgraph(0x91), CUgraph(0x92));
    let node = program.launch(program.function("scale"), LaunchSource::NewNode(inner)).node;
    fake(|fake| {
        fake.add_child(outer, inner);
        fake.add_child(outer, inner);
    });
    program.engine.graph_instantiated(outer, CUgraphExec(1));
    // So is what a graph runs that nobody has heard of.
    for (executable, index) in [(CUgraphExec(1), 0), (CUgraphExec(7), 4)] {
        program.engine.graph_launch(executable, CUstream(0x33), &mut || {
            run(node, index);
            CUresult::SUCCESS
        });
        wait(&program);
        let named = of(&program.reported.not_covered);
        assert!(named.iter().any(|why| why.contains("cannot be distinguished")), "{named:?}");
    }
    assert!(of(&ended).is_empty());
}

#[test]
fn a_node_of_a_graph_that_can_be_launched_gets_new_queues_with_a_new_kernel() {
    let (program, ended) = shipping();
    let graph = CUgraph(0x91);
    let scale = program.function("scale");
    let node = program.launch(scale, LaunchSource::NewNode(graph)).node;
    program.engine.graph_instantiated(graph, CUgraphExec(1));
    let before = context_of(node).queues;
    program.launch_of(scale, LaunchSource::NodeOf(CUgraphExec(1)), node);
    assert_ne!(context_of(node).queues, before);
    program.engine.graph_launch(CUgraphExec(1), CUstream(0x33), &mut || {
        run(node, 0);
        CUresult::SUCCESS
    });
    wait(&program);
    assert_eq!(of(&ended).len(), 1, "{:?}", of(&program.reported.not_covered));
}
