//! `mov`, selection, and logic on predicates.

use super::modifiers::Modifiers;
use super::scope::Symbol;
use super::special_registers::of_dimension;
use super::{Lower, Lowerer};
use crate::literal::truncate;
use crate::{BoolOp, Op, Predicate, Special, Type, Value};
use warpsan_ptx::{Instruction, Operand, Span};

type Guard = Option<(Predicate, bool)>;

impl<'a> Lowerer<'a> {
    pub(super) fn move_value(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        if words.take("pred") {
            return self.predicate_logic(instruction, guard, &words);
        }
        let is_vector = words.take("v2") || words.take("v4");
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(ty), [to, from]) = (ty, instruction.operands) else {
            return self.not_supported(instruction);
        };
        if is_vector {
            return self.move_vector(instruction, guard, to, from, ty);
        }
        let op = match (self.is_vector(to), self.is_vector(from), from) {
            (true, true, _) => return self.move_vector(instruction, guard, to, from, ty),
            (true, false, _) => {
                let to = self.destinations(to, span)?;
                let part_bits = ty.bits() / to.len().max(1) as u32;
                Op::Unpack { to, from: self.value(from, ty, span)?, part_bits }
            }
            (false, true, _) => {
                let to = self.register(to, span)?;
                let mut parts = self.sources(from, ty, span)?;
                let part_bits = ty.bits() / parts.len().max(1) as u32;
                for part in &mut parts {
                    if let Value::Constant(constant) = part {
                        *constant = truncate(*constant, part_bits);
                    }
                }
                Op::Pack { to, parts, part_bits }
            }
            (_, _, Operand::Name(name)) => {
                return self.move_name(to, name, 0, ty, guard, span);
            }
            (_, _, Operand::NameOffset((name, offset))) => {
                return self.move_name(to, name, *offset, ty, guard, span);
            }
            _ => {
                let to = self.register(to, span)?;
                Op::Move { to, from: self.value(from, ty, span)? }
            }
        };
        self.push(span, guard, op).map(drop)
    }

    fn move_name(
        &mut self,
        to: &Operand<'a>,
        name: &'a str,
        offset: i64,
        ty: Type,
        guard: Guard,
        span: Span,
    ) -> Lower<()> {
        let to = self.register(to, span)?;
        let (op, anchor) = self.named_move(to, name, offset, ty, span)?;
        self.push_anchored(span, guard, op, anchor).map(drop)
    }

    /// Whether an operand is a vector: in braces, or the name of a vector register.
    fn is_vector(&self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Vector(_) => true,
            Operand::Name(name) => matches!(self.scopes.find(name), Some(Symbol::Vector(..))),
            _ => false,
        }
    }

    /// Element by element. The sources are read before anything is written.
    fn move_vector(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
        to: &Operand<'a>,
        from: &Operand<'a>,
        ty: Type,
    ) -> Lower<()> {
        let span = instruction.span;
        let to = self.destinations(to, span)?;
        if let Operand::Name(name) = from
            && let Some(special) = of_dimension(name)
        {
            for (dimension, to) in to.into_iter().enumerate() {
                let special = if dimension < 3 { special(dimension as u8) } else { Special::Zero };
                if let Some(to) = to {
                    self.push(span, guard, Op::ReadSpecial { to, special })?;
                }
            }
            return Ok(());
        }
        let mut from = self.sources(from, ty, span)?;
        if from.len() != to.len() {
            return self.malformed(instruction);
        }
        let overlaps = from
            .iter()
            .any(|value| to.iter().flatten().any(|register| *value == Value::Register(*register)));
        if overlaps {
            for value in &mut from {
                let copy = self.take_registers(1, ty.bits());
                self.push(span, None, Op::Move { to: copy, from: *value })?;
                *value = Value::Register(copy);
            }
        }
        for (to, from) in to.into_iter().zip(from) {
            if let Some(to) = to {
                self.push(span, guard, Op::Move { to, from })?;
            }
        }
        Ok(())
    }

    /// `mov.pred`, `and.pred`, `or.pred`, `xor.pred`, `not.pred`.
    pub(super) fn predicate_logic(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
        words: &Modifiers<'_>,
    ) -> Lower<()> {
        let span = instruction.span;
        self.nothing_left(instruction, words)?;
        let op = match (instruction.opcode(), instruction.operands) {
            ("mov", [to, Operand::Integer(bit)]) => {
                let value = bit.integer() != Some(0);
                Op::ConstantPredicate { to: self.predicate(to, span)?, value }
            }
            ("mov", [to, from]) => {
                let to = self.predicate(to, span)?;
                Op::MovePredicate { to, from: self.condition(from, span)? }
            }
            ("not", [to, from]) => {
                let to = self.predicate(to, span)?;
                let (from, negated) = self.condition(from, span)?;
                Op::MovePredicate { to, from: (from, !negated) }
            }
            ("and" | "or" | "xor", [to, a, b]) => {
                let op = match instruction.opcode() {
                    "and" => BoolOp::And,
                    "or" => BoolOp::Or,
                    _ => BoolOp::Xor,
                };
                let to = self.predicate(to, span)?;
                let (a, b) = (self.condition(a, span)?, self.condition(b, span)?);
                Op::PredicateLogic { op, to, a, b }
            }
            _ => return self.not_supported(instruction),
        };
        self.push(span, guard, op).map(drop)
    }

    pub(super) fn select(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(ty), [to, a, b, by]) = (ty, instruction.operands) else {
            return self.malformed(instruction);
        };
        let to = self.register(to, span)?;
        let (a, b) = (self.value(a, ty, span)?, self.value(b, ty, span)?);
        let by = self.condition(by, span)?;
        self.push(span, guard, Op::Select { to, a, b, by }).map(drop)
    }

    pub(super) fn select_by_sign(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let flush = words.take("ftz");
        let (ty, by) = (words.take_type(), words.take_type());
        self.nothing_left(instruction, &words)?;
        let (Some(ty), Some(by), [to, a, b, c]) = (ty, by, instruction.operands) else {
            return self.malformed(instruction);
        };
        let to = self.register(to, span)?;
        let (a, b) = (self.value(a, ty, span)?, self.value(b, ty, span)?);
        let c = self.value(c, by, span)?;
        self.push(span, guard, Op::SelectBySign { ty, by, flush, to, a, b, c }).map(drop)
    }
}
