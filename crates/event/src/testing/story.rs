//! What threads do, in the order in which they do it.

use super::{Kernel, Lanes, MemoryOperand, WEAK};
use crate::{
    Access, AccessKind, Batch, CopyKind, Event, EventBuffer, MbarrierAccess, MbarrierStep,
    ProxyKind,
};
use warpsan_model::{
    BlockIndex, DeviceAddress, LaunchId, Order, Scope, SiteId, Strength, WARP_LANES,
};

/// The site of an access or a copy until a story gives it the one of its next instruction.
pub const NEXT_SITE: SiteId = SiteId(u32::MAX);

/// What threads did, one event after the other. The module's head says how to read one.
#[derive(Debug)]
pub struct Story {
    events: EventBuffer,
    /// The kernel of the latest launch.
    kernel: Kernel,
    /// The number of the latest launch.
    launch: LaunchId,
    /// The instruction of the latest access or copy.
    site: u32,
    /// How many copies have begun.
    copies: u64,
}

/// A story in which nothing was launched yet.
impl Default for Story {
    fn default() -> Self {
        Story {
            events: EventBuffer::new(),
            kernel: Kernel::default(),
            launch: LaunchId(0),
            site: 0,
            copies: 0,
        }
    }
}

/// Launches.
impl Story {
    /// A launch of a kernel whose instructions may be anything.
    pub fn new() -> Story {
        Story::of(Kernel::default())
    }

    /// A launch of a kernel.
    pub fn of(kernel: Kernel) -> Story {
        Story::default().begin_kernel(0, kernel)
    }

    /// A launch of another kernel begins.
    pub fn begin_kernel(self, launch: u32, kernel: Kernel) -> Story {
        Story { kernel, ..self }.begin_launch(launch)
    }

    /// Further launches are of this kernel.
    pub fn of_kernel(self, kernel: Kernel) -> Story {
        Story { kernel, ..self }
    }

    /// Another launch of the kernel begins. The one before it need not have ended.
    pub fn begin_launch(mut self, launch: u32) -> Story {
        self.launch = LaunchId(launch);
        let Kernel { facts, sites, geometry, cluster } = &self.kernel;
        self.events.push(Event::LaunchBegin {
            launch: self.launch,
            facts,
            sites,
            geometry: *geometry,
        });
        if let Some(extent) = *cluster {
            self.events.push(Event::Clusters { extent });
        }
        self
    }

    /// The latest launch ends.
    pub fn end_launch(self) -> Story {
        let launch = self.launch;
        self.push(Event::LaunchEnd { launch })
    }

    /// The latest launch ends, and another launch of the kernel begins: it is after these only, and after
    /// the others where a thread [has waited](Self::prerequisite_wait). All launches before it still count.
    pub fn begin_launch_after(self, launch: u32, after: &[u32], after_wait: &[u32]) -> Story {
        self.begin_ordered_launch(launch, after, after_wait, &[])
    }

    /// The latest launch ends, and another launch of the kernel begins: it may be after these, by what cannot be seen.
    pub fn begin_launch_perhaps_after(self, launch: u32, perhaps_after: &[u32]) -> Story {
        self.begin_ordered_launch(launch, &[], &[], perhaps_after)
    }

    fn begin_ordered_launch(
        self,
        launch: u32,
        after: &[u32],
        after_wait: &[u32],
        perhaps_after: &[u32],
    ) -> Story {
        let launches =
            |numbers: &[u32]| numbers.iter().copied().map(LaunchId).collect::<Vec<LaunchId>>();
        let open: Vec<LaunchId> = (0..launch).map(LaunchId).collect();
        let order = Event::LaunchOrder {
            launch: LaunchId(launch),
            after: &launches(after),
            after_wait: &launches(after_wait),
            perhaps_after: &launches(perhaps_after),
            open: &open,
        };
        self.end_launch().push(order).begin_launch(launch)
    }

    /// Threads have waited for the launches that theirs overlaps (`griddepcontrol.wait`).
    pub fn prerequisite_wait(self, who: impl Into<Lanes>) -> Story {
        let Lanes { block, warp, mask } = who.into();
        self.push(Event::PrerequisiteWait { block, warp, mask, site: SiteId(0) })
    }

    /// A block has ended.
    pub fn end_block(self, block: u32) -> Story {
        self.push(Event::BlockEnd { block: BlockIndex(block) })
    }

    /// Lanes have ended.
    pub fn end_lanes(self, who: impl Into<Lanes>) -> Story {
        let Lanes { block, warp, mask } = who.into();
        self.push(Event::LanesEnd { block, warp, mask })
    }

