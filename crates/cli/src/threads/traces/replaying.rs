//! A detector over a trace.
//!
//! The first pass finds races; the second one, which is made only if there are any, finds where their accesses were.

use super::places::Places;
use super::records::Records;
use super::redundancy::Redundancy;
use super::{Source, ThreadTrace};
use crate::threads::ThreadDetector;
use crate::threads::reading::ThreadProcess;
use anyhow::Context;
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_hardware::parsnip::{Order, Settings, Simulation};
use warpsan_thread_detect::{
    AllRules, Checker, EarlierAccess, EmptyTool, FastTrack, RustAllocation, SlimFast,
    SlimFastSettings, Tool, figures,
};
use warpsan_thread_report::{End, LostRecord, Start, Statistic};
use warpsan_thread_trace::{Ending, Event, Race, Replay, Site, TraceThread, Witness};

/// Races that are alike: their later accesses have one place and their earlier ones one thread.
type Alike =
    (Site, TraceThread, EarlierAccess, std::mem::Discriminant<warpsan_thread_trace::Action>);

/// So many that are not alike are reported; more are counted.
const MOST_RACES: usize = 10_000;

/// Races that a pass has found.
#[derive(Default)]
struct Found {
    races: Vec<Race>,
    counts: Vec<u64>,
    by_likeness: HashMap<Alike, usize>,
    /// How many have found no room.
    surplus: u64,
}

impl Found {
    fn add(&mut self, event: &Event, race: Race) {
        let kind = std::mem::discriminant(&event.action);
        let alike = (event.site, race.earlier, race.conflict.access, kind);
        match self.by_likeness.get(&alike) {
            Some(known) => self.counts[*known] += 1,
            None if self.races.len() == MOST_RACES => self.surplus += 1,
            None => {
                self.by_likeness.insert(alike, self.races.len());
                self.races.push(race);
                self.counts.push(1);
            }
        }
    }
}

/// What came of a trace.
struct Pass {
    found: Found,
    threads: u64,
    events: u64,
    ending: Ending,
}

impl ThreadTrace {
    /// Runs a detector over the trace. What comes of it is what a process would have said.
    pub(crate) fn replay(
        &self,
        detector: ThreadDetector,
        statistics: bool,
    ) -> anyhow::Result<ThreadProcess> {
        let storage = || Arc::new(RustAllocation);
        match detector {
            ThreadDetector::SlimFast => {
                let settings = SlimFastSettings::default();
                self.replay_with(SlimFast::<AllRules>::new(storage(), settings), false)
            }
            ThreadDetector::FastTrack => {
                self.replay_with(FastTrack::<AllRules>::new(storage()), statistics)
            }
            ThreadDetector::Empty => self.replay_with(EmptyTool::default(), false),
            ThreadDetector::Parsnip => self.replay_on_parsnip(),
        }
    }

    fn replay_with<T: Tool>(&self, tool: T, redundancy: bool) -> anyhow::Result<ThreadProcess> {
        let checker = Checker::new(tool, Arc::new(RustAllocation))?;
        let mut replay = Replay::new(&checker);
        let mut values = redundancy.then(Redundancy::default);
        let pass = self.pass(|event, found| {
            if let Some(values) = &mut values {
                values.before(&checker, event);
            }
            let done = replay.event(event, found);
            if let Some(values) = &mut values {
                values.after(&checker);
            }
            Ok(done?)
        })?;
        let replayed = replay.finish(Vec::new());
        let mut figures: Vec<Statistic> =
            figures(&replayed.counters, &replayed.memory, replayed.shadow_bytes)
                .into_iter()
                .map(|(name, value)| Statistic { name: name.to_string(), value })
                .collect();
        let ratio = values.and_then(|values| values.ratio());
        figures
            .extend(ratio.map(|value| Statistic { name: "redundancy ratio".to_string(), value }));
        self.process_of(pass, T::NAME, figures)
    }

