//! From events to reports, on hand-made events.

use super::*;
use crate::last_access::story::{
    ALL, AT, CAS, EXCH, RELAXED, RELEASE, Reports, Story, WEAK, Who, counted, strong,
};
use warpsan_event::{CopyKind, Event, MbarrierStep};
use warpsan_model::{BlockIndex, DeviceAddress, Order};
use warpsan_report::{AccessType, Race, RaceKind, Severity, Treatment};

impl Story {
    fn end(self) -> (Reports, Vec<Statistic>) {
        let mut detector = Iguard::new(self.settings);
        self.reports_by(&mut detector)
    }

    fn races(self) -> Vec<(Rule, u32, u32)> {
        let rule = |race: &Race| {
            let found = Rule::ALL.into_iter().find(|rule| race.reason.starts_with(rule.number()));
            found.expect("the reason names its rule")
        };
        let one = |race: &Race| (rule(race), race.first.ptx_line - 1, race.second.ptx_line - 1);
        self.end().0.races.iter().map(one).collect()
    }
}

#[test]
fn a_report_has_both_sides_the_rule_and_the_place() {
    let label = "data";
    let (address, bytes) = (DeviceAddress(AT - 8), 64);
    let story = Story::new().push(Event::Allocation { address, bytes, label });
    let (reports, _) = story.store((1, 1, 1 << 3)).load((2, 0, 1 << 4)).end();
    let [race] = &reports.races[..] else { panic!("one race, not {}", reports.races.len()) };
    assert_eq!((race.kind, race.severity), (RaceKind::MissingSync, Severity::Error));
    assert!(race.reason.starts_with("R4: "), "{}", race.reason);
    assert_eq!((race.first.access, race.second.access), (AccessType::Write, AccessType::Read));
    assert_eq!((race.first.block.x, race.first.thread.x, race.first.warp), (1, 35, 1));
    assert_eq!((race.second.block.x, race.second.thread.x, race.second.warp), (2, 4, 0));
    assert_eq!(race.location.address, DeviceAddress(AT));
    let allocation = race.location.allocation.as_ref().expect("it lies in one");
    assert_eq!((allocation.label.as_str(), allocation.offset), ("data", 8));
}

#[test]
fn each_kind_of_race_has_its_kind() {
    let cases = [
        (Rule::R1, RaceKind::Scope),
        (Rule::R2, RaceKind::WarpSync),
        (Rule::R3, RaceKind::MissingSync),
        (Rule::R4, RaceKind::MissingSync),
        (Rule::R5, RaceKind::Lock),
    ];
    for (rule, kind) in cases {
        assert_eq!(messages::kind(rule), kind);
        let severity = [Treatment::Error, Treatment::Warn, Treatment::Allow]
            .map(|treatment| messages::severity(rule, treatment));
        let by_treatment = [Some(Severity::Error), Some(Severity::Warning), None];
        let expected = if rule == Rule::R2 { by_treatment } else { [Some(Severity::Error); 3] };
        assert_eq!(severity, expected);
    }
}

#[test]
fn a_race_is_reported_once_and_then_counted() {
    let mut story = Story::new().store((0, 0, 1));
    for block in 1..4 {
        let at = LaneAddresses::Uniform(AT);
        story = story.access_of(9, (block, 0, 1), AccessKind::Read, WEAK, at);
    }
    let (reports, statistics) = story.end();
    assert_eq!((reports.races.len(), reports.again), (1, 2));
    assert_eq!((counted(&statistics, "P1"), counted(&statistics, "R4")), (1, 3));
}

#[test]
fn races_in_a_warp_are_treated_as_asked() {
    let racy = || Story::new().store((0, 0, 1)).load((0, 0, 2));
    assert_eq!(racy().races(), [(Rule::R2, 1, 2)]);
    let mut allowed = racy();
    allowed.settings.warp_sync = Treatment::Allow;
    let (reports, statistics) = allowed.end();
    assert_eq!((reports.races.len(), reports.again, counted(&statistics, "R2")), (0, 0, 1));
}

#[test]
fn one_lane_checks_for_all_that_load_or_update_one_address() {
    let counts = |coalescing: bool| {
        let mut story = Story::new();
        story.settings.iguard.coalescing = coalescing;
        let story = story.load((0, 0, 0xff)).atomic((0, 0, 0xff)).store((0, 0, 0xff));
        let (reports, statistics) = story.end();
        assert!(reports.races.is_empty());
        let rules = ["P1", "P2", "P3", "P4", "accesses that another lane"];
        rules.map(|name| counted(&statistics, name))
    };
    // Lanes of a store are always checked one by one.
    assert_eq!(counts(true), [1, 0, 2, 7, 14]);
    assert_eq!(counts(false), [1, 7, 0, 16, 0]);
}

