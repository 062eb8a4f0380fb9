//! Stories for the tests of detectors that look at one word, [`AT`], and what a detector reports of them.

use crate::{Detector, Settings, Statistic};
use warpsan_event::testing::{self, Kernel, Lanes, MemoryOperand};
use warpsan_event::{Access, AccessKind, CopyBegin, CopyKind, Event, LaneAddresses, MbarrierStep};
use warpsan_model::{Order, Scope, SiteId, Space, Strength};
use warpsan_report::{NotCovered, Race, RaceKey, RaceSink, Treatment};

pub(crate) use warpsan_event::testing::{RELAXED, RELEASE, WEAK, strong};

/// What a detector reported.
#[derive(Default)]
pub(crate) struct Reports {
    pub(crate) races: Vec<Race>,
    pub(crate) again: u64,
    pub(crate) not_checked: Vec<NotCovered>,
}

impl RaceSink for Reports {
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

/// What a detector reports of a story, and counts.
pub(crate) fn reports_of(
    story: testing::Story,
    detector: &mut dyn Detector,
) -> (Reports, Vec<Statistic>) {
    let mut reports = Reports::default();
    detector.batch(&story.end_launch().batch(), &mut reports);
    (reports, detector.statistics())
}

pub(crate) const AT: u64 = 0x1000;
pub(crate) const ALL: u64 = u32::MAX as u64;

/// The instructions that locks are recognised by.
pub(crate) const CAS: u32 = 40;
pub(crate) const EXCH: u32 = 41;

/// A story with the settings of the detector that is to see it.
pub(crate) struct Story {
    events: testing::Story,
    pub(crate) settings: Settings,
}

/// Lanes of a warp: block, warp, mask.
pub(crate) type Who = (u32, u32, u32);

/// 64 instructions, two of which are for locks.
fn kernel() -> Kernel {
    let mut code = ["st.global.u32 [%rd1], %r1"; 64];
    code[CAS as usize] = "atom.global.cas.b32 %r1, [%rd1], 0, 1";
    code[EXCH as usize] = "atom.global.exch.b32 %r1, [%rd1], 0";
    Kernel::new(&code)
}

impl Story {
    pub(crate) fn new() -> Story {
        Story::of(kernel())
    }

    pub(crate) fn of(kernel: Kernel) -> Story {
        let settings = Settings { warp_sync: Treatment::Error, ..Settings::default() };
        Story { events: testing::Story::of(kernel), settings }
    }

    /// Goes on as the common builder says.
    pub(crate) fn then(self, more: impl FnOnce(testing::Story) -> testing::Story) -> Story {
        Story { events: more(self.events), ..self }
    }

    pub(crate) fn launch(self, launch: u32) -> Story {
        self.then(|story| story.begin_kernel(launch, kernel()))
    }

    /// A call of the host.
    pub(crate) fn host_call(self, launch: u32) -> Story {
        self.then(|story| story.begin_kernel(launch, kernel().of_host()))
    }

    pub(crate) fn push(self, event: Event<'_>) -> Story {
        self.then(|story| story.push(event))
    }

    pub(crate) fn access(
        self,
        who: Who,
        kind: AccessKind,
        strength: Strength,
        at: LaneAddresses<'_>,
    ) -> Story {
        self.then(|story| story.access(who, kind, strength, at))
    }

    /// An access by an instruction, from which the next ones go on unless it is for locks.
    pub(crate) fn access_of(
        self,
        site: u32,
        who: Who,
        kind: AccessKind,
        strength: Strength,
        at: LaneAddresses<'_>,
    ) -> Story {
        if site < CAS {
            return self.then(|story| story.at_site(site)).access(who, kind, strength, at);
        }
        let access = Lanes::from(who).access(kind, strength, at);
        self.push(Event::Access(Access { site: SiteId(site), ..access }))
    }

    pub(crate) fn store(self, who: Who) -> Story {
        self.then(|story| story.store(who, AT))
    }

    pub(crate) fn load(self, who: Who) -> Story {
        self.then(|story| story.load(who, AT))
    }

    pub(crate) fn atomic(self, who: Who) -> Story {
        self.then(|story| story.atomic(who, AT, RELAXED))
    }

    pub(crate) fn fence(self, who: Who, scope: Scope) -> Story {
        self.then(|story| story.fence(who, Order::AcqRel, scope))
    }

    pub(crate) fn barrier(self, block: u32, participants: &[u64]) -> Story {
        self.then(|story| story.partial_barrier(block, 0, participants))
    }

    /// Lane 0 of the first warp uses an `mbarrier` of block scope.
    pub(crate) fn mbarrier(self, step: MbarrierStep, order: Order) -> Story {
        self.then(|story| story.mbarrier((0, 0), step, strong(order, Scope::Cta), 0))
    }

    /// Lane 0 of the first warp arrives at the barrier of its cluster.
    pub(crate) fn cluster_arrive(self, order: Order) -> Story {
        self.then(|story| story.cluster_arrive((0, 0), order, 0))
    }

    /// A store in shared memory, always by the same instruction.
    pub(crate) fn store_in_shared(self, who: Who, strength: Strength) -> Story {
        let at = MemoryOperand::global(AT).shared();
        let access = Lanes::from(who).access(AccessKind::Write, strength, at);
        self.push(Event::Access(Access { site: SiteId(7), ..access }))
    }

    /// Two lanes of block 1 copy 16 bytes each into shared memory, the second of them from `AT`.
    pub(crate) fn copy(self, kind: CopyKind, from: Space) -> Story {
        let addresses = LaneAddresses::Strided { first: AT - 16, stride: 16 };
        let at = |space| MemoryOperand { space, ..MemoryOperand::from(addresses).bytes(16) };
        let copies = Lanes::from((1, 0, 0b11)).copy(kind, at(from), at(Space::Shared));
        self.push(Event::CopyBegin(CopyBegin { site: SiteId(8), ..copies }))
    }

    pub(crate) fn reports_by(self, detector: &mut dyn Detector) -> (Reports, Vec<Statistic>) {
        reports_of(self.events, detector)
    }
}

/// What was counted under a name that begins so.
pub(crate) fn counted(statistics: &[Statistic], name: &str) -> u64 {
    let found = statistics.iter().find(|statistic| statistic.name.starts_with(name));
    found.unwrap_or_else(|| panic!("{name} is counted")).value
}
