//! What orders one point before another, besides program order.

use std::collections::BTreeMap;

use warpsan_model::{Order, Scope, Strength};

use super::Memory;
use super::assumptions::Assumptions;
use super::barriers::{End, Initialised, barriers_and_copies};
use super::edge::Edge;
use super::moral_strength::mutual;
use super::observation;
use super::operations::{Agent, Operation, Point, PointKind, PointNumber, ThreadNumber};
use super::rule::Rule;
use super::trace::Trace;

/// An end of a pattern: where it is, who it is, and how far it reaches.
#[derive(Clone, Copy)]
struct PatternEnd {
    point: PointNumber,
    thread: ThreadNumber,
    scope: Scope,
    rule: Rule,
}

/// What orders points, and what the closure has to know.
pub(super) struct Synchronisation {
    /// All synchronisation between points.
    pub(super) edges: Vec<Edge>,
    /// The ends of all copies.
    pub(super) ends: Vec<End>,
    pub(super) observers: Observers,
    pub(super) observations: Vec<Observation>,
    pub(super) initialised: Vec<Initialised>,
}

/// A strong read observes a strong write, directly or through a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    pub(super) read: PointNumber,
    pub(super) write: PointNumber,
}

/// All synchronisation between points, and the ends of all copies.
pub(super) fn find(trace: &Trace, assumptions: Assumptions) -> Synchronisation {
    let mut edges = Vec::new();
    let (observers, observations) = patterns(trace, assumptions, &mut edges);
    if assumptions.fence_sc_orders {
        fences_in_order(trace, assumptions, &mut edges);
    }
    let (ends, mut initialised) = barriers_and_copies(trace, assumptions, &mut edges);
    if assumptions.without == Some(Rule::MbarrierInitFence) {
        initialised.clear();
    }
    if let Some(without) = assumptions.without {
        edges.retain(|edge| edge.rules & without.bit() == 0);
    }
    edges.sort_unstable();
    edges.dedup();
    let ends = ends.into_iter().filter(|end| Some(end.rule) != assumptions.without).collect();
    Synchronisation { edges, ends, observers, observations, initialised }
}

/// A read that observes a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observer {
    pub(super) point: PointNumber,
    /// Directly, or through a chain.
    pub(super) rule: Rule,
}

/// By operation that writes: the reads that observe it.
pub(super) type Observers = Vec<Vec<Observer>>;

/// Release patterns that synchronise with acquire patterns.
fn patterns(
    trace: &Trace,
    assumptions: Assumptions,
    edges: &mut Vec<Edge>,
) -> (Observers, Vec<Observation>) {
    let mut observations = Vec::new();
    let sources = observation::sources(trace, assumptions);
    let mut observers = vec![Vec::new(); trace.operations.len()];
    let mut releases: BTreeMap<usize, Vec<PatternEnd>> = BTreeMap::new();
    for (read, operation) in trace.operations.iter().enumerate() {
        if !operation.observes() {
            continue;
        }
        let observed = observation::observed(trace, assumptions, &sources, read);
        if observed.is_empty() {
            continue;
        }
        let lasts = acquire_patterns(trace, assumptions, operation);
        for (distance, write) in observed.into_iter().enumerate() {
            let is_chain = distance > 0;
            let written_at = trace.operations[write].point;
            observations.push(Observation { read: operation.point, write: written_at });
            let observation =
                if is_chain { Rule::ObservationThroughChain } else { Rule::Observation };
            if assumptions.without != Some(observation) {
                observers[write].push(Observer { point: operation.point, rule: observation });
            }
            let is_left_out = |(memory, byte): (Memory, u64)| {
                operation.memory == memory && operation.bytes.contains(&byte)
            };
            if assumptions.without_flag.is_some_and(is_left_out) {
                continue;
            }
            if assumptions.without_handoff == Some((trace.operations[write].site, operation.site)) {
                continue;
            }
            let firsts = releases
                .entry(write)
                .or_insert_with(|| release_patterns(trace, assumptions, &trace.operations[write]));
            for first in firsts.iter() {
                for last in &lasts {
                    let (from, to) = ((first.thread, first.scope), (last.thread, last.scope));
                    if mutual(trace, assumptions, from, to) && first.point < last.point {
                        let chain = if is_chain { Rule::ChainOfUpdates.bit() } else { 0 };
                        let rules = first.rule.bit() | last.rule.bit() | chain;
                        edges.push(Edge { from: first.point, to: last.point, rules });
                    }
                }
            }
        }
    }
    (observers, observations)
}

