//! Race detectors over the event stream: one contract, one module per algorithm.
//!
//! A detector sees events and nothing else: no engine, no code. What it finds goes to a `RaceSink`
//! as plain data.

mod allocations;
pub mod barracuda;
mod clock;
pub mod curd;
pub mod hb;
pub mod iguard;
mod last_access;
pub mod none;
mod reporting;
pub mod scord;
mod strength_words;

use curd::CurdSettings;
use iguard::IguardSettings;
pub use last_access::{Granularity, NotAChoice, Reach};
use scord::ScordSettings;
use warpsan_event::{Batch, EventMask, KernelFacts};
use warpsan_report::{RaceSink, Treatment};

/// An algorithm that finds races in what an engine tells.
pub trait Detector: Send {
    /// What the engine need not produce.
    fn interest(&self) -> EventMask {
        EventMask::ALL
    }

    /// What the detector does not know about in launches of such a kernel, in a sentence: its verdict
    /// on them is not to be relied on.
    fn not_covered(&self, _facts: &KernelFacts) -> Option<String> {
        None
    }

    /// Takes one batch of events, in the order in which they happened.
    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink);

    /// How often each rule was applied so far, by the rule's name.
    fn statistics(&self) -> Vec<Statistic> {
        Vec::new()
    }
}

/// How often something happened in a detector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statistic {
    /// What happened.
    pub name: &'static str,
    /// How often, or how much.
    pub value: u64,
}

/// What users can choose about verdicts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// The seed that reports name.
    pub seed: u64,
    /// Two `fence.sc` that reach each other order what is around them as they executed.
    pub fence_sc_orders: bool,
    /// What to do with lanes that rely on lockstep.
    pub warp_sync: Treatment,
    /// What to do with volatile accesses that PTX allows and CUDA C++ does not.
    pub volatile: Treatment,
    /// What users can choose about `iguard`.
    pub iguard: IguardSettings,
    /// What users can choose about `scord`.
    pub scord: ScordSettings,
    /// What users can choose about `curd`.
    pub curd: CurdSettings,
}

/// The detectors by name, for the command line.
pub const NAMES: [&str; 6] = ["hb", "iguard", "scord", "barracuda", "curd", "none"];

/// The detector of this name.
pub fn by_name(name: &str, settings: Settings) -> Option<Box<dyn Detector>> {
    match name {
        "hb" => Some(Box::new(hb::HappensBefore::new(settings))),
        "iguard" => Some(Box::new(iguard::Iguard::new(settings))),
        "scord" => Some(Box::new(scord::Scord::new(settings))),
        "barracuda" => Some(Box::new(barracuda::Barracuda::new(settings))),
        "curd" => Some(Box::new(curd::Curd::new(settings))),
        "none" => Some(Box::new(none::NoDetector)),
        _ => None,
    }
}
