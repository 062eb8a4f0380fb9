//! From events to items.

use super::bytes::{put_difference, put_number, put_text};
use super::items::{self, Listed, number_of_strength};
use super::kernels::{Kernels, put_kernel};
use super::memory::{Memory, Shape, Wrote};
use super::words::put_words;
use crate::vocabulary::{Access, CopyBegin, CopySide, Event, LaneAddresses, MbarrierAccess};
use std::sync::Arc;
use warpsan_model::{BlockIndex, Dim3, SiteId, WARP_LANES};

/// Turns events into the contents of a frame.
#[derive(Debug)]
pub(super) struct Encoder {
    pub(super) out: Vec<u8>,
    /// Items so far, in all frames.
    pub(super) items: u64,
    memory: Memory,
    kernels: Kernels,
}

/// Who did something: a warp, some of its lanes, and the instruction.
struct Origin {
    block: BlockIndex,
    warp: u32,
    mask: u32,
    site: SiteId,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder { out: Vec::new(), items: 0, memory: Memory::new(), kernels: Kernels::default() }
    }

    /// The frame is written; a new one begins.
    pub(super) fn begin_frame(&mut self) {
        self.out.clear();
        self.memory.clear();
    }

    pub(super) fn remark(&mut self, text: &str) {
        self.begin(items::REMARK);
        put_text(&mut self.out, text);
    }

    fn begin(&mut self, item: u8) {
        self.items += 1;
        self.out.push(item);
    }

    fn number(&mut self, number: impl Into<u64>) {
        put_number(&mut self.out, number.into());
    }

    /// The start of an item that a warp did.
    fn begin_warp(&mut self, item: u8, origin: &Origin, more_flags: u8) {
        let Origin { block, warp, mask, site } = *origin;
        let same = (self.memory.block, self.memory.warp) == (block.0, warp);
        let mut first = item | more_flags;
        first |= if same { items::SAME_WARP } else { 0 };
        first |= if mask == u32::MAX { items::ALL_LANES } else { 0 };
        self.begin(first);
        if !same {
            self.block(block);
            self.number(warp);
            self.memory.warp = warp;
        }
        self.site(site);
        if mask != u32::MAX {
            self.number(mask);
        }
    }

    fn block(&mut self, block: BlockIndex) {
        put_difference(&mut self.out, u64::from(block.0), u64::from(self.memory.block));
        self.memory.block = block.0;
    }

    /// Another block, near the one that the item is about.
    fn owner(&mut self, owner: BlockIndex) {
        put_difference(&mut self.out, u64::from(owner.0), u64::from(self.memory.block));
    }

    fn site(&mut self, site: SiteId) {
        put_difference(&mut self.out, u64::from(site.0), u64::from(self.memory.site));
        self.memory.site = site.0;
    }

    fn address(&mut self, address: u64) {
        put_difference(&mut self.out, address, self.memory.address);
        self.memory.address = address;
    }

    fn copy(&mut self, copy: u64) {
        put_difference(&mut self.out, copy, self.memory.copy);
        self.memory.copy = copy;
    }

    fn extent(&mut self, extent: Dim3) {
        for part in [extent.x, extent.y, extent.z] {
            self.number(part);
        }
    }

    pub(super) fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::LaunchOrder { launch, after, after_wait, perhaps_after, open } => {
                self.begin(items::LAUNCH_ORDER);
                self.number(launch.0);
                for launches in [after, open, after_wait, perhaps_after] {
                    self.number(launches.len() as u64);
                    for earlier in launches {
                        put_difference(&mut self.out, u64::from(launch.0), u64::from(earlier.0));
                    }
                }
            }
            Event::LaunchBegin { launch, facts, sites, geometry } => {
                let number = self.kernels.number(facts, sites).unwrap_or_else(|| {
                    self.begin(items::KERNEL);
                    put_kernel(&mut self.out, facts, sites);
                    self.kernels.add((Arc::clone(facts), Arc::clone(sites)))
                });
                self.begin(items::LAUNCH_BEGIN);
                self.number(launch.0);
                self.number(number as u64);
                self.extent(geometry.grid);
                self.extent(geometry.block);
            }
            Event::Clusters { extent } => {
                self.begin(items::CLUSTERS);
                self.extent(extent);
            }
            Event::LaunchEnd { launch } => {
                self.begin(items::LAUNCH_END);
                self.number(launch.0);
            }
            Event::BlockEnd { block } => {
                self.begin(items::BLOCK_END);
                self.block(block);
            }
            Event::Access(ref access) => self.access(access),
            Event::Fence { block, warp, mask, site, order, scope } => {
                self.begin_warp(items::FENCE, &Origin { block, warp, mask, site }, 0);
                self.out.extend([order.number(), scope.number()]);
            }
            Event::BlockArrive { block, warp, mask, site, barrier } => {
                self.begin_warp(items::BLOCK_ARRIVE, &Origin { block, warp, mask, site }, 0);
                self.number(barrier);
            }
            Event::BlockBarrier { block, barrier, participants } => {
                self.begin(items::BLOCK_BARRIER);
                self.block(block);
                self.number(barrier);
                put_words(&mut self.out, participants, 0);
            }
            Event::ClusterArrive { block, warp, mask, site, order, phase } => {
                self.begin_warp(items::CLUSTER_ARRIVE, &Origin { block, warp, mask, site }, 0);
                self.out.push(order.number());
                self.number(phase);
            }
            Event::ClusterWait { block, warp, mask, site, phase } => {
                self.begin_warp(items::CLUSTER_WAIT, &Origin { block, warp, mask, site }, 0);
                self.number(phase);
            }
            Event::PrerequisiteWait { block, warp, mask, site } => {
                self.begin_warp(items::PREREQUISITE_WAIT, &Origin { block, warp, mask, site }, 0);
            }
            Event::ProxyFence { block, warp, mask, site, proxy } => {
                self.begin_warp(items::PROXY_FENCE, &Origin { block, warp, mask, site }, 0);
                self.out.push(proxy.number());
            }
            Event::Mbarrier(ref access) => self.mbarrier(access),
            Event::CopyBegin(ref copies) => self.copy_begin(copies),
            Event::CopyEnd { copy } => {
                self.begin(items::COPY_END);
                self.copy(copy);
            }
            Event::CopySignal { block, warp, lane, copy, owner, address, phase } => {
                // It has no site of its own: that of the item before costs nothing.
                let site = SiteId(self.memory.site);
                let origin = Origin { block, warp, mask: 1 << (lane % WARP_LANES), site };
                self.begin_warp(items::COPY_SIGNAL, &origin, 0);
                self.out.push(u8::from(copy.is_some()));
                if let Some(copy) = copy {
                    self.copy(copy);
                }
                self.owner(owner);
                self.address(address);
                self.number(phase);
            }
            Event::CopyWait { block, warp, mask, site, bulk, read, before } => {
                self.begin_warp(items::COPY_WAIT, &Origin { block, warp, mask, site }, 0);
                self.out.push(u8::from(bulk) | u8::from(read) << 1);
                put_words(&mut self.out, before, self.memory.copy);
            }
            Event::LanesEnd { block, warp, mask } => {
                let site = SiteId(self.memory.site);
                self.begin_warp(items::LANES_END, &Origin { block, warp, mask, site }, 0);
            }
            Event::WarpBarrier { block, warp, mask } => {
                // It has no site of its own: that of the item before costs nothing.
                let site = SiteId(self.memory.site);
                self.begin_warp(items::WARP_BARRIER, &Origin { block, warp, mask, site }, 0);
            }
            Event::Reconvergence { block, warp, mask } => {
                let site = SiteId(self.memory.site);
                self.begin_warp(items::RECONVERGENCE, &Origin { block, warp, mask, site }, 0);
            }
            Event::BarrierDivergence {
                block,
                site,
                thread,
                lanes,
                other_site,
                other_thread,
                other_lanes,
                completes,
            } => {
                self.begin(items::BARRIER_DIVERGENCE_OF_LANES);
                self.block(block);
                self.out.push(u8::from(completes));
                for (site, thread, lanes) in
                    [(site, thread, lanes), (other_site, other_thread, other_lanes)]
                {
                    self.site(site);
                    self.number(thread);
                    self.number(lanes);
                }
            }
            Event::Allocation { address, bytes, label } => {
                self.begin(items::ALLOCATION);
                self.address(address.0);
                self.number(bytes);
                put_text(&mut self.out, label);
            }
            Event::Free { address } => {
                self.begin(items::FREE);
                self.address(address.0);
            }
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        let Access { block, warp, site, mask, wrote, owner, .. } = *access;
        let shape = Shape::of(access);
        let last = self.memory.last_access(site.0);
        let same_shape = last.is_some_and(|last| last.shape == shape);
        let flags = if same_shape { items::SAME_SHAPE } else { 0 };
        self.begin_warp(items::ACCESS, &Origin { block, warp, mask, site }, flags);
        if !same_shape {
            self.number(shape.number());
        }
        if shape.wrote == Wrote::Listed {
            self.number(wrote);
        }
        if !shape.own_memory {
            self.owner(owner);
        }
        let from = last.map_or(self.memory.address, |last| last.address);
        let lists =
            u8::from(!access.values.is_empty()) | u8::from(!access.versions.is_empty()) << 1;
        let address = self.addresses(&access.addresses, lists, from);
        self.memory.remember(site.0, shape, address);
        for list in [access.values, access.versions] {
            if !list.is_empty() {
                put_words(&mut self.out, list, 0);
            }
        }
    }

    /// Writes addresses, with two bits of the caller's, and gives the one to measure the next from.
    fn addresses(&mut self, addresses: &LaneAddresses<'_>, bits: u8, from: u64) -> u64 {
        match *addresses {
            LaneAddresses::Uniform(address) => {
                self.out.push(bits);
                put_difference(&mut self.out, address, from);
                address
            }
            LaneAddresses::Strided { first, stride } => {
                self.out.push(bits | 1 << 2);
                put_difference(&mut self.out, first, from);
                put_difference(&mut self.out, stride, 0);
                first
            }
            LaneAddresses::PerLane(addresses) => {
                self.out.push(bits | 2 << 2);
                put_words(&mut self.out, addresses, from);
                addresses.first().copied().unwrap_or(from)
            }
        }
    }

    fn mbarrier(&mut self, access: &MbarrierAccess) {
        let MbarrierAccess { block, warp, lane, site, step, strength, owner, address, phase } =
            *access;
        let origin = Origin { block, warp, mask: u32::MAX, site };
        self.begin_warp(items::MBARRIER, &origin, 0);
        self.number(lane);
        self.out.extend([step.number(), number_of_strength(strength)]);
        self.owner(owner);
        self.address(address);
        self.number(phase);
    }

    fn copy_begin(&mut self, copies: &CopyBegin<'_>) {
        let CopyBegin { block, warp, mask, site, kind, first, from, to, reduces } = *copies;
        self.begin_warp(items::COPY_BEGIN, &Origin { block, warp, mask, site }, 0);
        self.out.push(u8::from(reduces) | u8::from(from.is_some()) << 1);
        self.out.push(kind.number());
        self.copy(first);
        if let Some(from) = &from {
            self.side(from);
        }
        self.side(&to);
    }

    fn side(&mut self, side: &CopySide<'_>) {
        let CopySide { space, owner, addresses, bytes } = side;
        self.out.push(space.number());
        self.owner(*owner);
        self.number(*bytes);
        self.memory.address = self.addresses(addresses, 0, self.memory.address);
    }
}
