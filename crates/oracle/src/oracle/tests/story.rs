//! Events written down by hand.

use std::sync::Arc;

use warpsan_event::{
    Access, AccessKind, CopyBegin, CopyKind, CopySide, Event, EventBuffer, KernelFacts,
    LaneAddresses, MbarrierAccess, MbarrierStep, ProxyKind, SiteTable,
};
use warpsan_model::{BlockIndex, Dim3, Geometry, LaunchId, Order, Scope, SiteId, Space, Strength};
use warpsan_report::RaceKind;

use crate::oracle::{Choices, Judgement, RacingPair, judge};

pub(super) const WEAK: Strength = Strength::Weak;
pub(super) const VOLATILE: Strength = Strength::Volatile;
pub(super) const RELAXED: Strength = strong(Order::Relaxed, Scope::Gpu);
pub(super) const ACQUIRE: Strength = strong(Order::Acquire, Scope::Gpu);
pub(super) const RELEASE: Strength = strong(Order::Release, Scope::Gpu);
pub(super) const ACQ_REL: Strength = strong(Order::AcqRel, Scope::Gpu);

pub(super) const fn strong(order: Order, scope: Scope) -> Strength {
    Strength::Strong { order, scope }
}

/// A thread: its block and its number there.
pub(super) type Who = (u32, u32);

/// Data and a flag in global memory.
pub(super) const DATA: At = At { memory: None, address: 0x1000, bytes: 4 };
pub(super) const FLAG: At = At { memory: None, address: 0x2000, bytes: 4 };

/// A place: in the shared memory of a block, or in global memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) memory: Option<u32>,
    pub(super) address: u64,
    pub(super) bytes: u8,
}

impl At {
    pub(super) fn shared(self, block: u32) -> At {
        At { memory: Some(block), ..self }
    }

    pub(super) fn bytes(self, bytes: u8) -> At {
        At { bytes, ..self }
    }

    pub(super) fn plus(self, more: u64) -> At {
        At { address: self.address + more, ..self }
    }

    fn space(self) -> Space {
        if self.memory.is_some() { Space::Shared } else { Space::Global }
    }
}

/// Events of launches, as they are told.
pub(super) struct Story {
    events: EventBuffer,
    pub(super) choices: Choices,
    copies: u64,
}

impl Story {
    /// A launch of four blocks of two warps, without clusters.
    pub(super) fn new() -> Story {
        let mut story =
            Story { events: EventBuffer::new(), choices: Choices::default(), copies: 0 };
        story.launch();
        story
    }

    /// The same in clusters of two blocks.
    pub(super) fn with_clusters() -> Story {
        let mut story = Story::new();
        story.push(Event::Clusters { extent: Dim3::new(2, 1, 1) });
        story
    }

    pub(super) fn launch(&mut self) {
        let geometry = Geometry { grid: Dim3::new(4, 1, 1), block: Dim3::new(64, 1, 1) };
        let (facts, sites) = (Arc::new(KernelFacts::default()), Arc::new(SiteTable::default()));
        self.push(Event::LaunchBegin {
            launch: LaunchId(0),
            facts: &facts,
            sites: &sites,
            geometry,
        });
    }

    /// The index of the event.
    pub(super) fn push(&mut self, event: Event<'_>) -> usize {
        self.events.push(event);
        self.events.len() - 1
    }

    /// An access of lanes of one warp, all to one place.
    pub(super) fn lanes(
        &mut self,
        (block, warp): (u32, u32),
        mask: u32,
        kind: AccessKind,
        strength: Strength,
        at: At,
        values: &[u64],
    ) -> usize {
        self.push(Event::Access(Access {
            block: BlockIndex(block),
            warp,
            site: SiteId(0),
            mask,
            wrote: if kind == AccessKind::Read { 0 } else { mask },
            space: at.space(),
            owner: BlockIndex(at.memory.unwrap_or(block)),
            kind,
            strength,
            bytes: at.bytes,
            elements: 1,
            addresses: LaneAddresses::Uniform(at.address),
            values,
            versions: &[],
            read_only_path: false,
        }))
    }

