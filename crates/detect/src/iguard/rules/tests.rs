//! Each rule of table 2, on one location.

use super::*;

/// Warps of one block.
const WARPS: u32 = 2;

/// A location, and what the threads that come to it have done.
#[derive(Default)]
struct Location {
    entry: Entry,
    older: Vec<Stamp>,
    /// By warp and lane: fences that it has executed.
    fences: Vec<((u32, u8), Fences)>,
    /// By warp and by block: barriers.
    warp_barriers: [u8; 8],
    block_barriers: [u8; 4],
    /// The locks of those who come.
    locks: u16,
    sites: u32,
    /// What several blocks use alike is not noted again.
    sharing: bool,
}

/// A thread: its warp, counted over the launch, and its lane.
type Who = (u32, u8);

const LEADER: Who = (0, 0);
/// Another lane of the leader's warp.
const LANE: Who = (0, 5);
/// Another warp of its block.
const WARP: Who = (1, 0);
/// Another block.
const BLOCK: Who = (2, 0);

impl Location {
    fn with_history(accessors: usize) -> Location {
        Location { older: vec![Stamp::NOBODY; accessors - 1], ..Location::default() }
    }

    fn fences_of(&self, who: Who) -> Fences {
        let found = self.fences.iter().find(|(other, _)| *other == who);
        found.map_or(Fences::default(), |(_, fences)| *fences)
    }

    fn fence(&mut self, who: Who, reach: Reach) {
        let mut fences = self.fences_of(who);
        match reach {
            Reach::Device => fences.device += 1,
            Reach::Block => fences.block += 1,
        }
        self.fences.retain(|(other, _)| *other != who);
        self.fences.push((who, fences));
    }

    fn access(&mut self, who: Who, kind: Kind, active: u32) -> Outcome {
        self.sites += 1;
        let (warp, lane) = who;
        let block = warp / WARPS;
        let stamp = Stamp {
            warp,
            site: self.sites,
            locks: self.locks,
            lane,
            fences: self.fences_of(who),
            block_barrier: self.block_barriers[block as usize],
            warp_barrier: self.warp_barriers[warp as usize],
        };
        let first_warp = block * WARPS;
        let current = Current { stamp, kind, active, first_warp, warps_per_block: WARPS };
        let fences: Vec<_> = self.fences.clone();
        let now = |earlier: &Stamp| {
            let who = (earlier.warp, earlier.lane);
            let found = fences.iter().find(|(other, _)| *other == who);
            found.map_or(Fences::default(), |(_, fences)| *fences)
        };
        check(&mut self.entry, &mut self.older, &current, self.sharing, now)
    }

    /// What one lane alone does.
    fn load(&mut self, who: Who) -> Option<Rule> {
        rule(self.access(who, Kind::Load, 1 << who.1))
    }

    fn store(&mut self, who: Who) -> Option<Rule> {
        rule(self.access(who, Kind::Store, 1 << who.1))
    }

    fn atomic(&mut self, who: Who, reach: Reach) -> Option<Rule> {
        rule(self.access(who, Kind::Atomic(reach), 1 << who.1))
    }
}

fn rule(outcome: Outcome) -> Option<Rule> {
    match outcome {
        Outcome::RaceFree(rule) => {
            assert!(!rule.is_race());
            Some(rule)
        }
        Outcome::Undecided => None,
        Outcome::Race(rule, _) => {
            assert!(rule.is_race());
            Some(rule)
        }
    }
}

/// An access for tests of others.
pub(in super::super) fn load_of_lane(lane: u8) -> Current {
    let stamp = Stamp { lane, ..Stamp::default() };
    Current { stamp, kind: Kind::Load, active: 1, first_warp: 0, warps_per_block: 1 }
}

#[test]
fn names_begin_with_numbers() {
    let numbers: Vec<&str> = Rule::ALL.iter().map(|rule| rule.number()).collect();
    assert_eq!(numbers, ["P1", "P2", "P3", "P4", "P5", "P6", "R1", "R2", "R3", "R4", "R5"]);
}

#[test]
fn p1_the_first_access_is_free_whatever_it_is() {
    assert_eq!(Location::default().load(LANE), Some(Rule::P1));
    assert_eq!(Location::default().store(BLOCK), Some(Rule::P1));
    assert_eq!(Location::default().atomic(WARP, Reach::Block), Some(Rule::P1));
}

#[test]
fn p2_loads_do_not_race_with_loads() {
    let mut place = Location::default();
    place.load(LEADER);
    for who in [LANE, WARP, BLOCK, LEADER] {
        assert_eq!(place.load(who), Some(Rule::P2));
    }
}

