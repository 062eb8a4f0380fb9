//! What accesses cost, in nanoseconds, with each tool: in the same epoch, and in a loop that counts under a lock.

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use warpsan_thread_detect::{
    AllRules, Checker, Conflict, EmptyTool, FastTrack, RustAllocation, SlimFast, SlimFastSettings,
    Span, SyncClock, SyncTable, ThreadState, Tool,
};

const BASE: u64 = 0x7f00_0000_0000;
const ROUNDS: u64 = 2_000_000;
/// The best of so many counts: a machine that does other things makes single ones slow.
const REPETITIONS: u64 = 7;

fn found(span: Span, conflict: Conflict) {
    panic!("{conflict:?} at {span:x?}");
}

fn per_round(rounds: u64, body: impl FnOnce()) -> f64 {
    let start = Instant::now();
    body();
    start.elapsed().as_nanos() as f64 / rounds as f64
}

fn accesses<T: Tool>(checker: &Checker<T>, thread: &mut ThreadState<T>, size: u64) -> [f64; 3] {
    let span = |round: u64| Span { address: BASE + size * (black_box(round) & 511), size };
    for round in 0..512 {
        checker.write(thread, span(round), &mut found);
        checker.read(thread, span(round), &mut found);
    }
    let read = per_round(ROUNDS, || {
        for round in 0..ROUNDS {
            checker.read(thread, span(round), &mut found);
        }
    });
    for round in 0..512 {
        checker.write(thread, span(round), &mut found);
    }
    let write = per_round(ROUNDS, || {
        for round in 0..ROUNDS {
            checker.write(thread, span(round), &mut found);
        }
    });
    // Each round of 512 words is a new epoch: every write is WRITEEXCLUSIVE.
    let lock = SyncClock::default();
    let exclusive = per_round(ROUNDS, || {
        for round in 0..ROUNDS {
            if round & 511 == 0 {
                thread.release(&lock);
            }
            checker.write(thread, span(round), &mut found);
        }
    });
    [read, write, exclusive]
}

/// A spin lock around `counter += 1`, with all that a checked program would call.
fn counter<T: Tool>(checker: &Checker<T>, threads: u64, size: u64) -> f64 {
    let rounds = ROUNDS / 10;
    let held = AtomicBool::new(false);
    let lock = SyncClock::default();
    let mut main = checker.root().expect("the first thread");
    let new: Vec<_> = (0..threads).map(|_| main.fork(checker.threads()).expect("ids")).collect();
    per_round(rounds * threads, || {
        std::thread::scope(|scope| {
            for new in new {
                let (held, lock) = (&held, &lock);
                scope.spawn(move || {
                    let mut thread = checker.begin(new);
                    for _ in 0..rounds {
                        while held.swap(true, Ordering::Acquire) {
                            std::thread::yield_now();
                        }
                        thread.acquire(lock);
                        checker.read(&mut thread, Span { address: BASE, size }, &mut found);
                        checker.write(&mut thread, Span { address: BASE, size }, &mut found);
                        thread.release(lock);
                        held.store(false, Ordering::Release);
                    }
                    checker.finish(thread)
                });
            }
        });
    })
}

fn measure<T: Tool>(tool: impl Fn() -> T) {
    let checker = || Checker::new(tool(), Arc::new(RustAllocation)).expect("there is memory");
    for size in [8, 4] {
        let mut best = [f64::INFINITY; 3];
        for _ in 0..REPETITIONS {
            let checker = checker();
            let mut thread = checker.root().expect("the first thread");
            let times = accesses(&checker, &mut thread, size);
            best = std::array::from_fn(|place| best[place].min(times[place]));
        }
        let [read, write, exclusive] = best;
        println!(
            "{:10} {size} bytes: same epoch read {read:.2}, write {write:.2}; write in a new epoch {exclusive:.2}",
            T::NAME
        );
    }
    for (threads, size) in [(1, 8), (2, 8), (1, 4), (2, 4)] {
        let times = (0..REPETITIONS).map(|_| counter(&checker(), threads, size));
        let best = times.fold(f64::INFINITY, f64::min);
        println!("{:10} locked counter, {size} bytes, {threads} threads: {best:.1}", T::NAME);
    }
}

/// Looking up the clock of an atomic variable, of as many as a list of counted objects has; the first time and later ones.
fn clocks() {
    const VARIABLES: u64 = 4096;
    let mut best = [f64::INFINITY; 2];
    for _ in 0..REPETITIONS {
        let table = SyncTable::default();
        let address = |round: u64| BASE + 48 * (black_box(round) % VARIABLES);
        let look = |rounds: u64| {
            per_round(rounds, || {
                for round in 0..rounds {
                    black_box(table.at(address(round)));
                }
            })
        };
        best = [best[0].min(look(VARIABLES)), best[1].min(look(ROUNDS))];
    }
    println!("clock of a variable: first {:.1}, later {:.1}", best[0], best[1]);
}

fn main() {
    clocks();
    measure(EmptyTool::default);
    measure(|| FastTrack::<AllRules>::new(Arc::new(RustAllocation)));
    measure(|| SlimFast::<AllRules>::new(Arc::new(RustAllocation), SlimFastSettings::default()));
}
