//! Events as text, one line each, in a form that stays the same.

use crate::vocabulary::{Access, AccessKind, CopyBegin, CopySide, Event, LaneAddresses};
use crate::vocabulary::{CopyKind, MbarrierStep, ProxyKind};
use crate::{KernelFacts, SiteTable};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;
use warpsan_model::{BlockIndex, LaunchId, Order, SiteId, Space, Strength};

/// Follows events and describes each in one line. What a line needs besides its event, the number of the
/// launch and the sites of the kernel, is known from the events before.
#[derive(Debug, Default)]
pub struct Narrator {
    launch: Option<LaunchId>,
    sites: Arc<SiteTable>,
    facts: Arc<KernelFacts>,
}

impl Narrator {
    /// A narrator that has seen nothing.
    pub fn new() -> Narrator {
        Narrator::default()
    }

    /// Takes note of an event, before it is described.
    pub fn follow(&mut self, event: &Event<'_>) {
        if let Event::LaunchBegin { launch, sites, facts, .. } = event {
            self.launch = Some(*launch);
            self.sites = Arc::clone(sites);
            self.facts = Arc::clone(facts);
        }
    }

    /// The launch that an event after the last one followed belongs to; allocations between launches
    /// belong to the one before.
    pub fn launch(&self) -> Option<LaunchId> {
        self.launch
    }

    /// The line of an event, without its end.
    pub fn describe<'a>(&'a self, event: &'a Event<'a>) -> impl Display + 'a {
        Line { narrator: self, event }
    }
}

