//! Looks for kernels that show that rules matter.

use std::ops::Range;

use warpsan_detect::hb::{Rule, Rules};

use super::{Harm, Judged};
use crate::differential::{Machine, NotRun};

/// The kernels that show one rule.
#[derive(Debug)]
pub struct Found {
    /// The rule.
    pub rule: Rule,
    /// The seeds, shortest trace first.
    pub seeds: Vec<u64>,
    /// By class of disagreement: in how many kernels the detector without the rule was wrong in this way.
    pub classes: Vec<(&'static str, u64)>,
}

/// For every rule, the `wanted` shortest of these kernels that show it.
pub fn search(machine: &Machine, seeds: Range<u64>, wanted: usize) -> Result<Vec<Found>, NotRun> {
    let mut all: Vec<(Found, Vec<(usize, u64)>)> = Rule::ALL
        .iter()
        .map(|rule| (Found { rule: *rule, seeds: Vec::new(), classes: Vec::new() }, Vec::new()))
        .collect();
    for seed in seeds {
        let judged = match Judged::of_seed(machine, seed) {
            Ok(judged) => judged,
            Err(NotRun::Failed(_)) => continue,
            Err(other) => return Err(other),
        };
        if judged.races_differ().is_some() {
            continue;
        }
        for (found, shown) in &mut all {
            let disagreements = judged.disagreements(Rules::without(found.rule));
            let mut classes: Vec<&'static str> =
                disagreements.iter().map(|one| one.class()).collect();
            classes.sort_unstable();
            classes.dedup();
            for class in classes {
                match found.classes.iter_mut().find(|(known, _)| *known == class) {
                    Some((_, count)) => *count += 1,
                    None => found.classes.push((class, 1)),
                }
            }
            let harm = Harm::without(found.rule);
            if disagreements.iter().any(|one| harm.is_done_by(one)) {
                shown.push((judged.recorded.events.len(), seed));
            }
        }
    }
    let found = all.into_iter().map(|(mut found, mut shown)| {
        shown.sort_unstable();
        found.seeds = shown.into_iter().take(wanted).map(|(_, seed)| seed).collect();
        found
    });
    Ok(found.collect())
}