#[test]
fn p3_a_thread_alone_is_in_program_order() {
    let mut place = Location::default();
    place.store(LEADER);
    assert_eq!(place.load(LEADER), Some(Rule::P3));
    assert_eq!(place.store(LEADER), Some(Rule::P3));
    assert_eq!(place.atomic(LEADER, Reach::Block), Some(Rule::P3));
}

#[test]
fn p4_lanes_are_ordered_by_a_warp_barrier_or_by_lockstep() {
    let mut place = Location::default();
    place.store(LANE);
    place.warp_barriers[0] += 1;
    assert_eq!(place.load(LEADER), Some(Rule::P4));
    let mut place = Location::default();
    place.store(LANE);
    let both = 1 << LANE.1 | 1 << LEADER.1;
    assert_eq!(rule(place.access(LEADER, Kind::Load, both)), Some(Rule::P4));
    let mut place = Location::default();
    place.store(LANE);
    place.warp_barriers[1] += 1;
    assert_eq!(place.load(LEADER), Some(Rule::R2), "a barrier of another warp");
}

#[test]
fn p5_a_block_is_ordered_by_its_barrier() {
    let mut place = Location::default();
    place.store(LEADER);
    place.block_barriers[0] += 1;
    assert_eq!(place.load(WARP), Some(Rule::P5));
    assert_eq!(place.load(LANE), Some(Rule::P5), "the writer counts, not the reader");
    assert_eq!(place.store(WARP), Some(Rule::R3), "the other reader has not met it");
    let mut place = Location::default();
    place.store(LEADER);
    place.block_barriers[1] += 1;
    assert_eq!(place.load(WARP), Some(Rule::R3), "a barrier of another block");
}

#[test]
fn p6_atomics_that_reach_each_other_are_safe() {
    let mut place = Location::default();
    for who in [LEADER, WARP, BLOCK, LEADER, BLOCK] {
        let first = who == LEADER && place.sites == 0;
        let expected = if first { Rule::P1 } else { Rule::P6 };
        assert_eq!(place.atomic(who, Reach::Device), Some(expected));
    }
    let mut place = Location::default();
    place.atomic(LEADER, Reach::Block);
    assert_eq!(place.atomic(WARP, Reach::Block), Some(Rule::P6), "within the block");
}

#[test]
fn r1_block_scope_does_not_reach_another_block() {
    for access in [Location::load, Location::store] {
        let mut place = Location::default();
        place.atomic(LEADER, Reach::Block);
        assert_eq!(access(&mut place, BLOCK), Some(Rule::R1));
    }
    let mut place = Location::default();
    place.atomic(LEADER, Reach::Block);
    place.fence(LEADER, Reach::Device);
    assert_eq!(place.atomic(BLOCK, Reach::Device), Some(Rule::R1), "no fence mends it");
    assert_eq!(place.atomic(LEADER, Reach::Device), Some(Rule::P6), "the last scope counts");
}

#[test]
fn r2_lanes_of_one_warp_without_anything() {
    let mut place = Location::default();
    place.store(LANE);
    assert_eq!(place.load(LEADER), Some(Rule::R2));
    assert_eq!(place.store(LANE), Some(Rule::R2), "the reader is the last accessor");
    place.fence(LANE, Reach::Block);
    assert_eq!(place.load(LEADER), None, "the other has fenced");
    place.fence(LEADER, Reach::Block);
    assert_eq!(place.store(LEADER), Some(Rule::P3));
    place.fence(LANE, Reach::Block);
    assert_eq!(place.load(LANE), Some(Rule::R2), "it is not the reader's fence that counts");
}

#[test]
fn r3_warps_of_one_block_without_anything() {
    let mut place = Location::default();
    place.store(LEADER);
    assert_eq!(place.load(WARP), Some(Rule::R3));
    for reach in [Reach::Block, Reach::Device] {
        let mut place = Location::default();
        place.store(LEADER);
        place.fence(WARP, reach);
        place.fence(LEADER, reach);
        assert_eq!(place.load(WARP), None, "{reach:?}");
    }
    let mut place = Location::default();
    place.fence(LEADER, Reach::Block);
    place.store(LEADER);
    place.fence(WARP, Reach::Block);
    assert_eq!(place.load(WARP), Some(Rule::R3), "the writer has not fenced since");
}

#[test]
fn r3_fits_lanes_of_one_warp_where_another_warp_was_there() {
    let mut place = Location::default();
    place.load(WARP);
    place.store(LEADER);
    assert_eq!(place.load(LANE), Some(Rule::R3));
}

#[test]
fn r4_blocks_without_a_fence_of_device_scope() {
    let mut place = Location::default();
    place.store(LEADER);
    place.fence(LEADER, Reach::Block);
    place.fence(BLOCK, Reach::Device);
    assert_eq!(place.load(BLOCK), Some(Rule::R4));
    place.fence(LEADER, Reach::Device);
    assert_eq!(place.load(BLOCK), None);
    assert_eq!(place.store(LEADER), Some(Rule::R4), "the last accessor is the reader");
}

