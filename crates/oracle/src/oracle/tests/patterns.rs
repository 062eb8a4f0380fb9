//! Release and acquire patterns.

use warpsan_model::{Order, Scope};
use warpsan_report::RaceKind::{MissingFence, MissingSync, Scope as TooNarrow};

use super::story::{ACQ_REL, ACQUIRE, DATA, FLAG, RELAXED, RELEASE, Story, VOLATILE, WEAK, strong};

const A: (u32, u32) = (0, 0);
const B: (u32, u32) = (1, 0);
const C: (u32, u32) = (2, 0);

#[test]
fn unordered_accesses_race_if_one_writes() {
    let mut story = Story::new();
    let read = story.load(A, WEAK, DATA);
    story.load(B, WEAK, DATA);
    let write = story.store(A, WEAK, DATA);
    story.is_not_clean_for(write, read);
}

impl Story {
    /// Only the read of the other block races with this write.
    #[track_caller]
    fn is_not_clean_for(&self, write: usize, own: usize) {
        self.race(&[(own + 1, write, MissingSync)]);
    }
}

#[test]
fn program_order_is_per_lane() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.load(A, WEAK, DATA);
    story.is_clean();
    let mut story = Story::new();
    story.store((0, 0), WEAK, DATA);
    story.load((0, 1), WEAK, DATA);
    assert_eq!(story.races().len(), 1, "lanes of a warp are threads");
}

#[test]
fn a_release_synchronises_with_the_acquire_that_reads_it() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.store(A, RELEASE, FLAG);
    story.load(B, ACQUIRE, FLAG);
    story.load(B, WEAK, DATA);
    story.is_clean();
}

#[test]
fn a_read_of_an_older_value_synchronises_with_nothing() {
    let mut story = Story::new();
    let write = story.store(A, WEAK, DATA);
    story.load(B, ACQUIRE, FLAG);
    story.store(A, RELEASE, FLAG);
    let read = story.load(B, WEAK, DATA);
    story.race(&[(write, read, MissingSync)]);
}

#[test]
fn fences_make_patterns() {
    for (first, second) in [
        (Order::AcqRel, Order::AcqRel),
        (Order::SeqCst, Order::SeqCst),
        (Order::Release, Order::Acquire),
    ] {
        let mut story = Story::new();
        story.store(A, WEAK, DATA);
        story.fence(A, first, Scope::Gpu);
        story.store(A, RELAXED, FLAG);
        story.load(B, RELAXED, FLAG);
        story.fence(B, second, Scope::Gpu);
        story.load(B, WEAK, DATA);
        story.is_clean();
    }
}

#[test]
fn fences_of_the_wrong_direction_make_none() {
    for (first, second) in [(Order::Acquire, Order::AcqRel), (Order::AcqRel, Order::Release)] {
        let mut story = Story::new();
        let write = story.store(A, WEAK, DATA);
        story.fence(A, first, Scope::Gpu);
        story.store(A, RELAXED, FLAG);
        story.load(B, RELAXED, FLAG);
        story.fence(B, second, Scope::Gpu);
        let read = story.load(B, WEAK, DATA);
        story.race(&[(write, read, MissingFence)]);
    }
}

#[test]
fn a_volatile_flag_is_relaxed_at_system_scope() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.fence(A, Order::AcqRel, Scope::Gpu);
    story.store(A, VOLATILE, FLAG);
    story.load(B, VOLATILE, FLAG);
    story.fence(B, Order::AcqRel, Scope::Gpu);
    story.load(B, WEAK, DATA);
    // The flag itself is one that C++ does not allow.
    assert_eq!(story.races().len(), 1);
}

#[test]
fn what_comes_between_the_fence_and_the_flag_is_not_released() {
    let mut story = Story::new();
    story.fence(A, Order::AcqRel, Scope::Gpu);
    let write = story.store(A, WEAK, DATA);
    story.store(A, RELAXED, FLAG);
    story.load(B, ACQUIRE, FLAG);
    let read = story.load(B, WEAK, DATA);
    story.race(&[(write, read, MissingFence)]);
}

