//! Hand-made events for the tests of detectors: no engine, no kernel.

use crate::{Detector, Settings, Statistic};
use std::sync::Arc;
use warpsan_event::{
    Access, AccessKind, CopyBegin, CopyKind, CopySide, Event, EventBuffer, LaneAddresses,
    MbarrierAccess, MbarrierStep, Site, SiteTable,
};
use warpsan_model::{BlockIndex, Dim3, Geometry, LaunchId, Order, Scope, SiteId, Space, Strength};
use warpsan_report::{NotCovered, Race, RaceKey, RaceSink, Treatment};

#[derive(Default)]
pub(crate) struct Told {
    pub(crate) races: Vec<Race>,
    pub(crate) again: u64,
    pub(crate) not_checked: Vec<NotCovered>,
}

impl RaceSink for Told {
    fn race(&mut self, race: Race) {
        self.races.push(race);
    }

    fn seen_again(&mut self, _key: &RaceKey, times: u64) {
        self.again += times;
    }

    fn not_checked(&mut self, missing: NotCovered) {
        self.not_checked.push(missing);
    }
}

pub(crate) const AT: u64 = 0x1000;
pub(crate) const WEAK: Strength = Strength::Weak;
pub(crate) const RELAXED: Strength = strong(Order::Relaxed, Scope::Gpu);
pub(crate) const RELEASE: Strength = strong(Order::Release, Scope::Gpu);
pub(crate) const ALL: u64 = u32::MAX as u64;

pub(crate) const fn strong(order: Order, scope: Scope) -> Strength {
    Strength::Strong { order, scope }
}

/// The instructions by number: what locks are told by stands in their text.
pub(crate) const CAS: u32 = 40;
pub(crate) const EXCH: u32 = 41;

/// Four blocks of 64 threads, and what they do.
pub(crate) struct Story {
    buffer: EventBuffer,
    site: u32,
    pub(crate) settings: Settings,
}

/// Lanes of a warp: block, warp, mask.
pub(crate) type Who = (u32, u32, u32);

impl Story {
    pub(crate) fn new() -> Story {
        let settings = Settings { warp_sync: Treatment::Error, ..Settings::default() };
        Story { buffer: EventBuffer::new(), site: 0, settings }.launch(0, 1)
    }

    pub(crate) fn launch(mut self, launch: u32, first_ptx_line: u32) -> Story {
        let site = |number: u32| Site {
            instruction: match number {
                CAS => "atom.global.cas.b32 %r1, [%rd1], 0, 1".into(),
                EXCH => "atom.global.exch.b32 %r1, [%rd1], 0".into(),
                _ => "st.global.u32 [%rd1], %r1".into(),
            },
            ptx_line: first_ptx_line + number,
            frames: Vec::new(),
        };
        let sites = Arc::new(SiteTable { sites: (0..64).map(site).collect() });
        self.buffer.push(Event::LaunchBegin {
            launch: LaunchId(launch),
            facts: &Arc::default(),
            sites: &sites,
            geometry: Geometry { grid: Dim3::new(4, 1, 1), block: Dim3::new(64, 1, 1) },
        });
        self
    }

    pub(crate) fn push(mut self, event: Event<'_>) -> Story {
        self.buffer.push(event);
        self
    }

    pub(crate) fn access(
        self,
        who: Who,
        kind: AccessKind,
        strength: Strength,
        at: LaneAddresses<'_>,
    ) -> Story {
        let site = self.site + 1;
        self.access_of(site, who, kind, strength, at)
    }

    pub(crate) fn access_of(
        mut self,
        site: u32,
        who: Who,
        kind: AccessKind,
        strength: Strength,
        addresses: LaneAddresses<'_>,
    ) -> Story {
        if site < CAS {
            self.site = site;
        }
        self.push(Event::Access(access_of(SiteId(site), who, kind, strength, addresses)))
    }

