//! The contract of detectors.

use warpsan_event::{Batch, EventMask, KernelFacts};
use warpsan_report::RaceSink;

/// An algorithm that finds races in the events that an engine emits.
pub trait Detector: Send {
    /// The events this detector needs; the engine may omit all others.
    fn interest(&self) -> EventMask {
        EventMask::ALL
    }

    /// What the detector does not follow in launches of such a kernel, in a sentence: its verdict
    /// on them cannot be relied on.
    fn not_covered(&self, _facts: &KernelFacts) -> Option<String> {
        None
    }

    /// Takes one batch of events, in the order in which they happened. Implementations match on all events by name, so
    /// that a new one does not compile until each detector treats it or says why it does not.
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
