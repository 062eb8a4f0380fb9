//! The programs of a suite, recorded by `warpsan`, shipped, and judged by `warpsan` again.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use warpsan_event::trace::{TraceReader, TraceStep, TraceWriter};
use warpsan_event::{EventBuffer, EventSink};

use super::{Launches, Way, ship_trace};
use crate::traces::record_kernels;
use warpsan_suite::{Answer, Certainty, Program, ReportExpectation, Settings, report_of};

/// What is reported about a program once its launches have gone through queues. The trace that came of it is
/// left in a folder, if one is given.
pub fn answer_after_shipping(
    program: &Program,
    seed: u64,
    way: Way,
    settings: &Settings,
    keep: Option<&Path>,
) -> (Answer, Launches) {
    match record_and_replay(program, seed, way, settings, keep) {
        Ok(answer) => answer,
        Err(error) => (Answer::Failure(format!("{error:#}")), Launches::default()),
    }
}

fn record_and_replay(
    program: &Program,
    seed: u64,
    way: Way,
    settings: &Settings,
    keep: Option<&Path>,
) -> anyhow::Result<(Answer, Launches)> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let [recorded, shipped, report] =
        ["recorded.trace", "shipped.trace", "report.json"].map(|name| folder.path().join(name));
    record_kernels(settings, &program.path, seed, &recorded)?;
    let launches = ship_file(&recorded, &shipped, way, seed)?;
    if let Some(keep) = keep {
        let name = format!("{}.{seed}.trace", program.name.replace('/', "."));
        std::fs::copy(&shipped, keep.join(name))?;
    }
    let mut replay = Command::new(&settings.warpsan);
    replay.args(["replay", "--detector", &settings.detector, "--format", "json", "--output"]);
    replay.arg(&report).args(&program.flags);
    let (_, value) = report_of(replay.arg(&shipped), &report)?;
    Ok((Answer::of_report(&value, &program.path), launches))
}

/// Ships all launches of a trace file into another one.
fn ship_file(from: &Path, to: &Path, way: Way, seed: u64) -> anyhow::Result<Launches> {
    let name = || from.display().to_string();
    let input = File::open(from).with_context(name)?;
    let mut reader = TraceReader::new(BufReader::new(input)).with_context(name)?;
    let header = reader.header().clone();
    let (mut all, mut some) = (EventBuffer::new(), EventBuffer::new());
    let mut remarks = Vec::new();
    loop {
        match reader.read(&mut some).with_context(name)? {
            TraceStep::Events => some.batch().events().for_each(|event| all.push(event)),
            TraceStep::Remark(text) => remarks.push(text),
            TraceStep::End => break,
        }
    }
    let shipped = ship_trace(&all, way, seed);
    let output = File::create(to).with_context(name)?;
    let mut writer = TraceWriter::new(BufWriter::new(output), &header).with_context(name)?;
    writer.batch(&shipped.events.batch());
    remarks.iter().for_each(|text| writer.remark(text));
    writer.finish().with_context(name)?;
    Ok(shipped.launches)
}

/// What can be expected of a program whose operations went through queues. The order of weak accesses that nothing
/// orders is lost on the way. So where a program has several races, one of them may hide another from a detector that
/// remembers the last accesses only: each has to show in some way, and at least one in every way. What is said of the
/// report as a whole is about that of the command.
pub fn leniently(program: &Program, answers: &[(u64, Answer)]) -> Program {
    let is_racy = |answer: &Answer| match answer {
        Answer::Checked { races, .. } => !races.is_empty(),
        Answer::Failure(_) => false,
    };
    let report = ReportExpectation::default();
    let mut program = Program { report, ..program.clone() };
    if program.expectations.len() > 1 && answers.iter().all(|(_, one)| is_racy(one)) {
        for expectation in &mut program.expectations {
            expectation.certainty = Certainty::SomeSchedules;
        }
    }
    program
}
