//! Stories that name their events by index, and what the oracle says of them.

use warpsan_event::testing::{self, Kernel, Lanes, MemoryOperand};
use warpsan_event::{Access, AccessKind, CopyBegin, CopyKind, Event, MbarrierStep, ProxyKind};
use warpsan_model::{Order, Scope, Strength};
use warpsan_report::RaceKind;

use crate::oracle::{Choices, Judgement, RacingPair, judge};

pub(super) use warpsan_event::testing::{
    ACQ_REL, ACQUIRE, RELAXED, RELEASE, VOLATILE, WEAK, strong,
};

/// A thread: its block and its number there.
pub(super) type Who = (u32, u32);

/// A place that is the same for all lanes.
pub(super) type At = MemoryOperand<'static>;

/// Data and a flag in global memory.
pub(super) const DATA_ADDRESS: u64 = 0x1000;
pub(super) const DATA: At = MemoryOperand::global(DATA_ADDRESS);
pub(super) const FLAG: At = MemoryOperand::global(0x2000);

/// A story, and what the oracle is to assume.
pub(super) struct Story {
    events: testing::Story,
    pub(super) choices: Choices,
}

impl Story {
    /// A launch of four blocks of two warps, without clusters.
    pub(super) fn new() -> Story {
        Story { events: testing::Story::new(), choices: Choices::default() }
    }

    /// The same in clusters of two blocks.
    pub(super) fn with_clusters() -> Story {
        let events = testing::Story::of(Kernel::default().in_clusters(2));
        Story { events, choices: Choices::default() }
    }

    /// Goes on as the common builder says: the index of the event that was added.
    fn then(&mut self, more: impl FnOnce(testing::Story) -> testing::Story) -> usize {
        self.events = more(std::mem::take(&mut self.events));
        self.events.batch().len() - 1
    }

    pub(super) fn launch(&mut self) {
        self.then(|story| story.begin_launch(0));
    }

    pub(super) fn push(&mut self, event: Event<'_>) -> usize {
        self.then(|story| story.push(event))
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
        let access = Lanes::from((block, warp, mask)).access(kind, strength, at);
        self.push(Event::Access(Access { values, ..access }))
    }

    pub(super) fn load(&mut self, who: Who, strength: Strength, at: At) -> usize {
        self.then(|story| story.strong_load(who, at, strength))
    }

    pub(super) fn store(&mut self, who: Who, strength: Strength, at: At) -> usize {
        self.then(|story| story.strong_store(who, at, strength))
    }

    pub(super) fn store_value(
        &mut self,
        who: Who,
        strength: Strength,
        at: At,
        value: u64,
    ) -> usize {
        let access = Lanes::from(who).access(AccessKind::Write, strength, at);
        self.push(Event::Access(Access { values: &[value], ..access }))
    }

    pub(super) fn atomic(&mut self, who: Who, strength: Strength, at: At) -> usize {
        self.then(|story| story.atomic(who, at, strength))
    }

    pub(super) fn reduction(&mut self, who: Who, strength: Strength, at: At) -> usize {
        self.then(|story| story.reduction(who, at, strength))
    }

    /// A compare-and-swap that fails.
    pub(super) fn failed_swap(&mut self, who: Who, strength: Strength, at: At) -> usize {
        let access = Lanes::from(who).access(AccessKind::ReadModifyWrite, strength, at);
        self.push(Event::Access(Access { wrote: 0, ..access }))
    }

    /// `ld.global.nc`
    pub(super) fn read_only(&mut self, who: Who, at: At) -> usize {
        self.then(|story| story.read_only_load(who, at))
    }

    pub(super) fn fence(&mut self, who: Who, order: Order, scope: Scope) -> usize {
        self.then(|story| story.fence(who, order, scope))
    }

    pub(super) fn proxy_fence(&mut self, who: Who, proxy: ProxyKind) -> usize {
        self.then(|story| story.proxy_fence(who, proxy))
    }

    /// These lanes of the two warps wait, those only arrived.
    pub(super) fn block_barrier(&mut self, block: u32, waited: [u32; 2], arrived: [u32; 2]) {
        let word = |warp: usize| u64::from(waited[warp]) | u64::from(arrived[warp]) << 32;
        self.then(|story| story.partial_barrier(block, 1, &[word(0), word(1)]));
    }

    pub(super) fn block_arrive(&mut self, who: Who) {
        self.then(|story| story.arrive(who, 1));
    }

    pub(super) fn warp_barrier(&mut self, block: u32, warp: u32, mask: u32) {
        self.then(|story| story.warp_barrier((block, warp, mask)));
    }

    pub(super) fn cluster_arrive(&mut self, who: Who, order: Order, phase: u32) {
        self.then(|story| story.cluster_arrive(who, order, phase));
    }

    pub(super) fn cluster_wait(&mut self, who: Who, phase: u32) {
        self.then(|story| story.cluster_wait(who, phase));
    }

    /// A use of the object at the beginning of the shared memory of block 0.
    pub(super) fn mbarrier(
        &mut self,
        who: Who,
        step: MbarrierStep,
        strength: Strength,
        phase: u64,
    ) -> usize {
        self.then(|story| story.mbarrier(who, step, strength, phase))
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
        let number = self.events.copies();
        let to = to.bytes(bytes);
        let copy = Lanes::from(who).copy(kind, from.unwrap_or(to).bytes(bytes), to);
        let from = copy.from.filter(|_| from.is_some());
        (self.push(Event::CopyBegin(CopyBegin { from, reduces, ..copy })), number)
    }

    pub(super) fn copy_wait(&mut self, who: Who, bulk: bool, read: bool, before: u64) {
        self.then(|story| story.copy_wait(who, bulk, read, before));
    }

    /// A copy signals the object at the beginning of the shared memory of block 0.
    pub(super) fn copy_signal(&mut self, who: Who, copy: u64, phase: u64) {
        self.then(|story| story.copy_signal(who, copy, phase));
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
