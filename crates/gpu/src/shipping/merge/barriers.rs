//! Barriers of blocks and warps, and ends of threads: who waits, what completes, and what never will.

use super::super::error::ShippingError;
use super::super::operation::Operation;
use super::Merger;
use super::blocks::Block;
use warpsan_event::Event;
use warpsan_instrument::record::{ARRIVES_ONLY, SiteInfo};
use warpsan_model::barriers::{
    BLOCK_BARRIERS, BarrierArrival, WaitingGroup, diverged_groups, warp_barrier_is_complete,
};
use warpsan_model::{BlockIndex, SiteId};

impl Merger<'_> {
    /// Makes sure that a block is known, with those of its cluster.
    pub(super) fn begin_block(&mut self, block: u32) {
        if self.blocks.contains_key(&block) {
            return;
        }
        let (cluster, _) = self.launch.cluster_of(block);
        let members = self.launch.blocks_of_cluster(block);
        let warps = self.launch.geometry.warps_per_block();
        for (rank, member) in (0..).zip(&members) {
            let lanes = (0..warps).map(|warp| self.launch.lanes_of_warp(warp));
            self.blocks.insert(*member, Block::new(lanes, (cluster, rank)));
        }
        self.begin_cluster(cluster, members);
    }

    fn block(&mut self, block: u32) -> &mut Block {
        self.blocks.get_mut(&block).expect("the block has begun")
    }

    /// Notes that an arrival has come, so that it counts after those that came before.
    pub(super) fn note_arrival(&mut self, operation: &Operation) -> Result<(), ShippingError> {
        let header = operation.header();
        let barrier = (header.extra & 0xFF) as usize;
        if barrier >= BLOCK_BARRIERS {
            return Err(operation.is_bad(self.launch, format!("a block has no barrier {barrier}")));
        }
        let arrivals = &mut self.block(header.block).arrivals;
        arrivals.add(barrier, u32::from(header.warp), header.mask);
        Ok(())
    }

    /// Lanes come to a block barrier. Returns them if others have to come first.
    pub(super) fn block_barrier(&mut self, operation: &Operation) -> Result<u32, ShippingError> {
        let header = operation.header();
        let barrier = (header.extra & 0xFF) as usize;
        let (warp, mask) = (u32::from(header.warp), header.mask);
        if !self.block(header.block).arrivals.take(barrier, warp, mask) {
            return Ok(mask);
        }
        let only_arrives = header.extra & ARRIVES_ONLY != 0;
        let expected = u32::try_from(operation.lanes()[0])
            .map_err(|_| operation.is_bad(self.launch, "too many threads are expected"))?;
        let site = SiteId(header.site);
        let arrival = BarrierArrival {
            barrier: barrier as u32,
            lanes: mask,
            threads: (expected != 0).then_some(expected),
            // The device has the result of a reduction already.
            votes: 0,
            only_arrives,
        };
        if only_arrives {
            self.out.synchronisation(Event::BlockArrive {
                block: operation.block(),
                warp,
                mask,
                site,
                barrier: barrier as u32,
            });
        }
        let block = self.block(header.block);
        block.arrive(warp, &arrival, site);
        if let Some(next) = block.arrivals.next(barrier) {
            self.work.push((header.block, next));
        }
        self.complete_barriers(header.block);
        Ok(0)
    }

    fn complete_barriers(&mut self, block: u32) {
        while let Some(number) = self.block(block).complete_barrier() {
            let (barrier, groups) = self.block(block).release_barrier(number);
            self.report_diverged_warps(block, number, &groups);
            self.out.synchronisation(Event::BlockBarrier {
                block: BlockIndex(block),
                barrier: number as u32,
                participants: &barrier.participants(),
            });
            let waited = (0..).zip(barrier.waiting()).filter(|(_, lanes)| **lanes != 0);
            self.work.extend(waited.map(|(warp, _)| (block, warp)));
        }
    }

    /// Threads that came to a barrier by instructions that do not belong together.
    fn report_diverged_warps(&mut self, block: u32, number: usize, groups: &[WaitingGroup]) {
        for pair in groups.windows(2) {
            let [one, other] = pair else { continue };
            let launch = self.launch;
            let is_aligned = |group: &WaitingGroup| self.is_aligned(group.site);
            let same_line = |a, b| launch.same_line(a, b);
            if !diverged_groups(number, one, other, is_aligned, same_line) {
                continue;
            }
            self.emit_divergence(block, one, other, one.warp != other.warp);
        }
    }

    fn emit_divergence(
        &mut self,
        block: u32,
        one: &WaitingGroup,
        other: &WaitingGroup,
        completes: bool,
    ) {
        self.out.synchronisation(Event::BarrierDivergence {
            block: BlockIndex(block),
            site: one.site,
            thread: one.thread(),
            lanes: one.lanes,
            other_site: other.site,
            other_thread: other.thread(),
            other_lanes: other.lanes,
            completes,
        });
    }

    fn is_aligned(&self, site: SiteId) -> bool {
        let info = self.launch.infos.get(site.0 as usize);
        matches!(info, Some(SiteInfo::BlockBarrier { aligned: true }))
    }

    pub(super) fn warp_barrier(&mut self, operation: &Operation) {
        let header = operation.header();
        let (block, number) = (operation.block(), u32::from(header.warp));
        let members = header.extra | header.mask;
        let warp = self.warp((block.0, number));
        if warp_barrier_is_complete(members, warp.live, header.mask) {
            let mask = header.mask;
            self.out.synchronisation(Event::WarpBarrier { block, warp: number, mask });
            return;
        }
        warp.waiting |= header.mask;
        warp.at_warp_barriers.push((members, header.mask));
        self.release_warp_barriers(block, number);
    }

    fn release_warp_barriers(&mut self, block: BlockIndex, number: u32) {
        let met = self.warp((block.0, number)).release_warp_barriers();
        for mask in &met {
            self.out.synchronisation(Event::WarpBarrier { block, warp: number, mask: *mask });
        }
        if !met.is_empty() {
            self.work.push((block.0, number));
        }
    }

    /// Lanes have ended: barriers that waited for them alone are complete.
    pub(super) fn exit(&mut self, operation: &Operation) -> Result<(), ShippingError> {
        let header = operation.header();
        let (block, number) = (operation.block(), u32::from(header.warp));
        self.out.lanes_end(operation, header.mask);
        self.warp((block.0, number)).live &= !header.mask;
        self.release_warp_barriers(block, number);
        self.complete_barriers(block.0);
        let (cluster, _) = self.block(block.0).cluster;
        self.complete_cluster(cluster);
        if self.block(block.0).warps.iter().all(|warp| warp.live == 0) {
            self.end_block(block, cluster);
        }
        Ok(())
    }

    fn end_block(&mut self, block: BlockIndex, cluster: u64) {
        self.block(block.0).has_ended = true;
        self.out.block_end(block);
        self.ended.add(block.0);
        let members = &self.clusters[&cluster].blocks;
        if members.iter().all(|member| self.blocks[member].has_ended) {
            for member in self.clusters.remove(&cluster).into_iter().flat_map(|one| one.blocks) {
                self.blocks.remove(&member);
            }
        }
    }

    /// A launch that never ends: in blocks in which all who live wait, a barrier is to blame.
    pub(super) fn report_deadlocks(&mut self) {
        let mut numbers: Vec<u32> = self.blocks.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let block = &self.blocks[&number];
            let all_wait = block.warps.iter().all(|warp| warp.live & !warp.waiting == 0);
            let mut groups: Vec<WaitingGroup> =
                block.at_barriers.iter().map(|(_, group)| *group).collect();
            groups.sort_by_key(|group| (group.warp, group.lanes.trailing_zeros()));
            let Some(first) = groups.first().copied().filter(|_| all_wait) else { continue };
            let other = groups.iter().find(|one| one.site != first.site).copied();
            self.emit_divergence(number, &first, &other.unwrap_or(first), false);
        }
    }
}
