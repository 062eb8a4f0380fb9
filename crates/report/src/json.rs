//! The report for programs. `schema/report-3.json` describes it.

use crate::groups::group_ids;
use crate::{
    ElementReport, Limitation, NamedReport, NotCovered, Outcome, Race, RenderError, Report, Summary,
};
use serde::Serialize;

/// The report as JSON, with a final line end.
pub fn render_json(report: &Report) -> Result<String, RenderError> {
    lines(&Document::of(report))
}

/// The reports of several files as one JSON list, with a final line end.
pub fn render_json_list(reports: &[NamedReport]) -> Result<String, RenderError> {
    lines(&reports.iter().map(Item::of).collect::<Vec<_>>())
}

fn lines(document: &impl Serialize) -> Result<String, RenderError> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}

#[derive(Serialize)]
struct Item<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Document<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a> Item<'a> {
    fn of(named: &'a NamedReport) -> Item<'a> {
        let (report, error) = match &named.outcome {
            Outcome::Report(report) => (Some(Document::of(report)), None),
            Outcome::Failure(error) => (None, Some(error.as_str())),
        };
        Item { file: &named.name, report, error }
    }
}

/// A report, with what its types work out written out.
#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    races: Vec<RaceDocument<'a>>,
    suppressed: Vec<SuppressedDocument<'a>>,
    library: Vec<RaceDocument<'a>>,
    not_covered: &'a [NotCovered],
    #[serde(skip_serializing_if = "<[Limitation]>::is_empty")]
    limitations: &'a [Limitation],
    summary: &'a Summary,
}

#[derive(Serialize)]
struct RaceDocument<'a> {
    #[serde(flatten)]
    race: &'a Race,
    element: Option<ElementReport>,
    /// The number of its group; none for what is not shown.
    group: Option<u64>,
    library_code: bool,
}

#[derive(Serialize)]
struct SuppressedDocument<'a> {
    suppression: &'a str,
    race: RaceDocument<'a>,
}

impl<'a> Document<'a> {
    fn of(report: &'a Report) -> Document<'a> {
        let suppressed = report.suppressed.iter().map(|one| SuppressedDocument {
            suppression: &one.suppression,
            race: RaceDocument::of(&one.race, None),
        });
        let groups = group_ids(&report.races).into_iter().map(Some);
        let shown = report.races.iter().zip(groups);
        let library = report.library.iter();
        Document {
            schema: report.schema,
            races: shown.map(|(race, group)| RaceDocument::of(race, group)).collect(),
            suppressed: suppressed.collect(),
            library: library.map(|race| RaceDocument::of(race, None)).collect(),
            not_covered: &report.not_covered,
            limitations: &report.limitations,
            summary: &report.summary,
        }
    }
}

impl<'a> RaceDocument<'a> {
    fn of(race: &'a Race, group: Option<u64>) -> RaceDocument<'a> {
        let library_code = race.is_library_code();
        RaceDocument { race, element: race.element(), group, library_code }
    }
}

#[cfg(test)]
mod tests;
