//! Barriers in memory.

use super::memory::take_space;
use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::{AsyncOp, MbarrierOp, Predicate, Type};
use warpsan_model::{Order, Scope, Strength};
use warpsan_ptx::{Instruction, Operand};

type Guard = Option<(Predicate, bool)>;

impl<'a> Lowerer<'a> {
    /// All instructions on `mbarrier` objects.
    pub(super) fn mbarrier(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let name = instruction.mnemonic.row.map_or("", |row| row.name);
        let mut words = Modifiers::after_name(instruction);
        let expects = words.take("expect_tx");
        let no_complete = words.take("noComplete");
        let no_increment = words.take("noinc");
        let by_parity = words.take("parity");
        let order = words.take_order();
        let scope = words.take_scope().unwrap_or(Scope::Cta);
        let space = take_space(&mut words);
        words.take("b64");
        self.nothing_left(instruction, &words)?;
        let (op, barrier, default) = match (name, instruction.operands) {
            ("cp.async.mbarrier.arrive", [barrier]) => {
                let barrier = self.place(barrier, space, span)?;
                let op = AsyncOp::CopyArrive { barrier, no_increment };
                return self.push_async(instruction, guard, op);
            }
            ("mbarrier.pending_count", [to, state]) => {
                let to = self.register(to, span)?;
                let state = self.value(state, Type::B64, span)?;
                return self.push_async(instruction, guard, AsyncOp::PendingCount { to, state });
            }
            ("mbarrier.init", [barrier, count]) => {
                let count = self.value(count, Type::U32, span)?;
                (MbarrierOp::Init { count }, barrier, None)
            }
            ("mbarrier.inval", [barrier]) => (MbarrierOp::Invalidate, barrier, None),
            ("mbarrier.expect_tx", [barrier, bytes]) => {
                let bytes = self.value(bytes, Type::U32, span)?;
                (MbarrierOp::ExpectTransaction { bytes }, barrier, Some(Order::Relaxed))
            }
            ("mbarrier.complete_tx", [barrier, bytes]) => {
                let bytes = self.value(bytes, Type::U32, span)?;
                (MbarrierOp::CompleteTransaction { bytes }, barrier, Some(Order::Relaxed))
            }
            ("mbarrier.arrive" | "mbarrier.arrive_drop", [to, barrier, amount @ ..])
                if amount.len() <= 1 =>
            {
                let to = match to {
                    Operand::Ignored => None,
                    to => Some(self.register(to, span)?),
                };
                let amount = match amount.first() {
                    Some(amount) => Some(self.value(amount, Type::U32, span)?),
                    None => None,
                };
                if (expects || no_complete) && amount.is_none() {
                    return self.malformed(instruction);
                }
                let (count, expect) = if expects { (None, amount) } else { (amount, None) };
                let drop = name == "mbarrier.arrive_drop";
                let op = MbarrierOp::Arrive { drop, to, count, expect, no_complete };
                (op, barrier, Some(Order::Release))
            }
            ("mbarrier.test_wait" | "mbarrier.try_wait", [to, barrier, phase, time @ ..])
                if time.len() <= usize::from(name == "mbarrier.try_wait") =>
            {
                let to = self.predicate(to, span)?;
                let ty = if by_parity { Type::U32 } else { Type::B64 };
                let phase = self.value(phase, ty, span)?;
                let may_sleep = name == "mbarrier.try_wait";
                let op = MbarrierOp::Wait { to, phase, by_parity, may_sleep };
                (op, barrier, Some(Order::Acquire))
            }
            _ => return self.malformed(instruction),
        };
        let strength = match default {
            Some(default) => Strength::Strong { order: order.unwrap_or(default), scope },
            None => Strength::Weak,
        };
        let barrier = self.place(barrier, space, span)?;
        self.push_async(instruction, guard, AsyncOp::Mbarrier { op, barrier, strength })
    }
}
