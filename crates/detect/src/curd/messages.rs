//! From a finding to a report: kind and words.

use super::findings::{Class, PendingRace};
use crate::Settings;
use crate::last_access::sides::{self, Circumstances, Judgement, Side};
use warpsan_report::{AccessOrder, AllocationReport, Race, RaceKind, Severity};

impl Class {
    fn kind(self) -> RaceKind {
        match self {
            Class::WarpSync => RaceKind::WarpSync,
            Class::IntraBlock | Class::InterBlock => RaceKind::MissingSync,
        }
    }

    /// How bad it is; nothing if users do not want to hear of it.
    pub(super) fn severity(self, settings: &Settings) -> Option<Severity> {
        match self {
            Class::WarpSync => settings.warp_sync.severity(),
            Class::IntraBlock | Class::InterBlock => Some(Severity::Error),
        }
    }

    fn reason_and_advice(self) -> (&'static str, &'static str) {
        match self {
            Class::WarpSync => (
                "a warning about synchronisation within a warp: two lanes of a warp access the location between two barriers, and only lockstep could order them",
                "put __syncwarp() between the two accesses, or let one lane write",
            ),
            Class::IntraBlock => (
                "an intra-block race: two warps of a block access the location between two barriers",
                "put __syncthreads() between the two accesses",
            ),
            Class::InterBlock => (
                "an inter-block race: two blocks access the location, and nothing in the kernel orders blocks",
                "split the work into two launches, or let each block have memory of its own",
            ),
        }
    }
}

/// The report of a finding.
pub(super) fn race(
    found: &PendingRace,
    severity: Severity,
    (first, second): (&Side, &Side),
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Race {
    let (reason, advice) = found.class.reason_and_advice();
    let is_complete = found.parties.iter().all(|party| party.source.complete);
    let remark = if is_complete {
        ""
    } else {
        "; regions of several instructions were merged, and the last of these instructions are named"
    };
    let judgement = Judgement {
        kind: found.class.kind(),
        severity,
        reason: format!("CURD, {reason}{remark}"),
        advice,
    };
    let mut race =
        sides::race(judgement, found.address, (first, second), circumstances, allocation);
    race.location.space = Some(found.space);
    // Sets say what was accessed between two barriers, not when.
    race.order = AccessOrder::Unknown;
    race
}
