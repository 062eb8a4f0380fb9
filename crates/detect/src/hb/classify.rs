//! From a pair of accesses to a report: the kind and the severity.

use super::HappensBefore;
use super::compare::Who;
use super::diagnosis::Diagnosis;
use super::found::{Conflict, Side};
use super::handoff::{Fault, Handoff, Via};
use super::launches::Launched;
use super::shadow::Agent;
use super::words;
use crate::allocations::shared_variable;
use crate::strength_words::strength_in_words;
use std::sync::Arc;
use warpsan_event::Site;
use warpsan_model::{BlockIndex, DeviceAddress, Scope, SiteId, Space, WARP_LANES};
use warpsan_report::{
    AccessReport, AccessType, MemoryLocation, Race, RaceKind, RaceSink, RelatedSite, Replay,
    Severity,
};

/// So often a pair of sites is looked at anew for hand-offs; later occurrences are like the last.
const LOOKED_AT: u64 = 64;

impl HappensBefore {
    /// Tells what was found since the last event.
    #[cold]
    pub(super) fn tell(&mut self, races: &mut dyn RaceSink) {
        let found = std::mem::take(&mut self.found);
        for conflict in &found {
            self.tell_one(conflict, races);
        }
        self.found = found;
        self.found.clear();
    }

    fn tell_one(&mut self, conflict: &Conflict, races: &mut dyn RaceSink) {
        let finding = self.classify(conflict);
        let Some(severity) = self.severity(conflict, finding.kind) else { return };
        let pair = (conflict.old.site, conflict.new.site, finding.kind, severity);
        if let Some((_, again)) = self.reported.get_mut(&pair) {
            *again += 1;
            return;
        }
        let race = self.race(conflict, &finding, severity);
        self.reported.insert(pair, (race.key(), 0));
        races.race(race);
    }

    fn severity(&self, conflict: &Conflict, kind: RaceKind) -> Option<Severity> {
        match kind {
            RaceKind::WarpSync => self.settings.warp_sync.severity(),
            RaceKind::Volatile => self.settings.volatile.severity(),
            RaceKind::SameValue if conflict.same_event => Some(Severity::Info),
            _ => Some(Severity::Error),
        }
    }

    /// The first kind of the model's list that fits.
    fn classify(&mut self, conflict: &Conflict) -> Diagnosis {
        let Conflict { old, new, .. } = conflict;
        let plain = |kind| Diagnosis { kind, handoff: None };
        let both_strong = !old.weak && !new.weak;
        let scope = |side: &Side| self.site_info(side.site).strength.scope().unwrap_or(Scope::Sys);
        let mutual = self.threads.mutual((scope(old), old.block), (scope(new), new.block));
        let bytes = |side: &Side| self.site_info(side.site).bytes;
        let start = |side: &Side| {
            let bytes = u64::from(bytes(side).max(1));
            conflict.address - conflict.address % bytes
        };
        let same_range = bytes(old) == bytes(new) && start(old) == start(new);
        // In the eyes of PTX there is nothing to be ordered.
        if both_strong && mutual && same_range && !old.object && !new.object {
            return plain(RaceKind::Volatile);
        }
        if old.block < self.threads.base {
            return plain(RaceKind::InterKernel);
        }
        if old.read_only_path || new.read_only_path {
            return plain(RaceKind::ReadonlyPath);
        }
        let is_async = |side: &Side| side.agent != Agent::Thread || side.object;
        if is_async(old) || is_async(new) {
            return plain(RaceKind::Async);
        }
        let handoff = self.handoff_between(conflict);
        if handoff.as_ref().is_some_and(|(handoff, _)| handoff.via == Via::Mbarrier) {
            return Diagnosis { kind: RaceKind::Async, handoff };
        }
        // Taking a lock and giving it back are not done under it.
        let word = conflict.address - conflict.address % 4;
        let of_lock = self.locks.is_lock(conflict.owner, word);
        if !of_lock && self.locks.differ(old.held, new.held) {
            return plain(RaceKind::Lock);
        }
        match handoff {
            Some((_, fault)) if fault.is_scope() => {
                return Diagnosis { kind: RaceKind::Scope, handoff };
            }
            _ if both_strong && !mutual => return plain(RaceKind::Scope),
            Some(_) => return Diagnosis { kind: RaceKind::MissingFence, handoff },
            None => {}
        }
        let same_warp = (old.block, old.warp) == (new.block, new.warp);
        plain(if same_warp && !conflict.same_event && old.active & new.active == 0 {
            RaceKind::Divergence
        } else if same_warp && !conflict.same_event {
            RaceKind::WarpSync
        } else if both_strong && !same_range {
            RaceKind::MixedSize
        } else if conflict.same_value {
            RaceKind::SameValue
        } else {
            RaceKind::MissingSync
        })
    }

