//! A device made of threads: one for each warp, which do what the contract says, with queues so small that they
//! are full most of the time.

use super::super::{LaunchEnd, LaunchWatch, Reader, ShippingError, ShippingOptions, Writer, ship};
use super::*;
use std::collections::BTreeMap;
use std::sync::{Barrier, Mutex};
use std::time::Duration;

const BLOCKS: u32 = 4;
const WARPS: u16 = 3;
const QUEUES: usize = 3;
const STEPS: u64 = 400;
/// Addresses that all warps count up.
const WORDS: u64 = 5;

/// Checks events as they come.
#[derive(Default)]
struct Checker {
    /// Strong writes so far, by address.
    counted: BTreeMap<u64, u64>,
    /// The number of the next weak access, by warp: they are numbered by their addresses.
    weak: BTreeMap<(u32, u32), u64>,
    /// Barriers that each block has passed.
    barriers: BTreeMap<u32, u64>,
    lanes: u64,
    wrong: Vec<String>,
}

/// The address of the weak access with this number, behind so many barriers.
fn weak_address(barriers: u64, number: u64) -> u64 {
    1 << 40 | barriers << 20 | number
}

impl EventSink for Checker {
    fn batch(&mut self, batch: &Batch<'_>) {
        for event in batch.events() {
            match event {
                Event::Access(access) if access.strength == Strength::Weak => {
                    let number = self.weak.entry((access.block.0, access.warp)).or_default();
                    let barriers = self.barriers.get(&access.block.0).copied().unwrap_or(0);
                    let (_, address) = access.lanes().next().expect("a lane");
                    if address != weak_address(barriers, *number) {
                        self.wrong.push(format!("{address:x} at {barriers}, {number}"));
                    }
                    *number += 1;
                }
                Event::Access(access) => {
                    // The value is the lane's turn: nobody may be overtaken.
                    for ((_, address), value) in access.lanes().zip(access.values) {
                        let count = self.counted.entry(place(address) as u64).or_default();
                        *count += 1;
                        self.lanes += 1;
                        if count != value {
                            self.wrong.push(format!("turn {value} of {address:x} came as {count}"));
                        }
                    }
                }
                Event::BlockBarrier { block, .. } => {
                    *self.barriers.entry(block.0).or_default() += 1
                }
                _ => {}
            }
        }
    }
}

/// One warp, from its first instruction to its last. Returns its atomic operations, by lane.
fn run_warp(
    (block, warp): (u32, u16),
    queue: &Writer,
    words: &[Mutex<u64>],
    barrier: &Barrier,
) -> u64 {
    let mut state = u64::from(block) << 8 | u64::from(warp);
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut number, mut barriers, mut atomics) = (0, 0, 0);
    for step in 0..STEPS {
        let mask = 1 + random(u64::from(u32::MAX)) as u32;
        if step % 50 == 49 {
            // All warps of a block come here equally often.
            queue.write(&arrive((block, warp, u32::MAX)));
            barrier.wait();
            barriers += 1;
        } else if random(3) == 0 {
            queue.write(&weak((block, warp, mask), weak_address(barriers, number)));
            number += 1;
        } else {
            let reservation = queue.reserve(3);
            let address = |lane: u32| (u64::from(lane) + step) % WORDS * 16;
            let mut slots = strong((block, warp, mask), 0, &[]);
            slots[0].header.kind = RecordKind::Access.with_parts(2);
            let mut values = slot(RecordKind::Values, (block, warp, mask), STRONG);
            for lane in lanes(mask) {
                let at = lane as usize;
                slots[0].lanes[at] = address(lane);
                let mut word = words[place(address(lane))].lock().expect("nobody panicked");
                *word += 1;
                slots[1].lanes[at] = *word;
                values.lanes[at] = *word;
                atomics += 1;
            }
            slots.push(values);
            queue.commit(reservation, &slots);
        }
    }
    queue.write(&exit((block, warp, u32::MAX)));
    atomics
}

fn run_device(capacity: usize) -> (Checker, u64, Result<u64, ShippingError>) {
    let launch = launch(BLOCKS, 32 * u32::from(WARPS));
    let queues: Vec<Writer> = (0..QUEUES).map(|_| Writer::with_capacity(capacity)).collect();
    let words: Vec<Mutex<u64>> = (0..1 << BITS).map(|_| Mutex::new(0)).collect();
    let barriers: Vec<Barrier> = (0..BLOCKS).map(|_| Barrier::new(usize::from(WARPS))).collect();
    let readers = queues.iter().map(|queue| Reader::new(queue.memory())).collect();
    let watch = LaunchWatch::new();
    let mut checker = Checker::default();
    let atomics = Mutex::new(0);
    let result = std::thread::scope(|scope| {
        let warps: Vec<_> = (0..BLOCKS)
            .flat_map(|block| (0..WARPS).map(move |warp| (block, warp)))
            .map(|(block, warp)| {
                let (queue, words) = (&queues[block as usize % QUEUES], &words);
                let barrier = &barriers[block as usize];
                scope.spawn(move || run_warp((block, warp), queue, words, barrier))
            })
            .collect();
        let (watch, queues, atomics) = (&watch, &queues, &atomics);
        scope.spawn(move || {
            let all = warps.into_iter().map(|warp| warp.join().unwrap_or_default());
            *atomics.lock().expect("nobody panicked") = all.sum::<u64>();
            let counts = queues.iter().map(Writer::counts).collect();
            watch.ended(LaunchEnd { counts, stopped: false });
        });
        let options = ShippingOptions { patience: Duration::from_secs(30), ..Default::default() };
        ship(&launch, readers, watch, &mut checker, options)
    });
    let atomics = *atomics.lock().expect("nobody panicked");
    (checker, atomics, result.map(|counts| counts.operations))
}

#[test]
fn warps_that_count_words_are_put_in_order_through_tiny_queues() {
    let operations = u64::from(BLOCKS) * u64::from(WARPS) * (STEPS + 1);
    for capacity in [64, 64, 256] {
        let (checker, atomics, result) = run_device(capacity);
        assert_eq!(result, Ok(operations));
        assert_eq!(checker.wrong, Vec::<String>::new());
        assert_eq!(checker.lanes, atomics, "no lane is lost");
        assert!(checker.barriers.values().all(|count| *count == STEPS / 50));
    }
}
