use super::memory::take_space;
use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::{Anchor, BarrierOp, MemorySpace, Op, Predicate, ShuffleMode, Type, Value, VoteMode};
use warpsan_model::Order;
use warpsan_ptx::{Instruction, Operand};

type Guard = Option<(Predicate, bool)>;

impl<'a> Lowerer<'a> {
    /// `membar.gl`, `fence.acq_rel.gpu`, …
    pub(super) fn fence(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let mut words = Modifiers::new(instruction.modifiers());
        let default = if instruction.opcode() == "membar" { Order::SeqCst } else { Order::AcqRel };
        let order = words.take_order().unwrap_or(default);
        let scope = words.take_scope();
        self.nothing_left(instruction, &words)?;
        let Some(scope) = scope else { return self.malformed(instruction) };
        self.push(instruction.span, guard, Op::Fence { order, scope }).map(drop)
    }

    /// `bar` and `barrier`, of a block or of a warp.
    pub(super) fn barrier(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        if instruction.opcode() == "bar" && words.take("warp") {
            words.take("sync");
            self.nothing_left(instruction, &words)?;
            let [mask] = instruction.operands else {
                return self.malformed(instruction);
            };
            let mask = self.value(mask, Type::B32, span)?;
            return self.push(span, guard, Op::WarpBarrier { mask }).map(drop);
        }
        let aligned = instruction.opcode() == "bar" || words.take("aligned");
        words.take("cta");
        words.take("sync");
        let reduces = words.take("red");
        let reduction = words.take_map(|word| match word {
            "popc" => Some(None),
            "and" => Some(Some(true)),
            "or" => Some(Some(false)),
            _ => None,
        });
        if reduces && !words.take("pred") {
            words.take_type();
        }
        self.nothing_left(instruction, &words)?;
        let mut operands = instruction.operands;
        let op = match (reduction, operands) {
            (None, _) => BarrierOp::Sync,
            (Some(kind), [to, rest @ .., of]) => {
                operands = rest;
                let of = self.condition(of, span)?;
                match kind {
                    None => BarrierOp::Popc { to: self.register(to, span)?, of },
                    Some(and) => BarrierOp::Combine { and, to: self.predicate(to, span)?, of },
                }
            }
            _ => return self.malformed(instruction),
        };
        let (barrier, threads) = match operands {
            [barrier] => (self.value(barrier, Type::U32, span)?, None),
            [barrier, threads] => {
                (self.value(barrier, Type::U32, span)?, Some(self.value(threads, Type::U32, span)?))
            }
            _ => return self.malformed(instruction),
        };
        let op = Op::BlockBarrier { op, barrier, threads, aligned };
        self.push(span, guard, op).map(drop)
    }

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
        let (true, Some(mode), [to, from, by, clamp, mask]) =
            (synchronised, mode, instruction.operands)
        else {
            return self.malformed(instruction);
        };
        let (to, valid) = match to {
            Operand::Pair((to, valid)) => {
                (self.register(to, span)?, Some(self.predicate(valid, span)?))
            }
            to => (self.register(to, span)?, None),
        };
        let from = self.value(from, Type::B32, span)?;
        let by = self.value(by, Type::B32, span)?;
        let clamp = self.value(clamp, Type::B32, span)?;
        let mask = self.value(mask, Type::B32, span)?;
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
        let (true, Some(mode), [to, of, mask]) = (synchronised, mode, instruction.operands) else {
            return self.malformed(instruction);
        };
        let of = match of {
            // `vote.sync.all.pred p, 1, mask` asks who is there.
            Operand::Integer(bit) => {
                let constant = self.take_predicates(1);
                let value = bit.integer() != Some(0);
                self.push(span, guard, Op::ConstantPredicate { to: constant, value })?;
                (constant, false)
            }
            other => self.condition(other, span)?,
        };
        let (to_predicate, to_register) = match mode {
            VoteMode::Ballot => (None, Some(self.register(to, span)?)),
            _ => (Some(self.predicate(to, span)?), None),
        };
        let mask = self.value(mask, Type::B32, span)?;
        let op = Op::Vote { mode, to_predicate, to_register, of, mask };
        self.push(span, guard, op).map(drop)
    }

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
            // Constant variables lie among the others, so this question has no answer.
            if space == MemorySpace::Const {
                return self.not_supported(instruction);
            }
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
        let (from, anchor) = match variable {
            Some(((_, anchor, at), offset)) => {
                (Value::Constant(at.wrapping_add_signed(offset)), anchor)
            }
            None => (self.value(from, Type::U64, span)?, Anchor::Nothing),
        };
        let op = Op::ConvertAddress { space, to_generic, to, from };
        self.push_anchored(span, guard, op, anchor).map(drop)
    }
}
