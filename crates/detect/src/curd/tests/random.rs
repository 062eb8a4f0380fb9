//! Random kernels with barriers only: both schemes say what a look at every pair of threads says, and what Barracuda says, up to
//! lockstep.

use super::super::findings::{Class, PendingRace};
use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use warpsan_event::testing;
use warpsan_model::lanes;

const WARPS: u32 = 2;
const BLOCKS: u32 = 3;

#[derive(Debug, Clone)]
enum Step {
    Access {
        who: (u32, u32),
        mask: u32,
        space: Space,
        writes: bool,
        place: Footprint,
        bytes: u8,
        site: u32,
    },
    Barrier {
        block: u32,
    },
}

/// Where lanes access memory.
#[derive(Debug, Clone)]
enum Footprint {
    /// Words of the warp's own.
    Own {
        row: u64,
    },
    /// Words of the block's own, in columns.
    Column {
        column: u64,
    },
    OneWord {
        word: u64,
    },
    Strided {
        first: u64,
        stride: u64,
    },
    Scattered {
        addresses: Vec<u64>,
    },
}

const BASE: u64 = 0x10000;

impl Footprint {
    fn addresses(&self, (block, warp): (u32, u32), mask: u32) -> Vec<u64> {
        let (block, warp) = (u64::from(block), u64::from(warp));
        let of = |lane: u32| {
            let number = u64::from(lane);
            BASE + match self {
                Footprint::Own { row } => ((block * 4 + row) * 2 + warp) * 128 + number * 4,
                Footprint::Column { column } => {
                    block * 8192 + number * 128 + (column * 2 + warp) * 4
                }
                Footprint::OneWord { word } => word * 4,
                Footprint::Strided { first, stride } => first + number * stride,
                Footprint::Scattered { addresses } => addresses[lane as usize],
            }
        };
        lanes(mask).map(of).collect()
    }
}

