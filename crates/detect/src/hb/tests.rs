//! Each consequence of the model, on hand-made events: no engine, no kernel.

mod barriers;
mod launches;
mod warps;

use super::*;
use warpsan_event::{EventBuffer, LaneAddresses, Site};
use warpsan_model::Space;
use warpsan_report::{NotCovered, Race, Severity};

#[derive(Default)]
struct Found {
    races: Vec<Race>,
    again: u64,
}

impl RaceSink for Found {
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

const RELAXED: Strength = Strength::Strong { order: Order::Relaxed, scope: Scope::Gpu };
const BLOCK_RELAXED: Strength = Strength::Strong { order: Order::Relaxed, scope: Scope::Cta };
const RELEASE: Strength = Strength::Strong { order: Order::Release, scope: Scope::Gpu };
const ACQUIRE: Strength = Strength::Strong { order: Order::Acquire, scope: Scope::Gpu };

/// Four blocks of 64 threads, and what they do, one thread at a time.
struct Story {
    buffer: EventBuffer,
    site: u32,
    sites: Arc<SiteTable>,
}

fn begin(buffer: &mut EventBuffer, launch: u32, sites: &Arc<SiteTable>) {
    buffer.push(Event::LaunchBegin {
        launch: LaunchId(launch),
        facts: &Arc::default(),
        sites,
        geometry: Geometry { grid: Dim3::new(4, 1, 1), block: Dim3::new(64, 1, 1) },
    });
}

/// A thread by block and number.
type Who = (u32, u32);

impl Story {
    fn new() -> Story {
        let site = Site { instruction: "ld".into(), ptx_line: 1, frames: Vec::new() };
        let sites = (0..64).map(|line| Site { ptx_line: line, ..site.clone() }).collect();
        let mut buffer = EventBuffer::new();
        let sites = Arc::new(SiteTable { sites });
        begin(&mut buffer, 0, &sites);
        Story { buffer, site: 0, sites }
    }

    /// Another launch of the kernel begins.
    fn begin(mut self, launch: u32) -> Story {
        begin(&mut self.buffer, launch, &self.sites);
        self
    }

    fn push(&mut self, who: Who, at: u64, bytes: u8, kind: AccessKind, strength: Strength) {
        self.push_value(who, at, bytes, kind, strength, 0);
    }

    fn push_value(
        &mut self,
        who: Who,
        at: u64,
        bytes: u8,
        kind: AccessKind,
        strength: Strength,
        value: u64,
    ) {
        self.site += 1;
        let lane = who.1 % 32;
        let writes = kind != AccessKind::Read;
        let stored = [value];
        self.buffer.push(Event::Access(Access {
            block: BlockIndex(who.0),
            warp: who.1 / 32,
            site: SiteId(self.site),
            mask: 1 << lane,
            wrote: if writes { 1 << lane } else { 0 },
            space: Space::Global,
            owner: BlockIndex(who.0),
            kind,
            strength,
            bytes,
            elements: 1,
            addresses: LaneAddresses::Uniform(at),
            values: if kind == AccessKind::Write { &stored[..] } else { &[] },
            versions: &[],
            read_only_path: false,
        }));
    }

    fn write(mut self, who: Who, at: u64) -> Self {
        let value = u64::from(self.site);
        self.push_write(who, at, value);
        self
    }

    fn push_write(&mut self, who: Who, at: u64, value: u64) {
        self.push_value(who, at, 4, AccessKind::Write, Strength::Weak, value);
    }

    fn read(mut self, who: Who, at: u64) -> Self {
        self.push(who, at, 4, AccessKind::Read, Strength::Weak);
        self
    }

    fn strong_read(mut self, who: Who, at: u64, strength: Strength) -> Self {
        self.push(who, at, 4, AccessKind::Read, strength);
        self
    }

    fn strong_write(mut self, who: Who, at: u64, strength: Strength) -> Self {
        self.push(who, at, 4, AccessKind::Write, strength);
        self
    }

    fn atomic(mut self, who: Who, at: u64, strength: Strength) -> Self {
        self.push(who, at, 4, AccessKind::ReadModifyWrite, strength);
        self
    }

    fn reduction(mut self, who: Who, at: u64, strength: Strength) -> Self {
        self.push(who, at, 4, AccessKind::Reduction, strength);
        self
    }

    fn fence(mut self, who: Who, order: Order, scope: Scope) -> Self {
        self.buffer.push(Event::Fence {
            block: BlockIndex(who.0),
            warp: who.1 / 32,
            mask: 1 << (who.1 % 32),
            site: SiteId(0),
            order,
            scope,
        });
        self
    }

