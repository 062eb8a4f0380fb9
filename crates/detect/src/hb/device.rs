//! Findings of a device that keeps hb's entries: the kind by the same list, and the same words.

use super::diagnosis::{
    NOT_BEFORE_COPY, OVERLAP_PARTLY, VOLATILE_IS_NO_SYNCHRONISATION, not_waited_for,
};
use super::ids::Agent;
use crate::Settings;
use crate::last_access::sides::{self, Circumstances, Judgement, Side};
use crate::specification::device::{DeviceFinding, UnknownRule};
use warpsan_model::{Space, Strength};
use warpsan_report::{
    AccessOrder, AccessType, AllocationReport, Race, RaceKind, Severity, Treatment,
};

/// Who raced, as the device's rules have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Lanes,
    Warps,
    Blocks,
}

/// The report of a finding; none if users do not want to hear of its kind.
pub(super) fn device_race(
    finding: &DeviceFinding,
    settings: &Settings,
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Result<Option<Race>, UnknownRule> {
    let class = match finding.rule {
        1 => Class::Lanes,
        2 => Class::Warps,
        3 => Class::Blocks,
        rule => return Err(UnknownRule { rule }),
    };
    let kind = kind(finding, class);
    let Some(severity) = severity(kind, finding, settings) else { return Ok(None) };
    let (reason, advice) = reason_and_advice(kind, finding, class);
    let judgement = Judgement { kind, severity, reason: reason.to_owned(), advice };
    let [earlier, current] = &finding.sides;
    let address = finding.address;
    let mut race = sides::race(judgement, address, (earlier, current), circumstances, allocation);
    race.location.space = Some(finding.space);
    race.same_value = finding.met.same_value;
    if finding.met.one_instruction {
        race.order = AccessOrder::Unknown;
    }
    Ok(Some(race))
}

/// The first kind of the model's list that fits.
fn kind(finding: &DeviceFinding, class: Class) -> RaceKind {
    let met = finding.met;
    match class {
        _ if met.read_only_path => RaceKind::ReadonlyPath,
        _ if met.copies.contains(&true) => RaceKind::Async,
        // In the eyes of PTX there is nothing to be ordered, as long as they are of the same bytes.
        Class::Lanes if are_volatile(finding) && are_as_large(finding) && met.converged => {
            RaceKind::WarpSync
        }
        _ if are_volatile(finding) && are_as_large(finding) => RaceKind::Volatile,
        _ if met.same_value => RaceKind::SameValue,
        _ if are_volatile(finding) => RaceKind::MixedSize,
        Class::Lanes if met.one_instruction => RaceKind::MissingSync,
        Class::Lanes if met.converged => RaceKind::WarpSync,
        Class::Lanes => RaceKind::Divergence,
        Class::Warps | Class::Blocks => RaceKind::MissingSync,
    }
}

/// Whether both accesses are volatile.
fn are_volatile(finding: &DeviceFinding) -> bool {
    finding.sides.iter().all(|side| side.strength == Strength::Volatile)
}

/// Whether both accesses are of as many bytes, so that they are of the same ones.
fn are_as_large(finding: &DeviceFinding) -> bool {
    finding.sides[0].bytes == finding.sides[1].bytes
}

fn severity(kind: RaceKind, finding: &DeviceFinding, settings: &Settings) -> Option<Severity> {
    match kind {
        RaceKind::WarpSync => settings.warp_sync.severity(),
        RaceKind::Volatile => settings.volatile.severity(),
        RaceKind::SameValue if settings.same_value == Treatment::Allow => None,
        RaceKind::SameValue if finding.met.one_instruction => Some(Severity::Info),
        RaceKind::SameValue => settings.same_value.severity(),
        RaceKind::ReadonlyPath if is_read_before(finding) => Some(Severity::Info),
        _ => Some(Severity::Error),
    }
}

/// Whether the read was ordered before the write.
fn is_read_before(finding: &DeviceFinding) -> bool {
    finding.met.ordered && finding.sides[0].access == AccessType::Read
}

fn reason_and_advice(
    kind: RaceKind,
    finding: &DeviceFinding,
    class: Class,
) -> (&'static str, &'static str) {
    let is_atomic = |side: &Side| side.access == AccessType::Atomic;
    let [earlier, current] = &finding.sides;
    let is_same_thread = (earlier.block, earlier.thread) == (current.block, current.thread);
    match (kind, class) {
        (RaceKind::Async, _) if finding.met.copies[0] => {
            not_waited_for(Agent::ThreadCopy, is_same_thread)
        }
        (RaceKind::Async, _) => NOT_BEFORE_COPY,
        (RaceKind::ReadonlyPath, _) if is_read_before(finding) => (
            "restricted pointers alias: the memory was read through the read-only path (ld.global.nc) before this kernel wrote it, so \
             the read is right as long as the compiler does not move it",
            "drop `const __restrict__` or `__ldg` for memory that the kernel writes",
        ),
        (RaceKind::ReadonlyPath, _) => (
            "the load goes through the read-only path (ld.global.nc), which does not see what the same kernel writes",
            "drop `const __restrict__` or `__ldg` for memory that the kernel writes",
        ),
        (RaceKind::SameValue, _) => (
            "both threads write the same value, and nothing orders the two writes",
            "let one thread write, or use an atomic",
        ),
        (RaceKind::Volatile, _) => VOLATILE_IS_NO_SYNCHRONISATION,
        (RaceKind::MixedSize, _) => OVERLAP_PARTLY,
        (RaceKind::Divergence, _) => (
            "the two threads are on different paths of one warp, and nothing orders the paths",
            "put __syncwarp() between the two accesses, where both paths have joined",
        ),
        (RaceKind::WarpSync, _) => (
            "the two threads are in one warp, which alone orders nothing: lanes need not run in lockstep",
            "put __syncwarp() between the two accesses",
        ),
        _ if finding.met.one_instruction => (
            "lanes of one instruction write the same place, and which of them stays is not defined",
            "let one lane write, or use an atomic",
        ),
        (_, Class::Lanes | Class::Warps) if finding.space == Space::Shared => (
            "the two threads are in one block, and no barrier comes between the two accesses",
            "put __syncthreads() between the two accesses",
        ),
        (_, Class::Lanes | Class::Warps) => (
            "the two threads are in one block, and no barrier or other synchronisation comes between the two accesses",
            "put __syncthreads() between the two accesses, or make both atomic",
        ),
        (_, Class::Blocks) if finding.sides.iter().any(is_atomic) => (
            "one access is atomic, the other is not, and nothing orders the two",
            "make both accesses atomic, or order them with a fence and a flag",
        ),
        (_, Class::Blocks) => (
            "the two threads are in different blocks, and nothing orders blocks of one launch",
            "let each thread write memory of its own (or each block, where barriers order its threads), split the work into two \
             launches, or make both accesses atomic",
        ),
    }
}
