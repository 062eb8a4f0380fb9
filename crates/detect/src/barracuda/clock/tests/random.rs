//! Compressed clocks give the answers of plain ones: after every step of a random trace, every thread knows of the same
//! accesses.

use super::plain::{PlainClock, PlainClocks, join};
use super::*;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::{Cell, RefCell};
use warpsan_model::lanes;

const BLOCKS: u32 = 2;
const LOCATIONS: usize = 2;

#[derive(Debug, Clone)]
enum Step {
    /// Lanes of a warp execute an instruction; each of them accesses memory.
    Instruction {
        warp: usize,
        mask: u32,
    },
    Acquire {
        warp: usize,
        mask: u32,
        location: usize,
    },
    Release {
        warp: usize,
        mask: u32,
        location: usize,
    },
    Barrier {
        block: usize,
    },
    PartOfBarrier {
        block: usize,
        waiting: [u32; WARPS as usize],
    },
    Arrive {
        warp: usize,
        mask: u32,
    },
    End {
        warp: usize,
        mask: u32,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let warp = || 0..(BLOCKS * WARPS) as usize;
    let block = || 0..BLOCKS as usize;
    let mask = || 1..=ALL;
    let location = || 0..LOCATIONS;
    prop_oneof![
        12 => (warp(), mask()).prop_map(|(warp, mask)| Step::Instruction { warp, mask }),
        4 => (warp(), mask(), location())
            .prop_map(|(warp, mask, location)| Step::Acquire { warp, mask, location }),
        4 => (warp(), mask(), location())
            .prop_map(|(warp, mask, location)| Step::Release { warp, mask, location }),
        2 => block().prop_map(|block| Step::Barrier { block }),
        1 => (block(), [0..=ALL, 0..=ALL])
            .prop_map(|(block, waiting)| Step::PartOfBarrier { block, waiting }),
        1 => (warp(), mask()).prop_map(|(warp, mask)| Step::Arrive { warp, mask }),
        1 => (warp(), mask()).prop_map(|(warp, mask)| Step::End { warp, mask }),
    ]
}

/// An access, with the clock of its thread in both worlds.
struct Accessed {
    thread: usize,
    compressed: u32,
    plain: u32,
}

struct Both {
    blocks: Vec<BlockClocks>,
    plain: PlainClocks,
    released: [Option<Arc<Floors>>; LOCATIONS],
    plainly_released: [Option<PlainClock>; LOCATIONS],
    plainly_arrived: Vec<Option<PlainClock>>,
    accessed: Vec<Accessed>,
    formats: [u64; Format::ALL.len()],
    /// Questions that both have answered.
    answers: Cell<u64>,
}

fn number(warp: usize, lane: u32) -> usize {
    warp * LANES as usize + lane as usize
}

fn numbers(warp: usize, mask: u32) -> Vec<usize> {
    lanes(mask).map(|lane| number(warp, lane)).collect()
}

fn thread_of(number: usize) -> Thread {
    let (warp, lane) = (number / LANES as usize, number % LANES as usize);
    let (block, warp) = (warp / WARPS as usize, warp % WARPS as usize);
    thread(block as u32, warp as u16, lane as u8)
}

impl Both {
    fn new() -> Both {
        Both {
            blocks: (0..BLOCKS).map(block).collect(),
            plain: PlainClocks::new((BLOCKS * WARPS * LANES) as usize),
            released: Default::default(),
            plainly_released: Default::default(),
            plainly_arrived: vec![None; BLOCKS as usize],
            accessed: Vec::new(),
            formats: Default::default(),
            answers: Cell::new(0),
        }
    }

    fn warp(&mut self, warp: usize) -> &mut WarpClocks {
        &mut self.blocks[warp / WARPS as usize].warps[warp % WARPS as usize]
    }

    /// Lanes that live begin an instruction; false if there are none.
    fn begin(&mut self, warp: usize, mask: u32) -> bool {
        match self.warp(warp).activate(mask) {
            None => return false,
            Some(Branch::None) => {}
            Some(_) => self.plain.meet(&numbers(warp, mask), None),
        }
        let (format, compressed) =
            (self.warp(warp).active().format(), self.warp(warp).active().local());
        self.formats[format as usize] += 1;
        for thread in numbers(warp, mask) {
            let plain = self.plain.clocks[thread][thread];
            self.accessed.push(Accessed { thread, compressed, plain });
        }
        self.compare();
        true
    }

