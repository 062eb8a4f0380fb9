//! Barriers of blocks, whole and in parts.

use super::*;

const ALL_LANES: [u64; 2] = [ALL, ALL];

/// Lanes that only arrive.
fn arriving(lanes: u64) -> u64 {
    lanes << 32
}

#[test]
fn a_barrier_orders_the_block_and_no_other() {
    let story = |who| Program::new(PLAIN).at(A, 0, AT).barrier(&ALL_LANES).at(who, 2, AT);
    story(OTHER_WARP).expect_clean();
    story(B).expect_clean();
    story(OTHER_BLOCK).expect_one(RaceKind::MissingSync, "inter-block", (0, 2));
    let after = Program::new(PLAIN).barrier(&ALL_LANES).at(A, 0, AT).at(OTHER_WARP, 2, AT);
    after.expect_one(RaceKind::MissingSync, "intra-block", (0, 2));
}

#[test]
fn a_barrier_does_without_threads_that_have_ended() {
    let ends = Event::LanesEnd { block: BlockIndex(0), warp: 0, mask: 1 };
    let story = Program::new(PLAIN).at(A, 0, AT).push(ends).barrier(&[ALL & !1, ALL]);
    let (reports, statistics) = story.at(OTHER_WARP, 2, AT).reports();
    assert!(reports.races.is_empty(), "{:?}", reports.races);
    assert_eq!(counted(&statistics, "BAR"), 1);
}

#[test]
fn a_barrier_of_a_part_orders_that_part() {
    let story = |who| Program::new(PLAIN).at(A, 0, AT).barrier(&[1, ALL]).at(who, 2, AT);
    story(OTHER_WARP).expect_clean();
    story(B).expect_one(RaceKind::Divergence, "different paths", (0, 2));
    let (_, statistics) = story(OTHER_WARP).reports();
    assert_eq!((counted(&statistics, "BAR"), counted(&statistics, "barriers of a part")), (0, 1));
}

#[test]
fn who_arrives_is_before_those_who_wait_up_to_there() {
    let arrives = Event::BlockArrive {
        block: BlockIndex(0),
        warp: 0,
        mask: u32::MAX,
        site: SiteId(3),
        barrier: 0,
    };
    let participants = [arriving(ALL), ALL];
    let story = Program::new(PLAIN).at(A, 0, AT).push(arrives).barrier(&participants);
    story.at(OTHER_WARP, 2, AT).expect_clean();
    let story = Program::new(PLAIN).push(arrives).at(A, 0, AT).barrier(&participants);
    story.at(OTHER_WARP, 2, AT).expect_one(RaceKind::MissingSync, "intra-block", (0, 2));
    let story = Program::new(PLAIN).at(OTHER_WARP, 0, AT).push(arrives).barrier(&participants);
    story.at(A, 2, AT).expect_one(RaceKind::MissingSync, "intra-block", (0, 2));
}

fn divergence(other_thread: u32, completes: bool) -> Program {
    Program::new(PLAIN).push(Event::BarrierDivergence {
        block: BlockIndex(2),
        site: SiteId(3),
        thread: 5,
        lanes: 1 << 5,
        other_site: SiteId(0),
        other_thread,
        other_lanes: 1 << (other_thread % 32),
        completes,
    })
}

#[test]
fn barrier_divergence_is_reported_with_both_places() {
    for (other_thread, completes) in [(40, false), (9, false), (9, true)] {
        let story = divergence(other_thread, completes);
        let race = story.expect_one(RaceKind::BarrierDivergence, "barrier divergence", (3, 0));
        assert_eq!(race.severity.name(), "error");
        assert_eq!((race.first.thread.x, race.second.thread.x), (5, other_thread));
        assert_eq!((race.first.block.x, &*race.first.strength), (2, "wait"));
    }
}

#[test]
fn whole_warps_may_meet_at_two_places() {
    divergence(40, true).expect_clean();
}
