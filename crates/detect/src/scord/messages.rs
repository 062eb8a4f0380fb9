//! From a finding to a report: kind and words.

use super::rules::Rule;
use crate::last_access::sides::{self, Circumstances, Judgement, Side};
use warpsan_report::{AllocationReport, Race, RaceKind, Severity, Treatment};

/// What is wrong with two accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Fault {
    /// The row of table IV.
    pub(super) rule: Rule,
    /// Both are of one block.
    pub(super) is_in_block: bool,
    /// Both are of one warp.
    pub(super) is_in_warp: bool,
    /// The first warp has executed a fence since, but only of block scope.
    pub(super) only_block_fence: bool,
}

impl Fault {
    /// The kind of race.
    pub(super) fn kind(self) -> RaceKind {
        match self.rule {
            Rule::MissingBlockFence | Rule::NotStrong if self.is_in_warp => RaceKind::WarpSync,
            Rule::MissingDeviceFence if self.only_block_fence => RaceKind::Scope,
            Rule::NotStrong => RaceKind::MissingSync,
            Rule::ScopedAtomic => RaceKind::Scope,
            Rule::LockOnLoad | Rule::LockOnStore => RaceKind::Lock,
            _ => RaceKind::MissingFence,
        }
    }

    /// How bad it is; none if it is not to be reported.
    pub(super) fn severity(self, warp_sync: Treatment) -> Option<Severity> {
        match self.kind() {
            RaceKind::WarpSync => warp_sync.severity(),
            _ => Some(Severity::Error),
        }
    }

    fn reason_and_advice(self) -> (&'static str, &'static str) {
        match self.rule {
            Rule::MissingBlockFence | Rule::NotStrong if self.is_in_warp => (
                "two threads of a warp that has diverged, and no barrier of the warp came between",
                "put __syncwarp() between the two accesses",
            ),
            Rule::MissingDeviceFence if self.only_block_fence => (
                "the warp of the first access has executed a fence since, but only of block scope, which does not reach another block",
                "use __threadfence() in place of __threadfence_block()",
            ),
            Rule::MissingDeviceFence => (
                "the warp of the first access has executed no fence of device scope since",
                "put __threadfence() behind the first access and hand over by an atomic, or make both accesses atomic",
            ),
            Rule::NotStrong => (
                "an access to the location was neither volatile nor atomic, so that fences do not order it",
                "make the accesses volatile or atomic, or put a barrier between them",
            ),
            Rule::ScopedAtomic => (
                "the location was last updated by an atomic of block scope, which does not reach a thread of another block",
                "use the device-wide form, for example atomicAdd in place of atomicAdd_block",
            ),
            Rule::LockOnLoad | Rule::LockOnStore => (
                "a lock is held on one side, and no lock of the same scope is held on both",
                "take the same lock, with the same scope, around both accesses",
            ),
            _ => (
                "the warp of the first access has executed no fence since, and no barrier came between",
                "put __syncthreads() between the two accesses, or __threadfence_block() behind the first of two volatile ones",
            ),
        }
    }
}

/// A race, as the rules see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) fault: Fault,
    /// The first byte of the granule that both accessed.
    pub(super) address: u64,
    /// The access that was remembered.
    pub(super) earlier: Side,
    /// The access that was checked.
    pub(super) current: Side,
}

/// The report of a finding.
pub(super) fn race(
    finding: &Finding,
    severity: Severity,
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Race {
    let fault = finding.fault;
    let (reason, advice) = fault.reason_and_advice();
    let scope = if fault.is_in_block { "block-scope" } else { "device-scope" };
    let judgement = Judgement {
        kind: fault.kind(),
        severity,
        reason: format!("ScoRD, {}, a {scope} race: {reason}", fault.rule.number()),
        advice,
    };
    let accesses = (&finding.earlier, &finding.current);
    sides::race(judgement, finding.address, accesses, circumstances, allocation)
}
