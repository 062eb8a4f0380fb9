//! iGUARD: races in global memory, by the last writer and the last accessor of each location.
//!
//! Paper: A. K. Kamath and A. Basu, "iGUARD: In-GPU Advanced Race Detection", SOSP 2021; the rules are those of its
//! table 2, the locks those of section 6.3. This module runs on the host, over the events of any engine; a device
//! can check by the same rules.
//!
//! A race is an access to a granule of global memory (4 bytes, unless chosen otherwise) that none of the rules `P1`
//! to `P6` calls free of races and that one of `R1` to `R5` fits, compared with the last writer (for a load) or the
//! last accessor (for a store or an atomic). An access is taken to be ordered after an earlier one of
//! - the same warp, if a warp barrier came between them or the lanes execute the instruction together;
//! - the same block, if a block barrier came between them;
//! - any thread, if *that* thread has executed a fence of sufficient scope since then: its fence counters now
//!   differ from those at the time of its access. Whether anybody observed what the fence publishes is not asked.
//!
//! Where it deviates from the paper, or says what the paper leaves open:
//! - **Sharing begins anew at a barrier.** A location that one block uses is *shared in the block* only since the
//!   last block barrier; otherwise two warps that use it in turn, with barriers, would be reported.
//! - **A thread does not race with itself**: `R2` to `R5` do not apply. The text says so, table 2 does not.
//! - **A store ends being atomic.** Table 2 asks for *atomic* without saying when that ends.
//! - **Release operations count as fences** of their scope, right before their access: the paper sees machine code,
//!   in which they are. So do arrivals with release semantics at an `mbarrier` and, with device scope, at the
//!   barrier of a cluster, which the paper's hardware did not have. Acquiring counts nothing.
//! - **Barriers of a part of the block** count as warp barriers of the warps that wait.
//! - **Cluster scope** is taken for block scope, system scope for device scope.
//! - **`cp.async`** is a load of its source when it is issued.
//! - **What blocks share alike is not noted again**, unless that is switched off: once several blocks have used a
//!   location, a load, or an atomic of device scope behind another one, is checked but leaves the entry as it is. So
//!   a GPU need not write metadata for what all blocks read, and a later store is compared with an earlier reader.
//! - **A thread that reads back what it wrote last** leaves the entry as it is, if it was the last accessor and none of its
//!   counters has changed: a report then names its store rather than its load.
//! - **`R5` compares the locks of the two accesses** that it names: those of the last writer, for a load. That is table
//!   2's `md.Locks`, and the text's "locks held during the previous access and the current one". Whether there are locks
//!   at all, which table 2 asks of the location (`mm.Locks`), is asked of the same two. So each entry keeps the locks of
//!   its last writer and of its last accessor.
//! - **With a history** of several accessors a store is compared with each; an access by the thread that was the last
//!   accessor takes its place.
//!
//! It can miss races with all but the last writer and accessor (or those of the chosen history), races across
//! fences that nobody waited for, races in a location that several blocks use and that then stay within one block,
//! and whatever wraps around its counters of six and eight bits. It also reports accesses that the PTX memory model
//! orders: flags that are polled by plain, volatile or acquiring loads, and data that a barrier and then a fence of
//! *another* thread publishes, as `grid.sync()` does. Bulk copies are outside of it, and kernels that have them are
//! said to be not covered.
//!
//! It never reports shared memory, which is outside of its definition, nor two launches that overlap, nor accesses
//! of the host: every launch begins with nothing remembered.

mod findings;
mod locks;
pub mod messages;
mod rules;
mod settings;
mod shadow;
mod specification;
mod synchronisation;

pub use rules::Rule;
pub use settings::{History, IguardSettings};
pub use specification::SPECIFICATION;

use crate::allocations::Allocations;
use crate::last_access::Reach;
use crate::last_access::follower::{Follower, Warps, follow};
use crate::last_access::instruction::{address_of, copy_info, release_scope, site_info};
use crate::last_access::launch::Launch;
use crate::last_access::sites::{Role, Sites};
use crate::reporting::{Reported, Scene};
use crate::{Detector, Settings, Statistic};
use findings::PendingRace;
use rules::{Current, Kind, Outcome, Stamp};
use shadow::Shadow;
use synchronisation::Synchronisation;
use warpsan_event::{
    Access, AccessKind, Batch, CopyBegin, CopySide, EventMask, KernelFacts, LaneAddresses,
};
use warpsan_model::{Geometry, Scope, Space};
use warpsan_report::RaceSink;

