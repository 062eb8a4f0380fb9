//! From a finding to a report: class, kind and words.

use super::clock::Thread;
use crate::last_access::sides::{self, Circumstances, Judgement, Side};
use warpsan_model::{BlockIndex, SiteId, Space, Strength, ThreadInBlock};
use warpsan_report::{AccessType, AllocationReport, MemoryLocation, Race, RaceKind, Severity};

/// The classes of races in section 5.5.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Class {
    /// Two lanes of one instruction.
    IntraWarp,
    /// Two lanes of a warp on different paths.
    BranchOrdering,
    /// Two warps of a block.
    IntraBlock,
    /// Two blocks.
    InterBlock,
}

impl Class {
    /// The class of a race; `together` says that both accesses are of one instruction.
    pub(super) fn of(first: Thread, second: Thread, together: bool) -> Class {
        if first.block != second.block {
            Class::InterBlock
        } else if first.warp != second.warp {
            Class::IntraBlock
        } else if together {
            Class::IntraWarp
        } else {
            Class::BranchOrdering
        }
    }

    fn kind(self) -> RaceKind {
        match self {
            Class::IntraWarp | Class::BranchOrdering => RaceKind::Divergence,
            Class::IntraBlock | Class::InterBlock => RaceKind::MissingSync,
        }
    }

    fn reason_and_advice(self) -> (&'static str, &'static str) {
        match self {
            Class::IntraWarp => (
                "a divergence race: lanes of one instruction write different values to the location, and which of them stays is undefined",
                "let one lane write, or use an atomic",
            ),
            Class::BranchOrdering => (
                "a divergence race: the two lanes of the warp are on different paths of a branch, which execute in any order",
                "let the lanes meet between the two accesses, for example with __syncwarp()",
            ),
            Class::IntraBlock => (
                "an intra-block race: no barrier, and no release and acquire of one location, come between the two accesses",
                "put __syncthreads() between the two accesses, or make both atomic",
            ),
            Class::InterBlock => (
                "an inter-block race: no release and acquire of one location, with __threadfence() on one side at least, come between the two accesses",
                "hand over with __threadfence() and a flag or a lock on both sides, make both atomic, or split the work into two launches",
            ),
        }
    }
}

/// Two accesses that race.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    pub(super) class: Class,
    pub(super) space: Space,
    /// The first byte that both accessed; in shared memory, an offset.
    pub(super) address: u64,
    pub(super) earlier: Side,
    pub(super) current: Side,
}

/// The report of a finding.
pub(super) fn race(
    finding: &Finding,
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Race {
    let (reason, advice) = finding.class.reason_and_advice();
    let judgement = Judgement {
        kind: finding.class.kind(),
        severity: Severity::Error,
        reason: format!("Barracuda, {reason}"),
        advice,
    };
    let accesses = (&finding.earlier, &finding.current);
    let mut race = sides::race(judgement, finding.address, accesses, circumstances, allocation);
    race.location.space = Some(finding.space);
    race
}

/// The report of threads of a block that wait for a barrier at different places.
pub(super) fn barrier_divergence(
    block: BlockIndex,
    waiting: [(SiteId, u32); 2],
    circumstances: &Circumstances<'_>,
) -> Race {
    let side = |(site, thread)| Side {
        access: AccessType::Barrier,
        strength: Strength::Weak,
        ..Side::new(site, block, ThreadInBlock(thread), None)
    };
    let [first, second] = waiting.map(side);
    let judgement = Judgement {
        kind: RaceKind::BarrierDivergence,
        severity: Severity::Error,
        reason: "Barracuda, barrier divergence: a barrier is executed while threads of the block are inactive".to_string(),
        advice: "let all threads of the block reach the same __syncthreads()",
    };
    let mut race = sides::race(judgement, 0, (&first, &second), circumstances, None);
    race.location = MemoryLocation::NONE;
    for side in [&mut race.first, &mut race.second] {
        side.strength = "wait".to_string();
    }
    race
}
