//! Where two judgements differ.
//!
//! The detector reports a race once for each pair of instructions, kind and severity, and remembers little
//! about a byte on which it has reported: so not every pair of the oracle has to be there. But what it
//! reports has to be among them, and the first race on every byte has to be reported.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use warpsan_model::{BlockIndex, Dim3, Space};
use warpsan_report::{AccessReport, Race, RaceKind, Severity};

use super::{Recorded, Reported};
use crate::oracle::{Judgement, Memory, RacingPair, Side};

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The detector reports two operations that do not race.
    FalseAlarm(String),
    /// The detector gives a race the wrong kind or severity.
    WrongKind {
        /// What it gives, and what would be right.
        kinds: String,
        /// Which race.
        what: String,
    },
    /// The detector does not report the first race on a byte.
    Missed(String),
    /// One of the two says that there is no race at all.
    Verdict(String),
}

impl Disagreement {
    /// Whether it is of this class, or a race of these kinds.
    pub fn is(&self, class: &str) -> bool {
        let of_kinds = matches!(self, Disagreement::WrongKind { kinds, .. } if kinds == class);
        of_kinds || self.class() == class
    }

    /// What kind of difference it is, in a few words.
    pub fn class(&self) -> &'static str {
        match self {
            Disagreement::FalseAlarm(_) => "false alarm",
            Disagreement::WrongKind { .. } => "wrong kind",
            Disagreement::Missed(_) => "missed",
            Disagreement::Verdict(_) => "verdict",
        }
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Disagreement::FalseAlarm(what)
            | Disagreement::Missed(what)
            | Disagreement::Verdict(what) => what,
            Disagreement::WrongKind { kinds, what } => {
                return write!(f, "{}, {kinds}: {what}", self.class());
            }
        };
        write!(f, "{}: {what}", self.class())
    }
}

/// Two instructions, a kind and a severity.
type Key = ([u32; 2], RaceKind, Severity);

fn sorted(one: u32, other: u32) -> [u32; 2] {
    if one <= other { [one, other] } else { [other, one] }
}

/// Compares what the detector reported with what the oracle found.
pub fn compare(
    recorded: &Recorded,
    reported: &Reported,
    judgement: &Judgement,
) -> Vec<Disagreement> {
    let lines =
        |pair: &RacingPair| sorted(recorded.line(pair.first.site), recorded.line(pair.second.site));
    let mut by_lines: BTreeMap<[u32; 2], Vec<&RacingPair>> = BTreeMap::new();
    for pair in &judgement.races {
        by_lines.entry(lines(pair)).or_default().push(pair);
    }
    let mut found = Vec::new();
    let races = || reported.races.iter().filter(|race| race.kind != RaceKind::BarrierDivergence);
    for race in races() {
        let at = sorted(race.first.ptx_line, race.second.ptx_line);
        let candidates = by_lines.get(&at).map_or(&[][..], Vec::as_slice);
        let same: Vec<&&RacingPair> =
            candidates.iter().filter(|pair| is_same(recorded, race, pair)).collect();
        if same.is_empty() {
            found.push(Disagreement::FalseAlarm(said(race)));
        } else if !same.iter().any(|pair| kinds_agree(race.kind, race.severity, pair)) {
            let right: BTreeSet<_> = same.iter().map(|pair| (pair.kind, pair.severity)).collect();
            let kinds = instead_of(&BTreeSet::from([(race.kind, race.severity)]), &right);
            found.push(Disagreement::WrongKind { kinds, what: said(race) });
        }
    }
    let keys: Vec<Key> = races()
        .map(|race| (sorted(race.first.ptx_line, race.second.ptx_line), race.kind, race.severity))
        .collect();
    let accesses = |pair: &RacingPair| {
        let access = |side: &Side| (side.event, side.lane);
        (access(&pair.first), access(&pair.second))
    };
    let mut by_accesses: BTreeMap<_, Vec<&RacingPair>> = BTreeMap::new();
    for pair in &judgement.races {
        by_accesses.entry(accesses(pair)).or_default().push(pair);
    }
    // The elements of two vector accesses may race in several ways: the worst one is enough.
    let fits = |pair: &RacingPair, kind: RaceKind, severity: Severity| {
        let all = by_accesses.get(&accesses(pair)).map_or(&[][..], Vec::as_slice);
        severity >= pair.severity && all.iter().any(|other| kinds_agree(kind, severity, other))
    };
    // Two lines are one entry of a report, under the first kind of the model's list that any of their races has.
    let is_of_entry = |pair: &RacingPair, kind: RaceKind, severity: Severity| {
        let all = by_lines.get(&lines(pair)).map_or(&[][..], Vec::as_slice);
        precedence(kind) < precedence(pair.kind)
            && severity >= pair.severity
            && all.iter().any(|other| kinds_agree(kind, severity, other))
    };
    let reported = |pair: &RacingPair| {
        let at = lines(pair);
        let same = || keys.iter().filter(|(of, ..)| *of == at);
        let is_right =
            |kind, severity| fits(pair, kind, severity) || is_of_entry(pair, kind, severity);
        match same().any(|(_, kind, severity)| is_right(*kind, *severity)) {
            true => Report::Right,
            false if same().next().is_some() => {
                Report::OtherKind(same().map(|(_, kind, severity)| (*kind, *severity)).collect())
            }
            false => Report::Nothing,
        }
    };
    found.extend(missed(judgement, reported, |pair| describe_pair(recorded, pair)));
    let racy = races().next().is_some();
    if racy == judgement.races.is_empty() {
        found.push(Disagreement::Verdict(if racy {
            "the detector reports races, the oracle finds none".to_owned()
        } else {
            "the detector reports nothing, the oracle finds races".to_owned()
        }));
    }
    found
}

