//! From events to reports, on hand-made events.

use super::*;
use crate::last_access::story::{
    ALL, AT, CAS, EXCH, RELAXED, RELEASE, Reports, Story, WEAK, Who, counted, strong,
};
use warpsan_event::{CopyKind, Event, LaneAddresses, MbarrierStep};
use warpsan_model::{BlockIndex, Order};
use warpsan_report::{AccessType, Race, RaceKind, Severity};

mod options;
mod random;
mod reference;

const VOLATILE: Strength = Strength::Volatile;
const ONE: LaneAddresses<'static> = LaneAddresses::Uniform(AT);

/// Lanes of three warps: two of one block, one of another.
const W0: Who = (0, 0, 1);
const W1: Who = (0, 1, 1);
const OTHER: Who = (1, 0, 1);

impl Story {
    fn read(self, who: Who) -> Story {
        self.access(who, AccessKind::Read, VOLATILE, ONE)
    }

    fn write(self, who: Who) -> Story {
        self.access(who, AccessKind::Write, VOLATILE, ONE)
    }

    fn reports(self) -> (Reports, Vec<Statistic>) {
        let mut detector = Scord::new(self.settings);
        self.reports_by(&mut detector)
    }

    /// Rules, kinds and both instructions.
    fn faults(self) -> Vec<(Rule, RaceKind, u32, u32)> {
        self.reports().0.races.iter().map(fault).collect()
    }

    #[track_caller]
    fn expect_clean(self) {
        assert_eq!(self.faults(), []);
    }

    #[track_caller]
    fn expect_one(self, rule: Rule, kind: RaceKind, lines: (u32, u32)) {
        assert_eq!(self.faults(), [(rule, kind, lines.0, lines.1)]);
    }
}

fn fault(race: &Race) -> (Rule, RaceKind, u32, u32) {
    let names = |rule: &Rule| race.reason.starts_with(&format!("ScoRD, {}, ", rule.number()));
    let rule = Rule::ALL.into_iter().find(names).expect("the reason names its rule");
    (rule, race.kind, race.first.ptx_line - 1, race.second.ptx_line - 1)
}

#[test]
fn a_report_has_both_sides_the_rule_and_the_place() {
    let (address, bytes) = (DeviceAddress(AT - 8), 64);
    let story = Story::new().push(Event::Allocation { address, bytes, label: "data" });
    let (reports, _) = story.write((1, 1, 1 << 3)).read((2, 0, 1 << 4)).reports();
    let [race] = &reports.races[..] else { panic!("one race, not {}", reports.races.len()) };
    assert_eq!((race.kind, race.severity), (RaceKind::MissingFence, Severity::Error));
    assert!(
        race.reason.starts_with("ScoRD, table IV (b), a device-scope race: "),
        "{}",
        race.reason
    );
    assert_eq!((race.first.access, race.second.access), (AccessType::Write, AccessType::Read));
    assert_eq!((race.first.block.x, race.first.thread.x, race.first.warp), (1, 35, 1));
    assert_eq!((race.second.block.x, race.second.thread.x, race.second.warp), (2, 4, 0));
    assert_eq!(race.location.address, DeviceAddress(AT));
    let allocation = race.location.allocation.as_ref().expect("it lies in one");
    assert_eq!((allocation.label.as_str(), allocation.offset), ("data", 8));
    let (reports, _) = Story::new().write(W0).read(W1).reports();
    assert!(reports.races[0].reason.starts_with("ScoRD, table IV (a), a block-scope race: "));
}

#[test]
fn each_row_has_its_kind() {
    let fenced = |scope| Story::new().write(W0).fence(W0, scope);
    Story::new().write(W0).read(W1).expect_one(
        Rule::MissingBlockFence,
        RaceKind::MissingFence,
        (1, 2),
    );
    Story::new().write(W0).read(OTHER).expect_one(
        Rule::MissingDeviceFence,
        RaceKind::MissingFence,
        (1, 2),
    );
    fenced(Scope::Cta).read(OTHER).expect_one(Rule::MissingDeviceFence, RaceKind::Scope, (1, 2));
    fenced(Scope::Gpu).load(OTHER).expect_one(Rule::NotStrong, RaceKind::MissingSync, (1, 2));
    let narrow = strong(Order::Relaxed, Scope::Cta);
    let story = Story::new().access(W0, AccessKind::Reduction, narrow, ONE);
    story.atomic(OTHER).expect_one(Rule::ScopedAtomic, RaceKind::Scope, (1, 2));
}