    fn access(&mut self, who: Who, kind: AccessKind, strength: Strength, at: At) -> usize {
        let (warp, mask) = lane(who);
        // Every store stores something else, unless a test says what.
        let value = [self.events.len() as u64 + 1000];
        let values: &[u64] = if kind == AccessKind::Write { &value } else { &[] };
        self.lanes((who.0, warp), mask, kind, strength, at, values)
    }

    pub(super) fn load(&mut self, who: Who, strength: Strength, at: At) -> usize {
        self.access(who, AccessKind::Read, strength, at)
    }

    pub(super) fn store(&mut self, who: Who, strength: Strength, at: At) -> usize {
        self.access(who, AccessKind::Write, strength, at)
    }

    pub(super) fn store_value(
        &mut self,
        who: Who,
        strength: Strength,
        at: At,
        value: u64,
    ) -> usize {
        let (warp, mask) = lane(who);
        self.lanes((who.0, warp), mask, AccessKind::Write, strength, at, &[value])
    }

    pub(super) fn atomic(&mut self, who: Who, strength: Strength, at: At) -> usize {
        self.access(who, AccessKind::ReadModifyWrite, strength, at)
    }

    pub(super) fn reduction(&mut self, who: Who, strength: Strength, at: At) -> usize {
        self.access(who, AccessKind::Reduction, strength, at)
    }

    /// A compare-and-swap that fails.
    pub(super) fn failed_swap(&mut self, who: Who, strength: Strength, at: At) -> usize {
        self.vector(who, AccessKind::ReadModifyWrite, strength, at, 1, false)
    }

    /// `ld.global.nc`
    pub(super) fn read_only(&mut self, who: Who, at: At) -> usize {
        self.vector(who, AccessKind::Read, WEAK, at, 1, true)
    }

    /// Neighbouring elements; nothing is written.
    pub(super) fn vector(
        &mut self,
        who: Who,
        kind: AccessKind,
        strength: Strength,
        at: At,
        elements: u8,
        read_only_path: bool,
    ) -> usize {
        let (warp, mask) = lane(who);
        self.push(Event::Access(Access {
            block: BlockIndex(who.0),
            warp,
            site: SiteId(0),
            mask,
            wrote: 0,
            space: at.space(),
            owner: BlockIndex(at.memory.unwrap_or(who.0)),
            kind,
            strength,
            bytes: at.bytes,
            elements,
            addresses: LaneAddresses::Uniform(at.address),
            values: &[],
            versions: &[],
            read_only_path,
        }))
    }

    pub(super) fn fence(&mut self, who: Who, order: Order, scope: Scope) -> usize {
        let ((warp, mask), block, site) = (lane(who), BlockIndex(who.0), SiteId(0));
        self.push(Event::Fence { block, warp, mask, site, order, scope })
    }

    pub(super) fn proxy_fence(&mut self, who: Who, proxy: ProxyKind) -> usize {
        let ((warp, mask), block, site) = (lane(who), BlockIndex(who.0), SiteId(0));
        self.push(Event::ProxyFence { block, warp, mask, site, proxy })
    }

    /// These lanes of the two warps wait, those only arrived.
    pub(super) fn block_barrier(&mut self, block: u32, waited: [u32; 2], arrived: [u32; 2]) {
        let word = |warp: usize| u64::from(waited[warp]) | u64::from(arrived[warp]) << 32;
        let participants = [word(0), word(1)];
        let block = BlockIndex(block);
        self.push(Event::BlockBarrier { block, barrier: 1, participants: &participants });
    }

    pub(super) fn block_arrive(&mut self, who: Who) {
        let ((warp, mask), block, site) = (lane(who), BlockIndex(who.0), SiteId(0));
        self.push(Event::BlockArrive { block, warp, mask, site, barrier: 1 });
    }