struct Line<'a> {
    narrator: &'a Narrator,
    event: &'a Event<'a>,
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.narrator.launch {
            Some(launch) => write!(f, "launch {}", launch.0)?,
            None => f.write_str("launch -")?,
        }
        match *self.event {
            Event::LaunchOrder { launch, after, after_wait, perhaps_after, .. } => {
                write!(f, ", then launch {} after {}", launch.0, Launches(after))?;
                if !after_wait.is_empty() {
                    write!(f, ", after a wait {}", Launches(after_wait))?;
                }
                match perhaps_after {
                    [] => Ok(()),
                    launches => write!(f, ", perhaps after {}", Launches(launches)),
                }
            }
            Event::LaunchBegin { facts, geometry, .. } => {
                let (grid, block) = (geometry.grid, geometry.block);
                write!(f, " begins: {} grid {grid} block {block}", facts.display_name)
            }
            Event::Clusters { extent } => write!(f, " clusters of {extent} blocks"),
            Event::LaunchEnd { .. } => write!(f, " ends: {}", self.narrator.facts.display_name),
            Event::BlockEnd { block } => write!(f, " block {} ends", block.0),
            Event::LanesEnd { block, warp, mask } => {
                warp_and_mask(f, block, warp, mask)?;
                f.write_str(" ends")
            }
            Event::Access(ref access) => self.access(f, access),
            Event::Fence { block, warp, mask, site, order, scope } => {
                warp_and_mask(f, block, warp, mask)?;
                write!(f, " fence {} {scope} scope", order_name(order))?;
                self.site(f, site)
            }
            Event::BlockArrive { block, warp, mask, site, barrier } => {
                warp_and_mask(f, block, warp, mask)?;
                write!(f, " arrives at barrier {barrier}")?;
                self.site(f, site)
            }
            Event::BlockBarrier { block, barrier, participants } => {
                write!(f, " block {} barrier {barrier} complete", block.0)?;
                for (warp, lanes) in participants.iter().enumerate() {
                    let (waited, arrived) = (*lanes as u32, (*lanes >> 32) as u32);
                    if *lanes != 0 {
                        write!(f, " {warp}:{waited:08x}")?;
                    }
                    if arrived != 0 {
                        write!(f, "+{arrived:08x}")?;
                    }
                }
                Ok(())
            }
            Event::ClusterArrive { block, warp, mask, site, order, phase } => {
                warp_and_mask(f, block, warp, mask)?;
                write!(f, " cluster arrive {} phase {phase}", order_name(order))?;
                self.site(f, site)
            }
            Event::ClusterWait { block, warp, mask, site, phase } => {
                warp_and_mask(f, block, warp, mask)?;
                write!(f, " cluster wait phase {phase}")?;
                self.site(f, site)
            }
            Event::PrerequisiteWait { block, warp, mask, site } => {
                warp_and_mask(f, block, warp, mask)?;
                f.write_str(" waited for earlier launches")?;
                self.site(f, site)
            }
            Event::ProxyFence { block, warp, mask, site, proxy } => {
                warp_and_mask(f, block, warp, mask)?;
                write!(f, " proxy fence {}", proxy_name(proxy))?;
                self.site(f, site)
            }
            Event::Mbarrier(ref access) => {
                warp_and_mask(f, access.block, access.warp, 1 << (access.lane % 32))?;
                write!(f, " mbarrier {} {}", step_name(access.step), Words(access.strength))?;
                let (owner, at, phase) = (access.owner.0, access.address, access.phase);
                write!(f, " at {at:#x} of block {owner} phase {phase}")?;
                self.site(f, access.site)
            }
            Event::CopyBegin(ref copies) => self.copies(f, copies),
            Event::CopyEnd { copy } => write!(f, " copy {copy} done"),
            Event::CopySignal { block, warp, lane, copy, owner, address, phase } => {
                warp_and_mask(f, block, warp, 1 << (lane % 32))?;
                match copy {
                    Some(copy) => write!(f, " copy {copy}")?,
                    None => f.write_str(" no copy")?,
                }
                write!(f, " signals mbarrier at {address:#x} of block {} phase {phase}", owner.0)
            }
            Event::CopyWait { block, warp, mask, site, bulk, read, before } => {
                warp_and_mask(f, block, warp, mask)?;
                let kind = if bulk { "bulk copies" } else { "copies" };
                let how = if read { " read" } else { "" };
                write!(f, " waited for {kind}{how} before {}", List(before))?;
                self.site(f, site)
            }
            Event::WarpBarrier { block, warp, mask } => {
                warp_and_mask(f, block, warp, mask)?;
                f.write_str(" warp barrier")
            }
            Event::Reconvergence { block, warp, mask } => {
                warp_and_mask(f, block, warp, mask)?;
                f.write_str(" reconverge")
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
                let how = if completes { "completes at two places" } else { "never completes" };
                write!(f, " block {} barrier {how}: thread {thread} of {lanes:08x}", block.0)?;
                self.site(f, site)?;
                write!(f, ", thread {other_thread} of {other_lanes:08x}")?;
                self.site(f, other_site)
            }
            Event::Allocation { address, bytes, label } => {
                write!(f, " allocation {address} of {bytes} bytes: {label}")
            }
            Event::Free { address } => write!(f, " free {address}"),
        }
    }
}

impl Line<'_> {
    /// Where an instruction is, and the instruction. A site that the table lacks is named by its number.
    fn site(&self, f: &mut Formatter<'_>, site: SiteId) -> fmt::Result {
        let Some(known) = self.narrator.sites.sites.get(site.0 as usize) else {
            return write!(f, " @ site {}", site.0);
        };
        match known.position() {
            Some(position) => write!(f, " @ {position}")?,
            None => write!(f, " @ PTX line {}", known.ptx_line)?,
        }
        write!(f, " `{}`", known.instruction)
    }

    fn access(&self, f: &mut Formatter<'_>, access: &Access<'_>) -> fmt::Result {
        warp_and_mask(f, access.block, access.warp, access.mask)?;
        let kind = match access.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::ReadModifyWrite => "atomic",
            AccessKind::Reduction => "reduction",
        };
        write!(f, " {kind} {} {}", space_name(access.space), Words(access.strength))?;
        if access.read_only_path {
            f.write_str(" read-only")?;
        }
        if access.owner != access.block {
            write!(f, " of block {}", access.owner.0)?;
        }
        if access.wrote != access.mask && access.kind != AccessKind::Read {
            write!(f, " wrote {:08x}", access.wrote)?;
        }
        write!(f, " {}x{} at {}", access.elements, access.bytes, Addresses(access.addresses))?;
        if !access.values.is_empty() {
            write!(f, " values {}", List(access.values))?;
        }
        if !access.versions.is_empty() {
            write!(f, " versions {}", List(access.versions))?;
        }
        self.site(f, access.site)
    }

    fn copies(&self, f: &mut Formatter<'_>, copies: &CopyBegin<'_>) -> fmt::Result {
        warp_and_mask(f, copies.block, copies.warp, copies.mask)?;
        let kind = match copies.kind {
            CopyKind::Thread => "copy",
            CopyKind::Bulk => "bulk copy",
            CopyKind::Store => "asynchronous store",
        };
        let reduces = if copies.reduces { " reducing" } else { "" };
        write!(f, " {kind}{reduces} {}", copies.first)?;
        if let Some(from) = &copies.from {
            write!(f, " from {}", Side(from))?;
        }
        write!(f, " to {}", Side(&copies.to))?;
        self.site(f, copies.site)
    }
}

