//! The report for people, on a terminal or in a log.

use crate::{AccessReport, AccessType, Race, Report, Severity, Verdict};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt::Write;
use warpsan_model::Space;

/// The report as text; `color` adds terminal colours.
pub fn render_text(report: &Report, color: bool, replay_command: &str) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for race in &report.races {
        text.push_str(&renderer.render(&groups(race, replay_command)));
        text.push_str("\n\n");
    }
    for missing in &report.not_covered {
        let _ = writeln!(text, "not checked: {}", missing.what);
        let _ = writeln!(text, "  at: {}", missing.place);
        let _ = writeln!(text, "  {}\n", missing.advice);
    }
    summary(report, &mut text);
    text
}

fn groups<'a>(race: &'a Race, replay_command: &'a str) -> Vec<Group<'a>> {
    let level = match race.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let title = title(race);
    let mut group = Group::with_title(level.primary_title(title).id(race.kind.name()));
    for (access, kind) in
        [(&race.second, AnnotationKind::Primary), (&race.first, AnnotationKind::Context)]
    {
        group = side(group, access, kind);
    }
    group = group.element(Level::NOTE.message(race.reason.clone()));
    group = group.element(Level::HELP.message(race.advice.clone()));
    let seen = match race.count {
        1 => "seen once".to_string(),
        count => format!("seen {count} times"),
    };
    let again = format!(
        "{seen}; to see it again: {replay_command} (launch {} of the process)",
        race.replay.launch
    );
    vec![group.element(Level::NOTE.message(again))]
}

fn title(race: &Race) -> String {
    let location = &race.location;
    let space = match location.space {
        Space::Shared => "shared memory",
        _ => "global memory",
    };
    if race.first.access == AccessType::Barrier {
        return format!("block barrier that not all threads reach, in kernel `{}`", race.kernel);
    }
    let mut title = format!("race on {space}");
    if let Some(allocation) = &location.allocation {
        let _ = write!(title, ", byte {} of {}", allocation.offset, allocation.label);
    }
    let _ = write!(title, ", in kernel `{}`", race.kernel);
    if race.same_value {
        title.push_str(" (both write the same value)");
    }
    title
}

/// One side: its source line underlined, or its instruction where the source is not there.
fn side<'a>(group: Group<'a>, access: &'a AccessReport, kind: AnnotationKind) -> Group<'a> {
    let label = format!(
        "{} by thread {} of block {} (warp {})",
        describe(access),
        access.thread,
        access.block,
        access.warp
    );
    match (&access.position, &access.source_line) {
        (Some(position), Some(line)) => {
            let start = line.len() - line.trim_start().len();
            let end = code_end(line).max(start);
            let snippet = Snippet::source(line.as_str())
                .line_start(position.line as usize)
                .path(position.file.as_ref())
                .annotation(kind.span(start..end).label(label));
            group.element(snippet)
        }
        (Some(position), None) => group.element(
            Level::NOTE.message(format!("{label}, at {position} (the source cannot be read)")),
        ),
        (None, _) => group.element(Level::NOTE.message(format!(
            "{label}, at PTX line {}: `{}` (no line information; compile with -lineinfo)",
            access.ptx_line, access.instruction
        ))),
    }
}

/// Where the code of a line ends: a comment behind it is not underlined.
fn code_end(line: &str) -> usize {
    let code = line.split("//").next().unwrap_or(line).trim_end();
    if code.trim_start().is_empty() { line.trim_end().len() } else { code.len() }
}

fn describe(access: &AccessReport) -> String {
    let verb = match access.access {
        AccessType::Read => "read",
        AccessType::Write => "write",
        AccessType::Atomic => "atomic update",
        AccessType::Barrier => return access.strength.clone(),
    };
    match access.strength.as_str() {
        "weak" => format!("{verb} of {} bytes", access.bytes),
        strength => format!("{verb} ({strength}) of {} bytes", access.bytes),
    }
}

fn summary(report: &Report, text: &mut String) {
    let summary = &report.summary;
    if let Some(program) = &summary.program {
        let _ = writeln!(text, "warpsan: {program}");
    }
    for kernel in &summary.without_line_information {
        let _ = writeln!(
            text,
            "warpsan: {kernel} has no line information; compile with -lineinfo to see source lines"
        );
    }
    let found = match report.races.len() {
        0 => "no races".to_string(),
        1 => "1 race".to_string(),
        count => format!("{count} races"),
    };
    let checked = format!(
        "{} of {}, {}",
        plural(summary.launches, "launch", "launches"),
        plural(summary.kernels.len() as u64, "kernel", "kernels"),
        plural(summary.accesses, "access", "accesses"),
    );
    let verdict = match (report.verdict(false), report.not_covered.len()) {
        (Verdict::Clean, _) if summary.launches == 0 => "no CUDA kernel was launched".to_string(),
        (_, 0) if summary.detector == "none" => {
            format!("nothing was checked, as the detector `none` asks; it ran {checked}")
        }
        (_, 0) => format!("{found} found; everything was checked: {checked}"),
        (_, missing) => format!(
            "{found} found, but {} not checked (see above); checked: {checked}",
            plural(missing as u64, "thing was", "things were")
        ),
    };
    let _ = writeln!(text, "warpsan: {verdict}");
    let _ = writeln!(
        text,
        "warpsan: detector {}, engine {}, seed {}",
        summary.detector, summary.engine, summary.seed
    );
}

fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests;
