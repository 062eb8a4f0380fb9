//! Generic addresses, and addresses of other blocks of a cluster.

use super::memory::take_space;
use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::{Anchor, MemorySpace, Op, Predicate, Type, Value};
use warpsan_ptx::{Instruction, Operand};

type Guard = Option<(Predicate, bool)>;

impl<'a> Lowerer<'a> {
    /// `cvta` and `isspacep`: generic addresses.
    pub(super) fn generic_address(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let to_generic = !words.take("to");
        let space = take_space(&mut words);
        words.take_type();
        self.nothing_left(instruction, &words)?;
        let [to, from] = instruction.operands else {
            return self.malformed(instruction);
        };
        if space == MemorySpace::Generic {
            return self.malformed(instruction);
        }
        if instruction.opcode() == "isspacep" {
            let to = self.predicate(to, span)?;
            let address = self.value(from, Type::U64, span)?;
            return self.push(span, guard, Op::IsInSpace { space, to, address }).map(drop);
        }
        let to = self.register(to, span)?;
        let variable = match from {
            Operand::Name(name) => self.variable_address(name, span)?.map(|found| (found, 0)),
            Operand::NameOffset((name, offset)) => {
                self.variable_address(name, span)?.map(|found| (found, *offset))
            }
            _ => None,
        };
        let (space, from, anchor) = match variable {
            // A variable's own space is known better: a function's parameter is local memory.
            Some(((own, anchor, at), offset)) => {
                (own, Value::Constant(at.wrapping_add_signed(offset)), anchor)
            }
            None => (space, self.value(from, Type::U64, span)?, Anchor::Nothing),
        };
        let op = Op::ConvertAddress { space, to_generic, to, from };
        self.push_anchored(span, guard, op, anchor).map(drop)
    }

    /// `mapa`
    pub(super) fn map_address(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let generic = take_space(&mut words) == MemorySpace::Generic;
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(ty), [to, from, rank]) = (ty, instruction.operands) else {
            return self.malformed(instruction);
        };
        let to = self.register(to, span)?;
        let (from, rank) = (self.value(from, ty, span)?, self.value(rank, Type::U32, span)?);
        self.push(span, guard, Op::MapAddress { generic, to, from, rank }).map(drop)
    }

    /// `getctarank`
    pub(super) fn rank_of_address(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let generic = take_space(&mut words) == MemorySpace::Generic;
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(ty), [to, from]) = (ty, instruction.operands) else {
            return self.malformed(instruction);
        };
        let to = self.register(to, span)?;
        let from = self.value(from, ty, span)?;
        self.push(span, guard, Op::RankOfAddress { generic, to, from }).map(drop)
    }
}
