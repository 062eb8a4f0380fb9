//! Happens-before by closure, and all pairs of accesses.
//!
//! An event is before another one if
//! - it is of the same thread and earlier, or of the thread that started it and before the start, or of a thread that was joined;
//! - it gave a lock back that the other took later (readers give back to writers, writers to both), or posted what the other
//!   took later, and it was the same lock all the time;
//! - it entered the phase of a barrier that the other left;
//! - it released what the other acquired: the value that an atomic read observed is the last one written to the address
//!   before it. From there back through updates to the first write that is none, every write heads, or would head, a
//!   release sequence that has the value in it. Such a write synchronises if it releases; so do the fences that release
//!   before it in its thread. With it synchronises the read, if it acquires, and so do the fences that acquire after it in its
//!   thread;
//! - or there is an event between them.
//!
//! The order of a trace is a total order in which all these go forward, so one pass gives the closure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use warpsan_thread_detect::{MemoryOrder, Span};
use warpsan_thread_trace::{Action, Barrier, Event, Lock, Trace, TraceThread};

/// A byte, from one time that its memory was given out to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Its address.
    pub byte: u64,
    /// How often it was given out before.
    pub life: u32,
}

/// The first access to a location that races with an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRace {
    /// The event of the access.
    pub event: usize,
    /// All threads with an earlier access that it races with.
    pub earlier: BTreeSet<TraceThread>,
}

/// What the oracle says of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The locations that race.
    pub races: BTreeMap<Location, FirstRace>,
    /// How many locations were accessed at all.
    pub locations: usize,
}

fn acquires(order: MemoryOrder) -> bool {
    match order {
        MemoryOrder::Relaxed | MemoryOrder::Release => false,
        MemoryOrder::Acquire
        | MemoryOrder::AcquireRelease
        | MemoryOrder::SequentiallyConsistent => true,
    }
}

fn releases(order: MemoryOrder) -> bool {
    match order {
        MemoryOrder::Relaxed | MemoryOrder::Acquire => false,
        MemoryOrder::Release
        | MemoryOrder::AcquireRelease
        | MemoryOrder::SequentiallyConsistent => true,
    }
}

/// Judges a trace.
pub fn judge(trace: &Trace) -> Judgement {
    let order = Order::of(trace);
    let mut lives: HashMap<u64, u32> = HashMap::new();
    let mut accesses: HashMap<Location, Vec<Access>> = HashMap::new();
    let mut races = BTreeMap::new();
    for (event, what) in trace.events.iter().enumerate() {
        let (span, writes, atomic) = match what.action {
            Action::Read(span) => (span, false, false),
            Action::Write(span) | Action::Free(span) => (span, true, false),
            Action::AtomicRead(span, _) => (span, false, true),
            Action::AtomicWrite(span, _) | Action::AtomicUpdate(span, _) => (span, true, true),
            Action::Allocate(span) => {
                bytes(span).for_each(|byte| *lives.entry(byte).or_default() += 1);
                continue;
            }
            _ => continue,
        };
        for byte in bytes(span) {
            let location = Location { byte, life: lives.get(&byte).copied().unwrap_or(0) };
            let access = Access { event, thread: what.thread, writes, atomic };
            let earlier = accesses.entry(location).or_default();
            let racing = earlier.iter().filter(|other| {
                let conflict = (other.writes || writes) && !(other.atomic && atomic);
                conflict && other.thread != what.thread && !order.is_before(other.event, event)
            });
            let racing: BTreeSet<TraceThread> = racing.map(|other| other.thread).collect();
            if !racing.is_empty() {
                races.entry(location).or_insert(FirstRace { event, earlier: racing });
            }
            earlier.push(access);
        }
    }
    Judgement { races, locations: accesses.len() }
}

struct Access {
    event: usize,
    thread: TraceThread,
    writes: bool,
    atomic: bool,
}

fn bytes(span: Span) -> std::ops::Range<u64> {
    span.address..span.address + span.size
}

/// All events before each event, as bits.
struct Order {
    before: Vec<Vec<u64>>,
}

impl Order {
    fn is_before(&self, earlier: usize, later: usize) -> bool {
        self.before[later][earlier / 64] >> (earlier % 64) & 1 == 1
    }

    fn of(trace: &Trace) -> Order {
        let words = trace.events.len().div_ceil(64);
        let mut order = Order { before: Vec::with_capacity(trace.events.len()) };
        for event in 0..trace.events.len() {
            let mut row = vec![0; words];
            for direct in directly_before(trace, event) {
                debug_assert!(direct < event);
                row[direct / 64] |= 1 << (direct % 64);
                for (mine, theirs) in row.iter_mut().zip(&order.before[direct]) {
                    *mine |= theirs;
                }
            }
            order.before.push(row);
        }
        order
    }
}

