//! ScoRD: races in global memory, scoped ones among them, by the last access to each location.
//!
//! Paper: A. K. Kamath, A. A. George and A. Basu, "ScoRD: A Scoped Race Detector for GPUs", ISCA 2020. The rules are
//! those of its tables III and IV, the metadata are its 64 bits for each location, the cache is that of section IV-B,
//! and independent thread scheduling is the extension of section VI. The paper's detector is hardware; this one runs
//! on the host, over the events of any engine.
//!
//! A race is an access of a warp to a granule of global memory (4 bytes, unless chosen otherwise) that no row of table
//! III calls free of races and that a row of table IV fits, compared with the last access of another warp: one of the two
//! is a write, and
//! - (a) they are of one block, and the first warp has executed no fence since: its counters in the fence file are now
//!   what they were then;
//! - (b) they are of two blocks, and the first warp has executed no fence of device scope since;
//! - (c) not all accesses to the location were strong (volatile or atomic): a fence does not order weak ones;
//! - (d) the first is an atomic of block scope, and the second is of another block;
//! - (e), (f) a lock is held on one side, and none on both: of two blocks, none of the same scope.
//!
//! The rows are tried in the order of the table, but for (d), which says more than (b) where both fit; the first one is
//! reported. Two atomics are compared by (d) alone; an atomic behind a load or a store counts as a store.
//!
//! What the paper leaves open, and what was chosen:
//! - **An entry is of the last access, and so is *Modified***: a load of another warp ends it. If it stayed, the second of
//!   two warps that read what a third has published would be compared with the first, which need not execute a
//!   fence, and be reported; and all three flags that mean *initial* could be set by accesses.
//! - **A warp that reads back its own write leaves the entry as it is** until it has executed a fence of device scope
//!   since. The paper says in one place that the fence numbers are of the last writer, in another of the last accessor;
//!   otherwise a write would be forgotten, or look as if it had not been published, once its writer reads it.
//! - **A store or an atomic ends sharing**, and so does a load of what was written: it has just been compared with the
//!   write. *BlkShared* and *DevShared* say that several warps, or blocks, have *read* since, which one warp's number does
//!   not show. With flags that stay, a warp could not read what it has written after others have read what was there
//!   before, and a block could not go on by barriers with what it got from another one.
//! - **A barrier begins anew.** Where III (c) fits, all accesses so far are before all that follow in the block: the
//!   flags, *Strong* among them, are those of the current access alone.
//! - **(a) is about two warps**, as the text says and the table does not. A warp that reads what others have read and then
//!   writes it is compared by (c) to (f).
//! - ***IsAtom* is that of the last access**, as the text says: a load or a store ends it.
//! - **A lock with another scope is another lock only between blocks.** The scope is hashed with the lock, so that the same
//!   lock with two scopes has two bits. But a scoped race of locks is one where "the scope of the lock/unlock operations do not
//!   include both the threads" (section III), and two warps of one block are in both scopes: there, a lock is in common
//!   with whichever scope each of them took it.
//!
//! Where it deviates:
//! - **Acquire and release**, which section VI does not support: an operation that releases is its access behind a fence of
//!   its scope, one that acquires is its access with a fence behind it. Arrivals that release at an `mbarrier` and, with
//!   device scope, at the barrier of a cluster count as fences.
//! - **Cluster scope** is taken for device scope, which never makes a false report; so is system scope, as in the paper.
//! - **Barriers of a part of the block** count as fences of block scope of the warps that take part.
//! - **A lock that a warp tries to take again** does not get a second place in its table.
//! - **Blocks are distinguished by all of their number**, which is kept beside the metadata with the instruction and thread
//!   that a report names. The metadata have eight bits; [`BlockIds::Paper`] uses these alone, and counts how
//!   often another block is then taken for the same one.
//! - **Launches are apart**: each one begins with all entries initial. The paper initialises memory when it is allocated.
//! - **`cp.async`** is a load of its source when it is issued.
//! - **With independent thread scheduling**, accesses to a location by lanes of one instruction are one access, of the
//!   lowest of them. A warp has diverged if not all of its lanes that live execute the instruction. Where that is so
//!   for one of two accesses of a warp, they are in order if both are of the one thread, or if lanes of the warp have met
//!   (`__syncwarp`) since, which the paper's hardware could not.
//!
//! It can miss races with all but the last access, also where a reader of the writer's own block comes between; races across
//! fences that nobody waited for; lanes of one warp, unless threads count; whatever different locks with the same bit, locks
//! beyond the fourth, and an `atomicCAS` that failed hide; whatever wraps around counters of six and eight bits;
//! and, with the cache, locations whose entry was overwritten, which [`Scord::was_evicted`] reports. It reports
//! accesses that the PTX memory model orders: flags that are polled by loads, weak accesses behind a fence or a lock, what a
//! fence of another thread publishes, data that is used under a lock only some of the time, and, at more than 4 bytes,
//! neighbours. Bulk copies are outside of it, and kernels that have them are said to be not covered.
//!
//! It never reports shared memory, two launches that overlap, accesses of the host, or two accesses of one warp that
//! nobody else has come between (unless threads count).

