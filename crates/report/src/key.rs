//! When two races are one report.

use crate::race::Turn;
use crate::{AccessOrigin, AccessReport, Race, RaceKind, Severity};
use std::fmt;

/// The entry of a report that a race belongs to: a pair of source places in a kernel, or in a process with threads,
/// whatever is wrong there and whichever of the two came first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryKey {
    kernels: [String; 2],
    sites: [String; 2],
    what: Finding,
}

/// What cannot be the same entry, though the lines are the same: a barrier is no access, an access out of bounds
/// races with nobody, and what is within a library must not hide what the user does in the same line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Finding {
    Race,
    LibraryRace,
    Barrier,
    OneAccess,
    ThreadRace,
}

/// What detectors count: the occurrences of an entry that have one kind and one severity. A report keeps the
/// others of the entry in a note of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RaceKey {
    kind: RaceKind,
    severity: Severity,
    entry: EntryKey,
}

impl EntryKey {
    /// The entry of a race.
    pub(crate) fn of(race: &Race) -> EntryKey {
        let mut sites = [site(race, Turn::First), site(race, Turn::Second)];
        sites.sort();
        EntryKey { kernels: kernels(race), sites, what: Finding::of(race) }
    }
}

impl RaceKey {
    /// The key of a race.
    pub(crate) fn of(race: &Race) -> RaceKey {
        RaceKey { kind: race.kind, severity: race.severity, entry: EntryKey::of(race) }
    }
}

impl Finding {
    fn of(race: &Race) -> Finding {
        match race.kind {
            RaceKind::BarrierDivergence => Finding::Barrier,
            RaceKind::OutOfBounds => Finding::OneAccess,
            _ if race.threads.is_some() => Finding::ThreadRace,
            _ if race.is_library_code() => Finding::LibraryRace,
            _ => Finding::Race,
        }
    }
}

impl fmt::Display for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.sites;
        if self.what == Finding::ThreadRace {
            return write!(f, "threads, {one}, {other}");
        }
        match &self.kernels {
            [kernel, same] if kernel == same => write!(f, "kernel {kernel}, {one}, {other}")?,
            [kernel, second] => write!(f, "kernels {kernel} and {second}, {one}, {other}")?,
        }
        match self.what {
            Finding::Race | Finding::ThreadRace => Ok(()),
            Finding::LibraryRace => f.write_str(", within a library"),
            Finding::Barrier => f.write_str(", barrier"),
            Finding::OneAccess => f.write_str(", out of bounds"),
        }
    }
}

/// The kernels of both sides. Of two launches either may be the later one, and the race is named after that; so each
/// side says itself where it belongs, if both know.
fn kernels(race: &Race) -> [String; 2] {
    // Either side may come second, and a template's instances have one text.
    if race.threads.is_some() {
        return [String::new(), String::new()];
    }
    if race.kind != RaceKind::InterKernel {
        return [race.kernel.clone(), race.kernel.clone()];
    }
    let mut kernels = match (kernel(&race.first), kernel(&race.second)) {
        (Some(one), Some(other)) => [one, other].map(str::to_string),
        _ => ["of either launch", "of either launch"].map(str::to_string),
    };
    kernels.sort();
    kernels
}

/// The function at the end of an access's chain; what is not of a kernel has no such name.
fn kernel(access: &AccessReport) -> Option<&str> {
    match access.origin {
        AccessOrigin::Kernel => access.frames.last().map(|frame| &*frame.function),
        AccessOrigin::ApiCall | AccessOrigin::Host | AccessOrigin::Thread => Some(""),
    }
}

fn site(race: &Race, turn: Turn) -> String {
    let access = race.side(turn);
    match &access.position {
        Some(position) => format!("{}:{}", position.file, position.line),
        None if race.threads.is_some() => {
            // Without lines, the innermost frame says where in its file it is.
            access.frames.first().map_or_else(|| "unknown".to_string(), |f| f.function.to_string())
        }
        None => format!("PTX line {}", access.ptx_line),
    }
}
