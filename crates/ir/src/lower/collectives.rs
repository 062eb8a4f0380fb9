//! Operations of the lanes of a warp on each other's values.

use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::{Mode, Op, Predicate, ReduxOp, Register, ShuffleMode, Type, Value, VoteMode};
use warpsan_ptx::{Instruction, Operand, Span};

type Guard = Option<(Predicate, bool)>;

impl<'a> Lowerer<'a> {
    pub(super) fn shuffle(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let synchronised = words.take("sync");
        let mode = words.take_map(|word| {
            Some(match word {
                "up" => ShuffleMode::Up,
                "down" => ShuffleMode::Down,
                "bfly" => ShuffleMode::Bfly,
                "idx" => ShuffleMode::Idx,
                _ => return None,
            })
        });
        words.take("b32");
        self.nothing_left(instruction, &words)?;
        let Some(mode) = mode else { return self.malformed(instruction) };
        let (to, from, by, clamp, mask) = match (synchronised, instruction.operands) {
            (true, [to, from, by, clamp, mask]) => (to, from, by, clamp, Some(mask)),
            (false, [to, from, by, clamp]) => (to, from, by, clamp, None),
            _ => return self.malformed(instruction),
        };
        let (to, valid) = self.register_and_predicate(to, span)?;
        let from = self.value(from, Type::B32, span)?;
        let by = self.value(by, Type::B32, span)?;
        let clamp = self.value(clamp, Type::B32, span)?;
        let mask = self.optional_mask(mask, span)?;
        let op = Op::Shuffle { mode, to, valid, from, by, clamp, mask };
        self.push(span, guard, op).map(drop)
    }

    pub(super) fn vote(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let synchronised = words.take("sync");
        let mode = words.take_map(|word| {
            Some(match word {
                "all" => VoteMode::All,
                "any" => VoteMode::Any,
                "uni" => VoteMode::Uni,
                "ballot" => VoteMode::Ballot,
                _ => return None,
            })
        });
        if !words.take("pred") {
            words.take_type();
        }
        self.nothing_left(instruction, &words)?;
        let Some(mode) = mode else { return self.malformed(instruction) };
        let (to, of, mask) = match (synchronised, instruction.operands) {
            (true, [to, of, mask]) => (to, of, Some(mask)),
            (false, [to, of]) => (to, of, None),
            _ => return self.malformed(instruction),
        };
        let of = self.condition(of, span)?;
        let (to_predicate, to_register) = match mode {
            VoteMode::Ballot => (None, Some(self.register(to, span)?)),
            _ => (Some(self.predicate(to, span)?), None),
        };
        let mask = self.optional_mask(mask, span)?;
        let op = Op::Vote { mode, to_predicate, to_register, of, mask };
        self.push(span, guard, op).map(drop)
    }

    /// `match.any.sync` and `match.all.sync`
    pub(super) fn match_lanes(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        words.take("sync");
        let (any, all) = (words.take("any"), words.take("all"));
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(ty), true, [to, value, mask]) = (ty, any != all, instruction.operands) else {
            return self.malformed(instruction);
        };
        let (to, valid) = self.register_and_predicate(to, span)?;
        let value = self.value(value, ty, span)?;
        let mask = self.value(mask, Type::B32, span)?;
        self.push(span, guard, Op::Match { all, to, valid, value, ty, mask }).map(drop)
    }

    /// `redux.sync`
    pub(super) fn redux(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        words.take("sync");
        let op = words.take_map(|word| {
            Some(match word {
                "add" => ReduxOp::Add,
                "min" => ReduxOp::Min,
                "max" => ReduxOp::Max,
                "and" => ReduxOp::And,
                "or" => ReduxOp::Or,
                "xor" => ReduxOp::Xor,
                _ => return None,
            })
        });
        let mode = Mode { abs: words.take("abs"), nan: words.take("NaN"), ..Mode::default() };
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(op), Some(ty), [to, from, mask]) = (op, ty, instruction.operands) else {
            return self.malformed(instruction);
        };
        let to = self.register(to, span)?;
        let from = self.value(from, ty, span)?;
        let mask = self.value(mask, Type::B32, span)?;
        self.push(span, guard, Op::Redux { op, ty, mode, to, from, mask }).map(drop)
    }

    /// `elect.sync`
    pub(super) fn elect(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let [Operand::Pair((to, elected)), mask] = instruction.operands else {
            return self.malformed(instruction);
        };
        let to = match to {
            Operand::Ignored => None,
            to => Some(self.register(to, span)?),
        };
        let elected = self.predicate(elected, span)?;
        let mask = self.value(mask, Type::B32, span)?;
        self.push(span, guard, Op::Elect { to, elected, mask }).map(drop)
    }

    pub(super) fn active_mask(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let [to] = instruction.operands else { return self.malformed(instruction) };
        let to = self.register(to, instruction.span)?;
        self.push(instruction.span, guard, Op::ActiveMask { to }).map(drop)
    }

    /// `d` or `d|p`
    fn register_and_predicate(
        &mut self,
        operand: &Operand<'a>,
        span: Span,
    ) -> Lower<(Register, Option<Predicate>)> {
        match operand {
            Operand::Pair((to, Operand::Ignored)) => Ok((self.register(to, span)?, None)),
            Operand::Pair((to, valid)) => {
                Ok((self.register(to, span)?, Some(self.predicate(valid, span)?)))
            }
            to => Ok((self.register(to, span)?, None)),
        }
    }

    fn optional_mask(&mut self, mask: Option<&Operand<'a>>, span: Span) -> Lower<Option<Value>> {
        match mask {
            Some(mask) => self.value(mask, Type::B32, span).map(Some),
            None => Ok(None),
        }
    }
}
