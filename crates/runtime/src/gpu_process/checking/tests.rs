use super::*;
use crate::Options;
use crate::journal::Journal;
use crate::record::ProcessReport;
use std::sync::Arc;
use warpsan_event::testing::Kernel;
use warpsan_gpu::{MetadataPlan, ReportedRace, SetScheme, Shipping};

const METADATA: DevicePlan = DevicePlan::Metadata(MetadataPlan::USUAL);
const SETS: DevicePlan = DevicePlan::Sets(SetScheme::Lazy);

/// The report after a device with this plan found a race by this rule.
fn found(detector: &str, plan: DevicePlan, rule: u32) -> ProcessReport {
    let journal = SharedJournal::new(Journal::to_memory());
    let options = Options { detector: detector.parse().expect("a detector"), ..Options::default() };
    let judge = Judge { detector: options.detector, settings: options.settings(), plan };
    let checking = Checking::new(journal.clone(), judge, false, None, None);
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
    std::mem::replace(&mut *journal.lock(), Journal::to_memory()).into_report()
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
