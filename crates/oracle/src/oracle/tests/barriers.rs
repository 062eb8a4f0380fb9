//! Barriers of blocks, warps and clusters, and `mbarrier` objects.

use warpsan_event::MbarrierStep::{Arrive, ArriveDrop, Init, Invalidate, Wait};
use warpsan_model::{Order, Scope};
use warpsan_report::RaceKind::{Async, MissingFence, MissingSync};

use super::story::{At, DATA, Story, WEAK, strong};

const ALL: [u32; 2] = [u32::MAX; 2];
const ARRIVES: warpsan_model::Strength = strong(Order::Release, Scope::Cta);
const WAITS: warpsan_model::Strength = strong(Order::Acquire, Scope::Cta);

#[test]
fn a_block_barrier_orders_its_block() {
    let mut story = Story::new();
    story.store((0, 0), WEAK, DATA);
    story.block_barrier(0, ALL, [0; 2]);
    story.load((0, 63), WEAK, DATA);
    story.is_clean();
    let other = story.load((1, 0), WEAK, DATA);
    assert_eq!(story.races().len(), 1);
    assert_eq!(story.races()[0].second.event, other);
}

#[test]
fn only_participants_are_ordered() {
    let mut story = Story::new();
    story.store((0, 5), WEAK, DATA);
    story.block_barrier(0, [0b1111, u32::MAX], [0; 2]);
    story.load((0, 63), WEAK, DATA);
    assert_eq!(story.races().len(), 1);
}

#[test]
fn who_only_arrives_is_a_source_up_to_its_arrival() {
    let mut story = Story::new();
    story.store((0, 0), WEAK, DATA);
    story.block_arrive((0, 0));
    let late = story.store((0, 0), WEAK, DATA.plus(16));
    story.store((0, 32), WEAK, DATA.plus(32));
    story.block_barrier(0, [0, 1], [1, 0]);
    story.load((0, 32), WEAK, DATA);
    let read = story.load((0, 32), WEAK, DATA.plus(16));
    // It waited for nobody.
    let back = story.load((0, 0), WEAK, DATA.plus(32));
    story.race(&[(late, read, MissingSync), (back - 4, back, MissingSync)]);
}

#[test]
fn the_latest_arrival_counts() {
    let mut story = Story::new();
    story.block_arrive((0, 0));
    story.block_barrier(0, [0, 1], [1, 0]);
    story.store((0, 0), WEAK, DATA);
    story.block_arrive((0, 0));
    story.block_barrier(0, [0, 1], [1, 0]);
    story.load((0, 32), WEAK, DATA);
    story.is_clean();
}

#[test]
fn a_warp_barrier_orders_the_lanes_of_its_mask() {
    let mut story = Story::new();
    story.store((0, 0), WEAK, DATA);
    story.warp_barrier(0, 0, 0b11);
    story.load((0, 1), WEAK, DATA);
    story.is_clean();
    story.load((0, 2), WEAK, DATA);
    assert_eq!(story.races().len(), 1);
}

#[test]
fn a_cluster_barrier_orders_from_arrival_to_wait() {
    for (order, is_clean) in [(Order::Release, true), (Order::Relaxed, false)] {
        let mut story = Story::with_clusters();
        let write = story.store((0, 0), WEAK, DATA);
        story.cluster_arrive((0, 0), order, 0);
        story.cluster_arrive((1, 0), Order::Release, 0);
        story.cluster_wait((1, 0), 0);
        let read = story.load((1, 0), WEAK, DATA);
        if is_clean {
            story.is_clean();
        } else {
            story.race(&[(write, read, MissingFence)]);
        }
    }
    let mut story = Story::with_clusters();
    story.cluster_arrive((0, 0), Order::Release, 0);
    let late = story.store((0, 0), WEAK, DATA);
    story.cluster_wait((1, 0), 0);
    let read = story.load((1, 0), WEAK, DATA);
    story.race(&[(late, read, MissingSync)]);
    let mut story = Story::with_clusters();
    let elsewhere = story.store((2, 0), WEAK, DATA);
    story.cluster_arrive((2, 0), Order::Release, 0);
    story.cluster_wait((1, 0), 0);
    let read = story.load((1, 0), WEAK, DATA);
    story.race(&[(elsewhere, read, MissingSync)]);
}

