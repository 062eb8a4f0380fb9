//! The examples of the thesis, chapter 3, step by step.

use std::sync::Arc;

use warpsan_thread_detect::{
    AllRules, Checker, Clock, Conflict, Count, Description, Epoch, FastTrack, RustAllocation,
    SlimFast, SlimFastSettings, Span, SyncClock, ThreadState, Tool,
};

const X: u64 = 0x1000;
const Y: u64 = 0x1008;
const Z: u64 = 0x1010;

fn word(address: u64) -> Span {
    Span { address, size: 8 }
}

fn no_race(span: Span, conflict: Conflict) {
    panic!("{conflict:?} at {span:x?}");
}

fn slim_fast() -> Checker<SlimFast> {
    let tool = SlimFast::<AllRules>::new(Arc::new(RustAllocation), SlimFastSettings::default());
    Checker::new(tool, Arc::new(RustAllocation)).expect("there is memory")
}

fn fast_track() -> Checker<FastTrack> {
    let tool = FastTrack::<AllRules>::new(Arc::new(RustAllocation));
    Checker::new(tool, Arc::new(RustAllocation)).expect("there is memory")
}

fn at<T: Tool>(clock: u64, thread: &ThreadState<T>) -> Epoch {
    Epoch::new(Clock::new(clock), thread.id())
}

fn read<T: Tool>(checker: &Checker<T>, thread: &mut ThreadState<T>, address: u64) {
    checker.read(thread, word(address), &mut no_race);
}

fn write<T: Tool>(checker: &Checker<T>, thread: &mut ThreadState<T>, address: u64) {
    checker.write(thread, word(address), &mut no_race);
}

fn pair<T: Tool>(checker: &Checker<T>, address: u64, read: Epoch, write: Epoch) {
    assert_eq!(checker.describe(address).0, Description::Pair { write, read }, "{address:x}");
}

fn same<T: Tool>(checker: &Checker<T>, one: u64, other: u64) -> bool {
    checker.describe(one).1 == checker.describe(other).1
}

/// Figure 3.6, with the metadata after each step.
fn figure_3_6<T: Tool>(checker: &Checker<T>, shares: bool) {
    let lock = SyncClock::default();
    let t1 = &mut checker.root().expect("the first thread");
    t1.acquire(&lock);
    for address in [X, Y] {
        write(checker, t1, address);
        pair(checker, address, Epoch::NONE, at(1, t1));
    }
    assert_eq!(same(checker, X, Y), shares);
    t1.release(&lock);
    for address in [X, Y] {
        write(checker, t1, address);
        pair(checker, address, Epoch::NONE, at(2, t1));
    }
    assert_eq!(same(checker, X, Y), shares);
    let allocated = t1.counters().get(Count::PairAllocated);
    assert_eq!(allocated, 2, "an EpochPair for each epoch, or for each location");
}

#[test]
fn figure_3_6_slimfast_has_one_epoch_pair_for_all_writes_of_an_epoch() {
    figure_3_6(&slim_fast(), true);
}

#[test]
fn figure_3_6_fasttrack_has_one_epoch_pair_for_each_location() {
    figure_3_6(&fast_track(), false);
}

/// Figure 3.9: two threads read x, y and z; returns the names of their metadata.
fn figure_3_9<T: Tool>(checker: &Checker<T>) -> [(Description, u64); 3] {
    let mut main = checker.root().expect("the first thread");
    let new = [main.fork(checker.threads()), main.fork(checker.threads())];
    let [t0, t1] = &mut new.map(|new| checker.begin(new.expect("there are ids")));
    read(checker, t0, X);
    read(checker, t1, Y);
    pair(checker, X, at(1, t0), Epoch::NONE);
    pair(checker, Y, at(1, t1), Epoch::NONE);
    read(checker, t1, X);
    read(checker, t0, Y);
    read(checker, t0, Z);
    pair(checker, Z, at(1, t0), Epoch::NONE);
    read(checker, t1, Z);
    let both = Description::Vector { write: Epoch::NONE, reads: vec![at(1, t0), at(1, t1)] };
    for address in [X, Y, Z] {
        assert_eq!(checker.describe(address).0, both, "{address:x}");
    }
    let names = [X, Y, Z].map(|address| checker.describe(address));
    let vectors = [&t0, &t1].map(|thread| thread.counters().get(Count::VectorAllocated));
    let pairs = [&t0, &t1].map(|thread| thread.counters().get(Count::PairAllocated));
    if T::NAME == "slimfast" {
        assert_eq!((pairs, vectors), ([1, 1], [1, 1]));
        assert_eq!(t0.counters().get(Count::ReadExclusive), 1, "T0's read of z reuses");
        assert_eq!(t1.counters().get(Count::ReadInflate), 1, "T1's read of z reuses");
    } else {
        assert_eq!((pairs, vectors), ([2, 1], [1, 2]));
    }
    names
}