    pub(super) fn warp_barrier(&mut self, block: u32, warp: u32, mask: u32) {
        self.push(Event::WarpBarrier { block: BlockIndex(block), warp, mask });
    }

    pub(super) fn cluster_arrive(&mut self, who: Who, order: Order, phase: u32) {
        let ((warp, mask), block, site) = (lane(who), BlockIndex(who.0), SiteId(0));
        self.push(Event::ClusterArrive { block, warp, mask, site, order, phase });
    }

    pub(super) fn cluster_wait(&mut self, who: Who, phase: u32) {
        let ((warp, mask), block, site) = (lane(who), BlockIndex(who.0), SiteId(0));
        self.push(Event::ClusterWait { block, warp, mask, site, phase });
    }

    /// A use of the object at the beginning of the shared memory of block 0.
    pub(super) fn mbarrier(
        &mut self,
        who: Who,
        step: MbarrierStep,
        strength: Strength,
        phase: u64,
    ) -> usize {
        self.push(Event::Mbarrier(MbarrierAccess {
            block: BlockIndex(who.0),
            warp: who.1 / 32,
            lane: who.1 % 32,
            site: SiteId(0),
            step,
            strength,
            owner: BlockIndex(0),
            address: 0,
            phase,
        }))
    }

    /// The event and the copy's number.
    pub(super) fn copy(&mut self, who: Who, kind: CopyKind, from: At, to: At) -> (usize, u64) {
        self.any_copy(who, kind, Some(from), to, 16, false)
    }

    pub(super) fn any_copy(
        &mut self,
        who: Who,
        kind: CopyKind,
        from: Option<At>,
        to: At,
        bytes: u32,
        reduces: bool,
    ) -> (usize, u64) {
        let (warp, mask) = lane(who);
        let side = |at: At| CopySide {
            space: at.space(),
            owner: BlockIndex(at.memory.unwrap_or(who.0)),
            addresses: LaneAddresses::Uniform(at.address),
            bytes,
        };
        let first = self.copies;
        self.copies += 1;
        let index = self.push(Event::CopyBegin(CopyBegin {
            block: BlockIndex(who.0),
            warp,
            mask,
            site: SiteId(0),
            kind,
            first,
            from: from.map(side),
            to: side(to),
            reduces,
        }));
        (index, first)
    }

    pub(super) fn copy_wait(&mut self, who: Who, bulk: bool, read: bool, before: u64) {
        let ((warp, mask), block, site) = (lane(who), BlockIndex(who.0), SiteId(0));
        self.push(Event::CopyWait { block, warp, mask, site, bulk, read, before: &[before] });
    }

    /// A copy tells the object at the beginning of the shared memory of block 0.
    pub(super) fn copy_signal(&mut self, who: Who, copy: u64, phase: u64) {
        let (block, warp, lane) = (BlockIndex(who.0), who.1 / 32, who.1 % 32);
        let (copy, owner, address) = (Some(copy), BlockIndex(0), 0);
        self.push(Event::CopySignal { block, warp, lane, copy, owner, address, phase });
    }

    pub(super) fn judged(&self) -> Judgement {
        judge(&self.events.batch(), self.choices, false)
    }

    pub(super) fn races(&self) -> Vec<RacingPair> {
        self.judged().races
    }

    /// The pairs of events that race, with their kinds.
    #[track_caller]
    pub(super) fn race(&self, expected: &[(usize, usize, RaceKind)]) {
        let found: Vec<(usize, usize, RaceKind)> = self
            .races()
            .iter()
            .map(|race| (race.first.event, race.second.event, race.kind))
            .collect();
        assert_eq!(found, expected);
    }

    #[track_caller]
    pub(super) fn is_clean(&self) {
        self.race(&[]);
    }
}

/// The warp of a thread, and its lane as a mask.
fn lane(who: Who) -> (u32, u32) {
    (who.1 / 32, 1 << (who.1 % 32))
}
