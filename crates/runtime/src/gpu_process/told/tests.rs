use super::*;
use crate::journal::Journal;
use warpsan_event::{Access, AccessKind, KernelFacts, LaneAddresses, Site, SiteTable};
use warpsan_gpu::{CUstream, OrderStep, OrderedLaunch};
use warpsan_model::{BlockIndex, Dim3, Geometry, LaunchId, SiteId, Space, Strength};
use warpsan_report::RaceKind;

/// Two launches of one thread that write one word, and something between them: the kinds of the races.
fn races(streams: [usize; 2], between: &[OrderStep]) -> Vec<RaceKind> {
    let journal = SharedJournal::new(Journal::to_memory());
    let order = Arc::new(ToldOrder::of_streams(|_| Some(true)));
    let options = Options { detector: "hb".to_string(), ..Options::default() };
    let sink = sink(&options, &journal, false, order.clone());
    for (launch, stream) in (0..).map(LaunchId).zip(streams) {
        order.step(OrderStep::Launched(OrderedLaunch {
            launch,
            stream: CUstream(stream),
            overlaps: false,
            speaks_to_host: false,
            is_one_of_several: false,
        }));
        tell_write(&sink, launch);
        between.iter().for_each(|step| order.step(*step));
    }
    drop(sink);
    let races = std::mem::replace(&mut *journal.lock(), Journal::to_memory()).into_report().races;
    races.into_iter().map(|race| race.kind).collect()
}

fn tell_write(sink: &SharedSink, launch: LaunchId) {
    let site = Site { instruction: "st.global.u32".into(), ptx_line: 1, frames: Vec::new() };
    let mut buffer = EventBuffer::new();
    let one = Dim3::new(1, 1, 1);
    buffer.push(Event::LaunchBegin {
        launch,
        facts: &Arc::new(KernelFacts::default()),
        sites: &Arc::new(SiteTable { sites: vec![site] }),
        geometry: Geometry { grid: one, block: one },
    });
    buffer.push(Event::Access(Access {
        block: BlockIndex(0),
        warp: 0,
        site: SiteId(0),
        mask: 1,
        wrote: 1,
        space: Space::Global,
        owner: BlockIndex(0),
        kind: AccessKind::Write,
        strength: Strength::Weak,
        bytes: 4,
        elements: 1,
        addresses: LaneAddresses::Uniform(0x7000),
        values: &[],
        versions: &[],
        read_only_path: false,
    }));
    buffer.push(Event::LaunchEnd { launch });
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
