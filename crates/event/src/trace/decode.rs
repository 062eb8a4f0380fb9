//! From items to events.
//!
//! What is given out is safe to use without further checks: sites are in the table, threads are in
//! the launch, there is an address for each lane, shared memory is no larger than a device has it, and no access
//! reaches past the end of all addresses. Nothing takes much more memory than the item that it comes from.

mod accesses;

use super::bytes::{Cursor, Fault, fault};
use super::items::{self, Listed, strength_of_number};
use super::kernels::{Kernels, KnownFacts, kernel};
use super::memory::Memory;
use super::words::words;
use crate::EventBuffer;
use crate::vocabulary::Event;
use warpsan_model::barriers::BLOCK_BARRIERS;
use warpsan_model::{
    BlockIndex, DeviceAddress, Dim3, Geometry, LaunchId, SiteId, Strength, WARP_LANES,
};

/// Threads of a block, on every device.
const MOST_THREADS: u64 = 1024;
/// More blocks in a cluster than any device has.
const MOST_CLUSTER_BLOCKS: u64 = 64;
/// Traces of versions that do not say which launches are open may have so many: each of them is listed for all that
/// come after it.
const MOST_LAUNCHES_ALL_OPEN: usize = 1 << 16;
/// The longest list of earlier launches.
const MOST_EARLIER_LAUNCHES: u64 = 1 << 22;

/// What an item was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// An event, which is in the buffer now.
    Event,
    /// A kernel that launches will name.
    Kernel,
    /// A text.
    Remark(String),
}

/// Turns the contents of frames into events.
#[derive(Debug)]
pub(super) struct Decoder {
    /// The version of the trace.
    version: u32,
    memory: Memory,
    kernels: Kernels,
    launch: Option<Bounds>,
    /// The launches so far, in traces that do not say which of them are open.
    begun: Vec<LaunchId>,
    lists: [Vec<u64>; 3],
}

/// From this version on, a trace says which launches others may not be after.
const WITH_OPEN_LAUNCHES: u32 = 3;
/// From this version on, a trace says which launches a thread is after once it has waited.
const WITH_WAITS_FOR_LAUNCHES: u32 = 4;

/// From this version on, a trace says which kernels have bulk copies.
const WITH_BULK_COPIES: u32 = 5;

/// From this version on, a trace says which launches another one may be after in ways that were not seen.
const WITH_UNSEEN_ORDER: u32 = 6;

/// From this version on, a trace says in which order passes of loops come to instructions.
const WITH_PASS_ORDER: u32 = 7;

/// What the events of a launch can name.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    sites: u32,
    blocks: u32,
    threads: u32,
}

/// Who did something: a warp, some of its lanes, and the instruction.
struct Origin {
    block: BlockIndex,
    warp: u32,
    mask: u32,
    site: SiteId,
}

impl Decoder {
    pub(super) fn new(version: u32) -> Decoder {
        Decoder {
            version,
            memory: Memory::new(),
            kernels: Kernels::default(),
            launch: None,
            begun: Vec::new(),
            lists: Default::default(),
        }
    }

    pub(super) fn begin_frame(&mut self) {
        self.memory.clear();
    }

