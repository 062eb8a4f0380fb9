//! Who listens to the engine while it is measured.

use warpsan_detect::Detector;
use warpsan_event::{Batch, EventMask, EventSink};
use warpsan_report::{NotCovered, Race, RaceKey, RaceSink};

/// Asks for what a detector asks for, and ignores all of it: what remains is what emitting events costs the engine.
pub(super) struct OnlyListens {
    pub(super) interest: EventMask,
}

impl EventSink for OnlyListens {
    fn interest(&self) -> EventMask {
        self.interest
    }

    fn batch(&mut self, _: &Batch<'_>) {}
}

/// Hands everything to a detector, as a session does.
pub(super) struct Detects {
    pub(super) detector: Box<dyn Detector>,
    pub(super) races: FirstRace,
}

impl EventSink for Detects {
    fn interest(&self) -> EventMask {
        self.detector.interest()
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        self.detector.batch(batch, &mut self.races);
    }
}

/// Keeps the first race only: the measured kernels have none.
#[derive(Default)]
pub(super) struct FirstRace {
    pub(super) race: Option<Box<Race>>,
    /// The first thing that was not checked; there should be none, either.
    pub(super) not_checked: Option<String>,
}

impl RaceSink for FirstRace {
    fn race(&mut self, race: Race) {
        self.race.get_or_insert_with(|| Box::new(race));
    }

    fn seen_again(&mut self, _: &RaceKey, _: u64) {}

    fn not_checked(&mut self, missing: NotCovered) {
        self.not_checked.get_or_insert(missing.what);
    }
}
