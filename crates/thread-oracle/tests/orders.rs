//! What orders two accesses and what does not, case by case: both tools and the oracle say the same, and what is expected.

use std::sync::Arc;

use warpsan_thread_detect::MemoryOrder::{
    Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent,
};
use warpsan_thread_detect::{
    AllRules, Checker, FastTrack, MemoryOrder, RustAllocation, SlimFast, SlimFastSettings, Span,
    Tool,
};
use warpsan_thread_oracle::{compare, judge};
use warpsan_thread_trace::{Action, Barrier, Event, Lock, Site, Trace, TraceThread, replay};

const DATA: Span = Span { address: 0x1000, size: 8 };
const FLAG: Span = Span { address: 0x2000, size: 4 };

/// Threads 1 to 4 have been started by thread 0, which did nothing else.
fn story(steps: &[(u32, Action)]) -> Trace {
    let forks = (1..=4).map(|child| (0, Action::Fork(TraceThread(child))));
    let event = |(thread, action)| Event { thread: TraceThread(thread), site: Site(0), action };
    Trace { events: forks.chain(steps.iter().copied()).map(event).collect() }
}

fn says<T: Tool>(tool: T, trace: &Trace) -> Result<bool, String> {
    let checker = Checker::new(tool, Arc::new(RustAllocation)).map_err(|e| e.to_string())?;
    let replayed = replay(&checker, trace).map_err(|error| error.to_string())?;
    compare(trace, &judge(trace), &replayed)?;
    Ok(!replayed.races.is_empty())
}

fn expect(races: bool, steps: &[(u32, Action)]) {
    let trace = story(steps);
    assert_eq!(!judge(&trace).races.is_empty(), races, "the oracle on {steps:?}");
    let storage = || Arc::new(RustAllocation);
    assert_eq!(says(FastTrack::<AllRules>::new(storage()), &trace), Ok(races), "{steps:?}");
    let slim = SlimFast::<AllRules>::new(storage(), SlimFastSettings::default());
    assert_eq!(says(slim, &trace), Ok(races), "{steps:?}");
}

fn load(order: MemoryOrder) -> Action {
    Action::AtomicRead(FLAG, order)
}

fn store(order: MemoryOrder) -> Action {
    Action::AtomicWrite(FLAG, order)
}

fn update(order: MemoryOrder) -> Action {
    Action::AtomicUpdate(FLAG, order)
}

const WRITE: Action = Action::Write(DATA);
const READ: Action = Action::Read(DATA);

#[test]
fn a_message_needs_a_release_and_an_acquire() {
    for released in MemoryOrder::ALL {
        for acquired in MemoryOrder::ALL {
            let ordered = released.releases() && acquired.acquires();
            expect(!ordered, &[(1, WRITE), (1, store(released)), (2, load(acquired)), (2, READ)]);
            expect(
                !ordered,
                &[(1, WRITE), (1, update(released)), (2, update(acquired)), (2, WRITE)],
            );
        }
    }
}

#[test]
fn updates_of_any_thread_go_on_with_a_release_sequence() {
    let read = [(3, load(Acquire)), (3, READ)];
    let sent = [(1, WRITE), (1, store(Release))];
    for order in MemoryOrder::ALL {
        expect(false, &[&sent[..], &[(2, update(order)), (4, update(Relaxed))], &read].concat());
    }
}

#[test]
fn a_store_ends_a_release_sequence_also_one_of_the_same_thread_as_in_cpp20() {
    let read = [(3, load(Acquire)), (3, READ)];
    let sent = [(1, WRITE), (1, store(Release))];
    expect(true, &[&sent[..], &[(2, store(Relaxed))], &read].concat());
    expect(true, &[&sent[..], &[(2, store(Release))], &read].concat());
    expect(true, &[&sent[..], &[(1, store(Relaxed))], &read].concat());
    // An update behind the store does not bring it back.
    expect(true, &[&sent[..], &[(1, store(Relaxed)), (1, update(Relaxed))], &read].concat());
}

#[test]
fn a_fence_that_releases_passes_on_what_was_before_it_by_any_later_store_or_update() {
    let read = [(2, load(Acquire)), (2, READ)];
    for fence in [Release, AcquireRelease, SequentiallyConsistent] {
        let fenced = [(1, WRITE), (1, Action::Fence(fence))];
        expect(false, &[&fenced[..], &[(1, store(Relaxed))], &read].concat());
        expect(false, &[&fenced[..], &[(1, update(Relaxed))], &read].concat());
        expect(false, &[&fenced[..], &[(1, store(Relaxed)), (3, update(Relaxed))], &read].concat());
    }
    // What is between the fence and the store is not passed on, and a fence that acquires passes nothing on.
    let late = [(1, Action::Fence(Release)), (1, WRITE), (1, store(Relaxed))];
    expect(true, &[&late[..], &read].concat());
    let wrong = [(1, WRITE), (1, Action::Fence(Acquire)), (1, store(Relaxed))];
    expect(true, &[&wrong[..], &read].concat());
}

