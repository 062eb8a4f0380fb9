//! The runs of a trace that the thesis' figures need.

use super::outcome::Outcome;
use super::settings::{Residence, Settings};
use super::simulation::{Order, ParsnipError, Simulation};
use serde::Serialize;
use warpsan_thread_trace::{Event, Race};

/// What one trace gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// PARSNIP as it is.
    pub parsnip: Outcome,
    /// Without epoch store buffers.
    pub without_buffers: Outcome,
    /// Without prediction.
    pub without_prediction: Outcome,
    /// Lines in first caches only.
    pub in_l1: Outcome,
    /// Lines in all caches.
    pub in_llc: Outcome,
}

/// A trace on its way through all of these machines.
pub struct Comparing<'o>(Simulation<'o>);

impl<'o> Comparing<'o> {
    /// Begins with machines that differ from this one.
    pub fn new(order: &'o Order, usual: Settings) -> Comparing<'o> {
        let variants = [
            usual,
            Settings { buffer_entries: 0, ..usual },
            Settings { predicts: false, ..usual },
            Settings { residence: Residence::L1, ..usual },
            Settings { residence: Residence::Llc, ..usual },
        ];
        Comparing(Simulation::new(order, &variants))
    }

    /// The next event. `found` gets races.
    pub fn event(
        &mut self,
        event: &Event,
        found: &mut dyn FnMut(Race),
    ) -> Result<(), ParsnipError> {
        self.0.event(event, found)
    }

    /// What came of it; none if there is no machine, which cannot be.
    pub fn finish(self) -> Option<Comparison> {
        let outcomes: [Outcome; 5] = self.0.finish().try_into().ok()?;
        let [parsnip, without_buffers, without_prediction, in_l1, in_llc] = outcomes;
        Some(Comparison { parsnip, without_buffers, without_prediction, in_l1, in_llc })
    }
}
