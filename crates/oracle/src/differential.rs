//! The default detector against the oracle, on the same traces of random kernels.

mod compare;
mod describe;
mod machine;
mod shrink;

use warpsan_detect::hb::HappensBefore;
use warpsan_detect::{Detector, Settings};
use warpsan_event::EventBuffer;
use warpsan_report::{NotCovered, Race, RaceKey, RaceSink, Treatment};
use warpsan_simt::{Policy, Schedule};

use crate::oracle::{Choices, Judgement, judge};
use crate::random::Random;
use crate::synchronised::SynchronisedKernel;

pub use compare::{Disagreement, compare};
pub use describe::describe;
pub use machine::{Machine, NotRun, Recorded};
pub use shrink::shrink;

/// How a kernel is run and judged.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Who goes when.
    pub schedule: Schedule,
    /// How often the kernel is launched.
    pub launches: u32,
    /// The events that both judges get.
    pub choices: Choices,
}

impl Setup {
    /// The one that belongs to a seed.
    pub fn random(seed: u64) -> Setup {
        let mut random = Random::new(seed ^ 0x0dd5_e70f_5e77_1e5e);
        let policy = match random.below(10) {
            0..6 => Policy::Random,
            6..9 => Policy::Pct { depth: 1 + random.below(6) as u32 },
            _ => Policy::RoundRobin,
        };
        let treatment = |random: &mut Random| match random.once_in(6) {
            true => Treatment::Error,
            false => Treatment::Warn,
        };
        Setup {
            schedule: Schedule { policy, seed: random.bits() },
            launches: if random.once_in(10) { 2 } else { 1 },
            choices: Choices {
                fence_sc_orders: random.once_in(5),
                warp_sync: treatment(&mut random),
                volatile: treatment(&mut random),
                same_value: treatment(&mut random),
            },
        }
    }

    /// The choices, as a detector takes them.
    pub fn settings(&self) -> Settings {
        let Choices { fence_sc_orders, warp_sync, volatile, same_value } = self.choices;
        Settings { fence_sc_orders, warp_sync, volatile, same_value, ..Settings::default() }
    }
}

/// The races that a detector reported, and how often each was seen.
#[derive(Debug, Default)]
pub struct Reported {
    /// One race for each key.
    pub races: Vec<Race>,
    /// What the detector could not check.
    pub not_checked: Vec<NotCovered>,
}

impl RaceSink for Reported {
    fn race(&mut self, race: Race) {
        self.races.push(race);
    }

    fn seen_again(&mut self, _key: &RaceKey, _times: u64) {}

    fn not_checked(&mut self, missing: NotCovered) {
        self.not_checked.push(missing);
    }
}

/// What came of one kernel.
#[derive(Debug)]
pub struct Compared {
    /// What happened.
    pub recorded: Recorded,
    /// What the detector says.
    pub reported: Reported,
    /// What the oracle says.
    pub judgement: Judgement,
    /// Where the two do not agree.
    pub disagreements: Vec<Disagreement>,
}

/// Runs a kernel and asks both judges.
pub fn check(
    machine: &Machine,
    kernel: &SynchronisedKernel,
    setup: &Setup,
    count_decisive: bool,
) -> Result<Compared, NotRun> {
    let recorded = machine.run(kernel, setup)?;
    let reported = detect(&recorded.events, &mut HappensBefore::new(setup.settings()));
    let judgement = judge(&recorded.events.batch(), setup.choices, count_decisive);
    let disagreements = compare(&recorded, &reported, &judgement);
    Ok(Compared { recorded, reported, judgement, disagreements })
}

/// What a detector reports about these events.
pub fn detect(events: &EventBuffer, detector: &mut dyn Detector) -> Reported {
    let mut reported = Reported::default();
    detector.batch(&events.batch(), &mut reported);
    reported
}
