//! What the tools have to reach, as means over all benches.

use std::collections::BTreeMap;

use super::columns::Statistics;
use super::measured::Figures;
use super::tool::{Code, Tool};
use crate::engine_speed::geometric_mean;

/// A quotient, and what it has to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What is divided by what.
    pub name: &'static str,
    /// The geometric mean over benches; nothing if no bench has both figures.
    pub mean: Option<f64>,
    /// The bar.
    pub allowed: f64,
    /// Whether the quotient has to be at least that; at most otherwise.
    pub is_least: bool,
}

impl Bar {
    /// Whether it is reached.
    pub fn is_reached(&self) -> bool {
        self.mean.is_some_and(|mean| match self.is_least {
            true => mean >= self.allowed,
            false => mean <= self.allowed,
        })
    }
}

/// The figures of one bench with one number of threads.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Time and memory of each tool.
    pub figures: BTreeMap<Tool, Figures>,
    /// What the detectors of warpsan counted.
    pub statistics: BTreeMap<&'static str, Statistics>,
}

const FAST_TRACK: Tool = Tool::Warpsan(Code::Clang, "fasttrack");
const SLIM_FAST: Tool = Tool::Warpsan(Code::Clang, "slimfast");
const OWN: Tool = Tool::OwnRuntime(Code::Clang);

/// All bars. The tools are compared on the code of clang, whose own runtime is the newer one.
pub fn bars<'a>(rows: impl IntoIterator<Item = &'a Row> + Clone) -> Vec<Bar> {
    let mean = |quotient: &dyn Fn(&Row) -> Option<f64>| {
        let quotients: Vec<f64> = rows.clone().into_iter().filter_map(quotient).collect();
        (!quotients.is_empty()).then(|| geometric_mean(&quotients))
    };
    let of = |one: Tool, other: Tool, figure: fn(&Figures) -> f64| {
        mean(&|row| Some(figure(row.figures.get(&one)?) / figure(row.figures.get(&other)?)))
    };
    let time = |figures: &Figures| figures.seconds;
    let memory = |figures: &Figures| figures.bytes;
    let metadata = mean(&|row| {
        let bytes = |name| row.statistics.get(name).and_then(Statistics::metadata_bytes);
        Some(bytes("fasttrack")? / bytes("slimfast")?)
    });
    let bar = |name, mean, allowed, is_least| Bar { name, mean, allowed, is_least };
    vec![
        bar("metadata, fasttrack / slimfast", metadata, 1.5, true),
        bar("time, fasttrack / slimfast", of(FAST_TRACK, SLIM_FAST, time), 1.2, true),
        bar("time, slimfast / clang's own", of(SLIM_FAST, OWN, time), 2.0, false),
        bar("peak memory, slimfast / clang's own", of(SLIM_FAST, OWN, memory), 1.0, false),
        bar("time, fasttrack / clang's own", of(FAST_TRACK, OWN, time), 3.0, false),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(own: f64, fast_track: f64, slim_fast: f64, metadata: f64) -> Row {
        let figures = |value| Figures { seconds: value, bytes: value };
        let statistics = |bytes: f64| {
            let list = json!([{"name": "metadata bytes peak", "value": bytes}]);
            Statistics::of_report(&json!({"summary": {"threads": {"statistics": list}}}))
        };
        Row {
            figures: BTreeMap::from([
                (OWN, figures(own)),
                (FAST_TRACK, figures(fast_track)),
                (SLIM_FAST, figures(slim_fast)),
            ]),
            statistics: BTreeMap::from([
                ("fasttrack", statistics(metadata)),
                ("slimfast", statistics(1.0)),
            ]),
        }
    }

    #[test]
    fn means_are_geometric_and_bars_have_two_directions() {
        let rows = [row(1.0, 4.0, 2.0, 1.0), row(1.0, 1.0, 0.5, 4.0)];
        let found = bars(&rows);
        let means: Vec<f64> = found.iter().filter_map(|bar| bar.mean).collect();
        for (mean, expected) in means.iter().zip([2.0, 2.0, 1.0, 1.0, 2.0]) {
            assert!((mean - expected).abs() < 1e-9, "{means:?}");
        }
        assert!(found.iter().all(Bar::is_reached));
        let slow = bars(&[row(1.0, 4.0, 4.0, 1.0)]);
        assert!(!slow.iter().any(Bar::is_reached), "{slow:?}");
    }

    #[test]
    fn what_was_not_measured_reaches_no_bar() {
        assert!(bars(&[Row::default()]).iter().all(|bar| bar.mean.is_none() && !bar.is_reached()));
    }
}
