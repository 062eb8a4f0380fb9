//! What comes out in which order.

use super::*;

#[test]
fn lanes_of_one_instruction_go_when_their_turns_come() {
    let launch = launch(2, 32);
    // Two warps count the same word up, in turns.
    let operations = [
        strong((0, 0, 0b111), 0x40, &[4, 1, 6]),
        strong((1, 0, 0b111), 0x40, &[2, 5, 3]),
        exit((0, 0, u32::MAX)),
        exit((1, 0, u32::MAX)),
    ];
    let (events, result) = merged(&launch, &operations);
    assert_eq!(result, Ok(4));
    let expected = [
        "0.0: 1@40 [1]",
        "1.0: 0@40 2@40 [2, 3]",
        "0.0: 0@40 [4]",
        "1.0: 1@40 [5]",
        "1: end",
        "0.0: 2@40 [6]",
        "0: end",
        "end",
    ];
    let mut sorted = events.clone();
    sorted.retain(|text| !text.ends_with("end"));
    assert_eq!(
        sorted,
        expected.iter().filter(|e| !e.ends_with("end")).copied().collect::<Vec<_>>()
    );
    assert_eq!(events.len(), expected.len());
}

#[test]
fn a_group_of_a_warp_may_ship_first_what_it_saw_from_another() {
    let launch = launch(1, 32);
    let operations = [
        strong((0, 0, 0b10), 0x40, &[2]),
        weak((0, 0, 0b10), 0x80),
        strong((0, 0, 0b01), 0x40, &[1]),
        weak((0, 0, 0b11), 0x90),
        exit((0, 0, u32::MAX)),
    ];
    let (events, result) = merged(&launch, &operations);
    assert_eq!(result, Ok(5));
    let expected =
        ["0.0: 0@40 [1]", "0.0: 1@40 [2]", "0.0: 1@80 []", "0.0: 0@90 1@90 []", "0: end", "end"];
    assert_eq!(events, expected);
}

#[test]
fn nothing_passes_a_barrier_before_all_have_come() {
    let launch = launch(1, 64);
    let all = u32::MAX;
    let operations = [
        arrive((0, 1, all)),
        weak((0, 1, 1), 0x10),
        weak((0, 0, 1), 0x20),
        arrive((0, 0, all)),
        exit((0, 1, all)),
        exit((0, 0, all)),
    ];
    let (events, result) = merged(&launch, &operations);
    assert_eq!(result, Ok(6));
    let expected =
        ["0.0: 0@20 []", "0: barrier [ffffffff, ffffffff]", "0.1: 0@10 []", "0: end", "end"];
    assert_eq!(events, expected);
}

#[test]
fn who_has_ended_is_not_waited_for() {
    let launch = launch(1, 40);
    let operations = [
        exit((0, 1, 0x0f)),
        exit((0, 0, 0xffff)),
        arrive((0, 1, 0xf0)),
        arrive((0, 0, 0xffff_0000)),
        exit((0, 0, 0xffff_0000)),
        exit((0, 1, 0xf0)),
    ];
    let (events, result) = merged(&launch, &operations);
    assert_eq!(result, Ok(6));
    assert_eq!(events, ["0: barrier [ffff0000, f0]", "0: end", "end"]);
}

#[test]
fn groups_meet_at_a_warp_barrier() {
    let launch = launch(1, 32);
    let at = |mask: u32, members: u32| {
        let mut one = slot(RecordKind::WarpBarrier, (0, 0, mask), EXIT);
        one.header.extra = members;
        vec![one]
    };
    let operations = [
        at(0b0011, 0b1111),
        weak((0, 0, 0b0001), 0x10),
        exit((0, 0, 0b1000)),
        at(0b0100, 0b1111),
        exit((0, 0, !0b1000)),
    ];
    let (events, result) = merged(&launch, &operations);
    assert_eq!(result, Ok(5));
    assert_eq!(events, ["0.0: warp barrier 7", "0.0: 0@10 []", "0: end", "end"]);
}

#[test]
fn warps_that_meet_at_two_places_are_reported() {
    let launch = launch(1, 64);
    let mut other = arrive((0, 1, u32::MAX));
    other[0].header.site = OTHER_BARRIER;
    let operations =
        [arrive((0, 0, u32::MAX)), other, exit((0, 0, u32::MAX)), exit((0, 1, u32::MAX))];
    let (events, result) = merged(&launch, &operations);
    assert_eq!(result, Ok(4));
    assert_eq!(events[..2], ["0: 0 and 32 meet", "0: barrier [ffffffff, ffffffff]"]);
}

#[test]
fn tickets_are_the_order() {
    let launch = launch(2, 32);
    let with = |ticket: u64, mut slots: Vec<Slot>| {
        slots.iter_mut().for_each(|slot| slot.header.ticket = ticket);
        slots
    };
    let operations = [
        with(3, weak((1, 0, 1), 0x30)),
        with(1, weak((0, 0, 1), 0x10)),
        with(5, exit((1, 0, u32::MAX))),
        with(2, weak((1, 0, 1), 0x20)),
        with(4, exit((0, 0, u32::MAX))),
    ];
    let (events, result) = merged(&launch, &operations);
    assert_eq!(result, Ok(5));
    let expected = ["0.0: 0@10 []", "1.0: 0@20 []", "1.0: 0@30 []", "0: end", "1: end", "end"];
    assert_eq!(events, expected);
}

#[test]
fn the_systems_part_of_shared_memory_is_behind_all_that_a_block_has() {
    let mut launch = launch(1, 32);
    let mut infos = launch.infos.to_vec();
    if let SiteInfo::Access(info) = &mut infos[WEAK as usize] {
        info.place = Place::Shared;
    }
    (launch.infos, launch.shared_base) = (infos.into(), 1024);
    let operations = [weak((0, 0, 1), 1024 + 16), weak((0, 0, 1), 128), exit((0, 0, u32::MAX))];
    let (events, result) = merged(&launch, &operations);
    assert!(result.is_ok(), "{result:?}");
    let at = |offset: u64| format!("0@{offset:x} ");
    let [own, of_system] = [&events[0], &events[1]];
    assert!(own.contains(&at(16)) && of_system.contains(&at((228 << 10) + 128)), "{events:?}");
}
