//! Barriers that only some wait at, barriers of clusters, and shared memory of other blocks.

use super::*;

const CLUSTER_RELAXED: Strength = Strength::Strong { order: Order::Relaxed, scope: Scope::Cluster };
const CLUSTER_RELEASE: Strength = Strength::Strong { order: Order::Release, scope: Scope::Cluster };
const CLUSTER_ACQUIRE: Strength = Strength::Strong { order: Order::Acquire, scope: Scope::Cluster };

impl Story {
    /// Four blocks in two clusters of two.
    fn in_clusters() -> Story {
        let mut story = Story::new();
        story.buffer.push(Event::Clusters { extent: Dim3::new(2, 1, 1) });
        story
    }

    /// An access to shared memory of a block, perhaps another one.
    pub(super) fn shared(mut self, who: Who, owner: u32, at: u64, kind: AccessKind) -> Self {
        self.site += 1;
        let lane = 1 << (who.1 % 32);
        self.buffer.push(Event::Access(Access {
            block: BlockIndex(who.0),
            warp: who.1 / 32,
            site: SiteId(self.site),
            mask: lane,
            wrote: if kind == AccessKind::Read { 0 } else { lane },
            space: Space::Shared,
            owner: BlockIndex(owner),
            kind,
            strength: Strength::Weak,
            bytes: 4,
            elements: 1,
            addresses: LaneAddresses::Uniform(at),
            values: &[],
            versions: &[],
            read_only_path: false,
        }));
        self
    }

    fn arrive(mut self, who: Who, barrier: u32) -> Self {
        self.buffer.push(Event::BlockArrive {
            block: BlockIndex(who.0),
            warp: who.1 / 32,
            mask: 1 << (who.1 % 32),
            site: SiteId(0),
            barrier,
        });
        self
    }

    /// All 64 threads of a block arrive at the barrier of the cluster.
    fn cluster_arrive(mut self, block: u32, phase: u32, order: Order) -> Self {
        for warp in 0..2 {
            let (block, site, mask) = (BlockIndex(block), SiteId(0), u32::MAX);
            self.buffer.push(Event::ClusterArrive { block, warp, mask, site, order, phase });
        }
        self
    }

    fn cluster_wait(mut self, block: u32, phase: u32) -> Self {
        for warp in 0..2 {
            let (block, site, mask) = (BlockIndex(block), SiteId(0), u32::MAX);
            self.buffer.push(Event::ClusterWait { block, warp, mask, site, phase });
        }
        self
    }
}

/// The first warp has arrived, the second has waited.
const HALF_ARRIVED: [u64; 2] = [0xFFFF_FFFF << 32, 0xFFFF_FFFF];

#[test]
fn who_only_arrives_releases_and_does_not_acquire() {
    let before = Story::new().write((0, 0), DATA).barrier(0, HALF_ARRIVED);
    assert!(before.read((0, 40), DATA).clean(), "the arrival passes on what came before it");
    let back = Story::new().write((0, 40), DATA).barrier(0, HALF_ARRIVED);
    assert_eq!(back.read((0, 0), DATA).kinds(), [RaceKind::MissingSync]);
    let after = Story::new().barrier(0, HALF_ARRIVED).write((0, 0), DATA);
    assert_eq!(after.read((0, 40), DATA).kinds(), [RaceKind::MissingSync]);
    let waited = Story::new().write((0, 41), DATA).barrier(0, HALF_ARRIVED);
    assert!(waited.read((0, 40), DATA).clean(), "those that waited are ordered as ever");
}