#[test]
fn a_fence_that_acquires_learns_what_reads_before_it_have_observed() {
    let sent = [(1, WRITE), (1, store(Release))];
    for fence in [Acquire, AcquireRelease, SequentiallyConsistent] {
        let taken = [(2, load(Relaxed)), (2, Action::Fence(fence)), (2, READ)];
        expect(false, &[&sent[..], &taken].concat());
    }
    let before = [(2, Action::Fence(Acquire)), (2, load(Relaxed)), (2, READ)];
    expect(true, &[&sent[..], &before].concat());
    let releases = [(2, load(Relaxed)), (2, Action::Fence(Release)), (2, READ)];
    expect(true, &[&sent[..], &releases].concat());
}

#[test]
fn fences_on_both_sides_order_relaxed_accesses() {
    let sent = [(1, WRITE), (1, Action::Fence(Release)), (1, store(Relaxed))];
    let taken = [(2, load(Relaxed)), (2, Action::Fence(Acquire)), (2, READ)];
    expect(false, &[&sent[..], &taken].concat());
}

#[test]
fn atomic_accesses_race_with_plain_ones_and_not_with_each_other() {
    let plain_write = Action::Write(FLAG);
    let plain_read = Action::Read(FLAG);
    for order in MemoryOrder::ALL {
        expect(
            false,
            &[(1, store(order)), (2, update(order)), (3, load(Relaxed)), (4, store(Relaxed))],
        );
        expect(true, &[(1, store(order)), (2, plain_write)]);
        expect(true, &[(1, store(order)), (2, plain_read)]);
        expect(true, &[(1, load(order)), (2, plain_write)]);
        expect(false, &[(1, load(order)), (2, plain_read)]);
        expect(true, &[(1, plain_write), (2, load(order))]);
        expect(true, &[(1, plain_write), (2, store(order))]);
        expect(true, &[(1, plain_read), (2, update(order))]);
        expect(false, &[(1, plain_read), (2, load(order))]);
    }
}

#[test]
fn a_plain_write_is_compared_with_the_atomic_accesses_of_all_threads_however_many() {
    let mut steps: Vec<(u32, Action)> = (1..=4).map(|thread| (thread, load(Relaxed))).collect();
    for child in 5..=12 {
        steps.push((0, Action::Fork(TraceThread(child))));
        steps.push((child, load(Relaxed)));
    }
    // Thread 0 waits for all but one.
    steps.extend((1..=11).map(|child| (0, Action::Join(TraceThread(child)))));
    expect(true, &[&steps[..], &[(0, Action::Write(FLAG))]].concat());
    steps.push((0, Action::Join(TraceThread(12))));
    expect(false, &[&steps[..], &[(0, Action::Write(FLAG))]].concat());
}

#[test]
fn a_read_that_acquires_is_behind_the_write_that_made_the_variable() {
    let made = [(1, Action::Write(FLAG)), (1, store(Release))];
    expect(false, &[&made[..], &[(2, load(Acquire))]].concat());
    expect(true, &[&made[..], &[(2, load(Relaxed))]].concat());
}

#[test]
fn readers_of_a_lock_are_behind_its_writers_and_before_the_next_and_not_behind_each_other() {
    let lock = Lock(9);
    let writes = |thread| {
        let (first, last) = (Action::AcquireForWriting(lock), Action::ReleaseFromWriting(lock));
        [(thread, first), (thread, WRITE), (thread, last)]
    };
    let reads = |thread, access| {
        let (first, last) = (Action::AcquireForReading(lock), Action::ReleaseFromReading(lock));
        [(thread, first), (thread, access), (thread, last)]
    };
    expect(false, &[writes(1), reads(2, READ), reads(3, READ), writes(4)].concat());
    expect(true, &[reads(2, WRITE), reads(3, READ)].concat());
}

