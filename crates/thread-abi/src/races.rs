//! A race becomes a record: each pair of places once, and then counted.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use warpsan_thread_detect::{Conflict, EarlierAccess, Span};
use warpsan_thread_report::{
    Lock, Memory, RaceCount, RaceRecord, Record, Side, SideAccess, Thread as ThreadRecord,
};

use crate::history::{Access, Found};
use crate::lock::locked;
use crate::locks::HeldLock;
use crate::modules;
use crate::registry::ThreadInfo;
use crate::runtime::Runtime;
use crate::stacks::stack;
use crate::thread::Thread;

/// Hashing without random numbers, which the system may refuse to give.
type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// The races of this process.
#[derive(Default)]
pub(crate) struct Races(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// By what the two accesses are and where.
    pairs: Map<Pair, usize>,
    counts: Vec<u64>,
    searches: Map<(u64, EarlierAccessNumber), Searches>,
}

type EarlierAccessNumber = u8;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    /// 0 where it is not known.
    first: u64,
    second: u64,
    sorts: (u8, u8),
}

/// How often an access was found to race, and what came of it. A loop may race millions of times: looking for the other
/// side each time, which reads through its thread's record, would take longer than the program.
#[derive(Default)]
struct Searches {
    conflicts: u64,
    /// Searches since one has found a new pair.
    in_vain: u64,
    last: Option<usize>,
}

impl Searches {
    /// Whether it is worth to look for the other side again: ever more seldom while nothing new comes of it.
    fn is_worth_it(&self) -> bool {
        let step = match self.in_vain {
            0..64 => 1,
            64..256 => 16,
            256..1024 => 256,
            _ => 4096,
        };
        self.last.is_none() || self.conflicts.is_multiple_of(step)
    }
}

/// An access was found to race.
#[cold]
#[inline(never)]
pub(crate) fn report(
    thread: &mut Thread,
    access: &Access,
    span: Span,
    conflict: Conflict,
    count: u64,
) {
    let runtime = thread.runtime;
    if runtime.only_records {
        return;
    }
    let key = (access.site, conflict.access as u8);
    {
        let mut known = locked(&runtime.races.0);
        let searches = known.searches.entry(key).or_default();
        searches.conflicts += count;
        if !searches.is_worth_it() {
            if let Some(last) = searches.last {
                known.counts[last] += count;
            }
            return;
        }
    }
    let earlier = runtime.registry.of_epoch(conflict.earlier);
    let ring = earlier.as_ref().and_then(|info| locked(&info.details).ring.clone());
    let found = ring.and_then(|ring| ring.find(span, conflict.access, conflict.earlier.clock()));
    let found_access = found.as_ref().map(|found| found.access);
    let first_sort = found_access.map_or(sort_of(conflict.access), |access| access.sort);
    let pair = Pair {
        first: found_access.map_or(0, |access| access.site),
        second: access.site,
        sorts: (first_sort as u8, access.sort as u8),
    };
    let Some(number) = runtime.races.add(pair, key, count) else { return };
    modules::look_again();
    let record = RaceRecord {
        number: u32::try_from(number).unwrap_or(u32::MAX),
        first: first_side(first_sort, found, earlier.as_deref()),
        second: second_side(thread, access),
        address: span.address,
        bytes: span.size,
        memory: memory_at(runtime, span.address),
        threads: threads(runtime, [earlier, Some(Arc::clone(&thread.info))]),
    };
    runtime.output.write(&Record::Race(Box::new(record)));
    runtime.keep_trace();
}

impl Races {
    /// Counts a pair. It is given its number if it is new.
    fn add(&self, pair: Pair, key: (u64, EarlierAccessNumber), count: u64) -> Option<usize> {
        let mut known = locked(&self.0);
        let next = known.counts.len();
        let number = *known.pairs.entry(pair).or_insert(next);
        let is_new = number == next;
        if is_new {
            known.counts.push(0);
        }
        known.counts[number] += count;
        let searches = known.searches.entry(key).or_default();
        searches.last = Some(number);
        searches.in_vain = if is_new { 0 } else { searches.in_vain + 1 };
        is_new.then_some(number)
    }

