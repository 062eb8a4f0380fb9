//! Many threads at once, and what is left of their metadata.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use warpsan_thread_detect::{
    AllRules, Checker, Conflict, FastTrack, RustAllocation, SlimFast, SlimFastSettings, Span,
    SyncClock, ThreadState, Tool,
};

const BASE: u64 = 0x7f00_0000_0000;

fn slim_fast() -> Checker<SlimFast> {
    let tool = SlimFast::<AllRules>::new(Arc::new(RustAllocation), SlimFastSettings::default());
    Checker::new(tool, Arc::new(RustAllocation)).expect("there is memory")
}

fn fast_track() -> Checker<FastTrack> {
    let tool = FastTrack::<AllRules>::new(Arc::new(RustAllocation));
    Checker::new(tool, Arc::new(RustAllocation)).expect("there is memory")
}

/// Starts threads with these numbers, waits for them, and ends the first thread as well.
fn with_threads<T: Tool>(
    checker: &Checker<T>,
    threads: u64,
    body: impl Fn(u64, &mut ThreadState<T>) + Sync,
) -> ThreadState<T> {
    let mut main = checker.root().expect("the first thread");
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads)
            .map(|number| {
                let new = main.fork(checker.threads()).expect("there are ids");
                let body = &body;
                scope.spawn(move || {
                    let mut thread = checker.begin(new);
                    body(number, &mut thread);
                    checker.finish(thread)
                })
            })
            .collect();
        for handle in started {
            let finished = handle.join().expect("no thread panics");
            main.join(finished, checker.threads());
        }
    });
    main
}

/// All metadata are gone once the memory is freed and begins anew.
fn leaves_nothing<T: Tool>(checker: &Checker<T>, mut main: ThreadState<T>, size: u64) {
    let mut found = |span, conflict: Conflict| panic!("the free races: {conflict:?} {span:x?}");
    checker.free(&mut main, Span { address: BASE, size }, &mut found);
    checker.reset(&mut main, Span { address: BASE, size });
    checker.finish(main);
    let memory = checker.memory();
    assert_eq!(memory.live, 0, "{memory:?}");
    assert!(memory.peak > 0);
}

fn locked_words_of_all_sizes<T: Tool>(checker: &Checker<T>) {
    let program = Mutex::new(());
    let lock = SyncClock::default();
    let main = with_threads(checker, 4, |number, thread| {
        let mut found = |span, conflict: Conflict| panic!("{conflict:?} at {span:x?}");
        for round in 0..400 {
            let guard = program.lock().expect("nobody panics");
            thread.acquire(&lock);
            for size in [1, 2, 4, 8, 16, 13] {
                let address = BASE + (round * 7 + size) % 200;
                checker.write(thread, Span { address, size }, &mut found);
                checker.read(thread, Span { address: BASE + number, size }, &mut found);
            }
            thread.release(&lock);
            drop(guard);
        }
    });
    leaves_nothing(checker, main, 1024);
}

#[test]
fn threads_that_keep_to_a_lock_do_not_race_whatever_sizes_they_access() {
    locked_words_of_all_sizes(&slim_fast());
    locked_words_of_all_sizes(&fast_track());
}

/// Threads read the same words all the time: vectors are made and exchanged under each other's hands.
fn shared_reads<T: Tool>(checker: &Checker<T>) {
    let lock = SyncClock::default();
    let main = with_threads(checker, 4, |number, thread| {
        let mut found = |span, conflict: Conflict| panic!("{conflict:?} at {span:x?}");
        for round in 0..3000 {
            let address = BASE + 8 * ((round * (number + 1)) % 64);
            checker.read(
                thread,
                Span { address, size: if round % 9 == 0 { 4 } else { 8 } },
                &mut found,
            );
            if round % 50 == 0 {
                thread.release_also(&lock);
            }
        }
    });
    leaves_nothing(checker, main, 1024);
}

#[test]
fn threads_that_only_read_do_not_race_and_their_vectors_are_given_back() {
    shared_reads(&slim_fast());
    shared_reads(&fast_track());
}

/// Every word is written by two threads that do not synchronise: one of them has to notice.
fn unordered_writes<T: Tool>(checker: &Checker<T>, second_is_atomic: bool) {
    const WORDS: u64 = 2000;
    let start = Barrier::new(2);
    let races: Vec<AtomicBool> = (0..WORDS).map(|_| AtomicBool::new(false)).collect();
    with_threads(checker, 2, |number, thread| {
        start.wait();
        for word in 0..WORDS {
            let span = Span { address: BASE + 8 * word, size: 8 };
            let mut found = |span: Span, _| {
                races[((span.address - BASE) / 8) as usize].store(true, Ordering::Relaxed);
            };
            if number == 1 && second_is_atomic {
                checker.atomic_write(thread, span, &mut found);
            } else {
                checker.write(thread, span, &mut found);
            }
        }
    });
    let missed = races.iter().filter(|race| !race.load(Ordering::Relaxed)).count();
    assert_eq!(missed, 0, "of {WORDS}");
}

