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
