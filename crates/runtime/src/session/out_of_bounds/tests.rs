//! Kernels that leave the memory of their argument, in sessions of their own.

use crate::launch_filter::LaunchFilter;
use crate::record::ProcessReport;
use crate::{
    AllocationKind, Dim3, ModuleImage, Options, QueuedLaunch, RuntimeError, Session, Stream, replay,
};
use std::fs::File;
use std::path::Path;
use warpsan_event::trace::{TraceHeader, TraceReader};
use warpsan_model::DeviceAddress;
use warpsan_report::{AccessType, RaceKind, Severity};

/// Adds the thread's number to the element of `data` that is `shift` behind its own.
const PTX: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry number(.param .u32 shift, .param .u64 data)
{
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u32 %r1, [shift];
ld.param.u64 %rd1, [data];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r2, %tid.x;
add.s32 %r3, %r2, %r1;
mad.wide.s32 %rd3, %r3, 4, %rd2;
red.global.add.u32 [%rd3], %r2;
ret;
}
";

fn launch(session: &mut Session, shift: i32, data: DeviceAddress) -> Result<(), RuntimeError> {
    let module = session.load_module(ModuleImage::Ptx(PTX));
    let kernel = session.kernel(module, "number")?;
    let mut parameters = [0; 16];
    parameters[..4].copy_from_slice(&shift.to_le_bytes());
    parameters[8..].copy_from_slice(&data.0.to_le_bytes());
    let (grid, block) = (Dim3::new(1, 1, 1), Dim3::new(64, 1, 1));
    session.launch(Stream::Legacy, &QueuedLaunch::new(kernel, grid, block, parameters.to_vec()))
}

/// Two neighbouring arrays of 64 elements; a kernel is given the second one, with these shifts.
fn run(options: Options, shifts: &[i32], trace: Option<&Path>) -> ProcessReport {
    let mut session = Session::in_memory(options).unwrap();
    if let Some(trace) = trace {
        session.record(trace, &TraceHeader::default()).unwrap();
    }
    let both = [(); 3].map(|()| session.allocate(256, AllocationKind::Device).unwrap());
    for shift in shifts {
        launch(&mut session, *shift, both[1]).unwrap();
    }
    session.end_recording().unwrap();
    session.into_report()
}

#[test]
fn an_access_in_other_memory_is_an_error_that_names_both() {
    let report = run(Options::default(), &[0, 16, 32], None);
    assert!(report.not_covered.is_empty(), "the launches go on: {:?}", report.not_covered);
    let [found] = &report.races[..] else { panic!("{:?}", report.races) };
    assert_eq!((found.kind, found.severity), (RaceKind::OutOfBounds, Severity::Error));
    assert_eq!(
        (found.second.access, found.second.thread),
        (AccessType::Atomic, Dim3::new(48, 0, 0))
    );
    assert_eq!(found.first, found.second);
    assert_eq!((found.count, found.replay.launch), (16 + 32, 1));
    let hit = found.location.allocation.as_ref().unwrap();
    assert_eq!((hit.label.as_str(), hit.offset), ("allocation 3 of 256 bytes", 0));
    assert_eq!(
        found.reason,
        "the address is counted from the kernel's second argument, a pointer into `allocation 2 of 256 bytes`; \
         it is 0 bytes behind the end of that memory"
    );
    let report = run(Options::default(), &[-16], None);
    assert!(
        report.races[0].reason.ends_with("it is 64 bytes in front of the start of that memory")
    );
}

#[test]
fn launches_that_nobody_asked_about_are_not_reported() {
    let launches = LaunchFilter { skip: 1, ..LaunchFilter::default() };
    let options = Options { launches, ..Options::default() };
    assert!(run(options, &[32, 0], None).races.is_empty());
}

#[test]
fn a_replay_reports_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("found.trace");
    let shifts = [16, 0, 32];
    let direct = run(Options::default(), &shifts, Some(&trace));
    assert_eq!(direct.races.len(), 1);
    let mut reader = TraceReader::new(File::open(&trace).unwrap()).unwrap();
    assert_eq!(replay(&mut reader, &Options::default()).unwrap(), direct);
}

#[test]
fn freed_memory_is_named_also_after_other_memory_was_allocated() {
    let mut session = Session::in_memory(Options::default()).unwrap();
    let free = session.memory_info();
    let gone = session.allocate(256, AllocationKind::Device).unwrap();
    session.free(gone).unwrap();
    assert_eq!(session.memory_info(), free);
    let other = session.allocate(256, AllocationKind::Device).unwrap();
    launch(&mut session, 0, other).unwrap();
    let error = launch(&mut session, 0, gone).unwrap_err();
    assert!(matches!(error, RuntimeError::InvalidAddress(_)), "{error:?}");
    let copied = session.copy_from_device(&mut [0; 4], gone).unwrap_err().to_string();
    let report = session.into_report();
    for text in [&copied, &report.not_covered[0].what] {
        assert!(text.contains("it was freed: byte 0 of `allocation 1 of 256 bytes`"), "{text}");
    }
    assert!(report.races.is_empty());
}