#[test]
fn of_two_unordered_accesses_at_the_same_time_one_notices_the_other() {
    for second_is_atomic in [false, true] {
        unordered_writes(&slim_fast(), second_is_atomic);
        unordered_writes(&fast_track(), second_is_atomic);
    }
}

/// One thread accesses whole words, others bytes of them: words are divided while they are accessed.
fn divided_meanwhile<T: Tool>(checker: &Checker<T>) {
    const WORDS: u64 = 500;
    let start = Barrier::new(3);
    let racing_bytes = AtomicU64::new(0);
    let main = with_threads(checker, 3, |number, thread| {
        start.wait();
        let mut found = |span: Span, _| {
            racing_bytes.fetch_add(span.size, Ordering::Relaxed);
        };
        for word in 0..WORDS {
            let address = BASE + 8 * word;
            match number {
                0 => checker.read(thread, Span { address, size: 8 }, &mut found),
                // Bytes that nobody else writes: only the reader of the word races with them.
                1 => checker.write(thread, Span { address, size: 1 }, &mut found),
                _ => checker.write(thread, Span { address: address + 5, size: 1 }, &mut found),
            }
        }
    });
    assert_eq!(racing_bytes.load(Ordering::Relaxed), 2 * WORDS);
    leaves_nothing(checker, main, 8 * WORDS);
}

#[test]
fn words_that_are_divided_while_others_access_them_are_byte_exact() {
    for _ in 0..5 {
        divided_meanwhile(&slim_fast());
        divided_meanwhile(&fast_track());
    }
}

/// Memory is freed and given out again while another thread is late with it: no crash, and nothing is left.
fn reset_meanwhile<T: Tool>(checker: &Checker<T>) {
    let main = with_threads(checker, 3, |number, thread| {
        let mut found = |_, _| {};
        for round in 0..2000 {
            let span = Span { address: BASE + 8 * (round % 16), size: 8 };
            match number {
                0 => checker.free(thread, span, &mut found),
                1 if round % 3 == 0 => checker.atomic_write(thread, span, &mut found),
                1 => checker.write(thread, span, &mut found),
                _ => checker.read(thread, span, &mut found),
            }
        }
    });
    leaves_nothing(checker, main, 1024);
}

#[test]
fn memory_that_is_freed_while_others_access_it_leaves_nothing_behind() {
    reset_meanwhile(&slim_fast());
    reset_meanwhile(&fast_track());
}

#[test]
fn addresses_of_the_whole_lower_half_have_a_shadow_and_others_are_counted() {
    use warpsan_thread_detect::Count;
    let checker = slim_fast();
    let mut thread = checker.root().expect("the first thread");
    let mut races = Vec::new();
    for address in [0, 0x40_0000, 0x5555_5555_0000, 0x7fff_ffff_fff0, (1 << 48) - 8] {
        checker.write(&mut thread, Span { address, size: 8 }, &mut |span, _| races.push(span));
    }
    assert_eq!(thread.counters().get(Count::NotRecorded), 0);
    checker.write(&mut thread, Span { address: 1 << 48, size: 8 }, &mut |span, _| races.push(span));
    checker.write(&mut thread, Span { address: u64::MAX - 3, size: 4 }, &mut |span, _| {
        races.push(span)
    });
    assert_eq!(thread.counters().get(Count::NotRecorded), 2);
    assert!(races.is_empty());
    assert!(checker.shadow_bytes() > 4 << 16);
}

#[test]
fn the_id_of_a_joined_thread_is_given_out_again_to_a_child_of_who_joined_it() {
    let checker = fast_track();
    let mut main = checker.root().expect("the first thread");
    let first = main.fork(checker.threads()).expect("there are ids");
    let id = first.id();
    let finished = checker.finish(checker.begin(first));
    main.join(finished, checker.threads());
    assert_eq!(main.fork(checker.threads()).expect("there are ids").id(), id);
    let mut stranger = checker.root().expect("there are ids");
    assert_ne!(stranger.fork(checker.threads()).expect("there are ids").id(), id);
}

#[test]
#[should_panic(expected = "another checker")]
fn a_thread_of_another_checker_is_refused() {
    let one = slim_fast();
    let mut thread = one.root().expect("the first thread");
    slim_fast().read(&mut thread, Span { address: BASE, size: 8 }, &mut |_, _| {});
}
