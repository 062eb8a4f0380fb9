//! Annotations of GitHub Actions: lines that it shows beside the source lines of a change.

use crate::named::unused_suppressions;
use crate::{NamedReport, NotCovered, Outcome, RaceGroup, Report, Severity, messages};
use std::fmt::Write;

/// The reports as workflow commands, one on each line.
pub fn render_github(reports: &[NamedReport]) -> String {
    let mut text = String::new();
    for NamedReport { name, outcome } in reports {
        match outcome {
            Outcome::Report(report) => add(report, &mut text),
            Outcome::Failure(error) => {
                command(&mut text, "error", &[("title", "warpsan")], &format!("{name}: {error}"));
            }
        }
    }
    for unused in unused_suppressions(reports) {
        let message = messages::unused_suppression(unused);
        command(&mut text, "notice", &[("title", "warpsan")], &message);
    }
    text
}

fn add(report: &Report, text: &mut String) {
    for group in report.groups() {
        add_group(report, &group, text);
    }
    for NotCovered { what, place, advice } in &report.not_covered {
        let message = format!("{what}\nat: {place}\n{advice}");
        command(text, "warning", &[("title", "warpsan: not checked")], &message);
    }
    command(text, "notice", &[("title", "warpsan")], &messages::summary(report).join("\n"));
}

/// One annotation for one cause, at the race that is shown in full.
fn add_group(report: &Report, group: &RaceGroup<'_>, text: &mut String) {
    let race = group.first;
    let level = match race.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let title = format!("warpsan: {}", race.kind);
    // A race has a place if either of its sides has one.
    let position = race.second.position.as_ref().or(race.first.position.as_ref());
    let numbers = position.map(|position| (position.line.to_string(), position.column.to_string()));
    let mut properties = Vec::new();
    if let Some((position, (line, column))) = position.zip(numbers.as_ref()) {
        properties.push(("file", &*position.file));
        properties.push(("line", line));
        if position.column > 0 {
            properties.push(("col", column));
        }
    }
    properties.push(("title", &title));
    command(text, level, &properties, &messages::whole_group(report, group).join("\n"));
}

fn command(text: &mut String, name: &str, properties: &[(&str, &str)], message: &str) {
    let properties: Vec<String> =
        properties.iter().map(|(key, value)| format!("{key}={}", escape_property(value))).collect();
    let _ = writeln!(text, "::{name} {}::{}", properties.join(","), escape(message));
}

fn escape(message: &str) -> String {
    message.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(value: &str) -> String {
    escape(value).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_value_can_end_it() {
        assert_eq!(escape("50%\r\na:b,c"), "50%25%0D%0Aa:b,c");
        assert_eq!(escape_property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
        let mut text = String::new();
        command(&mut text, "error", &[("file", "a,b::c.cu"), ("line", "3")], "x\n::error::y");
        assert_eq!(text, "::error file=a%2Cb%3A%3Ac.cu,line=3::x%0A::error::y\n");
    }
}
