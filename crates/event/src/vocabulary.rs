//! The vocabulary: what can have happened.

use crate::{KernelFacts, SiteTable};
use std::sync::Arc;
use warpsan_model::{
    BlockIndex, DeviceAddress, Dim3, Geometry, LaunchId, Order, Scope, SiteId, Space, Strength,
    lanes,
};

/// What an access does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// It only reads.
    Read,
    /// It only writes.
    Write,
    /// It reads and writes in one step; lanes outside [`Access::wrote`] only read.
    ReadModifyWrite,
    /// It writes a value computed from the old one, but gives nothing back (`red`).
    Reduction,
}

/// The addresses of the active lanes, in the shortest form that says them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneAddresses<'a> {
    /// All lanes use the same address.
    Uniform(u64),
    /// Lane `n` uses `first + n * stride`, active or not.
    Strided {
        /// The address of lane 0.
        first: u64,
        /// The distance from one lane to the next.
        stride: u64,
    },
    /// One address for each active lane, lowest lane first.
    PerLane(&'a [u64]),
}

/// One load, store or atomic of one warp, in shared or global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access<'a> {
    /// The block of the warp.
    pub block: BlockIndex,
    /// The warp's number in its block.
    pub warp: u32,
    /// The instruction.
    pub site: SiteId,
    /// The lanes that access memory.
    pub mask: u32,
    /// The lanes that wrote: differs from `mask` for a compare-and-swap that failed.
    pub wrote: u32,
    /// Global or shared. Addresses in shared memory are offsets in that of `owner`.
    pub space: Space,
    /// The block whose shared memory it is: another one of the cluster, perhaps. For global memory
    /// it is the warp's own.
    pub owner: BlockIndex,
    /// What it does.
    pub kind: AccessKind,
    /// How strong it is.
    pub strength: Strength,
    /// Bytes of one element.
    pub bytes: u8,
    /// Neighbouring elements of each lane: 1, 2 or 4.
    pub elements: u8,
    /// Where each lane's first element is.
    pub addresses: LaneAddresses<'a>,
    /// By active lane, then by element: what a store writes, what a strong load reads, what an
    /// atomic reads and then what it leaves there. An element of 16 bytes has two words. Empty where
    /// nobody asked.
    pub values: &'a [u64],
    /// By active lane, for strong operations: how many strong writes the location had seen, the own
    /// one included. Empty where nobody asked.
    pub versions: &'a [u64],
    /// It goes through the read-only path (`ld.global.nc`).
    pub read_only_path: bool,
}

impl Access<'_> {
    /// The lanes with their addresses, lowest lane first.
    pub fn lanes(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.addresses.of(self.mask)
    }

    /// How many bytes each lane accesses, with all elements.
    #[inline]
    pub fn bytes_of_lane(&self) -> u64 {
        u64::from(self.bytes) * u64::from(self.elements)
    }
}

impl LaneAddresses<'_> {
    /// The lanes of a mask with their addresses, lowest lane first.
    pub fn of(&self, mask: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        lanes(mask).enumerate().map(|(rank, lane)| {
            let address = match self {
                LaneAddresses::Uniform(address) => *address,
                LaneAddresses::Strided { first, stride } => {
                    first.wrapping_add(stride.wrapping_mul(u64::from(lane)))
                }
                LaneAddresses::PerLane(addresses) => addresses[rank],
            };
            (lane, address)
        })
    }
}

/// What a fence orders that is no fence of memory: accesses through another proxy with ordinary ones, mostly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxyKind {
    /// Those through other addresses of the same memory.
    Alias,
    /// Asynchronous copies in any memory.
    Async,
    /// Asynchronous copies in global memory.
    AsyncGlobal,
    /// Asynchronous copies in shared memory.
    AsyncShared,
    /// Descriptions of tensors.
    TensorMap,
    /// No proxy: `fence.mbarrier_init` orders what initialised an `mbarrier` before a relaxed arrival at the barrier of the
    /// cluster.
    MbarrierInit,
}

/// What was done to an `mbarrier` object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MbarrierStep {
    /// It came to be.
    Init,
    /// It is no barrier any more.
    Invalidate,
    /// The lane arrived.
    Arrive,
    /// The lane arrived and is not expected again.
    ArriveDrop,
    /// More bytes are expected.
    Expect,
    /// The lane saw that a phase is complete.
    Wait,
}

/// One lane's use of an `mbarrier` object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MbarrierAccess {
    /// The block of the lane.
    pub block: BlockIndex,
    /// The warp's number in its block.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
    /// The instruction.
    pub site: SiteId,
    /// What was done.
    pub step: MbarrierStep,
    /// Order and scope.
    pub strength: Strength,
    /// The block whose shared memory the object is in.
    pub owner: BlockIndex,
    /// Its offset there.
    pub address: u64,
    /// How many phases of the object were complete before.
    pub phase: u64,
}

