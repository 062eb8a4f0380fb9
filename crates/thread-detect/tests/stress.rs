//! Threads that hammer the same words with accesses of all sizes, atomics and frees, all at once: nothing panics, and nothing
//! is left of their metadata.

use std::sync::{Arc, Barrier};

use warpsan_thread_detect::{
    AllRules, Checker, Conflict, Description, FastTrack, FinishedThread, RustAllocation, SlimFast,
    SlimFastSettings, Span, SyncTable, ThreadState, Tool,
};

const BASE: u64 = 0x7f00_0000_0000;
const THREADS: u64 = 6;
const ROUNDS: u64 = 15_000;

fn checkers(settings: SlimFastSettings) -> (Checker<SlimFast>, Checker<FastTrack>) {
    let storage = || Arc::new(RustAllocation);
    let slim_fast = SlimFast::<AllRules>::new(storage(), settings);
    let fast_track = FastTrack::<AllRules>::new(storage());
    let no_memory = "there is memory";
    (
        Checker::new(slim_fast, storage()).expect(no_memory),
        Checker::new(fast_track, storage()).expect(no_memory),
    )
}

/// Numbers that look random (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn act<T: Tool>(
    checker: &Checker<T>,
    thread: &mut ThreadState<T>,
    numbers: &mut Numbers,
    words: u64,
    locks: &SyncTable,
) {
    let mut found = |span: Span, _: Conflict| {
        assert!(span.size >= 1 && span.size <= 8);
        assert!(span.address >= BASE && span.address + span.size <= BASE + 8 * words + 32);
    };
    let size = [1, 1, 2, 4, 4, 8, 8, 16, 13][numbers.below(9) as usize];
    let span = Span { address: BASE + numbers.below(8 * words), size };
    let aligned = Span { address: span.address - span.address % size.min(8), size };
    match numbers.below(47) {
        0..=11 => checker.write(thread, aligned, &mut found),
        12..=25 => checker.read(thread, aligned, &mut found),
        26..=27 => checker.write(thread, span, &mut found),
        28 => checker.atomic_write(thread, aligned, &mut found),
        29 => checker.atomic_read(thread, aligned, &mut found),
        30 => checker.free(thread, span, &mut found),
        31 => checker.reset(thread, span),
        32 => checker.reset(thread, Span { address: aligned.address, size: 64 }),
        33..=34 => checker.access_by_steps::<false>(thread, aligned, &mut found),
        35..=37 => checker.access_by_steps::<true>(thread, aligned, &mut found),
        // A loop over an array, two words at a time.
        43..=44 => {
            let first = span.address - span.address % 8;
            for address in (first..BASE + 8 * words).step_by(16) {
                checker.access_by_steps::<false>(thread, Span { address, size: 16 }, &mut found);
            }
        }
        45 => {
            let first = span.address - span.address % 8;
            for address in (first..BASE + 8 * words).step_by(16) {
                checker.access_by_steps::<true>(thread, Span { address, size: 16 }, &mut found);
            }
        }
        46 => checker.forget_known(thread),
        38 => drop(checker.describe(span.address)),
        39 => locks.forget(BASE, 8 * words),
        40 => thread.acquire(locks.at(aligned.address)),
        _ => thread.release_also(locks.at(aligned.address)),
    }
}