#[test]
fn r4_finds_loads_beside_atomics() {
    let mut place = Location::default();
    place.atomic(LEADER, Reach::Device);
    assert_eq!(place.load(BLOCK), Some(Rule::R4));
    assert_eq!(place.atomic(LEADER, Reach::Device), Some(Rule::P6), "as table 2 has it");
    place.store(LEADER);
    assert_eq!(place.atomic(BLOCK, Reach::Device), Some(Rule::R4), "a store ends being atomic");
}

#[test]
fn r5_locks_have_to_have_one_in_common() {
    let under = |first: u16, second: u16| {
        let mut place = Location { locks: first, ..Location::default() };
        place.store(LEADER);
        place.fence(LEADER, Reach::Device);
        place.locks = second;
        place.store(BLOCK)
    };
    assert_eq!(under(0b0011, 0b1100), Some(Rule::R5));
    assert_eq!(under(0b0011, 0), Some(Rule::R5));
    assert_eq!(under(0, 0b0011), Some(Rule::R5));
    assert_eq!(under(0b0011, 0b0110), None);
    assert_eq!(under(0, 0), None);
}

#[test]
fn r5_for_a_load_takes_the_locks_of_the_writer() {
    // It writes under a lock, gives it back and reads; another block then reads under that lock.
    let mut place = Location { locks: 0b0011, ..Location::default() };
    place.store(LEADER);
    place.fence(LEADER, Reach::Device);
    place.locks = 0;
    assert_eq!(place.load(LEADER), Some(Rule::P3));
    place.fence(LEADER, Reach::Device);
    place.locks = 0b0011;
    assert_eq!(place.load(BLOCK), None);
    assert_eq!(place.store((4, 0)), Some(Rule::R4), "the last accessor is the reader");
}

#[test]
fn r5_each_reader_is_compared_with_the_writer() {
    let mut place = Location { locks: 0b0011, ..Location::default() };
    place.store(LEADER);
    place.fence(LEADER, Reach::Device);
    for (reader, locks) in [(2, 0b1100), (4, 0b1100), (6, 0)] {
        place.locks = locks;
        let Outcome::Race(Rule::R5, earlier) = place.access((reader, 0), Kind::Load, 1) else {
            panic!("what readers hold in common is of no importance: {reader}")
        };
        assert_eq!((earlier.warp, earlier.locks), (0, 0b0011));
    }
}

#[test]
fn r5_takes_no_lock_of_a_third() {
    // Nobody of the two that are compared holds a lock.
    let mut place = Location::default();
    place.store(LEADER);
    place.fence(LEADER, Reach::Device);
    place.locks = 0b0011;
    assert_eq!(place.load(BLOCK), Some(Rule::R5));
    place.locks = 0;
    assert_eq!(place.load((4, 0)), None);
}

#[test]
fn rules_are_tried_in_their_order() {
    // No lock in common, and no fence either: the fence is what is reported.
    let mut place = Location { locks: 1, ..Location::default() };
    place.store(LEADER);
    place.locks = 2;
    assert_eq!(place.store(BLOCK), Some(Rule::R4));
}

#[test]
fn a_thread_does_not_race_with_itself() {
    let mut place = Location::default();
    place.load(WARP);
    place.store(LEADER);
    assert_eq!(place.load(LEADER), None, "shared in the block, so that P3 does not fit");
    place.fence(LEADER, Reach::Device);
    place.load(BLOCK);
    place.fence(BLOCK, Reach::Device);
    place.locks = 3;
    place.store(LEADER);
    place.locks = 12;
    assert_eq!(place.store(LEADER), None);
}

#[test]
fn sharing_begins_anew_at_a_barrier() {
    let mut place = Location::default();
    place.store(LEADER);
    place.block_barriers[0] += 1;
    assert_eq!(place.store(WARP), Some(Rule::P5));
    assert_eq!(place.load(WARP), Some(Rule::P3), "since the barrier it is this warp's alone");
    place.warp_barriers[1] += 1;
    assert_eq!(place.store((1, 9)), Some(Rule::P4));
    assert_eq!(place.store(LEADER), Some(Rule::R3), "no barrier in between");
    place.block_barriers[0] += 1;
    assert_eq!(place.store(WARP), Some(Rule::P5));
}

#[test]
fn sharing_between_blocks_stays() {
    let mut place = Location::default();
    place.store(LEADER);
    place.fence(LEADER, Reach::Device);
    assert_eq!(place.store(BLOCK), None);
    place.block_barriers[1] += 1;
    assert_eq!(place.store((3, 0)), None, "neither P5 nor R3 fits what blocks share");
}

