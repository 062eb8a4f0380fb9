use super::*;
use crate::Options;
use crate::journal::Journal;
use crate::record::ProcessReport;
use std::sync::Arc;
use warpsan_event::testing::Kernel;
use warpsan_gpu::{MetadataPlan, ReportedRace, SetScheme, Shipping};

const METADATA: DevicePlan = DevicePlan::Metadata(MetadataPlan::USUAL);
const SETS: DevicePlan = DevicePlan::Sets(SetScheme::Lazy);

fn checking(detector: &str, plan: DevicePlan) -> (Checking, SharedJournal) {
    let journal = SharedJournal::new(Journal::to_memory());
    let options = Options { detector: detector.parse().expect("a detector"), ..Options::default() };
    let judge = Judge { detector: options.detector, settings: options.settings(), plan };
    (Checking::new(journal.clone(), judge, false, None, None), journal)
}

fn report_of(journal: &SharedJournal) -> ProcessReport {
    std::mem::replace(&mut *journal.lock(), Journal::to_memory()).into_report()
}

/// The report after a device with this plan found a race by this rule.
fn found(detector: &str, plan: DevicePlan, rule: u32) -> ProcessReport {
    let (checking, journal) = checking(detector, plan);
    let mut finding = ReportedRace {
        report: Default::default(),
        kernel: "k".into(),
        sites: Kernel::new(&["st.global.u32"]).sites,
        accesses: Arc::new([]),
        grid: [1, 1, 1],
        block: [1, 1, 1],
    };
    finding.report.rule = rule;
    checking.found(&finding);
    checking.found(&finding);
    report_of(&journal)
}

#[test]
fn what_no_gpu_checks_is_stated_once_where_something_is_checked() {
    for (detector, limitations) in [("iguard", 1), ("hb", 1), ("none", 0)] {
        let (checking, journal) = checking(detector, METADATA);
        assert!(report_of(&journal).limitations.is_empty(), "nothing was launched");
        checking.launched("k", true);
        checking.launched("k", true);
        let report = report_of(&journal);
        assert_eq!(report.limitations.len(), limitations, "{detector}");
        assert_eq!(report.not_covered, [], "{detector}");
    }
}

/// Nobody asks the device for what it finds in such a launch.
#[test]
fn a_launch_after_the_end_is_named() {
    let (checking, journal) = checking("iguard", METADATA);
    checking.launched("k", true);
    checking.ended();
    assert_eq!(report_of(&journal).not_covered, []);
    checking.launched("k", true);
    let report = report_of(&journal);
    assert_eq!(report.not_covered.len(), 1);
    assert_eq!(report.not_covered[0].place, "kernel `k`");
}

#[test]
fn a_rule_that_the_detector_does_not_have_is_a_bug_of_ours_and_no_race() {
    for (detector, plan, rule) in [
        ("iguard", METADATA, 6),
        ("curd", SETS, 0),
        ("hb", DevicePlan::Ship(Shipping::Everything), 5),
    ] {
        let report = found(detector, plan, rule);
        assert!(report.races.is_empty(), "{detector}");
        let [missing] = &report.not_covered[..] else { panic!("{detector}: {report:?}") };
        let expected = format!("a device reported a race by rule {rule}");
        assert!(missing.what.contains("warpsan itself failed"), "{missing:?}");
        assert!(missing.what.contains(&expected), "{missing:?}");
    }
}

#[test]
fn a_known_rule_is_a_race() {
    for (detector, plan, rule) in [("iguard", METADATA, 5), ("curd", SETS, 3)] {
        let report = found(detector, plan, rule);
        assert_eq!((report.races.len(), report.not_covered.len()), (1, 0), "{detector}");
    }
}

#[test]
fn launches_that_nobody_wants_are_counted_apart() {
    let (checking, journal) = checking("iguard", METADATA);
    let kernels = vec!["sum*".to_owned()];
    let filter = LaunchFilter { kernels, count: Some(1), ..LaunchFilter::default() };
    let checking = checking.of_launches(&filter);
    assert!(!checking.wants("scale") && checking.wants("sum_all"));
    assert!(!checking.wants("sum_all"), "one is enough");
    checking.passed_over("scale");
    checking.launched("sum_all", true);
    let report = report_of(&journal);
    assert_eq!((report.launches, report.unwatched_launches), (1, 1));
}
