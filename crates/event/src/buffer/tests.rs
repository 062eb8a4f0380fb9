use super::*;
use crate::testing::{Lanes, WEAK};

fn access<'a>(mask: u32, addresses: LaneAddresses<'a>, values: &'a [u64]) -> Access<'a> {
    let access = Lanes::from((0, 0, mask)).access(AccessKind::Write, WEAK, addresses);
    Access { values, ..access }
}

fn lanes_of(access: &Access<'_>) -> Vec<(u32, u64)> {
    access.lanes().collect()
}

#[test]
fn the_three_forms_give_the_same_lanes() {
    let mask = 0b1011;
    let expected = vec![(0, 100), (1, 104), (3, 112)];
    let strided = access(mask, LaneAddresses::Strided { first: 100, stride: 4 }, &[]);
    assert_eq!(lanes_of(&strided), expected);
    let per_lane = access(mask, LaneAddresses::PerLane(&[100, 104, 112]), &[]);
    assert_eq!(lanes_of(&per_lane), expected);
    let uniform = access(mask, LaneAddresses::Uniform(100), &[]);
    assert_eq!(lanes_of(&uniform), vec![(0, 100), (1, 100), (3, 100)]);
}

#[test]
fn an_access_takes_one_line_of_a_cache() {
    assert_eq!(size_of::<Record>(), 64);
}

#[test]
fn values_and_versions_are_kept_apart() {
    let mut buffer = EventBuffer::new();
    let all: [u64; 32] = std::array::from_fn(|lane| lane as u64 * 3);
    let versions = [5, 6];
    let pushed = [
        access(u32::MAX, LaneAddresses::PerLane(&all), &all),
        Access { versions: &versions, ..access(3, LaneAddresses::Uniform(8), &[]) },
        Access { versions: &versions, ..access(3, LaneAddresses::PerLane(&[8, 9]), &[1, 2]) },
        access(7, LaneAddresses::Strided { first: 1, stride: u64::MAX }, &[3; 24]),
    ];
    for access in pushed {
        buffer.push(Event::Access(access));
    }
    let events: Vec<_> = buffer.batch().events().collect();
    assert_eq!(events, pushed.map(Event::Access));
}

#[test]
fn a_batch_gives_back_what_was_pushed() {
    let mut buffer = EventBuffer::new();
    buffer.push(Event::Access(access(3, LaneAddresses::PerLane(&[8, 24]), &[1, 2])));
    buffer.push(Event::Allocation { address: DeviceAddress(64), bytes: 16, label: "bins" });
    buffer.push(Event::BlockBarrier { block: BlockIndex(5), barrier: 0, participants: &[7, 9] });
    let (after, after_wait, open) = (&[LaunchId(0), LaunchId(1)], &[LaunchId(2)], &[LaunchId(1)]);
    let (launch, perhaps_after) = (LaunchId(3), &[LaunchId(0), LaunchId(2)]);
    let order = Event::LaunchOrder { launch, after, after_wait, perhaps_after, open };
    buffer.push(order);
    let events: Vec<_> = buffer.batch().events().collect();
    let Event::Access(first) = events[0] else { panic!("{:?}", events[0]) };
    assert_eq!(lanes_of(&first), vec![(0, 8), (1, 24)]);
    assert_eq!(first.values, &[1, 2]);
    assert!(matches!(events[1], Event::Allocation { label: "bins", bytes: 16, .. }));
    assert!(matches!(events[2], Event::BlockBarrier { participants: &[7, 9], .. }));
    assert_eq!(events[3], order);
    buffer.clear();
    assert!(buffer.batch().is_empty());
}