#[test]
fn the_last_accessor_alone_is_remembered_unless_there_is_a_history() {
    // Two blocks read; the second fences, the first does not.
    let race = |accessors: usize| {
        let mut place = Location::with_history(accessors);
        place.load(LEADER);
        place.load(BLOCK);
        place.fence(BLOCK, Reach::Device);
        place.access((4, 0), Kind::Store, 1)
    };
    assert_eq!(race(1), Outcome::Undecided);
    for accessors in [2, 4, 8] {
        let Outcome::Race(Rule::R4, earlier) = race(accessors) else { panic!("{accessors}") };
        assert_eq!((earlier.warp, earlier.site), (0, 1));
    }
}

#[test]
fn a_history_is_as_long_as_chosen_and_by_thread() {
    let race = |repeated: u32| {
        let mut place = Location::with_history(2);
        place.load(LEADER);
        for _ in 0..repeated {
            place.load(BLOCK);
        }
        place.fence(BLOCK, Reach::Device);
        place.store((4, 0))
    };
    assert_eq!(race(5), Some(Rule::R4), "one thread takes one place");
    let mut place = Location::with_history(2);
    for who in [LEADER, BLOCK, (4, 0)] {
        place.load(who);
    }
    place.fence(BLOCK, Reach::Device);
    place.fence((4, 0), Reach::Device);
    assert_eq!(place.store((6, 0)), None, "the first has fallen out");
}

#[test]
fn the_newest_race_is_reported() {
    let mut place = Location::with_history(4);
    place.load(LEADER);
    place.load(BLOCK);
    let Outcome::Race(Rule::R4, earlier) = place.access((4, 0), Kind::Store, 1) else { panic!() };
    assert_eq!(earlier.warp, BLOCK.0);
}

#[test]
fn accessors_of_a_history_have_locks_of_their_own() {
    let mut place = Location::with_history(2);
    for (who, locks) in [(LEADER, 1), (BLOCK, 2)] {
        place.locks = locks;
        place.load(who);
        place.fence(who, Reach::Device);
    }
    let Outcome::Race(Rule::R5, earlier) = place.access((4, 0), Kind::Store, 1) else { panic!() };
    assert_eq!(earlier.warp, LEADER.0, "the newest held the same lock");
}

#[test]
fn what_several_blocks_use_alike_is_not_noted_again() {
    let third: Who = (4, 0);
    for (sharing, last) in [(false, third), (true, BLOCK)] {
        let mut place = Location { sharing, ..Location::default() };
        assert_eq!(place.load(LEADER), Some(Rule::P1));
        assert_eq!(place.load(BLOCK), Some(Rule::P2));
        assert_eq!(place.load(third), Some(Rule::P2));
        assert_eq!((place.entry.accessor.warp, place.entry.accessor.lane), last);
        assert_eq!(place.store(LEADER), Some(Rule::R4), "whoever it is, it races");
    }
    for (sharing, last) in [(false, third), (true, BLOCK)] {
        let mut place = Location { sharing, ..Location::default() };
        for who in [LEADER, BLOCK, third] {
            place.atomic(who, Reach::Device);
        }
        assert_eq!((place.entry.writer.warp, place.entry.writer.lane), last);
        assert_eq!(place.atomic(third, Reach::Block), Some(Rule::P6));
        assert_eq!(place.entry.writer.warp, third.0, "another scope is another use");
    }
}

#[test]
fn what_blocks_share_alike_stays_as_it_is() {
    // Three blocks read; the one that is remembered has fenced or has not.
    let race = |sharing: bool, fenced: Who| {
        let mut place = Location { sharing, ..Location::default() };
        [LEADER, BLOCK, (4, 0)].into_iter().for_each(|who| {
            place.load(who);
        });
        place.fence(fenced, Reach::Device);
        place.store((6, 0))
    };
    assert_eq!(race(true, BLOCK), None, "the first that made it shared is remembered");
    assert_eq!(race(true, (4, 0)), Some(Rule::R4));
    assert_eq!(race(false, (4, 0)), None, "the last is remembered");
    assert_eq!(race(false, BLOCK), Some(Rule::R4));
}

#[test]
fn what_is_not_noted_is_checked_all_the_same() {
    let mut place = Location { sharing: true, ..Location::default() };
    place.store(LEADER);
    place.fence(LEADER, Reach::Device);
    assert_eq!(place.load(BLOCK), None);
    place.store(LEADER);
    assert_eq!(place.load(BLOCK), Some(Rule::R4));
    assert_eq!(place.load((4, 0)), Some(Rule::R4));
}
