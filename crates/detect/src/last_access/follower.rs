//! How events reach a detector of last accesses.

use super::Reach;
use super::instruction::releasing_arrival;
use super::launch::Launch;
use crate::allocations::Allocations;
use warpsan_event::{Access, Batch, CopyBegin, CopyKind, CopySide, Event};
use warpsan_model::{Geometry, Space};
use warpsan_report::RaceSink;

/// What a detector keeps of warps and blocks.
pub(crate) trait Warps {
    /// Lanes executed a fence, or something that is as good as one.
    fn fence(&mut self, block: u32, warp: u32, lanes: u32, reach: Reach);
    /// A phase of a block barrier is complete.
    fn block_barrier(&mut self, block: u32, participants: &[u64]);
    /// Lanes of a warp met.
    fn warp_barrier(&mut self, block: u32, warp: u32);
    /// Lanes have ended.
    fn end_lanes(&mut self, block: u32, warp: u32, mask: u32);
    /// A block has ended.
    fn end_block(&mut self, block: u32);
}

/// A detector that follows accesses of global memory, fences and barriers.
pub(crate) trait Follower {
    /// What it takes the scope of a cluster for.
    const CLUSTER: Reach;

    fn begin_launch(&mut self, launch: Launch, geometry: &Geometry);
    fn end_launch(&mut self, races: &mut dyn RaceSink);
    fn access(&mut self, access: &Access<'_>);
    /// A copy of a thread reads global memory, as far as such a detector is concerned when it is issued.
    fn copy_begin(&mut self, copies: &CopyBegin<'_>, from: &CopySide<'_>);
    fn warps(&mut self) -> &mut dyn Warps;
    fn allocations(&mut self) -> &mut Allocations;
    /// Reports what was found since the last event, if anything was.
    fn report_found(&mut self, races: &mut dyn RaceSink);
}

/// Takes one batch of events.
pub(crate) fn follow(follower: &mut impl Follower, events: &Batch<'_>, races: &mut dyn RaceSink) {
    for number in 0..events.len() {
        match events.access(number) {
            Some(access) => follower.access(&access),
            None => {
                if let Some(event) = events.event(number) {
                    other_event(follower, &event, races);
                }
            }
        }
        follower.report_found(races);
    }
}

fn other_event<F: Follower>(follower: &mut F, event: &Event<'_>, races: &mut dyn RaceSink) {
    match *event {
        Event::LaunchBegin { launch, facts, sites, geometry } => {
            follower.end_launch(races);
            follower.begin_launch(Launch::new(launch, facts, sites, geometry), &geometry);
        }
        Event::LaunchEnd { .. } => follower.end_launch(races),
        Event::BlockEnd { block } => follower.warps().end_block(block.0),
        Event::LanesEnd { block, warp, mask } => follower.warps().end_lanes(block.0, warp, mask),
        Event::Access(ref access) => follower.access(access),
        Event::Fence { block, warp, mask, scope, .. } => {
            follower.warps().fence(block.0, warp, mask, Reach::of(scope, F::CLUSTER));
        }
        Event::BlockBarrier { block, participants, .. } => {
            follower.warps().block_barrier(block.0, participants);
        }
        Event::WarpBarrier { block, warp, .. } => follower.warps().warp_barrier(block.0, warp),
        Event::ClusterArrive { block, warp, mask, order, .. } if order.releases() => {
            follower.warps().fence(block.0, warp, mask, Reach::Device);
        }
        Event::Mbarrier(ref access) => {
            if let Some(scope) = releasing_arrival(access) {
                let (lane, reach) = (1 << (access.lane % 32), Reach::of(scope, F::CLUSTER));
                follower.warps().fence(access.block.0, access.warp, lane, reach);
            }
        }
        Event::CopyBegin(ref copies) => {
            let reads_global = |from: &CopySide<'_>| from.space == Space::Global;
            if copies.kind == CopyKind::Thread
                && let Some(from) = copies.from.filter(reads_global)
            {
                follower.copy_begin(copies, &from);
            }
        }
        Event::Allocation { address, bytes, label } => {
            follower.allocations().add(address, bytes, label);
        }
        Event::Free { address } => {
            follower.allocations().remove(address);
        }
        // What orders launches, what only the barriers' ends count for, what is about copies, and what orders nothing.
        Event::LaunchOrder { .. }
        | Event::Clusters { .. }
        | Event::BlockArrive { .. }
        | Event::ClusterArrive { .. }
        | Event::ClusterWait { .. }
        | Event::PrerequisiteWait { .. }
        | Event::ProxyFence { .. }
        | Event::CopyEnd { .. }
        | Event::CopySignal { .. }
        | Event::CopyWait { .. }
        | Event::Reconvergence { .. }
        | Event::BarrierDivergence { .. } => {}
    }
}
