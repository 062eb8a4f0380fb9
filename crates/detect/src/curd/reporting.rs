//! What a reader is to know of a race that was found, and of what was not checked.

use super::findings::{Party, PendingRace};
use super::messages;
use crate::Settings;
use crate::last_access::sides::{Circumstances, Side};
use crate::reporting::Scene;
use warpsan_report::{AccessType, NotCovered, Race};

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

    /// What a reader is to know of it.
    pub(super) fn report(self, circumstances: &Circumstances<'_>) -> NotCovered {
        let (what, advice) = self.what_and_advice();
        NotCovered {
            what: what.to_string(),
            place: format!("kernel `{}`", circumstances.facts.display_name),
            advice: advice.to_string(),
        }
    }
}

/// What a reader is to know of a race; nothing if it is not to be reported.
pub(super) fn race(found: &PendingRace, settings: &Settings, scene: &Scene<'_>) -> Option<Race> {
    let severity = found.class.severity(settings)?;
    let [first, second] = found.parties.map(|party| side(&party, scene));
    let allocation = scene.allocation(found.space, found.address);
    Some(messages::race(found, severity, (&first, &second), &scene.circumstances(), allocation))
}

fn side(party: &Party, scene: &Scene<'_>) -> Side {
    let access = if party.writes { AccessType::Write } else { AccessType::Read };
    Side { access, ..scene.side(party.source.site, party.block, party.thread) }
}
