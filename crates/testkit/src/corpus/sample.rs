//! A part of the corpus that fits into a given time.
//!
//! The choice depends only on the corpus and the time, not on the machine. Every source comes at least once
//! while the time lasts; architectures and modes take turns from source to source, so that all of them occur.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Mode, Unit};

/// The part of `units` that takes about `budget` of computing time, in the order in which it should run.
pub fn sample(units: &[Unit], budget: Duration) -> Vec<Unit> {
    let mut sources: Vec<Vec<&Unit>> = Vec::new();
    for unit in units {
        match sources.last_mut() {
            Some(group) if group[0].source.path == unit.source.path => group.push(unit),
            _ => sources.push(vec![unit]),
        }
    }
    let rounds = sources.iter().map(Vec::len).max().unwrap_or(0);
    let mut chosen = BTreeSet::new();
    let mut sample = Vec::new();
    let mut left = budget;
    for round in 0..rounds {
        for (index, group) in sources.iter().enumerate() {
            let unit = group[(index * 5 + round * step_for(group.len())) % group.len()];
            if !chosen.insert(unit.to_string()) {
                continue;
            }
            let Some(rest) = left.checked_sub(estimate(unit)) else { continue };
            left = rest;
            sample.push(unit.clone());
        }
    }
    sample
}

/// A step that visits each of so many units once, and does not go from one to its neighbour.
fn step_for(count: usize) -> usize {
    // Numbers of units are products of small numbers, so one of these has no factor in common with it.
    [7, 5, 11, 13].into_iter().find(|step| !count.is_multiple_of(*step)).unwrap_or(1)
}

/// About how long a unit takes on one core of an ordinary machine, from nothing.
fn estimate(unit: &Unit) -> Duration {
    let older = unit.architecture.needs_older_compiler();
    Duration::from_millis(match (unit.source.is_large(), unit.mode, older) {
        (false, _, true) => 1_000,
        (false, _, false) => 2_500,
        (true, _, true) => 3_000,
        (true, Mode::Debug, false) => 25_000,
        (true, _, false) => 15_000,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Architecture, Source, units_of};
    use std::path::PathBuf;
    use std::sync::Arc;

    fn corpus(count: usize) -> Vec<Unit> {
        let source = |number: usize| {
            Arc::new(Source {
                name: format!("source{number:02}"),
                path: PathBuf::from(format!("source{number:02}.cu")),
                text: String::new(),
                architectures: Architecture::all(),
                modes: Mode::ALL.to_vec(),
                flags: Vec::new(),
            })
        };
        units_of(&(0..count).map(source).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_of_each_source_come_first_and_all_kinds_occur() {
        let units = corpus(40);
        let sample = sample(&units, Duration::from_secs(600));
        let total: Duration = sample.iter().map(estimate).sum();
        assert!(total <= Duration::from_secs(600) && total > Duration::from_secs(500));
        let first: BTreeSet<&str> = sample[..40].iter().map(|u| u.source.name.as_str()).collect();
        assert_eq!(first.len(), 40);
        let kinds: BTreeSet<String> =
            sample.iter().map(|unit| format!("{} {}", unit.architecture, unit.mode)).collect();
        assert_eq!(kinds.len(), 27);
    }

    #[test]
    fn enough_time_takes_everything_once() {
        let units = corpus(3);
        let names = |units: &[Unit]| units.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        let all = sample(&units, Duration::from_secs(100_000));
        assert_eq!(all.len(), units.len());
        assert_eq!(names(&all), names(&units));
        assert!(sample(&units, Duration::ZERO).is_empty());
    }
}
