//! Events written down by hand, for what random kernels rarely or never do.

use std::sync::Arc;

use warpsan_event::{Access, AccessKind, Event, EventBuffer, KernelFacts, LaneAddresses};
use warpsan_event::{Site, SiteTable};
use warpsan_model::{BlockIndex, Dim3, Geometry, LaunchId, Order, Scope, SiteId, Space, Strength};
use warpsan_oracle::differential::{Recorded, Setup};
use warpsan_oracle::load_bearing::Judged;
use warpsan_oracle::oracle::Choices;
use warpsan_simt::{Policy, Schedule};

/// Places in global memory.
pub(crate) const DATA: u64 = 0x1000;
pub(crate) const FLAG: u64 = 0x2000;

/// So many instructions a story can have.
const SITES: u32 = 32;

pub(crate) const fn strong(order: Order, scope: Scope) -> Strength {
    Strength::Strong { order, scope }
}

/// Four blocks of 64 threads in clusters of two; a thread is named by its block and its number there.
/// Every event is an instruction of its own.
pub(crate) struct Story {
    events: EventBuffer,
    sites: Arc<SiteTable>,
    next_site: u32,
}

impl Story {
    pub(crate) fn new() -> Story {
        let site = |line| Site {
            instruction: format!("instruction {line}").into(),
            ptx_line: line,
            frames: Vec::new(),
        };
        let sites = Arc::new(SiteTable { sites: (0..SITES).map(site).collect() });
        let mut story = Story { events: EventBuffer::new(), sites, next_site: 0 };
        story.begin(0);
        story
    }

    /// A launch ends and another one begins, which has to wait only for these.
    pub(crate) fn next_launch(self, launch: u32, after: &[LaunchId]) -> Story {
        self.next_programmatic_launch(launch, after, &[])
    }

    /// A launch ends and another one begins, which has to wait only for these, and whose threads have to wait
    /// for the others themselves.
    pub(crate) fn next_programmatic_launch(
        mut self,
        launch: u32,
        after: &[LaunchId],
        after_wait: &[LaunchId],
    ) -> Story {
        self.events.push(Event::LaunchEnd { launch: LaunchId(launch - 1) });
        let open: Vec<LaunchId> = (0..launch).map(LaunchId).collect();
        let open = &open[..];
        let launch_id = LaunchId(launch);
        self.events.push(Event::LaunchOrder { launch: launch_id, after, after_wait, open });
        self.begin(launch);
        self
    }

    fn begin(&mut self, launch: u32) {
        // Nothing is promised about the kernel, so that no rule is left out for its sake.
        let facts = Arc::new(KernelFacts {
            uses_strong_accesses: true,
            uses_fences: true,
            uses_cluster: true,
            ..KernelFacts::default()
        });
        self.events.push(Event::LaunchBegin {
            launch: LaunchId(launch),
            facts: &facts,
            sites: &self.sites,
            geometry: geometry(),
        });
        self.events.push(Event::Clusters { extent: Dim3::new(2, 1, 1) });
    }

    fn site(&mut self) -> SiteId {
        self.next_site += 1;
        assert!(self.next_site < SITES, "the story is too long");
        SiteId(self.next_site)
    }

    fn access(mut self, who: (u32, u32), at: u64, kind: AccessKind, strength: Strength) -> Story {
        let site = self.site();
        let mask = 1 << (who.1 % 32);
        // Every store stores something else.
        let values = [u64::from(site.0)];
        self.events.push(Event::Access(Access {
            block: BlockIndex(who.0),
            warp: who.1 / 32,
            site,
            mask,
            wrote: if kind == AccessKind::Read { 0 } else { mask },
            space: Space::Global,
            owner: BlockIndex(who.0),
            kind,
            strength,
            bytes: 4,
            elements: 1,
            addresses: LaneAddresses::Uniform(at),
            values: if kind == AccessKind::Write { &values } else { &[] },
            versions: &[],
            read_only_path: false,
        }));
        self
    }

    pub(crate) fn load(self, who: (u32, u32), at: u64, strength: Strength) -> Story {
        self.access(who, at, AccessKind::Read, strength)
    }

    pub(crate) fn store(self, who: (u32, u32), at: u64, strength: Strength) -> Story {
        self.access(who, at, AccessKind::Write, strength)
    }

    pub(crate) fn reduction(self, who: (u32, u32), at: u64, strength: Strength) -> Story {
        self.access(who, at, AccessKind::Reduction, strength)
    }

    pub(crate) fn fence(mut self, who: (u32, u32), order: Order, scope: Scope) -> Story {
        let site = self.site();
        let (block, warp, mask) = place(who);
        self.events.push(Event::Fence { block, warp, mask, site, order, scope });
        self
    }

    pub(crate) fn cluster_arrive(mut self, who: (u32, u32), order: Order) -> Story {
        let site = self.site();
        let (block, warp, mask) = place(who);
        self.events.push(Event::ClusterArrive { block, warp, mask, site, order, phase: 0 });
        self
    }

    pub(crate) fn cluster_wait(mut self, who: (u32, u32)) -> Story {
        let site = self.site();
        let (block, warp, mask) = place(who);
        self.events.push(Event::ClusterWait { block, warp, mask, site, phase: 0 });
        self
    }

    pub(crate) fn prerequisite_wait(mut self, who: (u32, u32)) -> Story {
        let site = self.site();
        let (block, warp, mask) = place(who);
        self.events.push(Event::PrerequisiteWait { block, warp, mask, site });
        self
    }

    /// All events.
    pub(crate) fn events(self) -> EventBuffer {
        self.events
    }

    /// What the oracle says.
    pub(crate) fn judged(self) -> Judged {
        let schedule = Schedule { policy: Policy::RoundRobin, seed: 0 };
        let setup = Setup { schedule, launches: 1, choices: Choices::default() };
        let recorded = Recorded {
            text: String::new(),
            sites: self.sites,
            geometry: geometry(),
            events: self.events,
        };
        Judged::new(recorded, setup)
    }
}

fn place((block, thread): (u32, u32)) -> (BlockIndex, u32, u32) {
    (BlockIndex(block), thread / 32, 1 << (thread % 32))
}

fn geometry() -> Geometry {
    Geometry { grid: Dim3::new(4, 1, 1), block: Dim3::new(64, 1, 1) }
}
