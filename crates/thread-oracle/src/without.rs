//! Tools without one of their rules: each rule is missed by somebody.

use std::cell::Cell;

use warpsan_thread_detect::{Counters, Rule, Rules};

use crate::differential::{fast_track, run, settings_of, slim_fast};
use crate::generator::random_trace;
use crate::oracle::judge;

thread_local! {
    static OFF: Cell<Option<Rule>> = const { Cell::new(None) };
}

/// All rules but the one that was switched off on this thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllButOne;

impl Rules for AllButOne {
    fn has(rule: Rule) -> bool {
        OFF.get() != Some(rule)
    }
}

/// What happens without a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Harm {
    /// Where FastTrack and the oracle then disagree first.
    pub fast_track: Option<String>,
    /// Where SlimFast and the oracle then disagree first.
    pub slim_fast: Option<String>,
    /// What FastTrack has counted on all traces.
    pub fast_track_counters: Counters,
    /// What SlimFast has counted on all traces.
    pub slim_fast_counters: Counters,
}

/// Runs so many random traces without a rule, or with all of them.
pub fn harm(rule: Option<Rule>, traces: u64, seed: u64) -> Harm {
    harm_until(rule, traces, seed, |_| false)
}

/// Runs random traces without a rule until it is enough, or so many.
pub fn harm_until(
    rule: Option<Rule>,
    traces: u64,
    seed: u64,
    enough: impl Fn(&Harm) -> bool,
) -> Harm {
    OFF.set(rule);
    let mut harm = Harm::default();
    for number in 0..traces {
        let seed = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let trace = random_trace(seed);
        let judgement = judge(&trace);
        let counters = &mut harm.fast_track_counters;
        let result = run(fast_track::<AllButOne>(), &trace, &judgement, counters);
        harm.fast_track = harm.fast_track.or(result.err());
        let counters = &mut harm.slim_fast_counters;
        let tool = slim_fast::<AllButOne>(settings_of(seed));
        let result = run(tool, &trace, &judgement, counters);
        harm.slim_fast = harm.slim_fast.or(result.err());
        if enough(&harm) {
            break;
        }
    }
    OFF.set(None);
    harm
}