/// One instruction of a warp that reads or writes global memory.
struct Instruction<'a> {
    block: u32,
    warp: u32,
    mask: u32,
    site: u32,
    kind: Kind,
    /// Bytes of each lane.
    bytes: u64,
    addresses: LaneAddresses<'a>,
}

/// The detector of the paper.
#[derive(Debug)]
pub struct Iguard {
    settings: Settings,
    launch: Launch,
    allocations: Allocations,
    sites: Sites,
    synchronisation: Synchronisation,
    shadow: Shadow,
    found: Vec<PendingRace>,
    reported: Reported<PendingRace>,
    /// How often each rule fitted.
    counts: [u64; Rule::ALL.len()],
    undecided: u64,
    coalesced: u64,
    shadow_peak: u64,
}

impl Iguard {
    /// A detector with these settings.
    pub fn new(settings: Settings) -> Self {
        Iguard {
            settings,
            launch: Launch::default(),
            allocations: Allocations::default(),
            sites: Sites::default(),
            synchronisation: Synchronisation::default(),
            shadow: Shadow::new(&settings.iguard),
            found: Vec::new(),
            reported: Reported::default(),
            counts: [0; Rule::ALL.len()],
            undecided: 0,
            coalesced: 0,
            shadow_peak: 0,
        }
    }

    /// Checks the lanes of one instruction, one after the other.
    #[inline]
    fn check(&mut self, instruction: &Instruction<'_>) {
        let Instruction { block, warp, mask, site, kind, bytes, ref addresses } = *instruction;
        self.synchronisation.admit(block);
        let synchronisation = &self.synchronisation;
        let Some(view) = synchronisation.view(block, warp) else { return };
        let warps_per_block = synchronisation.warps_per_block();
        let sharing = self.settings.iguard.sharing;
        let one_for_all =
            self.settings.iguard.coalescing && kind != Kind::Store && is_one_address(addresses);
        let checking = match one_for_all {
            true => mask & mask.wrapping_neg(),
            false => mask,
        };
        self.coalesced += u64::from((mask & !checking).count_ones());
        for (lane, address) in addresses.of(mask) {
            if checking >> lane & 1 == 0 {
                break;
            }
            let current = Current {
                stamp: view.stamp(lane, site),
                kind,
                active: mask,
                first_warp: view.first_warp,
                warps_per_block,
            };
            for granule in self.shadow.granules(address, bytes) {
                let (entry, older) = self.shadow.entry(granule);
                let now = |earlier: &Stamp| synchronisation.fences_now(earlier);
                match rules::check(entry, older, &current, sharing, now) {
                    Outcome::RaceFree(rule) => self.counts[rule as usize] += 1,
                    Outcome::Undecided => self.undecided += 1,
                    Outcome::Race(rule, earlier) => {
                        self.counts[rule as usize] += 1;
                        self.found.push(PendingRace {
                            rule,
                            earlier,
                            current: current.stamp,
                            granule,
                        });
                    }
                }
            }
        }
    }

    /// Reports what was found since the last event.
    #[cold]
    fn report(&mut self, races: &mut dyn RaceSink) {
        let scene = Scene {
            launch: &self.launch,
            allocations: &self.allocations,
            sites: &self.sites,
            seed: self.settings.seed,
        };
        let (settings, shadow, synchronisation) =
            (&self.settings, &self.shadow, &self.synchronisation);
        let found = self.found.drain(..).map(|one| (one, 1));
        let race = |one: &PendingRace| one.race(settings, &scene, shadow, synchronisation);
        self.reported.report(found, races, race);
    }
}

impl Follower for Iguard {
    const CLUSTER: Reach = Reach::Block;

