//! All events of a trace, with launches that went through queues in place of those that did not.

use warpsan_event::{Batch, Event, EventBuffer, EventSink};
use warpsan_gpu::shipping::ShippingError;

use super::{NotEncoded, Way, deliver, encode};
use warpsan_oracle::random::Random;

/// A trace whose launches were shipped.
#[derive(Debug, Default)]
pub struct ShippedTrace {
    /// What came of it.
    pub events: EventBuffer,
    /// How many launches there were, and what became of them.
    pub launches: Launches,
}

/// What became of launches.
#[derive(Debug, Default)]
pub struct Launches {
    /// Those that went through queues.
    pub shipped: usize,
    /// Operations of these.
    pub operations: u64,
    /// Why others could not be written as records; they are as they were.
    pub not_encoded: Vec<NotEncoded>,
    /// What went wrong with others.
    pub failed: Vec<ShippingError>,
}

impl Launches {
    /// Counts others, too.
    pub fn add(&mut self, other: Launches) {
        self.shipped += other.shipped;
        self.operations += other.operations;
        self.not_encoded.extend(other.not_encoded);
        self.failed.extend(other.failed);
    }
}

impl EventSink for ShippedTrace {
    fn batch(&mut self, batch: &Batch<'_>) {
        batch.events().for_each(|event| self.events.push(event));
    }
}

/// Ships every launch of a trace in a way; the seed says how exactly.
pub fn ship_trace(events: &EventBuffer, way: Way, seed: u64) -> ShippedTrace {
    let mut random = Random::new(seed);
    let events: Vec<Event<'_>> = events.batch().events().collect();
    let mut shipped = ShippedTrace::default();
    let mut at = 0;
    while at < events.len() {
        let is_launch = matches!(events[at], Event::LaunchBegin { .. });
        let length = events[at..].iter().position(|e| matches!(e, Event::LaunchEnd { .. }));
        let Some(length) = length.filter(|_| is_launch) else {
            shipped.events.push(events[at]);
            at += 1;
            continue;
        };
        let of_launch = &events[at..=at + length];
        at += length + 1;
        let queues = 1 + random.index(5);
        match encode(of_launch, &mut random) {
            Ok(encoded) => match deliver(&encoded, queues, way, &mut random, &mut shipped) {
                Ok(operations) => {
                    shipped.launches.shipped += 1;
                    shipped.launches.operations += operations;
                }
                Err(error) => shipped.launches.failed.push(error),
            },
            Err(why) => {
                of_launch.iter().for_each(|event| shipped.events.push(*event));
                shipped.launches.not_encoded.push(why);
            }
        }
    }
    shipped
}
