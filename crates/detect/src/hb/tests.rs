//! Each consequence of the model, on hand-made events: no engine, no kernel.

mod barriers;
mod host;
mod kinds;
mod launches;
mod passes;
mod warps;

use super::*;
use warpsan_event::testing::{
    ACQUIRE, Kernel, Lanes, MemoryOperand, RELAXED, RELEASE, Story, strong,
};
use warpsan_event::{AccessKind, CopyKind, LaneAddresses};
use warpsan_model::{Dim3, Geometry, Order, Space};
use warpsan_report::{AccessOrder, AccessType, NotCovered, Race, RaceKey, RaceKind, Severity};

#[derive(Default)]
struct ReportedRaces {
    races: Vec<Race>,
    again: u64,
}

impl RaceSink for ReportedRaces {
    fn race(&mut self, race: Race) {
        self.races.push(race);
    }

    fn seen_again(&mut self, _key: &RaceKey, times: u64) {
        self.again += times;
    }

    fn not_checked(&mut self, missing: NotCovered) {
        panic!("this detector checks everything: {missing:?}");
    }
}

const BLOCK_RELAXED: Strength = strong(Order::Relaxed, Scope::Cta);

/// A thread by block and number.
type Who = (u32, u32);

/// What hb reports of a story.
trait Reported: Sized {
    fn reported(self) -> ReportedRaces;

    fn kinds(self) -> Vec<RaceKind> {
        self.reported().races.iter().map(|race| race.kind).collect()
    }

    fn clean(self) -> bool {
        self.kinds().is_empty()
    }
}

impl Reported for Story {
    fn reported(self) -> ReportedRaces {
        let mut found = ReportedRaces::default();
        HappensBefore::new(Settings { seed: 1, ..Settings::default() })
            .batch(&self.end_launch().batch(), &mut found);
        found
    }
}

const DATA: u64 = 0x1000;
const FLAG: u64 = 0x2000;

#[test]
fn which_access_came_first_is_told_unless_both_came_at_once() {
    let races = Story::new().store((0, 0), DATA).load((0, 40), DATA).reported().races;
    let sides = [&races[0].first, &races[0].second].map(|side| side.access);
    assert_eq!(races[0].order, AccessOrder::FirstThenSecond);
    assert_eq!(sides, [AccessType::Write, AccessType::Read]);
    let races = Story::new().store_values((0, 0, 3), DATA, &[1, 2]).reported().races;
    assert_eq!(races[0].order, AccessOrder::Unknown, "lanes of one instruction");
}

#[test]
fn copies_of_one_instruction_begin_at_once_and_those_of_its_next_pass_do_not() {
    let at = |address| MemoryOperand::global(address).bytes(16);
    let pass =
        |story: Story| story.at_site(1).copy((0, 0, 3), CopyKind::Thread, at(DATA), at(0).shared());
    let orders = |story: Story| -> Vec<AccessOrder> {
        story.reported().races.iter().map(|race| race.order).collect()
    };
    let one = pass(Story::new());
    assert_eq!(orders(pass(Story::new())), [AccessOrder::Unknown]);
    let both = [AccessOrder::Unknown, AccessOrder::FirstThenSecond];
    assert_eq!(orders(pass(one)), both, "two findings, though the lines are the same");
}