    fn begin_launch(&mut self, launch: Launch, geometry: &Geometry) {
        self.launch = launch;
        self.sites.clear();
        self.synchronisation.begin_launch(geometry);
        self.shadow.begin_launch();
    }

    fn end_launch(&mut self, races: &mut dyn RaceSink) {
        self.shadow_peak = self.shadow_peak.max(self.shadow.bytes());
        self.reported.end_launch(races);
    }

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        if self.launch.is_of_host {
            return;
        }
        let origin = (access.block.0, access.warp, access.mask);
        if let Some(scope) = release_scope(access.strength) {
            let (block, warp, mask) = origin;
            self.synchronisation.fence(block, warp, mask, reach_of(scope));
        }
        if access.space != Space::Global {
            return;
        }
        let info = self.sites.info(access.site, &self.launch.sites, || site_info(access));
        let reach = reach_of(access.strength.scope().unwrap_or(Scope::Sys));
        let kind = match access.kind {
            AccessKind::Read => Kind::Load,
            AccessKind::Write => Kind::Store,
            AccessKind::ReadModifyWrite | AccessKind::Reduction => Kind::Atomic(reach),
        };
        self.check(&Instruction {
            block: access.block.0,
            warp: access.warp,
            mask: access.mask,
            site: access.site.0,
            kind,
            bytes: access.bytes_of_lane(),
            addresses: access.addresses,
        });
        match info.role {
            Role::None => {}
            Role::Takes => {
                let address = |lane: u32| address_of(access, lane);
                self.synchronisation.compare_and_swap(origin, reach, address);
            }
            Role::GivesBack => {
                let address = |lane: u32| address_of(access, lane);
                self.synchronisation.exchange(origin, reach, address);
            }
        }
    }

    fn copy_begin(&mut self, copies: &CopyBegin<'_>, from: &CopySide<'_>) {
        self.sites.info(copies.site, &self.launch.sites, || copy_info(from.bytes));
        self.check(&Instruction {
            block: copies.block.0,
            warp: copies.warp,
            mask: copies.mask,
            site: copies.site.0,
            kind: Kind::Load,
            bytes: u64::from(from.bytes),
            addresses: from.addresses,
        });
    }

    fn warps(&mut self) -> &mut dyn Warps {
        &mut self.synchronisation
    }

    fn allocations(&mut self) -> &mut Allocations {
        &mut self.allocations
    }

    #[inline]
    fn report_found(&mut self, races: &mut dyn RaceSink) {
        if !self.found.is_empty() {
            self.report(races);
        }
    }
}

/// What a scope is to iGUARD.
#[inline]
fn reach_of(scope: Scope) -> Reach {
    Reach::of(scope, Iguard::CLUSTER)
}

/// Whether all lanes use the same address, as far as that can be seen at a glance: engines give addresses in the
/// shortest form.
#[inline]
fn is_one_address(addresses: &LaneAddresses<'_>) -> bool {
    match addresses {
        LaneAddresses::Uniform(_) => true,
        LaneAddresses::Strided { stride, .. } => *stride == 0,
        LaneAddresses::PerLane(all) => all.windows(2).all(|pair| pair[0] == pair[1]),
    }
}

impl Detector for Iguard {
    fn interest(&self) -> EventMask {
        EventMask::STRUCTURE | EventMask::ACCESSES | EventMask::SYNCHRONISATION
    }

    fn not_covered(&self, facts: &KernelFacts) -> Option<String> {
        facts
            .uses_bulk_copies
            .then(|| "the detector iguard does not follow bulk copies of global memory".to_string())
    }

    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink) {
        follow(self, events, races);
    }

    fn statistics(&self) -> Vec<Statistic> {
        let count =
            |rule: &Rule| Statistic { name: rule.name(), value: self.counts[*rule as usize] };
        let mut statistics: Vec<Statistic> = Rule::ALL.iter().map(count).collect();
        let others = [
            ("accesses that no rule fits", self.undecided),
            ("accesses that another lane checked", self.coalesced),
            ("shadow bytes (peak)", self.shadow_peak.max(self.shadow.bytes())),
        ];
        statistics.extend(others.map(|(name, value)| Statistic { name, value }));
        statistics
    }
}

#[cfg(test)]
mod tests;
