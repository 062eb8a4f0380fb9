//! The detector finds what the figures of the thesis find, on random traces of all of their operations.

use super::figures::{Byte, Figures, Operation, Path, Scope};
use super::*;
use crate::barracuda::messages::Class;
use proptest::prelude::*;
use std::collections::BTreeSet;
use warpsan_event::EventBuffer;
use warpsan_model::lanes;

const BLOCKS: u32 = 3;
/// The second warp of a block has four lanes.
const THREADS: u32 = 36;
const WARPS: u32 = 2;

/// An access with the fences beside it, and what section 5.4.1 says it is.
struct Line {
    before: Option<&'static str>,
    access: &'static str,
    behind: Option<&'static str>,
    is: Is,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Is {
    Read,
    Write,
    Atomic,
    Acquire(Scope),
    Release(Scope),
    Both(Scope, Scope),
}

const fn alone(access: &'static str, is: Is) -> Line {
    Line { before: None, access, behind: None, is }
}

const fn fenced(
    before: Option<&'static str>,
    access: &'static str,
    behind: Option<&'static str>,
    is: Is,
) -> Line {
    Line { before, access, behind, is }
}

const SHARED_ADD: &str = "atom.shared.add.u32 %r1, [%r2], 1;";
const SHARED_LOAD: &str = "ld.shared.u32 %r1, [%r2];";
const SHARED_STORE: &str = "st.shared.u32 [%r2], %r1;";
const CAS: &str = "atom.global.cas.b32 %r1, [%rd1], 0, 1;";
const EXCH: &str = "atom.global.exch.b32 %r1, [%rd1], 0;";

/// Plain accesses come first.
const PLAIN_LINES: usize = 9;
const LINES: [Line; 22] = [
    alone(LOAD, Is::Read),
    alone(STORE, Is::Write),
    alone(ADD, Is::Atomic),
    alone("ld.global.u8 %r1, [%rd1];", Is::Read),
    alone("st.global.u8 [%rd1], %r1;", Is::Write),
    alone("st.global.v2.u32 [%rd1], {%r1, %r2};", Is::Write),
    alone(SHARED_LOAD, Is::Read),
    alone(SHARED_STORE, Is::Write),
    alone(SHARED_ADD, Is::Atomic),
    fenced(None, LOAD, Some(GL), Is::Acquire(Scope::Global)),
    fenced(None, LOAD, Some(CTA), Is::Acquire(Scope::Block)),
    fenced(None, CAS, Some(GL), Is::Acquire(Scope::Global)),
    fenced(None, SHARED_LOAD, Some(CTA), Is::Acquire(Scope::Block)),
    fenced(Some(GL), STORE, None, Is::Release(Scope::Global)),
    fenced(Some(CTA), STORE, None, Is::Release(Scope::Block)),
    fenced(Some(CTA), EXCH, None, Is::Release(Scope::Block)),
    fenced(Some(CTA), SHARED_STORE, None, Is::Release(Scope::Block)),
    fenced(Some(GL), ADD, Some(GL), Is::Both(Scope::Global, Scope::Global)),
    fenced(Some(CTA), ADD, Some(CTA), Is::Both(Scope::Block, Scope::Block)),
    fenced(Some(GL), ADD, Some(CTA), Is::Both(Scope::Block, Scope::Global)),
    // The thesis leaves these two open: see `operations.rs`.
    fenced(Some(GL), ADD, None, Is::Both(Scope::Global, Scope::Global)),
    fenced(None, ADD, Some(CTA), Is::Acquire(Scope::Block)),
];

/// The code: each line with its fences and a barrier behind, so that fences are next to their access only.
fn code() -> Vec<&'static str> {
    let line = |line: &Line| {
        let nothing = "add.u32 %r1, %r1, 1;";
        [line.before.unwrap_or(nothing), line.access, line.behind.unwrap_or(nothing), "bar.sync 0;"]
    };
    LINES.iter().flat_map(line).collect()
}

/// The instruction of a line in the code.
fn site_of(line: usize) -> u32 {
    line as u32 * 4 + 1
}

#[derive(Debug, Clone)]
enum Where {
    /// All lanes, at a byte of the first words.
    Uniform(u64),
    /// Each lane a word of its own.
    Row,
    /// Lanes that share words.
    Scattered(u64),
}

