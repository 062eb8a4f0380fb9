//! What `hb` costs on a workload of the CPU engine: its time beside that of `none` and of a sink that ignores all events,
//! and its shadow memory beside the memory that the kernels touch.

use std::path::Path;

use anyhow::Context;
use warpsan_detect::Settings;
use warpsan_toolchain::Toolchain;

use super::listeners::{Detects, FirstRace, OnlyListens};
use super::touched::Touched;
use crate::engine_speed::machine::{EngineRun, Machine};
use crate::engine_speed::measure::median;
use crate::engine_speed::{Workload, throughput, workloads};

/// The detector whose cost is measured.
const DETECTOR: &str = "hb";
/// The name of the detector's statistic of its shadow memory.
pub(super) const SHADOW_BYTES: &str = "shadow bytes (peak)";
/// Workloads whose warps access neighbouring bytes.
const COALESCED: [&str; 3] = ["triad", "nbody", "matmul"];

/// Everything that is measured.
#[derive(Debug)]
pub struct Workloads(Vec<Workload>);

impl Workloads {
    /// The workloads of the engine's own measurement.
    pub fn new() -> Self {
        let mut all = vec![throughput::arithmetic(), throughput::memory()];
        all.extend(workloads());
        Self(all)
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Workload> {
        self.0.iter()
    }
}

impl Default for Workloads {
    fn default() -> Self {
        Self::new()
    }
}

/// What one workload costs.
#[derive(Debug, Clone)]
pub struct Cost {
    /// The median processor time with detector `none`.
    pub none_seconds: f64,
    /// The same with a listener that wants what the detector wants and does nothing with it.
    pub events_seconds: f64,
    /// The same with the detector.
    pub detector_seconds: f64,
    /// Different bytes of memory that the kernels access.
    pub touched_bytes: u64,
    /// The most bytes of shadow memory at one time, where the detector says it.
    pub shadow_bytes: Option<u64>,
    /// Whether warps access neighbouring bytes.
    pub is_coalesced: bool,
    /// The first race that was reported; there should be none.
    pub race: Option<String>,
}

impl Cost {
    /// How many times longer a run with the detector takes.
    pub fn ratio(&self) -> f64 {
        self.detector_seconds / self.none_seconds
    }

    /// How many times longer a run takes whose events are emitted and ignored.
    pub fn events_ratio(&self) -> f64 {
        self.events_seconds / self.none_seconds
    }

    /// Bytes of shadow memory for each byte that is touched.
    pub fn shadow_per_byte(&self) -> Option<f64> {
        Some(self.shadow_bytes? as f64 / self.touched_bytes as f64)
    }
}

/// Measures a workload: without a listener, with one that ignores everything, and with the detector, in turn.
pub fn cost(
    toolchain: &Toolchain,
    suite: &Path,
    workload: &Workload,
    repetitions: usize,
) -> anyhow::Result<Cost> {
    let mut machine = Machine::new(toolchain, suite, workload)?;
    let mut touched = Touched::default();
    let expected = machine.run_with(&mut touched)?.output;
    let same = |run: EngineRun| match run.output == expected {
        true => Ok(run.seconds),
        false => anyhow::bail!("the result depends on who listens"),
    };
    let [mut none, mut events, mut detector] = [const { Vec::new() }; 3];
    let (mut shadow_bytes, mut race) = (None, None);
    for _ in 0..repetitions {
        none.push(same(machine.run()?)?);
        let mut detects = new_detector()?;
        let interest = detects.detector.interest();
        events.push(same(machine.run_with(&mut OnlyListens { interest })?)?);
        detector.push(same(machine.run_with(&mut detects)?)?);
        if let Some(what) = detects.races.not_checked {
            anyhow::bail!("not checked: {what}");
        }
        let statistics = detects.detector.statistics();
        let shadow = statistics.iter().find(|statistic| statistic.name == SHADOW_BYTES);
        shadow_bytes = shadow.map(|statistic| statistic.value);
        race = race.or(detects.races.race.map(|race| format!("{}: {}", race.kind, race.reason)));
    }
    Ok(Cost {
        none_seconds: median(none),
        events_seconds: median(events),
        detector_seconds: median(detector),
        touched_bytes: touched.bytes(),
        shadow_bytes,
        is_coalesced: COALESCED.contains(&workload.name),
        race,
    })
}

fn new_detector() -> anyhow::Result<Detects> {
    let detector = warpsan_detect::by_name(DETECTOR, Settings::default());
    let detector = detector.with_context(|| format!("there is no detector {DETECTOR}"))?;
    Ok(Detects { detector, races: FirstRace::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_quotients() {
        let cost = Cost {
            none_seconds: 0.5,
            events_seconds: 0.75,
            detector_seconds: 1.25,
            touched_bytes: 1000,
            shadow_bytes: Some(1500),
            is_coalesced: true,
            race: None,
        };
        assert_eq!(cost.ratio(), 2.5);
        assert_eq!(cost.events_ratio(), 1.5);
        assert_eq!(cost.shadow_per_byte(), Some(1.5));
    }

    #[test]
    fn the_coalesced_workloads_are_there() {
        let workloads = Workloads::new();
        for name in COALESCED {
            assert!(workloads.iter().any(|workload| workload.name == name), "{name}");
        }
    }
}