#[test]
fn figure_3_9_slimfast_has_two_vectors_for_three_locations() {
    let [x, y, z] = figure_3_9(&slim_fast()).map(|(_, name)| name);
    assert_ne!(x, y, "two threads have inflated them");
    assert_eq!(x, z, "T1 has inflated both");
}

#[test]
fn figure_3_9_fasttrack_has_three_vectors_for_three_locations() {
    let [x, y, z] = figure_3_9(&fast_track()).map(|(_, name)| name);
    assert!(x != y && y != z && x != z);
}

/// Figure 3.10, with the metadata after each step.
fn figure_3_10<T: Tool>(checker: &Checker<T>) {
    let lock = SyncClock::default();
    let t1 = &mut checker.root().expect("the first thread");
    t1.acquire(&lock);
    write(checker, t1, X);
    pair(checker, X, Epoch::NONE, at(1, t1));
    t1.release(&lock);
    write(checker, t1, Y);
    pair(checker, Y, Epoch::NONE, at(2, t1));
    t1.acquire(&lock);
    read(checker, t1, X);
    pair(checker, X, at(2, t1), at(1, t1));
    read(checker, t1, Y);
    pair(checker, Y, at(2, t1), at(2, t1));
    t1.release(&lock);
    read(checker, t1, X);
    pair(checker, X, at(3, t1), at(1, t1));
    read(checker, t1, Y);
    pair(checker, Y, at(3, t1), at(2, t1));
}

#[test]
fn figure_3_10_read_epochs_are_those_of_the_current_epoch() {
    figure_3_10(&slim_fast());
    figure_3_10(&fast_track());
}

#[test]
fn figure_3_8_the_next_map_leads_a_second_location_to_the_same_vector() {
    let checker = slim_fast();
    let lock = SyncClock::default();
    let mut main = checker.root().expect("the first thread");
    let new = [main.fork(checker.threads()), main.fork(checker.threads())];
    let [t0, t1] = &mut new.map(|new| checker.begin(new.expect("there are ids")));
    for address in [X, Y] {
        read(&checker, t0, address);
        read(&checker, t1, address);
    }
    assert!(same(&checker, X, Y), "both were inflated by one thread");
    t0.release(&lock);
    read(&checker, t0, X);
    assert!(!same(&checker, X, Y));
    read(&checker, t0, Y);
    assert!(same(&checker, X, Y), "Next leads to what was made for x");
    let reads = vec![at(2, t0), at(1, t1)];
    assert_eq!(checker.describe(Y).0, Description::Vector { write: Epoch::NONE, reads });
    assert_eq!(t0.counters().get(Count::ReadSharedAllocated), 1);
    assert_eq!(t0.counters().get(Count::ReadShared), 1);
}

#[test]
fn an_access_in_the_same_epoch_leaves_the_slot_as_it_is() {
    fn unchanged<T: Tool>(checker: &Checker<T>) {
        let t = &mut checker.root().expect("the first thread");
        write(checker, t, X);
        let written = checker.describe(X);
        write(checker, t, X);
        assert_eq!(checker.describe(X), written);
        read(checker, t, Y);
        let seen = checker.describe(Y);
        read(checker, t, Y);
        assert_eq!(checker.describe(Y), seen);
        let counters = t.counters();
        assert_eq!(counters.get(Count::WriteSameEpoch), 1);
        assert_eq!(counters.get(Count::ReadSameEpoch), 1);
        assert_eq!(counters.allocations(), 2);
    }
    unchanged(&slim_fast());
    unchanged(&fast_track());
}

#[test]
fn arrays_wrap_around_and_lose_nothing_but_reuse() {
    let settings =
        SlimFastSettings { reads: 2, inflated: 1, compositions: 1, unnoted: 0, unmatched: 0 };
    let tool = SlimFast::<AllRules>::new(Arc::new(RustAllocation), settings);
    let checker = Checker::new(tool, Arc::new(RustAllocation)).expect("there is memory");
    let lock = SyncClock::default();
    let t = &mut checker.root().expect("the first thread");
    for address in [X, Y, Z] {
        write(&checker, t, address);
        t.release(&lock);
    }
    for address in [X, Y, Z, X + 64] {
        read(&checker, t, address);
    }
    assert_eq!(t.counters().get(Count::Overwritten), 2);
    pair(&checker, X, at(4, t), at(1, t));
    pair(&checker, Z, at(4, t), at(3, t));
}
