//! Flags, locks and tickets.

use super::*;

const DATA: u64 = AT + 64;
const CAS: &str = "atom.global.cas.b32 %r1, [%rd1], 0, 1;";
const EXCH: &str = "atom.global.exch.b32 %r1, [%rd1], 0;";

/// One thread writes data and a flag in the first three lines, another reads both in the others.
fn flag(code: &'static [&'static str], reader: Who) -> Program {
    let story = Program::new(code).at(A, 0, DATA).at(A, 1, 0).at(A, 2, AT);
    story.at(reader, 3, AT).at(reader, 4, 0).at(reader, 5, DATA)
}

const WITH_FENCES: &[&str] = &[STORE, GL, STORE, LOAD, GL, LOAD];

#[test]
fn a_flag_with_fences_hands_over() {
    flag(WITH_FENCES, OTHER_BLOCK).expect_clean();
    flag(WITH_FENCES, OTHER_WARP).expect_clean();
    let (_, statistics) = flag(WITH_FENCES, OTHER_BLOCK).reports();
    assert_eq!((counted(&statistics, "RELGLOBAL"), counted(&statistics, "ACQGLOBAL")), (1, 1));
    assert_eq!(counted(&statistics, "instructions with clocks in format SPARSEVC"), 2);
}

#[test]
fn block_scope_is_enough_in_a_block_and_on_one_side() {
    let narrow: &[&str] = &[STORE, CTA, STORE, LOAD, CTA, LOAD];
    flag(narrow, OTHER_WARP).expect_clean();
    flag(narrow, OTHER_BLOCK).expect_one(RaceKind::MissingSync, "inter-block", (0, 5));
    flag(&[STORE, CTA, STORE, LOAD, GL, LOAD], OTHER_BLOCK).expect_clean();
    flag(&[STORE, GL, STORE, LOAD, CTA, LOAD], OTHER_BLOCK).expect_clean();
    let (_, statistics) = flag(narrow, OTHER_WARP).reports();
    assert_eq!((counted(&statistics, "RELBLOCK"), counted(&statistics, "ACQBLOCK")), (1, 1));
}

#[test]
fn a_flag_without_a_fence_on_one_side_orders_nothing() {
    let nothing = "mov.u32 %r1, 0;";
    let code: [&'static [&'static str]; 2] = [
        &[STORE, "mov.u32 %r1, 0;", STORE, LOAD, GL, LOAD],
        &[STORE, GL, STORE, LOAD, "mov.u32 %r1, 0;", LOAD],
    ];
    for code in code {
        let quiet = |story: Program, who: Who, line: u32| match code[line as usize] == nothing {
            true => story,
            false => story.at(who, line, 0),
        };
        let story = quiet(Program::new(code).at(A, 0, DATA), A, 1).at(A, 2, AT);
        let story = quiet(story.at(OTHER_BLOCK, 3, AT), OTHER_BLOCK, 4).at(OTHER_BLOCK, 5, DATA);
        story.expect_one(RaceKind::MissingSync, "inter-block", (0, 5));
    }
}

#[test]
fn what_the_releaser_does_later_is_not_handed_over() {
    let story = Program::new(WITH_FENCES).at(A, 1, 0).at(A, 2, AT).at(A, 0, DATA);
    let story = story.at(OTHER_BLOCK, 3, AT).at(OTHER_BLOCK, 4, 0).at(OTHER_BLOCK, 5, DATA);
    story.expect_one(RaceKind::MissingSync, "inter-block", (0, 5));
}

#[test]
fn what_a_warp_releases_includes_what_its_lanes_did_before_and_what_they_acquired() {
    // Block 0 hands over to block 1, whose barrier and fence hand over to block 2.
    let story = flag(WITH_FENCES, OTHER_BLOCK);
    let met = Event::BlockBarrier { block: BlockIndex(1), barrier: 0, participants: &[ALL, ALL] };
    let (last, second) = ((2, 0, 1), (1, 1, 4));
    let story = story.push(met).at(second, 1, 0).at(second, 2, AT + 4);
    story.at(last, 3, AT + 4).at(last, 4, 0).at(last, 5, DATA).expect_clean();
}

