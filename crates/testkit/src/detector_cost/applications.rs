//! What detectors cost on whole programs: each over the same recorded trace.
//!
//! Reading a trace takes time by itself. It is what `none` costs here, and part of what the others cost.

use std::path::Path;

use anyhow::Context;
use warpsan_detect::Settings;

use super::cost::SHADOW_BYTES;
use super::listeners::FirstRace;
use crate::engine_speed::clock::processor_seconds;
use crate::engine_speed::measure::median;
use crate::traces::replay;

/// The detectors that are compared. The first is what the others are measured against.
pub const COMPARED: [&str; 6] = ["none", "curd", "scord", "iguard", "barracuda", "hb"];

/// Those of them to which volatile accesses are like others, so that what applications hand over by volatile data races.
pub const WITHOUT_VOLATILE: [&str; 2] = ["curd", "barracuda"];

/// What a detector costs on a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceCost {
    /// The median processor time.
    pub seconds: f64,
    /// The most bytes of metadata at one time; none if it keeps none.
    pub shadow_bytes: Option<u64>,
    /// The first race that was reported; there should be none.
    pub race: Option<String>,
}

/// Measures a detector over a trace.
pub fn cost_on_trace(
    trace: &Path,
    detector: &str,
    repetitions: usize,
) -> anyhow::Result<TraceCost> {
    let mut times = Vec::new();
    let (mut shadow_bytes, mut race) = (None, None);
    for _ in 0..repetitions.max(1) {
        let mut one = warpsan_detect::by_name(detector, Settings::default())
            .with_context(|| format!("there is no detector {detector}"))?;
        let mut races = FirstRace::default();
        let start = processor_seconds();
        replay(trace, &mut *one, &mut races)?;
        times.push(processor_seconds() - start);
        if let Some(what) = races.not_checked {
            anyhow::bail!("{detector} has not checked: {what}");
        }
        let statistics = one.statistics();
        let shadow = statistics.iter().find(|statistic| statistic.name == SHADOW_BYTES);
        shadow_bytes = shadow.map(|statistic| statistic.value);
        race = race.or(races.race.map(|race| format!("{}: {}", race.kind, race.reason)));
    }
    Ok(TraceCost { seconds: median(times), shadow_bytes, race })
}
