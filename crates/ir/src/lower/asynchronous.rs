//! Copies that go on in the background, and what waits for them.

use super::memory::{atomic_op, take_space, take_vector, without_policy};
use super::modifiers::Modifiers;
use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::literal::literal_bits;
use crate::{AsyncOp, BulkEnd, MemorySpace, Op, Predicate, Type, Value};
use warpsan_ptx::{Instruction, Operand};

type Guard = Option<(Predicate, bool)>;

impl<'a> Lowerer<'a> {
    pub(super) fn push_async(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
        op: AsyncOp,
    ) -> Lower<()> {
        self.push(instruction.span, guard, Op::Async(Box::new(op))).map(drop)
    }

    /// `cp.async`
    pub(super) fn copy(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::after_name(instruction);
        words.drop_cache_hints();
        let (to_space, from_space) = (take_space(&mut words), take_space(&mut words));
        self.nothing_left(instruction, &words)?;
        let [to, from, bytes, rest @ ..] = without_policy(instruction) else {
            return self.malformed(instruction);
        };
        let bytes = match literal_bits(bytes, Type::U32) {
            Some(bytes @ (4 | 8 | 16)) => bytes as u32,
            _ => return self.malformed(instruction),
        };
        let (mut source_bytes, mut ignore_source) = (None, None);
        match rest {
            [] => {}
            [third] if self.is_predicate(third) => {
                ignore_source = Some(self.condition(third, span)?);
            }
            [third] => source_bytes = Some(self.value(third, Type::U32, span)?),
            _ => return self.malformed(instruction),
        }
        let to = self.place(to, to_space, span)?;
        let from = self.place(from, from_space, span)?;
        let op = AsyncOp::Copy { to, from, bytes, source_bytes, ignore_source };
        self.push_async(instruction, guard, op)
    }

    fn is_predicate(&self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Not(_) => true,
            Operand::Name(name) => matches!(self.scopes.find(name), Some(Symbol::Predicate(_))),
            _ => false,
        }
    }

    /// `cp.async.wait_group`, `cp.async.bulk.wait_group` and what has no operands.
    pub(super) fn copy_group(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let name = instruction.mnemonic.row.map_or("", |row| row.name);
        let mut words = Modifiers::after_name(instruction);
        let read = words.take("read");
        self.nothing_left(instruction, &words)?;
        let groups = match instruction.operands {
            [] => None,
            [groups] => literal_bits(groups, Type::U32).map(|groups| groups as u32),
            _ => return self.malformed(instruction),
        };
        let op = match (name, groups) {
            ("cp.async.commit_group", None) => AsyncOp::Commit,
            ("cp.async.wait_all", None) => AsyncOp::Wait { at_most: None },
            ("cp.async.wait_group", Some(_)) => AsyncOp::Wait { at_most: groups },
            ("cp.async.bulk.commit_group", None) => AsyncOp::BulkCommit,
            ("cp.async.bulk.wait_group", Some(at_most)) => AsyncOp::BulkWait { at_most, read },
            _ => return self.malformed(instruction),
        };
        self.push_async(instruction, guard, op)
    }

    /// `cp.async.bulk` and `cp.reduce.async.bulk`
    pub(super) fn bulk_copy(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::after_name(instruction);
        let has_policy = words.take("L2::cache_hint");
        let has_mask = words.take("cp_mask");
        let by_mbarrier = words.take("mbarrier::complete_tx::bytes");
        let by_group = words.take("bulk_group");
        let is_multicast = words.take("multicast::cluster");
        let (to_space, from_space) = (take_space(&mut words), take_space(&mut words));
        let reduce = match instruction.modifiers().contains(&"reduce") {
            true => {
                words.take("noftz");
                let Some(reduce) = words.take_map(atomic_op).zip(words.take_type()) else {
                    return self.malformed(instruction);
                };
                Some(reduce)
            }
            false => None,
        };
        self.nothing_left(instruction, &words)?;
        let [to, from, bytes, rest @ ..] = instruction.operands else {
            return self.malformed(instruction);
        };
        let mut rest = rest.iter();
        let barrier = if by_mbarrier { rest.next() } else { None };
        let multicast = if is_multicast { rest.next() } else { None };
        let policy = if has_policy { rest.next() } else { None };
        let byte_mask = if has_mask { rest.next() } else { None };
        let fits = rest.next().is_none()
            && by_mbarrier != by_group
            && by_mbarrier == barrier.is_some()
            && is_multicast == multicast.is_some()
            && has_policy == policy.is_some()
            && has_mask == byte_mask.is_some();
        if !fits || to_space == MemorySpace::Generic || from_space == MemorySpace::Generic {
            return self.malformed(instruction);
        }
        let end = match barrier {
            Some(barrier) => BulkEnd::Mbarrier(self.place(barrier, to_space, span)?),
            None => BulkEnd::Group,
        };
        let to = self.place(to, to_space, span)?;
        let from = self.place(from, from_space, span)?;
        let bytes = self.value(bytes, Type::U32, span)?;
        let mut mask = |mask: Option<&Operand<'a>>| match mask {
            Some(mask) => self.value(mask, Type::U16, span).map(Some),
            None => Ok(None),
        };
        let (multicast, byte_mask) = (mask(multicast)?, mask(byte_mask)?);
        let op = AsyncOp::Bulk { to, from, bytes, end, multicast, reduce, byte_mask };
        self.push_async(instruction, guard, op)
    }

    /// `st.async` and `red.async`
    pub(super) fn store_async(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::after_name(instruction);
        // The data become visible with the completion at the barrier, whatever is said here.
        words.take("weak");
        words.take_order();
        words.take_scope();
        let by_mbarrier = words.take("mbarrier::complete_tx::bytes");
        let space = take_space(&mut words);
        let elements = take_vector(&mut words);
        let reduce = match instruction.opcode() {
            "red" => match words.take_map(atomic_op) {
                Some(op) => Some(op),
                None => return self.malformed(instruction),
            },
            _ => None,
        };
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (true, Some(ty), [to, from, barrier]) = (by_mbarrier, ty, instruction.operands) else {
            return self.malformed(instruction);
        };
        let to = self.place(to, space, span)?;
        let barrier = self.place(barrier, space, span)?;
        let from = self.sources(from, ty, span)?;
        if from.len() != elements {
            return self.malformed(instruction);
        }
        self.push_async(instruction, guard, AsyncOp::Store { to, from, ty, barrier, reduce })
    }

    /// `st.bulk`
    pub(super) fn fill(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::after_name(instruction);
        words.take("weak");
        let space = take_space(&mut words);
        self.nothing_left(instruction, &words)?;
        let [to, bytes, zero] = instruction.operands else { return self.malformed(instruction) };
        if self.value(zero, Type::U64, span)? != Value::Constant(0) {
            return self.malformed(instruction);
        }
        let to = self.place(to, space, span)?;
        let bytes = self.value(bytes, Type::U64, span)?;
        self.push_async(instruction, guard, AsyncOp::Fill { to, bytes })
    }
}
