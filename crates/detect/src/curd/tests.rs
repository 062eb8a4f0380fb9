//! Small stories: what threads of four blocks of 64 do between barriers.

mod random;

use super::*;
use crate::last_access::story::{ALL, AT, RELAXED, Reports, Story, WEAK, Who, counted};
use warpsan_event::LaneAddresses;
use warpsan_event::testing::Kernel;
use warpsan_model::{BlockIndex, Scope, Space, Strength};
use warpsan_report::{Race, RaceKind, Severity, Treatment};

/// Lanes 0 and 1 of the first warp, one of the second warp, and one of another block.
const A: Who = (0, 0, 1);
const B: Who = (0, 0, 2);
const WARP: Who = (0, 0, u32::MAX);
const OTHER_WARP: Who = (0, 1, 1);
const OTHER_BLOCK: Who = (1, 0, 1);

fn settings(inter_block: InterBlock) -> Settings {
    let curd = CurdSettings { inter_block, ..CurdSettings::default() };
    Settings { curd, warp_sync: SPECIFICATION.warp_sync, ..Settings::default() }
}

/// What both schemes say, which has to be the same.
fn reports(story: impl Fn() -> Story) -> Reports {
    let by = |scheme| story().reports_by(&mut Curd::new(settings(scheme))).0;
    let (lazy, eager) = (by(InterBlock::Lazy), by(InterBlock::Eager));
    assert_eq!(lazy.races, eager.races);
    assert_eq!(lazy.not_checked, eager.not_checked);
    lazy
}

fn expect_clean(story: impl Fn() -> Story) {
    let reports = reports(story);
    assert!(reports.races.is_empty() && reports.not_checked.is_empty(), "{:?}", reports.races);
}

fn expect_one(story: impl Fn() -> Story, kind: RaceKind, reason: &str) -> Race {
    let mut reports = reports(story);
    assert_eq!(reports.races.len(), 1, "{:?}", reports.races);
    assert!(reports.not_checked.is_empty());
    let race = reports.races.remove(0);
    assert_eq!((race.kind, race.reason.contains(reason)), (kind, true), "{}", race.reason);
    race
}

#[test]
fn two_warps_between_the_same_barriers_race() {
    let race = expect_one(
        || Story::new().store(A).load(OTHER_WARP),
        RaceKind::MissingSync,
        "CURD, an intra-block race",
    );
    assert_eq!((race.first.thread.x, race.second.thread.x), (0, 32));
    assert_eq!((race.first.ptx_line, race.second.ptx_line), (2, 3));
    assert_eq!((race.severity, race.location.address.0), (Severity::Error, AT));
    let either_order = || Story::new().load(OTHER_WARP).store(A);
    expect_one(either_order, RaceKind::MissingSync, "intra-block");
    expect_one(|| Story::new().store(A).store(OTHER_WARP), RaceKind::MissingSync, "intra-block");
    expect_clean(|| Story::new().load(A).load(OTHER_WARP));
    expect_clean(|| Story::new().store(A).load(A).store(A));
}

#[test]
fn a_barrier_of_the_block_is_between() {
    expect_clean(|| Story::new().store(A).barrier(0, &[ALL, ALL]).load(OTHER_WARP));
    // That of another block is not.
    let other = || Story::new().store(A).barrier(1, &[ALL, ALL]).load(OTHER_WARP);
    expect_one(other, RaceKind::MissingSync, "intra-block");
    // Threads that have ended are not waited for, and what they did is compared with the others.
    let ended = |story: Story| {
        story.push(Event::LanesEnd { block: BlockIndex(0), warp: 1, mask: u32::MAX })
    };
    expect_clean(|| ended(Story::new().store(OTHER_WARP)).barrier(0, &[ALL, 0]).load(A));
    let raced = || ended(Story::new().store(OTHER_WARP)).load(A).barrier(0, &[ALL, 0]);
    expect_one(raced, RaceKind::MissingSync, "intra-block");
}

