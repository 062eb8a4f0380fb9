//! Events of one launch as the records that a device would have written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use warpsan_event::{Access, Event, MbarrierAccess};
use warpsan_gpu::shipping::ShippedLaunch;
use warpsan_instrument::record::{
    ARRIVES_ONLY, AccessInfo, Header, Place, RecordKind, SiteInfo, Slot, fence_location, location,
};
use warpsan_model::{BlockIndex, Order, SiteId, Space, Strength, lanes};

use super::barriers::expected_threads;
use super::copies::CopyPlan;
use super::sites::Sites;
use warpsan_oracle::random::Random;

/// Why events could not be made into records: they do not say what a device would have done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotEncoded(pub String);

impl NotEncoded {
    pub(super) fn new(what: impl Into<String>) -> NotEncoded {
        NotEncoded(what.into())
    }
}

impl fmt::Display for NotEncoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A launch as records, in the order in which they happened.
#[derive(Debug)]
pub struct Encoded {
    /// What is known about it.
    pub launch: ShippedLaunch,
    /// The slots of each operation.
    pub operations: Vec<Vec<Slot>>,
}

/// A lane: block, warp, lane.
pub(super) type Thread = (u32, u32, u32);

/// Writes the records of a launch whose events these are, from its beginning to its end.
pub fn encode(events: &[Event<'_>], random: &mut Random) -> Result<Encoded, NotEncoded> {
    let Some(Event::LaunchBegin { launch, facts, sites, geometry }) = events.first() else {
        return Err(NotEncoded::new("no launch begins here"));
    };
    let cluster = events.iter().find_map(|event| match event {
        Event::Clusters { extent } => Some(*extent),
        _ => None,
    });
    let mut launch = ShippedLaunch {
        launch: *launch,
        facts: Arc::clone(facts),
        sites: Arc::clone(sites),
        infos: Arc::from([]),
        paths: Arc::default(),
        geometry: *geometry,
        cluster,
        // Few words make many locations share one.
        turn_bits: 2 + random.below(12) as u32,
        shared_base: 0,
    };
    let plan = CopyPlan::of(events)?;
    let last = last_events(events, &plan, &launch);
    let expected = expected_threads(events, &last, &launch);
    let mut ends: BTreeMap<usize, BTreeSet<Thread>> = BTreeMap::new();
    for (thread, index) in last {
        ends.entry(index).or_default().insert(thread);
    }
    let mut encoder = Encoder {
        events,
        sites: Sites::new(sites.sites.len()),
        turns: vec![0; 1 << launch.turn_bits],
        launch: &launch,
        random,
        plan,
        expected,
        at_cluster: BTreeSet::new(),
        operations: Vec::new(),
    };
    encoder.all(&ends)?;
    let (operations, sites) = (encoder.operations, encoder.sites);
    launch.infos = Arc::from(sites.into_infos());
    Ok(Encoded { launch, operations })
}

/// The last event of each lane, at which it ends, or after which it is taken to; those of no event end after the
/// first one.
fn last_events(
    events: &[Event<'_>],
    plan: &CopyPlan,
    launch: &ShippedLaunch,
) -> BTreeMap<Thread, usize> {
    let mut last: BTreeMap<Thread, usize> = BTreeMap::new();
    let threads = launch.geometry.threads_per_block();
    for block in 0..launch.geometry.grid.count() as u32 {
        for thread in 0..threads {
            last.insert((block, thread / 32, thread % 32), 0);
        }
    }
    for (index, event) in events.iter().enumerate() {
        for (block, warp, mask) in who(event).into_iter().chain(plan.arrivals_at(index)) {
            for lane in lanes(mask) {
                last.insert((block, warp, lane), index);
            }
        }
    }
    last
}

/// The lanes that an event is about: block, warp, mask.
pub(super) fn who(event: &Event<'_>) -> Vec<(u32, u32, u32)> {
    match event {
        Event::Access(access) => vec![(access.block.0, access.warp, access.mask)],
        Event::Mbarrier(access) => vec![(access.block.0, access.warp, 1 << access.lane)],
        Event::CopyBegin(copies) => vec![(copies.block.0, copies.warp, copies.mask)],
        Event::Fence { block, warp, mask, .. }
        | Event::BlockArrive { block, warp, mask, .. }
        | Event::ClusterArrive { block, warp, mask, .. }
        | Event::ClusterWait { block, warp, mask, .. }
        | Event::PrerequisiteWait { block, warp, mask, .. }
        | Event::ProxyFence { block, warp, mask, .. }
        | Event::CopyWait { block, warp, mask, .. }
        | Event::LanesEnd { block, warp, mask }
        | Event::WarpBarrier { block, warp, mask }
        | Event::Reconvergence { block, warp, mask } => vec![(block.0, *warp, *mask)],
        Event::BlockBarrier { block, participants, .. } => {
            let words = (0..).zip(participants.iter());
            words.map(|(warp, word)| (block.0, warp, *word as u32)).collect()
        }
        _ => Vec::new(),
    }
}

pub(super) struct Encoder<'a> {
    pub(super) events: &'a [Event<'a>],
    pub(super) launch: &'a ShippedLaunch,
    pub(super) sites: Sites,
    turns: Vec<u64>,
    pub(super) random: &'a mut Random,
    pub(super) plan: CopyPlan,
    /// The threads that barriers waited for, by the event of their completion.
    pub(super) expected: BTreeMap<usize, u32>,
    /// Lanes that have arrived at the barrier of their cluster, and not waited.
    at_cluster: BTreeSet<Thread>,
    pub(super) operations: Vec<Vec<Slot>>,
}

