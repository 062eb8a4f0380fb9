//! What kind of race a pair is: the first kind of the model's list that fits.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use warpsan_event::AccessKind;
use warpsan_model::{SiteId, Strength};
use warpsan_report::{RaceKind, Severity, Treatment};

use super::assumptions::Assumptions;
use super::causality::Causality;
use super::moral_strength::scopes_are_mutual;
use super::operations::{Operation, Role, Step};
use super::trace::Trace;
use super::{Choices, Memory};

/// Knows what would be ordered if the program were a little different.
pub(super) struct Classifier<'t> {
    trace: &'t Trace,
    choices: Choices,
    /// With every use of an `mbarrier` object as strong and wide as possible.
    with_objects: OnceCell<Causality<'t>>,
    /// With every scope as wide as possible.
    widened: OnceCell<Causality<'t>>,
    /// The same, and every strong access synchronises.
    synchronised: OnceCell<Causality<'t>>,
    /// By whether strong accesses synchronise, and a byte: with every scope as wide as possible, and nothing handed over
    /// through the location of the byte.
    without_flag: BTreeMap<(bool, Memory, u64), Causality<'t>>,
    /// By whether strong accesses synchronise, and two sites: without what the second site observes of the first.
    without_handoff: BTreeMap<(bool, (SiteId, SiteId)), Causality<'t>>,
}

