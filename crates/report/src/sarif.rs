//! SARIF 2.1.0, for tools that show findings beside the code. Several files are one run, with an
//! invocation for each: services that take such logs want one run of a tool in each.

mod places;

use crate::named::unused_suppressions;
use crate::{
    NamedReport, NotCovered, Outcome, Race, RaceGroup, RaceKind, RenderError, Report, Severity,
    SuppressedRace, messages,
};
use places::{code_flow, locations, related_locations};
use serde_json::{Value, json};
use serde_sarif::sarif::{
    Invocation, Message, MultiformatMessageString, Notification, PropertyBag, ReportingDescriptor,
    Result as SarifResult, ResultLevel, Run, Sarif, Suppression, ToolComponent,
};
use std::collections::BTreeMap;

/// Where the form is described.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The fingerprint of a race; the number is that of the way in which it is made.
const FINGERPRINT: &str = "warpsanRaceKey/v2";

/// The reports as a SARIF log.
pub fn render_sarif(reports: &[NamedReport]) -> Result<String, RenderError> {
    let mut driver = ToolComponent::builder().name("warpsan").build();
    driver.version = Some(env!("CARGO_PKG_VERSION").to_string());
    driver.semantic_version = driver.version.clone();
    let of_threads = reports.iter().filter_map(NamedReport::report).any(speaks_of_threads);
    let kinds = RaceKind::ALL.into_iter().filter(|kind| of_threads || !kind.is_of_threads());
    driver.rules = Some(kinds.map(rule).collect());
    let mut run = Run::builder().tool(driver).build();
    let checked = || reports.iter().filter_map(NamedReport::report);
    run.results = Some(checked().flat_map(results).collect());
    let mut invocations: Vec<Invocation> = reports.iter().map(invocation).collect();
    if let Some(first) = invocations.first_mut() {
        let unused = unused_suppressions(reports).into_iter().map(messages::unused_suppression);
        let notes: Vec<Notification> = unused.map(|text| notification("note", &text)).collect();
        first.tool_configuration_notifications = (!notes.is_empty()).then_some(notes);
    }
    run.invocations = Some(invocations);
    let log = Sarif::builder().schema(SCHEMA.to_string()).version("2.1.0").runs(vec![run]).build();
    let mut text = serde_json::to_string_pretty(&log)?;
    text.push('\n');
    Ok(text)
}

/// Whether the rules for threads belong to a report. They come behind all others.
fn speaks_of_threads(report: &Report) -> bool {
    report.summary.threads.is_some() || report.all_races().any(|race| race.kind.is_of_threads())
}

fn rule(kind: RaceKind) -> ReportingDescriptor {
    let mut rule = ReportingDescriptor::builder().id(kind.name()).build();
    rule.short_description = Some(words_of(kind.meaning()));
    rule.full_description = Some(words_of(kind.meaning()));
    rule.help = Some(words_of(&format!("{} {}", kind.meaning(), kind.remedy())));
    rule.properties = Some(PropertyBag::builder().tags(vec!["data-race".to_string()]).build());
    rule
}

fn words_of(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(text).build()
}

/// The results of a report. Each says by which suppressions it is suppressed, if only by none: where
/// one result of a run says it, all have to.
fn results(report: &Report) -> impl Iterator<Item = SarifResult> {
    let reported = report.groups().into_iter().map(|group| result_of_group(report, &group));
    let suppressed = report.suppressed.iter().map(|SuppressedRace { suppression, race }| {
        let text = format!("suppressed at {suppression}");
        let mut by = Suppression::builder().kind("external").build();
        by.status = Some(Value::from("accepted"));
        by.justification = Some(text);
        result(report, race, vec![by])
    });
    reported.chain(suppressed)
}

/// One result for one cause, at the race that is shown in full; the lines of the others are related locations.
fn result_of_group(report: &Report, group: &RaceGroup<'_>) -> SarifResult {
    let mut result = result(report, group.first, Vec::new());
    result.message = Message::from(messages::whole_group(report, group).join("\n").as_str());
    result.related_locations = Some(related_locations(group));
    let occurrences =
        group.races().fold(0, |sum: u64, race| sum.saturating_add(race.occurrences()));
    result.occurrence_count = Some(i64::try_from(occurrences).unwrap_or(i64::MAX));
    result
}

fn result(report: &Report, race: &Race, suppressions: Vec<Suppression>) -> SarifResult {
    let text = messages::whole_race(report, race).join("\n");
    let mut result = SarifResult::builder().message(text.as_str()).build();
    result.rule_id = Some(race.kind.name().to_string());
    result.rule_index = RaceKind::ALL.iter().position(|kind| *kind == race.kind).map(|n| n as i64);
    result.level = Some(match race.severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Info => ResultLevel::Note,
    });
    result.locations = Some(locations(race));
    let alone = RaceGroup { id: 0, first: race, rest: Vec::new() };
    result.related_locations = Some(related_locations(&alone));
    result.code_flows = code_flow(race).map(|flow| vec![flow]);
    result.occurrence_count = Some(i64::try_from(race.occurrences()).unwrap_or(i64::MAX));
    result.partial_fingerprints =
        Some(BTreeMap::from([(FINGERPRINT.to_string(), race.entry().to_string())]));
    result.suppressions = Some(suppressions);
    let mut data = json!({
        "kernel": race.kernel,
        "location": race.location,
        "element": race.element(),
        "order": race.order,
        "sameValue": race.same_value,
        "alsoSeen": race.also_seen,
        "replay": race.replay,
    });
    if let Some(threads) = &race.threads {
        data["threads"] = json!(threads);
        data["replay"] = Value::Null;
    }
    result.properties = Some(properties(data));
    result
}

/// Data of ours that the form has no place for.
fn properties(value: Value) -> PropertyBag {
    let all = match value {
        Value::Object(all) => all.into_iter().collect(),
        _ => BTreeMap::new(),
    };
    PropertyBag::builder().additional_properties(all).build()
}

fn invocation(named: &NamedReport) -> Invocation {
    let mut notifications = Vec::new();
    let mut invocation =
        Invocation::builder().execution_successful(named.report().is_some()).build();
    match &named.outcome {
        Outcome::Report(report) => {
            for NotCovered { what, place, advice } in &report.not_covered {
                let text = format!("not checked: {what}, at: {place}; {advice}");
                notifications.push(notification("warning", &text));
            }
            for line in messages::summary(report) {
                notifications.push(notification("note", &line));
            }
            let summary = json!({ "file": named.name, "summary": report.summary });
            invocation.properties = Some(properties(summary));
        }
        Outcome::Failure(error) => {
            notifications.push(notification("error", &format!("{}: {error}", named.name)));
        }
    }
    invocation.tool_execution_notifications = Some(notifications);
    invocation
}

fn notification(level: &str, text: &str) -> Notification {
    let mut notification = Notification::builder().message(Message::from(text)).build();
    notification.level = Some(Value::from(level));
    notification
}

#[cfg(test)]
mod tests;
