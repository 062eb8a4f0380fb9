//! Why a pair of accesses races: what is missing, how to call it, and what was reported already.
//!
//! Nothing here decides whether two accesses race: the comparison pushes a [`PendingRace`], and what this part keeps
//! of the past ([`Locks`], [`Handoffs`], arrivals, the last [`Writers`] of locations) is looked at only to name what
//! is wrong. It sees order and history through shared references ([`Evidence`]).

mod arrivals;
mod classify;
mod filled;
mod handoffs;
mod host_handoffs;
mod locks;
mod messages;
mod parts;
mod passes;
mod pending_races;
mod report;
mod undecided;
mod writers;

pub(super) use arrivals::{Arrival, Arrivals};
pub(super) use handoffs::{Handoffs, Via};
pub(super) use locks::Locks;
pub(super) use messages::{
    NOT_BEFORE_COPY, OVERLAP_PARTLY, VOLATILE_IS_NO_SYNCHRONISATION, not_waited_for,
};
pub(super) use pending_races::{PendingRace, Side};
pub(super) use report::Evidence;
pub(super) use writers::{End, Point, Writer, Writers};

use crate::allocations::Allocations;
use filled::Filled;
use handoffs::{LookedAt, SitePair};
use host_handoffs::HostHandoffs;
use parts::Parts;
use report::Reported;
use rustc_hash::FxHashMap;
use undecided::Undecided;
use warpsan_report::RaceSink;

/// What helps to explain races, and those that wait for an explanation.
#[derive(Debug, Default)]
pub(super) struct Diagnosis {
    /// What was found since the last event.
    pub(super) pending: Vec<PendingRace>,
    pub(super) locks: Locks,
    pub(super) handoffs: Handoffs,
    pub(super) arrivals: Arrivals,
    pub(super) allocations: Allocations,
    pub(super) parts: Parts,
    pub(super) filled: Filled,
    /// These outlive a launch.
    pub(super) host_handoffs: HostHandoffs,
    /// Warps of a block have met at two places in one phase of a barrier.
    pub(super) barriers_diverged: bool,
    /// By pair of sites: how often hand-offs between them were looked for, and what came of it last.
    looked_at: FxHashMap<SitePair, LookedAt>,
    reported: Reported,
    undecided: Undecided,
}

impl Diagnosis {
    /// A launch begins.
    pub(super) fn begin_launch(&mut self, may_use_locks: bool, races: &mut dyn RaceSink) {
        self.reported.report_counts(races);
        self.forget_threads();
        self.locks.begin(may_use_locks);
    }

    /// A launch has ended.
    pub(super) fn end_launch(&mut self, evidence: &Evidence<'_>, races: &mut dyn RaceSink) {
        self.decide(evidence);
        self.reported.report_counts(races);
        self.forget_threads();
    }

    fn forget_threads(&mut self) {
        self.handoffs.clear();
        self.arrivals.clear();
        self.parts.clear();
        self.filled.clear();
        self.looked_at.clear();
        self.barriers_diverged = false;
    }

    /// Explains what was found since the last event.
    #[cold]
    pub(super) fn explain_pending(&mut self, evidence: &Evidence<'_>) {
        let mut pending = std::mem::take(&mut self.pending);
        for conflict in pending.drain(..) {
            self.report_one(&conflict, evidence);
        }
        self.pending = pending;
    }

    /// A batch of events is over.
    pub(super) fn end_batch(&mut self, races: &mut dyn RaceSink) {
        self.reported.report_waiting(races);
    }
}
