//! Under which condition anybody observes the value of a load.
//!
//! One unknown per value and place: `demand(name, at)` is the condition, at the load, under which the
//! value that `name` has behind instruction `at` reaches something with an effect. A pure instruction
//! passes the demand for its result on to its operands; `selp`, `and.pred` and `or.pred` pass it on
//! only where they choose that operand; a branch passes on what each side demands, where it goes
//! there. The unknowns start at "never" and grow until nothing changes.

use super::availability::Availability;
use super::condition::{Condition, Literal};
use super::flow::Flow;
use crate::{BinaryOp, BoolOp, Compare, Name, Op, Value};
use std::collections::HashMap;
use warpsan_model::Strength;

/// More unknowns or evaluations than this: the demand is "always".
const MOST_UNKNOWNS: usize = 2_000;
const MOST_EVALUATIONS: usize = 20_000;

/// The value of a name, behind an instruction or at the start of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum CodePoint {
    Behind(usize),
    StartOf(usize),
}

/// What lies between the load and a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Way {
    /// It passes the load again: what is known at one run of the load says nothing about the next.
    repeats: bool,
    /// It passes something that the compiler moves no load over, so no branch behind it was ever in
    /// front of the load.
    synchronises: bool,
}

impl Way {
    /// The way, gone on over an instruction.
    fn over(self, at: usize, load: usize, op: &Op) -> Way {
        Way {
            repeats: self.repeats || at == load,
            synchronises: self.synchronises || is_barrier_for_loads(op),
        }
    }
}

/// Whether the compiler moves no load over this.
fn is_barrier_for_loads(op: &Op) -> bool {
    match op {
        Op::Load { strength, .. } | Op::Store { strength, .. } => *strength != Strength::Weak,
        Op::Atomic { .. }
        | Op::AtomicVector { .. }
        | Op::Fence { .. }
        | Op::ProxyFence { .. }
        | Op::WaitForPrerequisites
        | Op::ClusterBarrier { .. }
        | Op::BlockBarrier { .. }
        | Op::WarpBarrier { .. }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Redux { .. }
        | Op::Elect { .. }
        | Op::ActiveMask { .. }
        | Op::Async(_)
        | Op::Matrix(_)
        | Op::Yield
        | Op::Call(_)
        | Op::CallSubroutine(_)
        | Op::System(_)
        | Op::Opaque(_) => true,
        _ => false,
    }
}

/// Which branches may narrow a demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Branches {
    /// Those inside of a loop that the load is not in: the load may have been moved out of it.
    OfLoopsBehindTheLoad,
    /// All.
    All,
}

/// The unknowns of one load.
struct Demand<'d, 'f> {
    flow: &'f Flow<'f>,
    availability: &'d mut Availability<'f>,
    load: usize,
    branches: Branches,
    unknowns: HashMap<(Name, CodePoint, Way), usize>,
    keys: Vec<(Name, CodePoint, Way)>,
    conditions: Vec<Condition>,
    /// Who asked for an unknown.
    dependents: Vec<Vec<usize>>,
    /// What is still to be evaluated, the newest last.
    open: Vec<usize>,
    is_open: Vec<bool>,
    current: usize,
    /// Whether an instruction that chooses between values narrowed anything.
    has_choice: bool,
}

/// The condition under which one of the names that the load at `at` writes is observed.
///
/// A branch alone is no sign of a speculated load: a program may well read first and then branch. It
/// counts where the load may have been moved out of the branch's loop, and where another use of the
/// value shows that the load was speculated.
pub(super) fn demand<'f>(
    flow: &'f Flow<'f>,
    availability: &mut Availability<'f>,
    at: usize,
) -> Condition {
    let (narrowed, _) = solve(flow, availability, at, Branches::OfLoopsBehindTheLoad);
    if !narrowed.is_always() {
        return narrowed;
    }
    match solve(flow, availability, at, Branches::All) {
        (narrowed, true) => narrowed,
        (_, false) => Condition::always(),
    }
}