#[test]
fn two_threads_of_a_block_need_a_barrier() {
    assert_eq!(
        Story::new().store((0, 0), DATA).load((0, 40), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    assert!(Story::new().store((0, 0), DATA).barrier(0).load((0, 40), DATA).clean());
    assert!(Story::new().load((0, 0), DATA).load((0, 40), DATA).clean());
    assert_eq!(
        Story::new().load((0, 0), DATA).store((0, 40), DATA).kinds(),
        [RaceKind::MissingSync]
    );
}

#[test]
fn a_barrier_orders_its_participants_only() {
    let partly = [0xFFFF_FFFF, 0x0000_FFFF];
    assert!(
        Story::new().store((0, 0), DATA).partial_barrier(0, 0, &partly).load((0, 40), DATA).clean()
    );
    assert_eq!(
        Story::new().store((0, 0), DATA).partial_barrier(0, 0, &partly).load((0, 60), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    assert_eq!(
        Story::new().store((0, 60), DATA).partial_barrier(0, 0, &partly).load((0, 0), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    assert_eq!(
        Story::new().store((0, 0), DATA).barrier(0).barrier(1).load((1, 0), DATA).kinds(),
        [RaceKind::MissingSync]
    );
}

#[test]
fn the_lanes_of_a_warp_are_threads_like_any_others() {
    let races = Story::new().store((0, 0), DATA).load((0, 1), DATA).reported().races;
    assert_eq!(races[0].kind, RaceKind::Divergence, "the masks have no lane in common");
    assert_eq!(races[0].severity, Severity::Error);
}

#[test]
fn atomics_do_not_race_with_each_other_unless_the_scope_is_too_narrow() {
    assert!(Story::new().atomic((0, 0), DATA, RELAXED).atomic((1, 0), DATA, RELAXED).clean());
    assert_eq!(
        Story::new()
            .atomic((0, 0), DATA, BLOCK_RELAXED)
            .atomic((1, 0), DATA, BLOCK_RELAXED)
            .kinds(),
        [RaceKind::Scope]
    );
    let same_block = Story::new().atomic((0, 0), DATA, BLOCK_RELAXED);
    assert!(same_block.atomic((0, 40), DATA, BLOCK_RELAXED).clean());
    assert_eq!(
        Story::new().atomic((0, 0), DATA, RELAXED).atomic((1, 0), DATA, BLOCK_RELAXED).kinds(),
        [RaceKind::Scope]
    );
}

#[test]
fn a_weak_access_races_with_an_unordered_atomic() {
    assert_eq!(
        Story::new().atomic((0, 0), DATA, RELAXED).load((1, 0), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    assert_eq!(
        Story::new().load((1, 0), DATA).atomic((0, 0), DATA, RELAXED).kinds(),
        [RaceKind::MissingSync]
    );
}

#[test]
fn a_weak_access_is_compared_with_all_atomics_before_it() {
    // The newest atomic is the reader's own; the other is still unordered, but was observed by it.
    let observed = Story::new().atomic((0, 0), DATA, RELAXED).atomic((1, 0), DATA, RELAXED);
    assert!(observed.load((1, 0), DATA).clean(), "observation orders the same address");
    let reduced = Story::new().atomic((0, 0), DATA, RELAXED).reduction((1, 0), DATA, RELAXED);
    assert_eq!(reduced.load((1, 0), DATA).kinds(), [RaceKind::MissingSync], "red observes nothing");
}

#[test]
fn a_counter_is_no_flag_for_its_own_start_value() {
    // The other block comes back to the counter after it has observed an addition of the one that stored the start value.
    let started = Story::new().store((0, 0), DATA).atomic((0, 0), DATA, RELAXED);
    let counted = started.atomic((1, 0), DATA, RELAXED).atomic((1, 0), DATA, RELAXED);
    assert_eq!(counted.kinds(), [RaceKind::MissingSync; 2]);
}

#[test]
fn a_flag_hands_data_over_with_fences_or_release_and_acquire() {
    let handed = |write: Strength, read: Strength| {
        Story::new()
            .store((0, 0), DATA)
            .strong_store((0, 0), FLAG, write)
            .strong_load((1, 0), FLAG, read)
            .load((1, 0), DATA)
    };
    assert!(handed(RELEASE, ACQUIRE).clean());
    assert_eq!(handed(RELAXED, ACQUIRE).kinds(), [RaceKind::MissingFence]);
    assert_eq!(handed(RELEASE, RELAXED).kinds(), [RaceKind::MissingFence]);
    let fenced = |scope: Scope, order: Order| {
        Story::new()
            .store((0, 0), DATA)
            .fence((0, 0), Order::SeqCst, scope)
            .strong_store((0, 0), FLAG, RELAXED)
            .strong_load((1, 0), FLAG, RELAXED)
            .fence((1, 0), order, scope)
            .load((1, 0), DATA)
    };
    assert!(fenced(Scope::Gpu, Order::AcqRel).clean());
    assert_eq!(fenced(Scope::Cta, Order::AcqRel).kinds(), [RaceKind::Scope]);
    assert_eq!(fenced(Scope::Gpu, Order::Release).kinds(), [RaceKind::MissingFence]);
}

#[test]
fn what_comes_after_the_release_is_not_handed_over() {
    let late = Story::new()
        .strong_store((0, 0), FLAG, RELEASE)
        .store((0, 0), DATA)
        .strong_load((1, 0), FLAG, ACQUIRE)
        .load((1, 0), DATA);
    assert_eq!(late.kinds(), [RaceKind::MissingSync]);
}

#[test]
fn a_chain_of_atomics_carries_a_release_and_a_plain_store_ends_it() {
    let start = || Story::new().store((0, 0), DATA).strong_store((0, 0), FLAG, RELEASE);
    let chained = start().atomic((1, 0), FLAG, RELAXED).strong_load((2, 0), FLAG, ACQUIRE);
    assert!(chained.load((2, 0), DATA).clean());
    let replaced = start().strong_store((1, 0), FLAG, RELAXED).strong_load((2, 0), FLAG, ACQUIRE);
    assert_eq!(replaced.load((2, 0), DATA).kinds(), [RaceKind::MissingSync]);
}

#[test]
fn a_reduction_followed_by_a_fence_acquires_nothing() {
    let story = Story::new()
        .store((0, 0), DATA)
        .strong_store((0, 0), FLAG, RELEASE)
        .reduction((1, 0), FLAG, RELAXED)
        .fence((1, 0), Order::AcqRel, Scope::Gpu)
        .load((1, 0), DATA);
    assert_eq!(story.kinds(), [RaceKind::MissingSync]);
}

#[test]
fn a_barrier_passes_on_what_one_thread_acquired() {
    let story = Story::new()
        .store((0, 40), DATA)
        .barrier(0)
        .strong_store((0, 0), FLAG, RELEASE)
        .strong_load((1, 0), FLAG, ACQUIRE)
        .barrier(1)
        .load((1, 50), DATA);
    assert!(story.clean());
}

#[test]
fn neighbouring_bytes_do_not_race_and_partial_overlap_does() {
    let byte = |at: u64| MemoryOperand::global(at).bytes(1);
    let bytes = |at: u64| {
        let story = Story::new().store_values((0, 0), byte(DATA), &[0]);
        story.store_values((1, 0), byte(at), &[0])
    };
    assert!(bytes(DATA + 1).clean());
    assert_eq!(bytes(DATA).kinds(), [RaceKind::SameValue]);
    let mixed = Story::new().atomic((0, 0), MemoryOperand::global(DATA).bytes(8), RELAXED).atomic(
        (1, 0),
        DATA + 4,
        RELAXED,
    );
    assert_eq!(mixed.kinds(), [RaceKind::MixedSize]);
}

#[test]
fn volatile_accesses_are_a_warning() {
    let story = Story::new().strong_store((0, 0), FLAG, Strength::Volatile);
    let races = story.strong_load((1, 0), FLAG, Strength::Volatile).reported().races;
    assert_eq!((races[0].kind, races[0].severity), (RaceKind::Volatile, Severity::Warning));
}

#[test]
fn one_instruction_that_writes_one_value_twice_is_information() {
    let twice = |values: &[u64]| {
        let story = Story::new().store_values((0, 0, 3), MemoryOperand::global(0).shared(), values);
        let races = story.reported().races;
        (races[0].kind, races[0].severity)
    };
    assert_eq!(twice(&[5, 5]), (RaceKind::SameValue, Severity::Info));
    assert_eq!(twice(&[5, 6]), (RaceKind::MissingSync, Severity::Error));
}

#[test]
fn the_end_of_a_kernel_orders_everything() {
    let story = Story::new().store((0, 0), DATA).end_launch().begin_launch(1);
    assert!(story.load((1, 0), DATA).clean());
}

#[test]
fn a_race_that_occurs_often_is_reported_once_and_counted() {
    let mut story = Story::new();
    for round in 0..10 {
        story = story.at_site(1).store_values((0, 0), DATA + 64 * round, &[round]).store_values(
            (1, 0),
            DATA + 64 * round,
            &[round + 100],
        );
    }
    let found = story.reported();
    assert_eq!((found.races.len(), found.again), (1, 9));
}

#[test]
fn what_is_information_does_not_hide_an_error() {
    let one = |who: Who| move |story: Story| story.store_values(who, DATA, &[1]);
    let races = one((1, 0))(one((0, 0))(Story::new())).reported().races;
    assert_eq!((races[0].kind, races[0].severity), (RaceKind::SameValue, Severity::Warning));
    // Two lanes of one store write one value; so does another block. The second is a warning, also
    // where both are the same instruction.
    let store = |story: Story, block| story.at_site(1).store_values((block, 0, 3), DATA, &[5, 5]);
    let story = (0..2).fold(Story::new(), store);
    let kinds: Vec<_> =
        story.reported().races.iter().map(|race| (race.kind, race.severity)).collect();
    assert!(kinds.contains(&(RaceKind::SameValue, Severity::Info)), "{kinds:?}");
    assert!(kinds.contains(&(RaceKind::SameValue, Severity::Warning)), "{kinds:?}");
    // One of the own warp may be allowed, one of another block is an error.
    let both =
        Story::new().load((0, 1), DATA).load((1, 0), DATA).store((0, 0), DATA).reported().races;
    assert!(both.iter().any(|race| race.severity == Severity::Error));
}

#[test]
fn an_acquire_that_reads_the_released_location_is_ordered_itself() {
    let story = Story::new().store((0, 0), FLAG).strong_store((0, 0), FLAG, RELEASE).strong_load(
        (1, 0),
        FLAG,
        ACQUIRE,
    );
    assert!(story.clean());
}

#[test]
fn a_strong_read_observes_for_a_later_weak_read() {
    let story = Story::new().strong_store((0, 0), FLAG, RELAXED).strong_load((1, 0), FLAG, RELAXED);
    assert!(story.load((1, 0), FLAG).clean());
}

#[test]
fn a_plain_store_hides_the_writes_before_it() {
    let story = Story::new()
        .atomic((0, 0), FLAG, RELAXED)
        .strong_store((1, 40), FLAG, RELAXED)
        .strong_load((1, 0), FLAG, RELAXED);
    let races = story.store((1, 0), FLAG).kinds();
    assert_eq!(races, [RaceKind::MissingSync], "nobody observed the atomic");
}

#[test]
fn an_observer_is_not_forgotten_for_a_later_reduction() {
    let story = Story::new()
        .reduction((0, 0), DATA, RELAXED)
        .atomic((1, 0), DATA, RELAXED)
        .reduction((1, 0), DATA, RELAXED);
    assert!(story.store((1, 0), DATA).clean());
}

#[test]
fn a_release_goes_on_with_later_writes_of_its_thread_to_the_location() {
    let story = Story::new()
        .store((0, 0), DATA)
        .reduction((0, 0), FLAG, RELEASE)
        .strong_store((0, 0), FLAG, RELAXED)
        .strong_load((1, 0), FLAG, ACQUIRE);
    assert!(story.load((1, 0), DATA).clean());
}

#[test]
fn an_acquire_takes_what_earlier_reads_of_the_location_observed() {
    let story = Story::new()
        .store((0, 0), DATA)
        .strong_store((0, 0), FLAG, RELEASE)
        .strong_load((1, 0), FLAG, RELAXED)
        .strong_store((2, 0), FLAG, RELAXED)
        .strong_load((1, 0), FLAG, ACQUIRE);
    assert!(story.load((1, 0), DATA).clean());
}
