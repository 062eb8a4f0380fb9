use super::modifiers::Modifiers;
use super::operands::special;
use super::{Lower, Lowerer};
use crate::literal::truncate;
use crate::{BinaryOp, BoolOp, Compare, Op, Predicate, Rounding, Type, Value};
use warpsan_ptx::{Instruction, Operand};

type Guard = Option<(Predicate, bool)>;
type Combine = Option<(BoolOp, Predicate, bool)>;

impl<'a> Lowerer<'a> {
    pub(super) fn move_value(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        if words.take("pred") {
            return self.predicate_logic(instruction, guard, &words);
        }
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(ty), [to, from]) = (ty, instruction.operands) else {
            return self.not_supported(instruction);
        };
        let op = match (to, from) {
            (Operand::Vector(parts), from) => {
                let mut registers = Vec::new();
                for part in *parts {
                    registers.push(match part {
                        Operand::Ignored => None,
                        other => Some(self.register(other, span)?),
                    });
                }
                let part_bits = ty.bits() / registers.len().max(1) as u32;
                Op::Unpack { to: registers, from: self.value(from, ty, span)?, part_bits }
            }
            (to, Operand::Vector(parts)) => {
                let part_bits = ty.bits() / parts.len().max(1) as u32;
                let to = self.register(to, span)?;
                let mut values = Vec::new();
                for part in *parts {
                    values.push(self.value(part, ty, span)?);
                }
                Op::Pack { to, parts: values, part_bits }
            }
            (to, Operand::Name(name)) => {
                return self.move_name(instruction, guard, to, name, 0, ty);
            }
            (to, Operand::NameOffset((name, offset))) => {
                return self.move_name(instruction, guard, to, name, *offset, ty);
            }
            (to, from) => {
                let to = self.register(to, span)?;
                Op::Move { to, from: self.value(from, ty, span)? }
            }
        };
        self.push(span, guard, op).map(drop)
    }

    /// A register, a special register, or the address of a variable.
    fn move_name(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
        to: &Operand<'a>,
        name: &'a str,
        offset: i64,
        ty: Type,
    ) -> Lower<()> {
        let span = instruction.span;
        let to = self.register(to, span)?;
        if let Some(special) = special(name) {
            if offset != 0 {
                return self.malformed(instruction);
            }
            return self.push(span, guard, Op::ReadSpecial { to, special }).map(drop);
        }
        if let Some((_, anchor, at)) = self.variable_address(name, span)? {
            let from = Value::Constant(at.wrapping_add_signed(offset));
            return self.push_anchored(span, guard, Op::Move { to, from }, anchor).map(drop);
        }
        if name.starts_with('%') && self.scopes.find(name).is_none() {
            return self.unsupported(span, format!("the special register {name}"));
        }
        if self.index.function(name).is_some() {
            return self.unsupported(span, format!("a pointer to the function `{name}`"));
        }
        let from = self.value(&Operand::Name(name), ty, span)?;
        let op = match offset {
            0 => Op::Move { to, from },
            _ if ty.is_float() => return self.malformed(instruction),
            _ => Op::Binary {
                op: BinaryOp::Add,
                ty,
                flush: false,
                saturate: false,
                to,
                a: from,
                b: Value::Constant(truncate(offset as u64, ty.bits())),
            },
        };
        self.push(span, guard, op).map(drop)
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

    /// `setp` and `set`.
    pub(super) fn comparison(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let to_predicate = instruction.opcode() == "setp";
        let mut words = Modifiers::new(instruction.modifiers());
        let flush = words.take("ftz");
        let first = words.rest().first().copied();
        let Some(compare) = words.take_map(compare) else { return self.not_supported(instruction) };
        let combine_op = words.take_map(|word| {
            Some(match word {
                "and" => BoolOp::And,
                "or" => BoolOp::Or,
                "xor" => BoolOp::Xor,
                _ => return None,
            })
        });
        let result = if to_predicate { Some(Type::Pred) } else { words.take_type() };
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(result), Some(ty)) = (result, ty) else { return self.malformed(instruction) };
        self.calculable(instruction, ty)?;
        let for_floats = !matches!(
            compare,
            Compare::Eq | Compare::Ne | Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge
        );
        if for_floats && !ty.is_float() {
            return self.malformed(instruction);
        }
        // `lo`, `ls`, `hi`, `hs` are comparisons of unsigned values by name.
        let unsigned_name = first.is_some_and(|word| matches!(word, "lo" | "ls" | "hi" | "hs"));
        if unsigned_name && ty.is_signed() {
            return self.malformed(instruction);
        }
        let (to, a, b, combine) = match (combine_op, instruction.operands) {
            (None, [to, a, b]) => (to, a, b, None),
            (Some(op), [to, a, b, by]) => {
                let (by, negated) = self.condition(by, span)?;
                (to, a, b, Some((op, by, negated)))
            }
            _ => return self.malformed(instruction),
        };
        let (a, b) = (self.value(a, ty, span)?, self.value(b, ty, span)?);
        let combine: Combine = combine;
        let op = if to_predicate {
            let (to, complement) = match to {
                Operand::Pair((to, complement)) => {
                    (Some(self.predicate(to, span)?), Some(self.predicate(complement, span)?))
                }
                to => (Some(self.predicate(to, span)?), None),
            };
            Op::SetPredicate { compare, ty, flush, to, complement, a, b, combine }
        } else {
            let to = self.register(to, span)?;
            Op::SetValue { compare, result, ty, flush, to, a, b, combine }
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

    pub(super) fn convert(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let (flush, saturate) = (words.take("ftz"), words.take("sat"));
        let rounding = words.take_map(|word| {
            Some(match word {
                "rn" | "rni" => (Rounding::Nearest, word == "rni"),
                "rz" | "rzi" => (Rounding::Zero, word == "rzi"),
                "rm" | "rmi" => (Rounding::Down, word == "rmi"),
                "rp" | "rpi" => (Rounding::Up, word == "rpi"),
                _ => return None,
            })
        });
        let (to_type, from_type) = (words.take_type(), words.take_type());
        self.nothing_left(instruction, &words)?;
        let (Some(to_type), Some(from_type), [to, from]) =
            (to_type, from_type, instruction.operands)
        else {
            return self.malformed(instruction);
        };
        self.calculable(instruction, to_type)?;
        self.calculable(instruction, from_type)?;
        let integral = rounding.is_some_and(|(_, integral)| integral);
        let rounding = rounding.map(|(rounding, _)| rounding);
        // Directed rounding to a floating-point type is exact arithmetic that we do not do yet.
        let directed = !matches!(rounding, None | Some(Rounding::Nearest));
        if directed && to_type.is_float() && !integral {
            return self.not_supported(instruction);
        }
        let (to, to_bits) = self.register_with_width(to, span)?;
        let from = self.value(from, from_type, span)?;
        let op = Op::Convert {
            from_type,
            to_type,
            rounding,
            integral,
            saturate,
            flush,
            to,
            to_bits,
            from,
        };
        self.push(span, guard, op).map(drop)
    }
}

fn compare(word: &str) -> Option<Compare> {
    Some(match word {
        "eq" => Compare::Eq,
        "ne" => Compare::Ne,
        "lt" | "lo" => Compare::Lt,
        "le" | "ls" => Compare::Le,
        "gt" | "hi" => Compare::Gt,
        "ge" | "hs" => Compare::Ge,
        "equ" => Compare::EqUnordered,
        "neu" => Compare::NeUnordered,
        "ltu" => Compare::LtUnordered,
        "leu" => Compare::LeUnordered,
        "gtu" => Compare::GtUnordered,
        "geu" => Compare::GeUnordered,
        "num" => Compare::Num,
        "nan" => Compare::Nan,
        _ => return None,
    })
}
