//! A launch from its first record to its last event: threads read its queues, the merger puts records in order, and what is
//! missing at the end is an error.

use super::drain::Deliveries;
use super::error::ShippingError;
use super::launch::ShippedLaunch;
use super::merge::Merger;
use super::operation::Assembler;
use super::queue::{FinalCounts, Reader};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use warpsan_event::EventSink;
use warpsan_instrument::record::Slot;

/// How long to wait for news before looking again.
const LOOK: Duration = Duration::from_millis(20);
/// Slots of one queue that are put in order before another queue has its turn: queues that are far
/// apart make operations wait.
const TURN: usize = 64;

/// How long lanes of a warp are waited for that are behind others in the code, if nothing comes at all.
const LANES_BEHIND: Duration = Duration::from_secs(1);

/// How a launch ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchEnd {
    /// What the device's counters of each queue say; empty if they could not be read.
    pub counts: Vec<FinalCounts>,
    /// It was ended from outside, or failed: records may be missing.
    pub stopped: bool,
}

impl LaunchEnd {
    /// The counters of a queue, if they have to be right.
    pub(super) fn counts(&self, queue: usize) -> Option<FinalCounts> {
        if self.stopped { None } else { self.counts.get(queue).copied() }
    }
}

/// Where whoever watches a launch says that it has ended.
#[derive(Debug, Clone, Default)]
pub struct LaunchWatch {
    end: Arc<OnceLock<LaunchEnd>>,
}

impl LaunchWatch {
    /// A launch that has not ended.
    pub fn new() -> LaunchWatch {
        LaunchWatch::default()
    }

    /// The launch has ended: nothing is written any more. Only the first time counts.
    pub fn ended(&self, end: LaunchEnd) {
        let _ = self.end.set(end);
    }

    pub(crate) fn end(&self) -> Option<&LaunchEnd> {
        self.end.get()
    }
}

/// How records are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippingOptions {
    /// Threads that read queues.
    pub readers: usize,
    /// How long operations may wait for others while queues must not be read on. The contract with the
    /// device excludes that they wait for ever; who breaks it must not hang.
    pub patience: Duration,
    /// The launch is over when all of its threads have shipped their end: nobody else knows when that is.
    pub ends_by_itself: bool,
}

impl Default for ShippingOptions {
    fn default() -> Self {
        ShippingOptions { readers: 2, patience: Duration::from_secs(60), ends_by_itself: false }
    }
}

/// What was shipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShippingCounts {
    /// Operations of warps.
    pub operations: u64,
    /// Slots of queues.
    pub slots: u64,
}

/// Slots of one queue between its inbox and the merger.
#[derive(Debug, Default)]
struct Stream {
    slots: VecDeque<Slot>,
    /// The index of the first of them.
    next: u64,
    assembler: Assembler,
    /// Where the operation began that is not complete.
    began: u64,
}

/// Reads the queues of one launch, puts what they hold in order, and emits it to a sink as the CPU engine
/// would. Returns when the launch has ended and all is emitted, or with the reason why it was not checked:
/// what was emitted until then is true, but not all. Events of other launches must not go to the sink
/// meanwhile, and the queues belong to this launch alone.
pub fn ship(
    launch: &ShippedLaunch,
    queues: Vec<Reader>,
    watch: &LaunchWatch,
    sink: &mut dyn EventSink,
    options: ShippingOptions,
) -> Result<ShippingCounts, ShippingError> {
    let readers = options.readers.clamp(1, queues.len().max(1));
    let deliveries = Deliveries::new(queues.len(), readers);
    let capacities: Vec<u64> = queues.iter().map(Reader::capacity).collect();
    let stream = |reader: &Reader| Stream { next: reader.next_index(), ..Stream::default() };
    let mut streams: Vec<Stream> = queues.iter().map(stream).collect();
    let mut shares: Vec<Vec<(usize, Reader)>> = (0..readers).map(|_| Vec::new()).collect();
    for (number, reader) in queues.into_iter().enumerate() {
        shares[number % readers].push((number, reader));
    }
    std::thread::scope(|scope| {
        for share in shares {
            let deliveries = &deliveries;
            scope.spawn(move || deliveries.read(share, watch));
        }
        let mut merger = Merger::new(launch, &capacities, sink);
        let all_have_ended = || {
            if options.ends_by_itself {
                watch.ended(LaunchEnd::default());
            }
        };
        let merged =
            merge_all(&mut merger, &mut streams, &deliveries, options.patience, all_have_ended);
        if merged.is_err() {
            deliveries.abandon();
            make_room(&deliveries, streams.len());
        }
        let slots = streams.iter().map(|stream| stream.next).sum();
        conclude(merger, merged, &deliveries, watch)
            .map(|operations| ShippingCounts { operations, slots })
    })
}

