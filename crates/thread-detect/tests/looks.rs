//! What FastTrack knows of an access from one look.

use std::sync::Arc;

use warpsan_thread_detect::{
    AllRules, Checker, Conflict, Count, EarlierAccess, FastTrack, Look, RustAllocation, Span,
    SyncClock, ThreadState,
};

const BASE: u64 = 0x7f00_0000_0000;
const WORD: Span = Span { address: BASE, size: 8 };

fn checker() -> Checker<FastTrack> {
    let tool = FastTrack::<AllRules>::new(Arc::new(RustAllocation));
    Checker::new(tool, Arc::new(RustAllocation)).expect("there is memory")
}

fn no_race(span: Span, conflict: Conflict) {
    panic!("{conflict:?} at {span:x?}");
}

/// Two threads that nothing orders.
fn two_threads(checker: &Checker<FastTrack>) -> [ThreadState<FastTrack>; 2] {
    let mut main = checker.root().expect("the first thread");
    let new = [main.fork(checker.threads()), main.fork(checker.threads())];
    new.map(|new| checker.begin(new.expect("there are ids")))
}

#[test]
fn an_ordered_access_to_all_of_a_slot_is_followed_in_place() {
    for (address, size) in [(BASE, 8), (BASE + 12, 4), (BASE + 21, 1)] {
        let checker = checker();
        let lock = SyncClock::default();
        let span = Span { address, size };
        let thread = &mut checker.root().expect("the first thread");
        assert!(matches!(checker.look_write(thread, span), Look::New), "nothing is known yet");
        checker.write_new(thread, span, &mut no_race);
        thread.release(&lock);
        let Look::Known(read) = checker.look_read(thread, span) else { panic!("{span:?}") };
        assert!(checker.follow(thread, read));
        assert!(matches!(checker.look_read(thread, span), Look::Repeats));
        let Look::Known(write) = checker.look_write(thread, span) else { panic!("{span:?}") };
        assert!(checker.follow(thread, write));
        assert!(matches!(checker.look_write(thread, span), Look::Repeats));
        let counters = thread.counters();
        assert_eq!(counters.get(Count::ReadExclusive), 1);
        assert_eq!(counters.get(Count::WriteExclusive), 2);
    }
}

#[test]
fn what_another_thread_does_after_a_look_is_not_missed() {
    let checker = checker();
    let [one, other] = &mut two_threads(&checker);
    let lock = SyncClock::default();
    checker.write(one, WORD, &mut no_race);
    one.release(&lock);
    other.acquire(&lock);
    let Look::Known(known) = checker.look_write(one, WORD) else { panic!("it is one's own") };
    checker.read(other, WORD, &mut no_race);
    assert!(!checker.follow(one, known), "the pair has another reader now");
    let mut found = Vec::new();
    checker.write_new(one, WORD, &mut |_, conflict| found.push(conflict));
    assert_eq!(found, [Conflict { earlier: other.epoch(), access: EarlierAccess::Read }]);
}

#[test]
fn what_was_freed_after_a_look_is_not_changed() {
    let checker = checker();
    let [one, other] = &mut two_threads(&checker);
    let lock = SyncClock::default();
    checker.write(one, WORD, &mut no_race);
    one.release(&lock);
    let Look::Known(known) = checker.look_write(one, WORD) else { panic!("it is one's own") };
    checker.reset(other, WORD);
    let before = checker.describe(BASE);
    assert!(!checker.follow(one, known), "the pair is not the word's any more");
    assert_eq!(checker.describe(BASE), before);
}

#[test]
fn what_races_or_inflates_is_found_out() {
    let checker = checker();
    let [one, other] = &mut two_threads(&checker);
    checker.write(one, WORD, &mut no_race);
    assert!(matches!(checker.look_read(other, WORD), Look::New), "it races");
    assert!(matches!(checker.look_write(other, WORD), Look::New), "it races");
    let next = Span { address: BASE + 8, size: 8 };
    checker.read(one, next, &mut no_race);
    assert!(matches!(checker.look_read(other, next), Look::New), "there are two readers then");
    assert!(matches!(checker.look_write(other, next), Look::New), "it races with the read");
}

#[test]
fn an_access_to_several_parts_repeats_one_if_it_does_for_each() {
    let checker = checker();
    let thread = &mut checker.root().expect("the first thread");
    let at = |first: u64, size: u64| Span { address: BASE + first, size };
    checker.write(thread, at(0, 1), &mut no_race);
    checker.write(thread, at(1, 1), &mut no_race);
    checker.write(thread, at(4, 4), &mut no_race);
    for (first, size, repeats) in [(0, 2, true), (0, 3, false), (1, 3, false), (0, 8, false)] {
        assert_eq!(checker.repeats_write(thread, at(first, size)), repeats, "{first} {size}");
    }
    checker.write(thread, at(2, 2), &mut no_race);
    assert!(checker.repeats_write(thread, at(0, 8)), "bytes of one half, and all of the other");
    assert!(!checker.repeats_read(thread, at(0, 8)));
    assert_eq!(thread.counters().get(Count::WriteSameEpoch), 2, "each counts once");
}

#[test]
fn a_read_of_several_readers_repeats_one_without_a_change() {
    let checker = checker();
    let [one, other] = &mut two_threads(&checker);
    checker.read(one, WORD, &mut no_race);
    checker.read(other, WORD, &mut no_race);
    let before = checker.describe(BASE);
    for thread in [one, other] {
        assert!(matches!(checker.look_read(thread, WORD), Look::Repeats));
        assert_eq!(thread.counters().get(Count::ReadSharedSameEpoch), 1);
    }
    assert_eq!(checker.describe(BASE), before);
}
