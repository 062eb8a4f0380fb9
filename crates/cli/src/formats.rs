//! The forms of a report.

use warpsan_report::{
    NamedReport, Outcome, RenderError, Report, render_github, render_json, render_json_list,
    render_junit, render_sarif,
};

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs, as docs/report.md describes it
    Json,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// JUnit XML: a test case for each kernel
    Junit,
    /// Annotations of GitHub Actions
    Github,
}

/// One report in a form for programs. Text is not one of them: its looks depend on where it goes.
pub(crate) fn one(format: Format, report: Report, strict: bool) -> Result<String, RenderError> {
    if format == Format::Json {
        return render_json(&report);
    }
    let name = report.name.clone().unwrap_or_else(|| "warpsan".to_string());
    let outcome = Outcome::Report(Box::new(report));
    several(format, &[NamedReport { name, outcome }], strict)
}

/// The reports of several files in a form for programs.
pub(crate) fn several(
    format: Format,
    reports: &[NamedReport],
    strict: bool,
) -> Result<String, RenderError> {
    match format {
        Format::Text => Ok(String::new()),
        Format::Json => render_json_list(reports),
        Format::Sarif => render_sarif(reports),
        Format::Junit => render_junit(reports, strict),
        Format::Github => Ok(render_github(reports)),
    }
}
