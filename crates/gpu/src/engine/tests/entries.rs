//! Kernels with hb's entries.

use super::*;
use warpsan_instrument::{EntriesHead, entry_gaps};

#[test]
fn what_was_lost_is_reported_when_the_program_ends() {
    let plan = EngineSettings { plan: DevicePlan::HappensBefore, ..settings() };
    let program = Program::new(64 * GIB, plan);
    program.allocate(0x7000_0000_0000, 4 * MIB);
    let scale = program.function("scale");
    assert_ne!(program.launch(scale, LaunchSource::Stream).function, scale, "it is instrumented");
    let head = program.engine.lock().devices[&CONTEXT].pools.as_ref().map(|pools| pools.head);
    let place = head.expect("pools") + EntriesHead::GAPS;
    fake(|fake| fake.left.insert(place, entry_gaps::NO_ROOM));
    assert_eq!(program.warnings(), Vec::<String>::new());
    program.engine.drain_all();
    let warnings = program.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("was used up"), "{warnings:?}");
    program.engine.drain_all();
    assert_eq!(program.warnings().len(), 1, "once");
}

#[test]
fn a_launch_that_the_driver_refuses_is_left_to_the_driver() {
    let plan = EngineSettings { plan: DevicePlan::HappensBefore, ..settings() };
    let program = Program::new(64 * GIB, plan);
    let scale = program.function("scale");
    let changes: [fn(&mut LaunchCall); 4] = [
        |call| call.grid[1] = 0,
        |call| call.block[0] = 0,
        |call| call.block[0] = 1025,
        |call| call.shared_bytes = 49 << 10,
    ];
    for change in changes {
        let mut call = program.call(scale, LaunchSource::Stream, CUstream::NULL);
        change(&mut call);
        let mut tried = Vec::new();
        let result = program.engine.launch(&mut call, &mut |call| {
            tried.push(call.function);
            CUresult::INVALID_VALUE
        });
        assert_eq!((result, tried), (CUresult::INVALID_VALUE, vec![scale]));
    }
    assert_eq!(program.warnings(), Vec::<String>::new());
}

#[test]
fn pools_do_not_grow_in_a_capture() {
    let plan = EngineSettings { plan: DevicePlan::HappensBefore, ..settings() };
    let program = Program::new(64 * GIB, plan);
    program.allocate(0x7000_0000_0000, 4 * MIB);
    let scale = program.function("scale");
    program.launch(scale, LaunchSource::Stream);
    program.allocate(0x7100_0000_0000, 4 * GIB);
    let waits = || fake(|fake| fake.waited_for.len());
    let before = waits();
    fake(|fake| fake.captured = Some(CUgraph(0x91)));
    assert_ne!(program.launch(scale, LaunchSource::Stream).function, scale, "it is instrumented");
    assert_eq!(waits(), before, "a wait for the device would end the capture");
    fake(|fake| fake.captured = None);
    program.launch(scale, LaunchSource::Stream);
    assert!(waits() > before, "they grow behind it");
}

#[test]
fn how_much_memory_entries_take_is_told() {
    let plan = EngineSettings { plan: DevicePlan::HappensBefore, ..settings() };
    let program = Program::new(64 * GIB, plan);
    program.allocate(0x7000_0000_0000, 64 * MIB);
    program.launch(program.function("scale"), LaunchSource::Stream);
    program.free(0x7000_0000_0000);
    program.engine.drain_all();
    let bytes = *program.reported.entries.lock().expect("no panic");
    assert_eq!(bytes.program, 64 * MIB + 4, "with a variable of the module");
    let per_byte = bytes.lines as f64 / bytes.program as f64;
    assert!(
        (0.125..0.15).contains(&per_byte),
        "16 bytes for each line, and a little more: {bytes:?}"
    );
    assert!(bytes.pools > 0 && bytes.used == 0, "{bytes:?}");
}

#[test]
fn entries_that_do_not_fit_behind_shared_memory_are_in_slots() {
    let plan = EngineSettings { plan: DevicePlan::HappensBefore, ..settings() };
    let program = Program::new(64 * GIB, plan);
    program.allocate(0x7000_0000_0000, 4 * MIB);
    let shares = program.function("shares");
    let launch = |shared_bytes: u32| {
        let mut parameters: [*mut c_void; 2] = [std::ptr::null_mut(); 2];
        let (mut data, mut count) = (0u64, 0u32);
        parameters[0] = (&raw mut data).cast::<c_void>();
        parameters[1] = (&raw mut count).cast::<c_void>();
        let mut call = program.call(shares, LaunchSource::Stream, CUstream::NULL);
        (call.shared_bytes, call.parameters) = (shared_bytes, parameters.as_mut_ptr());
        let mut launched = None;
        program.engine.launch(&mut call, &mut |call| {
            launched = Some((call.function, call.shared_bytes));
            CUresult::SUCCESS
        });
        let (function, bytes) = launched.expect("a launch");
        assert_ne!(function, shares, "it is instrumented");
        bytes
    };
    let slots = || program.engine.lock().devices[&CONTEXT].slots.len();
    // The driver says that the kernel has one byte of its own.
    let (small, large) = (1024, 47 << 10);
    assert_eq!(launch(small), (small + 128) / 4 * 18 + small + 128 - 1);
    assert_eq!(slots(), 0);
    assert_eq!(launch(large), large + 128 + 32 - 1);
    assert_eq!(slots(), 1);
    launch(large);
    assert_eq!(slots(), 1, "the same again");
    assert_eq!(of(&program.reported.not_covered), Vec::<String>::new());
}