    /// Reads one item; an event goes to the buffer.
    pub(super) fn item(
        &mut self,
        cursor: &mut Cursor<'_>,
        buffer: &mut EventBuffer,
    ) -> Result<Item, Fault> {
        let first = cursor.byte()?;
        match first & items::ITEM_BITS {
            items::KERNEL => {
                let mut room = self.kernels.room();
                let known = KnownFacts {
                    bulk_copies: self.version >= WITH_BULK_COPIES,
                    pass_order: self.version >= WITH_PASS_ORDER,
                };
                let kernel = kernel(cursor, known, &mut room)?;
                self.kernels.add_sized(kernel, self.kernels.room() - room);
                return Ok(Item::Kernel);
            }
            items::REMARK => return Ok(Item::Remark(cursor.text()?.to_string())),
            items::LAUNCH_ORDER => {
                let launch = LaunchId(cursor.number32()?);
                let after = earlier_launches(cursor, launch)?;
                let open = match self.version < WITH_OPEN_LAUNCHES {
                    true => self.begun.iter().copied().filter(|begun| *begun < launch).collect(),
                    false => earlier_launches(cursor, launch)?,
                };
                let after_wait = match self.version < WITH_WAITS_FOR_LAUNCHES {
                    true => Vec::new(),
                    false => earlier_launches(cursor, launch)?,
                };
                let perhaps_after = match self.version < WITH_UNSEEN_ORDER {
                    true => Vec::new(),
                    false => earlier_launches(cursor, launch)?,
                };
                buffer.push(Event::LaunchOrder {
                    launch,
                    after: &after,
                    after_wait: &after_wait,
                    perhaps_after: &perhaps_after,
                    open: &open,
                });
            }
            items::LAUNCH_BEGIN => self.launch_begin(cursor, buffer)?,
            items::ACCESS => self.access(first, cursor, buffer)?,
            items::COPY_BEGIN => self.copy_begin(first, cursor, buffer)?,
            items::MBARRIER => {
                let access = self.mbarrier(first, cursor)?;
                buffer.push(Event::Mbarrier(access));
            }
            items::BLOCK_BARRIER => {
                let block = self.block(cursor)?;
                let barrier = barrier(cursor)?;
                words(cursor, 0, &mut self.lists[0])?;
                self.check_participants()?;
                buffer.push(Event::BlockBarrier { block, barrier, participants: &self.lists[0] });
            }
            items::COPY_WAIT => {
                let Origin { block, warp, mask, site } = self.origin(first, cursor)?;
                let bits = cursor.byte()?;
                let (bulk, read) = (bits & 1 != 0, bits & 2 != 0);
                words(cursor, self.memory.copy, &mut self.lists[0])?;
                let before = self.list_of(mask)?;
                buffer.push(Event::CopyWait { block, warp, mask, site, bulk, read, before });
            }
            items::ALLOCATION => {
                let address = DeviceAddress(self.address(cursor)?);
                let bytes = cursor.number()?;
                if address.0.checked_add(bytes).is_none() {
                    return Err(Fault(format!(
                        "an allocation of {bytes} bytes at {:#x}",
                        address.0
                    )));
                }
                buffer.push(Event::Allocation { address, bytes, label: cursor.text()? });
            }
            other => {
                let event = self.plain(other, first, cursor)?;
                buffer.push(event);
            }
        }
        Ok(Item::Event)
    }

