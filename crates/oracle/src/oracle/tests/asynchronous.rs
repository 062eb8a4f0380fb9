//! Asynchronous copies.

use warpsan_event::CopyKind::{Bulk, Store, Thread};
use warpsan_event::MbarrierStep::{Arrive, Wait};
use warpsan_event::ProxyKind;
use warpsan_model::{Order, Scope};
use warpsan_report::RaceKind::Async;

use super::story::{ACQUIRE, At, DATA, FLAG, RELAXED, RELEASE, Story, WEAK, strong};

const A: (u32, u32) = (0, 0);
const B: (u32, u32) = (0, 40);
const SHARED: At = At::global(64).shared_of(0);
const WAITS: warpsan_model::Strength = strong(Order::Acquire, Scope::Cta);
const ARRIVES: warpsan_model::Strength = strong(Order::Release, Scope::Cta);

#[test]
fn a_copy_is_after_what_its_thread_did_and_not_before_what_it_does() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.store(A, WEAK, SHARED);
    let (copy, _) = story.copy(A, Thread, DATA, SHARED);
    story.load(A, WEAK, DATA);
    let read = story.load(A, WEAK, SHARED);
    let write = story.store(A, WEAK, DATA);
    story.race(&[(copy, read, Async), (copy, write, Async)]);
}

#[test]
fn two_copies_of_one_thread_are_not_ordered() {
    let mut story = Story::new();
    let (one, _) = story.copy(A, Thread, DATA, SHARED);
    let (other, _) = story.copy(A, Thread, DATA, SHARED);
    story.race(&[(one, other, Async)]);
}

#[test]
fn a_wait_ends_the_copies_of_its_thread_that_are_below_its_number() {
    let mut story = Story::new();
    let (_, number) = story.copy(A, Thread, DATA, SHARED);
    let (later, _) = story.copy(A, Thread, DATA, SHARED.plus(16));
    story.copy_wait(A, false, false, number + 1);
    story.load(A, WEAK, SHARED);
    let read = story.load(A, WEAK, SHARED.plus(16));
    story.race(&[(later, read, Async)]);
}

#[test]
fn others_need_one_more_edge() {
    let story_of = |barrier: bool| {
        let mut story = Story::new();
        story.copy(A, Thread, DATA, SHARED);
        story.copy_wait(A, false, false, 1);
        if barrier {
            story.block_barrier(0, [1, 1 << 8], [0; 2]);
        }
        story.load(B, WEAK, SHARED);
        story.races().len()
    };
    assert_eq!((story_of(true), story_of(false)), (0, 1));
}

#[test]
fn a_wait_of_the_other_kind_or_thread_ends_nothing() {
    for (who, bulk) in [(A, true), (B, false)] {
        let mut story = Story::new();
        story.copy(A, Thread, DATA, SHARED);
        story.copy_wait(who, bulk, false, 9);
        story.load(who, WEAK, SHARED);
        assert_eq!(story.races().len(), 1);
    }
}

#[test]
fn a_wait_for_reads_ends_only_the_read() {
    let mut story = Story::new();
    let (copy, _) = story.copy(A, Bulk, SHARED, DATA);
    story.copy_wait(A, true, true, 1);
    story.store(A, WEAK, SHARED);
    let read = story.load(A, WEAK, DATA);
    story.race(&[(copy, read, Async)]);
}

#[test]
fn generic_writes_need_a_proxy_fence_before_a_bulk_copy() {
    let kinds = [
        (Some(ProxyKind::Async), true),
        (Some(ProxyKind::AsyncShared), true),
        (Some(ProxyKind::AsyncGlobal), false),
        (Some(ProxyKind::Alias), false),
        (None, false),
    ];
    for (fence, is_clean) in kinds {
        let mut story = Story::new();
        story.store(A, WEAK, SHARED);
        if let Some(proxy) = fence {
            story.proxy_fence(A, proxy);
        }
        story.copy(A, Bulk, SHARED, DATA);
        assert_eq!(story.races().is_empty(), is_clean, "{fence:?}");
    }
    let mut story = Story::new();
    story.load(A, WEAK, SHARED);
    story.copy(A, Bulk, DATA, SHARED);
    story.is_clean();
}

#[test]
fn the_proxy_fence_may_be_any_threads_on_the_way() {
    let story_of = |fence_by: Option<(u32, u32)>, behind: bool| {
        let mut story = Story::new();
        story.store(A, WEAK, SHARED);
        if let (Some(who), false) = (fence_by, behind) {
            story.proxy_fence(who, ProxyKind::Async);
        }
        story.block_barrier(0, [1, 1 << 8], [0; 2]);
        if let (Some(who), true) = (fence_by, behind) {
            story.proxy_fence(who, ProxyKind::Async);
        }
        story.copy(B, Bulk, SHARED, DATA);
        story.races().is_empty()
    };
    assert!(story_of(Some(A), false));
    assert!(story_of(Some(B), true));
    assert!(!story_of(Some(B), false), "the fence is before the write is known");
    assert!(!story_of(Some(A), true), "the copy does not know of the fence");
    assert!(!story_of(None, false));
}

#[test]
fn an_observed_write_needs_the_proxy_fence_behind_the_read() {
    for is_fenced in [true, false] {
        let mut story = Story::new();
        story.store((1, 0), RELAXED, DATA);
        story.load(A, RELAXED, DATA);
        if is_fenced {
            story.proxy_fence(A, ProxyKind::Async);
        }
        story.copy(A, Bulk, DATA, SHARED);
        assert_eq!(story.races().is_empty(), is_fenced);
    }
}

