//! Happens-before under the PTX memory model.
//!
//! A race is a pair of overlapping accesses, one of them a write, that are neither morally strong
//! nor ordered: by program order, by block and warp barriers, by release and acquire patterns
//! through strong accesses and fences with scopes, by the observation of strong writes to the same
//! address, or by the end of a kernel. Lanes of a warp are threads like any others.
//!
//! Paper: none; the definition is the project's race model, after the memory consistency chapter of
//! the PTX manual. Clocks are kept per thread and compressed per block, as in Barracuda.
//!
//! It can miss a race that the schedule it saw did not show, and a second race of a weak write that
//! a later racy write to the same bytes has replaced. It never reports accesses that the rules above
//! order. Not yet: clusters, mbarriers and asynchronous copies (the engine refuses kernels that use
//! them), the kinds `lock` and `missing-fence` and fences of too narrow scope, which are all told as
//! `missing-sync`.

mod classify;
mod history;
mod sync;

use crate::Detector;
use crate::allocations::Allocations;
use crate::shadow::Shadow;
use classify::{Conflict, Setting};
use history::{History, Record};
use std::collections::HashMap;
use std::sync::Arc;
use sync::{Place, Synchronisation};
use warpsan_event::{Access, AccessKind, Batch, Event, KernelFacts, LaneAddresses, SiteTable};
use warpsan_model::{
    Dim3, Geometry, LaunchId, SiteId, Space, Strength, ThreadInBlock, ThreadRef, WARP_LANES, lanes,
};
use warpsan_report::{RaceKey, RaceKind, RaceSink, Severity};

/// What is done with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It is compared with the past.
    Compare,
    /// It becomes part of the past, after others of its instruction.
    Remember,
    /// Both at once.
    Both,
}

/// The default detector.
#[derive(Debug)]
pub struct HappensBefore {
    seed: u64,
    launch: LaunchId,
    geometry: Geometry,
    facts: Arc<KernelFacts>,
    sites: Arc<SiteTable>,
    allocations: Allocations,
    threads: Synchronisation,
    global: Shadow<History>,
    shared: HashMap<u32, Shadow<History>>,
    events: u64,
    /// What was reported in this launch, and how often it was seen since.
    reported: HashMap<(SiteId, SiteId, RaceKind, Severity), (RaceKey, u64)>,
}

impl HappensBefore {
    /// A detector whose reports name this seed.
    pub fn new(seed: u64) -> Self {
        let nothing = Dim3::new(0, 0, 0);
        HappensBefore {
            seed,
            launch: LaunchId(0),
            geometry: Geometry { grid: nothing, block: nothing },
            facts: Arc::default(),
            sites: Arc::default(),
            allocations: Allocations::default(),
            threads: Synchronisation::default(),
            global: Shadow::default(),
            shared: HashMap::new(),
            events: 0,
            reported: HashMap::new(),
        }
    }

    /// Everything before a kernel is ordered before all of it, and all of it before what follows.
    fn forget_launch(&mut self, races: &mut dyn RaceSink) {
        for (_, (key, again)) in self.reported.drain() {
            if again > 0 {
                races.seen_again(&key, again);
            }
        }
        self.global.clear();
        self.shared.clear();
    }

    fn access(&mut self, access: &Access<'_>, races: &mut dyn RaceSink) {
        self.events += 1;
        let only_reads = access.kind == AccessKind::Read;
        // A broadcast is one record for all its lanes; everything else goes lane by lane.
        if let (LaneAddresses::Uniform(address), true) = (access.addresses, only_reads) {
            let mut remaining = access.mask;
            while remaining != 0 {
                let same = self.lanes_with_equal_epoch(access, remaining);
                self.lanes(access, same, 0, address, Step::Both, races);
                remaining &= !same;
            }
            return;
        }
        // Where lanes of one store may overlap, all are compared with what was there before any of
        // them is remembered: the first would hide the past from the others.
        let steps: &[Step] =
            if may_overlap(access) { &[Step::Compare, Step::Remember] } else { &[Step::Both] };
        for step in steps {
            for (rank, (lane, address)) in access.lanes().enumerate() {
                self.lanes(access, 1 << lane, rank, address, *step, races);
            }
        }
    }

    /// The lanes of `mask` whose epoch is that of its lowest lane.
    fn lanes_with_equal_epoch(&mut self, access: &Access<'_>, mask: u32) -> u32 {
        let epoch_of =
            |detector: &mut Self, lane: u32| detector.threads.thread(thread_of(access, lane)).epoch;
        let first = epoch_of(self, mask.trailing_zeros());
        lanes(mask)
            .filter(|lane| epoch_of(self, *lane) == first)
            .fold(0, |same, lane| same | 1 << lane)
    }