impl Encoder<'_> {
    fn all(&mut self, last: &BTreeMap<usize, BTreeSet<Thread>>) -> Result<(), NotEncoded> {
        for index in 0..self.events.len() {
            self.copy_arrivals(index)?;
            self.event(index)?;
            if let Some(threads) = last.get(&index) {
                self.exits(threads);
            }
        }
        Ok(())
    }

    fn event(&mut self, index: usize) -> Result<(), NotEncoded> {
        let event = self.events[index];
        match event {
            Event::Access(access) => self.access(&access)?,
            Event::Fence { block, warp, mask, site, order, scope } => {
                self.sites.learn(site, SiteInfo::Fence { order, scope })?;
                let mut slot = slot(RecordKind::Fence, block, warp, mask, site);
                let mut parts = Vec::new();
                if order == Order::SeqCst {
                    let place = fence_location(self.launch.turn_bits);
                    parts.push(self.turns_at(&slot, |_| place));
                }
                self.push(&mut slot, parts);
            }
            Event::ProxyFence { block, warp, mask, site, proxy } => {
                self.sites.learn(site, SiteInfo::ProxyFence { proxy })?;
                self.push(&mut slot(RecordKind::ProxyFence, block, warp, mask, site), vec![]);
            }
            Event::PrerequisiteWait { block, warp, mask, site } => {
                self.push(&mut slot(RecordKind::PrerequisiteWait, block, warp, mask, site), vec![]);
            }
            Event::ClusterArrive { block, warp, mask, site, order, .. } => {
                self.sites.learn(site, SiteInfo::ClusterArrive { order })?;
                if lanes(mask).any(|lane| !self.at_cluster.insert((block.0, warp, lane))) {
                    return Err(NotEncoded::new("a lane arrives twice before it waits"));
                }
                self.push(&mut slot(RecordKind::ClusterArrive, block, warp, mask, site), vec![]);
            }
            Event::ClusterWait { block, warp, mask, site, .. } => {
                for lane in lanes(mask) {
                    self.at_cluster.remove(&(block.0, warp, lane));
                }
                self.push(&mut slot(RecordKind::ClusterWait, block, warp, mask, site), vec![]);
            }
            Event::WarpBarrier { block, warp, mask } => self.warp_barrier(block, warp, mask),
            Event::BlockArrive { block, warp, mask, site, barrier } => {
                let expected = self.expected_after(index, block, barrier);
                let mut slot = slot(RecordKind::BlockBarrierArrive, block, warp, mask, site);
                slot.header.extra = barrier | ARRIVES_ONLY;
                slot.lanes[0] = u64::from(expected);
                self.push(&mut slot, vec![]);
            }
            Event::BlockBarrier { block, barrier, participants } => {
                self.block_barrier(index, block, barrier, participants);
            }
            Event::Mbarrier(access) => self.mbarrier(&access)?,
            Event::CopyBegin(copies) => self.copy_begin(&copies)?,
            Event::CopyWait { .. } => self.copy_wait(&event)?,
            Event::BarrierDivergence { block, .. } => {
                let next = self.events[index..].iter().find(|event| {
                    !matches!(event, Event::BarrierDivergence { .. })
                        && event.block() == Some(block)
                });
                if !matches!(next, Some(Event::BlockBarrier { .. })) {
                    return Err(NotEncoded::new("a barrier that never completes"));
                }
            }
            Event::Allocation { .. } | Event::Free { .. } => {
                return Err(NotEncoded::new("memory is taken by the kernel"));
            }
            Event::LaunchOrder { .. }
            | Event::LaunchBegin { .. }
            | Event::Clusters { .. }
            | Event::LaunchEnd { .. }
            | Event::BlockEnd { .. }
            | Event::LanesEnd { .. }
            | Event::Reconvergence { .. }
            | Event::CopyEnd { .. }
            | Event::CopySignal { .. } => {}
        }
        Ok(())
    }

    /// An operation: its first slot, and those that belong to it.
    pub(super) fn push(&mut self, slot: &mut Slot, parts: Vec<Slot>) {
        if slot.header.mask == 0 {
            return;
        }
        slot.header.kind |= (parts.len() as u16) << 8;
        self.operations.push(std::iter::once(*slot).chain(parts).collect());
    }

    /// The part with the turns that active lanes take now, one after the other.
    pub(super) fn turns_at(&mut self, of: &Slot, place: impl Fn(u32) -> u32) -> Slot {
        let mut part = part_of(of, RecordKind::Turns);
        for lane in lanes(of.header.mask) {
            let turn = &mut self.turns[place(lane) as usize];
            *turn += 1;
            part.lanes[lane as usize] = *turn;
        }
        part
    }

    /// The turns of operations in memory: for each lane, who owns it, and the address.
    pub(super) fn turns_in_memory(
        &mut self,
        of: &Slot,
        at: impl Fn(u32) -> (Option<BlockIndex>, u64),
    ) -> Slot {
        let bits = self.launch.turn_bits;
        self.turns_at(of, |lane| {
            let (owner, address) = at(lane);
            location(owner, address, bits)
        })
    }

    fn access(&mut self, access: &Access<'_>) -> Result<(), NotEncoded> {
        let mut slot =
            slot(RecordKind::Access, access.block, access.warp, access.mask, access.site);
        slot.header.wrote = access.wrote;
        let place = place_of(access.space, access.owner, access.block)
            .ok_or_else(|| NotEncoded::new("an access to another memory"))?;
        let of_site = match self.sites.info(access.site) {
            Some(SiteInfo::Access(known)) => known.place,
            _ => place,
        };
        // Half of the time, the record says what the site says already.
        slot.header.extra = match of_site == place && self.random.once_in(2) {
            true => 0,
            false => place as u32,
        };
        let info = AccessInfo {
            place: of_site,
            kind: access.kind,
            strength: access.strength,
            bytes: access.bytes,
            elements: access.elements,
            read_only_path: access.read_only_path,
        };
        self.sites.learn(access.site, SiteInfo::Access(info))?;
        let mut addresses = [0; 32];
        for (lane, address) in access.lanes() {
            addresses[lane as usize] = address;
            slot.lanes[lane as usize] = word_of(place, access.owner, address);
        }
        let mut parts = Vec::new();
        if access.strength != Strength::Weak {
            let owner = (access.space == Space::Shared).then_some(access.owner);
            parts.push(self.turns_in_memory(&slot, |lane| (owner, addresses[lane as usize])));
        }
        let active = access.mask.count_ones() as usize;
        for word in 0..access.values.len() / active.max(1) {
            let mut part = part_of(&slot, RecordKind::Values);
            let of_lane = access.values.chunks(access.values.len() / active);
            for (lane, values) in lanes(access.mask).zip(of_lane) {
                part.lanes[lane as usize] = values[word];
            }
            parts.push(part);
        }
        self.push(&mut slot, parts);
        Ok(())
    }

    fn mbarrier(&mut self, access: &MbarrierAccess) -> Result<(), NotEncoded> {
        let MbarrierAccess { step, strength, owner, address, .. } = *access;
        self.sites.learn(access.site, SiteInfo::Mbarrier { step, strength })?;
        let mut slot = self.object_slot(
            RecordKind::Mbarrier,
            (access.block, access.warp, access.lane),
            access.site,
            (owner, address),
            access.phase,
        );
        let turns = self.turns_in_memory(&slot, |_| (Some(owner), address));
        self.push(&mut slot, vec![turns]);
        Ok(())
    }

    /// A slot of one lane about an `mbarrier` object.
    pub(super) fn object_slot(
        &self,
        kind: RecordKind,
        (block, warp, lane): (BlockIndex, u32, u32),
        site: SiteId,
        (owner, address): (BlockIndex, u64),
        phase: u64,
    ) -> Slot {
        let mut slot = slot(kind, block, warp, 1 << lane, site);
        let place = if owner == block { Place::Shared } else { Place::ClusterShared };
        slot.header.extra = place as u32;
        slot.header.wrote = ((phase & 1) as u32) << lane;
        slot.lanes[lane as usize] = word_of(place, owner, address);
        slot
    }

    fn exits(&mut self, threads: &BTreeSet<Thread>) {
        let mut by_warp: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for (block, warp, lane) in threads {
            *by_warp.entry((*block, *warp)).or_default() |= 1 << lane;
        }
        let site = self.sites.made_up("exit", SiteInfo::Plain);
        for ((block, warp), mask) in by_warp {
            self.push(&mut slot(RecordKind::Exit, BlockIndex(block), warp, mask, site), vec![]);
        }
    }
}

/// A slot without words.
pub(super) fn slot(
    kind: RecordKind,
    block: BlockIndex,
    warp: u32,
    mask: u32,
    site: SiteId,
) -> Slot {
    let kind = kind.with_parts(0);
    let header =
        Header { block: block.0, warp: warp as u16, kind, site: site.0, mask, ..Header::default() };
    Slot { header, lanes: [0; 32] }
}

/// A part of the operation that begins with a slot.
pub(super) fn part_of(slot: &Slot, kind: RecordKind) -> Slot {
    let header = Header { kind: kind.with_parts(0), extra: 0, wrote: 0, ..slot.header };
    Slot { header, lanes: [0; 32] }
}

/// The place of memory that a block accesses.
pub(super) fn place_of(space: Space, owner: BlockIndex, block: BlockIndex) -> Option<Place> {
    match space {
        Space::Global => Some(Place::Global),
        Space::Shared if owner == block => Some(Place::Shared),
        Space::Shared => Some(Place::ClusterShared),
        _ => None,
    }
}

/// The word of a lane for an address.
pub(super) fn word_of(place: Place, owner: BlockIndex, address: u64) -> u64 {
    match place {
        Place::ClusterShared => u64::from(owner.0) << 32 | address,
        _ => address,
    }
}
