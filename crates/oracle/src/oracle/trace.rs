//! The events of a launch are spelled out.

use std::collections::BTreeMap;
use std::ops::Range;

use warpsan_event::{Access, AccessKind, CopyBegin, CopyKind, CopySide, Event, LaneAddresses};
use warpsan_event::{MbarrierAccess, MbarrierStep};
use warpsan_model::{BlockIndex, Dim3, Geometry, Order, Scope, Space, Strength, lanes};

use super::Memory;
use super::operations::{
    Agent, Copy, Operation, Point, PointKind, PointNumber, Role, Step, ThreadNumber, ThreadPlace,
};

/// What one launch did, spelled out.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) operations: Vec<Operation>,
    pub(super) points: Vec<Point>,
    pub(super) threads: Vec<ThreadPlace>,
    /// The points of each thread, in program order.
    pub(super) program: Vec<Vec<PointNumber>>,
    /// The operations at each point, without those of copies.
    pub(super) at_point: Vec<Vec<usize>>,
    pub(super) copies: Vec<Copy>,
    /// Events that synchronise, with the points of their lanes.
    pub(super) steps: Vec<Step>,
    numbers: BTreeMap<(BlockIndex, u32, u32), ThreadNumber>,
    /// By warp, the event in which only some of its lanes met, the first of those.
    pub(super) met_in_parts: BTreeMap<(BlockIndex, u32), usize>,
    geometry: Option<Geometry>,
    cluster: Option<Dim3>,
}