    /// Events without lists and texts.
    fn plain(
        &mut self,
        item: u8,
        first: u8,
        cursor: &mut Cursor<'_>,
    ) -> Result<Event<'static>, Fault> {
        Ok(match item {
            items::CLUSTERS => {
                let extent = extent(cursor)?;
                if !count(extent).is_some_and(|blocks| (1..=MOST_CLUSTER_BLOCKS).contains(&blocks))
                {
                    let Dim3 { x, y, z } = extent;
                    return Err(Fault(format!("clusters of {x} x {y} x {z} blocks")));
                }
                Event::Clusters { extent }
            }
            items::LAUNCH_END => Event::LaunchEnd { launch: LaunchId(cursor.number32()?) },
            items::BLOCK_END => Event::BlockEnd { block: self.block(cursor)? },
            items::LANES_END => {
                let Origin { block, warp, mask, .. } = self.warp(first, cursor)?;
                Event::LanesEnd { block, warp, mask }
            }
            items::FENCE => {
                let Origin { block, warp, mask, site } = self.origin(first, cursor)?;
                let (order, scope) = (listed(cursor)?, listed(cursor)?);
                Event::Fence { block, warp, mask, site, order, scope }
            }
            items::BLOCK_ARRIVE => {
                let Origin { block, warp, mask, site } = self.origin(first, cursor)?;
                Event::BlockArrive { block, warp, mask, site, barrier: barrier(cursor)? }
            }
            items::CLUSTER_ARRIVE => {
                let Origin { block, warp, mask, site } = self.origin(first, cursor)?;
                let (order, phase) = (listed(cursor)?, cursor.number32()?);
                Event::ClusterArrive { block, warp, mask, site, order, phase }
            }
            items::CLUSTER_WAIT => {
                let Origin { block, warp, mask, site } = self.origin(first, cursor)?;
                Event::ClusterWait { block, warp, mask, site, phase: cursor.number32()? }
            }
            items::PREREQUISITE_WAIT => {
                let Origin { block, warp, mask, site } = self.origin(first, cursor)?;
                Event::PrerequisiteWait { block, warp, mask, site }
            }
            items::PROXY_FENCE => {
                let Origin { block, warp, mask, site } = self.origin(first, cursor)?;
                Event::ProxyFence { block, warp, mask, site, proxy: listed(cursor)? }
            }
            items::COPY_END => Event::CopyEnd { copy: self.copy(cursor)? },
            items::COPY_SIGNAL => {
                let Origin { block, warp, mask, .. } = self.warp(first, cursor)?;
                if mask.count_ones() != 1 {
                    return fault("a signal that is not one lane's");
                }
                let lane = mask.trailing_zeros();
                let copy = if cursor.flag()? { Some(self.copy(cursor)?) } else { None };
                let owner = self.owner(cursor)?;
                let address = self.shared_address(cursor)?;
                let phase = cursor.number()?;
                Event::CopySignal { block, warp, lane, copy, owner, address, phase }
            }
            items::WARP_BARRIER => {
                let Origin { block, warp, mask, .. } = self.warp(first, cursor)?;
                Event::WarpBarrier { block, warp, mask }
            }
            items::RECONVERGENCE => {
                let Origin { block, warp, mask, .. } = self.warp(first, cursor)?;
                Event::Reconvergence { block, warp, mask }
            }
            kind @ (items::BARRIER_DIVERGENCE | items::BARRIER_DIVERGENCE_OF_LANES) => {
                let block = self.block(cursor)?;
                let completes = cursor.flag()?;
                let has_lanes = kind == items::BARRIER_DIVERGENCE_OF_LANES;
                let (site, thread, lanes) = self.waiting(cursor, has_lanes)?;
                let (other_site, other_thread, other_lanes) = self.waiting(cursor, has_lanes)?;
                Event::BarrierDivergence {
                    block,
                    site,
                    thread,
                    lanes,
                    other_site,
                    other_thread,
                    other_lanes,
                    completes,
                }
            }
            items::FREE => Event::Free { address: DeviceAddress(self.address(cursor)?) },
            other => return Err(Fault(format!("an item of the unknown kind {other}"))),
        })
    }

    fn launch_begin(
        &mut self,
        cursor: &mut Cursor<'_>,
        buffer: &mut EventBuffer,
    ) -> Result<(), Fault> {
        let launch = LaunchId(cursor.number32()?);
        let number = cursor.number()?;
        let geometry = Geometry { grid: extent(cursor)?, block: extent(cursor)? };
        let Some((facts, sites)) = self.kernels.get(number) else {
            return fault("a launch names a kernel that was not recorded");
        };
        let (blocks, threads) = (count(geometry.grid), count(geometry.block));
        match (blocks.map(u32::try_from), threads) {
            (Some(Ok(blocks @ 1..)), Some(threads @ 1..=MOST_THREADS)) => {
                let threads = threads as u32;
                let sites = sites.sites.len() as u32;
                self.launch = Some(Bounds { sites, blocks, threads });
            }
            _ => {
                let Geometry { grid, block } = geometry;
                return Err(Fault(format!(
                    "a launch of {} x {} x {} blocks of {} x {} x {} threads",
                    grid.x, grid.y, grid.z, block.x, block.y, block.z
                )));
            }
        }
        if self.version < WITH_OPEN_LAUNCHES {
            if self.begun.len() >= MOST_LAUNCHES_ALL_OPEN {
                return Err(Fault(format!(
                    "more than {MOST_LAUNCHES_ALL_OPEN} launches in a trace of version {}",
                    self.version
                )));
            }
            self.begun.push(launch);
        }
        buffer.push(Event::LaunchBegin { launch, facts, sites, geometry });
        Ok(())
    }

    fn bounds(&self) -> Result<Bounds, Fault> {
        self.launch.ok_or_else(|| Fault("something happened before any launch".to_string()))
    }

    fn check_block(&self, block: u32) -> Result<BlockIndex, Fault> {
        if block < self.bounds()?.blocks {
            Ok(BlockIndex(block))
        } else {
            Err(Fault(format!("there is no block {block} in the launch")))
        }
    }

    fn block(&mut self, cursor: &mut Cursor<'_>) -> Result<BlockIndex, Fault> {
        self.memory.block = cursor.difference32(self.memory.block)?;
        self.check_block(self.memory.block)
    }

    fn owner(&mut self, cursor: &mut Cursor<'_>) -> Result<BlockIndex, Fault> {
        let owner = cursor.difference32(self.memory.block)?;
        self.check_block(owner)
    }

    fn site(&mut self, cursor: &mut Cursor<'_>) -> Result<SiteId, Fault> {
        self.memory.site = cursor.difference32(self.memory.site)?;
        Ok(SiteId(self.memory.site))
    }

    fn check_site(&self, site: SiteId) -> Result<SiteId, Fault> {
        if site.0 < self.bounds()?.sites {
            Ok(site)
        } else {
            Err(Fault(format!("the kernel has no site {}", site.0)))
        }
    }

    fn address(&mut self, cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
        self.memory.address = cursor.difference(self.memory.address)?;
        Ok(self.memory.address)
    }

    /// The address of an object in shared memory.
    fn shared_address(&mut self, cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
        let address = self.address(cursor)?;
        accesses::check_shared_address(address)?;
        Ok(address)
    }

    fn copy(&mut self, cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
        self.memory.copy = cursor.difference(self.memory.copy)?;
        Ok(self.memory.copy)
    }

    fn waiting(
        &mut self,
        cursor: &mut Cursor<'_>,
        has_lanes: bool,
    ) -> Result<(SiteId, u32, u32), Fault> {
        let site = self.site(cursor)?;
        let thread = cursor.number32()?;
        if thread >= self.bounds()?.threads {
            return fault("a thread that is not in its block");
        }
        let lanes = if has_lanes { cursor.number32()? } else { 1 << (thread % WARP_LANES) };
        Ok((self.check_site(site)?, thread, lanes))
    }

    /// Warp, lanes and a site that need not be one.
    fn warp(&mut self, first: u8, cursor: &mut Cursor<'_>) -> Result<Origin, Fault> {
        if first & items::SAME_WARP == 0 {
            self.block(cursor)?;
            self.memory.warp = cursor.number32()?;
        }
        let block = self.check_block(self.memory.block)?;
        let site = self.site(cursor)?;
        let mask = if first & items::ALL_LANES == 0 { cursor.number32()? } else { u32::MAX };
        let warp = self.memory.warp;
        self.check_lanes(warp, mask)?;
        Ok(Origin { block, warp, mask, site })
    }

    fn origin(&mut self, first: u8, cursor: &mut Cursor<'_>) -> Result<Origin, Fault> {
        let origin = self.warp(first, cursor)?;
        self.check_site(origin.site)?;
        Ok(origin)
    }

    /// The warp has to be in the block, even if no lane of it is meant, and the lanes of a mask have to be threads of
    /// the block.
    fn check_lanes(&self, warp: u32, mask: u32) -> Result<(), Fault> {
        let behind = u64::from(WARP_LANES - mask.leading_zeros()).max(1);
        let threads = u64::from(warp) * u64::from(WARP_LANES) + behind;
        if threads > u64::from(self.bounds()?.threads) {
            return Err(Fault(format!("warp {warp} has lanes that are not in its block")));
        }
        Ok(())
    }

    /// The first list, as one of participants.
    fn check_participants(&self) -> Result<(), Fault> {
        for (warp, lanes) in self.lists[0].iter().enumerate() {
            self.check_lanes(warp as u32, *lanes as u32 | (*lanes >> 32) as u32)?;
        }
        Ok(())
    }

    /// The first list, with one word for each lane of a mask.
    fn list_of(&self, mask: u32) -> Result<&[u64], Fault> {
        let list = &self.lists[0];
        if list.len() != mask.count_ones() as usize {
            return fault("a list that does not fit its lanes");
        }
        Ok(list)
    }
}

