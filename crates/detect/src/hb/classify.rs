//! From a pair of accesses to a report: the kind, the severity, and words that people can act on.

use super::history::Record;
use crate::allocations::Allocations;
use warpsan_event::{KernelFacts, SiteTable};
use warpsan_model::{
    BlockIndex, DeviceAddress, Geometry, LaunchId, Order, Scope, SiteId, Space, Strength,
    WARP_LANES,
};
use warpsan_report::{
    AccessReport, AccessType, AllocationReport, MemoryLocation, Race, RaceKind, Replay, Severity,
};

/// What a report needs to know besides the two accesses.
pub(super) struct Setting<'a> {
    pub(super) seed: u64,
    pub(super) launch: LaunchId,
    pub(super) geometry: &'a Geometry,
    pub(super) facts: &'a KernelFacts,
    pub(super) sites: &'a SiteTable,
    pub(super) allocations: &'a Allocations,
}

/// An earlier access that the new one races with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conflict {
    pub(super) other: Record,
    pub(super) other_lane: u32,
    pub(super) lane: u32,
    pub(super) kind: RaceKind,
    pub(super) severity: Severity,
    /// Some lanes of the other access are ordered before the new one.
    pub(super) partly_ordered: bool,
    same_value: bool,
}

impl Conflict {
    /// `unordered` are the lanes of the other access that nothing orders before the new one.
    pub(super) fn new(other: Record, unordered: u32, new: &Record, lane: u32) -> Conflict {
        let same_value = other.writes
            && new.writes
            && other.same_range(new)
            && other.value.is_some()
            && other.value == new.value;
        let kind = kind(&other, new, same_value);
        Conflict {
            other_lane: unordered.trailing_zeros(),
            partly_ordered: unordered != other.mask,
            severity: severity(&other, new, kind),
            other,
            lane,
            kind,
            same_value,
        }
    }
}

/// The first kind of the model's list that fits.
fn kind(old: &Record, new: &Record, same_value: bool) -> RaceKind {
    let same_warp = old.block == new.block && old.warp == new.warp;
    let one_instruction = same_warp && old.event == new.event;
    let both_strong = !old.is_weak() && !new.is_weak();
    if old.read_only_path || new.read_only_path {
        RaceKind::ReadonlyPath
    } else if both_strong && !(old.reaches(new) && new.reaches(old)) {
        RaceKind::Scope
    } else if same_warp && !one_instruction && old.active & new.active == 0 {
        RaceKind::Divergence
    } else if same_warp && !one_instruction {
        RaceKind::WarpSync
    } else if both_strong && !old.same_range(new) {
        RaceKind::MixedSize
    } else if both_strong {
        RaceKind::Volatile
    } else if same_value {
        RaceKind::SameValue
    } else {
        RaceKind::MissingSync
    }
}

fn severity(old: &Record, new: &Record, kind: RaceKind) -> Severity {
    match kind {
        RaceKind::WarpSync | RaceKind::Volatile => Severity::Warning,
        RaceKind::SameValue if old.event == new.event => Severity::Info,
        _ => Severity::Error,
    }
}

/// The report of a conflict at one byte.
pub(super) fn race(
    setting: &Setting<'_>,
    space: Space,
    new: &Record,
    conflict: &Conflict,
    at: u64,
) -> Race {
    let Conflict { other, other_lane, lane, kind, severity, same_value, .. } = conflict;
    let (reason, advice) = words(space, other, new, *kind);
    Race {
        kind: *kind,
        severity: *severity,
        kernel: setting.facts.display_name.clone(),
        first: side(setting, other, *other_lane),
        second: side(setting, new, *lane),
        location: location(setting, space, at.max(other.start).max(new.start)),
        reason,
        advice,
        related: Vec::new(),
        same_value: *same_value,
        count: 1,
        replay: Replay { seed: setting.seed, launch: setting.launch.0 },
    }
}

fn side(setting: &Setting<'_>, record: &Record, lane: u32) -> AccessReport {
    let access = match (record.atomic, record.writes) {
        (true, _) => AccessType::Atomic,
        (false, true) => AccessType::Write,
        (false, false) => AccessType::Read,
    };
    let thread = record.warp * WARP_LANES + lane;
    let told = strength_in_words(record.strength);
    access_report(setting, access, told, record.site, record.block, thread, record.bytes)
}

fn access_report(
    setting: &Setting<'_>,
    access: AccessType,
    strength: String,
    site: SiteId,
    block: BlockIndex,
    thread: u32,
    bytes: u8,
) -> AccessReport {
    let site = setting.sites.get(site);
    AccessReport {
        access,
        strength,
        position: site.position().cloned(),
        source_line: None,
        frames: site.frames.clone(),
        instruction: site.instruction.to_string(),
        ptx_line: site.ptx_line,
        thread: setting.geometry.block.at(u64::from(thread)),
        block: setting.geometry.grid.at(u64::from(block.0)),
        warp: thread / WARP_LANES,
        bytes: u32::from(bytes),
    }
}

