//! The race model written down a second time, by brute force, to hold the detector to.
//!
//! The oracle looks at a finished trace. It lists every operation of every thread, builds the
//! relations of the model one by one over the points of the trace, closes them, and asks every pair of
//! operations whether it races. There are no clocks, no shadow memory and no shortcuts, so it is slow,
//! and it shares no line with the detectors.
//!
//! Words: an *operation* touches bytes; a *point* is where a thread was when it did something, so a
//! vector access has one point and several operations. An asynchronous copy is an agent of its own: it
//! has operations, but no points; it is after the point that began it, and before those that know of
//! its end.

mod assumptions;
mod barriers;
mod causality;
mod classify;
mod edge;
mod moral_strength;
mod observation;
mod operations;
mod races;
mod rule;
mod synchronisation;
mod trace;

#[cfg(test)]
mod tests;

use std::ops::Range;

use warpsan_event::{Batch, Event};
use warpsan_model::{BlockIndex, LaunchId, SiteId};
use warpsan_report::{RaceKind, Severity, Treatment};

pub use rule::Rule;

/// What users can choose about verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Two `fence.sc` that reach each other order what is around them as they executed.
    pub fence_sc_orders: bool,
    /// What to do with lanes that rely on lockstep.
    pub warp_sync: Treatment,
    /// What to do with volatile accesses that PTX allows and CUDA C++ does not.
    pub volatile: Treatment,
    /// What to do with unordered stores of the same bytes by several instructions or warps.
    pub same_value: Treatment,
}

/// A memory: bytes of different memories never overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Memory {
    /// That of the device.
    Global,
    /// The shared memory of this block.
    Shared(BlockIndex),
}

/// One side of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Side {
    /// The index of the event in the trace.
    pub event: usize,
    /// The instruction.
    pub site: SiteId,
    /// The block of the thread; for a copy, of the one that began it.
    pub block: BlockIndex,
    /// The warp in its block.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
    /// Which element of a vector access.
    pub element: u8,
    /// It is done by an asynchronous copy.
    pub is_copy: bool,
}

/// Two operations that race. The first one comes first in the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RacingPair {
    /// The launch.
    pub launch: LaunchId,
    /// The earlier operation.
    pub first: Side,
    /// The later operation.
    pub second: Side,
    /// Where.
    pub memory: Memory,
    /// The bytes that both touch.
    pub bytes: Range<u64>,
    /// What is wrong.
    pub kind: RaceKind,
    /// How bad it is.
    pub severity: Severity,
    /// Part of what the first one wrote was written again before the second one came. Who remembers only
    /// what is in memory cannot know all of its value.
    pub is_worn: bool,
}

/// What the oracle says about a trace.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Every pair that races.
    pub races: Vec<RacingPair>,
    /// How many operations there were.
    pub operations: usize,
    /// By rule of synchronisation: how many edges it gave.
    pub edges: Vec<(Rule, u64)>,
    /// By rule: how many conflicting pairs of operations are ordered, and would not be without it.
    pub decisive: Vec<(Rule, u64)>,
}

/// Judges a trace. With `count_decisive`, also finds out which rules the order of conflicting
/// operations depends on, which takes as many closures as there are rules.
pub fn judge(trace: &Batch<'_>, choices: Choices, count_decisive: bool) -> Judgement {
    let events: Vec<Event<'_>> = trace.events().collect();
    let mut judgement = Judgement::default();
    let mut start = 0;
    // A launch is ordered after all before it, and its shared memory is fresh: each is judged alone.
    for (index, event) in events.iter().enumerate() {
        if matches!(event, Event::LaunchBegin { .. }) {
            judge_launch(&events, start..index, choices, count_decisive, &mut judgement);
            start = index;
        }
    }
    judge_launch(&events, start..events.len(), choices, count_decisive, &mut judgement);
    judgement
}

fn judge_launch(
    events: &[Event<'_>],
    range: Range<usize>,
    choices: Choices,
    count_decisive: bool,
    judgement: &mut Judgement,
) {
    let Some(Event::LaunchBegin { launch, .. }) = events.get(range.start) else { return };
    let trace = trace::Trace::of_launch(events, range);
    judgement.operations += trace.operations.len();
    let (races, order) = races::all(&trace, choices, *launch);
    judgement.races.extend(races);
    for (rule, count) in order.edges_by_rule() {
        add(&mut judgement.edges, rule, count);
    }
    if count_decisive {
        for rule in Rule::ALL {
            add(&mut judgement.decisive, rule, races::decided_by(&trace, choices, &order, rule));
        }
    }
}

fn add(counts: &mut Vec<(Rule, u64)>, rule: Rule, count: u64) {
    match counts.iter_mut().find(|(known, _)| *known == rule) {
        Some((_, sum)) => *sum += count,
        None => counts.push((rule, count)),
    }
}