/// The events from which an edge leads to this one.
fn directly_before(trace: &Trace, event: usize) -> Vec<usize> {
    let events = &trace.events;
    let thread = events[event].thread;
    let since = |address: u64, wanted: &dyn Fn(Action) -> bool| -> Vec<usize> {
        let first = last_destroyed(trace, address, event);
        (first..event).filter(|other| wanted(events[*other].action)).collect()
    };
    let mut before: Vec<usize> = last_of(trace, thread, event).into_iter().collect();
    match events[event].action {
        Action::Acquire(lock) => before.extend(carried(trace, lock, event)),
        Action::AcquireForReading(lock) => {
            before.extend(since(lock.0, &|other| other == Action::ReleaseFromWriting(lock)));
        }
        Action::AcquireForWriting(lock) => before.extend(since(lock.0, &|other| {
            other == Action::ReleaseFromWriting(lock) || other == Action::ReleaseFromReading(lock)
        })),
        Action::Join(child) => before.extend(last_of(trace, child, event)),
        Action::LeaveBarrier(barrier) => before.extend(phase(trace, barrier, thread, event)),
        Action::AtomicRead(_, order) | Action::AtomicUpdate(_, order) if acquires(order) => {
            before.extend(released_to(trace, event));
        }
        Action::Fence(order) if acquires(order) => {
            let own = (0..event).filter(|other| events[*other].thread == thread);
            before.extend(own.flat_map(|other| released_to(trace, other)));
        }
        _ => {}
    }
    before
}

/// The first event that what synchronises at an address may have seen: whatever was there was destroyed before.
fn last_destroyed(trace: &Trace, address: u64, end: usize) -> usize {
    let destroys = |event: &Event| match event.action {
        Action::Destroy(span) | Action::Free(span) | Action::Allocate(span) => {
            bytes(span).contains(&address)
        }
        _ => false,
    };
    trace.events[..end].iter().rposition(destroys).map_or(0, |event| event + 1)
}

/// What a lock carries: the last release of who held it, and what was posted since.
fn carried(trace: &Trace, lock: Lock, end: usize) -> Vec<usize> {
    let mut carried = Vec::new();
    for event in (last_destroyed(trace, lock.0, end)..end).rev() {
        match trace.events[event].action {
            Action::Post(other) if other == lock => carried.push(event),
            Action::Release(other) if other == lock => {
                carried.push(event);
                break;
            }
            _ => {}
        }
    }
    carried
}

/// The last event of a thread, or the one that started it.
fn last_of(trace: &Trace, thread: TraceThread, end: usize) -> Option<usize> {
    let earlier = &trace.events[..end];
    let own = earlier.iter().rposition(|event| event.thread == thread);
    own.or_else(|| earlier.iter().position(|event| event.action == Action::Fork(thread)))
}

/// Those who entered the phase that the thread entered last.
fn phase(trace: &Trace, barrier: Barrier, thread: TraceThread, end: usize) -> Vec<usize> {
    let entered = |event: &usize| match trace.events[*event].action {
        Action::EnterBarrier(other, _) => other == barrier,
        _ => false,
    };
    let first = last_destroyed(trace, barrier.0, end);
    let all: Vec<usize> = (first..end).filter(entered).collect();
    let own = all.iter().rposition(|event| trace.events[*event].thread == thread);
    let Some(own) = own else { return Vec::new() };
    let Action::EnterBarrier(_, parties) = trace.events[all[own]].action else {
        return Vec::new();
    };
    let first = own - own % parties as usize;
    all[first..all.len().min(first + parties as usize)].to_vec()
}

/// The write that an atomic read observes.
fn observed(trace: &Trace, read: usize) -> Option<usize> {
    let address = match trace.events[read].action {
        Action::AtomicRead(span, _) | Action::AtomicUpdate(span, _) => span.address,
        _ => return None,
    };
    for event in (0..read).rev() {
        match trace.events[event].action {
            Action::AtomicWrite(span, _) | Action::AtomicUpdate(span, _)
                if span.address == address =>
            {
                return Some(event);
            }
            Action::Free(span) | Action::Allocate(span) | Action::Destroy(span)
                if bytes(span).contains(&address) =>
            {
                return None;
            }
            _ => {}
        }
    }
    None
}

/// What synchronises with whoever acquires by this atomic read.
fn released_to(trace: &Trace, read: usize) -> Vec<usize> {
    let mut sources = Vec::new();
    let mut write = observed(trace, read);
    while let Some(head) = write {
        let (order, goes_on) = match trace.events[head].action {
            Action::AtomicWrite(_, order) => (order, false),
            Action::AtomicUpdate(_, order) => (order, true),
            _ => break,
        };
        if releases(order) {
            sources.push(head);
        }
        let fences = (0..head).filter(|event| match trace.events[*event].action {
            Action::Fence(order) => {
                releases(order) && trace.events[*event].thread == trace.events[head].thread
            }
            _ => false,
        });
        sources.extend(fences);
        write = if goes_on { observed(trace, head) } else { None };
    }
    sources
}
