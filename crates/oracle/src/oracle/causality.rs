//! The closure of program order and synchronisation, and what it says about two operations.

use warpsan_event::ProxyKind;

use super::Memory;
use super::assumptions::Assumptions;
use super::barriers::End;
use super::edge::Edge;
use super::operations::{Agent, Operation, PointKind, PointNumber, Role};
use super::rule::Rule;
use super::synchronisation::{Observers, find};
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
}

impl<'t> Causality<'t> {
    pub(super) fn new(trace: &'t Trace, assumptions: Assumptions) -> Causality<'t> {
        let (edges, mut ends, observers) = find(trace, assumptions);
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
        }
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
        Causality { trace, edges, words, before, observers, ends, proxy_fences }
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
                ProxyKind::Alias | ProxyKind::TensorMap => false,
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

/// Whether an operation may touch what the other one touches, without being the same agent's.
pub(super) fn conflicts(one: &Operation, other: &Operation) -> bool {
    one.memory == other.memory
        && (one.writes || other.writes)
        && one.bytes.start < other.bytes.end
        && other.bytes.start < one.bytes.end
}
