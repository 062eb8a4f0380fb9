//! Stories of whole warps, by lines of memory, and the workloads that are recorded of them.

use crate::recorder::Recorder;
use crate::workload::Workload;
use warpsan_event::testing::{self, Lanes, WEAK};
use warpsan_event::{AccessKind, Event, LaneAddresses};
use warpsan_model::{Order, Scope, Strength};

pub(crate) use warpsan_event::testing::RELAXED;

/// What warps do.
#[derive(Default)]
pub(crate) struct Story(testing::Story);

/// Block and warp.
pub(crate) type Who = (u32, u32);

impl Story {
    /// All 32 lanes access neighbouring words of one line.
    pub(crate) fn line(self, who: Who, kind: AccessKind, strength: Strength, line: u64) -> Story {
        let addresses = LaneAddresses::Strided { first: line * 128, stride: 4 };
        self.access(who, kind, strength, addresses)
    }

    pub(crate) fn load(self, who: Who, line: u64) -> Story {
        self.line(who, AccessKind::Read, WEAK, line)
    }

    pub(crate) fn store(self, who: Who, line: u64) -> Story {
        self.line(who, AccessKind::Write, WEAK, line)
    }

    /// Each lane accesses a word of its own line.
    pub(crate) fn scattered(self, who: Who, kind: AccessKind, line: u64) -> Story {
        let addresses = LaneAddresses::Strided { first: line * 128, stride: 128 };
        self.access(who, kind, WEAK, addresses)
    }

    pub(crate) fn access(
        self,
        (block, warp): Who,
        kind: AccessKind,
        strength: Strength,
        addresses: LaneAddresses<'_>,
    ) -> Story {
        Story(self.0.access(Lanes::warp(block, warp), kind, strength, addresses))
    }

    /// The access that comes is this instruction.
    pub(crate) fn at_site(self, site: u32) -> Story {
        Story(self.0.at_site(site))
    }

    /// The same instruction reads a line so often, strongly.
    pub(crate) fn polls(self, who: Who, line: u64, times: u32) -> Story {
        let turn = |story: Story, _| story.at_site(7).line(who, AccessKind::Read, RELAXED, line);
        (0..times).fold(self, turn)
    }

    pub(crate) fn fence(self, (block, warp): Who, scope: Scope) -> Story {
        Story(self.0.fence(Lanes::warp(block, warp), Order::SeqCst, scope))
    }

    /// The warps of the block from 0 meet.
    pub(crate) fn barrier(self, block: u32, warps: usize) -> Story {
        let participants = vec![u64::from(u32::MAX); warps];
        Story(self.0.partial_barrier(block, 0, &participants))
    }

    pub(crate) fn end_launch(self) -> Story {
        Story(self.0.end_launch())
    }

    pub(crate) fn push(self, event: Event<'_>) -> Story {
        Story(self.0.push(event))
    }

    /// A recorder that has seen it.
    pub(crate) fn recorded_by(self, mut recorder: Recorder) -> Recorder {
        for event in self.0.batch().events() {
            recorder.event(&event);
        }
        recorder
    }

    pub(crate) fn workload(self) -> Workload {
        self.recorded_by(Recorder::default()).finish().unwrap()
    }
}
