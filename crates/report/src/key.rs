//! When two races are one report.

use crate::{AccessReport, Race, RaceKind, Severity};
use std::fmt;

/// Races with the same key are one report. The severity is part of it: what is only information in
/// one place must not hide an error in another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RaceKey {
    kind: RaceKind,
    severity: Severity,
    kernel: String,
    sites: [String; 2],
}

impl RaceKey {
    /// The key of a race, whichever side came first.
    pub(crate) fn of(race: &Race) -> RaceKey {
        let mut sites = [site(&race.first), site(&race.second)];
        sites.sort();
        // Of two launches, either may be the later one.
        let kernel = match race.kind {
            RaceKind::InterKernel => "of either launch".to_string(),
            _ => race.kernel.clone(),
        };
        RaceKey { kind: race.kind, severity: race.severity, kernel, sites }
    }
}

impl RaceKey {
    /// The kernel and the pair of lines, whatever is wrong there.
    pub(crate) fn place(&self) -> (String, [String; 2]) {
        (self.kernel.clone(), self.sites.clone())
    }
}

impl fmt::Display for RaceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.sites;
        let severity = self.severity.name();
        write!(f, "{}, {severity}, kernel {}, {one}, {other}", self.kind, self.kernel)
    }
}

fn site(access: &AccessReport) -> String {
    match &access.position {
        Some(position) => format!("{}:{}", position.file, position.line),
        None => format!("PTX line {}", access.ptx_line),
    }
}
