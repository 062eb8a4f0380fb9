//! The two sides of a race, on their way to the report.

use crate::access_origin::access_origin;
use crate::strength_words::strength_in_words;
use warpsan_event::{KernelFacts, SiteTable};
use warpsan_model::{
    BlockIndex, DeviceAddress, Geometry, LaunchId, SiteId, Space, Strength, ThreadInBlock,
};
use warpsan_report::{
    AccessOrder, AccessReport, AccessType, AllocationReport, MemoryLocation, Race, RaceKind,
    Replay, Severity,
};

use super::sites::SiteInfo;

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

impl Side {
    /// The side of a thread, with what is known of its instruction.
    pub(crate) fn new(
        site: SiteId,
        block: BlockIndex,
        thread: ThreadInBlock,
        info: Option<SiteInfo>,
    ) -> Side {
        Side {
            site,
            block,
            thread,
            access: info.map_or(AccessType::Read, |info| info.access),
            strength: info.map_or(Strength::Weak, |info| info.strength),
            bytes: info.map_or(0, |info| info.bytes),
        }
    }
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

/// What a detector says about two accesses.
#[derive(Debug)]
pub(crate) struct Judgement<'a> {
    pub(crate) kind: RaceKind,
    pub(crate) severity: Severity,
    pub(crate) reason: String,
    pub(crate) advice: &'a str,
}

/// The report of two accesses to a location of global memory.
pub(crate) fn race(
    judgement: Judgement<'_>,
    address: u64,
    (earlier, current): (&Side, &Side),
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Race {
    Race {
        kind: judgement.kind,
        severity: judgement.severity,
        kernel: circumstances.facts.display_name.clone(),
        first: side(earlier, circumstances),
        second: side(current, circumstances),
        order: AccessOrder::FirstThenSecond,
        location: MemoryLocation {
            space: Some(Space::Global),
            address: DeviceAddress(address),
            allocation,
        },
        reason: judgement.reason,
        advice: judgement.advice.to_string(),
        related: Vec::new(),
        same_value: false,
        programmatic: false,
        count: 1,
        also_seen: Vec::new(),
        replay: Replay { seed: circumstances.seed, launch: circumstances.launch.0 },
        threads: None,
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
        origin: access_origin(site),
        instruction: site.instruction.to_string(),
        ptx_line: site.ptx_line,
        thread: geometry.block.at(u64::from(side.thread.0)),
        block: geometry.grid.at(u64::from(side.block.0)),
        warp: side.thread.warp(),
        bytes: side.bytes,
    }
}
