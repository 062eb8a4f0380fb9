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
