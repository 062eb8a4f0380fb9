//! Barriers of all kinds, and what ends asynchronous copies.

use std::collections::BTreeMap;

use warpsan_event::{CopyKind, ProxyKind};
use warpsan_model::{BlockIndex, Order, Scope};

use super::assumptions::Assumptions;
use super::edge::Edge;
use super::moral_strength::mutual;
use super::operations::{Copy, PointKind, PointNumber, Step, ThreadNumber};
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
) -> (Vec<End>, Vec<Initialised>) {
    let mut ends = Vec::new();
    let mut initialised = Vec::new();
    let mut block_arrivals: BTreeMap<((BlockIndex, u32), ThreadNumber), PointNumber> =
        BTreeMap::new();
    let mut cluster_arrivals: Vec<(u64, u32, PointNumber)> = Vec::new();
    let mut relaxed_arrivals: Vec<(u64, u32, PointNumber)> = Vec::new();
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
                } else {
                    relaxed_arrivals.push((cluster, phase, point));
                }
            }
            Step::ClusterWait { cluster, phase, complete, point } => {
                for (of, arrived_in, from) in &cluster_arrivals {
                    if *of == cluster && *arrived_in == phase {
                        edge(*from, complete, Rule::ClusterBarrier);
                    }
                }
                edge(complete, point, Rule::ClusterBarrier);
                let wait = FenceEnd { point, scope: Scope::Cluster };
                for (of, arrived_in, from) in &relaxed_arrivals {
                    if *of == cluster && *arrived_in == phase {
                        for fence in fences_before(trace, *from) {
                            if fence.reaches(&wait, trace, assumptions) {
                                edge(fence.point, point, Rule::FencesAroundArrivals);
                            }
                        }
                        initialised.extend(
                            init_fence_before(trace, *from)
                                .map(|fence| Initialised { fence, known_at: point }),
                        );
                    }
                }
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
                let acquires = order.acquires() || counts;
                let lasts = match acquires {
                    true => vec![FenceEnd { point, scope }],
                    false => fences_behind(trace, point),
                };
                for (from, other_scope, arrived_in, arrival) in &object.arrivals {
                    let Some(other) = trace.points[*from].thread else { continue };
                    let releases = arrival.releases() || counts;
                    let is_linked = *arrived_in < phase
                        && mutual(trace, assumptions, (other, *other_scope), (thread, scope));
                    if !is_linked {
                        continue;
                    }
                    let firsts = match releases {
                        true => vec![FenceEnd { point: *from, scope: *other_scope }],
                        false => fences_before(trace, *from),
                    };
                    let rule = match releases && acquires {
                        true => Rule::Mbarrier,
                        false => Rule::FencesAroundArrivals,
                    };
                    for first in &firsts {
                        for last in &lasts {
                            if first.reaches(last, trace, assumptions) {
                                edge(first.point, last.point, rule);
                            }
                        }
                    }
                }
                if !acquires {
                    continue;
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
    (ends, initialised)
}

/// An end of a pattern around a barrier: a fence, or the arrival or wait itself.
#[derive(Clone, Copy)]
struct FenceEnd {
    point: PointNumber,
    scope: Scope,
}

impl FenceEnd {
    fn reaches(&self, other: &FenceEnd, trace: &Trace, assumptions: Assumptions) -> bool {
        let (one, two) = (trace.points[self.point].thread, trace.points[other.point].thread);
        match (one, two) {
            (Some(one), Some(two)) => {
                mutual(trace, assumptions, (one, self.scope), (two, other.scope))
            }
            _ => false,
        }
    }
}

/// What an `mbarrier` was before a fence of initialisations is known behind a wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Initialised {
    pub(super) fence: PointNumber,
    pub(super) known_at: PointNumber,
}

/// The fences of a thread before a point of it that release.
fn fences_before(trace: &Trace, point: PointNumber) -> Vec<FenceEnd> {
    let Some(thread) = trace.points[point].thread else { return Vec::new() };
    let before = trace.program[thread].iter().copied().filter(|other| *other < point);
    before.filter_map(|point| fence_at(trace, point, Order::releases)).collect()
}

/// The fences of a thread behind a point of it that acquire.
fn fences_behind(trace: &Trace, point: PointNumber) -> Vec<FenceEnd> {
    let Some(thread) = trace.points[point].thread else { return Vec::new() };
    let behind = trace.program[thread].iter().copied().filter(|other| *other > point);
    behind.filter_map(|point| fence_at(trace, point, Order::acquires)).collect()
}

fn fence_at(trace: &Trace, point: PointNumber, fits: fn(Order) -> bool) -> Option<FenceEnd> {
    match trace.points[point].kind {
        PointKind::Fence { order, scope } if fits(order) => Some(FenceEnd { point, scope }),
        _ => None,
    }
}

/// The last fence of initialisations of a thread before a point of it.
fn init_fence_before(trace: &Trace, point: PointNumber) -> Option<PointNumber> {
    let thread = trace.points[point].thread?;
    let before = trace.program[thread].iter().copied().filter(|other| *other < point);
    let is_one = |point: &PointNumber| {
        trace.points[*point].kind == PointKind::ProxyFence(ProxyKind::MbarrierInit)
    };
    before.rev().find(is_one)
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
