//! Barriers of warps, blocks and clusters.

use super::core::{Core, Next, Running, Stop, isolate, isolate_lanes};
use crate::block::BlockInfo;
use crate::outcome::{Fault, FaultKind};
use crate::warp::{State, Warp};
use warpsan_event::{Event, ProxyKind};
use warpsan_ir::{BarrierOp, ClusterStep, MemorySpace, Predicate, Proxy, Value};
use warpsan_model::Order;
use warpsan_model::barriers::{BLOCK_BARRIERS, BarrierArrival, warp_barrier_is_complete};

impl Core<'_> {
    pub(super) fn block_barrier(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: BarrierOp,
        barrier: Value,
        threads: Option<Value>,
    ) -> Result<Next, Fault> {
        if !isolate(warp, running, barrier) {
            return Ok(Next::Changed);
        }
        let Running { group, mask, rows, site, .. } = *running;
        let lane = mask.trailing_zeros() as usize;
        // SAFETY: the operands are those of the program.
        let (barrier, threads) = unsafe {
            (rows.values(barrier)[lane], threads.map(|threads| rows.values(threads)[lane] as u32))
        };
        if barrier >= BLOCK_BARRIERS as u64 {
            let what = format!("it uses barrier {barrier}, but a block has {BLOCK_BARRIERS}");
            return Err(self.fault(block, warp, mask, site, FaultKind::InvalidBarrier, what));
        }
        if threads == Some(0) {
            let what = format!("it waits at barrier {barrier} for no threads at all");
            return Err(self.fault(block, warp, mask, site, FaultKind::InvalidBarrier, what));
        }
        let votes = match op {
            BarrierOp::Sync | BarrierOp::Arrive => 0,
            BarrierOp::Popc { of, .. } | BarrierOp::Combine { of, .. } => {
                condition(warp, running.predicates, of) & mask
            }
        };
        let instruction = warp.groups[group].at;
        warp.groups[group].at += 1;
        let only_arrives = op == BarrierOp::Arrive;
        let barrier = barrier as u32;
        if only_arrives {
            self.trace.synchronisation(Event::BlockArrive {
                block: block.index,
                warp: warp.index,
                mask,
                site,
                barrier,
            });
        } else {
            warp.groups[group].state = State::AtBlockBarrier { barrier, instruction };
        }
        let arrival = BarrierArrival { lanes: mask, barrier, threads, votes, only_arrives };
        Ok(Next::Stop(Stop::AtBlockBarrier(arrival)))
    }

    pub(super) fn warp_barrier(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        members: Value,
    ) -> Next {
        if !isolate(warp, running, members) {
            return Next::Changed;
        }
        let Running { group, mask, rows, .. } = *running;
        let lane = mask.trailing_zeros() as usize;
        // SAFETY: the operand is one of the program.
        let members = unsafe { rows.values(members)[lane] } as u32 | mask;
        if warp_barrier_is_complete(members, warp.live, mask) {
            // All are here: nobody has to wait.
            self.trace.synchronisation(Event::WarpBarrier {
                block: block.index,
                warp: warp.index,
                mask,
            });
            return Next::Forward;
        }
        warp.groups[group].at += 1;
        warp.groups[group].state = State::AtWarpBarrier { mask: members };
        self.release_warp_barriers(block, warp);
        Next::Changed
    }

    pub(super) fn release_warp_barriers(&mut self, block: &BlockInfo, warp: &mut Warp) {
        for mask in warp.release_warp_barriers() {
            self.trace.synchronisation(Event::WarpBarrier {
                block: block.index,
                warp: warp.index,
                mask,
            });
        }
    }

    /// `barrier.cluster`: the scheduler knows when a phase is complete.
    pub(super) fn cluster_barrier(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        step: ClusterStep,
        order: Order,
    ) -> Next {
        let Running { group, mask, site, .. } = *running;
        let (index, number) = (block.index, warp.index);
        let cluster = &mut self.clusters[block.cluster];
        match step {
            ClusterStep::Arrive => {
                let warps = self.launch.geometry.warps_per_block() as usize;
                let extents = (cluster.slots.len(), warps);
                let phase = cluster.barrier.arrive(extents, (block.rank, number), mask);
                self.trace.synchronisation(Event::ClusterArrive {
                    block: index,
                    warp: number,
                    mask,
                    site,
                    order,
                    phase,
                });
                warp.groups[group].at += 1;
                Next::Stop(Stop::ForCluster)
            }
            ClusterStep::Wait => {
                if !isolate_lanes(warp, group, mask) {
                    return Next::Changed;
                }
                // The lanes wait for the phase that they arrived in.
                if cluster.barrier.is_waited_for((block.rank, number), mask) {
                    let phase = cluster.barrier.phase();
                    warp.groups[group].state = State::AtClusterBarrier { phase };
                    return Next::Changed;
                }
                let phase = cluster.barrier.completed_phase();
                self.trace.synchronisation(Event::ClusterWait {
                    block: index,
                    warp: number,
                    mask,
                    site,
                    phase,
                });
                Next::Forward
            }
        }
    }

    pub(super) fn proxy_fence(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        proxy: Proxy,
    ) {
        let proxy = match proxy {
            Proxy::Alias => ProxyKind::Alias,
            Proxy::Async(MemorySpace::Global) => ProxyKind::AsyncGlobal,
            Proxy::Async(MemorySpace::Shared | MemorySpace::SharedCluster) => {
                ProxyKind::AsyncShared
            }
            Proxy::Async(_) => ProxyKind::Async,
            Proxy::TensorMap => ProxyKind::TensorMap,
            Proxy::MbarrierInit => ProxyKind::MbarrierInit,
        };
        self.trace.synchronisation(Event::ProxyFence {
            block: block.index,
            warp: warp.index,
            mask: running.mask,
            site: running.site,
            proxy,
        });
    }
}

/// The lanes for which a predicate, perhaps negated, holds.
pub(crate) fn condition(warp: &Warp, base: usize, (predicate, negated): (Predicate, bool)) -> u32 {
    let bits = warp.predicates[base + predicate.0 as usize];
    if negated { !bits } else { bits }
}

/// Sets a predicate for the lanes of `mask` to the bits of `value`.
pub(crate) fn set_predicate(
    warp: &mut Warp,
    base: usize,
    predicate: Predicate,
    mask: u32,
    value: u32,
) {
    let bits = &mut warp.predicates[base + predicate.0 as usize];
    *bits = (*bits & !mask) | (value & mask);
}