fn hammer<T: Tool>(checker: &Checker<T>, words: u64) {
    let locks = SyncTable::default();
    let start = Barrier::new(THREADS as usize);
    let mut main = checker.root().expect("the first thread");
    let all = Span { address: BASE, size: 8 * words + 64 };
    std::thread::scope(|scope| {
        let started: Vec<_> = (1..=THREADS)
            .map(|number| {
                let new = main.fork(checker.threads()).expect("there are ids");
                let (start, locks) = (&start, &locks);
                scope.spawn(move || -> FinishedThread {
                    let mut thread = checker.begin(new);
                    let mut numbers = Numbers(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
                    start.wait();
                    for _ in 0..ROUNDS {
                        act(checker, &mut thread, &mut numbers, words, locks);
                    }
                    checker.finish(thread)
                })
            })
            .collect();
        for handle in started {
            main.join(handle.join().expect("no thread panics"), checker.threads());
        }
    });
    // Who has joined all of them is behind all of them.
    checker.write(&mut main, all, &mut |span, race| panic!("{race:?} at {span:x?}"));
    checker.reset(&mut main, all);
    if T::NAME == "slimfast" {
        for word in 0..words {
            assert_eq!(checker.describe(BASE + 8 * word).0, Description::Empty);
        }
    }
    checker.finish(main);
    let memory = checker.memory();
    let rest = [memory.live, memory.live_vectors, memory.live_mixed, memory.live_compositions];
    assert_eq!(rest, [0; 4], "{memory:?}");
    assert!(memory.peak > 0);
}

#[test]
fn a_few_words_that_all_threads_access_in_all_sizes_leave_nothing_behind() {
    let (slim_fast, fast_track) = checkers(SlimFastSettings::default());
    hammer(&slim_fast, 3);
    hammer(&fast_track, 3);
}

#[test]
fn many_words_that_all_threads_access_in_all_sizes_leave_nothing_behind() {
    let (slim_fast, fast_track) = checkers(SlimFastSettings::default());
    hammer(&slim_fast, 300);
    hammer(&fast_track, 300);
}

/// Each thread has every other byte, half or quarter of the same words for itself, and changes it in an epoch of its own: whoever changes
/// a part must leave those of the others as they are, and must see its own.
fn share_words(settings: SlimFastSettings, size: u64) {
    let (checker, _) = checkers(settings);
    let (threads, words) = (8 / size, 4);
    let start = Barrier::new(threads as usize);
    let mut main = checker.root().expect("the first thread");
    std::thread::scope(|scope| {
        for number in 0..threads {
            let new = main.fork(checker.threads()).expect("there are ids");
            let (start, checker) = (&start, &checker);
            scope.spawn(move || {
                let mut thread = checker.begin(new);
                let own = SyncTable::default();
                let mut no_race = |span: Span, race: Conflict| panic!("{race:?} at {span:x?}");
                start.wait();
                for round in 0..ROUNDS {
                    let address = BASE + 8 * (round % words) + size * number;
                    let span = Span { address, size };
                    checker.read(&mut thread, span, &mut no_race);
                    checker.write(&mut thread, span, &mut no_race);
                    // Others may change the word while it is looked at.
                    let mut looks =
                        (0..1_000_000).map(|_| checker.repeats_write(&mut thread, span));
                    assert!(looks.any(|repeats| repeats), "its own write is there");
                    if round % 3 != 0 {
                        thread.release(own.at(address));
                    }
                }
                checker.finish(thread)
            });
        }
    });
    let mut racing = 0;
    let all = Span { address: BASE, size: 8 * words };
    checker.write(&mut main, all, &mut |span, _| racing += span.size);
    assert_eq!(racing, all.size, "who has joined nobody races with all of them");
    checker.reset(&mut main, all);
    checker.finish(main);
    assert_eq!(checker.memory().live, 0);
}

#[test]
fn threads_that_change_parts_of_the_same_words_do_not_disturb_each_other() {
    let alone = SlimFastSettings { unnoted: 0, unmatched: 0, ..SlimFastSettings::default() };
    for size in [1, 2, 4] {
        share_words(SlimFastSettings::default(), size);
        share_words(alone, size);
    }
}

#[test]
fn arrays_that_are_always_full_leave_nothing_behind() {
    let settings =
        SlimFastSettings { reads: 1, inflated: 1, compositions: 1, unnoted: 0, unmatched: 0 };
    let (slim_fast, _) = checkers(settings);
    hammer(&slim_fast, 12);
}