#[test]
fn a_release_counts_for_later_strong_writes_to_its_place() {
    let mut story = Story::new();
    let early = story.store(A, WEAK, DATA);
    story.store(A, RELEASE, FLAG);
    let late = story.store(A, WEAK, DATA.plus(64));
    story.store(A, RELAXED, FLAG);
    story.load(B, ACQUIRE, FLAG);
    story.load(B, WEAK, DATA);
    let read = story.load(B, WEAK, DATA.plus(64));
    assert!(early < late);
    story.race(&[(late, read, MissingFence)]);
}

#[test]
fn a_release_does_not_count_for_writes_to_another_place() {
    let mut story = Story::new();
    let write = story.store(A, WEAK, DATA);
    story.store(A, RELEASE, FLAG.plus(8));
    story.store(A, RELAXED, FLAG);
    story.load(B, ACQUIRE, FLAG);
    let read = story.load(B, WEAK, DATA);
    story.race(&[(write, read, MissingFence)]);
}

#[test]
fn an_acquire_counts_for_earlier_strong_reads_of_its_place() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.store(A, RELEASE, FLAG);
    story.load(B, RELAXED, FLAG);
    // Somebody else overwrites the flag, so that the acquire itself observes nothing of A.
    story.store(C, RELAXED, FLAG);
    story.load(B, ACQUIRE, FLAG);
    story.load(B, WEAK, DATA);
    story.is_clean();
}

#[test]
fn a_reduction_releases_but_never_acquires() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.reduction(A, RELEASE, FLAG);
    story.load(B, ACQUIRE, FLAG);
    story.load(B, WEAK, DATA);
    story.is_clean();
    let mut story = Story::new();
    let write = story.store(A, WEAK, DATA);
    story.store(A, RELEASE, FLAG);
    story.reduction(B, ACQ_REL, FLAG);
    story.fence(B, Order::AcqRel, Scope::Gpu);
    let read = story.load(B, WEAK, DATA);
    story.race(&[(write, read, MissingSync)]);
}

#[test]
fn a_reduction_is_no_acquire_behind_a_read() {
    let mut story = Story::new();
    let write = story.store(A, WEAK, DATA);
    story.store(A, RELEASE, FLAG);
    story.load(B, RELAXED, FLAG);
    story.reduction(B, ACQ_REL, FLAG);
    let read = story.load(B, WEAK, DATA);
    story.race(&[(write, read, MissingFence)]);
}

#[test]
fn a_failed_swap_is_a_read_that_acquires() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.store(A, RELEASE, FLAG);
    story.failed_swap(B, ACQUIRE, FLAG);
    story.load(B, WEAK, DATA);
    // It has not written: the next one still reads what A wrote.
    story.load(C, ACQUIRE, FLAG);
    story.load(C, WEAK, DATA);
    story.is_clean();
}

#[test]
fn chains_of_updates_carry_a_release() {
    for by_reduction in [false, true] {
        let mut story = Story::new();
        story.store(A, WEAK, DATA);
        story.atomic(A, RELEASE, FLAG);
        if by_reduction {
            story.reduction(C, RELAXED, FLAG);
        } else {
            story.atomic(C, RELAXED, FLAG);
        }
        story.load(B, ACQUIRE, FLAG);
        story.load(B, WEAK, DATA);
        story.is_clean();
    }
}

#[test]
fn a_store_ends_a_chain() {
    let mut story = Story::new();
    let write = story.store(A, WEAK, DATA);
    story.atomic(A, RELEASE, FLAG);
    story.store(C, RELAXED, FLAG);
    story.load(B, ACQUIRE, FLAG);
    let read = story.load(B, WEAK, DATA);
    story.race(&[(write, read, MissingSync)]);
}

#[test]
fn an_update_in_two_halves_is_a_missing_fence() {
    let mut story = Story::new();
    let write = story.store(A, WEAK, DATA);
    story.atomic(A, RELEASE, FLAG);
    story.load(C, RELAXED, FLAG);
    story.store(C, RELAXED, FLAG);
    story.load(B, ACQUIRE, FLAG);
    let read = story.load(B, WEAK, DATA);
    story.race(&[(write, read, MissingFence)]);
}

