//! Sessions in memory that run small kernels: their results, their reports, and the order of their launches.

use super::*;
use crate::work::{ApiCall, QueuedLaunch, Task, Work};
use crate::{Dim3, ModuleId, ModuleImage, Stream};
use std::sync::Arc;
use warpsan_event::EventBuffer;
use warpsan_report::{Race, RaceKind};

const PTX: &str = "\
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 counter = 5;
.visible .entry add(.param .u32 n)
{
.reg .b32 %r<3>;
ld.param.u32 %r1, [n];
red.global.add.u32 [counter], %r1;
ret;
}
.visible .entry racy()
{
.reg .b32 %r<3>;
mov.u32 %r1, %tid.x;
st.global.u32 [counter], %r1;
ret;
}
.visible .entry textured()
{
.reg .b32 %r<5>;
tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [%r1, {%r2}];
ret;
}
.visible .entry outside()
{
.reg .b64 %rd<2>;
mov.u64 %rd1, 64;
st.global.u32 [%rd1], 1;
ret;
}
.visible .entry waits(.param .u32 own, .param .u32 other)
{
.reg .b32 %r<5>;
.reg .pred %p;
ld.param.u32 %r1, [own];
ld.param.u32 %r2, [other];
again:
ld.volatile.global.u32 %r3, [counter];
setp.ne.u32 %p, %r3, %r1;
@%p bra again;
st.volatile.global.u32 [counter], %r2;
ret;
}
";

fn session() -> (Session, ModuleId) {
    let mut session = Session::in_memory(Options::default()).unwrap();
    let module = session.load_module(ModuleImage::Ptx(PTX));
    (session, module)
}

fn launch(
    session: &mut Session,
    module: ModuleId,
    kernel: &str,
    threads: u32,
    parameters: &[u8],
) -> Result<(), RuntimeError> {
    let kernel = session.kernel(module, kernel)?;
    let (grid, block) = (Dim3::new(2, 1, 1), Dim3::new(threads, 1, 1));
    let launch = QueuedLaunch::new(kernel, grid, block, parameters.to_vec());
    session.launch(Stream::Legacy, &launch)
}

#[test]
fn a_kernel_works_on_the_modules_variables() {
    let (mut session, module) = session();
    launch(&mut session, module, "add", 64, &2u32.to_le_bytes()).unwrap();
    let (address, bytes) = session.symbol(module, "counter").unwrap();
    let mut value = [0; 4];
    session.copy_from_device(&mut value, address).unwrap();
    assert_eq!((u32::from_le_bytes(value), bytes), (5 + 2 * 128, 4));
    let report = session.into_report();
    assert_eq!((report.launches, report.races.len(), report.ended), (1, 0, true));
    assert_eq!(report.without_line_information, ["add"]);
}

#[test]
fn a_reset_gives_memory_back_and_variables_their_first_values() {
    let (mut session, module) = session();
    launch(&mut session, module, "add", 64, &2u32.to_le_bytes()).unwrap();
    let (address, _) = session.symbol(module, "counter").unwrap();
    let (free, _) = session.memory_info();
    let own = session.allocate(1 << 20, AllocationKind::Device).unwrap();
    session.reset_device().unwrap();
    assert_eq!(session.memory_info().0, free);
    assert!(session.free(own).is_err());
    let mut value = [0; 4];
    session.copy_from_device(&mut value, address).unwrap();
    assert_eq!(u32::from_le_bytes(value), 5);
    launch(&mut session, module, "add", 64, &2u32.to_le_bytes()).unwrap();
    session.copy_from_device(&mut value, address).unwrap();
    assert_eq!(u32::from_le_bytes(value), 5 + 2 * 128);
    assert_eq!(session.into_report().races.len(), 0);
}

/// A race, as a session reports it.
pub(crate) fn sample_race() -> Race {
    let (mut session, module) = session();
    launch(&mut session, module, "racy", 64, &[]).unwrap();
    session.into_report().races.remove(0)
}

#[test]
fn a_race_names_the_variable() {
    let (mut session, module) = session();
    launch(&mut session, module, "racy", 64, &[]).unwrap();
    let report = session.into_report();
    assert!(
        report
            .races
            .iter()
            .all(|race| race.kind == RaceKind::MissingSync || race.kind == RaceKind::SameValue)
    );
    let allocation = report.races[0].location.allocation.as_ref().unwrap();
    assert_eq!((allocation.label.as_str(), allocation.offset), ("counter", 0));
}

#[test]
fn what_is_not_supported_is_in_the_report_and_in_the_answer() {
    let (mut session, module) = session();
    let error = launch(&mut session, module, "textured", 32, &[]).unwrap_err();
    assert!(matches!(error, RuntimeError::NotSupported(_)), "{error:?}");
    launch(&mut session, module, "textured", 32, &[]).unwrap_err();
    session.not_supported("cudaGraphInstantiate");
    session.not_supported("cudaGraphInstantiate");
    let report = session.into_report();
    assert_eq!(report.not_covered.len(), 2, "each once");
    assert!(report.not_covered[0].what.contains("tex.1d.v4.s32.s32"));
    assert_eq!(report.not_covered[0].place, "kernel `textured`, PTX line 22");
}