#[test]
fn lanes_of_a_warp_are_a_warning() {
    let race = expect_one(|| Story::new().store(A).load(B), RaceKind::WarpSync, "within a warp");
    assert_eq!(race.severity, Severity::Warning);
    assert_eq!((race.first.thread.x, race.second.thread.x), (0, 1));
    expect_one(|| Story::new().store(WARP), RaceKind::WarpSync, "within a warp");
    for (warp_sync, expected) in [(Treatment::Error, 1), (Treatment::Allow, 0)] {
        let settings = Settings { warp_sync, ..Settings::default() };
        let (reports, counts) = Story::new().store(A).load(B).reports_by(&mut Curd::new(settings));
        assert_eq!(reports.races.len(), expected);
        assert_eq!(counted(&counts, "pairs of accesses that race"), 1);
    }
}

#[test]
fn blocks_are_never_ordered() {
    let story = || Story::new().store(A).barrier(0, &[ALL, ALL]).load(OTHER_BLOCK);
    let race = expect_one(story, RaceKind::MissingSync, "CURD, an inter-block race");
    assert_eq!((race.first.block.x, race.second.block.x), (0, 1));
    // Whichever block is at its barrier first, and whatever is between.
    for last in [0, 1] {
        let story = || {
            let story = Story::new().load(OTHER_BLOCK).barrier(1, &[ALL, ALL]).store(A);
            story.barrier(last, &[ALL, ALL]).barrier(1 - last, &[ALL, ALL])
        };
        expect_one(story, RaceKind::MissingSync, "inter-block");
    }
    let both_write = || Story::new().store(A).store(OTHER_BLOCK);
    expect_one(both_write, RaceKind::MissingSync, "inter-block");
    expect_clean(|| Story::new().load(A).load(OTHER_BLOCK));
}

#[test]
fn a_block_that_has_ended_is_compared_with_later_ones() {
    let end = |block| Event::BlockEnd { block: BlockIndex(block) };
    let story = || Story::new().load(A).push(end(0)).store(OTHER_BLOCK).push(end(1));
    expect_one(story, RaceKind::MissingSync, "inter-block");
    let story = || Story::new().store(A).push(end(0)).store(OTHER_BLOCK).push(end(1));
    expect_one(story, RaceKind::MissingSync, "inter-block");
}

#[test]
fn shared_memory_is_that_of_a_block() {
    let in_block = |who| move |story: Story| story.store_in_shared(who, WEAK);
    expect_clean(|| in_block(OTHER_BLOCK)(in_block(A)(Story::new())));
    let story = || in_block(OTHER_WARP)(in_block(A)(Story::new()));
    let race = expect_one(story, RaceKind::MissingSync, "intra-block");
    assert_eq!(race.location.space, Some(Space::Shared));
    expect_clean(|| in_block(A)(Story::new()).load(OTHER_WARP));
}

#[test]
fn launches_begin_with_empty_sets() {
    expect_clean(|| Story::new().store(A).launch(1).load(OTHER_BLOCK));
    let again = || Story::new().launch(1).store(A).load(OTHER_WARP);
    let mut detector = Curd::new(Settings::default());
    for _ in 0..3 {
        assert_eq!(again().reports_by(&mut detector).0.races.len(), 1);
    }
    let counts = detector.statistics();
    assert!(counted(&counts, "sets used again") >= 4, "{counts:?}");
    // Copies and memsets of the host are launches, too.
    let host = || Story::new().host_call(1).store(A).store(OTHER_BLOCK);
    expect_clean(host);
}

#[test]
fn a_race_is_reported_once_and_counted() {
    let mut story = Story::new();
    for _ in 0..5 {
        let at = LaneAddresses::Uniform(AT);
        story = story.access_of(3, A, AccessKind::Write, WEAK, at);
        story = story.access_of(4, OTHER_WARP, AccessKind::Read, WEAK, at);
        story = story.barrier(0, &[ALL, ALL]);
    }
    let (reports, _) = story.reports_by(&mut Curd::new(Settings::default()));
    assert_eq!((reports.races.len(), reports.again), (1, 4));
}

#[test]
fn lines_that_were_merged_are_said_to_be_incomplete() {
    let words = |story: Story, who, kind, first| {
        story.access(who, kind, WEAK, LaneAddresses::Uniform(first))
    };
    let two_lines = || {
        let story = words(Story::new(), A, AccessKind::Write, AT);
        words(story, A, AccessKind::Write, AT + 4).load(OTHER_WARP)
    };
    let race = expect_one(two_lines, RaceKind::MissingSync, "were merged");
    assert_eq!(race.first.ptx_line, 3, "the last line that wrote to the region");
    assert_eq!(race.location.address.0, AT, "the address is exact");
    let apart = || words(Story::new(), A, AccessKind::Write, AT + 8).store(A).load(OTHER_WARP);
    let race = expect_one(apart, RaceKind::MissingSync, "intra-block");
    assert!(!race.reason.contains("merged"));
}

