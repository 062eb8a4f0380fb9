//! The default detector and the oracle agree on random kernels that use all synchronisation.

use std::sync::OnceLock;

use warpsan_oracle::differential::{Compared, Machine, NotRun, Setup, check, describe};
use warpsan_oracle::oracle::Rule;
use warpsan_oracle::seeds::Seeds;
use warpsan_oracle::synchronised::SynchronisedKernel;

/// Kernels whose lanes synchronise one by one.
const KERNELS: u64 = 3000;
/// Kernels whose warps synchronise as a whole.
const WARP_WIDE_KERNELS: u64 = 2000;
/// In so many of all kernels the guess of a kind may differ: one in 500.
const MOST_OF_OTHER_KINDS: usize = 6;
/// The same for whole warps: one in 80.
const MOST_OF_OTHER_KINDS_OF_WARPS: usize = 25;

/// What came of all kernels.
#[derive(Default)]
struct Results {
    run: usize,
    /// Those of whole warps, which the number does not include.
    wide: usize,
    clean: usize,
    refused: Vec<String>,
    /// Kernels that the detector and the oracle find different races in.
    races: Vec<String>,
    /// Kernels in which only the kinds differ, without those of whole warps.
    kinds: Vec<String>,
    /// Those of whole warps.
    kinds_of_warps: Vec<String>,
    rules: Vec<Rule>,
}

/// All tests look at the same kernels, which are run once.
fn results() -> &'static Results {
    static RESULTS: OnceLock<Results> = OnceLock::new();
    RESULTS.get_or_init(|| {
        let mut results = Results::default();
        for (all, is_wide) in [(KERNELS, false), (WARP_WIDE_KERNELS, true)] {
            let parts = Seeds::of_test(all).on_all_cores(|seeds| Results::of(seeds, is_wide));
            parts.into_iter().for_each(|part| results.add(part));
        }
        results
    })
}

impl Results {
    /// What comes of the kernels with these seeds.
    fn of(seeds: &mut dyn Iterator<Item = u64>, is_wide: bool) -> Results {
        let machine = Machine::new().expect("there is memory for a few words");
        let mut results = Results::default();
        for seed in seeds {
            let setup = Setup::random(seed);
            let kernel = match is_wide {
                true => SynchronisedKernel::warp_wide(seed),
                false => SynchronisedKernel::random(seed),
            };
            match check(&machine, &kernel, &setup, false) {
                Ok(compared) => results.take((seed, is_wide), &compared, &setup),
                Err(NotRun::Failed(_)) => {}
                Err(other) => results.refused.push(format!("seed {seed}: {other}")),
            }
        }
        results
    }

    fn add(&mut self, part: Results) {
        self.run += part.run;
        self.wide += part.wide;
        self.clean += part.clean;
        self.refused.extend(part.refused);
        self.races.extend(part.races);
        self.kinds.extend(part.kinds);
        self.kinds_of_warps.extend(part.kinds_of_warps);
        self.rules.extend(part.rules);
    }

    fn take(&mut self, (seed, is_wide): (u64, bool), compared: &Compared, setup: &Setup) {
        self.run += usize::from(!is_wide);
        self.wide += usize::from(is_wide);
        self.clean += usize::from(!is_wide && compared.judgement.races.is_empty());
        let of_kind = |is_kind: bool| {
            compared.disagreements.iter().any(|one| one.is("wrong kind") == is_kind)
        };
        let of = if is_wide { " of whole warps" } else { "" };
        let text = || format!("seed {seed}{of}: {}", describe(compared, setup));
        if of_kind(false) {
            self.races.push(text());
        } else if of_kind(true) {
            if is_wide { &mut self.kinds_of_warps } else { &mut self.kinds }.push(text());
        }
        for (rule, edges) in &compared.judgement.edges {
            if *edges > 0 && !self.rules.contains(rule) {
                self.rules.push(*rule);
            }
        }
    }
}

/// Shows the first of some kernels.
#[track_caller]
fn none_of(kernels: &[String], what: &str) {
    if let Some(first) = kernels.first() {
        panic!("{} kernels {what}, the first one:\n{first}", kernels.len());
    }
}

#[test]
fn the_detector_reports_the_races_that_the_oracle_finds() {
    none_of(&results().races, "are judged differently");
}

/// What is missing between two accesses is guessed from hand-offs by the detector, and tried out by the
/// oracle; in a few kernels of a thousand, with several lanes in one hand-off, the guess differs.
#[test]
fn the_detector_gives_races_the_kinds_of_the_oracle() {
    let results = results();
    if results.kinds.len() > MOST_OF_OTHER_KINDS {
        none_of(&results.kinds, "have races of other kinds");
    }
    // Where whole warps update memory, each lane hands something over or not.
    if results.kinds_of_warps.len() > MOST_OF_OTHER_KINDS_OF_WARPS {
        none_of(&results.kinds_of_warps, "of whole warps have races of other kinds");
    }
}

#[test]
fn the_kernels_run_and_use_every_rule() {
    let results = results();
    none_of(&results.refused, "are refused");
    let (kernels, wide) = (Seeds::of_test(KERNELS), Seeds::of_test(WARP_WIDE_KERNELS));
    let Results { run, wide: wide_run, clean, .. } = results;
    assert!(*wide_run > wide.share(20) * 19, "only {wide_run} of {} ended", wide.count());
    assert!(*run > kernels.share(15) * 14, "only {run} of {} kernels ended", kernels.count());
    assert!(*clean > kernels.share(15) * 4, "only {clean} kernels have no race");
    assert!(run - clean > kernels.share(15) * 4, "only few kernels have races");
    for rule in Rule::ALL {
        assert!(results.rules.contains(&rule), "no kernel uses the rule `{}`", rule.name());
    }
}