#[test]
fn functions_of_the_driver_are_reported_as_such() {
    let (mut session, _) = session();
    session.not_supported("cudaGraphInstantiate");
    session.driver_function_not_supported("cuMemAlloc");
    session.driver_function_not_supported("cuMemAlloc");
    let report = session.into_report();
    assert_eq!(report.not_covered.len(), 2, "each once");
    assert_eq!(report.unsupported_driver_functions, report.not_covered[1..]);
    assert_eq!(report.not_covered[1].what, "cuMemAlloc is not supported yet");
}

#[test]
fn bad_launches_are_refused_with_their_class() {
    let (mut session, module) = session();
    let configuration = launch(&mut session, module, "racy", 2048, &[]).unwrap_err();
    assert!(matches!(configuration, RuntimeError::InvalidConfiguration(_)), "{configuration:?}");
    let parameters = launch(&mut session, module, "add", 32, &[]).unwrap_err();
    assert!(matches!(parameters, RuntimeError::InvalidValue(_)), "{parameters:?}");
    let unknown = launch(&mut session, module, "nobody", 32, &[]).unwrap_err();
    assert!(matches!(unknown, RuntimeError::InvalidDeviceFunction(_)), "{unknown:?}");
    let address = launch(&mut session, module, "outside", 32, &[]).unwrap_err();
    assert!(matches!(address, RuntimeError::InvalidAddress(_)), "{address:?}");
    assert!(!session.into_report().not_covered.is_empty(), "a fault is never clean");
}

#[test]
fn a_broken_module_says_what_and_where() {
    let mut session = Session::in_memory(Options::default()).unwrap();
    let broken = session.load_module(ModuleImage::Ptx(".version 9.0\n.entry k() { add.u32 ,; }"));
    let error = launch(&mut session, broken, "k", 32, &[]).unwrap_err();
    assert!(error.to_string().contains("line 2: expected an operand"), "{error}");
    let foreign = session.load_module(ModuleImage::FatBinary(&[0; 64]));
    let error = launch(&mut session, foreign, "k", 32, &[]).unwrap_err();
    assert!(error.to_string().contains("no fat binary"), "{error}");
}

/// Whoever asks for something of code that cannot be used gets an error, and the report names it.
#[test]
fn code_that_cannot_be_used_is_named_however_it_is_asked_for() {
    let broken = ".version 9.0\n.entry k() { add.u32 ,; }";
    type Use = fn(&mut Session, ModuleId) -> RuntimeError;
    let uses: [(&str, Use); 2] = [
        ("variable `v`", |session, module| session.symbol(module, "v").unwrap_err()),
        ("code that the program has loaded", |session, module| {
            session.kernel_names(module).unwrap_err()
        }),
    ];
    for (place, ask) in uses {
        let mut session = Session::in_memory(Options::default()).unwrap();
        let module = session.load_module(ModuleImage::Ptx(broken));
        let error = ask(&mut session, module);
        assert!(matches!(error, RuntimeError::Unreadable(_)), "{error:?}");
        let report = session.into_report();
        assert_eq!(report.not_covered.len(), 1);
        assert_eq!(report.not_covered[0].place, place);
        assert!(report.not_covered[0].what.contains("line 2: expected an operand"));
    }
}

/// A second session of a process has no memory that the host can use: the range is taken.
#[test]
fn memory_for_the_host_is_refused_and_named_where_its_range_is_taken() {
    // Other tests may have the range for a while.
    let first = loop {
        let mut session = Session::in_memory(Options::default()).unwrap();
        if session.allocate(4096, AllocationKind::Managed).is_ok() {
            break session;
        }
    };
    let mut second = Session::in_memory(Options::default()).unwrap();
    let error = second.allocate(4096, AllocationKind::Managed).unwrap_err();
    assert!(matches!(error, RuntimeError::NotSupported(_)), "{error:?}");
    let report = second.into_report();
    assert_eq!(report.not_covered.len(), 1);
    assert!(report.not_covered[0].what.contains("from 0x300000000000"), "{report:?}");
    drop(first);
}

/// A device that is full is the program's to deal with, as on a GPU.
#[test]
fn a_device_without_enough_memory_is_no_refusal() {
    let mut session = Session::in_memory(Options::default()).unwrap();
    let (free, _) = session.memory_info();
    let error = session.allocate(free + 1, AllocationKind::Device).unwrap_err();
    assert!(matches!(error, RuntimeError::OutOfMemory(_)), "{error:?}");
    assert_eq!(session.into_report().not_covered, []);
}

/// Free memory that is in pieces is enough for a GPU, and not for the emulated device.
#[test]
fn memory_in_pieces_is_refused_and_named() {
    let mut session = Session::in_memory(Options::default()).unwrap();
    let (free, _) = session.memory_info();
    let half = free / 2;
    let first = session.allocate(half - 4096, AllocationKind::Device).unwrap();
    session.allocate(4096, AllocationKind::Device).unwrap();
    session.free(first).unwrap();
    let error = session.allocate(half + 4096, AllocationKind::Device).unwrap_err();
    assert!(matches!(error, RuntimeError::NoRoom(_)), "{error:?}");
    let report = session.into_report();
    assert_eq!(report.not_covered[0].place, "memory of the emulated device");
}

