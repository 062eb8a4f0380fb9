//! Every pair of operations is asked whether it races.

use std::collections::BTreeMap;

use warpsan_model::{LaunchId, Strength};

use super::assumptions::Assumptions;
use super::causality::{Causality, conflicts};
use super::classify::Classifier;
use super::moral_strength::morally_strong;
use super::operations::{Operation, Role};
use super::rule::Rule;
use super::trace::Trace;
use super::{Choices, Memory, RacingPair, Side};

/// Bytes of the pieces of memory whose operations are compared with each other.
const PIECE: u64 = 16;

/// The races of a launch, in the order of their second operation, and the order that was found.
pub(super) fn all<'t>(
    trace: &'t Trace,
    choices: Choices,
    launch: LaunchId,
) -> (Vec<RacingPair>, Causality<'t>) {
    let truth = Assumptions { fence_sc_orders: choices.fence_sc_orders, ..Assumptions::default() };
    let order = Causality::new(trace, truth);
    let mut classifier = Classifier::new(trace, choices);
    let mut races = Vec::new();
    for (first, second) in pairs(trace) {
        if !is_race(trace, &order, first, second) {
            continue;
        }
        let (one, other) = (&trace.operations[first], &trace.operations[second]);
        let Some((kind, severity)) = classifier.classify(&order, first, second) else { continue };
        let start = one.bytes.start.max(other.bytes.start);
        races.push(RacingPair {
            launch,
            first: side(one),
            second: side(other),
            memory: one.memory,
            bytes: start..one.bytes.end.min(other.bytes.end),
            kind,
            severity,
            is_worn: one.writes && is_worn(trace, first, second),
        });
    }
    races.sort_by_key(|race| {
        let place = |side: &Side| (side.event, side.lane, side.element);
        (place(&race.second), place(&race.first))
    });
    (races, order)
}

/// How many conflicting pairs would not be ordered without a rule.
pub(super) fn decided_by(
    trace: &Trace,
    choices: Choices,
    order: &Causality<'_>,
    rule: Rule,
) -> u64 {
    if order.edges_by_rule().contains(&(rule, 0)) {
        return 0;
    }
    let assumptions = Assumptions {
        fence_sc_orders: choices.fence_sc_orders,
        without: Some(rule),
        ..Assumptions::default()
    };
    let without = Causality::new(trace, assumptions);
    let depends = |(first, second): &(usize, usize)| {
        is_race(trace, &without, *first, *second) && !is_race(trace, order, *first, *second)
    };
    pairs(trace).iter().filter(|pair| depends(pair)).count() as u64
}

/// Pairs of operations of different agents that touch the same byte and write, the earlier one first.
fn pairs(trace: &Trace) -> Vec<(usize, usize)> {
    let mut pieces: BTreeMap<(Memory, u64), Vec<usize>> = BTreeMap::new();
    for (number, operation) in trace.operations.iter().enumerate() {
        let (start, end) = (operation.bytes.start / PIECE, operation.bytes.end.div_ceil(PIECE));
        for piece in start..end {
            pieces.entry((operation.memory, piece)).or_default().push(number);
        }
    }
    let mut found = Vec::new();
    for ((_, piece), members) in &pieces {
        for (index, second) in members.iter().enumerate() {
            for first in &members[..index] {
                let (one, other) = (&trace.operations[*first], &trace.operations[*second]);
                let outside = one.role == Role::ReadOnlyPath || other.role == Role::ReadOnlyPath;
                // Two operations that share more than one piece are a pair of the first one.
                let begins = one.bytes.start.max(other.bytes.start) / PIECE == *piece;
                if begins && conflicts(one, other) && (outside || one.agent != other.agent) {
                    found.push((*first, *second));
                }
            }
        }
    }
    found
}

/// Whether two conflicting operations race: the first one is earlier in the trace.
fn is_race(trace: &Trace, order: &Causality<'_>, first: usize, second: usize) -> bool {
    let (one, other) = (&trace.operations[first], &trace.operations[second]);
    if one.role == Role::ReadOnlyPath || other.role == Role::ReadOnlyPath {
        return true;
    }
    let harmless = match (one.role, other.role) {
        (Role::MbarrierUse, Role::MbarrierUse) => true,
        (Role::CopyWrite { reduces: true }, Role::CopyWrite { reduces: true }) => true,
        _ => morally_strong(trace, Assumptions::default(), one, other) && !is_volatile(one, other),
    };
    !harmless && !order.is_ordered(first, second)
}

/// Whether part of what an operation wrote was overwritten before another one.
fn is_worn(trace: &Trace, first: usize, second: usize) -> bool {
    let written = &trace.operations[first];
    let between = &trace.operations[first + 1..second];
    between.iter().any(|other| other.writes && conflicts(written, other))
}

/// Whether one of two operations is volatile.
fn is_volatile(one: &Operation, other: &Operation) -> bool {
    one.strength == Strength::Volatile || other.strength == Strength::Volatile
}

fn side(operation: &Operation) -> Side {
    Side {
        event: operation.event,
        site: operation.site,
        block: operation.block,
        warp: operation.warp,
        lane: operation.lane,
        element: operation.element,
        is_copy: operation.is_copy(),
    }
}