    fn handoff_between(&mut self, conflict: &Conflict) -> Option<(Handoff, Fault)> {
        let Conflict { old, new, .. } = conflict;
        if self.handoffs.is_empty() || conflict.same_event {
            return None;
        }
        let key = (old.site, new.site);
        let looked = self.looked_at.entry(key).or_insert((0, None));
        if looked.0 >= LOOKED_AT {
            return looked.1.clone();
        }
        looked.0 += 1;
        let state = self.threads.existing_warp(new.block, new.warp)?;
        let view = Arc::clone(state.view(new.lane));
        let (first, place) = (self.threads.base, (new.block, new.warp));
        let who = Who::new(place, state, &view, first, &self.earlier, &self.rules);
        let found = self.broken_handoff(conflict, &who);
        if let Some(looked) = self.looked_at.get_mut(&key) {
            looked.1 = found.clone();
        }
        found
    }

    fn race(&self, conflict: &Conflict, finding: &Diagnosis, severity: Severity) -> Race {
        let Conflict { old, new, .. } = conflict;
        let space = if conflict.owner.is_some() { Space::Shared } else { Space::Global };
        let told = words::tell(self, conflict, finding, space);
        Race {
            kind: finding.kind,
            severity,
            kernel: self.facts.display_name.clone(),
            first: self.side(old),
            second: self.side(new),
            location: self.location(space, conflict.address),
            reason: told.reason,
            advice: told.advice,
            related: told.related,
            same_value: conflict.same_value,
            count: 1,
            replay: Replay { seed: self.settings.seed, launch: self.launch.0 },
        }
    }

    fn side(&self, side: &Side) -> AccessReport {
        let access = match (side.atomic, side.writes) {
            (true, _) => AccessType::Atomic,
            (false, true) => AccessType::Write,
            (false, false) => AccessType::Read,
        };
        let info = self.site_info(side.site);
        let strength = match (side.agent, side.object) {
            (Agent::ThreadCopy, _) => "asynchronous copy".to_string(),
            (Agent::BulkCopy, _) => "bulk copy".to_string(),
            (_, true) => "mbarrier object".to_string(),
            _ => strength_in_words(info.strength),
        };
        let bytes = match (side.agent, side.object) {
            (_, true) => 8,
            (Agent::BulkCopy, _) => self.bytes_of_bulk_copy(side.block, side.epoch),
            _ => u32::from(info.bytes),
        };
        let thread = side.warp * WARP_LANES + side.lane;
        self.access_report(access, strength, side.site, side.block, thread, bytes)
    }

    fn access_report(
        &self,
        access: AccessType,
        strength: String,
        site: u32,
        block: u32,
        thread: u32,
        bytes: u32,
    ) -> AccessReport {
        let launched = self.launched_of(block);
        let geometry = launched.map_or(&self.geometry, |launched| &launched.geometry);
        let first = launched.map_or(self.threads.base, |launched| launched.first);
        let site = self.site(site);
        AccessReport {
            access,
            strength,
            position: site.position().cloned(),
            source_line: None,
            frames: site.frames.clone(),
            instruction: site.instruction.to_string(),
            ptx_line: site.ptx_line,
            thread: geometry.block.at(u64::from(thread)),
            block: geometry.grid.at(u64::from(block - first)),
            warp: thread / WARP_LANES,
            bytes,
        }
    }

    fn launched_of(&self, block: u32) -> Option<&Launched> {
        self.launched.iter().find(|launched| (launched.first..launched.end).contains(&block))
    }

    /// What the number of a site stands for.
    pub(super) fn site(&self, site: u32) -> &Site {
        let launched = self.launched.iter().rev().find(|launched| launched.first_site <= site);
        match launched {
            Some(launched) => launched.sites.get(SiteId(site - launched.first_site)),
            None => self.site_table.get(SiteId(site)),
        }
    }

    /// A third place that matters.
    pub(super) fn related(&self, site: u32, message: String) -> RelatedSite {
        let site = self.site(site);
        RelatedSite {
            message,
            position: site.position().cloned(),
            source_line: None,
            instruction: site.instruction.to_string(),
            ptx_line: site.ptx_line,
        }
    }

    fn location(&self, space: Space, at: u64) -> MemoryLocation {
        let allocation = match space {
            Space::Shared => shared_variable(&self.facts, at),
            _ => self.allocations.describe(at),
        };
        MemoryLocation { space, address: DeviceAddress(at), allocation }
    }

    /// The report of a barrier that can never complete, or completes at two places.
    pub(super) fn barrier_divergence(
        &self,
        block: BlockIndex,
        sides: [(SiteId, u32); 2],
        completes: bool,
    ) -> Race {
        let block = self.block_number(block);
        let side = |(site, thread): (SiteId, u32)| {
            let told = "wait".to_string();
            let site = self.site_number(site);
            self.access_report(AccessType::Barrier, told, site, block, thread, 0)
        };
        let location =
            MemoryLocation { space: Space::Shared, address: DeviceAddress(0), allocation: None };
        Race {
            kind: RaceKind::BarrierDivergence,
            severity: if completes { Severity::Warning } else { Severity::Error },
            kernel: self.facts.display_name.clone(),
            first: side(sides[0]),
            second: side(sides[1]),
            location,
            reason: match completes {
                true => "warps of the block meet in one phase of the barrier at different places",
                false => {
                    "threads of the block wait at different places, and no barrier can complete"
                }
            }
            .to_string(),
            advice: "let all threads of the block reach the same __syncthreads()".to_string(),
            related: Vec::new(),
            same_value: false,
            count: 1,
            replay: Replay { seed: self.settings.seed, launch: self.launch.0 },
        }
    }
}