    pub(crate) fn store(self, who: Who) -> Story {
        self.access(who, AccessKind::Write, WEAK, LaneAddresses::Uniform(AT))
    }

    pub(crate) fn load(self, who: Who) -> Story {
        self.access(who, AccessKind::Read, WEAK, LaneAddresses::Uniform(AT))
    }

    pub(crate) fn atomic(self, who: Who) -> Story {
        self.access(who, AccessKind::ReadModifyWrite, RELAXED, LaneAddresses::Uniform(AT))
    }

    pub(crate) fn fence(self, (block, warp, mask): Who, scope: Scope) -> Story {
        let (block, site) = (BlockIndex(block), SiteId(0));
        self.push(Event::Fence { block, warp, mask, site, order: Order::AcqRel, scope })
    }

    pub(crate) fn barrier(self, block: u32, participants: &[u64]) -> Story {
        self.push(Event::BlockBarrier { block: BlockIndex(block), barrier: 0, participants })
    }

    /// Lane 0 of the first warp uses an `mbarrier` of block scope.
    pub(crate) fn mbarrier(self, step: MbarrierStep, order: Order) -> Story {
        let block = BlockIndex(0);
        self.push(Event::Mbarrier(MbarrierAccess {
            block,
            warp: 0,
            lane: 0,
            site: SiteId(5),
            step,
            strength: strong(order, Scope::Cta),
            owner: block,
            address: 0,
            phase: 0,
        }))
    }

    /// Lane 0 of the first warp arrives at the barrier of its cluster.
    pub(crate) fn cluster_arrive(self, order: Order) -> Story {
        let (block, site) = (BlockIndex(0), SiteId(5));
        self.push(Event::ClusterArrive { block, warp: 0, mask: 1, site, order, phase: 0 })
    }

    /// A store in shared memory.
    pub(crate) fn store_in_shared(self, who: Who, strength: Strength) -> Story {
        let at = LaneAddresses::Uniform(AT);
        self.push(Event::Access(Access {
            space: Space::Shared,
            ..access_of(SiteId(7), who, AccessKind::Write, strength, at)
        }))
    }

    /// Two lanes of block 1 copy 16 bytes each into shared memory, the second of them from `AT`.
    pub(crate) fn copy(self, kind: CopyKind, from: Space) -> Story {
        let block = BlockIndex(1);
        let side = |space| CopySide {
            space,
            owner: block,
            addresses: LaneAddresses::Strided { first: AT - 16, stride: 16 },
            bytes: 16,
        };
        self.push(Event::CopyBegin(CopyBegin {
            block,
            warp: 0,
            mask: 0b11,
            site: SiteId(8),
            kind,
            first: 0,
            from: Some(side(from)),
            to: side(Space::Shared),
            reduces: false,
        }))
    }

    /// What a detector says of it, and counts.
    pub(crate) fn told_by(self, detector: &mut dyn Detector) -> (Told, Vec<Statistic>) {
        let mut told = Told::default();
        let mut buffer = self.buffer;
        buffer.push(Event::LaunchEnd { launch: LaunchId(0) });
        detector.batch(&buffer.batch(), &mut told);
        (told, detector.statistics())
    }
}

fn access_of(
    site: SiteId,
    (block, warp, mask): Who,
    kind: AccessKind,
    strength: Strength,
    addresses: LaneAddresses<'_>,
) -> Access<'_> {
    let block = BlockIndex(block);
    Access {
        block,
        warp,
        site,
        mask,
        wrote: mask,
        space: Space::Global,
        owner: block,
        kind,
        strength,
        bytes: 4,
        elements: 1,
        addresses,
        values: &[],
        versions: &[],
        read_only_path: false,
    }
}

/// What was counted under a name that begins so.
pub(crate) fn counted(statistics: &[Statistic], name: &str) -> u64 {
    let found = statistics.iter().find(|statistic| statistic.name.starts_with(name));
    found.unwrap_or_else(|| panic!("{name} is counted")).value
}