fn warp_and_mask(f: &mut Formatter<'_>, block: BlockIndex, warp: u32, mask: u32) -> fmt::Result {
    write!(f, " block {} warp {warp} {mask:08x}", block.0)
}

struct Launches<'a>(&'a [LaunchId]);

impl Display for Launches<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing");
        }
        for (index, launch) in self.0.iter().enumerate() {
            let before = if index == 0 { "" } else { ", " };
            write!(f, "{before}{}", launch.0)?;
        }
        Ok(())
    }
}

struct Side<'a>(&'a CopySide<'a>);

impl Display for Side<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let CopySide { space, owner, addresses, bytes } = self.0;
        write!(f, "{} {bytes} bytes at {}", space_name(*space), Addresses(*addresses))?;
        if *space == Space::Shared { write!(f, " of block {}", owner.0) } else { Ok(()) }
    }
}

/// One address; the first and the distance to the next; or one for each lane.
struct Addresses<'a>(LaneAddresses<'a>);

impl Display for Addresses<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            LaneAddresses::Uniform(address) => write!(f, "{address:#x}"),
            LaneAddresses::Strided { first, stride } => {
                let stride = stride as i64;
                write!(
                    f,
                    "{first:#x}{}{}*lane",
                    if stride < 0 { "-" } else { "+" },
                    stride.unsigned_abs()
                )
            }
            LaneAddresses::PerLane(addresses) => write!(f, "{}", List(addresses)),
        }
    }
}

/// Words in hexadecimal; a word that repeats is written once, with its count.
struct List<'a>(&'a [u64]);

impl Display for List<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, run) in self.0.chunk_by(|one, other| one == other).enumerate() {
            let before = if index == 0 { "" } else { " " };
            write!(f, "{before}{:#x}", run[0])?;
            if run.len() > 1 {
                write!(f, "*{}", run.len())?;
            }
        }
        f.write_str("]")
    }
}

struct Words(Strength);

impl Display for Words {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Strength::Weak => f.write_str("weak"),
            Strength::Volatile => f.write_str("volatile"),
            Strength::Strong { order, scope } => write!(f, "{}.{scope}", order_name(order)),
        }
    }
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "sc",
    }
}

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Const => "const",
        Space::Param => "param",
    }
}

fn proxy_name(proxy: ProxyKind) -> &'static str {
    match proxy {
        ProxyKind::Alias => "alias",
        ProxyKind::Async => "async",
        ProxyKind::AsyncGlobal => "async.global",
        ProxyKind::AsyncShared => "async.shared",
        ProxyKind::TensorMap => "tensormap",
        ProxyKind::MbarrierInit => "mbarrier_init",
    }
}

fn step_name(step: MbarrierStep) -> &'static str {
    match step {
        MbarrierStep::Init => "init",
        MbarrierStep::Invalidate => "invalidate",
        MbarrierStep::Arrive => "arrive",
        MbarrierStep::ArriveDrop => "arrive and drop",
        MbarrierStep::Expect => "expect",
        MbarrierStep::Wait => "wait",
    }
}

#[cfg(test)]
mod tests;