/// A thread takes the lock at `AT`, reads and writes the data, and gives it back.
fn section(story: Program, who: Who) -> Program {
    let lines = [(0, AT), (1, 0), (2, DATA), (3, DATA), (4, 0), (5, AT)];
    lines.into_iter().fold(story, |story, (line, address)| story.at(who, line, address))
}

#[test]
fn a_lock_orders_critical_sections() {
    let wide: &[&str] = &[CAS, GL, LOAD, STORE, GL, EXCH];
    let both = |code, other| section(section(Program::new(code), A), other);
    both(wide, OTHER_BLOCK).expect_clean();
    both(wide, OTHER_WARP).expect_clean();
    both(wide, B).expect_clean();
    let narrow: &[&str] = &[CAS, CTA, LOAD, STORE, CTA, EXCH];
    both(narrow, OTHER_WARP).expect_clean();
    let (reports, _) = both(narrow, OTHER_BLOCK).reports();
    let reports: Vec<_> =
        reports.races.iter().map(|race| (race.kind, &*race.second.instruction)).collect();
    assert_eq!(reports, [(RaceKind::MissingSync, LOAD), (RaceKind::MissingSync, STORE)]);
}

#[test]
fn a_lock_without_one_of_its_fences_orders_nothing() {
    // The bugs of the thesis' `hashtable`: no fence behind the compare-and-swap, none before the plain store of the lock.
    let code: &[&str] = &[CAS, "mov.u32 %r1, 0;", LOAD, STORE, GL, EXCH];
    let section = |story: Program, who| {
        let lines = [(0, AT), (2, DATA), (3, DATA), (4, 0), (5, AT)];
        lines.into_iter().fold(story, |story, (line, address)| story.at(who, line, address))
    };
    let (reports, _) = section(section(Program::new(code), A), OTHER_BLOCK).reports();
    assert!(
        reports.races.iter().any(|race| race.second.instruction == LOAD),
        "{:?}",
        reports.races
    );
}

#[test]
fn a_ticket_behind_a_fence_hands_over_to_whoever_draws_the_next() {
    let code: &[&str] = &[STORE, GL, ADD, "st.shared.u8 [%r2], %r1;", "bar.sync 0;", LOAD];
    let draw = |story: Program, who| story.at(who, 1, 0).at(who, 2, AT);
    let story = draw(Program::new(code).at(A, 0, DATA), A);
    let (reports, statistics) = draw(story, OTHER_BLOCK).at(OTHER_BLOCK, 5, DATA).reports();
    assert!(reports.races.is_empty(), "{:?}", reports.races);
    assert_eq!(counted(&statistics, "ACQRELGLB"), 2);
    // Three blocks: what the first wrote goes through the second's ticket.
    let story = draw(Program::new(code).at(A, 0, DATA), A);
    let story = draw(draw(story, OTHER_BLOCK), (2, 0, 1));
    story.at((2, 0, 1), 5, DATA).expect_clean();
    let block: &[&str] = &[STORE, CTA, ADD, "st.shared.u8 [%r2], %r1;", "bar.sync 0;", LOAD];
    let story = draw(draw(Program::new(block).at(A, 0, DATA), A), OTHER_WARP);
    let (reports, statistics) = story.at(OTHER_WARP, 5, DATA).reports();
    assert!(reports.races.is_empty(), "{:?}", reports.races);
    assert_eq!(counted(&statistics, "ACQRELBLK"), 2);
}

#[test]
fn lanes_that_release_together_hand_over_each_what_it_knew() {
    // Lanes 0 and 1 release flags of their own; whoever acquires one of them knows what both did before.
    let two = (0, 0, 0b11);
    let flags = [AT, AT + 4];
    let addresses = LaneAddresses::PerLane(&flags);
    let story = Program::new(WITH_FENCES).at(A, 0, DATA).at(two, 1, 0);
    let story = story.with_values(two, 2, addresses, &[]);
    let story = story.at(OTHER_BLOCK, 3, AT + 4).at(OTHER_BLOCK, 4, 0);
    story.at(OTHER_BLOCK, 5, DATA).expect_clean();
}
