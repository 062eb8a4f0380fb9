use super::*;
use crate::{AccessKind, CopyKind, Event, LaneAddresses};
use warpsan_model::{BlockIndex, SiteId, Space};

fn sites(story: &Story) -> Vec<u32> {
    let site = |event| match event {
        Event::Access(access) => Some(access.site.0),
        Event::CopyBegin(copies) => Some(copies.site.0),
        _ => None,
    };
    story.batch().events().filter_map(site).collect()
}

#[test]
fn threads_and_lanes_name_the_same() {
    assert_eq!(Lanes::from((2, 33)), Lanes::from((2, 1, 0b10)));
    assert_eq!(Lanes::warp(2, 1), Lanes::from((2, 1, u32::MAX)));
}

#[test]
fn each_access_is_the_next_instruction_unless_it_says_which() {
    let explicit = crate::Access {
        site: SiteId(40),
        ..Lanes::from((0, 0)).access(AccessKind::ReadModifyWrite, RELAXED, 8)
    };
    let story = Story::new().load((0, 0), 8).push(Event::Access(explicit)).store((0, 0), 8);
    let story = story.copy((0, 0), CopyKind::Thread, 8, MemoryOperand::global(0).shared());
    assert_eq!(sites(&story.at_site(0).load((1, 0), 8).load((1, 0), 8)), [1, 40, 2, 3, 0, 1]);
}

#[test]
fn stores_of_one_thread_write_different_values() {
    let story = Story::new().store((0, 0), 8).store((0, 0), 8).store((0, 0, 3), 8);
    let values: Vec<Vec<u64>> = story
        .batch()
        .events()
        .filter_map(|event| match event {
            Event::Access(access) => Some(access.values.to_vec()),
            _ => None,
        })
        .collect();
    assert_eq!((values[0].len(), values[1].len(), values[2].len()), (1, 1, 0));
    assert_ne!(values[0], values[1]);
}

#[test]
fn a_barrier_is_of_all_threads_of_the_block() {
    let story = Story::of(Kernel::default().on(2, 36)).barrier(1);
    let met = story.batch().event(1);
    let (block, participants) = (BlockIndex(1), &[0xffff_ffff, 0b1111][..]);
    assert_eq!(met, Some(Event::BlockBarrier { block, barrier: 0, participants }));
}

#[test]
fn copies_are_numbered_by_lane() {
    let shared = MemoryOperand::global(64).shared_of(1).bytes(16);
    let story = Story::new().copy((0, 0, 3), CopyKind::Bulk, 0, shared);
    let story = story.copy((0, 0), CopyKind::Bulk, 0, shared.plus(16));
    assert_eq!(story.copies(), 3);
    let Some(Event::CopyBegin(second)) = story.batch().event(2) else { panic!("a copy") };
    assert_eq!((second.first, second.to.owner, second.to.space), (2, BlockIndex(1), Space::Shared));
    assert_eq!((second.to.addresses, second.to.bytes), (LaneAddresses::Uniform(80), 16));
}

#[test]
fn launches_follow_each_other_in_the_order_that_is_asked_for() {
    let story = Story::of(Kernel::default().in_clusters(2)).begin_launch_after(1, &[], &[0]);
    let kinds: Vec<String> = story
        .batch()
        .events()
        .map(|event| format!("{event:?}").split_whitespace().next().unwrap_or_default().to_string())
        .collect();
    assert_eq!(
        kinds,
        ["LaunchBegin", "Clusters", "LaunchEnd", "LaunchOrder", "LaunchBegin", "Clusters"]
    );
}