#[test]
fn what_has_no_room_is_said_to_be_unchecked() {
    let far = |number: u64| LaneAddresses::Uniform(AT + number * 4096);
    let curd = CurdSettings { block_regions: 2, ..CurdSettings::default() };
    for inter_block in [InterBlock::Lazy, InterBlock::Eager] {
        let mut story = Story::new();
        for number in 0..4 {
            story = story.access(A, AccessKind::Read, WEAK, far(number));
        }
        let curd = CurdSettings { inter_block, ..curd };
        let mut detector = Curd::new(Settings { curd, ..Settings::default() });
        let (reports, counts) = story.reports_by(&mut detector);
        assert_eq!(reports.not_checked.len(), 1);
        assert!(reports.not_checked[0].what.contains("no room"), "{:?}", reports.not_checked);
        assert_eq!(counted(&counts, "regions without room"), 2);
    }
}

#[test]
fn kernels_with_atomics_are_for_barracuda() {
    let facts = KernelFacts { uses_atomics: true, ..KernelFacts::default() };
    let code =
        ["st.global.u32 [%rd1], %r1;", "ld.global.u32 %r1, [%rd1];", "ld.global.u32 %r1, [%rd1];"];
    let at = LaneAddresses::Uniform(AT);
    let story = || {
        let kernel = Kernel::new(&code).facts(facts.clone());
        Story::new().then(|story| story.begin_kernel(1, kernel)).access_of(
            0,
            A,
            AccessKind::Write,
            WEAK,
            at,
        )
    };
    // Lockstep orders lanes there, and races of warps have its words.
    expect_clean(|| story().access_of(1, (0, 0, 3), AccessKind::Read, WEAK, at));
    let warps = || story().access_of(1, OTHER_WARP, AccessKind::Read, WEAK, at);
    expect_one(warps, RaceKind::MissingSync, "Barracuda, an intra-block race");
    // The next launch is for sets again.
    let next = || warps().launch(2).store(A).load(B);
    let races = reports(next).races;
    assert_eq!(
        races.iter().map(|race| race.kind).collect::<Vec<_>>(),
        [RaceKind::MissingSync, RaceKind::WarpSync]
    );
    let mut detector = Curd::new(Settings::default());
    let (_, counts) = next().reports_by(&mut detector);
    assert_eq!(counted(&counts, "launches checked by Barracuda"), 1);
    assert_eq!(counted(&counts, "launches checked by sets"), 2);
}

#[test]
fn what_facts_did_not_name_is_said_to_be_unchecked() {
    let stories: [fn() -> Story; 4] = [
        || Story::new().fence(A, Scope::Gpu),
        || Story::new().atomic(A),
        || Story::new().push(Event::WarpBarrier { block: BlockIndex(0), warp: 0, mask: 1 }),
        || Story::new().barrier(0, &[ALL, 0]),
    ];
    for story in stories {
        let reports = reports(|| {
            let story = story();
            story.push(Event::WarpBarrier { block: BlockIndex(0), warp: 0, mask: 1 })
        });
        assert_eq!(reports.not_checked.len(), 1, "{:?}", reports.not_checked);
        assert!(reports.not_checked[0].what.contains("do not know"));
    }
}

#[test]
fn what_it_does_not_follow_is_named() {
    let detector = Curd::new(Settings::default());
    assert_eq!(detector.not_covered(&KernelFacts::default()), None);
    let facts =
        KernelFacts { uses_async_copies: true, uses_mbarriers: true, ..KernelFacts::default() };
    let what = detector.not_covered(&facts).expect("two things");
    assert_eq!(what, "the detector curd does not follow asynchronous copies and mbarrier objects");
}

#[test]
fn strength_makes_no_difference() {
    let at = LaneAddresses::Uniform(AT);
    for strength in [RELAXED, Strength::Volatile] {
        let story = || {
            let story = Story::new().access(A, AccessKind::Write, strength, at);
            story.access(OTHER_BLOCK, AccessKind::Read, strength, at)
        };
        expect_one(story, RaceKind::MissingSync, "inter-block");
    }
}
