//! From a finding to a report: kind, severity and words. For findings of this detector, and for those that come
//! from a device that checks by the same rules.

use super::rules::Rule;
use crate::last_access::sides::{self, Judgement};
use warpsan_report::{AccessType, AllocationReport, Race, RaceKind, Severity, Treatment};

pub use crate::last_access::sides::{Circumstances, Side};

/// A race, as the rules see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// The rule that fits, one of `R1` to `R5`.
    pub rule: Rule,
    /// The first byte of the granule that both accessed.
    pub address: u64,
    /// The access that was remembered.
    pub earlier: Side,
    /// The access that was checked.
    pub current: Side,
}

/// The kind of race that a rule finds.
pub fn kind(rule: Rule) -> RaceKind {
    match rule {
        Rule::R1 => RaceKind::Scope,
        Rule::R2 => RaceKind::WarpSync,
        Rule::R5 => RaceKind::Lock,
        _ => RaceKind::MissingSync,
    }
}

/// How bad a race by this rule is; none if it is not to be reported.
pub fn severity(rule: Rule, warp_sync: Treatment) -> Option<Severity> {
    match rule {
        Rule::R2 => warp_sync.severity(),
        _ => Some(Severity::Error),
    }
}

/// The report of a finding.
pub fn race(
    finding: &Finding,
    severity: Severity,
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Race {
    let (reason, advice) = reason_and_advice(finding);
    let judgement = Judgement {
        kind: kind(finding.rule),
        severity,
        reason: format!("{}: {reason}", finding.rule.number()),
        advice,
    };
    let sides = (&finding.earlier, &finding.current);
    sides::race(judgement, finding.address, sides, circumstances, allocation)
}

fn reason_and_advice(finding: &Finding) -> (&'static str, &'static str) {
    let atomic = |side: &Side| side.access == AccessType::Atomic;
    match finding.rule {
        Rule::R1 => (
            "the location was last updated by an atomic of block scope, which does not reach a thread of another block",
            "use the device-wide form, for example atomicAdd in place of atomicAdd_block",
        ),
        Rule::R2 => (
            "the two threads are in one warp, do not execute together, and no warp barrier or fence comes between the two accesses",
            "put __syncwarp() between the two accesses",
        ),
        Rule::R5 => (
            "a lock is held on one side, and no lock is held on both",
            "take the same lock around both accesses",
        ),
        Rule::R3 => (
            "the two threads are in one block, no barrier comes between the two accesses, and the first thread has executed no fence since",
            "put __syncthreads() between the two accesses, or make both atomic",
        ),
        _ if atomic(&finding.earlier) != atomic(&finding.current) => (
            "the two threads are in different blocks, only one access is atomic, and the first thread has executed no fence of device scope since",
            "make both accesses atomic, or put __threadfence() after the first",
        ),
        _ => (
            "the two threads are in different blocks, and the first has executed no fence of device scope since",
            "use atomics, hand over with __threadfence() and a flag, or split the work into two launches",
        ),
    }
}