mod access;
mod cache;
mod checking;
mod findings;
mod locks;
mod messages;
mod metadata;
mod rules;
mod settings;
mod shadow;
mod specification;
mod synchronisation;

pub use rules::Rule;
pub use settings::{BlockIds, ScordSettings};
pub use specification::SPECIFICATION;

use crate::allocations::Allocations;
use crate::last_access::Reach;
use crate::last_access::follower::{Follower, Warps, follow};
use crate::last_access::instruction::{copy_info, release_scope, site_info};
use crate::last_access::launch::Launch;
use crate::last_access::sites::{Role, Sites};
use crate::reporting::{Reported, Scene};
use crate::{Detector, Settings, Statistic};
use access::Kind;
use checking::Instruction;
use findings::PendingRace;
use rules::Outcome;
use shadow::Shadow;
use synchronisation::Synchronisation;
use warpsan_event::{Access, AccessKind, Batch, CopyBegin, CopySide, EventMask, KernelFacts};
use warpsan_model::{DeviceAddress, Geometry, Scope, Space, Strength};
use warpsan_report::RaceSink;

/// How often accesses turned out to be something.
#[derive(Debug, Default)]
struct Counts {
    rules: [u64; Rule::ALL.len()],
    not_modified: u64,
    both_atomic: u64,
    ordered: u64,
    other_blocks: u64,
}

impl Counts {
    #[inline]
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::RaceFree(rule) | Outcome::Race { rule, .. } => {
                self.rules[rule as usize] += 1;
            }
            Outcome::NotModified => self.not_modified += 1,
            Outcome::BothAtomic => self.both_atomic += 1,
            Outcome::Ordered => self.ordered += 1,
        }
    }
}

/// The detector of the paper.
#[derive(Debug)]
pub struct Scord {
    settings: Settings,
    launch: Launch,
    allocations: Allocations,
    sites: Sites,
    synchronisation: Synchronisation,
    shadow: Shadow,
    /// The granules of one instruction with their lanes.
    granules: Vec<(u64, u32)>,
    found: Vec<PendingRace>,
    reported: Reported<PendingRace>,
    counts: Counts,
    shadow_peak: u64,
}

impl Scord {
    /// A detector with these settings.
    pub fn new(settings: Settings) -> Self {
        Scord {
            settings,
            launch: Launch::default(),
            allocations: Allocations::default(),
            sites: Sites::default(),
            synchronisation: Synchronisation::new(settings.scord.block_ids),
            shadow: Shadow::new(&settings.scord),
            granules: Vec::new(),
            found: Vec::new(),
            reported: Reported::default(),
            counts: Counts::default(),
            shadow_peak: 0,
        }
    }