impl<'t> Classifier<'t> {
    pub(super) fn new(trace: &'t Trace, choices: Choices) -> Classifier<'t> {
        Classifier {
            trace,
            choices,
            with_objects: OnceCell::new(),
            widened: OnceCell::new(),
            synchronised: OnceCell::new(),
            without_flag: BTreeMap::new(),
            without_handoff: BTreeMap::new(),
        }
    }

    /// The kind and severity of a race; nothing if it is not to be reported.
    pub(super) fn classify(
        &mut self,
        order: &Causality<'_>,
        first: usize,
        second: usize,
    ) -> Option<(RaceKind, Severity)> {
        let kind = self.kind(order, first, second);
        let (one, other) = (&self.trace.operations[first], &self.trace.operations[second]);
        let severity = match kind {
            RaceKind::WarpSync => self.choices.warp_sync.severity()?,
            RaceKind::Volatile => self.choices.volatile.severity()?,
            RaceKind::SameValue if self.choices.same_value == Treatment::Allow => return None,
            RaceKind::SameValue if one.event == other.event => Severity::Info,
            RaceKind::SameValue => self.choices.same_value.severity()?,
            // By the time of the write, the value was in a register.
            RaceKind::ReadonlyPath
                if one.role == Role::ReadOnlyPath && order.is_ordered(first, second) =>
            {
                Severity::Info
            }
            _ => Severity::Error,
        };
        Some((kind, severity))
    }

    fn kind(&mut self, order: &Causality<'_>, first: usize, second: usize) -> RaceKind {
        let (one, other) = (&self.trace.operations[first], &self.trace.operations[second]);
        let truth = Assumptions::default();
        if one.role == Role::ReadOnlyPath || other.role == Role::ReadOnlyPath {
            return RaceKind::ReadonlyPath;
        }
        if [one, other].iter().any(|side| side.is_copy() || side.is_mbarrier()) {
            return RaceKind::Async;
        }
        let both_strong = one.strength != Strength::Weak && other.strength != Strength::Weak;
        let mutual = both_strong && scopes_are_mutual(self.trace, truth, one, other);
        let same_warp = (one.block, one.warp) == (other.block, other.warp);
        // Whether the two are lanes of one warp, on one path.
        let one_path = (same_warp && one.event != other.event)
            .then(|| one.mask & other.mask != 0 || self.is_one_path(one, other));
        // PTX allows such a pair; it races only where the other rules call volatile accesses plain.
        if mutual && one.same_place(other) {
            let is_message = one.writes && !other.writes;
            return match one_path {
                Some(true) => RaceKind::WarpSync,
                _ if is_message && self.is_behind_a_flag(false, first, second) => RaceKind::Scope,
                _ if is_message && self.is_behind_a_flag(true, first, second) => {
                    RaceKind::MissingFence
                }
                _ => RaceKind::Volatile,
            };
        }
        if let Some(kind) = self.nearly_ordered(first, second) {
            return kind;
        }
        let kind = match one_path {
            _ if stores_the_same(one, other) => return RaceKind::SameValue,
            Some(false) => RaceKind::Divergence,
            Some(true) => RaceKind::WarpSync,
            None if mutual => return RaceKind::MixedSize,
            None => RaceKind::MissingSync,
        };
        let too_early = one.event != other.event && self.is_too_early(order, first, second);
        if too_early { RaceKind::Async } else { kind }
    }

    /// Whether the thread of one operation waits for an `mbarrier` object behind it, for a phase that what follows the other
    /// operation has arrived in: it should have waited before.
    fn is_too_early(&self, order: &Causality<'_>, first: usize, second: usize) -> bool {
        let steps = &self.trace.steps;
        let waits_too_late = |early: usize, other: usize| {
            let (early, other) = (&self.trace.operations[early], &self.trace.operations[other]);
            let thread = |point: usize| self.trace.points[point].thread;
            steps.iter().enumerate().any(|(index, step)| {
                let Step::MbarrierWait { object, phase, point: wait, .. } = *step else { return false };
                // Of who has waited before, it is not known which wait belongs to which access.
                let is_same = |step: &Step| {
                    matches!(*step, Step::MbarrierWait { point, .. } if thread(point) == thread(wait))
                };
                let is_own = thread(wait) == thread(early.point)
                    && wait > early.point
                    && !steps[..index].iter().any(is_same);
                let is_reset =
                    |step: &&Step| matches!(step, Step::MbarrierInit { object: reset } if *reset == object);
                is_own
                    && steps[..index].iter().rev().take_while(|step| !is_reset(step)).any(|step| {
                        matches!(*step, Step::MbarrierArrive { object: of, phase: arrived_in, point, .. }
                            if of == object && arrived_in < phase && order.is_before(other.point, point)
                                && !order.is_before(early.point, point))
                    })
            })
        };
        waits_too_late(first, second) || waits_too_late(second, first)
    }

    /// Whether one of two lanes of a warp, which synchronises in parts, has executed the instruction of the other since it
    /// began to do so.
    fn is_one_path(&self, one: &Operation, other: &Operation) -> bool {
        let Some(start) = self.trace.met_in_parts.get(&(one.block, one.warp)) else { return false };
        let has_executed = |lane: u32, site: SiteId| {
            self.trace.operations.iter().any(|operation| {
                matches!(operation.role, Role::Access(_) | Role::ReadOnlyPath)
                    && (operation.block, operation.warp) == (one.block, one.warp)
                    && (*start..=other.event).contains(&operation.event)
                    && operation.site == site
                    && operation.mask >> lane & 1 == 1
            })
        };
        has_executed(other.lane, one.site) || has_executed(one.lane, other.site)
    }

    /// Whether a volatile write and read would be ordered if every scope were wide enough, and perhaps everything strong
    /// synchronised, but for what their own two instructions hand over.
    fn is_behind_a_flag(&mut self, all_synchronise: bool, first: usize, second: usize) -> bool {
        let sites = (self.trace.operations[first].site, self.trace.operations[second].site);
        let assumptions = Assumptions {
            widened: true,
            all_synchronise,
            without_handoff: Some(sites),
            ..self.assumptions()
        };
        let trace = self.trace;
        let order = self.without_handoff.entry((all_synchronise, sites));
        order.or_insert_with(|| Causality::new(trace, assumptions)).is_ordered(first, second)
    }

    /// The kind of a race that would be none if something that is there were stronger.
    fn nearly_ordered(&mut self, first: usize, second: usize) -> Option<RaceKind> {
        let (one, other) = (&self.trace.operations[first], &self.trace.operations[second]);
        let both_strong = one.strength != Strength::Weak && other.strength != Strength::Weak;
        if self.with_objects().is_ordered(first, second) {
            Some(RaceKind::Async)
        } else if both_strong && !scopes_are_mutual(self.trace, Assumptions::default(), one, other)
            || self.widened().is_ordered(first, second)
                && self.needs_no_own_flag(false, first, second)
        {
            Some(RaceKind::Scope)
        } else if self.synchronised().is_ordered(first, second)
            && self.needs_no_own_flag(true, first, second)
        {
            Some(RaceKind::MissingFence)
        } else {
            None
        }
    }

    /// A counter is no flag for the accesses that race on it: whether two operations, of which the first is weak, are ordered
    /// without what is handed over through their own location.
    fn needs_no_own_flag(&mut self, all_synchronise: bool, first: usize, second: usize) -> bool {
        let (one, other) = (&self.trace.operations[first], &self.trace.operations[second]);
        if one.strength != Strength::Weak {
            return true;
        }
        let place = (one.memory, one.bytes.start.max(other.bytes.start));
        let assumptions = Assumptions {
            widened: true,
            all_synchronise,
            without_flag: Some(place),
            ..self.assumptions()
        };
        let trace = self.trace;
        let order = self.without_flag.entry((all_synchronise, place.0, place.1));
        order.or_insert_with(|| Causality::new(trace, assumptions)).is_ordered(first, second)
    }

    fn with_objects(&self) -> &Causality<'t> {
        self.with_objects.get_or_init(|| {
            let assumptions = Assumptions { objects_synchronise: true, ..self.assumptions() };
            Causality::new(self.trace, assumptions)
        })
    }

    fn widened(&self) -> &Causality<'t> {
        self.widened.get_or_init(|| {
            Causality::new(self.trace, Assumptions { widened: true, ..self.assumptions() })
        })
    }

    fn synchronised(&self) -> &Causality<'t> {
        self.synchronised.get_or_init(|| {
            let widest = Assumptions { widened: true, ..self.assumptions() };
            Causality::new(self.trace, Assumptions { all_synchronise: true, ..widest })
        })
    }

    fn assumptions(&self) -> Assumptions {
        let fence_sc_orders = self.choices.fence_sc_orders;
        Assumptions { fence_sc_orders, ..Assumptions::default() }
    }
}

/// Whether both are plain stores of the same bytes to the same place.
fn stores_the_same(one: &Operation, other: &Operation) -> bool {
    let is_store = |side: &Operation| side.role == Role::Access(AccessKind::Write);
    is_store(one)
        && is_store(other)
        && one.same_place(other)
        && one.value.is_some()
        && one.value == other.value
}