/// The demand, and whether an instruction that chooses between values is part of the reason.
fn solve<'f>(
    flow: &'f Flow<'f>,
    availability: &mut Availability<'f>,
    load: usize,
    branches: Branches,
) -> (Condition, bool) {
    let mut demand = Demand {
        flow,
        availability,
        load,
        branches,
        unknowns: HashMap::new(),
        keys: Vec::new(),
        conditions: Vec::new(),
        dependents: Vec::new(),
        open: Vec::new(),
        is_open: Vec::new(),
        current: 0,
        has_choice: false,
    };
    let roots: Vec<usize> = flow
        .writes(load)
        .iter()
        .map(|name| demand.unknown(*name, CodePoint::Behind(load), Way::default()))
        .collect();
    if !demand.run() {
        return (Condition::always(), false);
    }
    let conditions = roots.into_iter().map(|root| demand.conditions[root].clone());
    (conditions.fold(Condition::never(), Condition::or), demand.has_choice)
}

impl Demand<'_, '_> {
    fn unknown(&mut self, name: Name, place: CodePoint, way: Way) -> usize {
        let next = self.keys.len();
        let number = *self.unknowns.entry((name, place, way)).or_insert(next);
        if number == next {
            self.keys.push((name, place, way));
            self.conditions.push(Condition::never());
            self.dependents.push(Vec::new());
            self.open.push(number);
            self.is_open.push(true);
        }
        number
    }

    /// Evaluates unknowns until nothing changes; false if that takes too long.
    fn run(&mut self) -> bool {
        for _ in 0..MOST_EVALUATIONS {
            let Some(number) = self.open.pop() else { return true };
            self.is_open[number] = false;
            self.current = number;
            let (name, place, way) = self.keys[number];
            let found = self.evaluate(name, place, way);
            if self.keys.len() > MOST_UNKNOWNS || self.flow.is_exhausted() {
                return false;
            }
            if found != self.conditions[number] {
                self.conditions[number] = found;
                for &dependent in &self.dependents[number] {
                    if !std::mem::replace(&mut self.is_open[dependent], true) {
                        self.open.push(dependent);
                    }
                }
            }
        }
        false
    }

    fn known(&mut self, name: Name, place: CodePoint, way: Way) -> Condition {
        let number = self.unknown(name, place, way);
        let current = self.current;
        if !self.dependents[number].contains(&current) {
            self.dependents[number].push(current);
        }
        self.conditions[number].clone()
    }

    /// What a literal says at the load, if the way there does not pass the load again.
    fn literal(&mut self, literal: Literal, at: usize, way: Way) -> Condition {
        if way.repeats { Condition::always() } else { self.availability.literal(literal, at) }
    }

    fn evaluate(&mut self, name: Name, place: CodePoint, mut way: Way) -> Condition {
        let (block, from) = match place {
            CodePoint::StartOf(block) => (block, self.flow.start(block)),
            CodePoint::Behind(at) => (self.flow.block_of(at), at + 1),
        };
        let mut condition = Condition::never();
        for at in from..self.flow.end(block) {
            self.flow.spend(1);
            if self.flow.reads(at).contains(&name) {
                condition = condition.or(self.use_of(name, at, way));
                if condition.is_always() {
                    return condition;
                }
            }
            way = way.over(at, self.load, &self.flow.code[at].op);
            let instruction = &self.flow.code[at];
            if self.flow.writes(at).contains(&name) && instruction.guard.is_none() {
                return condition;
            }
        }
        condition.or(self.behind(name, block, way))
    }

    /// What is demanded behind the end of a block.
    fn behind(&mut self, name: Name, block: usize, way: Way) -> Condition {
        let last = self.flow.end(block) - 1;
        if let (Some((taken, other)), Some(guard)) =
            (self.flow.ways(block), self.flow.code[last].guard)
        {
            let taken = self.known(name, CodePoint::StartOf(taken), way);
            let other = self.known(name, CodePoint::StartOf(other), way);
            if taken == other || way.synchronises || !self.may_narrow(block) {
                return taken.or(other);
            }
            let goes = self.literal(guard, last, way);
            let stays = self.literal((guard.0, !guard.1), last, way);
            return goes.and(&taken).or(stays.and(&other));
        }
        let flow = self.flow;
        flow.graph.successors(block).fold(Condition::never(), |sum, successor| {
            sum.or(self.known(name, CodePoint::StartOf(successor), way))
        })
    }

    /// Whether the branch at the end of a block may narrow the demand.
    fn may_narrow(&self, block: usize) -> bool {
        let home = self.flow.block_of(self.load);
        let loops_of = |block: usize| self.flow.loops.around(block).collect::<Vec<_>>();
        self.branches == Branches::All
            || self.flow.loops.innermost[block]
                .is_some_and(|inner| !loops_of(home).contains(&inner))
    }

