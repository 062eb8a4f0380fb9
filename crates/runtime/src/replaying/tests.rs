//! Sessions that are recorded and replayed: the same reports, and what a trace does not have.

use super::*;
use crate::{Dim3, ModuleImage, QueuedLaunch, Session, Stream};
use std::fs::File;
use std::path::Path;
use warpsan_event::testing::{Kernel, Story};
use warpsan_event::trace::{TraceHeader, TraceWriter};
use warpsan_event::{EventSink, KernelFacts, LaneAddresses};

const PTX: &str = "\
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 counter = 5;
.visible .entry racy()
{
.reg .b32 %r<3>;
mov.u32 %r1, %tid.x;
st.global.u32 [counter], %r1;
atom.global.add.u32 %r2, [counter], 1;
ret;
}
.visible .entry outside()
{
.reg .b64 %rd<2>;
mov.u64 %rd1, 64;
st.global.u32 [%rd1], 1;
ret;
}
.visible .entry textured()
{
.reg .b32 %r<5>;
tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [%r1, {%r2}];
ret;
}
";

fn options(detector: &str) -> Options {
    let detector = detector.parse().unwrap();
    Options { detector, seed: 9, statistics: true, ..Options::default() }
}

/// Runs three launches: one races, one fails, one is not supported.
fn run(detector: &str, trace: Option<&Path>) -> ProcessReport {
    let mut session = Session::in_memory(options(detector)).unwrap();
    if let Some(trace) = trace {
        let header = TraceHeader { seed: 9, ..TraceHeader::default() };
        session.record(trace, &header).unwrap();
    }
    let module = session.load_module(ModuleImage::Ptx(PTX));
    for kernel in ["racy", "outside", "textured", "racy"] {
        let kernel = session.kernel(module, kernel).unwrap();
        let (grid, block) = (Dim3::new(2, 1, 1), Dim3::new(40, 1, 1));
        let launch = QueuedLaunch::new(kernel, grid, block, Vec::new());
        let _ = session.launch(Stream::Legacy, &launch);
    }
    session.end_recording().unwrap();
    session.into_report()
}

fn replayed(trace: &Path, detector: &str) -> ProcessReport {
    let mut reader = TraceReader::new(File::open(trace).unwrap()).unwrap();
    replay(&mut reader, &options(detector)).unwrap()
}

#[test]
fn a_replay_reports_what_the_session_did() {
    let folder = tempfile::tempdir().unwrap();
    let (of_hb, of_none) = (folder.path().join("hb.trace"), folder.path().join("none.trace"));
    let direct = run("hb", None);
    assert!(!direct.races.is_empty() && direct.not_covered.len() >= 2, "{direct:#?}");
    assert_eq!(run("hb", Some(&of_hb)), direct, "recording changes nothing");
    assert_eq!(replayed(&of_hb, "hb"), direct);
    let without = run("none", Some(&of_none));
    assert!(without.races.is_empty());
    assert_eq!(replayed(&of_none, "hb"), direct, "the detector that recorded does not matter");
    assert_eq!(replayed(&of_hb, "none"), without);
    let bytes = |path: &Path| std::fs::read(path).unwrap();
    assert_eq!(bytes(&of_hb), bytes(&of_none), "nor for the bytes");
}

#[test]
fn a_trace_that_is_cut_off_is_not_covered_from_there_on() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("hb.trace");
    let direct = run("hb", Some(&trace));
    let bytes = std::fs::read(&trace).unwrap();
    std::fs::write(&trace, &bytes[..bytes.len() - 20]).unwrap();
    let cut = replayed(&trace, "hb");
    assert_eq!(cut.races, direct.races);
    assert_eq!(cut.not_covered.len(), direct.not_covered.len() + 1);
    assert!(cut.not_covered.last().unwrap().what.contains("cut off"), "{cut:#?}");
}

/// The bytes of a trace that ends as recordings do.
fn ended(mut writer: TraceWriter<Vec<u8>>) -> Vec<u8> {
    writer.remark(&serde_json::to_string(&Record::End).unwrap());
    writer.finish().unwrap()
}

/// Its checksums and its count of items are right, and still something has been taken away.
#[test]
fn a_trace_without_its_last_remark_is_not_clean() {
    let writer = || TraceWriter::new(Vec::new(), &TraceHeader::default()).unwrap();
    let gaps = |bytes: &[u8]| {
        let mut reader = TraceReader::new(bytes).unwrap();
        replay(&mut reader, &options("hb")).unwrap().not_covered
    };
    assert!(gaps(&ended(writer())).is_empty());
    let cut = gaps(&writer().finish().unwrap());
    assert_eq!(cut.len(), 1);
    assert!(cut[0].what.contains("is missing") && cut[0].advice.contains("again"), "{cut:?}");
}

#[test]
fn a_trace_for_iguard_says_so_to_other_detectors() {
    let header =
        TraceHeader { schedule: TraceSchedule::OrderedOnGpu.to_string(), ..TraceHeader::default() };
    let bytes = ended(TraceWriter::new(Vec::new(), &header).unwrap());
    let gaps = |detector: &str| {
        let mut reader = TraceReader::new(&bytes[..]).unwrap();
        replay(&mut reader, &options(detector)).unwrap().not_covered.len()
    };
    assert_eq!(["iguard", "none", "scord", "hb"].map(gaps), [0, 0, 1, 1]);
}

#[test]
fn options_with_an_unknown_detector_do_not_read() {
    let text = serde_json::to_string(&options("none")).unwrap();
    assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), options("none"));
    let error =
        serde_json::from_str::<Options>(&text.replace("\"none\"", "\"nobody\"")).unwrap_err();
    assert!(error.to_string().contains("there is no detector `nobody`"), "{error}");
}

/// What a detector does not know about is its own affair: another one may know.
#[test]
fn what_a_detector_does_not_cover_is_reported_by_the_one_that_replays() {
    let mut writer = TraceWriter::new(Vec::new(), &TraceHeader::default()).unwrap();
    let facts = KernelFacts { uses_mbarriers: true, ..KernelFacts::default() };
    let story = Story::of(Kernel::new(&[]).on(1, 1).facts(facts));
    writer.batch(&story.batch());
    let bytes = ended(writer);
    let not_covered = |detector: &str| {
        let mut reader = TraceReader::new(&bytes[..]).unwrap();
        replay(&mut reader, &options(detector)).unwrap().not_covered
    };
    assert!(not_covered("hb").is_empty(), "the default detector knows what mbarriers order");
    assert!(not_covered("none").is_empty());
}

/// Everything is in a trace, also what the session's own detector does not ask for.
#[test]
fn values_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("none.trace");
    run("none", Some(&trace));
    let mut reader = TraceReader::new(File::open(&trace).unwrap()).unwrap();
    let mut buffer = EventBuffer::new();
    let mut stored = Vec::new();
    loop {
        match reader.read(&mut buffer).unwrap() {
            TraceStep::End => break,
            TraceStep::Remark(_) => {}
            TraceStep::Events => {
                for event in buffer.batch().events() {
                    if let Event::Access(access) = event
                        && access.kind == warpsan_event::AccessKind::Write
                    {
                        assert!(matches!(access.addresses, LaneAddresses::Uniform(_)));
                        stored.push(access.values.to_vec());
                    }
                }
            }
        }
    }
    let warp: Vec<u64> = (0..32).collect();
    assert!(stored.contains(&warp), "{stored:?}");
}
