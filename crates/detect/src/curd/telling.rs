//! What was found, and what was not checked, on its way to the report.

use super::Curd;
use super::findings::{Found, Party};
use super::words;
use crate::allocations::shared_variable;
use crate::last_access::sides::Side;
use warpsan_model::{BlockIndex, SiteId, Space, ThreadInBlock};
use warpsan_report::{AccessType, NotCovered, Race, RaceSink};

/// Why a launch was not checked as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// A set had no room.
    NoRoom,
    /// An operation that sets do not know, though nothing was said of it before.
    UnknownOperation,
}

impl Gap {
    fn what_and_advice(self) -> (&'static str, &'static str) {
        match self {
            Gap::NoRoom => (
                "regions of memory that the sets of the detector curd had no room for",
                "races in this kernel may be missed; raise --curd-thread-regions or --curd-block-regions",
            ),
            Gap::UnknownOperation => (
                "synchronisation that the sets of the detector curd do not know, and that the kernel was not known to have",
                "races in this kernel may be missed, and accesses that are ordered may be reported",
            ),
        }
    }
}

impl Curd {
    /// Tells what was found since the last event.
    #[cold]
    pub(super) fn tell(&mut self, races: &mut dyn RaceSink) {
        let mut reported = std::mem::take(&mut self.reported);
        for (found, times) in self.findings.take() {
            self.counts.races += times;
            reported.tell(found.pair(), races, || self.race(&found));
            reported.seen_again(found.pair(), times - 1);
        }
        self.reported = reported;
    }

    /// Something was not checked; each thing is told once for a kernel.
    #[cold]
    pub(super) fn tell_gap(&self, gap: Gap, races: &mut dyn RaceSink) {
        let circumstances = self.launch.circumstances(self.settings.seed);
        let (what, advice) = gap.what_and_advice();
        races.not_checked(NotCovered {
            what: what.to_string(),
            place: format!("kernel `{}`", circumstances.facts.display_name),
            advice: advice.to_string(),
        });
    }

    fn race(&self, found: &Found) -> Option<Race> {
        let severity = found.class.severity(&self.settings)?;
        let [first, second] = found.parties.map(|party| self.side(&party));
        let circumstances = self.launch.circumstances(self.settings.seed);
        let allocation = match found.space {
            Space::Shared => shared_variable(circumstances.facts, found.address),
            _ => self.allocations.describe(found.address),
        };
        Some(words::race(found, severity, (&first, &second), &circumstances, allocation))
    }

    fn side(&self, party: &Party) -> Side {
        let site = SiteId(party.source.site);
        let info = self.sites.known(site);
        let (block, thread) = (BlockIndex(party.block), ThreadInBlock(party.thread));
        let access = if party.writes { AccessType::Write } else { AccessType::Read };
        Side { access, ..Side::new(site, block, thread, info) }
    }
}