/// Kinds of asynchronous copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyKind {
    /// `cp.async`: a weak copy by the thread.
    Thread,
    /// `cp.async.bulk` and `cp.reduce.async.bulk`: through the asynchronous proxy.
    Bulk,
    /// `st.async` and `red.async`.
    Store,
}

/// One side of an asynchronous copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopySide<'a> {
    /// Global or shared.
    pub space: Space,
    /// The block whose shared memory it is.
    pub owner: BlockIndex,
    /// Where each lane's copy begins.
    pub addresses: LaneAddresses<'a>,
    /// Bytes of each lane's copy.
    pub bytes: u32,
}

/// Asynchronous copies that lanes of a warp began with one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyBegin<'a> {
    /// The block of the warp.
    pub block: BlockIndex,
    /// The warp's number in its block.
    pub warp: u32,
    /// The lanes.
    pub mask: u32,
    /// The instruction.
    pub site: SiteId,
    /// What kind of copy.
    pub kind: CopyKind,
    /// The number of the lowest active lane's copy; the others follow, one for each lane.
    pub first: u64,
    /// What is read; nothing for a store of registers.
    pub from: Option<CopySide<'a>>,
    /// What is written.
    pub to: CopySide<'a>,
    /// It combines what it brings with what is there.
    pub reduces: bool,
}

