//! The report for people, on a terminal or in a log.

use crate::race::Turn;
use crate::{Race, RaceGroup, RelatedSite, Report, Severity, SuppressionUse, messages};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt::Write;
use warpsan_model::SourcePosition;

/// The report as text; `color` adds terminal colours.
pub fn render_text(report: &Report, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for group in report.groups() {
        let element = element(&group, report.replay_command(group.first));
        text.push_str(&renderer.render(&[element]));
        text.push_str("\n\n");
    }
    for missing in &report.not_covered {
        let _ = writeln!(text, "not checked: {}", missing.what);
        let _ = writeln!(text, "  at: {}", missing.place);
        let _ = writeln!(text, "  {}\n", missing.advice);
    }
    statistics(report, &mut text);
    for line in messages::summary(report) {
        let _ = writeln!(text, "warpsan: {line}");
    }
    text
}

/// A line for each suppression that did nothing.
pub fn render_unused_suppressions(unused: &[&SuppressionUse]) -> String {
    let line =
        |unused: &&SuppressionUse| format!("warpsan: {}\n", messages::unused_suppression(unused));
    unused.iter().map(line).collect()
}

/// The first race of a group in full, and the others as a list of lines.
fn element<'a>(races: &RaceGroup<'a>, replay_command: Option<&str>) -> Group<'a> {
    let race = races.first;
    let level = match race.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let title = level.primary_title(messages::title(race)).id(race.kind.name());
    let mut group = Group::with_title(title);
    for turn in race.turns() {
        group = side(group, race, *turn);
    }
    for site in &race.related {
        group = related(group, site);
    }
    if let Some(location) = messages::location(race) {
        group = group.element(Level::NOTE.message(location));
    }
    if let Some(locks) = messages::threads::locks(race) {
        group = group.element(Level::NOTE.message(locks));
    }
    if let Some(next_pass) = messages::next_pass(race) {
        group = group.element(Level::NOTE.message(next_pass));
    }
    group = group
        .element(Level::NOTE.message(race.reason.as_str()))
        .element(Level::HELP.message(race.advice.as_str()));
    for also in messages::also_seen(race) {
        group = group.element(Level::NOTE.message(also));
    }
    group = group.element(Level::NOTE.message(messages::again(race, replay_command)));
    match messages::same_cause(races) {
        lines if lines.is_empty() => group,
        lines => group.element(Level::NOTE.message(lines.join("\n"))),
    }
}

/// One side: its source line underlined, or its place in words where the source is not there; and how
/// it came into the kernel.
fn side<'a>(group: Group<'a>, race: &'a Race, turn: Turn) -> Group<'a> {
    let access = race.side(turn);
    let kind = match turn {
        Turn::First => AnnotationKind::Context,
        Turn::Second => AnnotationKind::Primary,
    };
    let label = messages::side_in_turn(race, turn);
    let group = match snippet(&access.position, &access.source_line, kind, label) {
        Some(snippet) => group.element(snippet),
        None => group.element(Level::NOTE.message(messages::side_with_place(race, turn))),
    };
    match messages::way(race, turn) {
        Some(chain) => group.element(Level::NOTE.message(chain)),
        None => group,
    }
}

fn related<'a>(group: Group<'a>, site: &'a RelatedSite) -> Group<'a> {
    let kind = AnnotationKind::Context;
    match snippet(&site.position, &site.source_line, kind, site.message.clone()) {
        Some(snippet) => group.element(snippet),
        None => group.element(Level::NOTE.message(messages::related_with_place(site))),
    }
}

fn snippet<'a>(
    position: &'a Option<SourcePosition>,
    line: &'a Option<String>,
    kind: AnnotationKind,
    label: String,
) -> Option<Snippet<'a, Annotation<'a>>> {
    let (position, line) = position.as_ref().zip(line.as_deref())?;
    let start = line.len() - line.trim_start().len();
    let end = code_end(line).max(start);
    let snippet = Snippet::source(line)
        .line_start(position.line as usize)
        .path(position.file.as_ref())
        .annotation(kind.span(start..end).label(label));
    Some(snippet)
}

/// Where the code of a line ends: a comment behind it is not underlined.
fn code_end(line: &str) -> usize {
    let code = line.split("//").next().unwrap_or(line).trim_end();
    if code.trim_start().is_empty() { line.trim_end().len() } else { code.len() }
}

/// The counters of the detectors, as tables.
fn statistics(report: &Report, text: &mut String) {
    let summary = &report.summary;
    let counters = summary.statistics.iter().map(|one| (one.name.as_str(), one.value.to_string()));
    table(&summary.detector, &counters.collect::<Vec<_>>(), text);
    if let Some(threads) = &summary.threads {
        let figures =
            threads.statistics.iter().map(|one| (one.name.as_str(), one.value.to_string()));
        table(&threads.detector, &figures.collect::<Vec<_>>(), text);
    }
}

fn table(detector: &str, all: &[(&str, String)], text: &mut String) {
    if all.is_empty() {
        return;
    }
    let width = all.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let digits = all.iter().map(|(_, value)| value.len()).max().unwrap_or(0);
    let _ = writeln!(text, "counters of the detector {detector}:");
    for (name, value) in all {
        let _ = writeln!(text, "  {name:width$}  {value:>digits$}");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests;