    fn replay_on_parsnip(&self) -> anyhow::Result<ThreadProcess> {
        let order = Order::new()?;
        let mut simulation = Simulation::new(&order, &[Settings::default()]);
        let pass = self.pass(|event, found| Ok(simulation.event(event, found)?))?;
        let outcome = simulation.finish().into_iter().next().unwrap_or_default();
        let figures = [
            ("accesses", outcome.accesses as f64),
            ("slowdown of the model", outcome.slowdown()),
            ("software checks", outcome.events.software_checks as f64),
            ("rejections", outcome.events.rejections as f64),
            ("buffer drains", outcome.events.drains as f64),
        ];
        let figures =
            figures.map(|(name, value)| Statistic { name: name.to_string(), value }).to_vec();
        self.process_of(pass, ThreadDetector::Parsnip.name(), figures)
    }

    /// Goes through the trace with something that finds races.
    fn pass(
        &self,
        mut act: impl FnMut(&Event, &mut dyn FnMut(Race)) -> anyhow::Result<()>,
    ) -> anyhow::Result<Pass> {
        let mut found = Found::default();
        let mut threads = std::collections::HashSet::new();
        let mut events = 0_u64;
        let wrong = || format!("{} is no trace that can be replayed", self.path.display());
        let ending = self.go_through(&mut Places::default(), |event, _| {
            threads.insert(event.thread);
            events += 1;
            act(event, &mut |race| found.add(event, race)).with_context(wrong)
        })?;
        Ok(Pass { found, threads: threads.len() as u64, events, ending })
    }

    /// What a process would have said of what a pass has found.
    fn process_of(
        &self,
        pass: Pass,
        detector: &str,
        statistics: Vec<Statistic>,
    ) -> anyhow::Result<ThreadProcess> {
        let mut process = ThreadProcess {
            start: Some(Start {
                process: 0,
                fork_of: None,
                detector: detector.to_string(),
                program: self.program()?.unwrap_or_default(),
            }),
            end: Some(End { threads: pass.threads, statistics }),
            is_whole: true,
            ..ThreadProcess::default()
        };
        if pass.ending == Ending::Cut {
            process.lost.push(self.cut_off(pass.events));
        }
        if pass.found.surplus > 0 {
            process.lost.push(self.surplus(pass.found.surplus));
        }
        self.add_races(&mut process, pass.found)?;
        Ok(process)
    }

    /// Looks for the accesses of the races, and makes records of them.
    fn add_races(&self, process: &mut ThreadProcess, found: Found) -> anyhow::Result<()> {
        if found.races.is_empty() {
            return Ok(());
        }
        let order = Checker::new(EmptyTool::default(), Arc::new(RustAllocation))?;
        let mut witness = Witness::new(&order, found.races);
        let mut places = Places::default();
        self.go_through(&mut places, |event, _| Ok(witness.event(event)?))?;
        let (witnessed, starts, ended) = witness.finish();
        let text = match &self.source {
            Source::Text(named) => Some((self.path.as_path(), &**named)),
            Source::Recorded => None,
        };
        let records = Records { places: &places, starts: &starts, ended: &ended, text };
        for (number, (race, count)) in witnessed.iter().zip(found.counts).enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            process.races.push(records.race(number, race));
            process.counts.insert(number, count);
        }
        Ok(())
    }

    fn cut_off(&self, events: u64) -> LostRecord {
        LostRecord {
            what: format!("what the process did after event {events}, where the trace ends"),
            place: self.path.display().to_string(),
            advice:
                "see whether the process was killed, or became another program, and record it again"
                    .to_string(),
        }
    }

    fn surplus(&self, count: u64) -> LostRecord {
        LostRecord {
            what: format!("{count} races more, which are not shown"),
            place: self.path.display().to_string(),
            advice: format!("repair those {MOST_RACES} that are shown").to_string(),
        }
    }
}
