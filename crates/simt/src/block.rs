use crate::warp::{State, Warp};
use std::collections::BTreeMap;
use warpsan_ir::{BarrierOp, Kernel};
use warpsan_model::{BlockIndex, Dim3, Geometry, WARP_LANES};

/// A block that is running.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) index: BlockIndex,
    pub(crate) position: Dim3,
    pub(crate) shared: Vec<u8>,
    pub(crate) warps: Vec<Warp>,
    barriers: BTreeMap<u32, Barrier>,
}

/// A block barrier that some have arrived at.
#[derive(Debug)]
struct Barrier {
    /// The lanes of each warp that are there.
    arrived: Vec<u32>,
    /// How many threads it waits for; none means all that live.
    threads: Option<u32>,
    /// Threads whose predicate was true, for a barrier with a reduction.
    votes: u32,
}

/// Lanes of one warp that come to a block barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) lanes: u32,
    pub(crate) barrier: u32,
    pub(crate) threads: Option<u32>,
    /// The lanes whose predicate is true.
    pub(crate) votes: u32,
}

impl Block {
    pub(crate) fn new(kernel: &Kernel, geometry: &Geometry, index: u32, shared: usize) -> Block {
        let threads = geometry.threads_per_block();
        let warps = (0..geometry.warps_per_block())
            .map(|warp| {
                let lanes = (threads - warp * WARP_LANES).min(WARP_LANES);
                Warp::new(warp, lanes, kernel.registers, kernel.predicates, kernel.local_bytes)
            })
            .collect();
        Block {
            index: BlockIndex(index),
            position: geometry.grid.at(u64::from(index)),
            shared: vec![0; shared],
            warps,
            barriers: BTreeMap::new(),
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.warps.iter().all(|warp| warp.live == 0)
    }

    /// Lanes of a warp are at a barrier now.
    pub(crate) fn arrive(&mut self, warp: usize, arrival: &Arrival) {
        let (warps, threads) = (self.warps.len(), arrival.threads);
        let entry = self.barriers.entry(arrival.barrier).or_insert_with(|| Barrier {
            arrived: vec![0; warps],
            threads,
            votes: 0,
        });
        entry.arrived[warp] |= arrival.lanes;
        entry.votes += arrival.votes.count_ones();
    }

    /// A barrier that has all it waits for, with the lanes that met there. Those go on.
    pub(crate) fn complete_barrier(&mut self) -> Option<(u32, Vec<u64>)> {
        let number = self.barriers.iter().find_map(|(number, barrier)| {
            let complete = match barrier.threads {
                Some(threads) => {
                    barrier.arrived.iter().map(|lanes| lanes.count_ones()).sum::<u32>() >= threads
                }
                None => self
                    .warps
                    .iter()
                    .zip(&barrier.arrived)
                    .all(|(warp, arrived)| warp.live & !arrived == 0),
            };
            let anyone = barrier.arrived.iter().any(|lanes| *lanes != 0);
            (complete && anyone).then_some(*number)
        })?;
        let barrier = self.barriers.remove(&number)?;
        let threads: u32 = barrier.arrived.iter().map(|lanes| lanes.count_ones()).sum();
        for warp in &mut self.warps {
            for index in 0..warp.groups.len() {
                let State::AtBlockBarrier { barrier: at, op } = warp.groups[index].state else {
                    continue;
                };
                if at == number {
                    warp.groups[index].state = State::Ready;
                    give_result(warp, index, op, barrier.votes, threads);
                }
            }
            warp.join_equal_groups();
        }
        Some((number, barrier.arrived.iter().map(|lanes| u64::from(*lanes)).collect()))
    }
}

/// The result of a barrier with a reduction, the same for all who were there.
fn give_result(warp: &mut Warp, group: usize, op: BarrierOp, votes: u32, threads: u32) {
    let mask = warp.groups[group].mask;
    match op {
        BarrierOp::Sync => {}
        BarrierOp::Popc { to, .. } => warp.set(to, mask, |_| u64::from(votes)),
        BarrierOp::Combine { and, to, .. } => {
            let truth = if and { votes == threads } else { votes != 0 };
            warp.set_predicate(to, mask, if truth { u32::MAX } else { 0 });
        }
    }
}
