//! The closure of program order and synchronisation, and what it says about two operations.

use std::collections::BTreeMap;

use warpsan_event::ProxyKind;

use super::Memory;
use super::assumptions::Assumptions;
use super::barriers::{End, Initialised};
use super::edge::Edge;
use super::operations::{Agent, Operation, PointKind, PointNumber, Role};
use super::rule::Rule;
use super::synchronisation::{Observation, Observers, ScFence, Synchronisation, find};
use super::trace::Trace;

/// Which points are before which.
pub(super) struct Causality<'t> {
    trace: &'t Trace,
    edges: Vec<Edge>,
    /// Words of a row.
    words: usize,
    /// By point, a row of bits: the points before it.
    before: Vec<u64>,
    /// By operation that writes: the reads that observe it.
    observers: Observers,
    /// By number of a copy.
    ends: Vec<End>,
    proxy_fences: Vec<(PointNumber, ProxyKind)>,
    initialised: Vec<Initialised>,
}

impl<'t> Causality<'t> {
    pub(super) fn new(trace: &'t Trace, assumptions: Assumptions) -> Causality<'t> {
        let Synchronisation { mut edges, mut ends, observers, observations, initialised } =
            find(trace, assumptions);
        let mut forced = ForcedOrder::new(trace, assumptions, observations);
        let mut forced_edges = Vec::new();
        ends.sort_by_key(|end| end.copy);
        let points = trace.points.len();
        let words = points.div_ceil(64);
        let mut before = vec![0u64; points * words];
        let mut incoming = edges.iter().peekable();
        // Every edge leads forward in the trace, so the rows of all points before are complete.
        for (point, at) in trace.points.iter().enumerate() {
            let (earlier, own) = before.split_at_mut(point * words);
            let own = &mut own[..words];
            let mut join = |from: PointNumber| {
                let row = &earlier[from * words..(from + 1) * words];
                own.iter_mut().zip(row).for_each(|(own, row)| *own |= row);
                own[from / 64] |= 1 << (from % 64);
            };
            at.previous.into_iter().for_each(&mut join);
            while let Some(edge) = incoming.next_if(|edge| edge.to == point) {
                join(edge.from);
            }
            for from in forced.before(point, earlier, own, words) {
                forced_edges.push(Edge { from, to: point, rules: Rule::ForcedFenceOrder.bit() });
            }
        }
        drop(incoming);
        edges.extend(forced_edges);
        let proxy_fences = match assumptions.without {
            Some(Rule::ProxyFence) => Vec::new(),
            _ => {
                let points = trace.points.iter().enumerate();
                points
                    .filter_map(|(point, at)| match at.kind {
                        PointKind::ProxyFence(proxy) => Some((point, proxy)),
                        _ => None,
                    })
                    .collect()
            }
        };
        Causality { trace, edges, words, before, observers, ends, proxy_fences, initialised }
    }

    /// Whether a point is before another.
    pub(super) fn is_before(&self, one: PointNumber, other: PointNumber) -> bool {
        self.before[other * self.words + one / 64] >> (one % 64) & 1 == 1
    }

    /// Whether an operation is before whatever follows a point in program order, by causality or by
    /// observation. An operation is not before its own point.
    fn reaches(&self, number: usize, point: PointNumber) -> bool {
        let operation = &self.trace.operations[number];
        match operation.agent {
            Agent::Thread(_) => {
                self.is_before(operation.point, point)
                    || self.observers[number].iter().any(|read| self.is_before(read.point, point))
                    || operation.role == Role::MbarrierChange
                        && self.is_initialised(operation, point)
            }
            Agent::Copy(copy) => {
                let start = self.ends.partition_point(|end| end.copy < copy);
                self.ends[start..]
                    .iter()
                    .take_while(|end| end.copy == copy)
                    .filter(|end| !end.read_only || operation.role == Role::CopyRead)
                    .any(|end| end.point == point || self.is_before(end.point, point))
            }
        }
    }

    /// Whether a fence of initialisations lets what follows a point know of one.
    fn is_initialised(&self, change: &Operation, point: PointNumber) -> bool {
        let thread = self.trace.points[change.point].thread;
        self.initialised.iter().any(|one| {
            self.trace.points[one.fence].thread == thread
                && change.point < one.fence
                && self.is_before(one.known_at, point)
        })
    }

    /// Whether the first of two operations is ordered before the second, which comes later in the trace.
    pub(super) fn is_ordered(&self, first: usize, second: usize) -> bool {
        let (one, other) = (&self.trace.operations[first], &self.trace.operations[second]);
        let needs_proxy_fence = one.writes && !one.is_async_proxy && other.is_async_proxy;
        if !needs_proxy_fence {
            return self.reaches(first, other.point);
        }
        self.proxy_fences.iter().any(|(fence, proxy)| {
            let fits = match proxy {
                ProxyKind::Async => true,
                ProxyKind::AsyncGlobal => one.memory == Memory::Global,
                ProxyKind::AsyncShared => one.memory != Memory::Global,
                ProxyKind::Alias | ProxyKind::TensorMap | ProxyKind::MbarrierInit => false,
            };
            fits && self.is_before(*fence, other.point) && self.reaches(first, *fence)
        })
    }

    /// How often each rule gave an edge or ended a copy.
    pub(super) fn edges_by_rule(&self) -> Vec<(Rule, u64)> {
        let observed = |rule| match rule {
            Rule::Observation | Rule::ObservationThroughChain => {
                let reads = self.observers.iter().flatten();
                reads.filter(|observer| observer.rule == rule).count() as u64
            }
            Rule::ProxyFence => self.proxy_fences.len() as u64,
            Rule::MbarrierInitFence => self.initialised.len() as u64,
            _ => 0,
        };
        let count = |rule: Rule| {
            let edges = self.edges.iter().filter(|edge| edge.rules & rule.bit() != 0).count();
            let ends = self.ends.iter().filter(|end| end.rule == rule).count();
            edges as u64 + ends as u64 + observed(rule)
        };
        Rule::ALL.into_iter().map(|rule| (rule, count(rule))).collect()
    }
}

/// The order of `fence.sc` that observations force: where a read observes a write, what is before the write cannot be
/// after what is behind the read.
struct ForcedOrder<'t> {
    trace: &'t Trace,
    assumptions: Assumptions,
    fences: Vec<ScFence>,
    /// By point of a read: the points of the writes that it observes.
    observed: BTreeMap<PointNumber, Vec<PointNumber>>,
    /// By point of a read: all that is before the writes that it observes, a row of bits.
    before_observed: BTreeMap<PointNumber, Vec<u64>>,
}