fn place() -> impl Strategy<Value = Footprint> {
    prop_oneof![
        8 => (0..4_u64).prop_map(|row| Footprint::Own { row }),
        4 => (0..8_u64).prop_map(|column| Footprint::Column { column }),
        1 => (0..4096_u64).prop_map(|word| Footprint::OneWord { word }),
        1 => (0..4096_u64, 0..140_u64).prop_map(|(first, stride)| Footprint::Strided { first, stride }),
        1 => proptest::collection::vec(0..20000_u64, 32)
            .prop_map(|addresses| Footprint::Scattered { addresses }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let mask = prop_oneof![3 => Just(u32::MAX), 1 => 1..=u32::MAX, 1 => (0..32_u32).prop_map(|lane| 1 << lane)];
    let space = prop_oneof![Just(Space::Global), Just(Space::Shared)];
    let bytes = prop_oneof![4 => Just(4_u8), 1 => Just(1), 1 => Just(8)];
    let access = ((0..BLOCKS, 0..WARPS), mask, space, 0..3_u32, place(), bytes, 1..6_u32).prop_map(
        |(who, mask, space, kind, place, bytes, site)| {
            let writes = kind == 0;
            // An instruction reads or writes, always.
            let site = site * 2 + u32::from(writes);
            Step::Access { who, mask, space, writes, place, bytes, site }
        },
    );
    prop_oneof![5 => access, 1 => (0..BLOCKS).prop_map(|block| Step::Barrier { block })]
}

fn story(steps: &[Step]) -> Story {
    let mut story = Story::new();
    for step in steps {
        story = match step {
            Step::Barrier { block } => story.barrier(*block, &[ALL, ALL]),
            Step::Access { who, mask, space, writes, place, bytes, site } => {
                let addresses = place.addresses(*who, *mask);
                let addresses = match place {
                    Footprint::Strided { first, stride } => {
                        LaneAddresses::Strided { first: BASE + first, stride: *stride }
                    }
                    _ => LaneAddresses::PerLane(&addresses),
                };
                let kind = if *writes { AccessKind::Write } else { AccessKind::Read };
                let at = testing::MemoryOperand { space: *space, ..addresses.into() };
                story.then(|story| {
                    let who = (who.0, who.1, *mask);
                    story.at_site(*site).access(who, kind, WEAK, at.bytes(u32::from(*bytes)))
                })
            }
        };
    }
    story
}

/// A byte, in shared memory that of a block.
type Byte = (Option<u32>, u64);
/// Who did it: block, thread, how many barriers the block had seen, whether it wrote.
type Toucher = (u32, u32, u32, bool);

/// Everything that was done, byte by byte.
fn touchers(steps: &[Step]) -> BTreeMap<Byte, BTreeSet<Toucher>> {
    let mut phases = [0; BLOCKS as usize];
    let mut touched: BTreeMap<Byte, BTreeSet<Toucher>> = BTreeMap::new();
    for step in steps {
        match step {
            Step::Barrier { block } => phases[*block as usize] += 1,
            Step::Access { who, mask, space, writes, place, bytes, .. } => {
                let owner = (*space == Space::Shared).then_some(who.0);
                for (lane, address) in lanes(*mask).zip(place.addresses(*who, *mask)) {
                    let toucher = (who.0, who.1 * 32 + lane, phases[who.0 as usize], *writes);
                    for byte in address..address + u64::from(*bytes) {
                        touched.entry((owner, byte)).or_default().insert(toucher);
                    }
                }
            }
        }
    }
    touched
}

/// Which warps, or blocks, raced: class, block and warp of both.
type Verdict = BTreeSet<(Class, (u32, u32), (u32, u32))>;

fn class_of(one: (u32, u32), other: (u32, u32)) -> (Class, (u32, u32), (u32, u32)) {
    let class = match (one.0 == other.0, one.1 / 32 == other.1 / 32) {
        (false, _) => Class::InterBlock,
        (true, false) => Class::IntraBlock,
        (true, true) => Class::WarpSync,
    };
    let place = |(block, thread)| match class {
        Class::InterBlock => (block, 0),
        _ => (block, thread / 32),
    };
    let (one, other) = (place(one), place(other));
    (class, one.min(other), one.max(other))
}

fn plainly(touched: &BTreeMap<Byte, BTreeSet<Toucher>>) -> Verdict {
    let mut verdict = Verdict::new();
    for touchers in touched.values() {
        for one in touchers {
            for other in touchers {
                let is_one_thread = (one.0, one.1) == (other.0, other.1);
                let is_ordered = one.0 == other.0 && one.2 != other.2;
                if (one.3 || other.3) && !is_one_thread && !is_ordered {
                    verdict.insert(class_of((one.0, one.1), (other.0, other.1)));
                }
            }
        }
    }
    verdict
}

fn by_curd(steps: &[Step], curd: CurdSettings) -> (Reports, Vec<PendingRace>) {
    let mut detector = Curd::new(Settings { curd, ..Settings::default() });
    let (reports, _) = story(steps).reports_by(&mut detector);
    (reports, detector.findings.all)
}

fn verdict_of(found: &[PendingRace]) -> Verdict {
    let of = |found: &PendingRace| {
        let [one, other] = found.parties.map(|party| (party.block, party.thread));
        class_of(one, other)
    };
    found.iter().map(of).collect()
}

/// What is found names a byte and threads that did what is said.
fn is_true(found: &PendingRace, touched: &BTreeMap<Byte, BTreeSet<Toucher>>) -> bool {
    let owner = (found.space == Space::Shared).then_some(found.parties[0].block);
    let Some(touchers) = touched.get(&(owner, found.address)) else { return false };
    found.parties.iter().all(|party| {
        touchers.iter().any(|(block, thread, _, writes)| {
            // Sets of blocks keep one thread for a region.
            let is_it = found.class == Class::InterBlock || *thread == party.thread;
            *block == party.block && is_it && *writes == party.writes
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn sets_say_what_all_pairs_of_threads_say(
        steps in proptest::collection::vec(step(), 1..40),
        search in 0..9_u32,
    ) {
        let touched = touchers(&steps);
        let expected = plainly(&touched);
        for inter_block in [InterBlock::Lazy, InterBlock::Eager] {
            let settings = CurdSettings { inter_block, search, ..CurdSettings::default() };
            let (reports, found) = by_curd(&steps, settings);
            prop_assert_eq!(verdict_of(&found), expected.clone(), "{:?}", inter_block);
            prop_assert!(found.iter().all(|one| is_true(one, &touched)), "{:?}", found);
            prop_assert_eq!(reports.races.is_empty(), expected.is_empty());
            prop_assert!(reports.not_checked.is_empty());
        }
    }

    #[test]
    fn sets_say_what_barracuda_says_up_to_lockstep(
        steps in proptest::collection::vec(step(), 1..25),
    ) {
        let races_of = |reports: Reports| {
            reports.races.iter().any(|race| race.kind == RaceKind::MissingSync)
        };
        let (by_barracuda, _) = story(&steps).reports_by(&mut Barracuda::new(Settings::default()));
        let (by_sets, _) = by_curd(&steps, CurdSettings::default());
        prop_assert_eq!(races_of(by_sets), races_of(by_barracuda));
    }
}

#[test]
fn random_kernels_are_of_all_kinds() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut clean, mut racy) = (0, BTreeMap::new());
    for _ in 0..200 {
        let tree = proptest::collection::vec(step(), 1..25).new_tree(&mut runner);
        let verdict = plainly(&touchers(&tree.expect("steps").current()));
        clean += u32::from(verdict.is_empty());
        for (class, _, _) in verdict {
            *racy.entry(class).or_insert(0) += 1;
        }
    }
    assert!(
        clean >= 20 && racy.len() == 3 && racy.values().all(|times| *times >= 20),
        "{clean} {racy:?}"
    );
}
