//! What is wrong with two accesses that race: the kind, and the broken hand-off, if there is one.

use super::Diagnosis;
use super::handoffs::{Handoff, HandoffFault, SitePair, Via};
use super::locks::LockVerdict;
use super::pending_races::{PendingRace, Side};
use super::report::Evidence;
use crate::hb::ids::{Agent, SiteNumber, WarpId};
use warpsan_model::Scope;
use warpsan_report::RaceKind;

/// So often a pair of sites is looked at anew for hand-offs; later occurrences are like the last.
const LOOKED_AT: u64 = 64;

/// What is wrong, and with which hand-off.
#[derive(Debug, Clone)]
pub(super) struct Classification {
    pub(super) kind: RaceKind,
    pub(super) handoff: Option<(Handoff, HandoffFault)>,
    /// What locks say about the two.
    pub(super) locks: LockVerdict,
    /// Where a thread arrives at an `mbarrier` object, and where another one waits for it, too late.
    pub(super) too_early: Option<(SiteNumber, SiteNumber)>,
}

impl Classification {
    fn of(kind: RaceKind) -> Classification {
        Classification { kind, handoff: None, locks: LockVerdict::Nothing, too_early: None }
    }

    /// A thread did not wait for an `mbarrier` object before its access, but after.
    pub(super) fn too_early(arrives: SiteNumber, waits: SiteNumber) -> Classification {
        let too_early = Some((arrives, waits));
        Classification { too_early, ..Classification::of(RaceKind::Async) }
    }

    fn with(kind: RaceKind, handoff: Option<(Handoff, HandoffFault)>) -> Classification {
        Classification { handoff, ..Classification::of(kind) }
    }

    /// A race between threads of which one held a lock.
    pub(super) fn of_locks(locks: LockVerdict) -> Classification {
        Classification { locks, ..Classification::of(RaceKind::Lock) }
    }
}

impl Diagnosis {
    /// The first kind of the model's list that fits.
    pub(super) fn classify(
        &mut self,
        conflict: &PendingRace,
        evidence: &Evidence<'_>,
    ) -> Classification {
        let PendingRace { old, new, .. } = conflict;
        let plain = Classification::of;
        let both_strong = !old.weak && !new.weak;
        let scope =
            |side: &Side| evidence.sites.info(side.site).strength.scope().unwrap_or(Scope::Sys);
        let mutual =
            evidence.order.threads.mutual((scope(old), old.block), (scope(new), new.block));
        let bytes = |side: &Side| evidence.sites.info(side.site).bytes;
        let start = |side: &Side| {
            let bytes = u64::from(bytes(side).max(1));
            conflict.address - conflict.address % bytes
        };
        let same_range = bytes(old) == bytes(new) && start(old) == start(new);
        let same_warp = (old.block, old.warp) == (new.block, new.warp);
        let warp = WarpId { block: new.block, warp: new.warp };
        let converged = same_warp
            && !conflict.same_event
            && (old.active & new.active != 0
                || self.parts.same_path(warp, (old.site, old.lane), (new.site, new.lane)));
        // In the eyes of PTX there is nothing to be ordered.
        if both_strong && mutual && same_range && !old.object && !new.object {
            if converged {
                return plain(RaceKind::WarpSync);
            }
            let locks = self.lock_verdict(conflict);
            if matches!(locks, LockVerdict::Differ | LockVerdict::OfCompany) {
                return Classification::of_locks(locks);
            }
            let handoff = self.handoff_of_volatile(conflict, evidence);
            let kind = match &handoff {
                Some((_, fault)) if fault.is_scope() => RaceKind::Scope,
                Some(_) => RaceKind::MissingFence,
                None => RaceKind::Volatile,
            };
            return Classification { locks, ..Classification::with(kind, handoff) };
        }
        if old.block < evidence.order.threads.base {
            return plain(RaceKind::InterKernel);
        }
        if old.read_only_path || new.read_only_path {
            return plain(RaceKind::ReadonlyPath);
        }
        let is_async = |side: &Side| side.agent != Agent::Thread || side.object;
        if is_async(old) || is_async(new) {
            return plain(RaceKind::Async);
        }
        let handoff = self.handoff_between(conflict, evidence, false);
        if handoff.as_ref().is_some_and(|(handoff, _)| handoff.via == Via::Mbarrier) {
            return Classification::with(RaceKind::Async, handoff);
        }
        let locks = self.lock_verdict(conflict);
        if matches!(locks, LockVerdict::Differ | LockVerdict::OfCompany) {
            return Classification::of_locks(locks);
        }
        let kind = match &handoff {
            Some((_, fault)) if fault.is_scope() => RaceKind::Scope,
            _ if both_strong && !mutual => {
                return Classification { locks, ..plain(RaceKind::Scope) };
            }
            Some(_) => RaceKind::MissingFence,
            None if conflict.same_value => RaceKind::SameValue,
            None if converged => RaceKind::WarpSync,
            None if same_warp && !conflict.same_event => RaceKind::Divergence,
            None if both_strong && !same_range => RaceKind::MixedSize,
            None => RaceKind::MissingSync,
        };
        Classification { locks, ..Classification::with(kind, handoff) }
    }

    /// What locks say. Taking a lock and giving it back are not done under it.
    fn lock_verdict(&self, conflict: &PendingRace) -> LockVerdict {
        match self.locks.is_lock(conflict.word()) {
            true => LockVerdict::Nothing,
            false => self.locks.verdict(conflict.old.held, conflict.new.held),
        }
    }

    /// The hand-off by another flag behind which volatile data was written and read, as nothing but a fence could
    /// make sure of. A flag itself needs none.
    fn handoff_of_volatile(
        &mut self,
        conflict: &PendingRace,
        evidence: &Evidence<'_>,
    ) -> Option<(Handoff, HandoffFault)> {
        let is_message = conflict.old.writes && !conflict.new.writes;
        is_message.then(|| self.handoff_between(conflict, evidence, true)).flatten()
    }

    fn handoff_between(
        &mut self,
        conflict: &PendingRace,
        evidence: &Evidence<'_>,
        flags_or_data: bool,
    ) -> Option<(Handoff, HandoffFault)> {
        let PendingRace { old, new, .. } = conflict;
        if self.handoffs.is_empty() || conflict.same_event {
            return None;
        }
        let looked_at =
            self.looked_at.entry(SitePair { old: old.site, new: new.site }).or_default();
        if looked_at.times >= LOOKED_AT {
            return looked_at.last;
        }
        looked_at.times += 1;
        let order = evidence.order;
        let warp = WarpId { block: new.block, warp: new.warp };
        let state = order.threads.existing_warp(warp)?;
        let who = order.observer(warp, state, state.view(new.lane), evidence.rules);
        let broken = self.handoffs.broken(conflict, &who, &order.threads, flags_or_data);
        looked_at.last = broken;
        broken
    }
}