#[derive(Debug, Clone)]
enum Step {
    /// Stores of all lanes write the same value, or each its own.
    Line {
        warp: usize,
        line: usize,
        at: Where,
        same_value: bool,
    },
    If {
        warp: usize,
        then: u32,
    },
    /// The next path, or where paths meet.
    GoOn {
        warp: usize,
    },
    Barrier {
        block: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let warp = || 0..(BLOCKS * WARPS) as usize;
    let at = prop_oneof![
        4 => (0..8u64).prop_map(Where::Uniform),
        1 => Just(Where::Row),
        1 => (1..5u64).prop_map(Where::Scattered),
    ];
    let line = prop_oneof![0..PLAIN_LINES, 0..LINES.len()];
    // Few lanes, halves, and any.
    let then = prop_oneof![(0..4u32).prop_map(|lane| 1 << lane), Just(0x0003_fff3), any::<u32>()];
    prop_oneof![
        12 => (warp(), line, at, any::<bool>())
            .prop_map(|(warp, line, at, same_value)| Step::Line { warp, line, at, same_value }),
        3 => (warp(), then).prop_map(|(warp, then)| Step::If { warp, then }),
        3 => warp().prop_map(|warp| Step::GoOn { warp }),
        1 => (0..BLOCKS as usize).prop_map(|block| Step::Barrier { block }),
    ]
}

/// The figures, and the events that a detector gets of the same trace.
struct Trace {
    figures: Figures,
    events: EventBuffer,
}

fn block_and_warp(warp: usize) -> (BlockIndex, u32) {
    (BlockIndex(warp as u32 / WARPS), warp as u32 % WARPS)
}

/// The address of a lane, for an access of so many bytes.
fn address(at: &Where, lane: u32, bytes: u64) -> u64 {
    let lane = u64::from(lane);
    AT + match at {
        // Words are aligned.
        Where::Uniform(byte) if bytes > 1 => byte & !3,
        Where::Uniform(byte) => *byte,
        Where::Row => 16 + 4 * lane,
        Where::Scattered(words) => 16 + 4 * (lane % words),
    }
}

/// A synchronisation location is named by its first byte; of data, each byte is a location.
fn locations_of(line: &Line, bytes: u64) -> u64 {
    match line.is {
        Is::Read | Is::Write | Is::Atomic => bytes,
        Is::Acquire(_) | Is::Release(_) | Is::Both(..) => 1,
    }
}

impl Trace {
    fn new() -> Trace {
        let events = Story::of(Kernel::new(&code()).on(BLOCKS, THREADS)).into_events();
        let figures = Figures::new(BLOCKS as usize, THREADS as usize);
        Trace { figures, events }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Line { warp, line, at, same_value } => {
                self.execute(*warp, *line, at, *same_value);
            }
            Step::If { warp, then } => self.figures.begin_branch(*warp, *then),
            Step::GoOn { warp } => self.go_on(*warp),
            Step::Barrier { block } => {
                for warp in block * WARPS as usize..(block + 1) * WARPS as usize {
                    while self.figures.peek(warp).0 != Path::Whole {
                        self.go_on(warp);
                    }
                }
                let participants = [u64::from(u32::MAX), 0b1111];
                self.figures.barrier(*block);
                self.events.push(Event::BlockBarrier {
                    block: BlockIndex(*block as u32),
                    barrier: 0,
                    participants: &participants,
                });
            }
        }
    }

    fn go_on(&mut self, warp: usize) {
        match self.figures.peek(warp).0 {
            Path::Whole => {}
            path => {
                self.figures.go_on(warp);
                let (_, mask) = self.figures.peek(warp);
                if path == Path::Else && mask != 0 {
                    let (block, warp) = block_and_warp(warp);
                    self.events.push(Event::Reconvergence { block, warp, mask });
                }
            }
        }
    }

    fn fence(&mut self, warp: usize, line: Option<&str>, site: u32) {
        let Some(text) = line else { return };
        let (_, mask) = self.figures.peek(warp);
        let (block, warp) = block_and_warp(warp);
        let nowhere = MemoryOperand::global(0);
        self.events.push(execute(text, SiteId(site), (block.0, warp, mask), nowhere, &[]));
    }