    /// How often each race was seen.
    pub(crate) fn counts(&self) -> Vec<RaceCount> {
        let known = locked(&self.0);
        let counts = known.counts.iter().enumerate();
        counts.map(|(number, count)| RaceCount { number: number as u32, count: *count }).collect()
    }

    /// Forgets all: a fork reports its own.
    pub(crate) fn clear(&self) {
        *locked(&self.0) = Known::default();
    }
}

fn sort_of(access: EarlierAccess) -> SideAccess {
    match access {
        EarlierAccess::Read => SideAccess::Read,
        EarlierAccess::Write => SideAccess::Write,
        EarlierAccess::AtomicRead => SideAccess::AtomicRead,
        EarlierAccess::AtomicWrite => SideAccess::AtomicWrite,
    }
}

/// The number of a thread that nobody knows any more.
const UNKNOWN_THREAD: u32 = u32::MAX;

fn first_side(access: SideAccess, found: Option<Found>, thread: Option<&ThreadInfo>) -> Side {
    let thread = thread.map_or(UNKNOWN_THREAD, |info| info.number);
    match found {
        Some(Found { access, calls, locks }) => Side {
            access: access.sort,
            span: Some((access.span.address, access.span.size)),
            thread,
            stack: Some(stack(calls.with(access.site))),
            function: access.function.name().map(str::to_string),
            locks_lost: locks.is_none(),
            locks: lock_records(&locks.unwrap_or_default()),
        },
        None => Side {
            access,
            span: None,
            thread,
            stack: None,
            function: None,
            locks: Vec::new(),
            locks_lost: true,
        },
    }
}

fn second_side(thread: &mut Thread, access: &Access) -> Side {
    Side {
        access: access.sort,
        span: Some((access.span.address, access.span.size)),
        thread: thread.info.number,
        stack: Some(stack(thread.calls_at(access.site))),
        function: access.function.name().map(str::to_string),
        locks: lock_records(thread.locks.held()),
        locks_lost: false,
    }
}

fn lock_records(locks: &[HeldLock]) -> Vec<Lock> {
    let record = |lock: &HeldLock| Lock {
        address: lock.address,
        exclusive: lock.exclusive,
        stack: (!lock.calls.is_empty()).then(|| stack(lock.calls)),
    };
    locks.iter().map(record).collect()
}

/// Records of these threads, and of those that started them.
fn threads(runtime: &Runtime, sides: [Option<Arc<ThreadInfo>>; 2]) -> Vec<ThreadRecord> {
    let mut records: Vec<ThreadRecord> = Vec::new();
    let mut next: Vec<Arc<ThreadInfo>> = sides.into_iter().flatten().collect();
    while let Some(info) = next.pop() {
        if records.iter().any(|record| record.number == info.number) {
            continue;
        }
        records.push(ThreadRecord {
            number: info.number,
            name: locked(&info.details).name.clone(),
            started_by: info.started_by,
            started_at: (!info.started_at.is_empty()).then(|| stack(info.started_at)),
            ended: info.ended.load(Ordering::Relaxed),
        });
        next.extend(info.started_by.and_then(|number| runtime.registry.of_number(number)));
    }
    records
}

/// What an address belongs to.
fn memory_at(runtime: &Runtime, address: u64) -> Memory {
    if let Some((block, freed)) = runtime.blocks.find(address) {
        return Memory::Heap {
            start: block.start,
            bytes: block.bytes,
            freed,
            thread: Some(block.thread),
            stack: (!block.calls.is_empty()).then(|| stack(block.calls)),
        };
    }
    if let Some((module, offset)) = modules::place(address) {
        return Memory::Global { module, offset };
    }
    match runtime.registry.of_stack(address) {
        Some(info) => Memory::Stack { thread: info.number },
        None => Memory::Other,
    }
}