    /// Global memory was allocated.
    pub fn allocate(self, address: u64, bytes: u64, label: &str) -> Story {
        self.push(Event::Allocation { address: DeviceAddress(address), bytes, label })
    }
}

/// Accesses to memory.
impl Story {
    /// The next access is this instruction.
    pub fn at_site(self, site: u32) -> Story {
        Story { site: site.wrapping_sub(1), ..self }
    }

    /// A plain load.
    pub fn load<'a>(self, who: impl Into<Lanes>, at: impl Into<MemoryOperand<'a>>) -> Story {
        self.strong_load(who, at, WEAK)
    }

    /// A plain store. If it is that of one thread, its value is one that no other such store writes.
    pub fn store<'a>(self, who: impl Into<Lanes>, at: impl Into<MemoryOperand<'a>>) -> Story {
        self.strong_store(who, at, WEAK)
    }

    /// A plain store of these values, one for each lane and element.
    pub fn store_values<'a>(
        self,
        who: impl Into<Lanes>,
        at: impl Into<MemoryOperand<'a>>,
        values: &[u64],
    ) -> Story {
        let access = who.into().access(AccessKind::Write, WEAK, at);
        self.push(Event::Access(Access { values, ..access }))
    }

    /// A load of some strength.
    pub fn strong_load<'a>(
        self,
        who: impl Into<Lanes>,
        at: impl Into<MemoryOperand<'a>>,
        strength: Strength,
    ) -> Story {
        self.access(who, AccessKind::Read, strength, at)
    }

    /// A store of some strength, with a value as that of [`store`](Self::store).
    pub fn strong_store<'a>(
        self,
        who: impl Into<Lanes>,
        at: impl Into<MemoryOperand<'a>>,
        strength: Strength,
    ) -> Story {
        let access = who.into().access(AccessKind::Write, strength, at);
        let value = [1000 + self.events.len() as u64];
        let is_of_one = access.mask.is_power_of_two() && access.elements == 1 && access.bytes <= 8;
        let values: &[u64] = if is_of_one { &value } else { &[] };
        self.push(Event::Access(Access { values, ..access }))
    }

    /// An atomic that gives back what it read.
    pub fn atomic<'a>(
        self,
        who: impl Into<Lanes>,
        at: impl Into<MemoryOperand<'a>>,
        strength: Strength,
    ) -> Story {
        self.access(who, AccessKind::ReadModifyWrite, strength, at)
    }

    /// An atomic that gives nothing back (`red`).
    pub fn reduction<'a>(
        self,
        who: impl Into<Lanes>,
        at: impl Into<MemoryOperand<'a>>,
        strength: Strength,
    ) -> Story {
        self.access(who, AccessKind::Reduction, strength, at)
    }

    /// A load through the read-only path (`ld.global.nc`).
    pub fn read_only_load<'a>(
        self,
        who: impl Into<Lanes>,
        at: impl Into<MemoryOperand<'a>>,
    ) -> Story {
        let access = who.into().access(AccessKind::Read, WEAK, at);
        self.push(Event::Access(Access { read_only_path: true, ..access }))
    }

    /// Any access, without values.
    pub fn access<'a>(
        self,
        who: impl Into<Lanes>,
        kind: AccessKind,
        strength: Strength,
        at: impl Into<MemoryOperand<'a>>,
    ) -> Story {
        self.push(Event::Access(who.into().access(kind, strength, at)))
    }
}

/// Synchronisation.
impl Story {
    /// A fence.
    pub fn fence(self, who: impl Into<Lanes>, order: Order, scope: Scope) -> Story {
        let Lanes { block, warp, mask } = who.into();
        self.push(Event::Fence { block, warp, mask, site: SiteId(0), order, scope })
    }

    /// A fence between proxies.
    pub fn proxy_fence(self, who: impl Into<Lanes>, proxy: ProxyKind) -> Story {
        let Lanes { block, warp, mask } = who.into();
        self.push(Event::ProxyFence { block, warp, mask, site: SiteId(0), proxy })
    }

    /// All threads of a block have waited at `__syncthreads()`.
    pub fn barrier(self, block: u32) -> Story {
        let threads = self.kernel.geometry.threads_per_block();
        let lanes = |warp| match threads - warp * WARP_LANES {
            some @ 0..WARP_LANES => (1 << some) - 1,
            _ => u64::from(u32::MAX),
        };
        let warps = self.kernel.geometry.warps_per_block();
        let participants: Vec<u64> = (0..warps).map(lanes).collect();
        self.partial_barrier(block, 0, &participants)
    }