#[test]
fn a_link_of_a_chain_has_to_be_morally_strong() {
    let mut story = Story::new();
    let write = story.store(A, WEAK, DATA);
    let release = story.atomic(A, RELEASE, FLAG);
    let narrow = story.atomic(C, strong(Order::Relaxed, Scope::Cta), FLAG);
    let acquire = story.load(B, ACQUIRE, FLAG);
    let read = story.load(B, WEAK, DATA);
    story.race(&[
        (release, narrow, TooNarrow),
        (narrow, acquire, TooNarrow),
        (write, read, TooNarrow),
    ]);
}

#[test]
fn a_weak_or_partial_write_to_the_flag_is_not_observed() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.fence(A, Order::AcqRel, Scope::Gpu);
    story.store(A, WEAK, FLAG);
    story.load(B, ACQUIRE, FLAG);
    story.load(B, WEAK, DATA);
    assert_eq!(story.races().len(), 2, "the flag and the data");
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.store(A, RELEASE, FLAG.bytes(8));
    story.load(B, ACQUIRE, FLAG);
    story.load(B, WEAK, DATA);
    assert_eq!(story.races().len(), 2, "only part of what was written is read");
}

#[test]
fn the_ends_of_patterns_have_to_reach_each_other() {
    // The flag is fine; the fence of one side has block scope.
    for (first, second) in [(Scope::Cta, Scope::Gpu), (Scope::Gpu, Scope::Cta)] {
        let mut story = Story::new();
        let write = story.store(A, WEAK, DATA);
        story.fence(A, Order::AcqRel, first);
        story.store(A, RELAXED, FLAG);
        story.load(B, RELAXED, FLAG);
        story.fence(B, Order::AcqRel, second);
        let read = story.load(B, WEAK, DATA);
        story.race(&[(write, read, TooNarrow)]);
    }
    let mut story = Story::with_clusters();
    story.store((0, 0), WEAK, DATA);
    story.store((0, 0), strong(Order::Release, Scope::Cluster), FLAG);
    story.load((1, 0), strong(Order::Acquire, Scope::Cluster), FLAG);
    story.load((1, 0), WEAK, DATA);
    story.is_clean();
    let mut story = Story::with_clusters();
    story.store((1, 0), WEAK, DATA);
    story.store((1, 0), strong(Order::Release, Scope::Cluster), FLAG);
    story.load((2, 0), strong(Order::Acquire, Scope::Cluster), FLAG);
    story.load((2, 0), WEAK, DATA);
    assert_eq!(story.races().len(), 2, "another cluster");
}

#[test]
fn causality_is_transitive_over_scopes() {
    // A reaches its own block only, whose other thread reaches the device.
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.store(A, strong(Order::Release, Scope::Cta), FLAG);
    story.load((0, 40), strong(Order::Acquire, Scope::Cta), FLAG);
    story.store((0, 40), RELEASE, FLAG.plus(8));
    story.load(B, ACQUIRE, FLAG.plus(8));
    story.load(B, WEAK, DATA);
    story.is_clean();
}

#[test]
fn sequential_fences_order_only_if_asked() {
    let story_of = || {
        let mut story = Story::new();
        let write = story.store(A, WEAK, DATA);
        story.fence(A, Order::SeqCst, Scope::Gpu);
        story.fence(B, Order::SeqCst, Scope::Gpu);
        let read = story.load(B, WEAK, DATA);
        (story, write, read)
    };
    let (mut story, write, read) = story_of();
    story.race(&[(write, read, MissingSync)]);
    story.choices.fence_sc_orders = true;
    story.is_clean();
    // Lanes of one fence do not order each other.
    let mut story = Story::new();
    story.choices.fence_sc_orders = true;
    story.store((0, 0), WEAK, DATA);
    story.push(warpsan_event::Event::Fence {
        block: warpsan_model::BlockIndex(0),
        warp: 0,
        mask: 3,
        site: warpsan_model::SiteId(0),
        order: Order::SeqCst,
        scope: Scope::Gpu,
    });
    story.load((0, 1), WEAK, DATA);
    assert_eq!(story.races().len(), 1);
}
