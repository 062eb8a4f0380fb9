//! Events written down by hand, for what random kernels rarely or never do.

use warpsan_event::testing::{self, Kernel};
use warpsan_event::{EventBuffer, KernelFacts};
use warpsan_model::{Order, Scope, Strength};
use warpsan_oracle::differential::{Recorded, Setup};
use warpsan_oracle::load_bearing::Judged;
use warpsan_oracle::oracle::Choices;
use warpsan_simt::{Policy, Schedule};

/// Places in global memory.
pub(crate) const DATA: u64 = 0x1000;
pub(crate) const FLAG: u64 = 0x2000;

/// A thread by its block and its number there.
type Who = (u32, u32);

/// Four blocks of 64 threads in clusters of two. Every access is an instruction of its own.
pub(crate) struct Story(testing::Story);

impl Story {
    pub(crate) fn new() -> Story {
        // Nothing is promised about the kernel, so that no rule is left out for its sake.
        let facts = KernelFacts {
            uses_strong_accesses: true,
            uses_fences: true,
            uses_cluster: true,
            ..KernelFacts::default()
        };
        Story(testing::Story::of(Kernel::default().in_clusters(2).facts(facts)))
    }

    /// A launch ends and another one begins, which has to wait only for these.
    pub(crate) fn next_launch(self, launch: u32, after: &[u32]) -> Story {
        self.next_programmatic_launch(launch, after, &[])
    }

    /// A launch ends and another one begins, which has to wait only for these, and whose threads have to wait
    /// for the others themselves.
    pub(crate) fn next_programmatic_launch(
        self,
        launch: u32,
        after: &[u32],
        after_wait: &[u32],
    ) -> Story {
        Story(self.0.begin_launch_after(launch, after, after_wait))
    }

    pub(crate) fn load(self, who: Who, at: u64, strength: Strength) -> Story {
        Story(self.0.strong_load(who, at, strength))
    }

    pub(crate) fn store(self, who: Who, at: u64, strength: Strength) -> Story {
        Story(self.0.strong_store(who, at, strength))
    }

    pub(crate) fn reduction(self, who: Who, at: u64, strength: Strength) -> Story {
        Story(self.0.reduction(who, at, strength))
    }

    pub(crate) fn fence(self, who: Who, order: Order, scope: Scope) -> Story {
        Story(self.0.fence(who, order, scope))
    }

    pub(crate) fn cluster_arrive(self, who: Who, order: Order) -> Story {
        Story(self.0.cluster_arrive(who, order, 0))
    }

    pub(crate) fn cluster_wait(self, who: Who) -> Story {
        Story(self.0.cluster_wait(who, 0))
    }

    pub(crate) fn prerequisite_wait(self, who: Who) -> Story {
        Story(self.0.prerequisite_wait(who))
    }

    /// All events.
    pub(crate) fn events(self) -> EventBuffer {
        self.0.into_events()
    }

    /// What the oracle says.
    pub(crate) fn judged(self) -> Judged {
        let schedule = Schedule { policy: Policy::RoundRobin, seed: 0 };
        let setup = Setup { schedule, launches: 1, choices: Choices::default() };
        let kernel = self.0.kernel().clone();
        let recorded = Recorded {
            text: String::new(),
            sites: kernel.sites,
            geometry: kernel.geometry,
            events: self.0.into_events(),
        };
        Judged::new(recorded, setup)
    }
}