    /// A phase of a block barrier is complete: for each warp, the lanes that waited in the lower half, and the
    /// lanes that only arrived in the upper half.
    pub fn partial_barrier(self, block: u32, barrier: u32, participants: &[u64]) -> Story {
        self.push(Event::BlockBarrier { block: BlockIndex(block), barrier, participants })
    }

    /// Lanes arrive at a block barrier and do not wait.
    pub fn arrive(self, who: impl Into<Lanes>, barrier: u32) -> Story {
        let Lanes { block, warp, mask } = who.into();
        self.push(Event::BlockArrive { block, warp, mask, site: SiteId(0), barrier })
    }

    /// Lanes of a warp have waited for each other (`__syncwarp`).
    pub fn warp_barrier(self, who: impl Into<Lanes>) -> Story {
        let Lanes { block, warp, mask } = who.into();
        self.push(Event::WarpBarrier { block, warp, mask })
    }

    /// Lanes arrive at the barrier of their cluster.
    pub fn cluster_arrive(self, who: impl Into<Lanes>, order: Order, phase: u32) -> Story {
        let Lanes { block, warp, mask } = who.into();
        self.push(Event::ClusterArrive { block, warp, mask, site: SiteId(0), order, phase })
    }

    /// Lanes have waited for a phase of the barrier of their cluster.
    pub fn cluster_wait(self, who: impl Into<Lanes>, phase: u32) -> Story {
        let Lanes { block, warp, mask } = who.into();
        self.push(Event::ClusterWait { block, warp, mask, site: SiteId(0), phase })
    }

    /// The first of the lanes uses the `mbarrier` at the beginning of the shared memory of block 0.
    pub fn mbarrier(
        self,
        who: impl Into<Lanes>,
        step: MbarrierStep,
        strength: Strength,
        phase: u64,
    ) -> Story {
        let who = who.into();
        self.push(Event::Mbarrier(MbarrierAccess {
            block: who.block,
            warp: who.warp,
            lane: who.first(),
            site: SiteId(0),
            step,
            strength,
            owner: BlockIndex(0),
            address: 0,
            phase,
        }))
    }
}

/// Asynchronous copies.
impl Story {
    /// Each lane begins a copy.
    pub fn copy<'a>(
        self,
        who: impl Into<Lanes>,
        kind: CopyKind,
        from: impl Into<MemoryOperand<'a>>,
        to: impl Into<MemoryOperand<'a>>,
    ) -> Story {
        self.push(Event::CopyBegin(who.into().copy(kind, from, to)))
    }

    /// Each lane has waited for its copies with numbers below this one, or for what they read.
    pub fn copy_wait(self, who: impl Into<Lanes>, bulk: bool, read: bool, before: u64) -> Story {
        let Lanes { block, warp, mask } = who.into();
        let before = &vec![before; mask.count_ones() as usize];
        self.push(Event::CopyWait { block, warp, mask, site: SiteId(0), bulk, read, before })
    }

    /// A copy of the first of the lanes signals the `mbarrier` at the beginning of the shared memory of block 0.
    pub fn copy_signal(self, who: impl Into<Lanes>, copy: u64, phase: u64) -> Story {
        let who = who.into();
        self.push(Event::CopySignal {
            block: who.block,
            warp: who.warp,
            lane: who.first(),
            copy: Some(copy),
            owner: BlockIndex(0),
            address: 0,
            phase,
        })
    }
}

/// What was written.
impl Story {
    /// Any event. An access or a copy whose site is [`NEXT_SITE`] gets that of the next instruction; copies get
    /// their numbers.
    pub fn push(mut self, event: Event<'_>) -> Story {
        match event {
            Event::Access(mut access) => {
                access.site = self.resolve(access.site);
                self.events.push(Event::Access(access));
            }
            Event::CopyBegin(mut copies) => {
                copies.site = self.resolve(copies.site);
                copies.first = self.copies;
                self.copies += u64::from(copies.mask.count_ones());
                self.events.push(Event::CopyBegin(copies));
            }
            other => self.events.push(other),
        }
        self
    }

    fn resolve(&mut self, site: SiteId) -> SiteId {
        if site != NEXT_SITE {
            return site;
        }
        self.site = self.site.wrapping_add(1);
        SiteId(self.site)
    }

    /// How many copies have begun: the number of the next one.
    pub fn copies(&self) -> u64 {
        self.copies
    }

    /// The kernel of the latest launch.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// All events.
    pub fn batch(&self) -> Batch<'_> {
        self.events.batch()
    }

    /// All events, to be kept.
    pub fn into_events(self) -> EventBuffer {
        self.events
    }
}