/// Something that happened. Closed on purpose: a detector that forgets one does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// The launch that begins next is not after everything before it, as launches in different
    /// streams are not. Comes right before its beginning; where it is missing, the launch is after
    /// all launches so far.
    LaunchOrder {
        /// The launch.
        launch: LaunchId,
        /// The launches that have ended before this one begins; what they were after is before it,
        /// too, and need not be emitted again.
        after: &'a [LaunchId],
        /// Launches that this one may overlap, as a programmatic launch does with the one before it in its
        /// stream: a thread is after them, and after what they were after, once it has waited for them
        /// ([`PrerequisiteWait`](Event::PrerequisiteWait)).
        after_wait: &'a [LaunchId],
        /// Launches that a thread of the host had waited for when another thread of the host asked for this one. Nothing
        /// that was seen orders the two threads; what cannot be seen (atomics of the program) may.
        perhaps_after: &'a [LaunchId],
        /// All earlier launches that this one or one to come may not be after. What is not among them is
        /// before everything from now on.
        open: &'a [LaunchId],
    },
    /// A kernel begins. What launches before it did is ordered before it, unless a
    /// [`LaunchOrder`](Event::LaunchOrder) says otherwise.
    LaunchBegin {
        /// The launch.
        launch: LaunchId,
        /// What is known about the kernel.
        facts: &'a Arc<KernelFacts>,
        /// Its sites.
        sites: &'a Arc<SiteTable>,
        /// Its extents.
        geometry: Geometry,
    },
    /// The blocks of the kernel form clusters. Comes right after the beginning of a launch; where it
    /// is missing, every block is a cluster of its own.
    Clusters {
        /// Blocks in a cluster.
        extent: Dim3,
    },
    /// The kernel has ended, all of it.
    LaunchEnd {
        /// The launch.
        launch: LaunchId,
    },
    /// A block has ended; its shared memory is gone.
    BlockEnd {
        /// The block.
        block: BlockIndex,
    },
    /// Lanes have ended; barriers that complete from now on do without them. Emitted only where the kernel
    /// has block barriers.
    LanesEnd {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes.
        mask: u32,
    },
    /// A warp accessed memory.
    Access(Access<'a>),
    /// Lanes executed a fence.
    Fence {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes.
        mask: u32,
        /// The instruction.
        site: SiteId,
        /// Its order.
        order: Order,
        /// Its scope.
        scope: Scope,
    },
    /// Lanes arrived at a block barrier and go on at once: what they do from now on is not ordered by
    /// the phase that they arrived for.
    BlockArrive {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes.
        mask: u32,
        /// The instruction.
        site: SiteId,
        /// The barrier's number.
        barrier: u32,
    },
    /// A phase of a block barrier is complete.
    BlockBarrier {
        /// The block.
        block: BlockIndex,
        /// The barrier's number, 0 for `__syncthreads`.
        barrier: u32,
        /// For each warp of the block, the lanes that waited in the lower half, and the lanes that
        /// only arrived in the upper half.
        participants: &'a [u64],
    },
    /// Lanes arrived at the barrier of their cluster.
    ClusterArrive {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes.
        mask: u32,
        /// The instruction.
        site: SiteId,
        /// Release, or relaxed, which orders nothing.
        order: Order,
        /// How many phases of the barrier were complete before.
        phase: u32,
    },
    /// Lanes have waited for the barrier of their cluster, and go on.
    ClusterWait {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes.
        mask: u32,
        /// The instruction.
        site: SiteId,
        /// The phase that is complete.
        phase: u32,
    },
    /// Lanes have waited until the launches that this one may overlap had ended
    /// (`griddepcontrol.wait`).
    PrerequisiteWait {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes.
        mask: u32,
        /// The instruction.
        site: SiteId,
    },
    /// Lanes executed a proxy fence.
    ProxyFence {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes.
        mask: u32,
        /// The instruction.
        site: SiteId,
        /// Which accesses it orders with ordinary ones.
        proxy: ProxyKind,
    },
    /// One lane used an `mbarrier` object.
    Mbarrier(MbarrierAccess),
    /// Lanes began asynchronous copies.
    CopyBegin(CopyBegin<'a>),
    /// An asynchronous copy was carried out: its source was read and its destination written.
    CopyEnd {
        /// Its number.
        copy: u64,
    },
    /// An asynchronous copy or arrival signalled an `mbarrier` that it is complete.
    CopySignal {
        /// The block of the thread that began the copy, or that arrives.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lane.
        lane: u32,
        /// The last copy that it speaks for; none if the thread had no copy.
        copy: Option<u64>,
        /// The block whose shared memory the object is in.
        owner: BlockIndex,
        /// Its offset there.
        address: u64,
        /// How many phases of the object were complete before.
        phase: u64,
    },
    /// Lanes have waited for their own copies.
    CopyWait {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes.
        mask: u32,
        /// The instruction.
        site: SiteId,
        /// Bulk copies, not those of `cp.async`.
        bulk: bool,
        /// Only their sources are known to be read.
        read: bool,
        /// By active lane: the lane's copies with smaller numbers are complete.
        before: &'a [u64],
    },
    /// Lanes of one warp met at `bar.warp.sync`.
    WarpBarrier {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes that met.
        mask: u32,
    },
    /// Lanes that diverged are at one instruction again: where the paths of a branch join, or behind an instruction that
    /// only some of them execute. That orders nothing in the memory model.
    Reconvergence {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes that go on together.
        mask: u32,
    },
    /// Threads of a block wait for one barrier at different places.
    BarrierDivergence {
        /// The block.
        block: BlockIndex,
        /// Where one thread waits.
        site: SiteId,
        /// That thread, in its block.
        thread: u32,
        /// The lanes of its warp that wait there.
        lanes: u32,
        /// Where another thread is instead.
        other_site: SiteId,
        /// The other thread, in its block.
        other_thread: u32,
        /// The lanes of its warp that are there.
        other_lanes: u32,
        /// The two places make one phase all the same; otherwise it can never complete, or breaks a
        /// rule of the instruction.
        completes: bool,
    },
    /// Device memory was taken.
    Allocation {
        /// Its first byte.
        address: DeviceAddress,
        /// Its size.
        bytes: u64,
        /// What to call it in a report.
        label: &'a str,
    },
    /// Device memory was given back.
    Free {
        /// Its first byte.
        address: DeviceAddress,
    },
}

impl Event<'_> {
    /// The block that it happened in; for what copies and launches do, there is none.
    pub fn block(&self) -> Option<BlockIndex> {
        match self {
            Event::Access(access) => Some(access.block),
            Event::Mbarrier(access) => Some(access.block),
            Event::CopyBegin(copies) => Some(copies.block),
            Event::BlockEnd { block }
            | Event::LanesEnd { block, .. }
            | Event::Fence { block, .. }
            | Event::BlockArrive { block, .. }
            | Event::BlockBarrier { block, .. }
            | Event::ClusterArrive { block, .. }
            | Event::ClusterWait { block, .. }
            | Event::PrerequisiteWait { block, .. }
            | Event::ProxyFence { block, .. }
            | Event::CopySignal { block, .. }
            | Event::CopyWait { block, .. }
            | Event::WarpBarrier { block, .. }
            | Event::Reconvergence { block, .. }
            | Event::BarrierDivergence { block, .. } => Some(*block),
            Event::LaunchOrder { .. }
            | Event::LaunchBegin { .. }
            | Event::Clusters { .. }
            | Event::LaunchEnd { .. }
            | Event::CopyEnd { .. }
            | Event::Allocation { .. }
            | Event::Free { .. } => None,
        }
    }
}
