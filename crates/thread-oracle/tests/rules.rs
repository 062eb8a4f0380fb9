//! Every rule matters: without it a tool is wrong, or does work that the rule would have saved.

use warpsan_thread_detect::Rule;
use warpsan_thread_oracle::without::{Harm, harm, harm_until};

const TRACES: u64 = 400;
/// Some rules matter rarely.
const MOST_TRACES: u64 = 4000;
const SEED: u64 = 3;

/// Rules that save work and change no verdict.
const SAVES_WORK: &[Rule] = &[
    Rule::ReadSameEpoch,
    Rule::ReadSharedSameEpoch,
    Rule::WriteSameEpoch,
    Rule::WriteForgetsRead,
    Rule::WriteReuse,
    Rule::ReadExclusiveReuse,
    Rule::ReadInflateReuse,
    Rule::ReadSharedReuse,
    Rule::CompositionReuse,
    Rule::TransitionReuse,
];

/// Rules that FastTrack does not have.
const OF_SLIMFAST: &[Rule] = &[
    Rule::WriteReuse,
    Rule::ReadExclusiveReuse,
    Rule::ReadInflateReuse,
    Rule::ReadSharedReuse,
    Rule::CompositionReuse,
    Rule::TransitionReuse,
    Rule::EpochEmptiesTransitions,
    Rule::EpochRenewsWritten,
    Rule::EpochEmptiesReads,
    Rule::EpochEmptiesInflated,
];

#[test]
fn with_all_rules_nobody_is_wrong() {
    let all = harm(None, TRACES, SEED);
    assert_eq!((all.fast_track, all.slim_fast), (None, None));
}

#[test]
fn without_any_rule_that_decides_both_tools_are_wrong_about_some_trace() {
    let mut unharmed = Vec::new();
    for rule in Rule::ALL.iter().filter(|rule| !SAVES_WORK.contains(rule)) {
        let of_both = !OF_SLIMFAST.contains(rule);
        let enough =
            |harm: &Harm| harm.slim_fast.is_some() && (harm.fast_track.is_some() || !of_both);
        let without = harm_until(Some(*rule), MOST_TRACES, SEED, enough);
        if without.fast_track.is_none() && of_both {
            unharmed.push((*rule, "fasttrack"));
        }
        if without.slim_fast.is_none() {
            unharmed.push((*rule, "slimfast"));
        }
    }
    assert!(unharmed.is_empty(), "nobody missed {unharmed:?}");
}

#[test]
fn without_any_rule_that_saves_work_more_is_done_and_no_verdict_changes() {
    let all = harm(None, TRACES, SEED);
    for rule in SAVES_WORK {
        let without = harm(Some(*rule), TRACES, SEED);
        assert_eq!((&without.fast_track, &without.slim_fast), (&None, &None), "{rule:?}");
        assert_ne!(without.slim_fast_counters, all.slim_fast_counters, "{rule:?} in SlimFast");
        if !OF_SLIMFAST.contains(rule) {
            let (with, without) = (all.fast_track_counters, without.fast_track_counters);
            assert_ne!(without, with, "{rule:?} in FastTrack");
        }
    }
}

#[test]
fn each_rule_of_reuse_saves_allocations() {
    let all = harm(None, TRACES, SEED).slim_fast_counters;
    // What a transition leads to is shared without it, too.
    let reuse = |rule: &&Rule| SAVES_WORK.contains(rule) && **rule != Rule::TransitionReuse;
    for rule in OF_SLIMFAST.iter().filter(reuse) {
        let without = harm(Some(*rule), TRACES, SEED).slim_fast_counters;
        assert!(without.allocations() > all.allocations(), "{rule:?}");
    }
}