/// The place of a kind in the model's list: an entry with several kinds is given the first. What speaks of all of its
/// occurrences comes last: that nobody wrote anything else, that nothing else is wrong.
fn precedence(kind: RaceKind) -> usize {
    const LIST: [RaceKind; 12] = [
        RaceKind::InterKernel,
        RaceKind::ReadonlyPath,
        RaceKind::Async,
        RaceKind::Lock,
        RaceKind::MissingFence,
        RaceKind::Scope,
        RaceKind::Divergence,
        RaceKind::WarpSync,
        RaceKind::MixedSize,
        RaceKind::MissingSync,
        RaceKind::SameValue,
        RaceKind::Volatile,
    ];
    LIST.iter().position(|one| *one == kind).unwrap_or(LIST.len())
}

/// What the detector reports about a pair of instructions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Report {
    Nothing,
    OtherKind(BTreeSet<(RaceKind, Severity)>),
    Right,
}

fn instead_of(
    wrong: &BTreeSet<(RaceKind, Severity)>,
    right: &BTreeSet<(RaceKind, Severity)>,
) -> String {
    let list = |kinds: &BTreeSet<(RaceKind, Severity)>| {
        let names = kinds.iter().map(|(kind, severity)| format!("{kind} ({severity:?})"));
        names.collect::<Vec<_>>().join(" or ")
    };
    format!("{} instead of {}", list(wrong), list(right))
}

/// On every byte, the earliest operation that races with an earlier one has to be reported, with one of
/// those that it races with.
fn missed(
    judgement: &Judgement,
    reported: impl Fn(&RacingPair) -> Report,
    describe_pair: impl Fn(&RacingPair) -> String,
) -> Vec<Disagreement> {
    let mut first: BTreeMap<(u32, Memory, u64), Vec<&RacingPair>> = BTreeMap::new();
    let place = |side: &Side| (side.event, side.lane, side.element);
    for pair in &judgement.races {
        for byte in pair.bytes.clone() {
            let there = first.entry((pair.launch.0, pair.memory, byte)).or_default();
            match there.first().map(|known| place(&known.second)) {
                Some(earliest) if earliest < place(&pair.second) => {}
                Some(earliest) if earliest > place(&pair.second) => *there = vec![pair],
                _ => there.push(pair),
            }
        }
    }
    let mut found: Vec<Disagreement> = Vec::new();
    let mut last = None;
    for ((_, memory, byte), pairs) in &first {
        // The bytes of one access are one difference.
        let about: Vec<_> = pairs.iter().map(|pair| (pair.first, pair.second)).collect();
        if last.as_ref() == Some(&about) {
            continue;
        }
        last = Some(about);
        let list: Vec<String> = pairs.iter().take(3).map(|pair| describe_pair(pair)).collect();
        let what = format!("byte {byte:#x} of {memory:?}: {}", list.join(" or "));
        match pairs.iter().map(|pair| reported(pair)).max() {
            Some(Report::Right) => {}
            Some(Report::OtherKind(wrong)) => {
                let right = pairs.iter().map(|pair| (pair.kind, pair.severity)).collect();
                let kinds = instead_of(&wrong, &right);
                found.push(Disagreement::WrongKind { kinds, what });
            }
            _ => found.push(Disagreement::Missed(what)),
        }
    }
    found
}

