//! The blocks of a launch, on one core or on several.

use crate::engine::Engine;
use crate::launch::{Launch, LaunchStats, Outcome};
use crate::memory::{DeviceMemory, MemoryView};
use crate::schedule::{Policy, Schedule};
use crate::trace::Trace;
use warpsan_event::{Event, EventSink};

/// Runs a launch.
pub(crate) fn run(
    launch: &Launch<'_>,
    memory: &DeviceMemory,
    sink: &mut dyn EventSink,
) -> Outcome {
    let mut trace = Trace::new(sink);
    let is_empty = launch.geometry.threads_per_block() == 0 || launch.geometry.grid.count() == 0;
    if is_empty {
        let stats = LaunchStats::default();
        return Outcome { stats, printed: Vec::new(), turns: None, result: Ok(()) };
    }
    trace.structure(Event::LaunchBegin {
        launch: launch.id,
        facts: &launch.kernel.facts,
        sites: &launch.kernel.sites,
        geometry: launch.geometry,
    });
    let extent = launch.cluster_extents();
    if extent.count() > 1 {
        trace.structure(Event::Clusters { extent });
    }
    let program = &launch.kernel.program;
    let clusters = 0..launch.clusters();
    let mut engine = Engine::new(program, launch, MemoryView::of(memory), trace, clusters, 0);
    let result = engine.run();
    let turns = engine.take_recorded().map(|turns| Schedule {
        policy: Policy::Replay(turns),
        seed: launch.schedule.seed,
    });
    let core = engine.core();
    core.trace.structure(Event::LaunchEnd { launch: launch.id });
    core.trace.flush();
    let stats =
        LaunchStats { warp_instructions: core.instructions, accesses: core.trace.accesses };
    Outcome { stats, printed: std::mem::take(&mut core.printed), turns, result }
}
