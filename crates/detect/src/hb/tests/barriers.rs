//! Barriers that only some wait at, barriers of clusters, and shared memory of other blocks.

use super::*;
use crate::clock::View;
use crate::hb::ids::BlockNumber;

const CLUSTER_RELAXED: Strength = strong(Order::Relaxed, Scope::Cluster);
const CLUSTER_RELEASE: Strength = strong(Order::Release, Scope::Cluster);
const CLUSTER_ACQUIRE: Strength = strong(Order::Acquire, Scope::Cluster);

/// Four blocks in two clusters of two.
fn in_clusters() -> Story {
    Story::of(Kernel::default().in_clusters(2))
}

/// A word of the shared memory of a block.
fn shared_of(owner: u32) -> MemoryOperand<'static> {
    MemoryOperand::global(64).shared_of(owner)
}

/// All 64 threads of a block arrive at the barrier of the cluster.
fn cluster_arrive(story: Story, block: u32, phase: u32, order: Order) -> Story {
    let arrive = |story: Story, warp| story.cluster_arrive(Lanes::warp(block, warp), order, phase);
    (0..2).fold(story, arrive)
}

fn cluster_wait(story: Story, block: u32, phase: u32) -> Story {
    (0..2).fold(story, |story, warp| story.cluster_wait(Lanes::warp(block, warp), phase))
}

/// Two blocks arrive at the barrier of their cluster.
fn both_arrive(story: Story, blocks: [u32; 2], phase: u32, order: Order) -> Story {
    blocks.into_iter().fold(story, |story, block| cluster_arrive(story, block, phase, order))
}

/// The first warp has arrived, the second has waited.
const HALF_ARRIVED: [u64; 2] = [0xFFFF_FFFF << 32, 0xFFFF_FFFF];

#[test]
fn who_only_arrives_releases_and_does_not_acquire() {
    let before = Story::new().store((0, 0), DATA).partial_barrier(0, 0, &HALF_ARRIVED);
    assert!(before.load((0, 40), DATA).clean(), "the arrival passes on what came before it");
    let back = Story::new().store((0, 40), DATA).partial_barrier(0, 0, &HALF_ARRIVED);
    assert_eq!(back.load((0, 0), DATA).kinds(), [RaceKind::MissingSync]);
    let after = Story::new().partial_barrier(0, 0, &HALF_ARRIVED).store((0, 0), DATA);
    assert_eq!(after.load((0, 40), DATA).kinds(), [RaceKind::MissingSync]);
    let waited = Story::new().store((0, 41), DATA).partial_barrier(0, 0, &HALF_ARRIVED);
    assert!(waited.load((0, 40), DATA).clean(), "those that waited are ordered as ever");
}