#[test]
fn copies_of_the_asynchronous_proxy_need_no_proxy_fence_between_them() {
    let mut story = Story::new();
    story.copy(A, Bulk, SHARED, DATA);
    story.copy_wait(A, true, false, 1);
    story.copy(A, Bulk, DATA, SHARED.plus(64));
    story.is_clean();
    // One of `cp.async` is made by the thread.
    let mut story = Story::new();
    let (one, _) = story.copy(A, Thread, DATA, SHARED);
    story.copy_wait(A, false, false, 1);
    let (other, _) = story.copy(A, Bulk, SHARED, DATA.plus(64));
    story.race(&[(one, other, Async)]);
}

#[test]
fn a_signal_ends_the_copy_for_who_saw_its_phase() {
    for (signalled_in, complete, is_clean) in [(0, 1, true), (1, 1, false), (0, 2, true)] {
        let mut story = Story::new();
        let (_, number) = story.copy(A, Bulk, DATA, SHARED);
        story.copy_signal(A, number, signalled_in);
        story.mbarrier(B, Wait, WAITS, complete);
        story.load(B, WEAK, SHARED);
        assert_eq!(story.races().is_empty(), is_clean);
    }
    let mut story = Story::new();
    let (_, number) = story.copy(A, Bulk, DATA, SHARED);
    story.copy_signal(A, number, 0);
    story.mbarrier(B, Wait, strong(Order::Relaxed, Scope::Cta), 1);
    story.load(B, WEAK, SHARED);
    assert_eq!(story.races().len(), 1, "the wait does not acquire");
}

#[test]
fn a_signal_carries_nothing_of_its_issuer() {
    let mut story = Story::new();
    let write = story.store(A, WEAK, FLAG);
    let (_, number) = story.any_copy(A, Store, None, SHARED, 4, false);
    story.copy_signal(A, number, 0);
    story.mbarrier(B, Wait, WAITS, 1);
    story.load(B, WEAK, SHARED);
    let read = story.load(B, WEAK, FLAG);
    let races: Vec<_> =
        story.races().iter().map(|race| (race.first.event, race.second.event)).collect();
    assert_eq!(races, [(write, read)]);
    // An arrival of the issuer does.
    let mut story = Story::new();
    story.store(A, WEAK, FLAG);
    let (_, number) = story.any_copy(A, Store, None, SHARED, 4, false);
    story.mbarrier(A, Arrive, ARRIVES, 0);
    story.copy_signal(A, number, 0);
    story.mbarrier(B, Wait, WAITS, 1);
    story.load(B, WEAK, FLAG);
    story.is_clean();
}

#[test]
fn a_signal_of_thread_copies_speaks_for_all_before_it() {
    let mut story = Story::new();
    story.copy(A, Thread, DATA, SHARED);
    let (_, last) = story.copy(A, Thread, DATA, SHARED.plus(16));
    let (later, _) = story.copy(A, Thread, DATA, SHARED.plus(32));
    story.copy_signal(A, last, 0);
    story.mbarrier(B, Wait, WAITS, 1);
    story.load(B, WEAK, SHARED);
    story.load(B, WEAK, SHARED.plus(16));
    let read = story.load(B, WEAK, SHARED.plus(32));
    story.race(&[(later, read, Async)]);
    // A bulk copy's is for that one alone.
    let mut story = Story::new();
    let (first, _) = story.copy(A, Bulk, DATA, SHARED);
    let (_, last) = story.copy(A, Bulk, DATA, SHARED.plus(16));
    story.copy_signal(A, last, 0);
    story.mbarrier(B, Wait, WAITS, 1);
    let read = story.load(B, WEAK, SHARED);
    story.load(B, WEAK, SHARED.plus(16));
    story.race(&[(first, read, Async)]);
}

#[test]
fn what_follows_the_beginning_of_a_copy_is_not_before_it() {
    let mut story = Story::new();
    let (copy, _) = story.copy(A, Thread, DATA, SHARED);
    let write = story.store(B, WEAK, DATA);
    story.store(B, RELEASE, FLAG);
    story.load(A, ACQUIRE, FLAG);
    story.copy_wait(A, false, false, 1);
    story.race(&[(copy, write, Async)]);
}

#[test]
fn reductions_of_copies_do_not_race_with_each_other() {
    let mut story = Story::new();
    let (one, _) = story.any_copy(A, Bulk, Some(SHARED), DATA, 16, true);
    let (_, _) = story.any_copy(B, Bulk, Some(SHARED), DATA, 16, true);
    let read = story.load(A, WEAK, DATA);
    story.race(&[(one, read, Async), (one + 1, read, Async)]);
    let plain = story.any_copy(A, Bulk, Some(SHARED), DATA, 16, false);
    assert_eq!(story.races().len(), 4 + usize::from(plain.0 == 0), "with both of the others");
}

#[test]
fn a_copy_hides_the_flag_that_it_overwrites() {
    let mut story = Story::new();
    let write = story.store((1, 0), WEAK, DATA);
    story.store((1, 0), RELEASE, FLAG);
    let (copy, _) = story.copy(B, Thread, FLAG, SHARED);
    story.any_copy(B, Thread, Some(SHARED), FLAG, 4, false);
    story.load(A, ACQUIRE, FLAG);
    let read = story.load(A, WEAK, DATA);
    let races: Vec<_> =
        story.races().iter().map(|race| (race.first.event, race.second.event)).collect();
    assert!(races.contains(&(write, read)), "{races:?} {copy}");
}