    /// The active lanes execute a line, with its fences.
    fn execute(&mut self, warp: usize, number: usize, at: &Where, same_value: bool) {
        let (line, site) = (&LINES[number], site_of(number));
        let (_, mask) = self.figures.peek(warp);
        if mask == 0 {
            return;
        }
        let (bytes, elements) = match line.access {
            text if text.contains(".u8") => (1, 1),
            text if text.contains(".v2") => (4, 2),
            _ => (4, 1),
        };
        let all_bytes = u64::from(bytes) * u64::from(elements);
        let addresses: Vec<u64> = lanes(mask).map(|lane| address(at, lane, all_bytes)).collect();
        let of_lanes = match at {
            Where::Uniform(_) => LaneAddresses::Uniform(addresses[0]),
            Where::Row => LaneAddresses::Strided { first: address(at, 0, all_bytes), stride: 4 },
            Where::Scattered(_) => LaneAddresses::PerLane(&addresses),
        };
        // The lowest byte differs, or none.
        let value = |lane: u32| if same_value { 7 } else { u64::from(lane) };
        let values: Vec<u64> = lanes(mask)
            .flat_map(|lane| std::iter::repeat_n(value(lane), usize::from(elements)))
            .collect();
        let is_shared = line.access.contains(".shared");
        let (block, warp_in_block) = block_and_warp(warp);
        let who = (block.0, warp_in_block, mask);
        let at = MemoryOperand::from(of_lanes).bytes(bytes).elements(elements);
        self.fence(warp, line.before, site - 1);
        self.events.push(execute(line.access, SiteId(site), who, at, &values));
        self.fence(warp, line.behind, site + 1);
        let owner = is_shared.then_some(block.0);
        let threads = self.figures.threads(warp, mask);
        for ((thread, address), lane) in threads.into_iter().zip(&addresses).zip(lanes(mask)) {
            for offset in 0..locations_of(line, all_bytes) {
                let byte = if offset % 4 == 0 { value(lane) as u8 } else { 0 };
                let operation = match line.is {
                    Is::Read => Operation::Read,
                    Is::Write => Operation::Write(byte),
                    Is::Atomic => Operation::Atomic,
                    Is::Acquire(scope) => Operation::Acquire(scope),
                    Is::Release(scope) => Operation::Release(scope),
                    Is::Both(acquire, release) => Operation::AcquireRelease(acquire, release),
                };
                self.figures.take(thread, site, (owner, address + offset), operation);
            }
        }
        self.figures.end_instruction(warp);
    }

    /// What the detector finds, each race with the place where its entry begins.
    fn found(&mut self) -> (BTreeSet<figures::Race>, Barracuda) {
        let mut detector = Barracuda::new(Settings::default());
        let mut found = BTreeSet::new();
        let batch = self.events.batch();
        for number in 0..batch.len() {
            detector.event(&batch, number, &mut Reports::default());
            found.extend(detector.found.drain(..).map(|found| {
                let [earlier, current] = [found.earlier, found.current].map(|epoch| {
                    let in_block = u32::from(epoch.thread.warp) * 32 + u32::from(epoch.thread.lane);
                    ((epoch.thread.block * THREADS + in_block) as usize, epoch.site)
                });
                let owner = (found.space == Space::Shared).then_some(found.current.thread.block);
                (found.class, (owner, found.address), earlier, current)
            }));
        }
        (found, detector)
    }

    /// Every race of one is a race of the other. The detector reports one for a word whose bytes have one history, with
    /// its first byte.
    fn compare(&mut self) -> Barracuda {
        let (found, detector) = self.found();
        let expected = &self.figures.races;
        let only_found: Vec<_> = found.difference(expected).collect();
        let word = |(owner, address): Byte| (owner, address & !3);
        let only_expected: Vec<_> = expected
            .iter()
            .filter(|race| !found.contains(race))
            .filter(|(class, byte, first, second)| {
                !found.contains(&(*class, word(*byte), *first, *second))
            })
            .collect();
        assert!(only_found.is_empty(), "the figures have no {only_found:?}");
        assert!(only_expected.is_empty(), "the detector has no {only_expected:?}");
        detector
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..100)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2000)))]

    #[test]
    fn the_detector_finds_what_the_figures_find(steps in steps()) {
        let mut trace = Trace::new();
        steps.iter().for_each(|step| trace.take(step));
        trace.compare();
    }
}

#[test]
fn random_traces_reach_every_rule_class_and_format() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut rules = [0; Rule::ALL.len()];
    let mut formats = [0; Format::ALL.len()];
    let mut classes = BTreeSet::new();
    let (mut clean, mut same_value) = (0, 0);
    for _ in 0..500 {
        let mut trace = Trace::new();
        let steps = steps().new_tree(&mut runner).expect("steps").current();
        steps.iter().for_each(|step| trace.take(step));
        let counts = trace.compare().counts;
        rules.iter_mut().zip(counts.rules).for_each(|(all, these)| *all += these);
        formats.iter_mut().zip(counts.formats).for_each(|(all, these)| *all += these);
        classes.extend(trace.figures.races.iter().map(|race| race.0));
        clean += u32::from(trace.figures.races.is_empty());
        same_value += counts.same_value;
    }
    assert!(rules.iter().all(|times| *times > 20), "{rules:?}");
    assert!(formats.iter().all(|times| *times > 50), "{formats:?}");
    let all = [Class::IntraWarp, Class::BranchOrdering, Class::IntraBlock, Class::InterBlock];
    assert_eq!(classes, all.into(), "classes of races");
    assert!(clean > 0 && same_value > 50, "{clean} traces are clean, {same_value} values the same");
}