#[test]
fn a_wide_access_touches_every_granule_and_neighbours_share_one() {
    let at = |first| LaneAddresses::Strided { first, stride: 16 };
    let wide = |first| {
        let mut access = Story::new();
        access = access.store((0, 0, 1));
        access.access((1, 0, 0b11), AccessKind::Write, WEAK, at(first))
    };
    assert_eq!(wide(AT - 16).races().len(), 1, "lane 1 is there");
    assert_eq!(wide(AT - 2).races().len(), 1, "it overlaps");
    assert_eq!(wide(AT + 4).races().len(), 0);
    let mut coarse = wide(AT + 4);
    coarse.settings.iguard.granularity = 8.try_into().expect("a choice");
    assert_eq!(coarse.races().len(), 1, "eight bytes are one location");
    let bytes = |granularity: u8| {
        let mut story = Story::new().store((0, 0, 1));
        story.settings.iguard.granularity = granularity.try_into().expect("a choice");
        story.access((1, 0, 1), AccessKind::Read, WEAK, LaneAddresses::Uniform(AT + 3)).races()
    };
    assert_eq!(bytes(1).len(), 1, "byte 3 is one of both");
}

#[test]
fn a_release_counts_as_a_fence_before_its_own_access() {
    let flag = LaneAddresses::Uniform(AT + 64);
    let writer = || Story::new().store((0, 0, 1));
    let story = writer().access((0, 0, 1), AccessKind::Write, RELEASE, flag);
    assert_eq!(story.load((1, 0, 1)).races(), []);
    let story = writer().access((0, 0, 1), AccessKind::Write, RELAXED, flag);
    assert_eq!(story.load((1, 0, 1)).races(), [(Rule::R4, 1, 3)]);
    let narrow = strong(Order::Release, Scope::Cluster);
    let story = writer().access((0, 0, 1), AccessKind::Write, narrow, flag);
    assert_eq!(story.load((1, 0, 1)).races(), [(Rule::R4, 1, 3)], "a cluster is taken for a block");
    let story = writer().access((0, 0, 1), AccessKind::Write, narrow, flag);
    assert_eq!(story.load((0, 1, 1)).races(), []);
    let story = writer().access((0, 0, 1), AccessKind::Write, RELEASE, flag);
    let poll = story.access((1, 0, 1), AccessKind::Read, strong(Order::Acquire, Scope::Gpu), flag);
    assert_eq!(poll.races(), [(Rule::R4, 2, 3)], "the flag itself is written after the fence");
}

#[test]
fn all_lanes_of_a_release_have_fenced_before_one_is_checked() {
    // Lane 1 read last. Lane 0 is checked first; that lane 1 has released as well counts already.
    let one = LaneAddresses::Uniform(AT);
    let story = Story::new().load((0, 1, 1)).load((0, 0, 2));
    let story = story.access((0, 0, 0b11), AccessKind::Write, RELEASE, one);
    // Lane 1 then finds the store of lane 0, by which nobody has fenced since.
    assert_eq!(story.races(), [(Rule::R3, 3, 3)]);
}

#[test]
fn releases_at_objects_in_shared_memory_count_as_fences() {
    let mbarrier = |step, order| {
        Story::new().store((0, 0, 1)).mbarrier(step, order).load((0, 1, 1)).races().len()
    };
    assert_eq!(mbarrier(MbarrierStep::Arrive, Order::Release), 0);
    assert_eq!(mbarrier(MbarrierStep::ArriveDrop, Order::Release), 0);
    assert_eq!(mbarrier(MbarrierStep::Arrive, Order::Relaxed), 1);
    assert_eq!(mbarrier(MbarrierStep::Wait, Order::Acquire), 1);
    let cluster =
        |order| Story::new().store((0, 0, 1)).cluster_arrive(order).load((1, 0, 1)).races().len();
    assert_eq!((cluster(Order::Release), cluster(Order::Relaxed)), (0, 1));
}

#[test]
fn shared_memory_is_not_looked_at_but_its_releases_count() {
    let story = Story::new().store_in_shared((0, 0, 1), WEAK);
    assert_eq!(story.store_in_shared((0, 1, 1), WEAK).races(), []);
    let release = strong(Order::Release, Scope::Cta);
    let story = Story::new().store((0, 0, 1)).store_in_shared((0, 0, 1), release);
    assert_eq!(story.load((0, 1, 1)).races(), []);
}

#[test]
fn barriers_order_what_they_are_of() {
    let handed_over = |participants: &[u64]| {
        Story::new().store((0, 0, 1)).barrier(0, participants).load((0, 1, 1)).races().len()
    };
    assert_eq!(handed_over(&[ALL, ALL]), 0);
    assert_eq!(handed_over(&[ALL, 1]), 1, "a part of the block");
    assert_eq!(handed_over(&[ALL, ALL << 32]), 1, "who only arrives does not wait");
    let ends = Event::LanesEnd { block: BlockIndex(0), warp: 1, mask: !1 };
    let story = Story::new().push(ends).store((0, 0, 1)).barrier(0, &[ALL, 1]);
    assert_eq!(story.load((0, 1, 1)).races(), [], "all that have not ended");
    let in_a_warp = Story::new().store((0, 0, 1)).barrier(0, &[ALL, 0]).load((0, 0, 2));
    assert_eq!(in_a_warp.races(), [], "a part of the block counts for its warps");
    let (block, warp, mask) = (BlockIndex(0), 0, 0b11);
    let met = Story::new().store((0, 0, 1)).push(Event::WarpBarrier { block, warp, mask });
    assert_eq!(met.load((0, 0, 2)).races(), []);
}