#[test]
fn what_comes_between_arrival_and_completion_is_not_passed_on() {
    let participants = [1 << 32, 0xFFFF_FFFF];
    let before = Story::new().store((0, 0), DATA).arrive((0, 0), 1);
    assert!(
        before.partial_barrier(0, 1, &participants).load((0, 40), DATA).clean(),
        "what came before the arrival is passed on"
    );
    let between = Story::new().arrive((0, 0), 1).store((0, 0), DATA);
    assert_eq!(
        between.partial_barrier(0, 1, &participants).load((0, 40), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    let other = Story::new().store((0, 0), DATA).arrive((0, 0), 2);
    assert_eq!(
        other.partial_barrier(0, 1, &[0, 0xFFFF_FFFF]).load((0, 40), DATA).kinds(),
        [RaceKind::MissingSync],
        "an arrival at another barrier"
    );
}

#[test]
fn shared_memory_belongs_to_its_owner() {
    let own = in_clusters().store((0, 0), shared_of(0)).store((1, 0), shared_of(1));
    assert!(own.clean(), "the same offset in two blocks");
    let theirs = in_clusters().store((0, 0), shared_of(1)).store((1, 0), shared_of(1));
    let races = theirs.reported().races;
    assert_eq!(races.len(), 1);
    assert_eq!(races[0].location.space, Some(Space::Shared));
    assert!(races[0].advice.contains("cluster.sync()"), "{}", races[0].advice);
}

#[test]
fn a_barrier_of_the_cluster_orders_its_blocks() {
    let meet = |story: Story, order: Order| {
        let arrived = both_arrive(story, [0, 1], 0, order);
        cluster_wait(cluster_wait(arrived, 0, 0), 1, 0)
    };
    let story = || in_clusters().store((0, 3), shared_of(1));
    assert!(meet(story(), Order::Release).load((1, 40), shared_of(1)).clean());
    assert_eq!(
        meet(story(), Order::Relaxed).load((1, 40), shared_of(1)).kinds(),
        [RaceKind::MissingFence],
        "a relaxed arrival orders nothing"
    );
    let global = || in_clusters().store((0, 3), DATA);
    assert!(meet(global(), Order::Release).load((1, 40), DATA).clean());
    assert_eq!(
        meet(global(), Order::Release).load((2, 0), DATA).kinds(),
        [RaceKind::MissingSync],
        "a block of another cluster"
    );
    let late = both_arrive(global(), [2, 3], 0, Order::Release);
    assert_eq!(
        cluster_wait(late, 2, 0).load((2, 0), DATA).kinds(),
        [RaceKind::MissingSync],
        "another cluster's barrier"
    );
}

#[test]
fn arriving_is_not_waiting() {
    let release = Order::Release;
    let arrived = |story: Story| both_arrive(story, [0, 1], 0, release);
    let early = arrived(in_clusters().store((0, 0), DATA));
    assert_eq!(early.load((1, 0), DATA).kinds(), [RaceKind::MissingSync]);
    let between = cluster_wait(arrived(in_clusters()).store((0, 0), DATA), 1, 0);
    assert_eq!(between.load((1, 0), DATA).kinds(), [RaceKind::MissingSync]);
    let next = arrived(in_clusters()).store((0, 0), DATA);
    let next = both_arrive(cluster_wait(cluster_wait(next, 0, 0), 1, 0), [0, 1], 1, release);
    assert!(cluster_wait(next, 1, 1).load((1, 0), DATA).clean(), "the next phase passes it on");
}

#[test]
fn many_phases_keep_order() {
    let mut story = in_clusters();
    for phase in 0..20 {
        story = story.store((phase % 2, phase), DATA);
        story = both_arrive(story, [0, 1], phase, Order::Release);
        story = cluster_wait(cluster_wait(story, 0, phase), 1, phase);
    }
    assert!(story.clean());
}

#[test]
fn cluster_scope_reaches_the_cluster() {
    let handed = |reader: u32| {
        in_clusters()
            .store((0, 0), DATA)
            .strong_store((0, 0), FLAG, CLUSTER_RELEASE)
            .strong_load((reader, 0), FLAG, CLUSTER_ACQUIRE)
            .load((reader, 0), DATA)
    };
    assert!(handed(1).clean());
    assert_eq!(handed(2).kinds(), [RaceKind::Scope, RaceKind::Scope], "the flag and the data");
    let atomics = |other: u32| {
        in_clusters().atomic((0, 0), DATA, CLUSTER_RELAXED).atomic(
            (other, 0),
            DATA,
            CLUSTER_RELAXED,
        )
    };
    assert!(atomics(1).clean());
    let races = atomics(2).reported().races;
    assert_eq!(races[0].kind, RaceKind::Scope);
    assert!(races[0].reason.contains("cluster scope"), "{}", races[0].reason);
    let fenced = |scope: Scope| {
        in_clusters()
            .store((0, 0), DATA)
            .fence((0, 0), Order::AcqRel, scope)
            .strong_store((0, 0), FLAG, RELAXED)
            .strong_load((1, 0), FLAG, RELAXED)
            .fence((1, 0), Order::AcqRel, scope)
            .load((1, 0), DATA)
    };
    assert!(fenced(Scope::Cluster).clean());
    assert_eq!(fenced(Scope::Cta).kinds(), [RaceKind::Scope]);
}

#[test]
fn without_clusters_their_scope_is_the_block() {
    let atomics = |other: Who| {
        Story::new().atomic((0, 0), DATA, CLUSTER_RELAXED).atomic(other, DATA, CLUSTER_RELAXED)
    };
    assert!(atomics((0, 40)).clean());
    assert_eq!(atomics((1, 0)).kinds(), [RaceKind::Scope]);
}

#[test]
fn clusters_may_have_three_dimensions() {
    let sync = |grid: Dim3, extent: Dim3| {
        let mut threads = order::Threads::default();
        threads.begin(
            &Geometry { grid, block: Dim3::new(32, 1, 1) },
            BlockNumber(0),
            Vec::new(),
            true,
            View::default(),
        );
        threads.set_clusters(extent);
        (0..grid.count() as u32)
            .map(|block| threads.cluster(BlockNumber(block)).0)
            .collect::<Vec<_>>()
    };
    assert_eq!(sync(Dim3::new(4, 2, 1), Dim3::new(2, 2, 1)), [0, 0, 1, 1, 0, 0, 1, 1]);
    assert_eq!(sync(Dim3::new(2, 2, 2), Dim3::new(1, 1, 2)), [0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn observed_values_are_neither_asked_for_nor_taken_for_stores() {
    assert!(
        !HappensBefore::new(Settings { seed: 1, ..Settings::default() })
            .interest()
            .contains(EventMask::OBSERVATIONS)
    );
    let mut story = Story::new();
    for block in 0..2 {
        // An atomic brings what it read and what it left; a wide store has two words.
        for (kind, strength, bytes, values) in [
            (AccessKind::ReadModifyWrite, BLOCK_RELAXED, 4, [5, 5]),
            (AccessKind::Write, Strength::Weak, 16, [5, u64::from(block)]),
        ] {
            let at = MemoryOperand::global(DATA + 64 * u64::from(bytes)).bytes(bytes);
            let access = Lanes::from((block, 0)).access(kind, strength, at);
            let site = SiteId(if bytes == 4 { 1 } else { 2 });
            story = story.push(Event::Access(Access { site, values: &values, ..access }));
        }
    }
    let mut kinds = story.kinds();
    kinds.sort_by_key(|kind| format!("{kind:?}"));
    assert_eq!(kinds, [RaceKind::MissingSync, RaceKind::Scope], "no values are the same");
}
