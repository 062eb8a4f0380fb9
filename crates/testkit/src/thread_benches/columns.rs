//! The columns of the thesis' table 3.1, from the figures of `warpsan run --stats`.

use std::collections::BTreeMap;

use serde_json::Value;

/// The figures of one run, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics(BTreeMap<String, f64>);

/// How a figure is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// A part of a whole, from 0 to 1.
    Share,
    /// Elements in the mean.
    Mean,
    /// Bytes.
    Bytes,
    /// A number of things.
    Count,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its header.
    pub header: &'static str,
    /// The detector whose run has the figure.
    pub detector: &'static str,
    name: &'static str,
    unit: Unit,
}

/// The peak of the metadata.
const METADATA: &str = "metadata bytes peak";

/// The names are those of the accessors of the detectors' counters, with spaces.
pub const COLUMNS: [Column; 10] = [
    column("VC accesses", "slimfast", "share of vector accesses", Unit::Share),
    column("VC metadata", "slimfast", "share of vector allocations", Unit::Share),
    column("S", "slimfast", "mean reads held", Unit::Mean),
    column("Q", "slimfast", "mean inflated held", Unit::Mean),
    column("VC reused", "slimfast", "vector reuse", Unit::Share),
    column("pairs reused", "slimfast", "pair reuse", Unit::Share),
    column("fasttrack kB", "fasttrack", METADATA, Unit::Bytes),
    column("slimfast kB", "slimfast", METADATA, Unit::Bytes),
    column("fasttrack allocations", "fasttrack", "allocations", Unit::Count),
    column("slimfast allocations", "slimfast", "allocations", Unit::Count),
];

const fn column(
    header: &'static str,
    detector: &'static str,
    name: &'static str,
    unit: Unit,
) -> Column {
    Column { header, detector, name, unit }
}

impl Statistics {
    /// Those of a report in JSON.
    pub fn of_report(report: &Value) -> Self {
        let list =
            report["summary"]["threads"]["statistics"].as_array().map_or(&[][..], Vec::as_slice);
        let read = |one: &Value| Some((plain_name(one["name"].as_str()?), one["value"].as_f64()?));
        Self(list.iter().filter_map(read).collect())
    }

    /// The figure of a column, where the run has it.
    pub fn get(&self, column: &Column) -> Option<f64> {
        self.0.get(column.name).copied()
    }

    /// The peak of the metadata, where the run has it.
    pub fn metadata_bytes(&self) -> Option<f64> {
        self.0.get(METADATA).copied()
    }
}

/// A name in small letters, with single spaces between its words.
fn plain_name(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_ascii_lowercase()
}

impl Column {
    /// A figure as text; a dash where there is none.
    pub fn show(&self, figure: Option<f64>) -> String {
        let Some(figure) = figure else { return "-".to_owned() };
        match self.unit {
            Unit::Share => format!("{:.1} %", figure * 100.0),
            Unit::Mean => format!("{figure:.1}"),
            Unit::Bytes => format!("{:.0}", figure / 1e3),
            Unit::Count => format!("{figure:.0}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_found_by_name_however_it_is_written() {
        let report = json!({"summary": {"threads": {"statistics": [
            {"name": "Pair_reuse", "value": 0.5}, {"name": "metadata bytes, peak", "value": 3000},
            {"name": "other", "value": "x"}]}}});
        let statistics = Statistics::of_report(&report);
        let shown = |header: &str| {
            let column = COLUMNS.iter().find(|column| column.header == header).expect("a column");
            column.show(statistics.get(column))
        };
        assert_eq!((shown("pairs reused"), shown("slimfast kB")), ("50.0 %".into(), "3".into()));
        assert_eq!(shown("S"), "-");
        assert_eq!(statistics.metadata_bytes(), Some(3000.0));
        assert_eq!(Statistics::of_report(&json!({})), Statistics::default());
    }
}
