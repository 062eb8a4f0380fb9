//! JUnit, as systems for continuous integration read it: a test suite for each file, a test case for
//! each kernel, and one for each thing that was not checked.

use crate::named::unused_suppressions;
use crate::{NamedReport, NotCovered, Outcome, Race, RenderError, Report, messages};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeSet;

/// The reports as JUnit XML; `strict` counts warnings as failures.
pub fn render_junit(reports: &[NamedReport], strict: bool) -> Result<String, RenderError> {
    let mut document = quick_junit::Report::new("warpsan");
    for NamedReport { name, outcome } in reports {
        document.add_test_suite(match outcome {
            Outcome::Report(report) => suite(name, report, strict),
            Outcome::Failure(error) => {
                let mut suite = TestSuite::new(name.as_str());
                suite.add_test_case(case(name, name, "failure", "it cannot be checked", error));
                suite
            }
        });
    }
    if let Some(first) = document.test_suites.first_mut() {
        let unused: Vec<String> =
            unused_suppressions(reports).into_iter().map(messages::unused_suppression).collect();
        if !unused.is_empty() {
            first.set_system_err(unused.join("\n"));
        }
    }
    Ok(document.to_string()?)
}

fn suite(name: &str, report: &Report, strict: bool) -> TestSuite {
    let mut suite = TestSuite::new(name);
    let kernels = report.summary.kernels.iter().chain(report.races.iter().map(|race| &race.kernel));
    for kernel in kernels.collect::<BTreeSet<_>>() {
        suite.add_test_case(kernel_case(name, kernel, report, strict));
    }
    for NotCovered { what, place, advice } in &report.not_covered {
        let description = format!("{what}\nat: {place}\n{advice}");
        suite.add_test_case(case(
            &format!("not checked: {what}"),
            place,
            "not-checked",
            what,
            &description,
        ));
    }
    for statistic in &report.summary.statistics {
        suite.add_property((statistic.name.clone(), statistic.value.to_string()));
    }
    suite.set_system_out(messages::summary(report).join("\n"));
    suite
}

/// A kernel fails with all its races that count; the others are in its output.
fn kernel_case(file: &str, kernel: &str, report: &Report, strict: bool) -> TestCase {
    let races = report.races.iter().filter(|race| race.kernel == kernel);
    let (failures, rest): (Vec<&Race>, Vec<&Race>) =
        races.partition(|race| race.severity.counts(strict));
    let mut case = TestCase::new(kernel, status(report, &failures));
    case.set_classname(file);
    if !rest.is_empty() {
        case.set_system_out(describe(report, &rest));
    }
    case
}

fn status(report: &Report, failures: &[&Race]) -> TestCaseStatus {
    let Some(first) = failures.first() else { return TestCaseStatus::success() };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let message = match failures.len() {
        1 => messages::title(first),
        count => format!("{count} races; the first: {}", messages::title(first)),
    };
    let kinds: BTreeSet<&str> = failures.iter().map(|race| race.kind.name()).collect();
    status.set_message(message);
    status.set_type(kinds.into_iter().collect::<Vec<_>>().join(", "));
    status.set_description(describe(report, failures));
    status
}

fn describe(report: &Report, races: &[&Race]) -> String {
    let one = |race: &&Race| {
        let lines = messages::whole_race(report, race).join("\n  ");
        format!("{}[{}]: {lines}", race.severity.name(), race.kind)
    };
    races.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

/// Something that could not be checked. It is an error, not a test that was skipped: a run in which
/// everything passed or was skipped counts as good.
fn case(name: &str, class: &str, kind: &str, message: &str, description: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(message);
    status.set_type(kind);
    status.set_description(description);
    let mut case = TestCase::new(name, status);
    case.set_classname(class);
    case
}
