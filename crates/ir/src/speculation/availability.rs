//! What a predicate will be later, said with what is known at a load.
//!
//! A gate behind the load may use a predicate that is computed behind it. Where that computation
//! depends only on what the load already finds, it is repeated in front of the load.

use super::condition::{Condition, Literal};
use super::flow::Flow;
use crate::op::CARRY;
use crate::operands::{Accesses, OperandVisitor, visit};
use crate::{
    BinaryOp, BoolOp, Compare, MemorySpace, Name, Op, Predicate, Register, Special, Type, Value,
};
use std::collections::HashMap;

/// A computation that is longer than this is not repeated.
const DEEPEST: usize = 16;
const MOST_REPEATED: usize = 48;
/// How many values that are joined bit by bit are looked into, one inside the other.
const DEEPEST_JOIN: usize = 4;

/// What is known at one load.
pub(super) struct Availability<'f> {
    flow: &'f Flow<'f>,
    /// The load.
    load: usize,
    /// Instructions to run in front of the load, with the original each repeats.
    pub(super) repeated: Vec<(Op, Option<usize>)>,
    /// The fresh names of what an instruction computes, by instruction and original name.
    fresh: HashMap<(usize, Name), Name>,
    zeros: HashMap<Name, Predicate>,
    pub(super) registers: u32,
    pub(super) predicates: u32,
}

impl<'f> Availability<'f> {
    pub(super) fn new(flow: &'f Flow<'f>, load: usize, registers: u32, predicates: u32) -> Self {
        Availability {
            flow,
            load,
            repeated: Vec::new(),
            fresh: HashMap::new(),
            zeros: HashMap::new(),
            registers,
            predicates,
        }
    }

    /// A condition that holds at the load wherever this literal will hold just before `at`. Where
    /// that cannot be said, it is "always".
    pub(super) fn literal(&mut self, literal: Literal, at: usize) -> Condition {
        self.literal_within(literal, at, DEEPEST)
    }

    fn literal_within(
        &mut self,
        (predicate, negated): Literal,
        at: usize,
        depth: usize,
    ) -> Condition {
        let name = Name::Predicate(predicate.0);
        let Some(definition) = self.flow.definition(name, at) else { return Condition::always() };
        if depth == 0 {
            return Condition::always();
        }
        if let Some(Name::Predicate(known)) = self.value(name, at, depth) {
            return Condition::literal((Predicate(known), negated));
        }
        // Not known as a whole: perhaps a part of it is.
        let inner = depth - 1;
        match self.flow.code[definition].op {
            Op::MovePredicate { from: (from, inverse), .. } => {
                self.literal_within((from, inverse ^ negated), definition, inner)
            }
            Op::ConstantPredicate { value, .. } if value != negated => Condition::always(),
            Op::ConstantPredicate { .. } => Condition::never(),
            Op::PredicateLogic { op, a, b, .. } => {
                let mut part = |(predicate, inverse): Literal, negated: bool| {
                    self.literal_within((predicate, inverse ^ negated), definition, inner)
                };
                match (op, negated) {
                    (BoolOp::And, false) | (BoolOp::Or, true) => {
                        part(a, negated).and(&part(b, negated))
                    }
                    (BoolOp::Or, false) | (BoolOp::And, true) => {
                        part(a, negated).or(part(b, negated))
                    }
                    (BoolOp::Xor, _) => Condition::always(),
                }
            }
            // `(a | b) == 0` is not known, but says that both are zero.
            Op::SetPredicate {
                compare: compare @ (Compare::Eq | Compare::Ne),
                ty,
                to,
                a: Value::Register(a),
                b: Value::Constant(0),
                combine: None,
                ..
            } if to == Some(predicate) && (compare == Compare::Ne) == negated && !ty.is_float() => {
                self.zero_parts(Name::Register(a.number), ty.bits(), definition, DEEPEST_JOIN)
            }
            // The comparison itself is not known, what it is combined with may be.
            Op::SetPredicate { to, combine: Some((op, by, inverse)), .. }
                if to == Some(predicate) =>
            {
                match (op, negated) {
                    (BoolOp::And, false) => self.literal_within((by, inverse), definition, inner),
                    (BoolOp::Or, true) => self.literal_within((by, !inverse), definition, inner),
                    _ => Condition::always(),
                }
            }
            _ => Condition::always(),
        }
    }

    /// A condition that holds at the load where this register will be zero just before `at`.
    pub(super) fn zero(&mut self, value: Value, ty: Type, at: usize) -> Condition {
        self.zero_within(value, ty, at, DEEPEST_JOIN)
    }

    fn zero_within(&mut self, value: Value, ty: Type, at: usize, depth: usize) -> Condition {
        let register = match value {
            Value::Constant(0) => return Condition::always(),
            Value::Constant(_) => return Condition::never(),
            Value::Register(register) => register,
        };
        let name = Name::Register(register.number);
        let Some(known) = self.value(name, at, DEEPEST) else {
            return self.zero_parts(name, ty.bits(), at, depth);
        };
        if let Some(predicate) = self.zeros.get(&known) {
            return Condition::literal((*predicate, false));
        }
        let Name::Register(number) = known else { return Condition::always() };
        let to = self.fresh_predicate();
        self.repeated.push((
            Op::SetPredicate {
                compare: Compare::Eq,
                ty,
                flush: false,
                to: Some(to),
                complement: None,
                a: Value::Register(Register { number, ..register }),
                b: Value::Constant(0),
                combine: None,
            },
            None,
        ));
        self.zeros.insert(known, to);
        Condition::literal((to, false))
    }

