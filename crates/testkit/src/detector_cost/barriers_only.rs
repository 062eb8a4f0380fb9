//! What `curd` costs on kernels that synchronise by barriers only, which its sets are made for: over the trace of a workload,
//! beside `none`, which reads it.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use anyhow::Context;
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
) -> anyhow::Result<Option<[TraceCost; 2]>> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let trace = folder.path().join("workload.trace");
    let unwritten = || format!("cannot write {}", trace.display());
    let file = BufWriter::new(File::create(&trace).with_context(unwritten)?);
    let mut recorder =
        Recorder(TraceWriter::new(file, &TraceHeader::default()).with_context(unwritten)?);
    Machine::new(toolchain, suite, workload)?.run_with(&mut recorder)?;
    recorder.0.finish().with_context(unwritten)?;
    let mut curd = Curd::new(Settings::default());
    replay(&trace, &mut curd, &mut FirstRace::default())?;
    if curd.has_used_barracuda() {
        return Ok(None);
    }
    let [none, curd] = ["none", "curd"].map(|name| cost_on_trace(&trace, name, repetitions));
    Ok(Some([none?, curd?]))
}