#[test]
fn locks_are_inferred_for_a_warp_and_for_threads() {
    let take = |story: Story, who: Who, at: LaneAddresses<'_>| {
        let story = story.access_of(CAS, who, AccessKind::ReadModifyWrite, RELAXED, at);
        story.fence(who, Scope::Gpu)
    };
    let give_back = |story: Story, who: Who, at: LaneAddresses<'_>| {
        let story = story.fence(who, Scope::Gpu);
        story.access_of(EXCH, who, AccessKind::ReadModifyWrite, RELAXED, at)
    };
    let lock = |number: u64| LaneAddresses::Uniform(AT + 0x100 * number);
    let section = |story: Story, who: Who, number: u64| {
        let story = take(story, who, lock(number)).store(who);
        give_back(story, who, lock(number))
    };
    let same = section(section(Story::new(), (0, 0, 1), 1), (1, 0, 1), 1);
    assert_eq!(same.races(), []);
    let other = section(section(Story::new(), (0, 0, 1), 1), (1, 0, 1), 2);
    assert_eq!(other.races(), [(Rule::R5, 1, 2)]);
    let without = section(Story::new(), (0, 0, 1), 1).store((1, 0, 1));
    assert_eq!(without.races(), [(Rule::R5, 1, 2)]);
    // Figure 9: two lanes of a warp, each with its own lock, one location. Another warp was there before, so that
    // lockstep does not save them.
    let own = LaneAddresses::PerLane(&[AT + 0x100, AT + 0x200]);
    let story = take(Story::new().load((0, 1, 1)).fence((0, 1, 1), Scope::Gpu), (0, 0, 0b11), own);
    let story = story.store((0, 0, 1)).fence((0, 0, 1), Scope::Gpu).store((0, 0, 2));
    assert!(story.races().contains(&(Rule::R5, 2, 3)));
}

#[test]
fn a_copy_of_a_thread_is_a_load() {
    let races = |kind, space| Story::new().store((0, 0, 1)).copy(kind, space).races();
    assert_eq!(races(CopyKind::Thread, Space::Global), [(Rule::R4, 1, 8)]);
    assert_eq!(races(CopyKind::Thread, Space::Shared), []);
    assert_eq!(races(CopyKind::Bulk, Space::Global), []);
}

#[test]
fn bulk_copies_are_not_covered() {
    let detector = Iguard::new(Settings::default());
    let facts = KernelFacts { uses_async_copies: true, ..KernelFacts::default() };
    assert_eq!(detector.not_covered(&facts), None);
    let facts = KernelFacts { uses_bulk_copies: true, ..facts };
    assert!(detector.not_covered(&facts).is_some_and(|what| what.contains("bulk copies")));
}

#[test]
fn every_launch_begins_with_nothing() {
    let story = Story::new().store((0, 0, 1)).launch(1).store((1, 0, 1));
    assert_eq!(story.races(), []);
    let (reports, _) = Story::new().store((0, 0, 1)).load((1, 0, 1)).launch(1).end();
    assert_eq!(reports.races.len(), 1);
    // Fences of an earlier launch are forgotten as well.
    let story = Story::new().fence((0, 0, 1), Scope::Gpu).launch(1).store((0, 0, 1));
    assert_eq!(story.load((1, 0, 1)).races().len(), 1);
}

#[test]
fn calls_of_the_host_are_no_launches() {
    let story = Story::new().host_call(1).store((0, 0, 1)).store((1, 0, 1));
    let (reports, statistics) = story.end();
    assert_eq!((reports.races.len(), counted(&statistics, "P1")), (0, 0));
}

#[test]
fn a_history_finds_readers_that_others_hide() {
    let hidden = |history: u8| {
        let story = Story::new().load((0, 0, 1)).load((1, 0, 1)).fence((1, 0, 1), Scope::Gpu);
        let mut story = story.store((2, 0, 1));
        story.settings.iguard.history = history.try_into().expect("a choice");
        story.races()
    };
    assert_eq!(hidden(1), []);
    assert_eq!(hidden(2), [(Rule::R4, 1, 3)]);
    assert_eq!(hidden(8), [(Rule::R4, 1, 3)]);
}

#[test]
fn there_is_a_counter_for_each_rule() {
    let (_, statistics) = Story::new().end();
    for rule in Rule::ALL {
        assert_eq!(counted(&statistics, rule.number()), 0);
    }
}
