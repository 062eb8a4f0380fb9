//! Barriers of all kinds, and what ends asynchronous copies.

use std::collections::BTreeMap;

use warpsan_event::CopyKind;
use warpsan_model::{BlockIndex, Order, Scope};

use super::assumptions::Assumptions;
use super::edge::Edge;
use super::moral_strength::mutual;
use super::operations::{Copy, PointNumber, Step, ThreadNumber};
use super::rule::Rule;
use super::trace::Trace;

/// Points from which on everybody knows that an operation of a copy is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) copy: u64,
    /// Only the read of the source is done.
    pub(super) read_only: bool,
    pub(super) point: PointNumber,
    pub(super) rule: Rule,
}

/// What arrived at an `mbarrier` object in its present life.
#[derive(Default)]
struct Object {
    /// Point, scope, phase and whether it releases.
    arrivals: Vec<(PointNumber, Scope, u64, Order)>,
    /// Copies and their phase.
    signals: Vec<(u64, u64)>,
}

/// Barriers of all kinds, and what ends copies.
pub(super) fn barriers_and_copies(
    trace: &Trace,
    assumptions: Assumptions,
    edges: &mut Vec<Edge>,
) -> Vec<End> {
    let mut ends = Vec::new();
    let mut block_arrivals: BTreeMap<((BlockIndex, u32), ThreadNumber), PointNumber> =
        BTreeMap::new();
    let mut cluster_arrivals: Vec<(u64, u32, PointNumber)> = Vec::new();
    let mut objects: BTreeMap<(BlockIndex, u64), Object> = BTreeMap::new();
    let relaxed_counts = assumptions.all_synchronise;
    let mut edge = |from, to, rule: Rule| edges.push(Edge { from, to, rules: rule.bit() });
    for step in &trace.steps {
        match *step {
            Step::BlockArrive { barrier, thread, point } => {
                block_arrivals.insert((barrier, thread), point);
            }
            Step::BlockArrivalCounts { barrier, thread, phase } => {
                if let Some(from) = block_arrivals.get(&(barrier, thread)) {
                    edge(*from, phase, Rule::BlockArrival);
                }
            }
            Step::Met { before, phase, after, is_warp } => {
                let rule = if is_warp { Rule::WarpBarrier } else { Rule::BlockBarrier };
                if let Some(before) = before {
                    edge(before, phase, rule);
                }
                edge(phase, after, rule);
            }
            Step::ClusterArrive { cluster, order, phase, point } => {
                if order.releases() || relaxed_counts {
                    cluster_arrivals.push((cluster, phase, point));
                }
            }
            Step::ClusterWait { cluster, phase, complete, point } => {
                for (of, arrived_in, from) in &cluster_arrivals {
                    if *of == cluster && *arrived_in == phase {
                        edge(*from, complete, Rule::ClusterBarrier);
                    }
                }
                edge(complete, point, Rule::ClusterBarrier);
            }
            Step::MbarrierInit { object } => {
                objects.insert(object, Object::default());
            }
            Step::MbarrierArrive { object, order, scope, phase, point } => {
                let object = objects.entry(object).or_default();
                object.arrivals.push((point, scope, phase, order));
            }
            Step::CopySignal { copy, object, phase } => {
                objects.entry(object).or_default().signals.push((copy, phase));
            }
            Step::MbarrierWait { object, order, scope, phase, point } => {
                // A wait says how many phases were complete: it saw those with smaller numbers.
                let Some(object) = objects.get(&object) else { continue };
                let Some(thread) = trace.points[point].thread else { continue };
                let counts = relaxed_counts || assumptions.objects_synchronise;
                let assumptions = Assumptions {
                    widened: assumptions.widened || assumptions.objects_synchronise,
                    ..assumptions
                };
                if !order.acquires() && !counts {
                    continue;
                }
                for (from, other_scope, arrived_in, arrival) in &object.arrivals {
                    let Some(other) = trace.points[*from].thread else { continue };
                    if *arrived_in < phase
                        && (arrival.releases() || counts)
                        && mutual(trace, assumptions, (other, *other_scope), (thread, scope))
                    {
                        edge(*from, point, Rule::Mbarrier);
                    }
                }
                for (copy, _) in
                    object.signals.iter().filter(|(_, signalled_in)| *signalled_in < phase)
                {
                    signalled(trace, *copy, point, &mut ends);
                }
            }
            Step::CopyWait { thread, bulk, read, before, point } => {
                let (kind, rule) = match (bulk, read) {
                    (true, true) => (CopyKind::Bulk, Rule::BulkReadWait),
                    (true, false) => (CopyKind::Bulk, Rule::BulkWait),
                    (false, _) => (CopyKind::Thread, Rule::CopyWait),
                };
                let is_one = |copy: &&Copy| {
                    copy.thread == thread && copy.kind == kind && copy.number < before
                };
                // The copy has to have begun; all that have so small a number have.
                for copy in trace.copies.iter().filter(is_one) {
                    ends.push(End { copy: copy.number, read_only: read, point, rule });
                }
            }
        }
    }
    ends
}

/// A wait saw what a copy signalled to an `mbarrier` object.
fn signalled(trace: &Trace, copy: u64, point: PointNumber, ends: &mut Vec<End>) {
    let Some(named) = trace.copies.iter().find(|known| known.number == copy) else { return };
    let read_only = false;
    match named.kind {
        CopyKind::Thread => {
            let rule = Rule::CopyArrival;
            let spoken_for = trace.copies.iter().filter(|other| {
                other.kind == CopyKind::Thread
                    && other.thread == named.thread
                    && other.number <= copy
            });
            ends.extend(spoken_for.map(|copy| End { copy: copy.number, read_only, point, rule }));
        }
        CopyKind::Bulk => ends.push(End { copy, read_only, point, rule: Rule::BulkSignal }),
        CopyKind::Store => ends.push(End { copy, read_only, point, rule: Rule::StoreSignal }),
    }
}
