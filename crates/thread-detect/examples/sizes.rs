//! What accesses of different sizes cost with each tool: nanoseconds for each access, and bytes of metadata and shadow memory
//! for each byte of the program.
//!
//! A thread sweeps over an array from its start to its end. "new" is the first sweep in an epoch, "same" one more in that
//! epoch, "two threads" takes turns: one writes what the other has read, and reads what it has written. "range" and "reset" are a
//! write to the whole array at once and its new beginning, for each word of it.

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use warpsan_thread_detect::{
    AllRules, Checker, Conflict, EmptyTool, FastTrack, RustAllocation, SlimFast, SlimFastSettings,
    Span, SyncClock, ThreadState, Tool,
};

const BASE: u64 = 0x7f00_0000_0000;
/// Bytes of the array.
const ARRAY: u64 = 1 << 20;
/// The best of so many counts: a machine that does other things makes single ones slow.
const REPETITIONS: usize = 5;
const COLUMNS: usize = 8;

fn found(span: Span, conflict: Conflict) {
    panic!("{conflict:?} at {span:x?}");
}

#[derive(Clone, Copy)]
enum Sweep {
    Read,
    Write,
}

/// Nanoseconds for each access of a sweep.
fn sweep<T: Tool>(
    checker: &Checker<T>,
    thread: &mut ThreadState<T>,
    size: u64,
    sweep: Sweep,
) -> f64 {
    let start = Instant::now();
    for place in 0..ARRAY / size {
        let span = Span { address: BASE + black_box(place) * size, size };
        match sweep {
            Sweep::Read => checker.read(thread, span, &mut found),
            Sweep::Write => checker.write(thread, span, &mut found),
        }
    }
    start.elapsed().as_nanos() as f64 / (ARRAY / size) as f64
}

fn per_word(body: impl FnOnce()) -> f64 {
    let start = Instant::now();
    body();
    start.elapsed().as_nanos() as f64 / (ARRAY / 8) as f64
}

/// Nanoseconds for each column, and bytes for each byte of the array.
fn measure<T: Tool>(checker: &Checker<T>, size: u64) -> ([f64; COLUMNS], f64) {
    let lock = SyncClock::default();
    let mut one = checker.root().expect("the first thread");
    checker.write(&mut one, Span { address: BASE + ARRAY, size: 8 }, &mut found);
    let empty = checker.shadow_bytes();
    let mut columns = [0.0; COLUMNS];
    sweep(checker, &mut one, size, Sweep::Write);
    one.release(&lock);
    columns[0] = sweep(checker, &mut one, size, Sweep::Write);
    columns[1] = sweep(checker, &mut one, size, Sweep::Write);
    one.release(&lock);
    columns[2] = sweep(checker, &mut one, size, Sweep::Read);
    columns[3] = sweep(checker, &mut one, size, Sweep::Read);
    one.release(&lock);
    let other = one.fork(checker.threads()).expect("there are ids");
    let mut other = checker.begin(other);
    other.acquire(&lock);
    columns[4] = sweep(checker, &mut other, size, Sweep::Read);
    other.release(&lock);
    one.acquire(&lock);
    columns[5] = sweep(checker, &mut one, size, Sweep::Write);
    one.release(&lock);
    let bytes = checker.shadow_bytes() - empty + checker.memory().reserved;
    let all = Span { address: BASE, size: ARRAY };
    columns[6] = per_word(|| checker.write(&mut one, all, &mut found));
    columns[7] = per_word(|| checker.reset(&mut one, all));
    checker.finish(one);
    checker.finish(other);
    (columns, bytes as f64 / ARRAY as f64)
}

fn report<T: Tool>(tool: impl Fn() -> T) {
    for size in [8, 4, 1] {
        let mut best = [f64::INFINITY; COLUMNS];
        let mut bytes = 0.0;
        for _ in 0..REPETITIONS {
            let checker = Checker::new(tool(), Arc::new(RustAllocation)).expect("there is memory");
            let (columns, taken) = measure(&checker, size);
            best = std::array::from_fn(|column| best[column].min(columns[column]));
            bytes = taken;
        }
        let [write_new, write_same, read_new, read_same, read_other, write_other, range, reset] =
            best;
        println!(
            "{:10} {size} bytes | write new {write_new:6.2} same {write_same:5.2} | \
             read new {read_new:6.2} same {read_same:5.2} | two threads: read {read_other:6.2} \
             write {write_other:6.2} | range {range:.2} reset {reset:.2} | {bytes:.2} bytes per byte",
            T::NAME
        );
    }
}

fn main() {
    report(EmptyTool::default);
    report(|| FastTrack::<AllRules>::new(Arc::new(RustAllocation)));
    report(|| SlimFast::<AllRules>::new(Arc::new(RustAllocation), SlimFastSettings::default()));
}