    /// Where a value that is not known will be zero: if it joins others bit by bit, all of them are.
    fn zero_parts(&mut self, name: Name, bits: u32, at: usize, depth: usize) -> Condition {
        let definition = self.flow.definition(name, at).filter(|_| depth > 0);
        let op = definition.map(|definition| (definition, &self.flow.code[definition].op));
        let Some((definition, Op::Binary { op: BinaryOp::Or, a, b, ty, .. })) = op else {
            return Condition::always();
        };
        let (a, b, ty) = (*a, *b, *ty);
        if ty.bits() != bits {
            return Condition::always();
        }
        let inner = depth - 1;
        let zero = self.zero_within(a, ty, definition, inner);
        zero.and(&self.zero_within(b, ty, definition, inner))
    }

    fn fresh_predicate(&mut self) -> Predicate {
        self.predicates += 1;
        Predicate(self.predicates - 1)
    }

    /// The name that holds, at the load, the value that `name` will have just before `at`.
    fn value(&mut self, name: Name, at: usize, depth: usize) -> Option<Name> {
        let before = (self.repeated.len(), self.registers, self.predicates);
        let found = self.try_value(name, at, depth);
        if found.is_none() {
            self.repeated.truncate(before.0);
            (self.registers, self.predicates) = (before.1, before.2);
            let kept = |fresh: &Name| match fresh {
                Name::Register(number) => *number < before.1,
                Name::Predicate(number) => *number < before.2,
            };
            self.fresh.retain(|_, fresh| kept(fresh));
        }
        found
    }

    fn try_value(&mut self, name: Name, at: usize, depth: usize) -> Option<Name> {
        if name == Name::Predicate(CARRY.0) {
            return None;
        }
        let definition = self.flow.definition(name, at)?;
        let there_already = self.flow.definition(name, self.load) == Some(definition)
            && !self.flow.runs_between(definition, self.load, at);
        if there_already {
            return Some(name);
        }
        if let Some(known) = self.fresh.get(&(definition, name)) {
            return Some(*known);
        }
        let op = &self.flow.code[definition].op;
        if depth == 0 || self.repeated.len() >= MOST_REPEATED || !can_be_repeated(op) {
            return None;
        }
        let mut repeat = op.clone();
        let mut rename =
            Rename { availability: self, definition, depth, results: Vec::new(), failed: false };
        visit(&mut repeat, &mut rename);
        let Rename { results, failed, .. } = rename;
        if failed {
            return None;
        }
        // The compiler repeats computations too, for example in every copy of an unrolled body.
        let same = self.repeated.iter().position(|(known, original)| {
            let anchor = |at: usize| self.flow.code[at].anchor;
            original.is_some_and(|original| anchor(original) == anchor(definition))
                && without_results(known) == without_results(&repeat)
        });
        if let Some(same) = same {
            let known = Accesses::of(&self.repeated[same].0).writes;
            let pairs = results.iter().zip(known);
            let fresh = pairs.map(|((name, _), known)| ((definition, *name), known));
            self.fresh.extend(fresh.collect::<Vec<_>>());
        } else {
            self.fresh.extend(results.into_iter().map(|(name, fresh)| ((definition, name), fresh)));
            self.repeated.push((repeat, Some(definition)));
        }
        self.fresh.get(&(definition, name)).copied()
    }
}

/// Puts the names at the load into an instruction that is repeated there.
struct Rename<'r, 'f> {
    availability: &'r mut Availability<'f>,
    definition: usize,
    depth: usize,
    /// The original and the fresh name of each result.
    results: Vec<(Name, Name)>,
    failed: bool,
}

impl Rename<'_, '_> {
    fn known(&mut self, name: Name) -> Option<Name> {
        let known = self.availability.try_value(name, self.definition, self.depth - 1);
        self.failed |= known.is_none();
        known
    }
}

impl OperandVisitor for Rename<'_, '_> {
    fn read(&mut self, register: &mut Register) {
        if let Some(Name::Register(number)) = self.known(Name::Register(register.number)) {
            register.number = number;
        }
    }

    fn write(&mut self, register: &mut Register) {
        let fresh = Register { number: self.availability.registers, ..*register };
        self.availability.registers += 1;
        self.results.push((Name::Register(register.number), Name::Register(fresh.number)));
        *register = fresh;
    }

    fn read_predicate(&mut self, predicate: &mut Predicate) {
        if let Some(Name::Predicate(number)) = self.known(Name::Predicate(predicate.0)) {
            predicate.0 = number;
        }
    }

    fn write_predicate(&mut self, predicate: &mut Predicate) {
        let fresh = self.availability.fresh_predicate();
        self.results.push((Name::Predicate(predicate.0), Name::Predicate(fresh.0)));
        *predicate = fresh;
    }
}

/// An operation with its results left open, to compare what two of them compute.
fn without_results(op: &Op) -> Op {
    struct Forget;
    impl OperandVisitor for Forget {
        fn read(&mut self, _: &mut Register) {}
        fn read_predicate(&mut self, _: &mut Predicate) {}
        fn write(&mut self, register: &mut Register) {
            register.number = 0;
        }
        fn write_predicate(&mut self, predicate: &mut Predicate) {
            predicate.0 = 0;
        }
    }
    let mut op = op.clone();
    visit(&mut op, &mut Forget);
    op
}

/// Whether an operation computes the same from the same operands, whenever it runs.
fn can_be_repeated(op: &Op) -> bool {
    match op {
        Op::Load { space, .. } => *space == MemorySpace::Param,
        Op::ReadSpecial { special, .. } => !matches!(
            special,
            Special::Clock
                | Special::ClockHigh
                | Special::Clock64
                | Special::Globaltimer
                | Special::GlobaltimerLow
                | Special::GlobaltimerHigh
                | Special::Warpid
                | Special::Smid
        ),
        Op::Extended { .. } => false,
        other => other.is_pure(),
    }
}