/// Whether a strong access is a release, or an acquire; `sc` is both.
fn order_of(assumptions: Assumptions, operation: &Operation) -> Order {
    match operation.strength {
        _ if assumptions.all_synchronise => Order::AcqRel,
        Strength::Strong { order, .. } => order,
        Strength::Volatile | Strength::Weak => Order::Relaxed,
    }
}

/// The beginnings of all release patterns that end in a strong write.
fn release_patterns(trace: &Trace, assumptions: Assumptions, write: &Operation) -> Vec<PatternEnd> {
    let Agent::Thread(thread) = write.agent else { return Vec::new() };
    let mut found = Vec::new();
    for point in trace.program[thread].iter().copied().filter(|point| *point <= write.point) {
        if let PointKind::Fence { order, scope } = trace.points[point].kind
            && order.releases()
        {
            found.push(PatternEnd { point, thread, scope, rule: Rule::ReleaseFence });
        }
        for number in &trace.at_point[point] {
            let operation = &trace.operations[*number];
            if operation.is_strong_access()
                && operation.writes
                && operation.same_place(write)
                && order_of(assumptions, operation).releases()
                && let Some(scope) = operation.strength.scope()
            {
                let is_it = point == write.point;
                let rule =
                    if is_it { Rule::ReleaseOperation } else { Rule::EarlierReleaseOperation };
                found.push(PatternEnd { point, thread, scope, rule });
            }
        }
    }
    found
}

/// The ends of all acquire patterns that begin with a strong read.
fn acquire_patterns(trace: &Trace, assumptions: Assumptions, read: &Operation) -> Vec<PatternEnd> {
    let Agent::Thread(thread) = read.agent else { return Vec::new() };
    let mut found = Vec::new();
    for point in trace.program[thread].iter().copied().filter(|point| *point >= read.point) {
        if let PointKind::Fence { order, scope } = trace.points[point].kind
            && order.acquires()
        {
            found.push(PatternEnd { point, thread, scope, rule: Rule::AcquireFence });
        }
        for number in &trace.at_point[point] {
            let operation = &trace.operations[*number];
            if operation.observes()
                && operation.same_place(read)
                && order_of(assumptions, operation).acquires()
                && let Some(scope) = operation.strength.scope()
            {
                let is_it = point == read.point;
                let rule = if is_it { Rule::AcquireOperation } else { Rule::LaterAcquireOperation };
                found.push(PatternEnd { point, thread, scope, rule });
            }
        }
    }
    found
}

/// Two morally strong `fence.sc` are ordered as they executed.
fn fences_in_order(trace: &Trace, assumptions: Assumptions, edges: &mut Vec<Edge>) {
    let fences = ScFence::all(trace);
    let rules = Rule::FenceScOrder.bit();
    for (index, fence) in fences.iter().enumerate() {
        for earlier in &fences[..index] {
            let is_earlier = trace.points[earlier.point].event < trace.points[fence.point].event;
            if is_earlier && earlier.reaches(fence, trace, assumptions) {
                edges.push(Edge { from: earlier.point, to: fence.point, rules });
            }
        }
    }
}

/// A `fence.sc`.
#[derive(Clone, Copy)]
pub(super) struct ScFence {
    pub(super) point: PointNumber,
    thread: ThreadNumber,
    scope: Scope,
}

impl ScFence {
    /// Those of a trace, in its order.
    pub(super) fn all(trace: &Trace) -> Vec<ScFence> {
        let fence = |(point, at): (PointNumber, &Point)| match at.kind {
            PointKind::Fence { order: Order::SeqCst, scope } => {
                Some(ScFence { point, thread: at.thread?, scope })
            }
            _ => None,
        };
        trace.points.iter().enumerate().filter_map(fence).collect()
    }

    /// Whether two are morally strong.
    pub(super) fn reaches(&self, other: &ScFence, trace: &Trace, assumptions: Assumptions) -> bool {
        mutual(trace, assumptions, (self.thread, self.scope), (other.thread, other.scope))
    }
}
