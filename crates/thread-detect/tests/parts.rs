//! Words that are accessed in parts, and ranges of many words.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use warpsan_thread_detect::{
    AllRules, Checker, Conflict, Count, Description, FastTrack, RustAllocation, SlimFast,
    SlimFastSettings, Span, Storage, SyncClock, ThreadState, Tool,
};

const BASE: u64 = 0x7f00_0000_0000;
const LEAF: u64 = 1 << 16;

fn no_race(span: Span, conflict: Conflict) {
    panic!("{conflict:?} at {span:x?}");
}

fn slim_fast() -> Checker<SlimFast> {
    slim_fast_with(Arc::new(RustAllocation))
}

fn slim_fast_with(shadow: Arc<dyn Storage>) -> Checker<SlimFast> {
    let tool = SlimFast::<AllRules>::new(Arc::new(RustAllocation), SlimFastSettings::default());
    Checker::new(tool, shadow).expect("there is memory")
}

fn fast_track() -> Checker<FastTrack> {
    let tool = FastTrack::<AllRules>::new(Arc::new(RustAllocation));
    Checker::new(tool, Arc::new(RustAllocation)).expect("there is memory")
}

fn sweep<T: Tool>(checker: &Checker<T>, thread: &mut ThreadState<T>, size: u64, write: bool) {
    for address in (BASE..BASE + LEAF).step_by(size as usize) {
        if write {
            checker.write(thread, Span { address, size }, &mut no_race);
        } else {
            checker.read(thread, Span { address, size }, &mut no_race);
        }
    }
}

#[test]
fn a_walk_over_parts_of_words_allocates_nothing_for_each_word() {
    for size in [1, 2, 4] {
        let checker = slim_fast();
        let lock = SyncClock::default();
        let mut thread = checker.root().expect("the first thread");
        for round in 0..6 {
            sweep(&checker, &mut thread, size, round % 2 == 0);
            thread.release(&lock);
        }
        // A few at the start of each epoch are not shared.
        let unshared = 6 * u64::from(SlimFastSettings::default().unnoted);
        let allocated = thread.counters().allocations();
        assert!(allocated < unshared + 6 * 20, "{allocated} for {} words", LEAF / 8);
        checker.finish(thread);
    }
}

#[test]
fn a_word_whose_bytes_have_the_same_metadata_again_is_one() {
    let checker = slim_fast();
    let mut thread = checker.root().expect("the first thread");
    let other = thread.fork(checker.threads()).expect("there are ids");
    checker.write(&mut thread, Span { address: BASE, size: 8 }, &mut no_race);
    let former = checker.describe(BASE);
    assert_ne!(former.0, Description::Divided);
    for first in [6, 0, 4] {
        checker.write(&mut thread, Span { address: BASE + 8 + first, size: 2 }, &mut no_race);
        assert_eq!(checker.describe(BASE + 8).0, Description::Divided);
    }
    checker.write(&mut thread, Span { address: BASE + 10, size: 2 }, &mut no_race);
    assert_eq!(checker.describe(BASE + 8), former, "the same metadata as its neighbour");
    checker.reset(&mut thread, Span { address: BASE + 9, size: 1 });
    assert_eq!(checker.describe(BASE + 8).0, Description::Divided);
    // Whom the thread has started before knows nothing of the writes, but these bytes are new.
    let mut other = checker.begin(other);
    checker.write(&mut other, Span { address: BASE + 9, size: 1 }, &mut no_race);
    let mut racing = Vec::new();
    checker.read(&mut other, Span { address: BASE + 8, size: 8 }, &mut |span, _| racing.push(span));
    let bytes: u64 = racing.iter().map(|span| span.size).sum();
    assert_eq!(bytes, 7, "{racing:x?}");
    checker.reset(&mut thread, Span { address: BASE, size: 16 });
    assert_eq!(checker.describe(BASE + 8).0, Description::Empty);
}

#[test]
fn parts_that_change_in_short_epochs_are_changed_in_place() {
    let checker = slim_fast();
    let lock = SyncClock::default();
    let mut thread = checker.root().expect("the first thread");
    let fields =
        [(0, 1), (1, 1), (2, 2), (4, 4)].map(|(first, size)| Span { address: BASE + first, size });
    let change = |round: u64, thread: &mut ThreadState<SlimFast>| {
        for (place, field) in fields.iter().enumerate() {
            if (round + place as u64).is_multiple_of(3) {
                checker.read(thread, *field, &mut no_race);
            } else {
                checker.write(thread, *field, &mut no_race);
            }
        }
        thread.release(&lock);
    };
    (0..6).for_each(|round| change(round, &mut thread));
    let (settled, slot) =
        (thread.counters().get(Count::CompositionAllocated), checker.describe(BASE));
    (6..200).for_each(|round| change(round, &mut thread));
    assert_eq!(thread.counters().get(Count::CompositionAllocated), settled);
    assert_eq!(checker.describe(BASE), slot);
    checker.reset(&mut thread, Span { address: BASE, size: 8 });
    checker.finish(thread);
    assert_eq!(checker.memory().live, 0);
}