/// What the whole amounts to, once nothing comes any more.
fn conclude(
    merger: Merger<'_>,
    merged: Result<(), ShippingError>,
    deliveries: &Deliveries,
    watch: &LaunchWatch,
) -> Result<u64, ShippingError> {
    let stopped = watch.end().is_some_and(|end| end.stopped);
    let lost = deliveries.first_loss().map(|(queue, FinalCounts { reserved, committed }, read)| {
        ShippingError::Lost { queue, reserved, committed, read }
    });
    match (merged.err(), lost) {
        (Some(error), _) => {
            merger.give_up();
            Err(error)
        }
        (None, _) if stopped => Err(merger.stop()),
        (None, Some(error)) => {
            merger.give_up();
            Err(error)
        }
        (None, None) => merger.finish(),
    }
}

/// Puts in order what comes, until nothing comes any more.
fn merge_all(
    merger: &mut Merger<'_>,
    streams: &mut [Stream],
    deliveries: &Deliveries,
    patience: Duration,
    all_have_ended: impl Fn(),
) -> Result<(), ShippingError> {
    let mut arrived = Vec::new();
    let mut last_progress = Instant::now();
    loop {
        // Asked first: what was delivered before is found below.
        let complete = deliveries.are_complete();
        let mut moved = false;
        for (number, stream) in streams.iter_mut().enumerate() {
            if stream.slots.len() < TURN {
                arrived.clear();
                deliveries.take(number, &mut arrived);
                stream.slots.extend(arrived.drain(..));
            }
            moved |= stream.advance(number, merger)?;
        }
        if moved {
            last_progress = Instant::now();
            if merger.all_have_ended() {
                all_have_ended();
            }
            continue;
        }
        if complete {
            return Ok(());
        }
        let is_held_up = streams.iter().any(|stream| !stream.slots.is_empty());
        let waited = last_progress.elapsed();
        if (waited > LANES_BEHIND || is_held_up && waited > LOOK) && merger.stop_reconverging()? {
            last_progress = Instant::now();
            continue;
        }
        if is_held_up && waited > patience {
            let (seconds, examples) = (waited.as_secs(), merger.examples());
            return Err(ShippingError::NoProgress { seconds, examples });
        }
        deliveries.wait(LOOK);
    }
}

/// Empties inboxes until nobody reads any more: the device goes on, though nobody listens.
fn make_room(deliveries: &Deliveries, queues: usize) {
    while !deliveries.are_complete() {
        for queue in 0..queues {
            deliveries.take(queue, &mut Vec::new());
        }
        deliveries.wait(LOOK);
    }
}

impl Stream {
    /// Hands some slots to the merger, as far as it takes them. Returns whether it took any.
    fn advance(&mut self, queue: usize, merger: &mut Merger<'_>) -> Result<bool, ShippingError> {
        let mut moved = false;
        for _ in 0..TURN {
            if !self.assembler.is_open() && !merger.may_read(queue, self.next) {
                break;
            }
            let Some(slot) = self.slots.pop_front() else { break };
            if !self.assembler.is_open() {
                self.began = self.next;
            }
            self.next += 1;
            moved = true;
            if let Some(operation) = self.assembler.push(&slot)? {
                merger.accept(queue, self.began, operation)?;
            }
        }
        Ok(moved)
    }
}