#[test]
fn an_arrival_is_before_waits_that_saw_its_phase_complete() {
    for step in [Arrive, ArriveDrop] {
        for (arrived_in, complete, is_clean) in
            [(0, 1, true), (0, 2, true), (1, 1, false), (1, 2, true)]
        {
            let mut story = Story::new();
            story.store((0, 0), WEAK, DATA);
            story.mbarrier((0, 0), step, ARRIVES, arrived_in);
            story.mbarrier((0, 40), Wait, WAITS, complete);
            story.load((0, 40), WEAK, DATA);
            assert_eq!(story.races().is_empty(), is_clean, "{arrived_in} {complete}");
        }
    }
}

#[test]
fn relaxed_or_narrow_uses_of_an_object_order_nothing() {
    let relaxed = strong(Order::Relaxed, Scope::Cta);
    for (arrives, waits) in [(relaxed, WAITS), (ARRIVES, relaxed)] {
        let mut story = Story::new();
        let write = story.store((0, 0), WEAK, DATA);
        story.mbarrier((0, 0), Arrive, arrives, 0);
        story.mbarrier((0, 40), Wait, waits, 1);
        let read = story.load((0, 40), WEAK, DATA);
        story.race(&[(write, read, Async)]);
    }
    let wide = |order| strong(order, Scope::Cluster);
    for (order, is_clean) in [(wide(Order::Release), true), (ARRIVES, false)] {
        let mut story = Story::with_clusters();
        story.store((1, 0), WEAK, DATA);
        story.mbarrier((1, 0), Arrive, order, 0);
        story.mbarrier((0, 40), Wait, wide(Order::Acquire), 1);
        story.load((0, 40), WEAK, DATA);
        assert_eq!(story.races().is_empty(), is_clean);
    }
}

#[test]
fn an_object_that_is_made_anew_forgets() {
    let mut story = Story::new();
    let write = story.store((0, 0), WEAK, DATA);
    story.mbarrier((0, 0), Arrive, ARRIVES, 0);
    story.block_barrier(0, [1, 0], [0, 0]);
    story.mbarrier((0, 0), Init, WEAK, 0);
    story.block_barrier(0, [0, 1 << 8], [0; 2]);
    story.mbarrier((0, 40), Wait, WAITS, 1);
    let read = story.load((0, 40), WEAK, DATA);
    let races: Vec<_> =
        story.races().iter().map(|race| (race.first.event, race.second.event)).collect();
    assert!(races.contains(&(write, read)), "{races:?}");
}

#[test]
fn making_an_object_has_to_be_ordered_with_its_uses() {
    let mut story = Story::new();
    let init = story.mbarrier((0, 0), Init, WEAK, 0);
    let arrive = story.mbarrier((0, 40), Arrive, ARRIVES, 0);
    story.mbarrier((0, 1), Arrive, ARRIVES, 0);
    story.race(&[(init, arrive, Async), (init, arrive + 1, Async)]);
    let mut story = Story::new();
    story.mbarrier((0, 0), Init, WEAK, 0);
    story.block_barrier(0, ALL, [0; 2]);
    story.mbarrier((0, 40), Arrive, ARRIVES, 0);
    story.mbarrier((0, 1), Wait, WAITS, 1);
    story.mbarrier((0, 1), Invalidate, WEAK, 0);
    story.is_clean();
}

#[test]
fn a_weak_access_to_an_object_races_with_its_uses() {
    let object = At::global(4).shared_of(0);
    let mut story = Story::new();
    let arrive = story.mbarrier((0, 40), Arrive, ARRIVES, 0);
    let read = story.load((0, 0), WEAK, object);
    story.race(&[(arrive, read, Async)]);
}