#[test]
fn a_race_is_reported_once_and_then_counted() {
    let mut story = Story::new();
    for _ in 0..3 {
        story = story.access_of(8, W0, AccessKind::Write, VOLATILE, ONE);
        story = story.access_of(9, OTHER, AccessKind::Read, VOLATILE, ONE);
        story = story.fence(OTHER, Scope::Gpu);
    }
    let (reports, statistics) = story.reports();
    assert_eq!((reports.races.len(), reports.again), (1, 2));
    assert_eq!((counted(&statistics, "III(a)"), counted(&statistics, "IV(b)")), (1, 3));
}

#[test]
fn lanes_of_a_warp_are_one_accessor() {
    Story::new().store((0, 0, 1)).load((0, 0, 2)).store((0, 0, 4)).expect_clean();
    let (_, statistics) = Story::new().store((0, 0, 0xff)).reports();
    assert_eq!(counted(&statistics, "III(a)"), 1, "eight lanes, one location");
    let scattered = [AT + 8, AT, AT + 8, AT + 4];
    let story = Story::new();
    let story =
        story.access((0, 0, 0xf), AccessKind::Write, WEAK, LaneAddresses::PerLane(&scattered));
    assert_eq!(counted(&story.reports().1, "III(a)"), 3, "each location once");
}

#[test]
fn fences_of_any_lane_are_those_of_the_warp() {
    Story::new().write(W0).fence((0, 0, 1 << 7), Scope::Gpu).read(OTHER).expect_clean();
    Story::new().write(W0).fence(W0, Scope::Sys).read(OTHER).expect_clean();
    Story::new().write(W0).fence(W0, Scope::Cluster).read(OTHER).expect_clean();
    Story::new().write(W0).fence(W0, Scope::Cta).read(W1).expect_clean();
}

#[test]
fn a_race_with_readers_names_one_of_another_warp() {
    // Both warps of the block have read when one of them writes.
    Story::new().load(W0).load(W1).store(W1).expect_one(
        Rule::NotStrong,
        RaceKind::MissingSync,
        (1, 3),
    );
    let (reports, _) = Story::new().load(OTHER).load(W0).store(W0).reports();
    assert!(reports.races[0].reason.contains("a device-scope race"), "{}", reports.races[0].reason);
    assert_eq!(reports.races[0].first.block.x, 1);
}

#[test]
fn release_and_acquire_are_accesses_with_a_fence() {
    let flag = LaneAddresses::Uniform(AT + 64);
    let story = Story::new().write(W0).access(W0, AccessKind::Write, RELEASE, flag);
    story.read(OTHER).expect_clean();
    let story = Story::new().write(W0).access(W0, AccessKind::Write, RELAXED, flag);
    assert_eq!(story.read(OTHER).faults().len(), 1);
    // The fence of a release comes before its access, that of an acquire behind it.
    let acquire = strong(Order::Acquire, Scope::Gpu);
    let story = Story::new().access(W0, AccessKind::Write, RELEASE, ONE);
    story.read(OTHER).expect_one(Rule::MissingDeviceFence, RaceKind::MissingFence, (1, 2));
    let story = Story::new().access(W0, AccessKind::Read, acquire, ONE);
    story.write(OTHER).expect_clean();
    let both = strong(Order::AcqRel, Scope::Cta);
    let story = Story::new().access(W0, AccessKind::ReadModifyWrite, both, flag);
    story.write(W0).read(W1).expect_one(Rule::MissingBlockFence, RaceKind::MissingFence, (2, 3));
}

#[test]
fn releases_at_objects_in_shared_memory_count_as_fences() {
    let mbarrier =
        |step, order| Story::new().write(W0).mbarrier(step, order).read(W1).faults().len();
    assert_eq!(mbarrier(MbarrierStep::Arrive, Order::Release), 0);
    assert_eq!(mbarrier(MbarrierStep::Arrive, Order::Relaxed), 1);
    assert_eq!(mbarrier(MbarrierStep::Wait, Order::Acquire), 1);
    let cluster = |order| Story::new().write(W0).cluster_arrive(order).read(OTHER).faults().len();
    assert_eq!((cluster(Order::Release), cluster(Order::Relaxed)), (0, 1));
}

