use super::*;
use Reach::{Block, Device};
use warpsan_model::Dim3;

const ALL: u32 = u32::MAX;

/// Blocks of 64 threads.
fn launch(threads: u32) -> Synchronisation {
    let mut state = Synchronisation::default();
    let (grid, block) = (Dim3::new(4, 1, 1), Dim3::new(threads, 1, 1));
    state.begin_launch(&Geometry { grid, block });
    (0..4).for_each(|block| state.admit(block));
    state
}

fn stamp(state: &Synchronisation, block: u32, warp: u32, lane: u32) -> Stamp {
    state.view(block, warp).expect("a warp of the launch").stamp(lane, 0)
}

#[test]
fn fences_are_counted_by_thread_and_scope() {
    let mut state = launch(64);
    state.fence(1, 1, ALL, Device);
    state.fence(1, 1, 1 << 7, Block);
    state.fence(1, 1, 1 << 7, Device);
    let fences = |lane: u32| stamp(&state, 1, 1, lane).fences;
    assert_eq!(fences(7), Fences { device: 2, block: 1 });
    assert_eq!(fences(8), Fences { device: 1, block: 0 });
    assert_eq!(stamp(&state, 1, 0, 7).fences, Fences::default());
}

#[test]
fn fences_of_a_block_outlive_it() {
    let mut state = launch(64);
    state.fence(2, 0, 1, Device);
    let stamps = [stamp(&state, 2, 0, 0), stamp(&state, 2, 0, 1), stamp(&state, 3, 1, 0)];
    let before = stamps.map(|stamp| state.fences_now(&stamp));
    assert_eq!(before.map(|fences| fences.device), [1, 0, 0]);
    state.end_block(2);
    state.end_block(3);
    assert_eq!(stamps.map(|stamp| state.fences_now(&stamp)), before);
    assert_eq!(state.ended.len(), 1, "what has no fences need not be kept");
}

#[test]
fn a_lane_that_is_not_there_does_not_keep_the_others_apart() {
    let mut state = launch(40);
    state.fence(0, 1, 0xff, Device);
    let warp = &state.blocks.running(0).expect("it runs").warps[1];
    assert_eq!(warp.state.fences, WarpFences::Alike(Fences { device: 1, block: 0 }));
}

#[test]
fn counters_come_round() {
    let mut state = launch(32);
    for _ in 0..64 {
        state.fence(0, 0, ALL, Device);
        state.warp_barrier(0, 0);
    }
    let now = stamp(&state, 0, 0, 0);
    assert_eq!((now.fences.device, now.warp_barrier), (0, 0));
    for _ in 0..255 {
        state.block_barrier(0, &[u64::from(ALL)]);
    }
    assert_eq!(stamp(&state, 0, 0, 0).block_barrier, 255);
    state.block_barrier(0, &[u64::from(ALL)]);
    assert_eq!(stamp(&state, 0, 0, 0).block_barrier, 0);
}

#[test]
fn a_barrier_is_the_blocks_if_all_that_live_wait() {
    let counters = |state: &Synchronisation| {
        let stamps = [0, 1].map(|warp| stamp(state, 0, warp, 0));
        (stamps[0].block_barrier, stamps.map(|stamp| stamp.warp_barrier))
    };
    let mut state = launch(64);
    state.block_barrier(0, &[u64::from(ALL), u64::from(ALL)]);
    assert_eq!(counters(&state), (1, [0, 0]));
    state.block_barrier(0, &[u64::from(ALL), 0]);
    assert_eq!(counters(&state), (1, [1, 0]), "one warp alone");
    state.block_barrier(0, &[u64::from(ALL), u64::from(ALL) << 32]);
    assert_eq!(counters(&state), (1, [2, 0]), "who only arrives does not wait");
    state.end_lanes(0, 1, 0xffff_0000);
    state.block_barrier(0, &[u64::from(ALL), 0xffff]);
    assert_eq!(counters(&state), (2, [2, 0]), "who has ended is not waited for");
    state.end_lanes(0, 1, 0xffff);
    state.block_barrier(0, &[u64::from(ALL)]);
    assert_eq!(counters(&state), (3, [2, 0]));
}

#[test]
fn a_lock_is_the_warps_until_two_lanes_take_one_at_a_time() {
    let locks = |state: &Synchronisation| [3, 4].map(|lane| stamp(state, 0, 0, lane).locks);
    let mut state = launch(64);
    state.compare_and_swap((0, 0, 1 << 3), Device, |_| 0x1000);
    state.fence(0, 0, 1 << 3, Device);
    let [of_lane, of_other] = locks(&state);
    assert!(of_lane != 0 && of_lane == of_other, "the leader takes it for all");
    state.exchange((0, 0, 1 << 3), Device, |_| 0x1000);
    assert_eq!(locks(&state), [0, 0]);
    state.compare_and_swap((0, 0, 1 << 3), Device, |_| 0x1000);
    state.fence(0, 0, 1 << 4, Device);
    assert_ne!(locks(&state)[0], 0, "any lane's fence is the warp's");
    state.exchange((0, 0, 0b11 << 3), Device, |lane| if lane == 4 { 0x1000 } else { 0x2000 });
    assert_ne!(locks(&state)[0], 0, "the lowest lane gives back another one");
    state.exchange((0, 0, 0b11 << 3), Device, |lane| if lane == 3 { 0x1000 } else { 0x2000 });
    assert_eq!(locks(&state), [0, 0]);
    state.compare_and_swap((0, 0, 0b11 << 3), Device, |lane| u64::from(lane) * 0x1000);
    state.fence(0, 0, 1 << 4, Device);
    let [of_lane, of_other] = locks(&state);
    assert!(of_lane == 0 && of_other != 0, "only the one that fenced");
    state.compare_and_swap((0, 0, 1 << 3), Device, |_| 0x1000);
    state.fence(0, 0, 1 << 3, Device);
    assert_eq!(locks(&state)[1], of_other, "per thread for good");
    state.exchange((0, 0, 0b11 << 3), Device, |lane| u64::from(lane) * 0x1000);
    assert_eq!(locks(&state)[1], 0);
    assert_eq!(stamp(&state, 0, 1, 3).locks, 0, "another warp");
}

#[test]
fn events_that_no_launch_could_have_do_no_harm() {
    let mut state = Synchronisation::default();
    state.fence(7, 9, ALL, Device);
    state.block_barrier(7, &[0; 3]);
    state.warp_barrier(7, 1);
    assert!(state.view(7, 9).is_none() && state.view(8, 0).is_none());
    assert_eq!(state.fences_now(&Stamp { warp: 5, ..Stamp::default() }), Fences::default());
}
