//! What SlimFast knows of an access to two words from a glance, as loops over arrays make them.

use std::sync::Arc;

use warpsan_thread_detect::{
    AllRules, Checker, Conflict, Count, EarlierAccess, Look, RustAllocation, SlimFast,
    SlimFastSettings, Span, SyncClock, ThreadState,
};

const BASE: u64 = 0x7f00_0000_0000;
const WORDS: u64 = 200;

fn checker() -> Checker<SlimFast> {
    let tool = SlimFast::<AllRules>::new(Arc::new(RustAllocation), SlimFastSettings::default());
    Checker::new(tool, Arc::new(RustAllocation)).expect("there is memory")
}

fn no_race(span: Span, conflict: Conflict) {
    panic!("{conflict:?} at {span:x?}");
}

/// All words, written by the thread in an epoch that has ended.
fn written(checker: &Checker<SlimFast>, thread: &mut ThreadState<SlimFast>, lock: &SyncClock) {
    checker.write(thread, Span { address: BASE, size: 8 * WORDS }, &mut no_race);
    thread.release(lock);
}

/// Reads all words, two at a time from the one with this number on. How many pairs a glance was enough for, and how many of
/// these were followed.
fn read_pairs(
    checker: &Checker<SlimFast>,
    thread: &mut ThreadState<SlimFast>,
    first: u64,
) -> (u64, u64) {
    let (mut known, mut followed) = (0, 0);
    for number in (first..WORDS - 1).step_by(2) {
        let address = BASE + 8 * number;
        // SAFETY: the thread is of this checker.
        match unsafe { checker.glance_at_pair::<false>(thread, address) } {
            Look::Known(pair) => {
                known += 1;
                followed += u64::from(checker.follow_for_pair(thread, pair));
            }
            _ => {
                let span = Span { address, size: 16 };
                checker.access_by_steps::<false>(thread, span, &mut no_race);
            }
        }
    }
    (known, followed)
}

#[test]
fn a_loop_by_two_words_is_followed_and_is_what_single_words_are() {
    // Aligned to sixteen bytes, and not.
    for first in [0, 1] {
        let (checker, lock) = (checker(), SyncClock::default());
        let thread = &mut checker.root().expect("the first thread");
        written(&checker, thread, &lock);
        let (known, followed) = read_pairs(&checker, thread, first);
        assert!(known > WORDS / 4 && followed == known, "{known} {followed}");
        let read = thread.counters().get(Count::ReadExclusive);
        assert!(read >= 2 * followed, "{read} reads of {followed} pairs");
        for number in first..WORDS - 1 {
            let word = Span { address: BASE + 8 * number, size: 8 };
            assert!(matches!(checker.look_read(thread, word), Look::Repeats), "{number}");
        }
        let mut main = checker.root().expect("another thread");
        for number in [first, WORDS / 2, WORDS / 2 + 1] {
            let word = Span { address: BASE + 8 * number, size: 8 };
            let mut races = Vec::new();
            main.acquire(&lock);
            checker.write(&mut main, word, &mut |span, conflict| races.push((span, conflict)));
            let [(span, conflict)] = races[..] else { panic!("{races:?}") };
            assert_eq!((span, conflict.access), (word, EarlierAccess::Read));
        }
    }
}

#[test]
fn words_that_another_thread_has_changed_are_not_followed() {
    for (first, changed) in [(100, 0), (100, 1), (101, 0), (101, 1)] {
        let (checker, lock) = (checker(), SyncClock::default());
        let thread = &mut checker.root().expect("the first thread");
        written(&checker, thread, &lock);
        read_pairs(&checker, thread, 102 + first % 2);
        let address = BASE + 8 * first;
        // SAFETY: the thread is of this checker.
        let look = unsafe { checker.glance_at_pair::<false>(thread, address) };
        let Look::Known(pair) = look else { panic!("a loop has come by here") };
        let mut other = checker.root().expect("another thread");
        other.acquire(&lock);
        let word = Span { address: address + 8 * changed, size: 8 };
        checker.read(&mut other, word, &mut no_race);
        assert!(!checker.follow_for_pair(thread, pair), "{first} {changed}");
        checker.access_by_steps::<false>(thread, Span { address, size: 16 }, &mut no_race);
        let mut races = 0;
        let mut third = checker.root().expect("a third thread");
        third.acquire(&lock);
        checker.write(&mut third, word, &mut |_, _| races += 1);
        assert_eq!(races, 1);
        let look = checker.look_read(thread, Span { address: address + 8 - 8 * changed, size: 8 });
        assert!(matches!(look, Look::Repeats), "the other word is read");
    }
}

#[test]
fn what_was_found_before_an_interruption_is_not_followed() {
    let (checker, lock) = (checker(), SyncClock::default());
    let thread = &mut checker.root().expect("the first thread");
    written(&checker, thread, &lock);
    read_pairs(&checker, thread, 50);
    let word = Span { address: BASE, size: 8 };
    let Look::Known(known) = checker.look_read(thread, word) else { panic!("it is known") };
    checker.forget_known(thread);
    assert!(!checker.follow(thread, known));
    checker.access_by_steps::<false>(thread, word, &mut no_race);
    assert!(matches!(checker.look_read(thread, word), Look::Repeats));
}