impl<'t> ForcedOrder<'t> {
    fn new(
        trace: &'t Trace,
        assumptions: Assumptions,
        observations: Vec<Observation>,
    ) -> ForcedOrder<'t> {
        let fences = match assumptions.without {
            Some(Rule::ForcedFenceOrder) => Vec::new(),
            _ => ScFence::all(trace),
        };
        let mut observed: BTreeMap<PointNumber, Vec<PointNumber>> = BTreeMap::new();
        if !fences.is_empty() {
            for Observation { read, write } in observations {
                observed.entry(read).or_default().push(write);
            }
        }
        ForcedOrder { trace, assumptions, fences, observed, before_observed: BTreeMap::new() }
    }

    /// If a point is a `fence.sc`: those before it that are not before it by anything else. Its row gets them, too.
    fn before(
        &mut self,
        point: PointNumber,
        earlier: &[u64],
        own: &mut [u64],
        words: usize,
    ) -> Vec<PointNumber> {
        let row_of = |point: PointNumber| &earlier[point * words..(point + 1) * words];
        if let Some(writes) = self.observed.get(&point) {
            let mut before = vec![0; words];
            for write in writes {
                join_rows(&mut before, row_of(*write));
            }
            self.before_observed.insert(point, before);
        }
        let Some(last) = self.fences.iter().find(|fence| fence.point == point) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        loop {
            let mut before = vec![0; words];
            for (read, row) in &self.before_observed {
                if has_bit(own, *read) {
                    join_rows(&mut before, row);
                }
            }
            let is_new = |fence: &&ScFence| {
                has_bit(&before, fence.point)
                    && !has_bit(own, fence.point)
                    && fence.reaches(last, self.trace, self.assumptions)
            };
            let new: Vec<PointNumber> =
                self.fences.iter().filter(is_new).map(|fence| fence.point).collect();
            if new.is_empty() {
                return found;
            }
            // What a fence brings may have observed something itself.
            for fence in new {
                join_rows(own, row_of(fence));
                own[fence / 64] |= 1 << (fence % 64);
                found.push(fence);
            }
        }
    }
}

fn join_rows(own: &mut [u64], other: &[u64]) {
    own.iter_mut().zip(other).for_each(|(own, other)| *own |= other);
}

fn has_bit(row: &[u64], point: PointNumber) -> bool {
    row[point / 64] >> (point % 64) & 1 == 1
}

/// Whether an operation may touch what the other one touches, without being the same agent's.
pub(super) fn conflicts(one: &Operation, other: &Operation) -> bool {
    one.memory == other.memory
        && (one.writes || other.writes)
        && one.bytes.start < other.bytes.end
        && other.bytes.start < one.bytes.end
}
