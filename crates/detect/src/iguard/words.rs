//! From a finding to a report: kind, severity and words. For findings of this detector, and for those that come
//! from a device that checks by the same rules.

use super::rules::Rule;
use crate::strength_words::strength_in_words;
use warpsan_event::{KernelFacts, SiteTable};
use warpsan_model::{
    BlockIndex, DeviceAddress, Geometry, LaunchId, SiteId, Space, Strength, ThreadInBlock,
};
use warpsan_report::{
    AccessReport, AccessType, AllocationReport, MemoryLocation, Race, RaceKind, Replay, Severity,
    Treatment,
};

/// One of the two accesses of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// The instruction.
    pub site: SiteId,
    /// The block of the thread.
    pub block: BlockIndex,
    /// The thread.
    pub thread: ThreadInBlock,
    /// What it does.
    pub access: AccessType,
    /// How strong it is.
    pub strength: Strength,
    /// Bytes of one element.
    pub bytes: u32,
}

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

/// What a report says besides the finding itself.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'a> {
    /// The kernel.
    pub facts: &'a KernelFacts,
    /// Its instructions.
    pub sites: &'a SiteTable,
    /// The extents of the launch.
    pub geometry: &'a Geometry,
    /// The number of the launch.
    pub launch: LaunchId,
    /// The seed of the schedule.
    pub seed: u64,
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
    Race {
        kind: kind(finding.rule),
        severity,
        kernel: circumstances.facts.display_name.clone(),
        first: side(&finding.earlier, circumstances),
        second: side(&finding.current, circumstances),
        location: MemoryLocation {
            space: Space::Global,
            address: DeviceAddress(finding.address),
            allocation,
        },
        reason: format!("{}: {reason}", finding.rule.number()),
        advice: advice.to_string(),
        related: Vec::new(),
        same_value: false,
        count: 1,
        replay: Replay { seed: circumstances.seed, launch: circumstances.launch.0 },
    }
}

fn side(side: &Side, circumstances: &Circumstances<'_>) -> AccessReport {
    let Circumstances { sites, geometry, .. } = circumstances;
    let site = sites.get(side.site);
    AccessReport {
        access: side.access,
        strength: strength_in_words(side.strength),
        position: site.position().cloned(),
        source_line: None,
        frames: site.frames.clone(),
        instruction: site.instruction.to_string(),
        ptx_line: site.ptx_line,
        thread: geometry.block.at(u64::from(side.thread.0)),
        block: geometry.grid.at(u64::from(side.block.0)),
        warp: side.thread.warp(),
        bytes: side.bytes,
    }
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