    /// The access of some lanes at one address. Several lanes come only with reads.
    fn lanes(
        &mut self,
        access: &Access<'_>,
        mask: u32,
        rank: usize,
        address: u64,
        step: Step,
        races: &mut dyn RaceSink,
    ) {
        let first = thread_of(access, mask.trailing_zeros());
        let wrote = access.wrote & mask != 0;
        for element in 0..usize::from(access.elements) {
            let record = Record {
                block: access.block,
                warp: access.warp,
                mask,
                active: access.mask,
                epoch: self.threads.thread(first).epoch,
                site: access.site,
                event: self.events,
                strength: access.strength,
                writes: wrote,
                observes: matches!(access.kind, AccessKind::Read | AccessKind::ReadModifyWrite),
                atomic: matches!(access.kind, AccessKind::ReadModifyWrite | AccessKind::Reduction),
                read_only_path: access.read_only_path,
                start: address + element as u64 * u64::from(access.bytes),
                bytes: access.bytes,
                value: access.values.get(rank * usize::from(access.elements) + element).copied(),
            };
            self.observe(access.space, &record);
            self.check(access.space, &record, step, races);
            if step != Step::Compare {
                self.publish(access.space, first, &record);
            }
        }
    }

    fn check(&mut self, space: Space, record: &Record, step: Step, races: &mut dyn RaceSink) {
        let shadow = match space {
            Space::Shared => self.shared.entry(record.block.0).or_default(),
            _ => &mut self.global,
        };
        let threads = &mut self.threads;
        let blocks_never_meet = !self.facts.uses_strong_accesses && !self.facts.uses_fences;
        let mut worst: Option<(Conflict, u64)> = None;
        shadow.visit(record.start, u64::from(record.bytes), |at, history| {
            let found = match step {
                Step::Remember => same_event_conflict(history, record),
                Step::Compare | Step::Both => conflict(history, record, threads),
            };
            if let Some(found) = found
                && worst.is_none_or(|(known, _)| known.severity < found.severity)
            {
                worst = Some((found, at));
            }
            if step != Step::Compare {
                history.add(*record, blocks_never_meet);
            }
        });
        if let Some((conflict, at)) = worst {
            self.report(space, record, &conflict, at, races);
        }
    }

    /// What a strong read acquires is known before it is compared with others.
    fn observe(&mut self, space: Space, record: &Record) {
        if let (Some(order), Some(scope), true) =
            (record.strength.order(), record.strength.scope(), record.observes)
        {
            for lane in lanes(record.mask) {
                let thread = record.thread(lane);
                self.threads.strong_read(thread, place(space, record), order, scope);
            }
        }
    }

    /// What a write carries, or ends, for those who read the location later.
    fn publish(&mut self, space: Space, thread: ThreadRef, record: &Record) {
        if !record.writes {
            return;
        }
        match (record.strength.order(), record.strength.scope()) {
            (Some(order), Some(scope)) => {
                let place = place(space, record);
                self.threads.strong_write(thread, place, order, scope, record.atomic);
            }
            _ => self.threads.weak_write(place(space, record)),
        }
    }

    #[cold]
    fn report(
        &mut self,
        space: Space,
        record: &Record,
        conflict: &Conflict,
        at: u64,
        races: &mut dyn RaceSink,
    ) {
        let sites = (conflict.other.site, record.site, conflict.kind, conflict.severity);
        if let Some((_, again)) = self.reported.get_mut(&sites) {
            *again += 1;
            return;
        }
        let race = classify::race(&self.setting(), space, record, conflict, at);
        self.reported.insert(sites, (race.key(), 0));
        races.race(race);
    }

    fn setting(&self) -> Setting<'_> {
        Setting {
            seed: self.seed,
            launch: self.launch,
            geometry: &self.geometry,
            facts: &self.facts,
            sites: &self.sites,
            allocations: &self.allocations,
        }
    }
}

impl Detector for HappensBefore {
    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink) {
        for event in events.events() {
            match &event {
                Event::LaunchBegin { launch, facts, sites, geometry } => {
                    self.forget_launch(races);
                    self.launch = *launch;
                    self.geometry = *geometry;
                    self.facts = Arc::clone(facts);
                    self.sites = Arc::clone(sites);
                    self.threads.begin(geometry.threads_per_block());
                }
                Event::LaunchEnd { .. } => self.forget_launch(races),
                Event::BlockEnd { block } => {
                    self.threads.end_block(*block);
                    self.shared.remove(&block.0);
                }
                Event::Access(access) => self.access(access, races),
                Event::Fence { block, warp, mask, order, scope, .. } => {
                    for lane in lanes(*mask) {
                        let thread = ThreadInBlock(warp * WARP_LANES + lane);
                        self.threads.fence(ThreadRef { block: *block, thread }, *order, *scope);
                    }
                }
                Event::BlockBarrier { block, participants, .. } => {
                    self.threads.barrier(*block, participants);
                }
                Event::WarpBarrier { block, warp, mask } => {
                    let mut participants = vec![0; *warp as usize + 1];
                    participants[*warp as usize] = u64::from(*mask);
                    self.threads.barrier(*block, &participants);
                }
                Event::BarrierDivergence { block, site, thread, other_site, other_thread } => {
                    let sides = [(*site, *thread), (*other_site, *other_thread)];
                    races.race(classify::barrier_divergence(&self.setting(), *block, sides));
                }
                Event::Allocation { address, bytes, label } => {
                    self.allocations.add(*address, *bytes, label);
                }
                Event::Free { address } => self.allocations.remove(*address),
            }
        }
    }
}

