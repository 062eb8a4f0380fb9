//! Time and memory of runs.

use anyhow::Context;

use super::columns::Statistics;
use crate::startup::median;

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// How long the program took.
    pub seconds: f64,
    /// The most memory that it had.
    pub bytes: f64,
    /// What it printed: its name, its size and a checksum.
    pub printed: String,
    /// What a detector of warpsan counted.
    pub statistics: Option<Statistics>,
}

/// The middle of several runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// How long the program took.
    pub seconds: f64,
    /// The most memory that it had.
    pub bytes: f64,
}

impl Measured {
    /// Reads what a program has taken down of itself: `seconds 1.5` and `kilobytes 300`, on a line each.
    pub(crate) fn read(text: &str, printed: &str) -> anyhow::Result<Self> {
        let number = |name: &str| -> anyhow::Result<f64> {
            let mut lines = text.lines();
            let value = lines.find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
            let value = value.filter(|value| value.is_finite() && *value >= 0.0);
            value.with_context(|| format!("the program has not measured its {name}: `{text}`"))
        };
        let (seconds, kilobytes) = (number("seconds")?, number("kilobytes")?);
        anyhow::ensure!(!printed.trim().is_empty(), "the program has printed nothing");
        let (bytes, printed) = (kilobytes * 1024.0, printed.trim().to_owned());
        Ok(Self { seconds, bytes, printed, statistics: None })
    }
}

/// The medians of several runs; nothing without runs.
pub fn figures_of(runs: &[Measured]) -> Option<Figures> {
    let middle = |of: fn(&Measured) -> f64| median(&runs.iter().map(of).collect::<Vec<_>>());
    (!runs.is_empty())
        .then(|| Figures { seconds: middle(|run| run.seconds), bytes: middle(|run| run.bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_memory_are_read_in_any_order() {
        let measured = Measured::read("kilobytes 2\nseconds 0.25\n", " cg 5 12ab\n");
        let printed = "cg 5 12ab".to_owned();
        let expected = Measured { seconds: 0.25, bytes: 2048.0, printed, statistics: None };
        assert_eq!(measured.expect("both are there"), expected);
    }

    #[test]
    fn what_is_missing_is_named() {
        let message = |text, printed| {
            Measured::read(text, printed).expect_err("something is missing").to_string()
        };
        assert!(message("kilobytes 2", "x").contains("seconds"));
        assert!(message("seconds 2\nkilobytes -1", "x").contains("kilobytes"));
        assert!(message("seconds 2\nkilobytes many", "x").contains("kilobytes"));
        assert!(message("seconds 2\nkilobytes 3", "\n").contains("printed"));
    }

    #[test]
    fn medians_are_those_of_each_figure() {
        let printed = "x".to_owned();
        let run = |seconds, bytes| Measured {
            seconds,
            bytes,
            printed: printed.clone(),
            statistics: None,
        };
        let runs = [run(3.0, 1.0), run(1.0, 2.0), run(2.0, 3.0)];
        assert_eq!(figures_of(&runs), Some(Figures { seconds: 2.0, bytes: 2.0 }));
        assert_eq!(figures_of(&[]), None);
    }
}
