//! The report for programs. `schema/report-2.json` describes it.

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
            race: RaceDocument::of(&one.race),
        });
        Document {
            schema: report.schema,
            races: report.races.iter().map(RaceDocument::of).collect(),
            suppressed: suppressed.collect(),
            not_covered: &report.not_covered,
            limitations: &report.limitations,
            summary: &report.summary,
        }
    }
}

impl<'a> RaceDocument<'a> {
    fn of(race: &'a Race) -> RaceDocument<'a> {
        RaceDocument { race, element: race.element() }
    }
}

#[cfg(test)]
mod tests;