#[test]
fn a_barrier_orders_what_is_before_it_before_what_is_behind_it_and_phases_are_apart() {
    let enter = Action::EnterBarrier(Barrier(1), 2);
    let leave = Action::LeaveBarrier(Barrier(1));
    expect(false, &[(1, WRITE), (1, enter), (2, enter), (2, leave), (2, READ)]);
    // Thread 2 is late to leave the first phase, while 1 and 3 complete the second.
    let phases = [(1, enter), (2, enter), (1, leave), (1, WRITE), (1, enter), (3, enter)];
    expect(true, &[&phases[..], &[(2, leave), (2, READ)]].concat());
    expect(false, &[&phases[..], &[(3, leave), (3, READ)]].concat());
}

#[test]
fn a_thread_that_gets_the_id_of_a_joined_one_is_not_taken_for_it() {
    let fork = |child| (0, Action::Fork(TraceThread(child)));
    // Thread 0 knows all of thread 1, and nothing of what thread 5 writes.
    expect(true, &[(0, Action::Join(TraceThread(1))), fork(5), (5, WRITE), (0, READ)]);
    expect(false, &[(1, WRITE), (0, Action::Join(TraceThread(1))), fork(5), (5, READ)]);
}

#[test]
fn a_free_is_a_write_and_memory_that_is_given_out_has_no_history() {
    let (free, allocate) = (Action::Free(DATA), Action::Allocate(DATA));
    expect(true, &[(1, READ), (2, free)]);
    expect(true, &[(1, free), (2, READ)]);
    expect(false, &[(1, WRITE), (1, free), (2, allocate), (2, WRITE)]);
    expect(false, &[(1, WRITE), (2, allocate), (2, WRITE)]);
    // Only these bytes.
    let half = Span { address: DATA.address + 4, size: 4 };
    let other = Span { address: DATA.address, size: 4 };
    expect(true, &[(1, WRITE), (2, Action::Allocate(half)), (2, Action::Write(other))]);
    expect(false, &[(1, WRITE), (2, Action::Allocate(half)), (2, Action::Write(half))]);
}

#[test]
fn who_acquires_what_was_posted_is_behind_all_who_posted() {
    let lock = Lock(7);
    let (post, acquire) = (Action::Post(lock), Action::Acquire(lock));
    expect(false, &[(1, WRITE), (1, post), (2, post), (3, acquire), (3, WRITE)]);
    expect(true, &[(1, WRITE), (2, post), (3, acquire), (3, WRITE)]);
    // A release replaces what was posted before it by who has not acquired that.
    let release = Action::Release(lock);
    expect(true, &[(1, WRITE), (1, post), (2, release), (3, acquire), (3, WRITE)]);
    expect(false, &[(1, WRITE), (1, post), (2, acquire), (2, release), (3, acquire), (3, WRITE)]);
}

#[test]
fn what_was_destroyed_orders_nothing_when_it_comes_back() {
    let at = Span { address: 7, size: 1 };
    let lock = Lock(7);
    let pairs = [
        (Action::Release(lock), Action::Acquire(lock)),
        (Action::Post(lock), Action::Acquire(lock)),
        (Action::ReleaseFromReading(lock), Action::AcquireForWriting(lock)),
        (Action::ReleaseFromWriting(lock), Action::AcquireForReading(lock)),
    ];
    for (release, acquire) in pairs {
        expect(false, &[(1, WRITE), (1, release), (2, acquire), (2, WRITE)]);
        for end in [Action::Destroy(at), Action::Allocate(at), Action::Free(at)] {
            expect(true, &[(1, WRITE), (1, release), (3, end), (2, acquire), (2, WRITE)]);
        }
    }
    let (enter, leave) = (Action::EnterBarrier(Barrier(7), 2), Action::LeaveBarrier(Barrier(7)));
    let end = Action::Destroy(at);
    expect(false, &[(1, WRITE), (1, enter), (2, enter), (2, leave), (2, WRITE)]);
    expect(
        true,
        &[(1, WRITE), (1, enter), (3, end), (2, enter), (4, enter), (2, leave), (2, WRITE)],
    );
}

#[test]
fn accesses_race_only_in_bytes_that_they_have_in_common() {
    let at = |offset, size| Action::Write(Span { address: DATA.address + offset, size });
    for (offset, size) in [(0, 1), (1, 2), (3, 1), (4, 4), (6, 2), (7, 9), (0, 16)] {
        for (other, length) in [(0, 1), (2, 1), (3, 1), (4, 2), (8, 8), (5, 3), (16, 1)] {
            let overlap = offset < other + length && other < offset + size;
            expect(overlap, &[(1, at(offset, size)), (2, at(other, length))]);
        }
    }
}
