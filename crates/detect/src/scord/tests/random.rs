//! The detector against the reference, on random stories.

use super::reference::{Operation, Reference, Step, Warp};
use super::*;
use crate::scord::locks::LockTable;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};

/// The least memory that the cache divides: what is 4 KiB apart shares an entry.
const MEMORY: u64 = 64 << 10;
const WORDS: [u64; 3] = [AT, AT + 4, AT + MEMORY / 16];
/// Two locks behind the words.
const LOCKS: [u64; 2] = [AT + 0x100, AT + 0x104];

fn warp() -> impl Strategy<Value = Warp> {
    (0..3_u32, 0..2_u32)
}

fn reach() -> impl Strategy<Value = Reach> {
    prop_oneof![Just(Reach::Block), Just(Reach::Device)]
}

fn lock() -> impl Strategy<Value = u64> {
    proptest::sample::select(&LOCKS[..])
}

fn operation() -> impl Strategy<Value = Operation> {
    // Mostly volatile: a weak access hides most rows.
    let volatile = || prop::bool::weighted(0.9);
    prop_oneof![
        4 => volatile().prop_map(|volatile| Operation::Load { volatile }),
        3 => volatile().prop_map(|volatile| Operation::Store { volatile }),
        2 => reach().prop_map(Operation::Atomic),
    ]
}

fn access() -> impl Strategy<Value = Step> {
    let word = proptest::sample::select(&WORDS[..]);
    (warp(), operation(), word)
        .prop_map(|(warp, operation, word)| Step::Access(warp, operation, word))
}

/// A few steps: one of any kind, or a critical section, perhaps without one of its fences.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let section = (warp(), lock(), reach(), reach(), access(), any::<[bool; 2]>()).prop_map(
        |(warp, lock, reach, fence, access, [first, second])| {
            let Step::Access(_, operation, word) = access else { return vec![access] };
            let mut steps = vec![Step::CompareAndSwap(warp, reach, lock)];
            steps.extend(first.then_some(Step::Fence(warp, fence)));
            steps.push(Step::Access(warp, operation, word));
            steps.extend(second.then_some(Step::Fence(warp, reach)));
            steps.push(Step::Exchange(warp, reach, lock));
            steps
        },
    );
    let one = |step: Step| vec![step];
    prop_oneof![
        8 => access().prop_map(one),
        5 => (warp(), reach()).prop_map(|(warp, reach)| Step::Fence(warp, reach)).prop_map(one),
        1 => (0..3_u32).prop_map(Step::Barrier).prop_map(one),
        1 => (warp(), reach(), lock())
            .prop_map(|(warp, reach, lock)| Step::CompareAndSwap(warp, reach, lock))
            .prop_map(one),
        4 => section,
    ]
}

fn strength(reach: Reach) -> Strength {
    strong(Order::Relaxed, if reach == Reach::Block { Scope::Cta } else { Scope::Gpu })
}

/// The step as an event, of an instruction.
fn push_step(story: Story, step: Step, site: u32) -> Story {
    let who = |(block, warp): Warp| (block, warp, 1);
    let atomic = AccessKind::ReadModifyWrite;
    match step {
        Step::Access(warp, operation, word) => {
            let weak = |volatile: bool| if volatile { VOLATILE } else { WEAK };
            let (kind, strength) = match operation {
                Operation::Load { volatile } => (AccessKind::Read, weak(volatile)),
                Operation::Store { volatile } => (AccessKind::Write, weak(volatile)),
                Operation::Atomic(reach) => (atomic, strength(reach)),
            };
            story.access_of(site, who(warp), kind, strength, LaneAddresses::Uniform(word))
        }
        Step::Fence(warp, Reach::Block) => story.fence(who(warp), Scope::Cta),
        Step::Fence(warp, Reach::Device) => story.fence(who(warp), Scope::Gpu),
        Step::Barrier(block) => story.barrier(block, &[ALL, ALL]),
        Step::CompareAndSwap(warp, reach, lock) | Step::Exchange(warp, reach, lock) => {
            let at = LaneAddresses::Uniform(lock);
            story.access_of(site, who(warp), atomic, strength(reach), at)
        }
    }
}

/// The instruction of a step: each access has its own.
fn site_of(step: Step, number: u32) -> u32 {
    match step {
        Step::CompareAndSwap(..) => CAS,
        Step::Exchange(..) => EXCH,
        _ => number + 1,
    }
}

#[test]
fn the_locks_of_the_stories_differ_in_the_bloom_filter() {
    let held = |lock: u64, reach: Reach| {
        let mut table = LockTable::default();
        table.insert(lock, reach);
        table.activate(Reach::Device);
        table.summary()
    };
    let all = LOCKS.map(|lock| held(lock, Reach::Block) | held(lock, Reach::Device));
    assert_eq!((all[0] | all[1]).count_ones(), 4);
}

/// Random steps, each with its instruction.
fn numbered(groups: Vec<Vec<Step>>) -> impl Iterator<Item = (Step, u32)> {
    // The instructions of a story have numbers below that of the locks.
    let steps = groups.into_iter().flatten().zip(0..CAS - 1);
    steps.map(|(step, number)| (step, site_of(step, number)))
}

/// The races of random steps, as the detector and as the reference find them: row, kind, both instructions.
fn both(groups: Vec<Vec<Step>>) -> [BTreeSet<(char, &'static str, u32, u32)>; 2] {
    let mut story = Story::new();
    let mut reference = Reference::default();
    for (step, site) in numbered(groups) {
        story = push_step(story, step, site);
        reference.step(step, site);
    }
    let row = |rule: Rule| rule.number().chars().rev().nth(1).expect("a letter");
    let reports = story.faults().into_iter();
    let reports =
        reports.map(|(rule, kind, first, second)| (row(rule), kind.name(), first, second));
    [reports.collect(), reference.found]
}

fn stories() -> impl Strategy<Value = Vec<Vec<Step>>> {
    prop::collection::vec(steps(), 1..24)
}

#[test]
fn the_stories_have_races_of_every_row() {
    let mut runner = TestRunner::deterministic();
    let mut rows = BTreeMap::new();
    for _ in 0..1000 {
        let story = stories().new_tree(&mut runner).expect("a story").current();
        let [reports, _] = both(story);
        reports.iter().for_each(|(row, ..)| *rows.entry(*row).or_insert(0) += 1);
    }
    let enough: Vec<char> =
        rows.into_iter().filter(|(_, times)| *times > 20).map(|(row, _)| row).collect();
    assert_eq!(enough, ['a', 'b', 'c', 'd', 'e', 'f']);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_detector_agrees_with_the_reference(story in stories()) {
        let [reports, expected] = both(story);
        prop_assert_eq!(reports, expected);
    }

    #[test]
    fn what_the_cache_misses_was_evicted(groups in stories()) {
        let begin = || {
            let (address, bytes) = (DeviceAddress(AT), MEMORY);
            Story::new().push(Event::Allocation { address, bytes, label: "" }).launch(1)
        };
        let story = |cache: bool| {
            let steps = numbered(groups.clone());
            let mut story = steps.fold(begin(), |story, (step, site)| push_step(story, step, site));
            story.settings.scord.cache = cache;
            story
        };
        let cached = story(true);
        let mut detector = Scord::new(cached.settings);
        let (with_cache, _) = cached.reports_by(&mut detector);
        for race in story(false).reports().0.races {
            let is_missed = !with_cache.races.iter().any(|other| fault(other) == fault(&race));
            prop_assert!(!is_missed || detector.was_evicted(race.location.address));
        }
    }
}