#[test]
fn a_grid_may_have_more_blocks_than_one_dimension_and_none_without_a_number() {
    let (mut session, module) = session();
    let kernel = session.kernel(module, "racy").unwrap();
    let mut check = |x, y, z| {
        let (grid, block) = (Dim3::new(x, y, z), Dim3::new(32, 1, 1));
        session.check_launch(&QueuedLaunch::new(kernel, grid, block, Vec::new()))
    };
    assert_eq!(check(65_536, 32_769, 1), Ok(()));
    assert_eq!(check(65_537, 65_535, 1), Ok(()));
    let numberless = check(65_536, 65_535, 2).unwrap_err();
    assert!(matches!(numberless, RuntimeError::NotSupported(_)), "{numberless:?}");
    let too_high = check(1, 65_536, 1).unwrap_err();
    assert!(matches!(too_high, RuntimeError::InvalidConfiguration(_)), "{too_high:?}");
    let report = session.into_report();
    assert_eq!(report.not_covered.len(), 1, "a GPU refuses the other one, too");
    assert_eq!(report.not_covered[0].place, "kernel `racy`");
}

#[test]
fn launches_of_streams_are_emitted_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("streams.trace");
    let (mut session, module) = session();
    session.record(&trace, &TraceHeader::default()).unwrap();
    let kernel = session.kernel(module, "racy").unwrap();
    for stream in [Some(1), Some(2), None, Some(1), Some(2)] {
        let stream = stream.map_or(Stream::Legacy, Stream::Blocking);
        let one = Dim3::new(1, 1, 1);
        session.launch(stream, &QueuedLaunch::new(kernel, one, one, Vec::new())).unwrap();
    }
    session.end_recording().unwrap();
    let file = std::fs::File::open(&trace).unwrap();
    let mut reader = warpsan_event::trace::TraceReader::new(file).unwrap();
    let (mut buffer, mut launches) = (EventBuffer::new(), Vec::new());
    loop {
        match reader.read(&mut buffer).unwrap() {
            warpsan_event::trace::TraceStep::End => break,
            warpsan_event::trace::TraceStep::Remark(_) => {}
            warpsan_event::trace::TraceStep::Events => {
                launches.extend(buffer.batch().events().filter_map(|event| match event {
                    Event::LaunchOrder { launch, after, .. } => {
                        Some(format!("{} after {:?}", launch.0, after))
                    }
                    Event::LaunchBegin { launch, .. } => Some(format!("{} begins", launch.0)),
                    _ => None,
                }));
            }
        }
    }
    let expected =
        ["0 begins", "1 after []", "1 begins", "2 begins", "3 begins", "4 after []", "4 begins"];
    assert_eq!(launches, expected);
}

/// Puts launches that wait for a number and then write another one into streams of their own.
fn put_in_line(session: &mut Session, module: ModuleId, numbers: &[(u32, u32)]) {
    let kernel = session.kernel(module, "waits").unwrap();
    for (stream, (own, other)) in (1..).zip(numbers) {
        let one = Dim3::new(1, 1, 1);
        let parameters: Vec<u8> = [own.to_le_bytes(), other.to_le_bytes()].concat();
        let launch = QueuedLaunch::new(kernel, one, one, parameters);
        session.check_launch(&launch).unwrap();
        let call = ApiCall { name: "cudaLaunchKernel".to_string(), frames: Arc::new(Vec::new) };
        session.enqueue(Stream::Blocking(stream), Work { call, task: Task::Launch(launch) });
    }
}

fn work_off(session: &mut Session) -> usize {
    let mut steps = 0;
    loop {
        match session.step() {
            QueueStep::Done(result) => result.unwrap(),
            QueueStep::Nothing => return steps,
            QueueStep::Busy | QueueStep::HostFunction(..) => {
                panic!("no function of the host is there")
            }
        }
        steps += 1;
    }
}

#[test]
fn launches_of_different_streams_can_wait_for_each_other() {
    for seed in 0..6 {
        let mut session = Session::in_memory(Options { seed, ..Options::default() }).unwrap();
        let module = session.load_module(ModuleImage::Ptx(PTX));
        // The counter begins with 5, and each launch waits for the one behind it in this list.
        put_in_line(&mut session, module, &[(7, 8), (6, 7), (5, 6)]);
        work_off(&mut session);
        let (counter, _) = session.symbol(module, "counter").unwrap();
        let mut value = [0; 4];
        session.copy_from_device(&mut value, counter).unwrap();
        assert_eq!(u32::from_le_bytes(value), 8, "seed {seed}");
        let report = session.into_report();
        assert_eq!(report.launches, 3);
        assert!(report.not_covered.is_empty(), "{:?}", report.not_covered);
        assert!(report.races.iter().any(|race| race.kind == RaceKind::Volatile));
    }
}
