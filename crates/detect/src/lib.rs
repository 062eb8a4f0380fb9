//! Race detectors over the event stream: one contract, one module per algorithm.
//!
//! A detector sees events and nothing else: no engine, no code. What it finds goes to a `RaceSink`
//! as plain data.

mod allocations;
mod clock;
pub mod hb;
pub mod none;
mod shadow;

use warpsan_event::{Batch, EventMask, KernelFacts};
use warpsan_report::RaceSink;

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
}

/// The detectors by name, for the command line.
pub const NAMES: [&str; 2] = ["hb", "none"];

/// The detector of this name, which replays with `seed`.
pub fn by_name(name: &str, seed: u64) -> Option<Box<dyn Detector>> {
    match name {
        "hb" => Some(Box::new(hb::HappensBefore::new(seed))),
        "none" => Some(Box::new(none::NoDetector)),
        _ => None,
    }
}