/// Whether the detector's kind fits the oracle's. The oracle knows no locks: where the detector sees one,
/// it may be right for any race that a lock would have prevented.
fn kinds_agree(kind: RaceKind, severity: Severity, pair: &RacingPair) -> bool {
    let of_lock = matches!(
        pair.kind,
        RaceKind::MissingFence
            | RaceKind::Scope
            | RaceKind::MissingSync
            | RaceKind::Divergence
            | RaceKind::WarpSync
            | RaceKind::SameValue
            | RaceKind::MixedSize
            | RaceKind::Volatile
    );
    if kind == RaceKind::Lock {
        return of_lock && severity == Severity::Error;
    }
    // Whether two stores wrote the same is asked of what is left of the first one.
    let stores =
        [RaceKind::SameValue, RaceKind::MissingSync, RaceKind::Divergence, RaceKind::WarpSync];
    let one_is_same_value = (kind == RaceKind::SameValue) != (pair.kind == RaceKind::SameValue);
    let unsure =
        pair.is_worn && one_is_same_value && stores.contains(&kind) && stores.contains(&pair.kind);
    unsure || kind == pair.kind && severity == pair.severity
}

/// Whether a report is about these two operations.
fn is_same(recorded: &Recorded, race: &Race, pair: &RacingPair) -> bool {
    let is_it = |report: &AccessReport, side: &Side| {
        report.ptx_line == recorded.line(side.site)
            && BlockIndex(linear(recorded.geometry.grid, report.block)) == side.block
            && linear(recorded.geometry.block, report.thread) == side.warp * 32 + side.lane
    };
    let sides = is_it(&race.first, &pair.first) && is_it(&race.second, &pair.second)
        || is_it(&race.first, &pair.second) && is_it(&race.second, &pair.first);
    let space = match pair.memory {
        Memory::Global => Space::Global,
        Memory::Shared(_) => Space::Shared,
    };
    sides && race.location.space == Some(space) && pair.bytes.contains(&race.location.address.0)
}

/// The number of a position.
fn linear(extents: Dim3, at: Dim3) -> u32 {
    at.x + extents.x * (at.y + extents.y * at.z)
}

fn said(race: &Race) -> String {
    let side = |report: &AccessReport| {
        format!(
            "line {} by thread {} of block {} (`{}`)",
            report.ptx_line, report.thread, report.block, report.instruction
        )
    };
    format!(
        "{} ({:?}) of {} and {} at {:#x} of {:?} memory",
        race.kind,
        race.severity,
        side(&race.first),
        side(&race.second),
        race.location.address.0,
        race.location.space
    )
}

/// A pair of the oracle in words.
pub(super) fn describe_pair(recorded: &Recorded, pair: &RacingPair) -> String {
    let side = |side: &Side| {
        let site = recorded.sites.get(side.site);
        format!(
            "line {} by thread {} of block {} (`{}`, event {})",
            site.ptx_line,
            side.warp * 32 + side.lane,
            side.block.0,
            site.instruction,
            side.event
        )
    };
    format!(
        "{} ({:?}) of {} and {} at {:#x}..{:#x} of {:?}",
        pair.kind,
        pair.severity,
        side(&pair.first),
        side(&pair.second),
        pair.bytes.start,
        pair.bytes.end,
        pair.memory
    )
}
