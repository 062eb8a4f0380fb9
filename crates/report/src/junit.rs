//! JUnit, as systems for continuous integration read it: a test suite for each file, a test case for
//! each kernel or function with a race of threads, and one for each thing that was not checked.

use crate::named::unused_suppressions;
use crate::{NamedReport, NotCovered, Outcome, RaceGroup, RenderError, Report, messages};
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
    // A run that was checked for threads alone and has no races is a test that passed, and not none.
    if report.summary.threads.is_some() && suite.test_cases.is_empty() {
        let mut case = TestCase::new("threads", TestCaseStatus::success());
        case.set_classname(name);
        suite.add_test_case(case);
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
    for statistic in report.summary.threads.iter().flat_map(|threads| &threads.statistics) {
        suite.add_property((statistic.name.clone(), statistic.value.to_string()));
    }
    suite.set_system_out(messages::summary(report).join("\n"));
    suite
}

/// A kernel fails with all its races that count, cause by cause; the others are in its output.
fn kernel_case(file: &str, kernel: &str, report: &Report, strict: bool) -> TestCase {
    let groups = report.groups();
    let own = groups.iter().filter_map(|group| group.of_kernel(kernel));
    let (failures, rest): (Vec<RaceGroup<'_>>, Vec<RaceGroup<'_>>) =
        own.partition(|group| group.first.severity.counts(strict));
    let mut case = TestCase::new(kernel, status(report, &failures));
    case.set_classname(file);
    if !rest.is_empty() {
        case.set_system_out(describe(report, &rest));
    }
    case
}

fn status(report: &Report, failures: &[RaceGroup<'_>]) -> TestCaseStatus {
    let Some(first) = failures.first() else { return TestCaseStatus::success() };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let title = messages::title(first.first);
    let races = failures.iter().map(|group| group.races().count()).sum::<usize>();
    let message = match (races, failures.len()) {
        (1, _) => title,
        (races, causes) if races == causes => format!("{races} races; the first: {title}"),
        (races, causes) => {
            let causes = messages::plural(causes as u64, "cause", "causes");
            format!("{races} races of {causes}; the first: {title}")
        }
    };
    let kinds: BTreeSet<&str> = failures.iter().map(|group| group.first.kind.name()).collect();
    status.set_message(message);
    status.set_type(kinds.into_iter().collect::<Vec<_>>().join(", "));
    status.set_description(describe(report, failures));
    status
}

fn describe(report: &Report, groups: &[RaceGroup<'_>]) -> String {
    let one = |group: &RaceGroup<'_>| {
        let lines = messages::whole_group(report, group).join("\n  ");
        format!("{}[{}]: {lines}", group.first.severity.name(), group.first.kind)
    };
    groups.iter().map(one).collect::<Vec<_>>().join("\n\n")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{named, race, report};
    use crate::{Race, Severity};

    #[test]
    fn a_kernel_fails_with_its_own_races_also_where_another_ones_are_shown_in_full() {
        let of = |kernel: &str, severity| Race { kernel: kernel.into(), severity, ..race() };
        let mut report = report(vec![
            of("k<float>", Severity::Error),
            of("k<int>", Severity::Error),
            of("k<short>", Severity::Warning),
        ]);
        report.sort();
        assert_eq!(report.groups().len(), 1);
        let xml = render_junit(&[named("a.cu", report)], false).unwrap();
        for kernel in ["k&lt;float", "k&lt;int"] {
            let case = xml.split("<testcase ").find(|case| case.contains(kernel)).unwrap();
            assert!(case.contains("<failure ") && !case.contains("the same cause"), "{xml}");
        }
        let case = xml.split("<testcase ").find(|case| case.contains("k&lt;short")).unwrap();
        assert!(!case.contains("<failure ") && case.contains("warning[missing-sync]"), "{xml}");
    }
}