    fn end(&mut self, warp: usize, mask: u32) {
        self.warp(warp).active_mut().advance();
        self.plain.meet(&numbers(warp, mask), None);
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Instruction { warp, mask } => {
                let mask = mask & self.warp(warp).live();
                if self.begin(warp, mask) {
                    self.end(warp, mask);
                }
            }
            Step::Acquire { warp, mask, location } => {
                let mask = mask & self.warp(warp).live();
                if self.begin(warp, mask) {
                    if let Some(released) = self.released[location].clone() {
                        self.warp(warp).active_mut().acquire(&released);
                    }
                    if let Some(released) = &self.plainly_released[location] {
                        for thread in numbers(warp, mask) {
                            join(&mut self.plain.clocks[thread], released);
                        }
                    }
                    self.end(warp, mask);
                }
            }
            Step::Release { warp, mask, location } => {
                let mask = mask & self.warp(warp).live();
                if self.begin(warp, mask) {
                    for lane in lanes(mask) {
                        let released = self.warp(warp).active().released_by(lane as u8);
                        self.released[location] = Some(Arc::new(released));
                        let thread = number(warp, lane);
                        self.plainly_released[location] = Some(self.plain.clocks[thread].clone());
                        self.plain.increment(thread);
                    }
                    self.warp(warp).active_mut().advance();
                    self.end(warp, mask);
                }
            }
            Step::Barrier { block } => {
                self.blocks[block].meet();
                let warps = WARPS as usize;
                let warps = block * warps..(block + 1) * warps;
                let all: Vec<usize> = warps.flat_map(|warp| numbers(warp, ALL)).collect();
                self.plain.meet(&all, None);
                self.plainly_arrived[block] = None;
            }
            Step::PartOfBarrier { block, waiting } => {
                let live = |warp: usize| waiting[warp] & self.blocks[block].warps[warp].live();
                let waiting: [u32; WARPS as usize] = std::array::from_fn(live);
                self.blocks[block].meet_partly(0, |warp| waiting[warp]);
                let first = block * WARPS as usize;
                let all: Vec<usize> = (0..WARPS as usize)
                    .flat_map(|warp| numbers(first + warp, waiting[warp]))
                    .collect();
                let arrived = self.plainly_arrived[block].take();
                self.plain.meet(&all, arrived.as_ref());
            }
            Step::Arrive { warp, mask } => {
                let mask = mask & self.warp(warp).live();
                if self.begin(warp, mask) {
                    let block = warp / WARPS as usize;
                    let known = self.plain.joined(&numbers(warp, mask));
                    match &mut self.plainly_arrived[block] {
                        Some(arrived) => join(arrived, &known),
                        none => *none = Some(known),
                    }
                    self.plain.meet(&numbers(warp, mask), None);
                    self.blocks[block].arrive(0, warp % WARPS as usize);
                }
            }
            Step::End { warp, mask } => self.warp(warp).end_lanes(mask),
        }
        self.compare();
    }

    /// Every thread that lives knows of the same accesses.
    fn compare(&self) {
        for observer in 0..self.plain.clocks.len() {
            let Thread { block, warp, lane } = thread_of(observer);
            let warp = &self.blocks[block as usize].warps[usize::from(warp)];
            if warp.live() >> lane & 1 == 0 {
                continue;
            }
            let group = warp.groups().iter().find(|group| group.lanes() >> lane & 1 == 1);
            let group = group.expect("a lane that lives is in a group");
            self.answers.update(|answers| answers + self.accessed.len() as u64);
            for accessed in &self.accessed {
                let compressed =
                    group.known(lane, thread_of(accessed.thread)) >= accessed.compressed;
                let plain = self.plain.clocks[observer][accessed.thread] >= accessed.plain;
                assert_eq!(
                    compressed, plain,
                    "{observer} and the access of {} at {}",
                    accessed.thread, accessed.plain
                );
            }
        }
    }
}

/// What was compared on all traces.
#[derive(Default)]
struct Compared {
    traces: u64,
    operations: u64,
    answers: u64,
    formats: [u64; Format::ALL.len()],
}

impl Compared {
    fn add(&mut self, steps: &[Step], both: &Both) {
        self.traces += 1;
        self.operations += steps.len() as u64;
        self.answers += both.answers.get();
        self.formats.iter_mut().zip(both.formats).for_each(|(all, these)| *all += these);
    }
}

impl std::fmt::Display for Compared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Compared { traces, operations, answers, formats } = self;
        writeln!(f, "{traces} traces of {operations} operations: {answers} answers are the same")?;
        let all: u64 = formats.iter().sum();
        for (format, times) in Format::ALL.iter().zip(formats) {
            let share = *times as f64 / all as f64 * 100.0;
            writeln!(f, "{share:5.1} % {times:>10} {}", format.name())?;
        }
        Ok(())
    }
}

/// Where to write what was compared, if `cargo xtask barracuda-clocks` asks for it; for more traces it asks by
/// proptest's own variable.
const SUMMARY: &str = "WARPSAN_CLOCKS_SUMMARY";

#[test]
fn compressed_clocks_answer_as_plain_ones() {
    let cases = ProptestConfig::default().cases.max(2000);
    let config = ProptestConfig { cases, source_file: Some(file!()), ..ProptestConfig::default() };
    let mut runner = TestRunner::new(config);
    let compared = RefCell::new(Compared::default());
    let result = runner.run(&prop::collection::vec(step(), 1..40), |steps| {
        let mut both = Both::new();
        steps.iter().for_each(|step| both.take(step));
        compared.borrow_mut().add(&steps, &both);
        Ok(())
    });
    assert!(result.is_ok(), "{result:?}");
    let compared = compared.into_inner();
    assert!(compared.formats.iter().all(|times| *times > 500), "{:?}", compared.formats);
    if let Some(file) = std::env::var_os(SUMMARY) {
        std::fs::write(file, compared.to_string()).expect("the summary is written");
    }
}
