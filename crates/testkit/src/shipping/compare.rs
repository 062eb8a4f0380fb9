//! Two traces of the same runs must mean the same.

use std::collections::BTreeSet;
use std::fmt;

use warpsan_event::{Event, EventBuffer};
use warpsan_model::{SiteId, Strength};
use warpsan_report::{AccessReport, Race};

use warpsan_oracle::differential::Reported;
use warpsan_oracle::oracle::{Judgement, RacingPair, Side};

/// Something that only one of two traces has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Whether the shipped trace has it.
    pub is_new: bool,
    /// What it is.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let which = if self.is_new { "only after shipping" } else { "only before shipping" };
        write!(f, "{which}: {}", self.what)
    }
}

/// Races that a detector reports of only one of two traces: kind, severity and both places count.
pub fn differences_of_reports(before: &Reported, after: &Reported) -> Vec<Difference> {
    let texts = |reported: &Reported| reported.races.iter().map(report).collect();
    differences(&texts(before), &texts(after))
}

fn report(race: &Race) -> String {
    let side = |side: &AccessReport| {
        let line = side.position.as_ref().map_or(0, |position| position.line);
        format!("{line}/{} `{}`", side.ptx_line, side.instruction)
    };
    let (mut one, mut other) = (side(&race.first), side(&race.second));
    if one > other {
        std::mem::swap(&mut one, &mut other);
    }
    format!("{} {} of {one} and {other}", race.kind, race.severity.name())
}

/// Pairs of operations that the oracle finds racing in only one of two traces, whoever comes first.
pub fn differences_of_oracle(before: &Judgement, after: &Judgement) -> Vec<Difference> {
    let texts = |judgement: &Judgement| judgement.races.iter().map(pair).collect();
    differences(&texts(before), &texts(after))
}

/// Whether an operation that takes turns races with one that takes none. Which of the two came first is
/// not kept by shipping without tickets, nor is then what is observed.
pub fn depends_on_weak_order(judgement: &Judgement, events: &EventBuffer) -> bool {
    let takes_turns = |event: Event<'_>| match event {
        Event::Access(access) => (access.strength != Strength::Weak).then_some(access.site),
        Event::Mbarrier(step) => Some(step.site),
        _ => None,
    };
    let strong: BTreeSet<SiteId> = events.batch().events().filter_map(takes_turns).collect();
    judgement
        .races
        .iter()
        .any(|pair| strong.contains(&pair.first.site) != strong.contains(&pair.second.site))
}

fn pair(pair: &RacingPair) -> String {
    let side = |side: &Side| {
        let Side { site, block, warp, lane, element, is_copy, .. } = side;
        format!("site {} of ({}, {warp}, {lane}) [{element}] {is_copy}", site.0, block.0)
    };
    let (mut one, mut other) = (side(&pair.first), side(&pair.second));
    if one > other {
        std::mem::swap(&mut one, &mut other);
    }
    let RacingPair { launch, memory, bytes, .. } = pair;
    format!("{one} and {other} at {bytes:x?} of {memory:?} in launch {}", launch.0)
}

fn differences(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<Difference> {
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>, is_new: bool| {
        let only = one.difference(other);
        only.map(|what| Difference { is_new, what: what.clone() }).collect::<Vec<_>>()
    };
    [only(before, after, false), only(after, before, true)].concat()
}
