//! Races of which only what comes later shows what is wrong: something that was held may turn out to be a lock, and a
//! thread may wait for an `mbarrier` object after the access that it should have waited before. Or the host may go on to
//! write a flag that a kernel has waited for.

use super::Diagnosis;
use super::arrivals::Arrival;
use super::classify::Classification;
use super::locks::LockVerdict;
use super::pending_races::{PendingRace, Side};
use super::report::Evidence;
use crate::hb::ids::{LaneId, SiteNumber};
use crate::hb::order::Object;
use rustc_hash::{FxHashMap, FxHashSet};
use warpsan_report::RaceKind;

/// So many races wait; further ones are reported as if nothing came later.
const MOST: usize = 4096;
/// So many races wait that are alike, each for what its own threads do later.
const MOST_ALIKE: usize = 16;

/// What races have in common that are the same if what was held is a lock, and if it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Alike {
    old: SiteNumber,
    new: SiteNumber,
    held: (u8, u8),
    kind: RaceKind,
    is_info: bool,
    handed_over: Option<SiteNumber>,
}

/// A race that waits.
#[derive(Debug)]
struct Waiting {
    conflict: PendingRace,
    /// What it is if nothing comes later.
    finding: Classification,
    times: u64,
}

/// The races that wait for the end of the launch.
#[derive(Debug, Default)]
pub(super) struct Undecided {
    waiting: FxHashMap<Alike, Vec<Waiting>>,
    /// Some of them may be about an `mbarrier` object that was used too early.
    may_be_early: bool,
    /// Threads that have waited for some object.
    waited: FxHashSet<LaneId>,
}

impl Undecided {
    /// Lets a race wait, if there is something to wait for; returns whether it does.
    pub(super) fn add(
        &mut self,
        conflict: &PendingRace,
        finding: &Classification,
        evidence: &Evidence<'_>,
    ) -> bool {
        let may_be_early = evidence.kernel.uses_mbarriers
            && finding.handoff.is_none()
            && !conflict.same_event
            && matches!(
                finding.kind,
                RaceKind::MissingSync | RaceKind::WarpSync | RaceKind::Divergence
            );
        let may_be_handed_over = finding.kind == RaceKind::InterKernel
            && conflict.handed_over.is_none()
            && evidence.order.threads.is_of_host(conflict.new.block);
        if finding.locks != LockVerdict::Undecided && !may_be_early && !may_be_handed_over {
            return false;
        }
        self.may_be_early |= may_be_early;
        let (old, new) = (&conflict.old, &conflict.new);
        let alike = Alike {
            old: old.site,
            new: new.site,
            held: (old.held, new.held),
            kind: finding.kind,
            is_info: conflict.same_event,
            handed_over: conflict.handed_over,
        };
        let is_full = self.waiting.len() >= MOST;
        match self.waiting.get_mut(&alike) {
            None if is_full => return false,
            Some(waiting)
                if !may_be_early && !may_be_handed_over || waiting.len() >= MOST_ALIKE =>
            {
                if let Some(last) = waiting.last_mut() {
                    last.times += 1;
                }
            }
            _ => {
                let waiting = Waiting { conflict: *conflict, finding: finding.clone(), times: 1 };
                self.waiting.entry(alike).or_default().push(waiting);
            }
        }
        true
    }
}

impl Diagnosis {
    /// A thread has waited for an object, of which so many phases are complete: what it did before without having waited
    /// may be what the object was meant to order.
    pub(in crate::hb) fn has_waited(
        &mut self,
        id: LaneId,
        site: SiteNumber,
        object: Object,
        complete: u64,
    ) {
        // Of who has waited before, it is not known which wait belongs to which access.
        let is_first = self.undecided.waited.insert(id);
        if !self.undecided.may_be_early || !is_first {
            return;
        }
        for race in self.undecided.waiting.values_mut().flatten() {
            let (old, new) = (&race.conflict.old, &race.conflict.new);
            let is_it =
                |side: &Side| (side.block, side.warp, side.lane) == (id.block, id.warp, id.lane);
            let (early, other) = match (is_it(old), is_it(new)) {
                _ if race.finding.kind == RaceKind::Async => continue,
                (true, _) => (old, new),
                (_, true) => (new, old),
                _ => continue,
            };
            // An arrival that the access is ordered before has nothing to do with it.
            let arrived = |arrival: &&Arrival| {
                arrival.phase < complete
                    && arrival.is_after(&other.point())
                    && !arrival.is_after(&early.point())
            };
            if let Some(arrival) = self.arrivals.at_object(object).find(arrived) {
                race.finding = Classification::too_early(arrival.end.site, site);
            }
        }
    }

    /// The launch is over: what was not given back by now is no lock.
    pub(super) fn decide(&mut self, evidence: &Evidence<'_>) {
        let undecided = std::mem::take(&mut self.undecided);
        let mut waiting: Vec<_> = undecided.waiting.into_iter().collect();
        waiting.sort_unstable_by_key(|(alike, _)| *alike);
        let waiting = waiting.into_iter().flat_map(|(_, all)| all);
        for Waiting { mut conflict, finding, times } in waiting {
            if finding.kind == RaceKind::InterKernel && conflict.handed_over.is_none() {
                conflict.handed_over = self.handed_over_unseen(&conflict);
            }
            let verdict = match self.locks.is_lock(conflict.word()) {
                true => LockVerdict::Nothing,
                false => self.locks.last_verdict(conflict.old.held, conflict.new.held),
            };
            let finding = match verdict {
                _ if matches!(finding.kind, RaceKind::Async | RaceKind::InterKernel) => finding,
                LockVerdict::Differ | LockVerdict::OfCompany => Classification::of_locks(verdict),
                LockVerdict::Nothing | LockVerdict::Undecided => finding,
            };
            self.report_as(&conflict, &finding, times, evidence);
        }
    }
}