impl Trace {
    /// Spells out the events of one launch; the first one is its beginning.
    pub(super) fn of_launch(events: &[Event<'_>], range: Range<usize>) -> Trace {
        let mut trace = Trace::default();
        for index in range {
            trace.event(index, &events[index]);
        }
        trace
    }

    fn event(&mut self, index: usize, event: &Event<'_>) {
        match *event {
            Event::LaunchBegin { geometry, .. } => self.geometry = Some(geometry),
            Event::Clusters { extent } => self.cluster = Some(extent),
            Event::Access(ref access) => self.access(index, access),
            Event::Fence { block, warp, mask, order, scope, .. } => {
                for lane in lanes(mask) {
                    self.point(index, (block, warp, lane), PointKind::Fence { order, scope });
                }
            }
            Event::ProxyFence { block, warp, mask, proxy, .. } => {
                for lane in lanes(mask) {
                    self.point(index, (block, warp, lane), PointKind::ProxyFence(proxy));
                }
            }
            Event::BlockArrive { block, warp, mask, barrier, .. } => {
                for lane in lanes(mask) {
                    let point = self.point(index, (block, warp, lane), PointKind::Other);
                    let (barrier, thread) = ((block, barrier), self.thread((block, warp, lane)));
                    self.steps.push(Step::BlockArrive { barrier, thread, point });
                }
            }
            Event::BlockBarrier { block, barrier, participants } => {
                self.block_barrier(index, (block, barrier), participants);
            }
            Event::WarpBarrier { block, warp, mask } => {
                let members: Vec<_> = lanes(mask).map(|lane| (block, warp, lane)).collect();
                let all = self.geometry.map_or(0, |geometry| geometry.lanes_of_warp(warp));
                if mask & all != all {
                    self.met_in_parts.entry((block, warp)).or_insert(index);
                }
                self.meeting(index, &members, true);
            }
            Event::ClusterArrive { block, warp, mask, order, phase, .. } => {
                for lane in lanes(mask) {
                    let point = self.point(index, (block, warp, lane), PointKind::Other);
                    let cluster = self.cluster_of(block);
                    self.steps.push(Step::ClusterArrive { cluster, order, phase, point });
                }
            }
            Event::ClusterWait { block, warp, mask, phase, .. } => {
                let complete = self.point_of_nobody(index);
                let cluster = self.cluster_of(block);
                for lane in lanes(mask) {
                    let point = self.point(index, (block, warp, lane), PointKind::Other);
                    self.steps.push(Step::ClusterWait { cluster, phase, complete, point });
                }
            }
            Event::Mbarrier(ref access) => self.mbarrier(index, access),
            Event::CopyBegin(ref copies) => self.copies(index, copies),
            Event::CopySignal { copy: Some(copy), owner, address, phase, .. } => {
                self.steps.push(Step::CopySignal { copy, object: (owner, address), phase });
            }
            Event::CopyWait { block, warp, mask, bulk, read, before, .. } => {
                for (lane, before) in lanes(mask).zip(before) {
                    let point = self.point(index, (block, warp, lane), PointKind::Other);
                    let (thread, before) = (self.thread((block, warp, lane)), *before);
                    self.steps.push(Step::CopyWait { thread, bulk, read, before, point });
                }
            }
            // The order of launches is no business of one launch.
            Event::LaunchOrder { .. }
            | Event::PrerequisiteWait { .. }
            | Event::LaunchEnd { .. }
            | Event::BlockEnd { .. }
            | Event::LanesEnd { .. }
            | Event::CopySignal { copy: None, .. }
            | Event::CopyEnd { .. }
            | Event::Reconvergence { .. }
            | Event::BarrierDivergence { .. }
            | Event::Allocation { .. }
            | Event::Free { .. } => {}
        }
    }

    fn thread(&mut self, who: (BlockIndex, u32, u32)) -> ThreadNumber {
        if let Some(number) = self.numbers.get(&who) {
            return *number;
        }
        let number = self.threads.len();
        self.threads.push(ThreadPlace { block: who.0, cluster: self.cluster_of(who.0) });
        self.program.push(Vec::new());
        self.numbers.insert(who, number);
        number
    }

    /// The cluster that a block is in: blocks form boxes of the grid.
    fn cluster_of(&self, block: BlockIndex) -> u64 {
        let (Some(grid), Some(extent)) =
            (self.geometry.map(|geometry| geometry.grid), self.cluster)
        else {
            return u64::from(block.0);
        };
        let at = grid.at(u64::from(block.0));
        let (x, y, z) = (at.x / extent.x, at.y / extent.y, at.z / extent.z);
        u64::from(x) | u64::from(y) << 20 | u64::from(z) << 40
    }

    fn point(&mut self, event: usize, who: (BlockIndex, u32, u32), kind: PointKind) -> PointNumber {
        let thread = self.thread(who);
        let point = self.points.len();
        let previous = self.program[thread].last().copied();
        self.program[thread].push(point);
        self.points.push(Point { event, thread: Some(thread), kind, previous });
        self.at_point.push(Vec::new());
        point
    }

    /// A barrier is complete.
    fn point_of_nobody(&mut self, event: usize) -> PointNumber {
        self.points.push(Point { event, thread: None, kind: PointKind::Other, previous: None });
        self.at_point.push(Vec::new());
        self.points.len() - 1
    }

    /// Several threads have waited for each other.
    fn meeting(
        &mut self,
        event: usize,
        who: &[(BlockIndex, u32, u32)],
        is_warp: bool,
    ) -> PointNumber {
        let phase = self.point_of_nobody(event);
        for who in who {
            let after = self.point(event, *who, PointKind::Other);
            let before = self.points[after].previous;
            self.steps.push(Step::Met { before, phase, after, is_warp });
        }
        phase
    }

    fn block_barrier(&mut self, index: usize, barrier: (BlockIndex, u32), participants: &[u64]) {
        let of_half = |shift: u32| {
            let words = participants.iter().enumerate();
            let members = words.flat_map(move |(warp, word)| {
                lanes((word >> shift) as u32).map(move |lane| (barrier.0, warp as u32, lane))
            });
            members.collect::<Vec<_>>()
        };
        let phase = self.meeting(index, &of_half(0), false);
        for who in of_half(32) {
            let thread = self.thread(who);
            self.steps.push(Step::BlockArrivalCounts { barrier, thread, phase });
        }
    }

    fn access(&mut self, index: usize, access: &Access<'_>) {
        let Some(memory) = memory_of(access.space, access.owner) else { return };
        let size = u64::from(access.bytes);
        // An atomic has two values for each element, and an element of 16 bytes has two words.
        let words = access.bytes.div_ceil(8).max(1) as usize;
        for (rank, (lane, address)) in access.lanes().enumerate() {
            let who = (access.block, access.warp, lane);
            let (point, thread) = (self.point(index, who, PointKind::Other), self.thread(who));
            let wrote = access.wrote >> lane & 1 == 1;
            let (reads, writes) = match access.kind {
                AccessKind::Read => (true, false),
                AccessKind::Write => (false, true),
                AccessKind::ReadModifyWrite => (true, wrote),
                AccessKind::Reduction => (false, true),
            };
            for element in 0..access.elements {
                let first = address + u64::from(element) * size;
                let value =
                    (access.kind == AccessKind::Write && !access.values.is_empty()).then(|| {
                        let at = (rank * access.elements as usize + element as usize) * words;
                        let word = |at: usize| access.values.get(at).copied().unwrap_or(0);
                        [word(at), if words > 1 { word(at + 1) } else { 0 }]
                    });
                self.at_point[point].push(self.operations.len());
                self.operations.push(Operation {
                    agent: Agent::Thread(thread),
                    point,
                    event: index,
                    site: access.site,
                    block: access.block,
                    warp: access.warp,
                    lane,
                    element,
                    mask: access.mask,
                    memory,
                    bytes: first..first + size,
                    reads,
                    writes,
                    role: match access.read_only_path {
                        true => Role::ReadOnlyPath,
                        false => Role::Access(access.kind),
                    },
                    strength: access.strength,
                    is_async_proxy: false,
                    value,
                });
            }
        }
    }

    fn mbarrier(&mut self, index: usize, access: &MbarrierAccess) {
        let who = (access.block, access.warp, access.lane);
        let (point, thread) = (self.point(index, who, PointKind::Other), self.thread(who));
        let object = (access.owner, access.address);
        let (order, scope) = match access.strength {
            Strength::Strong { order, scope } => (order, scope),
            Strength::Volatile | Strength::Weak => (Order::Relaxed, Scope::Cta),
        };
        let phase = access.phase;
        match access.step {
            MbarrierStep::Init => self.steps.push(Step::MbarrierInit { object }),
            MbarrierStep::Arrive | MbarrierStep::ArriveDrop => {
                self.steps.push(Step::MbarrierArrive { object, order, scope, phase, point });
            }
            MbarrierStep::Wait => {
                self.steps.push(Step::MbarrierWait { object, order, scope, phase, point });
            }
            MbarrierStep::Invalidate | MbarrierStep::Expect => {}
        }
        let (reads, writes, role) = match access.step {
            MbarrierStep::Init | MbarrierStep::Invalidate => (false, true, Role::MbarrierChange),
            MbarrierStep::Arrive | MbarrierStep::ArriveDrop | MbarrierStep::Expect => {
                (true, true, Role::MbarrierUse)
            }
            MbarrierStep::Wait => (true, false, Role::MbarrierUse),
        };
        self.at_point[point].push(self.operations.len());
        self.operations.push(Operation {
            agent: Agent::Thread(thread),
            point,
            event: index,
            site: access.site,
            block: access.block,
            warp: access.warp,
            lane: access.lane,
            element: 0,
            mask: 1 << access.lane,
            memory: Memory::Shared(access.owner),
            bytes: access.address..access.address + 8,
            reads,
            writes,
            role,
            strength: match role {
                Role::MbarrierChange => Strength::Weak,
                _ => access.strength,
            },
            is_async_proxy: false,
            value: None,
        });
    }

    fn copies(&mut self, index: usize, copies: &CopyBegin<'_>) {
        let addresses = |side: &CopySide<'_>| -> Vec<u64> {
            LaneAddresses::of(&side.addresses, copies.mask).map(|(_, address)| address).collect()
        };
        let from = copies.from.as_ref().map(|side| (side, addresses(side)));
        let to = (&copies.to, addresses(&copies.to));
        for (rank, lane) in lanes(copies.mask).enumerate() {
            let who = (copies.block, copies.warp, lane);
            let (point, thread) = (self.point(index, who, PointKind::Other), self.thread(who));
            let number = copies.first + rank as u64;
            self.copies.push(Copy { number, thread, kind: copies.kind });
            let read = from.as_ref().map(|(side, places)| (*side, places[rank], Role::CopyRead));
            let write = (to.0, to.1[rank], Role::CopyWrite { reduces: copies.reduces });
            for (side, address, role) in read.into_iter().chain([write]) {
                let Some(memory) = memory_of(side.space, side.owner) else { continue };
                self.operations.push(Operation {
                    agent: Agent::Copy(number),
                    point,
                    event: index,
                    site: copies.site,
                    block: copies.block,
                    warp: copies.warp,
                    lane,
                    element: 0,
                    mask: copies.mask,
                    memory,
                    bytes: address..address + u64::from(side.bytes),
                    reads: role == Role::CopyRead,
                    writes: role != Role::CopyRead,
                    role,
                    strength: Strength::Weak,
                    is_async_proxy: copies.kind == CopyKind::Bulk,
                    value: None,
                });
            }
        }
    }
}

fn memory_of(space: Space, owner: BlockIndex) -> Option<Memory> {
    match space {
        Space::Global => Some(Memory::Global),
        Space::Shared => Some(Memory::Shared(owner)),
        Space::Local | Space::Const | Space::Param => None,
    }
}
