//! What was reported in a launch, and how often it was seen since.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use warpsan_report::{Race, RaceKey, RaceSink};

/// Reports by what makes two findings the same; none for what is not to be told.
#[derive(Debug)]
pub(crate) struct Reported<Pair>(FxHashMap<Pair, (Option<RaceKey>, u64)>);

impl<Pair> Default for Reported<Pair> {
    fn default() -> Self {
        Reported(FxHashMap::default())
    }
}

impl<Pair: Copy + Ord + Hash> Reported<Pair> {
    /// Tells a race, unless it was told before: then it is counted.
    pub(crate) fn tell(
        &mut self,
        pair: Pair,
        races: &mut dyn RaceSink,
        race: impl FnOnce() -> Option<Race>,
    ) {
        if let Some((_, again)) = self.0.get_mut(&pair) {
            *again += 1;
            return;
        }
        let race = race();
        self.0.insert(pair, (race.as_ref().map(Race::key), 0));
        if let Some(race) = race {
            races.race(race);
        }
    }

    /// Counts a race that was told, or was not to be told, so many times more.
    pub(crate) fn seen_again(&mut self, pair: Pair, times: u64) {
        if let Some((_, again)) = self.0.get_mut(&pair) {
            *again += times;
        }
    }

    /// The launch ends: how often each race was seen again, in an order that is always the same.
    pub(crate) fn end_launch(&mut self, races: &mut dyn RaceSink) {
        let mut counts: Vec<_> = self.0.drain().collect();
        counts.sort_unstable_by_key(|(pair, _)| *pair);
        for (_, (key, again)) in counts {
            if let Some(key) = key.filter(|_| again > 0) {
                races.seen_again(&key, again);
            }
        }
    }
}
