//! Tables VI and VII of the ScoRD paper: what its cache misses, and what coarser metadata makes up.
//!
//! Detectors with different settings see the same trace, so that nothing but the setting can make a difference.

use std::path::Path;

use warpsan_detect::scord::{Scord, ScordSettings};
use warpsan_detect::{Detector, Granularity, Settings};
use warpsan_model::DeviceAddress;
use warpsan_report::{NotCovered, Race, RaceKey, RaceSink};

use crate::traces::replay;

/// A race that is found without the cache, and not with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// Kind and lines.
    pub what: String,
    /// The metadata of its address was overwritten by that of another address.
    pub is_alias: bool,
}

/// What the cache does to a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cached {
    /// Races without the cache.
    pub without: usize,
    /// Those that only the base design finds.
    pub missed: Vec<Missed>,
    /// Those that only the cache has; there should be none.
    pub made_up: Vec<String>,
}

/// Compares the base design with the cached one.
pub fn compare_cache(trace: &Path) -> anyhow::Result<Cached> {
    let (base, _) = races_of(trace, ScordSettings::default())?;
    let settings = ScordSettings { cache: true, ..ScordSettings::default() };
    let (cached, detector) = races_of(trace, settings)?;
    let has =
        |races: &[(String, DeviceAddress)], what: &str| races.iter().any(|race| race.0 == what);
    let missed = base.iter().filter(|(what, _)| !has(&cached, what)).map(|(what, address)| {
        Missed { what: what.clone(), is_alias: detector.was_evicted(*address) }
    });
    let made_up = cached.iter().filter(|(what, _)| !has(&base, what)).map(|(what, _)| what.clone());
    Ok(Cached { without: base.len(), missed: missed.collect(), made_up: made_up.collect() })
}

/// How many reports there are with metadata for so many bytes.
pub fn reports_with_granularity(trace: &Path, bytes: u8) -> anyhow::Result<usize> {
    let granularity = Granularity::try_from(bytes)?;
    let settings = ScordSettings { granularity, ..ScordSettings::default() };
    Ok(races_of(trace, settings)?.0.len())
}

fn races_of(
    trace: &Path,
    scord: ScordSettings,
) -> anyhow::Result<(Vec<(String, DeviceAddress)>, Scord)> {
    let mut detector = Scord::new(Settings { scord, ..Settings::default() });
    let mut races = Races::default();
    replay(trace, &mut detector as &mut dyn Detector, &mut races)?;
    Ok((races.0, detector))
}

/// Different races, each with the address where it was seen first.
#[derive(Default)]
struct Races(Vec<(String, DeviceAddress)>);

impl RaceSink for Races {
    fn race(&mut self, race: Race) {
        let (one, other) = (race.first.line(), race.second.line());
        let what = format!("{} on lines {} and {}", race.kind, one.min(other), one.max(other));
        if !self.0.iter().any(|known| known.0 == what) {
            self.0.push((what, race.location.address));
        }
    }

    fn seen_again(&mut self, _: &RaceKey, _: u64) {}

    /// It checks everything, or says before that it does not.
    fn not_checked(&mut self, _: NotCovered) {}
}
