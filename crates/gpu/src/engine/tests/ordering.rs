//! What the engine says about the order of work.

use super::*;
use crate::order_steps::OrderedLaunch;
use warpsan_event::{Batch, EventSink};

/// Takes all events, and remembers nothing.
struct Nobody;

impl EventSink for Nobody {
    fn batch(&mut self, _: &Batch<'_>) {}
}

/// A program whose kernels ship to the host.
fn shipping() -> Program {
    let mut program = Program::new(
        64 * GIB,
        EngineSettings { plan: DevicePlan::Ship(Shipping::Everything), ..settings() },
    );
    program.engine.events = Some(Arc::new(Mutex::new(Box::new(Nobody))));
    program
}

/// The steps since this was last asked.
fn steps(program: &Program) -> Vec<OrderStep> {
    std::mem::take(&mut *program.reported.steps.lock().expect("no panic"))
}

const STREAM: CUstream = CUstream(0x33);

#[test]
fn memory_and_contexts_order_work() {
    let program = shipping();
    program.allocate(0x7000_0000_0000, MIB);
    assert_eq!(steps(&program), [], "taking memory does not");
    program.free(0x7000_0000_0000);
    assert_eq!(steps(&program), [OrderStep::HostWaitedForAll]);
    let freed = Freed { address: 0x7000_0000_0000, bytes: None, stream: Some(STREAM) };
    program.engine.free(&freed, &mut || CUresult::SUCCESS);
    assert_eq!(steps(&program), [OrderStep::Freed(STREAM)]);
    let mut taken = Allocation {
        address: 0x7000_0000_0000,
        bytes: 64,
        kind: AllocationKind::StreamOrdered,
        stream: STREAM,
    };
    program.engine.allocated(&taken);
    assert_eq!(steps(&program), [OrderStep::Taken(STREAM)]);
    taken.kind = AllocationKind::Managed;
    program.engine.allocated(&taken);
    assert_eq!(steps(&program), [OrderStep::SharedWithHost]);
    taken.kind = AllocationKind::OtherProcess;
    program.engine.allocated(&taken);
    assert_eq!(steps(&program), [OrderStep::NotFollowed]);
    program.engine.context_ends(ContextEnd::Destroyed(CONTEXT), &mut || CUresult::SUCCESS);
    assert_eq!(steps(&program), [OrderStep::ContextEnded]);
}

#[test]
fn a_launch_is_reported_with_its_stream_and_its_number() {
    let program = shipping();
    let (mut data, mut count) = (0u64, 0u32);
    let mut parameters: [*mut c_void; 2] =
        [(&raw mut data).cast::<c_void>(), (&raw mut count).cast::<c_void>()];
    let function = program.function("scale");
    for (number, per_thread) in [false, true].into_iter().enumerate() {
        // The thread that listens has a driver of its own, for which the launch has ended.
        let stream = if per_thread { CUstream::NULL } else { STREAM };
        let mut call = program.call(function, LaunchSource::Stream, stream);
        (call.parameters, call.per_thread_default_stream) = (parameters.as_mut_ptr(), per_thread);
        let answer = program.engine.launch(&mut call, &mut |_| CUresult::SUCCESS);
        assert!(answer.is_success());
        let expected = OrderedLaunch {
            launch: warpsan_model::LaunchId(number as u32),
            stream: if per_thread { CUstream::PER_THREAD } else { STREAM },
            overlaps: false,
            speaks_to_host: false,
            is_one_of_several: false,
        };
        assert_eq!(steps(&program), [OrderStep::Launched(expected)]);
    }
}

#[test]
fn a_launch_as_it_is_is_other_work_and_its_event_stands_for_it() {
    let program = shipping();
    let function = program.function("there is no such kernel");
    let mut call = program.call(function, LaunchSource::Stream, STREAM);
    call.attributes.push(crate::CUlaunchAttribute {
        id: crate::CUlaunchAttribute::LAUNCH_COMPLETION_EVENT,
        padding: 0,
        value: [0x77, 0, 0, 0, 0, 0, 0, 0],
    });
    program.engine.launch(&mut call, &mut |_| CUresult::SUCCESS);
    let event = crate::CUevent(0x77);
    let expected = [OrderStep::Work(STREAM), OrderStep::Recorded { event, stream: STREAM }];
    assert_eq!(steps(&program), expected);
}

#[test]
fn a_graph_is_work_of_its_stream() {
    let program = shipping();
    program.engine.graph_instantiated(CUgraph(0x91), CUgraphExec(1));
    assert_eq!(steps(&program), []);
    program.engine.graph_launch(CUgraphExec(1), STREAM, &mut || CUresult::SUCCESS);
    assert_eq!(steps(&program), [OrderStep::Work(STREAM)]);
}

#[test]
fn no_order_is_reported_where_the_device_checks() {
    let program = Program::new(64 * GIB, settings());
    program.allocate(0x7000_0000_0000, MIB);
    program.free(0x7000_0000_0000);
    program.launch(program.function("scale"), LaunchSource::Stream);
    program.engine.ordered(OrderStep::HostWaitedForAll);
    program.engine.graph_launch(CUgraphExec(1), STREAM, &mut || CUresult::SUCCESS);
    assert_eq!(steps(&program), []);
}