    /// What an instruction that reads the name demands of it.
    fn use_of(&mut self, name: Name, at: usize, way: Way) -> Condition {
        let instruction = &self.flow.code[at];
        if !instruction.op.is_pure() {
            return match instruction.guard {
                // What stands behind a guard happens only where it holds, unless the guard itself
                // is what is asked for.
                Some(guard) if name != Name::Predicate(guard.0.0) => self.literal(guard, at, way),
                _ => Condition::always(),
            };
        }
        let mut condition = Condition::never();
        for result in self.flow.writes(at).to_vec() {
            condition = condition.or(self.known(result, CodePoint::Behind(at), way));
        }
        if condition.is_never() {
            return condition;
        }
        if let Some(guard) = instruction.guard {
            if name == Name::Predicate(guard.0.0) {
                return condition;
            }
            condition = condition.and(&self.literal(guard, at, way));
        }
        let gate = self.gate(name, at, way);
        self.has_choice |= !gate.is_always();
        condition.and(&gate)
    }

    /// Where a pure instruction takes the value of this operand into account.
    fn gate(&mut self, name: Name, at: usize, way: Way) -> Condition {
        if way.repeats {
            return Condition::always();
        }
        let is = |value: &Value| value_name(value) == Some(name);
        let predicate =
            |condition: &(crate::Predicate, bool)| Name::Predicate(condition.0.0) == name;
        match &self.flow.code[at].op {
            Op::Select { a, b, by, .. } if !predicate(by) => match (is(a), is(b)) {
                (true, false) => self.availability.literal(*by, at),
                (false, true) => self.availability.literal((by.0, !by.1), at),
                _ => Condition::always(),
            },
            Op::PredicateLogic { op, a, b, .. } => {
                let other = match (predicate(a), predicate(b)) {
                    (true, false) => *b,
                    (false, true) => *a,
                    _ => return Condition::always(),
                };
                match op {
                    BoolOp::And => self.availability.literal(other, at),
                    BoolOp::Or => self.availability.literal((other.0, !other.1), at),
                    BoolOp::Xor => Condition::always(),
                }
            }
            Op::SetPredicate { combine: Some((op, by, negated)), .. }
            | Op::SetValue { combine: Some((op, by, negated)), .. }
                if Name::Predicate(by.0) != name =>
            {
                match op {
                    BoolOp::And => self.availability.literal((*by, *negated), at),
                    BoolOp::Or => self.availability.literal((*by, !*negated), at),
                    BoolOp::Xor => Condition::always(),
                }
            }
            // `a == 0 && b == 0` comes as `(a | b) == 0`.
            Op::Binary { op: BinaryOp::Or, a, b, to, ty, .. } if is(a) != is(b) => {
                if !self.only_compared_with_zero(Name::Register(to.number), at, ty.bits(), 4) {
                    return Condition::always();
                }
                let other = if is(a) { *b } else { *a };
                self.availability.zero(other, *ty, at)
            }
            _ => Condition::always(),
        }
    }

    /// Whether a value is used only to see whether it is zero, by itself or joined with others.
    fn only_compared_with_zero(&self, name: Name, at: usize, bits: u32, depth: usize) -> bool {
        let Some(readers) = self.flow.readers(name, at) else { return false };
        readers.into_iter().all(|reader| match &self.flow.code[reader].op {
            // Of floating-point numbers, a zero has a sign.
            Op::SetPredicate { compare: Compare::Eq | Compare::Ne, ty, a, b, .. }
                if !ty.is_float() && ty.bits() == bits =>
            {
                let zero = Value::Constant(0);
                (value_name(a) == Some(name) && *b == zero)
                    || (value_name(b) == Some(name) && *a == zero)
            }
            Op::Binary { op: BinaryOp::Or, to, ty, .. } if ty.bits() == bits && depth > 0 => {
                self.only_compared_with_zero(Name::Register(to.number), reader, bits, depth - 1)
            }
            _ => false,
        })
    }
}

fn value_name(value: &Value) -> Option<Name> {
    match value {
        Value::Register(register) => Some(Name::Register(register.number)),
        Value::Constant(_) => None,
    }
}