fn listed<T: Listed>(cursor: &mut Cursor<'_>) -> Result<T, Fault> {
    let number = cursor.byte()?;
    T::of_number(number).ok_or_else(|| Fault(format!("the number {number} stands for nothing")))
}

fn strength(cursor: &mut Cursor<'_>) -> Result<Strength, Fault> {
    let number = cursor.byte()?;
    strength_of_number(number)
        .ok_or_else(|| Fault(format!("the number {number} stands for no strength")))
}

/// Launches before this one.
fn earlier_launches(cursor: &mut Cursor<'_>, launch: LaunchId) -> Result<Vec<LaunchId>, Fault> {
    let count = cursor.number()?;
    if count > MOST_EARLIER_LAUNCHES {
        return Err(Fault(format!("a list of {count} earlier launches")));
    }
    let mut earlier = Vec::new();
    // Each launch takes at least one byte of the item, so a wrong count takes no memory.
    for _ in 0..count {
        let number = u64::from(launch.0).wrapping_sub(cursor.difference(0)?);
        match u32::try_from(number) {
            Ok(number) if number < launch.0 => earlier.push(LaunchId(number)),
            _ => return fault("a launch after one that comes later"),
        }
    }
    Ok(earlier)
}

/// The number of a block barrier.
fn barrier(cursor: &mut Cursor<'_>) -> Result<u32, Fault> {
    match cursor.number32()? {
        number if (number as usize) < BLOCK_BARRIERS => Ok(number),
        number => Err(Fault(format!("barrier {number}, but a block has {BLOCK_BARRIERS}"))),
    }
}

fn extent(cursor: &mut Cursor<'_>) -> Result<Dim3, Fault> {
    Ok(Dim3::new(cursor.number32()?, cursor.number32()?, cursor.number32()?))
}

/// The cells of an extent that any bytes may have given.
fn count(extent: Dim3) -> Option<u64> {
    let plane = u64::from(extent.x).checked_mul(u64::from(extent.y))?;
    plane.checked_mul(u64::from(extent.z))
}