fn strength_in_words(strength: Strength) -> String {
    match strength {
        Strength::Weak => "weak".to_string(),
        Strength::Volatile => "volatile".to_string(),
        Strength::Strong { order, scope } => {
            let order = match order {
                Order::Relaxed => "relaxed",
                Order::Acquire => "acquire",
                Order::Release => "release",
                Order::AcqRel => "acquire-release",
                Order::SeqCst => "sequentially consistent",
            };
            format!("{order}, {scope} scope")
        }
    }
}

fn location(setting: &Setting<'_>, space: Space, at: u64) -> MemoryLocation {
    let allocation = match space {
        Space::Shared => {
            let variables = setting.facts.shared_variables.iter();
            variables.filter(|variable| variable.offset <= at).max_by_key(|v| v.offset).map(
                |variable| AllocationReport {
                    label: variable.name.clone(),
                    bytes: variable.bytes,
                    offset: at - variable.offset,
                },
            )
        }
        _ => setting.allocations.describe(at),
    };
    MemoryLocation { space, address: DeviceAddress(at), allocation }
}

/// Why it is a race, and what would order the two.
fn words(space: Space, old: &Record, new: &Record, kind: RaceKind) -> (String, String) {
    let same_block = old.block == new.block;
    let (reason, advice) = match kind {
        RaceKind::ReadonlyPath => (
            "the load goes through the read-only path (ld.global.nc), which does not see what the same kernel writes",
            "drop `const __restrict__` or `__ldg` for memory that the kernel writes",
        ),
        RaceKind::Scope if !same_block && (cluster_scope(old) || cluster_scope(new)) => (
            "both are atomic, but cluster scope does not reach a thread of another cluster",
            "use device scope on both sides",
        ),
        RaceKind::Scope => (
            "both are atomic, but block scope does not reach a thread of another block",
            "use the device-wide form, for example atomicAdd in place of atomicAdd_block",
        ),
        RaceKind::Divergence => (
            "the two threads are on different paths of one warp, and nothing orders the paths",
            "put __syncwarp() between the two accesses, where both paths have joined",
        ),
        RaceKind::WarpSync => (
            "the two threads are in one warp, which alone orders nothing: lanes need not run in lockstep",
            "put __syncwarp() between the two accesses",
        ),
        RaceKind::MixedSize => (
            "both are strong, but they overlap only partly, and such accesses do not order each other",
            "access the location with one size",
        ),
        RaceKind::Volatile => (
            "volatile keeps the accesses, but in CUDA C++ it makes no synchronisation between threads",
            "use cuda::atomic_ref or an atomic function on both sides",
        ),
        RaceKind::SameValue => (
            "both threads write the same value, and nothing orders the two writes",
            "let one thread write, or use an atomic",
        ),
        _ if same_block && space == Space::Shared => (
            "the two threads are in one block, and no barrier comes between the two accesses",
            "put __syncthreads() between the two accesses",
        ),
        _ if same_block => (
            "the two threads are in one block, and no barrier or other synchronisation comes between the two accesses",
            "put __syncthreads() between the two accesses, or make both atomic",
        ),
        _ if space == Space::Shared => (
            "the two threads are in two blocks of a cluster, and no barrier of the cluster comes between the two accesses",
            "put cluster.sync() between the two accesses",
        ),
        _ if !old.is_weak() || !new.is_weak() => (
            "one access is atomic, the other is not, and nothing orders the two",
            "make both accesses atomic, or order them with a fence and a flag",
        ),
        _ => (
            "the two threads are in different blocks, and nothing orders blocks of one launch",
            "use an atomic, split the work into two launches, or let each block write its own part",
        ),
    };
    (reason.to_string(), advice.to_string())
}

fn cluster_scope(record: &Record) -> bool {
    record.strength.scope() == Some(Scope::Cluster)
}

/// The report of a barrier that can never complete.
pub(super) fn barrier_divergence(
    setting: &Setting<'_>,
    block: BlockIndex,
    sides: [(SiteId, u32); 2],
) -> Race {
    let side = |(site, thread): (SiteId, u32)| {
        let told = "waits here".to_string();
        access_report(setting, AccessType::Barrier, told, site, block, thread, 0)
    };
    Race {
        kind: RaceKind::BarrierDivergence,
        severity: Severity::Error,
        kernel: setting.facts.display_name.clone(),
        first: side(sides[0]),
        second: side(sides[1]),
        location: MemoryLocation {
            space: Space::Shared,
            address: DeviceAddress(0),
            allocation: None,
        },
        reason: "threads of the block wait at different places, and no barrier can complete"
            .to_string(),
        advice: "let all threads of the block reach the same __syncthreads()".to_string(),
        related: Vec::new(),
        same_value: false,
        count: 1,
        replay: Replay { seed: setting.seed, launch: setting.launch.0 },
    }
}
