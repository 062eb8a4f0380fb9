//! The order of a program's work on its GPU, for detectors on the host.
//!
//! Every step comes when the driver has taken it. Launches are shipped one after the other, so a launch counts as done
//! when it is put into its stream. What it follows is settled at the same time, whatever the host waits for before the
//! launch's records are read. Where the order is not known, work is taken to be ordered: a race may be missed then, but
//! none is made up.

use crate::order::{EventNumber, OrderPosition, Stream, Wait, WorkOrder, WorkSet};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use warpsan_gpu::{CUevent, CUstream, Driver, OrderStep, OrderedLaunch};
use warpsan_model::LaunchId;

/// The program has functions of the driver that order work and that nobody stands in front of.
pub(super) static NOT_SEEN: AtomicBool = AtomicBool::new(false);

/// Launches that are kept apart from others. With more, the oldest are taken to be before everything that follows: a program that
/// never waits for them would have more and more.
const MOST_OPEN: usize = 128;

/// Keeps the order, for all threads.
pub(super) struct ShippedOrder {
    /// Whether a stream waits for the legacy default stream; nothing if the driver does not say so.
    blocks: Box<dyn Fn(CUstream) -> Option<bool> + Send + Sync>,
    kept: Mutex<KeptOrder>,
}

impl ShippedOrder {
    /// The order of work of this driver.
    pub(super) fn new(driver: &'static Driver) -> ShippedOrder {
        const NON_BLOCKING: u32 = 1;
        Self::of_streams(move |stream| {
            let mut flags = 0;
            // SAFETY: a stream of the program, and a place for a number.
            unsafe { driver.cuStreamGetFlags(stream, &mut flags) }.ok().ok()?;
            Some(flags & NON_BLOCKING == 0)
        })
    }

    /// The order of work in streams of which this is said.
    pub(super) fn of_streams(
        blocks: impl Fn(CUstream) -> Option<bool> + Send + Sync + 'static,
    ) -> ShippedOrder {
        ShippedOrder { blocks: Box::new(blocks), kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, KeptOrder> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program has done something.
    pub(super) fn step(&self, step: OrderStep) {
        let step = match NOT_SEEN.load(Ordering::Relaxed) {
            true => [Some(OrderStep::NotFollowed), Some(step)],
            false => [Some(step), None],
        };
        let mut kept = self.kept();
        step.into_iter().flatten().for_each(|step| kept.step(step, &*self.blocks));
    }

    /// What a launch follows, which is asked once.
    pub(super) fn take_position(&self, launch: LaunchId) -> OrderPosition {
        self.kept().positions.remove(&launch).unwrap_or_default()
    }
}

/// Who has a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Handle(CUstream),
    /// A thread, with its default stream. That is one for each context, which are taken for one.
    Thread(u64),
}

#[derive(Debug, Default)]
struct KeptOrder {
    order: WorkOrder,
    streams: HashMap<Owner, Stream>,
    next_stream: u64,
    /// Events that stand for what is not known.
    unclear: HashSet<CUevent>,
    /// What each launch follows whose records were not read yet.
    positions: HashMap<LaunchId, OrderPosition>,
    /// Memory was given back in the order of a stream, and none taken since.
    freed: bool,
    shared_with_host: bool,
    not_followed: bool,
}

/// Says whether a stream waits for the legacy default stream.
type Blocks<'a> = &'a dyn Fn(CUstream) -> Option<bool>;

impl KeptOrder {
    fn step(&mut self, step: OrderStep, blocks: Blocks<'_>) {
        match step {
            OrderStep::StreamMade(stream) => {
                self.end_stream(Owner::Handle(stream));
                let stream = self.stream(stream, blocks);
                self.order.begin_stream(stream);
            }
            OrderStep::StreamEnded(stream) => self.end_stream(Owner::Handle(stream)),
            OrderStep::EventEnded(event) => {
                self.unclear.remove(&event);
                self.order.end_event(number(event));
            }
            OrderStep::Launched(launch) => self.launch(&launch, blocks),
            OrderStep::Work(stream) => self.work(stream, blocks),
            OrderStep::Freed(stream) => {
                self.work(stream, blocks);
                self.freed = true;
            }
            OrderStep::Taken(stream) => {
                self.work(stream, blocks);
                // It may be memory that another stream used, and the driver has put the one behind the other.
                if std::mem::take(&mut self.freed) {
                    self.know_all();
                }
            }
            OrderStep::Recorded { event, stream } => {
                if self.stream(stream, blocks) == Stream::Legacy {
                    // What comes next in other streams is behind the event, and so behind all that it stands for.
                    self.work(stream, blocks);
                }
                let stream = self.stream(stream, blocks);
                self.unclear.remove(&event);
                self.order.record(number(event), stream);
            }
            OrderStep::RecordedElsewhere(event) => {
                self.unclear.insert(event);
            }
            OrderStep::StreamWaits { stream, event } => match self.unclear.contains(&event) {
                true => self.know_all(),
                false => {
                    let stream = self.stream(stream, blocks);
                    self.order.wait(stream, number(event));
                }
            },
            OrderStep::HostWaitedForStream(stream) => {
                let stream = self.stream(stream, blocks);
                self.know(Wait::Stream(stream));
            }
            OrderStep::HostWaitedForEvent(event) => match self.unclear.contains(&event) {
                true => self.know_all(),
                false => self.know(Wait::Event(number(event))),
            },
            OrderStep::HostWaitedForAll => self.know_all(),
            OrderStep::ContextEnded => {
                self.know_all();
                let gone: Vec<Owner> = self.streams.keys().copied().collect();
                gone.into_iter().for_each(|owner| self.end_stream(owner));
            }
            OrderStep::SharedWithHost => self.shared_with_host = true,
            OrderStep::NotFollowed => {
                self.not_followed = true;
                self.know_all();
            }
        }
    }