fn thread_of(access: &Access<'_>, lane: u32) -> ThreadRef {
    let thread = ThreadInBlock(access.warp * WARP_LANES + lane);
    ThreadRef { block: access.block, thread }
}

/// Whether two lanes of a weak store can write the same byte.
fn may_overlap(access: &Access<'_>) -> bool {
    let bytes = u64::from(access.bytes) * u64::from(access.elements);
    let apart = match access.addresses {
        LaneAddresses::Strided { stride, .. } => (stride as i64).unsigned_abs() >= bytes,
        LaneAddresses::Uniform(_) => access.mask.count_ones() <= 1,
        LaneAddresses::PerLane(_) => false,
    };
    access.kind == AccessKind::Write && access.strength == Strength::Weak && !apart
}

fn place(space: Space, record: &Record) -> Place {
    let in_block = (space == Space::Shared).then_some(record.block.0);
    Place { in_block, start: record.start, bytes: record.bytes }
}

/// The worst conflict of an access with those before it.
fn conflict(history: &History, new: &Record, threads: &mut Synchronisation) -> Option<Conflict> {
    if let Some(conflict) = read_only_conflict(history, new) {
        return Some(conflict);
    }
    let nothing_to_race_with = history.write.is_none()
        && (history.reads.is_empty() || !new.writes)
        && history.strong.is_empty();
    if nothing_to_race_with {
        return None;
    }
    let mut worst = None;
    for lane in lanes(new.mask) {
        let thread = new.thread(lane);
        let view = Arc::clone(&threads.thread(thread).view);
        let races_with = |old: &Record| {
            let unordered = old.unordered(thread, &view);
            (unordered != 0).then(|| Conflict::new(*old, unordered, new, lane))
        };
        for write in history.write.iter().chain(&history.siblings) {
            raise(&mut worst, races_with(write));
        }
        if new.writes {
            for read in &history.reads {
                if is_error(&worst) {
                    break;
                }
                raise(&mut worst, races_with(read));
            }
        }
        let plain = !history.mixed
            && new.is_plainly_strong()
            && history.strong.last().is_none_or(|last| last.same_range(new));
        if !plain && !is_error(&worst) {
            raise(&mut worst, strong_conflict(history, new, races_with));
        }
        if is_error(&worst) {
            break;
        }
    }
    worst
}

/// Keeps the more severe of two.
fn raise(worst: &mut Option<Conflict>, found: Option<Conflict>) {
    if let Some(found) = found
        && worst.is_none_or(|known| known.severity < found.severity)
    {
        *worst = Some(found);
    }
}

/// Nothing is worse than an error, so looking further is no use.
fn is_error(worst: &Option<Conflict>) -> bool {
    worst.is_some_and(|conflict| conflict.severity == Severity::Error)
}

/// Strong accesses, newest first. A write that an ordered access has observed is ordered too, and so
/// are those before it, as long as each was observed by the next: a plain store ends the chain.
fn strong_conflict(
    history: &History,
    new: &Record,
    races_with: impl Fn(&Record) -> Option<Conflict>,
) -> Option<Conflict> {
    let mut observed = false;
    let mut worst = None;
    for old in history.strong.iter().rev() {
        if observed && old.writes {
            observed = old.atomic;
            continue;
        }
        let Some(found) = races_with(old) else {
            observed |= old.observes;
            continue;
        };
        observed |= old.observes && found.partly_ordered;
        let harmless = old.morally_strong(new) && !old.is_volatile() && !new.is_volatile();
        if (new.writes || old.writes) && !harmless {
            raise(&mut worst, Some(found));
            if is_error(&worst) {
                break;
            }
        }
    }
    worst
}

/// Another lane of the same store has written the location.
fn same_event_conflict(history: &History, new: &Record) -> Option<Conflict> {
    let old = history.write.filter(|old| old.event == new.event)?;
    Some(Conflict::new(old, old.mask, new, new.mask.trailing_zeros()))
}

/// The read-only path sees no writes of the same launch, however they are ordered.
fn read_only_conflict(history: &History, new: &Record) -> Option<Conflict> {
    let lane = new.mask.trailing_zeros();
    let old = if new.read_only_path {
        history.write.iter().chain(&history.strong).find(|old| old.writes)
    } else if new.writes {
        history.reads.iter().find(|old| old.read_only_path)
    } else {
        None
    }?;
    Some(Conflict::new(*old, old.mask, new, lane))
}

#[cfg(test)]
mod tests;
