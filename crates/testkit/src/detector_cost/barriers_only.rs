//! What `curd` costs on kernels that synchronise by barriers only, which its sets are made for: over the trace of a workload,
//! beside `none`, which reads it.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use warpsan_detect::Settings;
use warpsan_detect::curd::Curd;
use warpsan_event::trace::{TraceHeader, TraceWriter};
use warpsan_event::{Batch, EventMask, EventSink};
use warpsan_toolchain::Toolchain;

use super::applications::{TraceCost, cost_on_trace};
use super::listeners::FirstRace;
use crate::engine_speed::Workload;
use crate::engine_speed::machine::Machine;
use crate::traces::replay;

/// Writes what happens to a trace.
struct Recorder(TraceWriter<BufWriter<File>>);

impl EventSink for Recorder {
    fn interest(&self) -> EventMask {
        EventMask::ALL
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        batch.events().for_each(|event| self.0.event(&event));
    }
}

/// What `none` and `curd` cost on a workload; nothing if some kernel of it is not for sets.
pub fn cost_of_sets(
    toolchain: &Toolchain,
    suite: &Path,
    workload: &Workload,
    repetitions: usize,
) -> Result<Option<[TraceCost; 2]>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let trace = folder.path().join("workload.trace");
    let unwritten = |error: std::io::Error| format!("cannot write {}: {error}", trace.display());
    let file = BufWriter::new(File::create(&trace).map_err(unwritten)?);
    let mut recorder =
        Recorder(TraceWriter::new(file, &TraceHeader::default()).map_err(unwritten)?);
    Machine::new(toolchain, suite, workload)?.run_with(&mut recorder)?;
    recorder.0.finish().map_err(unwritten)?;
    let mut curd = Curd::new(Settings::default());
    replay(&trace, &mut curd, &mut FirstRace::default())?;
    if curd.has_used_barracuda() {
        return Ok(None);
    }
    let [none, curd] = ["none", "curd"].map(|name| cost_on_trace(&trace, name, repetitions));
    Ok(Some([none?, curd?]))
}
