use super::*;
use crate::gpu_process::Judge;
use crate::gpu_process::checking::Checking;
use crate::journal::Journal;
use warpsan_event::testing::{Kernel, Story};
use warpsan_gpu::{
    Allocation, AllocationKind, CUstream, DevicePlan, Listener, OrderStep, OrderedLaunch, Shipping,
};
use warpsan_model::LaunchId;
use warpsan_report::RaceKind;

/// Two launches of one thread that write one word, and something between them: the kinds of the races.
fn races(streams: [usize; 2], between: &[OrderStep]) -> Vec<RaceKind> {
    let journal = SharedJournal::new(Journal::to_memory());
    let order = Arc::new(ShippedOrder::of_streams(|_| Some(true)));
    let options = Options::default();
    let sink = sink(&options, &journal, false, order.clone());
    for (launch, stream) in (0..).map(LaunchId).zip(streams) {
        order.step(launched(launch, stream));
        emit_write(&sink, launch);
        between.iter().for_each(|step| order.step(*step));
    }
    drop(sink);
    let races = std::mem::replace(&mut *journal.lock(), Journal::to_memory()).into_report().races;
    races.into_iter().map(|race| race.kind).collect()
}

fn launched(launch: LaunchId, stream: usize) -> OrderStep {
    OrderStep::Launched(OrderedLaunch {
        launch,
        stream: CUstream(stream),
        overlaps: false,
        speaks_to_host: false,
        is_one_of_several: false,
    })
}

fn emit_write(sink: &SharedSink, launch: LaunchId) {
    let kernel = Kernel::new(&["st.global.u32"]).on(1, 1);
    let story = Story::default().begin_kernel(launch.0, kernel);
    let mut buffer = story.at_site(0).store_values((0, 0), 0x7000, &[]).end_launch().into_events();
    sink.lock().unwrap_or_else(PoisonError::into_inner).buffer(&mut buffer);
}

#[test]
fn launches_in_different_streams_race_unless_something_orders_them() {
    assert_eq!(races([0x10, 0x20], &[]), [RaceKind::InterKernel]);
    assert_eq!(races([0x10, 0x10], &[]), []);
    assert_eq!(races([0x10, 0], &[]), [], "the default stream waits");
    assert_eq!(races([0x10, 0x20], &[OrderStep::HostWaitedForAll]), []);
    assert_eq!(races([0x10, 0x20], &[OrderStep::Work(CUstream(0))]), []);
    assert_eq!(races([0x10, 0x20], &[OrderStep::Work(CUstream(0x30))]), [RaceKind::InterKernel]);
}

#[test]
fn a_variable_that_two_kernels_use_keeps_its_history() {
    let journal = SharedJournal::new(Journal::to_memory());
    let order = Arc::new(ShippedOrder::of_streams(|_| Some(true)));
    let options = Options::default();
    let sink = sink(&options, &journal, false, order.clone());
    let (detector, settings) = (options.detector, options.settings());
    let judge = Judge { detector, settings, plan: DevicePlan::Ship(Shipping::Everything) };
    let checking =
        Checking::new(journal.clone(), judge, false, Some(sink.clone()), Some(order.clone()));
    let stream = CUstream(0);
    let variable = Allocation { address: 0x7000, bytes: 4, kind: AllocationKind::Device, stream };
    for (launch, stream) in (0..).map(LaunchId).zip([0x10, 0x20]) {
        // Each kernel announces the variable when it is made ready.
        checking.allocated(&variable, Some("table"));
        order.step(launched(launch, stream));
        emit_write(&sink, launch);
    }
    let races = std::mem::replace(&mut *journal.lock(), Journal::to_memory()).into_report().races;
    assert_eq!(races.len(), 1, "{races:?}");
    // Memory that was given back and taken again is other memory, whatever it is called.
    checking.freed(variable.address);
    checking.allocated(&variable, Some("table"));
    order.step(launched(LaunchId(2), 0x30));
    emit_write(&sink, LaunchId(2));
    let races = std::mem::replace(&mut *journal.lock(), Journal::to_memory()).into_report().races;
    assert!(races.is_empty(), "{races:?}");
}
