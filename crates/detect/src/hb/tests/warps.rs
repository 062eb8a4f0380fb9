//! Accesses of whole warps, which are taken in ways of their own.

use super::*;

/// Words of shared memory.
fn words(first: u64, stride: u64) -> MemoryOperand<'static> {
    MemoryOperand::from(LaneAddresses::Strided { first, stride }).shared()
}

/// Atomics of all lanes of a warp on words of its block's shared memory.
fn updates(story: Story, (block, warp): (u32, u32), first: u64, stride: u64) -> Story {
    story.atomic(Lanes::warp(block, warp), words(first, stride), BLOCK_RELAXED)
}

/// One thread writes a word of its block's shared memory.
fn shared_write(story: Story, who: Who, at: u64) -> Story {
    story.store(who, MemoryOperand::global(at).shared())
}

#[test]
fn a_line_is_looked_at_again_after_updates_that_could_not_be_noted() {
    // The second line has a write that the warp does not know of, so the updates are not noted; what was seen
    // of the first line must not hide what is written there next.
    let story = updates(shared_write(Story::new(), (0, 0), 132), (0, 0), 0, 8);
    let story = shared_write(story, (0, 1), 4);
    assert_eq!(updates(story, (0, 1), 0, 4).kinds(), [RaceKind::MissingSync]);
}

#[test]
fn updates_that_a_barrier_made_known_still_need_a_proxy_fence() {
    let copied = |uses_async_copies: bool| {
        let facts = KernelFacts { uses_async_copies, ..KernelFacts::default() };
        let story = Story::of(Kernel::default().on(1, 64).facts(facts));
        let at = |address| MemoryOperand::global(address).bytes(16);
        let story = updates(story, (0, 0), 0, 4).barrier(0);
        story.copy((0, 0), CopyKind::Bulk, at(0).shared(), at(DATA)).kinds()
    };
    assert_eq!(copied(true), [RaceKind::Async]);
}

#[test]
fn the_upper_half_of_a_warp_may_read_from_the_first_byte_on() {
    let from_the_first = words(64u64.wrapping_neg(), 4);
    let story = Story::new().load((0, 0, 0xffff_0000), from_the_first);
    assert_eq!(shared_write(story, (0, 40), 0).kinds(), [RaceKind::MissingSync]);
}
