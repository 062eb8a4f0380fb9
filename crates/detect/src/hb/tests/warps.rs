//! Accesses of whole warps, which are taken in ways of their own.

use super::*;
use warpsan_event::{CopyBegin, CopyKind, CopySide};

impl Story {
    /// An access of all lanes of a warp to words of its block's shared memory.
    fn warp(mut self, (block, warp): Who, kind: AccessKind, addresses: LaneAddresses<'_>) -> Self {
        self.site += 1;
        let strength = match kind {
            AccessKind::ReadModifyWrite => BLOCK_RELAXED,
            _ => Strength::Weak,
        };
        self.buffer.push(Event::Access(Access {
            block: BlockIndex(block),
            warp,
            site: SiteId(self.site),
            mask: u32::MAX,
            wrote: if kind == AccessKind::Read { 0 } else { u32::MAX },
            space: Space::Shared,
            owner: BlockIndex(block),
            kind,
            strength,
            bytes: 4,
            elements: 1,
            addresses,
            values: &[],
            versions: &[],
            read_only_path: false,
        }));
        self
    }

    fn updates(self, who: Who, first: u64, stride: u64) -> Self {
        self.warp(who, AccessKind::ReadModifyWrite, LaneAddresses::Strided { first, stride })
    }

    /// One thread writes a word of its block's shared memory.
    fn shared_write(self, who: Who, at: u64) -> Self {
        self.shared(who, who.0, at, AccessKind::Write)
    }
}

#[test]
fn a_line_is_looked_at_again_after_updates_that_could_not_be_noted() {
    // The second line has a write that the warp does not know of, so the updates are not noted; what was seen
    // of the first line must not hide what is written there next.
    let story = Story::new().shared_write((0, 0), 132).updates((0, 0), 0, 8);
    let story = story.shared_write((0, 1), 4);
    assert_eq!(story.updates((0, 1), 0, 4).kinds(), [RaceKind::MissingSync]);
}

#[test]
fn updates_that_a_barrier_made_known_still_need_a_proxy_fence() {
    let copied = |uses_async_copies: bool| {
        let facts = Arc::new(KernelFacts { uses_async_copies, ..KernelFacts::default() });
        let mut story = Story::new();
        story.buffer = EventBuffer::new();
        story.buffer.push(Event::LaunchBegin {
            launch: LaunchId(0),
            facts: &facts,
            sites: &story.sites,
            geometry: Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(64, 1, 1) },
        });
        let mut story = story.updates((0, 0), 0, 4).barrier(0, ALL);
        let side = |space, address| CopySide {
            space,
            owner: BlockIndex(0),
            addresses: LaneAddresses::Uniform(address),
            bytes: 16,
        };
        story.buffer.push(Event::CopyBegin(CopyBegin {
            block: BlockIndex(0),
            warp: 0,
            mask: 1,
            site: SiteId(50),
            kind: CopyKind::Bulk,
            first: 0,
            from: Some(side(Space::Shared, 0)),
            to: side(Space::Global, DATA),
            reduces: false,
        }));
        story.kinds()
    };
    assert_eq!(copied(true), [RaceKind::Async]);
}

#[test]
fn the_upper_half_of_a_warp_may_read_from_the_first_byte_on() {
    let mut story = Story::new();
    story.buffer.push(Event::Access(Access {
        block: BlockIndex(0),
        warp: 0,
        site: SiteId(1),
        mask: 0xffff_0000,
        wrote: 0,
        space: Space::Shared,
        owner: BlockIndex(0),
        kind: AccessKind::Read,
        strength: Strength::Weak,
        bytes: 4,
        elements: 1,
        addresses: LaneAddresses::Strided { first: 64u64.wrapping_neg(), stride: 4 },
        values: &[],
        versions: &[],
        read_only_path: false,
    }));
    story.site = 1;
    assert_eq!(story.shared_write((0, 40), 0).kinds(), [RaceKind::MissingSync]);
}