#[test]
fn what_comes_between_arrival_and_completion_is_not_passed_on() {
    let participants = [1 << 32, 0xFFFF_FFFF];
    let before = Story::new().write((0, 0), DATA).arrive((0, 0), 1);
    assert!(
        before.phase(0, 1, participants).read((0, 40), DATA).clean(),
        "what came before the arrival is passed on"
    );
    let between = Story::new().arrive((0, 0), 1).write((0, 0), DATA);
    assert_eq!(
        between.phase(0, 1, participants).read((0, 40), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    let other = Story::new().write((0, 0), DATA).arrive((0, 0), 2);
    assert_eq!(
        other.phase(0, 1, [0, 0xFFFF_FFFF]).read((0, 40), DATA).kinds(),
        [RaceKind::MissingSync],
        "an arrival at another barrier"
    );
}

#[test]
fn shared_memory_belongs_to_its_owner() {
    let write = AccessKind::Write;
    let own = Story::in_clusters().shared((0, 0), 0, 64, write).shared((1, 0), 1, 64, write);
    assert!(own.clean(), "the same offset in two blocks");
    let theirs = Story::in_clusters().shared((0, 0), 1, 64, write).shared((1, 0), 1, 64, write);
    let races = theirs.tell().races;
    assert_eq!(races.len(), 1);
    assert_eq!(races[0].location.space, Space::Shared);
    assert!(races[0].advice.contains("cluster.sync()"), "{}", races[0].advice);
}

#[test]
fn a_barrier_of_the_cluster_orders_its_blocks() {
    let meet = |story: Story, order: Order| {
        let arrived = story.cluster_arrive(0, 0, order).cluster_arrive(1, 0, order);
        arrived.cluster_wait(0, 0).cluster_wait(1, 0)
    };
    let (write, read) = (AccessKind::Write, AccessKind::Read);
    let story = || Story::in_clusters().shared((0, 3), 1, 64, write);
    assert!(meet(story(), Order::Release).shared((1, 40), 1, 64, read).clean());
    assert_eq!(
        meet(story(), Order::Relaxed).shared((1, 40), 1, 64, read).kinds(),
        [RaceKind::MissingFence],
        "a relaxed arrival orders nothing"
    );
    let global = || Story::in_clusters().write((0, 3), DATA);
    assert!(meet(global(), Order::Release).read((1, 40), DATA).clean());
    assert_eq!(
        meet(global(), Order::Release).read((2, 0), DATA).kinds(),
        [RaceKind::MissingSync],
        "a block of another cluster"
    );
    let late = global().cluster_arrive(2, 0, Order::Release).cluster_arrive(3, 0, Order::Release);
    assert_eq!(
        late.cluster_wait(2, 0).read((2, 0), DATA).kinds(),
        [RaceKind::MissingSync],
        "another cluster's barrier"
    );
}

#[test]
fn arriving_is_not_waiting() {
    let release = Order::Release;
    let arrived = |story: Story| story.cluster_arrive(0, 0, release).cluster_arrive(1, 0, release);
    let early = arrived(Story::in_clusters().write((0, 0), DATA));
    assert_eq!(early.read((1, 0), DATA).kinds(), [RaceKind::MissingSync]);
    let between = arrived(Story::in_clusters()).write((0, 0), DATA).cluster_wait(1, 0);
    assert_eq!(between.read((1, 0), DATA).kinds(), [RaceKind::MissingSync]);
    let next = arrived(Story::in_clusters()).write((0, 0), DATA);
    let next = next.cluster_wait(0, 0).cluster_wait(1, 0);
    let next = next.cluster_arrive(0, 1, release).cluster_arrive(1, 1, release);
    assert!(next.cluster_wait(1, 1).read((1, 0), DATA).clean(), "the next phase passes it on");
}

#[test]
fn many_phases_keep_order() {
    let mut story = Story::in_clusters();
    for phase in 0..20 {
        story = story.write((phase % 2, phase), DATA);
        for block in 0..2 {
            story = story.cluster_arrive(block, phase, Order::Release);
        }
        story = story.cluster_wait(0, phase).cluster_wait(1, phase);
    }
    assert!(story.clean());
}

#[test]
fn cluster_scope_reaches_the_cluster() {
    let handed = |reader: u32| {
        Story::in_clusters()
            .write((0, 0), DATA)
            .strong_write((0, 0), FLAG, CLUSTER_RELEASE)
            .strong_read((reader, 0), FLAG, CLUSTER_ACQUIRE)
            .read((reader, 0), DATA)
    };
    assert!(handed(1).clean());
    assert_eq!(handed(2).kinds(), [RaceKind::Scope, RaceKind::Scope], "the flag and the data");
    let atomics = |other: u32| {
        Story::in_clusters().atomic((0, 0), DATA, CLUSTER_RELAXED).atomic(
            (other, 0),
            DATA,
            CLUSTER_RELAXED,
        )
    };
    assert!(atomics(1).clean());
    let races = atomics(2).tell().races;
    assert_eq!(races[0].kind, RaceKind::Scope);
    assert!(races[0].reason.contains("cluster scope"), "{}", races[0].reason);
    let fenced = |scope: Scope| {
        Story::in_clusters()
            .write((0, 0), DATA)
            .fence((0, 0), Order::AcqRel, scope)
            .strong_write((0, 0), FLAG, RELAXED)
            .strong_read((1, 0), FLAG, RELAXED)
            .fence((1, 0), Order::AcqRel, scope)
            .read((1, 0), DATA)
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
        let mut threads = Threads::default();
        threads.begin(&Geometry { grid, block: Dim3::new(32, 1, 1) }, 0, Vec::new());
        threads.set_clusters(extent);
        (0..grid.count() as u32).map(|block| threads.cluster(block)).collect::<Vec<_>>()
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
            story.buffer.push(Event::Access(Access {
                block: BlockIndex(block),
                warp: 0,
                site: SiteId(if bytes == 4 { 1 } else { 2 }),
                mask: 1,
                wrote: 1,
                space: Space::Global,
                owner: BlockIndex(block),
                kind,
                strength,
                bytes,
                elements: 1,
                addresses: LaneAddresses::Uniform(DATA + 64 * u64::from(bytes)),
                values: &values,
                versions: &[],
                read_only_path: false,
            }));
        }
    }
    let mut kinds = story.kinds();
    kinds.sort_by_key(|kind| format!("{kind:?}"));
    assert_eq!(kinds, [RaceKind::MissingSync, RaceKind::Scope], "no values are the same");
}