#[test]
fn a_repeated_access_is_known_before_it_is_recorded() {
    fn known<T: Tool>(checker: &Checker<T>) {
        let lock = SyncClock::default();
        let mut thread = checker.root().expect("the first thread");
        for (address, size) in [(BASE, 8), (BASE + 8, 4), (BASE + 21, 1)] {
            let span = Span { address, size };
            assert!(!checker.repeats_write(&mut thread, span));
            checker.write_new(&mut thread, span, &mut no_race);
            assert!(checker.repeats_write(&mut thread, span));
            assert!(!checker.repeats_read(&mut thread, span));
            checker.read_new(&mut thread, span, &mut no_race);
            assert!(checker.repeats_read(&mut thread, span));
        }
        // What is known of a word is known of its parts.
        assert!(checker.repeats_read(&mut thread, Span { address: BASE + 3, size: 2 }));
        assert_eq!(thread.counters().get(Count::WriteSameEpoch), 3);
        assert_eq!(thread.counters().get(Count::ReadSameEpoch), 4);
        thread.release(&lock);
        assert!(!checker.repeats_read(&mut thread, Span { address: BASE, size: 8 }));
    }
    known(&slim_fast());
    known(&fast_track());
}

#[test]
fn a_range_is_all_its_bytes_and_no_others() {
    fn exact<T: Tool>(checker: &Checker<T>, start: u64, size: u64) {
        let mut main = checker.root().expect("the first thread");
        let new = main.fork(checker.threads()).expect("there are ids");
        let mut other = checker.begin(new);
        let range = Span { address: BASE + start, size };
        checker.write(&mut main, range, &mut no_race);
        for outside in [range.address - 1, range.address + size] {
            checker.write(&mut other, Span { address: outside, size: 1 }, &mut no_race);
        }
        let (mut bytes, mut next) = (0, range.address);
        checker.read(&mut other, range, &mut |span, _| {
            assert_eq!(span.address, next);
            next += span.size;
            bytes += span.size;
        });
        assert_eq!(bytes, size);
        checker.reset(&mut main, range);
        checker.write(&mut other, range, &mut no_race);
    }
    for (start, size) in [(1, 3), (5, 2 * LEAF + 11), (LEAF - 3, 6), (8, LEAF), (LEAF, LEAF + 1)] {
        exact(&slim_fast(), start, size);
        exact(&fast_track(), start, size);
    }
}

#[test]
fn ranges_without_shadow_take_no_time_and_no_memory() {
    let checker = slim_fast();
    let mut thread = checker.root().expect("the first thread");
    let before = checker.shadow_bytes();
    for (address, size) in [(BASE, 1 << 40), (0, u64::MAX), (1 << 50, 1 << 50)] {
        checker.free(&mut thread, Span { address, size }, &mut no_race);
        checker.reset(&mut thread, Span { address, size });
    }
    assert_eq!(checker.shadow_bytes(), before);
    assert_eq!(thread.counters().get(Count::NotRecorded), 0);
}

/// Counts what is discarded, and sees that it is zero.
#[derive(Default)]
struct Discarding(AtomicU64);

// SAFETY: memory is that of `RustAllocation`, and what is discarded stays as it is.
unsafe impl Storage for Discarding {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        RustAllocation.allocate(layout)
    }

    unsafe fn give_back(&self, memory: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { RustAllocation.give_back(memory, layout) }
    }

    unsafe fn discard(&self, memory: NonNull<u8>, layout: Layout) {
        // SAFETY: it is allocated with this layout, and only this thread uses it.
        let bytes = unsafe { std::slice::from_raw_parts(memory.as_ptr(), layout.size()) };
        assert!(bytes.iter().all(|byte| *byte == 0));
        self.0.fetch_add(layout.size() as u64, Ordering::Relaxed);
    }
}

#[test]
fn shadow_of_memory_that_begins_anew_as_a_whole_is_given_back() {
    let storage = Arc::new(Discarding::default());
    let checker = slim_fast_with(Arc::clone(&storage) as Arc<dyn Storage>);
    let mut thread = checker.root().expect("the first thread");
    for size in [8, 4, 1] {
        let before = storage.0.load(Ordering::Relaxed);
        sweep(&checker, &mut thread, size, true);
        checker.reset(&mut thread, Span { address: BASE, size: LEAF / 2 });
        assert_eq!(storage.0.load(Ordering::Relaxed), before, "only a half");
        checker.reset(&mut thread, Span { address: BASE, size: LEAF });
        assert_eq!(storage.0.load(Ordering::Relaxed), before + LEAF);
        checker.reset(&mut thread, Span { address: BASE, size: LEAF });
        assert_eq!(storage.0.load(Ordering::Relaxed), before + LEAF, "nothing was left");
    }
}
