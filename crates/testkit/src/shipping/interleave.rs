//! Records in queues, in orders that devices may leave them in.

use std::time::Duration;

use warpsan_event::EventSink;
use warpsan_gpu::shipping::{
    LaunchEnd, LaunchWatch, Merger, Operation, Reader, ShippingError, ShippingOptions, Writer, ship,
};
use warpsan_instrument::record::{Header, RecordKind, Slot};

use super::Encoded;
use warpsan_oracle::random::Random;

/// How records come to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// In each queue as they happened, but queues are not read alike.
    InOrder,
    /// Warps of a queue, and lanes of a warp that have diverged, in any order.
    Shuffled,
    /// The same, with the place of each record in the total order.
    Tickets,
    /// In order, through small queues that threads write while others read.
    SmallQueues,
    /// Shuffled, through queues that threads write while others read.
    Queues,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 5] =
        [Way::InOrder, Way::Shuffled, Way::Tickets, Way::SmallQueues, Way::Queues];
}

/// Slots of a queue that is never full.
const ENDLESS: u64 = 1 << 40;

/// Writes the records of a launch to so many queues, and gives a sink the events that are read from them.
pub fn deliver(
    encoded: &Encoded,
    queues: usize,
    way: Way,
    random: &mut Random,
    sink: &mut dyn EventSink,
) -> Result<u64, ShippingError> {
    let mut queued: Vec<Vec<Vec<Slot>>> = vec![Vec::new(); queues];
    for (ticket, operation) in (1..).zip(&encoded.operations) {
        let mut operation = operation.clone();
        if way == Way::Tickets {
            operation.iter_mut().for_each(|slot| slot.header.ticket = ticket);
        }
        queued[operation[0].header.block as usize % queues].push(operation);
    }
    if matches!(way, Way::Shuffled | Way::Tickets | Way::Queues) {
        queued.iter_mut().for_each(|queue| shuffle(queue, random));
    }
    match way {
        Way::SmallQueues => through_memory(encoded, &queued, |_| 64, sink),
        Way::Queues => {
            // Orders that no device makes may need all of it.
            let slots = |queue: &[Vec<Slot>]| queue.iter().map(Vec::len).sum::<usize>().max(64);
            through_memory(encoded, &queued, slots, sink)
        }
        _ => at_once(encoded, &queued, random, sink),
    }
}

/// Another order that the operations of a queue may stand in: some are moved past others that they have
/// nothing to do with, and some warps get far ahead.
fn shuffle(queue: &mut [Vec<Slot>], random: &mut Random) {
    let longest = 1 + queue.len().min(200) as u64;
    for _ in 0..3 * queue.len() {
        let from = random.index(queue.len());
        let distance = random.below(longest) as usize;
        for at in from..(from + distance).min(queue.len() - 1) {
            if must_stay(&queue[at][0].header, &queue[at + 1][0].header) {
                break;
            }
            queue.swap(at, at + 1);
        }
    }
}

/// Whether two operations cannot change places: lanes do one thing after the other, and arrivals at one
/// barrier count in their order.
fn must_stay(one: &Header, other: &Header) -> bool {
    let is_arrival = |header: &Header| {
        (header.record_kind() == Some(RecordKind::BlockBarrierArrive))
            .then_some(header.extra & 0xFF)
    };
    let same_warp = one.warp == other.warp && one.mask & other.mask != 0;
    let same_barrier = is_arrival(one).is_some() && is_arrival(one) == is_arrival(other);
    one.block == other.block && (same_warp || same_barrier)
}

/// Hands operations to the merger, some of this queue and some of that.
fn at_once(
    encoded: &Encoded,
    queued: &[Vec<Vec<Slot>>],
    random: &mut Random,
    sink: &mut dyn EventSink,
) -> Result<u64, ShippingError> {
    let mut merger = Merger::new(&encoded.launch, &vec![ENDLESS; queued.len()], sink);
    let mut rest: Vec<(usize, u64, std::slice::Iter<'_, Vec<Slot>>)> =
        queued.iter().enumerate().map(|(number, queue)| (number, 0, queue.iter())).collect();
    while !rest.is_empty() {
        let at = random.index(rest.len());
        let (number, index, operations) = &mut rest[at];
        for _ in 0..=random.below(64) {
            let Some(slots) = operations.next() else { break };
            let operation = Operation::of_slots(slots).ok_or_else(|| ShippingError::BadRecord {
                what: "no operation".to_owned(),
                record: format!("{:?}", slots[0].header),
            })?;
            merger.accept(*number, *index, operation)?;
            *index += slots.len() as u64;
        }
        if operations.len() == 0 {
            drop(rest.swap_remove(at));
        }
    }
    merger.finish()
}

/// Writes operations into memory with a thread for each queue, while others read it.
fn through_memory(
    encoded: &Encoded,
    queued: &[Vec<Vec<Slot>>],
    slots: impl Fn(&[Vec<Slot>]) -> usize,
    sink: &mut dyn EventSink,
) -> Result<u64, ShippingError> {
    let writers: Vec<Writer> =
        queued.iter().map(|queue| Writer::with_capacity(slots(queue))).collect();
    let readers = writers.iter().map(|writer| Reader::new(writer.memory())).collect();
    let watch = LaunchWatch::new();
    std::thread::scope(|scope| {
        let writing: Vec<_> = writers
            .iter()
            .zip(queued)
            .map(|(writer, queue)| {
                scope.spawn(move || queue.iter().for_each(|operation| writer.write(operation)))
            })
            .collect();
        let (watching, writers) = (watch.clone(), &writers);
        scope.spawn(move || {
            for writer in writing {
                // What is missing because a writer failed is found by the counts.
                let _ = writer.join();
            }
            let counts = writers.iter().map(Writer::counts).collect();
            watching.ended(LaunchEnd { counts, stopped: false });
        });
        let options =
            ShippingOptions { patience: Duration::from_secs(20), ..ShippingOptions::default() };
        ship(&encoded.launch, readers, &watch, sink, options).map(|counts| counts.operations)
    })
}