#[test]
fn barriers_order_what_they_are_of() {
    Story::new().store(W0).barrier(0, &[ALL, ALL]).load(W1).expect_clean();
    let part = |story: Story| story.barrier(0, &[ALL, 1]);
    part(Story::new().store(W0)).load(W1).expect_one(
        Rule::NotStrong,
        RaceKind::MissingSync,
        (1, 2),
    );
    part(Story::new().write(W0)).read(W1).expect_clean();
    let ends = Event::LanesEnd { block: BlockIndex(0), warp: 1, mask: !1 };
    part(Story::new().push(ends).store(W0)).load(W1).expect_clean();
}

#[test]
fn locks_are_inferred_for_a_warp() {
    let lock = |number: u64| LaneAddresses::Uniform(AT + 0x100 + 4 * number);
    let take = |story: Story, who: Who, number: u64, scope: Scope| {
        let strength = strong(Order::Relaxed, scope);
        let story = story.access_of(CAS, who, AccessKind::ReadModifyWrite, strength, lock(number));
        story.fence(who, scope)
    };
    let give_back = |story: Story, who: Who, number: u64, scope: Scope| {
        let strength = strong(Order::Relaxed, scope);
        let story = story.fence(who, scope);
        story.access_of(EXCH, who, AccessKind::ReadModifyWrite, strength, lock(number))
    };
    let section = |story: Story, who: Who, number: u64, scope: Scope| {
        let story = take(story, who, number, scope).read(who).write(who);
        give_back(story, who, number, scope)
    };
    let (device, block) = (Scope::Gpu, Scope::Cta);
    section(section(Story::new(), W0, 1, device), OTHER, 1, device).expect_clean();
    section(section(Story::new(), W0, 1, block), W1, 1, block).expect_clean();
    let two = section(section(Story::new(), W0, 1, device), OTHER, 2, device);
    two.expect_one(Rule::LockOnLoad, RaceKind::Lock, (2, 3));
    // Both scopes reach both warps of a block, and only one of them reaches another block.
    for (first, second) in [(block, device), (device, block)] {
        section(section(Story::new(), W0, 1, first), W1, 1, second).expect_clean();
        let two = section(section(Story::new(), W0, 1, first), W1, 2, second);
        two.expect_one(Rule::LockOnLoad, RaceKind::Lock, (2, 3));
    }
    let outside = section(section(Story::new(), W0, 1, device), OTHER, 1, block);
    outside.expect_one(Rule::LockOnLoad, RaceKind::Lock, (2, 3));
    let without = section(Story::new(), W0, 1, device).write(OTHER);
    without.expect_one(Rule::LockOnStore, RaceKind::Lock, (2, 3));
    // Locks of block scope do not keep two blocks apart.
    let narrow = section(section(Story::new(), W0, 1, block), OTHER, 1, block).faults();
    assert!(narrow.contains(&(Rule::ScopedAtomic, RaceKind::Scope, EXCH, CAS)), "{narrow:?}");
    assert!(narrow.contains(&(Rule::MissingDeviceFence, RaceKind::Scope, 2, 3)), "{narrow:?}");
}

#[test]
fn shared_memory_is_outside_but_its_releases_count() {
    Story::new().store_in_shared(W0, WEAK).store_in_shared(W1, WEAK).expect_clean();
    let release = strong(Order::Release, Scope::Cta);
    Story::new().write(W0).store_in_shared(W0, release).read(W1).expect_clean();
}

#[test]
fn a_copy_of_a_thread_is_a_weak_load() {
    let copy = |kind, space| Story::new().write(W0).fence(W0, Scope::Gpu).copy(kind, space);
    let global = copy(CopyKind::Thread, Space::Global);
    global.expect_one(Rule::NotStrong, RaceKind::MissingSync, (1, 8));
    copy(CopyKind::Thread, Space::Shared).expect_clean();
    copy(CopyKind::Bulk, Space::Global).expect_clean();
    let facts = KernelFacts { uses_bulk_copies: true, ..KernelFacts::default() };
    let said = Scord::new(Settings::default()).not_covered(&facts);
    assert!(said.is_some_and(|what| what.contains("bulk copies")));
}

#[test]
fn every_launch_begins_with_nothing_and_calls_of_the_host_are_none() {
    Story::new().write(W0).launch(1).write(OTHER).expect_clean();
    let story = Story::new().fence(W0, Scope::Gpu).launch(1).write(W0);
    assert_eq!(story.read(OTHER).faults().len(), 1, "fences are forgotten, too");
    Story::new().host_call(1).write(W0).write(OTHER).expect_clean();
}