    fn launch(&mut self, launch: &OrderedLaunch, blocks: Blocks<'_>) {
        let stream = self.stream(launch.stream, blocks);
        // What the host does with memory is not seen. A kernel that can hear of it, or be heard, may so be in any order.
        let is_in_order = self.not_followed
            || launch.is_one_of_several
            || launch.speaks_to_host && self.shared_with_host;
        if is_in_order {
            self.know_all();
        }
        let work = match launch.overlaps {
            true => self.order.add_overlapping(stream),
            false => self.order.add(stream),
        };
        self.order.set_launch(work);
        let position = self.order.position(work);
        self.order.done(work, Some(launch.launch));
        self.positions.insert(launch.launch, position);
        if is_in_order {
            self.know_all();
        }
        let open = self.order.awaited(Wait::Everything);
        if open.len() > MOST_OPEN {
            let old: WorkSet = open.into_iter().take(MOST_OPEN / 2).collect();
            self.order.know(&old);
        }
    }

    fn work(&mut self, stream: CUstream, blocks: Blocks<'_>) {
        let stream = self.stream(stream, blocks);
        let work = self.order.add(stream);
        self.order.done(work, None);
    }

    fn know(&mut self, wait: Wait) {
        let awaited = self.order.awaited(wait);
        self.order.know(&awaited);
    }

    fn know_all(&mut self) {
        self.know(Wait::Everything);
    }

    fn end_stream(&mut self, owner: Owner) {
        if let Some(stream) = self.streams.remove(&owner) {
            self.order.end_stream(stream);
        }
    }

    /// The stream of a handle. The default streams of several contexts are taken for one.
    fn stream(&mut self, handle: CUstream, blocks: Blocks<'_>) -> Stream {
        let owner = match handle {
            CUstream::NULL | CUstream::LEGACY => return Stream::Legacy,
            CUstream::PER_THREAD => Owner::Thread(this_thread()),
            handle => Owner::Handle(handle),
        };
        if let Some(known) = self.streams.get(&owner) {
            return *known;
        }
        let is_blocking = match owner {
            Owner::Thread(_) => Some(true),
            Owner::Handle(handle) => blocks(handle),
        };
        let number = self.next_stream;
        self.next_stream += 1;
        let stream = match is_blocking {
            Some(true) => Stream::Blocking(number),
            Some(false) => Stream::NonBlocking(number),
            None => {
                self.not_followed = true;
                self.know_all();
                Stream::Blocking(number)
            }
        };
        self.streams.insert(owner, stream);
        stream
    }
}

fn number(event: CUevent) -> EventNumber {
    EventNumber(event.0 as u64)
}

/// A number that no other thread has, even later.
fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    // A thread that is about to end has none; they all share one then.
    NUMBER.try_with(|number| *number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