    /// Whether the metadata of an address was overwritten in the cache by that of another address, in any launch so
    /// far: only then can the cache have hidden a race at this address.
    pub fn was_evicted(&self, address: DeviceAddress) -> bool {
        self.shadow.was_evicted(address.0)
    }

    #[inline]
    fn access_global(&mut self, access: &Access<'_>) {
        let info = self.sites.info(access.site, &self.launch.sites, || site_info(access));
        let reach = reach_of(access.strength.scope().unwrap_or(Scope::Sys));
        let (block, warp) = (access.block.0, access.warp);
        let kind = match access.kind {
            AccessKind::Read => Kind::Load,
            AccessKind::Write => Kind::Store,
            AccessKind::ReadModifyWrite | AccessKind::Reduction => Kind::Atomic(reach),
        };
        self.check(&Instruction {
            block,
            warp,
            mask: access.mask,
            site: access.site.0,
            kind,
            is_strong: access.strength != Strength::Weak,
            bytes: access.bytes_of_lane(),
            addresses: access.addresses,
        });
        for (_, address) in access.lanes() {
            match info.role {
                Role::None => break,
                Role::Takes => self.synchronisation.compare_and_swap(block, warp, address, reach),
                Role::GivesBack => self.synchronisation.exchange(block, warp, address, reach),
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
        let found = self.found.drain(..).map(|one| (one, 1));
        let race = |one: &PendingRace| one.race(&self.settings, &scene, &self.shadow);
        self.reported.report(found, races, race);
    }
}

impl Follower for Scord {
    const CLUSTER: Reach = Reach::Device;

    fn begin_launch(&mut self, launch: Launch, geometry: &Geometry) {
        self.launch = launch;
        self.sites.clear();
        self.synchronisation.begin_launch(geometry);
        self.shadow.begin_launch(&self.allocations);
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
        let (block, warp) = (access.block.0, access.warp);
        if let Some(scope) = release_scope(access.strength) {
            self.synchronisation.fence(block, warp, access.mask, reach_of(scope));
        }
        if access.space == Space::Global {
            self.access_global(access);
        }
        let acquires = access.strength.order().is_some_and(|order| order.acquires());
        if acquires && let Some(scope) = access.strength.scope() {
            self.synchronisation.fence(block, warp, access.mask, reach_of(scope));
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
            is_strong: false,
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

/// What a scope is to ScoRD.
#[inline]
fn reach_of(scope: Scope) -> Reach {
    Reach::of(scope, Scord::CLUSTER)
}

impl Detector for Scord {
    fn interest(&self) -> EventMask {
        EventMask::STRUCTURE | EventMask::ACCESSES | EventMask::SYNCHRONISATION
    }

    fn not_covered(&self, facts: &KernelFacts) -> Option<String> {
        facts
            .uses_bulk_copies
            .then(|| "the detector scord does not follow bulk copies of global memory".to_string())
    }

    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink) {
        follow(self, events, races);
    }

    fn statistics(&self) -> Vec<Statistic> {
        let cache = self.shadow.cache_counts();
        let rules = Rule::ALL.map(|rule| (rule.name(), self.counts.rules[rule as usize]));
        let others = [
            ("loads of what was not written", self.counts.not_modified),
            ("atomics behind atomics", self.counts.both_atomic),
            ("accesses that no rule fits", self.counts.ordered),
            ("accesses for which another block was taken for the same", self.counts.other_blocks),
            ("cache hits", cache.hits),
            ("cache misses", cache.misses),
            ("cache entries evicted by an alias", cache.evictions),
            ("shadow bytes (peak)", self.shadow_peak.max(self.shadow.bytes())),
        ];
        let all = rules.into_iter().chain(others);
        all.map(|(name, value)| Statistic { name, value }).collect()
    }
}

#[cfg(test)]
mod tests;