    fn barrier(self, block: u32, participants: [u64; 2]) -> Self {
        self.phase(block, 0, participants)
    }

    fn phase(mut self, block: u32, barrier: u32, participants: [u64; 2]) -> Self {
        self.buffer.push(Event::BlockBarrier {
            block: BlockIndex(block),
            barrier,
            participants: &participants,
        });
        self
    }

    fn tell(mut self) -> Found {
        self.buffer.push(Event::LaunchEnd { launch: LaunchId(0) });
        let mut found = Found::default();
        HappensBefore::new(Settings { seed: 1, ..Settings::default() })
            .batch(&self.buffer.batch(), &mut found);
        found
    }

    fn kinds(self) -> Vec<RaceKind> {
        self.tell().races.iter().map(|race| race.kind).collect()
    }

    fn clean(self) -> bool {
        self.kinds().is_empty()
    }
}

const ALL: [u64; 2] = [0xFFFF_FFFF; 2];
const DATA: u64 = 0x1000;
const FLAG: u64 = 0x2000;

#[test]
fn two_threads_of_a_block_need_a_barrier() {
    assert_eq!(
        Story::new().write((0, 0), DATA).read((0, 40), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    assert!(Story::new().write((0, 0), DATA).barrier(0, ALL).read((0, 40), DATA).clean());
    assert!(Story::new().read((0, 0), DATA).read((0, 40), DATA).clean());
    assert_eq!(
        Story::new().read((0, 0), DATA).write((0, 40), DATA).kinds(),
        [RaceKind::MissingSync]
    );
}

#[test]
fn a_barrier_orders_its_participants_only() {
    let partly = [0xFFFF_FFFF, 0x0000_FFFF];
    assert!(Story::new().write((0, 0), DATA).barrier(0, partly).read((0, 40), DATA).clean());
    assert_eq!(
        Story::new().write((0, 0), DATA).barrier(0, partly).read((0, 60), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    assert_eq!(
        Story::new().write((0, 60), DATA).barrier(0, partly).read((0, 0), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    assert_eq!(
        Story::new().write((0, 0), DATA).barrier(0, ALL).barrier(1, ALL).read((1, 0), DATA).kinds(),
        [RaceKind::MissingSync]
    );
}

#[test]
fn the_lanes_of_a_warp_are_threads_like_any_others() {
    let races = Story::new().write((0, 0), DATA).read((0, 1), DATA).tell().races;
    assert_eq!(races[0].kind, RaceKind::Divergence, "the masks are apart");
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
        Story::new().atomic((0, 0), DATA, RELAXED).read((1, 0), DATA).kinds(),
        [RaceKind::MissingSync]
    );
    assert_eq!(
        Story::new().read((1, 0), DATA).atomic((0, 0), DATA, RELAXED).kinds(),
        [RaceKind::MissingSync]
    );
}

#[test]
fn a_weak_access_is_compared_with_all_atomics_before_it() {
    // The newest atomic is the reader's own; the other is still unordered, but was observed by it.
    let observed = Story::new().atomic((0, 0), DATA, RELAXED).atomic((1, 0), DATA, RELAXED);
    assert!(observed.read((1, 0), DATA).clean(), "observation orders the same address");
    let reduced = Story::new().atomic((0, 0), DATA, RELAXED).reduction((1, 0), DATA, RELAXED);
    assert_eq!(reduced.read((1, 0), DATA).kinds(), [RaceKind::MissingSync], "red observes nothing");
}

#[test]
fn a_counter_is_no_flag_for_its_own_start_value() {
    // The other block comes back to the counter after it has observed an addition of the one that stored the start value.
    let started = Story::new().write((0, 0), DATA).atomic((0, 0), DATA, RELAXED);
    let counted = started.atomic((1, 0), DATA, RELAXED).atomic((1, 0), DATA, RELAXED);
    assert_eq!(counted.kinds(), [RaceKind::MissingSync; 2]);
}

#[test]
fn a_flag_hands_data_over_with_fences_or_release_and_acquire() {
    let handed = |write: Strength, read: Strength| {
        Story::new()
            .write((0, 0), DATA)
            .strong_write((0, 0), FLAG, write)
            .strong_read((1, 0), FLAG, read)
            .read((1, 0), DATA)
    };
    assert!(handed(RELEASE, ACQUIRE).clean());
    assert_eq!(handed(RELAXED, ACQUIRE).kinds(), [RaceKind::MissingFence]);
    assert_eq!(handed(RELEASE, RELAXED).kinds(), [RaceKind::MissingFence]);
    let fenced = |scope: Scope, order: Order| {
        Story::new()
            .write((0, 0), DATA)
            .fence((0, 0), Order::SeqCst, scope)
            .strong_write((0, 0), FLAG, RELAXED)
            .strong_read((1, 0), FLAG, RELAXED)
            .fence((1, 0), order, scope)
            .read((1, 0), DATA)
    };
    assert!(fenced(Scope::Gpu, Order::AcqRel).clean());
    assert_eq!(fenced(Scope::Cta, Order::AcqRel).kinds(), [RaceKind::Scope]);
    assert_eq!(fenced(Scope::Gpu, Order::Release).kinds(), [RaceKind::MissingFence]);
}

#[test]
fn what_comes_after_the_release_is_not_handed_over() {
    let late = Story::new()
        .strong_write((0, 0), FLAG, RELEASE)
        .write((0, 0), DATA)
        .strong_read((1, 0), FLAG, ACQUIRE)
        .read((1, 0), DATA);
    assert_eq!(late.kinds(), [RaceKind::MissingSync]);
}

#[test]
fn a_chain_of_atomics_carries_a_release_and_a_plain_store_ends_it() {
    let start = || Story::new().write((0, 0), DATA).strong_write((0, 0), FLAG, RELEASE);
    let chained = start().atomic((1, 0), FLAG, RELAXED).strong_read((2, 0), FLAG, ACQUIRE);
    assert!(chained.read((2, 0), DATA).clean());
    let replaced = start().strong_write((1, 0), FLAG, RELAXED).strong_read((2, 0), FLAG, ACQUIRE);
    assert_eq!(replaced.read((2, 0), DATA).kinds(), [RaceKind::MissingSync]);
}

#[test]
fn a_reduction_followed_by_a_fence_acquires_nothing() {
    let story = Story::new()
        .write((0, 0), DATA)
        .strong_write((0, 0), FLAG, RELEASE)
        .reduction((1, 0), FLAG, RELAXED)
        .fence((1, 0), Order::AcqRel, Scope::Gpu)
        .read((1, 0), DATA);
    assert_eq!(story.kinds(), [RaceKind::MissingSync]);
}

#[test]
fn a_barrier_passes_on_what_one_thread_acquired() {
    let story = Story::new()
        .write((0, 40), DATA)
        .barrier(0, ALL)
        .strong_write((0, 0), FLAG, RELEASE)
        .strong_read((1, 0), FLAG, ACQUIRE)
        .barrier(1, ALL)
        .read((1, 50), DATA);
    assert!(story.clean());
}

#[test]
fn neighbouring_bytes_do_not_race_and_partial_overlap_does() {
    let bytes = |at: u64| {
        let mut story = Story::new();
        story.push((0, 0), DATA, 1, AccessKind::Write, Strength::Weak);
        story.push((1, 0), at, 1, AccessKind::Write, Strength::Weak);
        story
    };
    assert!(bytes(DATA + 1).clean());
    assert_eq!(bytes(DATA).kinds(), [RaceKind::SameValue]);
    let mut mixed = Story::new();
    mixed.push((0, 0), DATA, 8, AccessKind::ReadModifyWrite, RELAXED);
    mixed.push((1, 0), DATA + 4, 4, AccessKind::ReadModifyWrite, RELAXED);
    assert_eq!(mixed.kinds(), [RaceKind::MixedSize]);
}

#[test]
fn volatile_accesses_are_a_warning() {
    let story = Story::new().strong_write((0, 0), FLAG, Strength::Volatile);
    let races = story.strong_read((1, 0), FLAG, Strength::Volatile).tell().races;
    assert_eq!((races[0].kind, races[0].severity), (RaceKind::Volatile, Severity::Warning));
}

#[test]
fn one_instruction_that_writes_one_value_twice_is_information() {
    let twice = |values: &[u64]| {
        let mut story = Story::new();
        story.buffer.push(Event::Access(Access {
            block: BlockIndex(0),
            warp: 0,
            site: SiteId(1),
            mask: 3,
            wrote: 3,
            space: Space::Shared,
            owner: BlockIndex(0),
            kind: AccessKind::Write,
            strength: Strength::Weak,
            bytes: 4,
            elements: 1,
            addresses: LaneAddresses::Uniform(0),
            values,
            versions: &[],
            read_only_path: false,
        }));
        let races = story.tell().races;
        (races[0].kind, races[0].severity)
    };
    assert_eq!(twice(&[5, 5]), (RaceKind::SameValue, Severity::Info));
    assert_eq!(twice(&[5, 6]), (RaceKind::MissingSync, Severity::Error));
}

#[test]
fn the_end_of_a_kernel_orders_everything() {
    let mut story = Story::new().write((0, 0), DATA);
    story.buffer.push(Event::LaunchEnd { launch: LaunchId(0) });
    story = story.begin(1);
    assert!(story.read((1, 0), DATA).clean());
}

#[test]
fn a_race_that_occurs_often_is_reported_once_and_counted() {
    let mut story = Story::new();
    for round in 0..10 {
        story.site = 0;
        story.push_write((0, 0), DATA + 64 * round, round);
        story.push_write((1, 0), DATA + 64 * round, round + 100);
    }
    let found = story.tell();
    assert_eq!((found.races.len(), found.again), (1, 9));
}

#[test]
fn what_is_information_does_not_hide_an_error() {
    let mut story = Story::new();
    story.push_write((0, 0), DATA, 1);
    story.push_write((1, 0), DATA, 1);
    let races = story.tell().races;
    assert_eq!((races[0].kind, races[0].severity), (RaceKind::SameValue, Severity::Error));
    // Two lanes of one store write one value; so does another block. The second is an error, also
    // where both are the same instruction.
    let mut story = Story::new();
    for block in 0..2 {
        story.buffer.push(Event::Access(Access {
            block: BlockIndex(block),
            warp: 0,
            site: SiteId(1),
            mask: 3,
            wrote: 3,
            space: Space::Global,
            owner: BlockIndex(block),
            kind: AccessKind::Write,
            strength: Strength::Weak,
            bytes: 4,
            elements: 1,
            addresses: LaneAddresses::Uniform(DATA),
            values: &[5, 5],
            versions: &[],
            read_only_path: false,
        }));
    }
    let told: Vec<_> = story.tell().races.iter().map(|race| (race.kind, race.severity)).collect();
    assert!(told.contains(&(RaceKind::SameValue, Severity::Info)), "{told:?}");
    assert!(told.contains(&(RaceKind::SameValue, Severity::Error)), "{told:?}");
    // A read of the own warp is a warning at most, one of another block is an error.
    let both = Story::new().read((0, 1), DATA).read((1, 0), DATA).write((0, 0), DATA).tell().races;
    assert!(both.iter().any(|race| race.severity == Severity::Error));
}

#[test]
fn an_acquire_that_reads_the_released_location_is_ordered_itself() {
    let story = Story::new().write((0, 0), FLAG).strong_write((0, 0), FLAG, RELEASE).strong_read(
        (1, 0),
        FLAG,
        ACQUIRE,
    );
    assert!(story.clean());
}

#[test]
fn a_strong_read_observes_for_a_later_weak_read() {
    let story = Story::new().strong_write((0, 0), FLAG, RELAXED).strong_read((1, 0), FLAG, RELAXED);
    assert!(story.read((1, 0), FLAG).clean());
}

#[test]
fn a_plain_store_hides_the_writes_before_it() {
    let story = Story::new()
        .atomic((0, 0), FLAG, RELAXED)
        .strong_write((1, 40), FLAG, RELAXED)
        .strong_read((1, 0), FLAG, RELAXED);
    let races = story.write((1, 0), FLAG).kinds();
    assert_eq!(races, [RaceKind::MissingSync], "nobody observed the atomic");
}

#[test]
fn an_observer_is_not_forgotten_for_a_later_reduction() {
    let story = Story::new()
        .reduction((0, 0), DATA, RELAXED)
        .atomic((1, 0), DATA, RELAXED)
        .reduction((1, 0), DATA, RELAXED);
    assert!(story.write((1, 0), DATA).clean());
}

#[test]
fn a_release_goes_on_with_later_writes_of_its_thread_to_the_location() {
    let story = Story::new()
        .write((0, 0), DATA)
        .reduction((0, 0), FLAG, RELEASE)
        .strong_write((0, 0), FLAG, RELAXED)
        .strong_read((1, 0), FLAG, ACQUIRE);
    assert!(story.read((1, 0), DATA).clean());
}

#[test]
fn an_acquire_takes_what_earlier_reads_of_the_location_observed() {
    let story = Story::new()
        .write((0, 0), DATA)
        .strong_write((0, 0), FLAG, RELEASE)
        .strong_read((1, 0), FLAG, RELAXED)
        .strong_write((2, 0), FLAG, RELAXED)
        .strong_read((1, 0), FLAG, ACQUIRE);
    assert!(story.read((1, 0), DATA).clean());
}
