//! Every form of a report, as it is, in `snapshots/`. After a change that is meant, look at what
//! `INSTA_UPDATE=always cargo test -p warpsan-report` makes of them.

use crate::samples::{full_report, named, report, report_of_threads, several, suppressions};
use crate::{
    NamedReport, Report, render_github, render_json, render_json_list, render_junit, render_sarif,
    render_text, render_unused_suppressions,
};
use insta::assert_snapshot;

/// No races; something was suppressed for nothing.
fn clean() -> Report {
    let mut report = report(Vec::new());
    suppressions().apply(&mut report);
    report
}

fn one(report: Report) -> [NamedReport; 1] {
    [named("sum.cu", report)]
}

#[test]
fn text() {
    let report = full_report();
    let unused: Vec<_> = report.summary.unused_suppressions().collect();
    let text = render_text(&report, false) + &render_unused_suppressions(&unused);
    assert_snapshot!("text", text);
    assert_snapshot!("text_clean", render_text(&clean(), false));
}

#[test]
fn text_in_colours() {
    let shown = render_text(&full_report(), true).replace('\u{1b}', "<ESC>");
    assert_snapshot!("text_colours", shown);
}

#[test]
fn json() {
    assert_snapshot!("json", render_json(&full_report()).unwrap());
    assert_snapshot!("json_clean", render_json(&clean()).unwrap());
    assert_snapshot!("json_several", render_json_list(&several()[1..]).unwrap());
}

#[test]
fn threads() {
    let report = report_of_threads();
    assert_snapshot!("threads_text", render_text(&report, false));
    assert_snapshot!("threads_json", render_json(&report).unwrap());
    let reports = [named("queue", report)];
    assert_snapshot!("threads_sarif", render_sarif(&reports).unwrap());
    assert_snapshot!("threads_junit", render_junit(&reports, false).unwrap());
    assert_snapshot!("threads_github", render_github(&reports));
    let mut clean = report_of_threads();
    clean.races.clear();
    assert_snapshot!("threads_clean_text", render_text(&clean, false));
    assert_snapshot!("threads_clean_junit", render_junit(&one(clean), false).unwrap());
}

#[test]
fn sarif() {
    assert_snapshot!("sarif_several", render_sarif(&several()).unwrap());
    assert_snapshot!("sarif_clean", render_sarif(&one(clean())).unwrap());
}

#[test]
fn junit() {
    assert_snapshot!("junit_several", render_junit(&several(), false).unwrap());
    assert_snapshot!("junit_strict", render_junit(&one(full_report()), true).unwrap());
    assert_snapshot!("junit_clean", render_junit(&one(clean()), false).unwrap());
}

#[test]
fn github() {
    assert_snapshot!("github_several", render_github(&several()));
    assert_snapshot!("github_clean", render_github(&one(clean())));
}
