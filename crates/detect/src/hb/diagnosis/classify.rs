//! What is wrong with two accesses that race: the kind, and the broken hand-off, if there is one.

use super::Diagnosis;
use super::handoffs::{Handoff, HandoffFault, SitePair, Via};
use super::pending_races::{PendingRace, Side};
use super::report::Evidence;
use crate::hb::ids::{Agent, WarpId};
use warpsan_model::Scope;
use warpsan_report::RaceKind;

/// So often a pair of sites is looked at anew for hand-offs; later occurrences are like the last.
const LOOKED_AT: u64 = 64;

/// What is wrong, and with which hand-off.
#[derive(Debug, Clone)]
pub(super) struct Classification {
    pub(super) kind: RaceKind,
    pub(super) handoff: Option<(Handoff, HandoffFault)>,
}

impl Diagnosis {
    /// The first kind of the model's list that fits.
    pub(super) fn classify(
        &mut self,
        conflict: &PendingRace,
        evidence: &Evidence<'_>,
    ) -> Classification {
        let PendingRace { old, new, .. } = conflict;
        let plain = |kind| Classification { kind, handoff: None };
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
        // In the eyes of PTX there is nothing to be ordered.
        if both_strong && mutual && same_range && !old.object && !new.object {
            return plain(RaceKind::Volatile);
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
        let handoff = self.handoff_between(conflict, evidence);
        if handoff.as_ref().is_some_and(|(handoff, _)| handoff.via == Via::Mbarrier) {
            return Classification { kind: RaceKind::Async, handoff };
        }
        // Taking a lock and giving it back are not done under it.
        let word = conflict.address - conflict.address % 4;
        let of_lock = self.locks.is_lock(conflict.owner, word);
        if !of_lock && self.locks.differ(old.held, new.held) {
            return plain(RaceKind::Lock);
        }
        match handoff {
            Some((_, fault)) if fault.is_scope() => {
                return Classification { kind: RaceKind::Scope, handoff };
            }
            _ if both_strong && !mutual => return plain(RaceKind::Scope),
            Some(_) => return Classification { kind: RaceKind::MissingFence, handoff },
            None => {}
        }
        let same_warp = (old.block, old.warp) == (new.block, new.warp);
        plain(if same_warp && !conflict.same_event && old.active & new.active == 0 {
            RaceKind::Divergence
        } else if same_warp && !conflict.same_event {
            RaceKind::WarpSync
        } else if both_strong && !same_range {
            RaceKind::MixedSize
        } else if conflict.same_value {
            RaceKind::SameValue
        } else {
            RaceKind::MissingSync
        })
    }

    fn handoff_between(
        &mut self,
        conflict: &PendingRace,
        evidence: &Evidence<'_>,
    ) -> Option<(Handoff, HandoffFault)> {
        let PendingRace { old, new, .. } = conflict;
        if self.handoffs.is_empty() || conflict.same_event {
            return None;
        }
        let looked_at =
            self.looked_at.entry(SitePair { old: old.site, new: new.site }).or_default();
        if looked_at.times >= LOOKED_AT {
            return looked_at.last.clone();
        }
        looked_at.times += 1;
        let order = evidence.order;
        let warp = WarpId { block: new.block, warp: new.warp };
        let state = order.threads.existing_warp(warp)?;
        let who = order.observer(warp, state, state.view(new.lane), evidence.rules);
        let broken = self.handoffs.broken(conflict, &who, &order.threads);
        looked_at.last.clone_from(&broken);
        broken
    }
}
