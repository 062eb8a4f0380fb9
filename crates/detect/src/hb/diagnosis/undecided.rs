//! Races under something that may turn out to be a lock: what is wrong with them is known when the launch is over.

use super::Diagnosis;
use super::classify::Classification;
use super::locks::LockVerdict;
use super::pending_races::PendingRace;
use super::report::Evidence;
use crate::hb::ids::SiteNumber;
use rustc_hash::FxHashMap;
use warpsan_report::RaceKind;

/// So many races wait; further ones are reported as if nothing were a lock.
const MOST: usize = 4096;

/// What races have in common that are the same if what was held is a lock, and if it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Alike {
    old: SiteNumber,
    new: SiteNumber,
    held: (u8, u8),
    kind: RaceKind,
    is_info: bool,
}

/// The races that wait for the end of the launch.
#[derive(Debug, Default)]
pub(super) struct Undecided {
    /// The first of those that are alike, what it is without locks, and how many there are.
    waiting: FxHashMap<Alike, (PendingRace, Classification, u64)>,
}

impl Undecided {
    /// Lets a race wait; returns whether there is room for it.
    pub(super) fn add(&mut self, conflict: &PendingRace, finding: &Classification) -> bool {
        let (old, new) = (&conflict.old, &conflict.new);
        let alike = Alike {
            old: old.site,
            new: new.site,
            held: (old.held, new.held),
            kind: finding.kind,
            is_info: conflict.same_event,
        };
        if let Some((_, _, times)) = self.waiting.get_mut(&alike) {
            *times += 1;
            return true;
        }
        if self.waiting.len() >= MOST {
            return false;
        }
        self.waiting.insert(alike, (*conflict, finding.clone(), 1));
        true
    }
}

impl Diagnosis {
    /// The launch is over: what was not given back by now is no lock.
    pub(super) fn decide(&mut self, evidence: &Evidence<'_>) {
        let mut waiting: Vec<_> = std::mem::take(&mut self.undecided.waiting).into_iter().collect();
        waiting.sort_unstable_by_key(|(alike, _)| *alike);
        for (_, (conflict, finding, times)) in waiting {
            let verdict = match self.locks.is_lock(conflict.word()) {
                true => LockVerdict::Nothing,
                false => self.locks.last_verdict(conflict.old.held, conflict.new.held),
            };
            let finding = match verdict {
                LockVerdict::Differ | LockVerdict::OfCompany => Classification::of_locks(verdict),
                LockVerdict::Nothing | LockVerdict::Undecided => finding,
            };
            self.report_as(&conflict, &finding, times, evidence);
        }
    }
}
