//! Hand-made workloads for tests.

use crate::recorder::Recorder;
use crate::workload::Workload;
use warpsan_event::{Access, AccessKind, Event, LaneAddresses};
use warpsan_model::{BlockIndex, LaunchId, Order, Scope, SiteId, Space, Strength};

/// Strong at the device's scope.
pub(crate) const RELAXED: Strength = Strength::Strong { order: Order::Relaxed, scope: Scope::Gpu };

/// What warps do, in the order in which it is told.
#[derive(Default)]
pub(crate) struct Story {
    pub(crate) recorder: Recorder,
}

/// Block and warp.
pub(crate) type Who = (u32, u32);

impl Story {
    /// All 32 lanes access neighbouring words of one line.
    pub(crate) fn line(self, who: Who, kind: AccessKind, strength: Strength, line: u64) -> Story {
        let addresses = LaneAddresses::Strided { first: line * 128, stride: 4 };
        self.access(who, kind, strength, u32::MAX, addresses)
    }

    pub(crate) fn load(self, who: Who, line: u64) -> Story {
        self.line(who, AccessKind::Read, Strength::Weak, line)
    }

    pub(crate) fn store(self, who: Who, line: u64) -> Story {
        self.line(who, AccessKind::Write, Strength::Weak, line)
    }

    /// Each lane accesses a word of its own line.
    pub(crate) fn scattered(self, who: Who, kind: AccessKind, line: u64) -> Story {
        let addresses = LaneAddresses::Strided { first: line * 128, stride: 128 };
        self.access(who, kind, Strength::Weak, u32::MAX, addresses)
    }

    pub(crate) fn access(
        mut self,
        (block, warp): Who,
        kind: AccessKind,
        strength: Strength,
        mask: u32,
        addresses: LaneAddresses<'_>,
    ) -> Story {
        self.recorder.event(&Event::Access(Access {
            block: BlockIndex(block),
            warp,
            site: SiteId(0),
            mask,
            wrote: mask,
            space: Space::Global,
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

    pub(crate) fn fence(mut self, (block, warp): Who, scope: Scope) -> Story {
        self.recorder.event(&Event::Fence {
            block: BlockIndex(block),
            warp,
            mask: u32::MAX,
            site: SiteId(0),
            order: Order::SeqCst,
            scope,
        });
        self
    }

    /// The warps of the block from 0 meet.
    pub(crate) fn barrier(mut self, block: u32, warps: usize) -> Story {
        let participants = vec![u64::from(u32::MAX); warps];
        self.recorder.event(&Event::BlockBarrier {
            block: BlockIndex(block),
            barrier: 0,
            participants: &participants,
        });
        self
    }

    pub(crate) fn end_launch(mut self) -> Story {
        self.recorder.event(&Event::LaunchEnd { launch: LaunchId(0) });
        self
    }

    pub(crate) fn workload(self) -> Workload {
        self.recorder.finish().unwrap()
    }
}
