use super::modifiers::Modifiers;
use super::{CARRY, Lower, Lowerer};
use crate::{BinaryOp, ExtendedOp, FloatTest, Op, Predicate, TernaryOp, Type, UnaryOp, Value};
use warpsan_ptx::{Instruction, Operand};

type Guard = Option<(Predicate, bool)>;

/// Which of the shapes an arithmetic instruction has.
enum Shape {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Ternary(TernaryOp),
}

impl<'a> Lowerer<'a> {
    /// Everything that computes a value from one to three others.
    pub(super) fn arithmetic(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        if words.take("pred") {
            return self.predicate_logic(instruction, guard, &words);
        }
        let flush = words.take("ftz");
        let saturate = words.take("sat");
        // Nearest-even is what the engine computes. The approximations of the hardware may be off
        // by the manual's bounds, and the exact result is within them.
        for word in ["rn", "approx", "full"] {
            words.take(word);
        }
        let Some(shape) = self.shape(instruction, &mut words) else {
            return self.not_supported(instruction);
        };
        // `popc.b32`, `shl.b32`: the type is the last word; `mul.wide` reads the narrow type.
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let Some(ty) = ty else { return self.not_supported(instruction) };
        self.calculable(instruction, ty)?;
        let result = match (&shape, instruction.operands) {
            (Shape::Unary(_), _) if saturate => return self.not_supported(instruction),
            (Shape::Binary(BinaryOp::MulWide), _) if ty.widened().is_none() => {
                return self.malformed(instruction);
            }
            (Shape::Unary(op), [to, a]) => {
                let to = self.register(to, span)?;
                Op::Unary { op: *op, ty, flush, to, a: self.value(a, ty, span)? }
            }
            (Shape::Binary(op), [to, a, b]) => {
                let (to, a) = (self.register(to, span)?, self.value(a, ty, span)?);
                let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let b = self.value(b, if shift { Type::U32 } else { ty }, span)?;
                Op::Binary { op: *op, ty, flush, saturate, to, a, b }
            }
            (Shape::Ternary(op), [to, a, b, c, rest @ ..])
                if rest.len() == usize::from(matches!(op, TernaryOp::Lop3(_))) =>
            {
                let third = match op {
                    TernaryOp::MadWide => match ty.widened() {
                        Some(wide) => wide,
                        None => return self.malformed(instruction),
                    },
                    TernaryOp::Bfe => Type::U32,
                    _ => ty,
                };
                let second = if *op == TernaryOp::Bfe { Type::U32 } else { ty };
                let (to, a) = (self.register(to, span)?, self.value(a, ty, span)?);
                let (b, c) = (self.value(b, second, span)?, self.value(c, third, span)?);
                Op::Ternary { op: *op, ty, flush, saturate, to, a, b, c }
            }
            _ => return self.malformed(instruction),
        };
        self.push(span, guard, result).map(drop)
    }

    fn shape(&self, instruction: &Instruction<'a>, words: &mut Modifiers<'_>) -> Option<Shape> {
        let float = words.rest().iter().any(|word| matches!(*word, "f32" | "f64" | "f16"));
        let wide = words.take("wide");
        let high = words.take("hi");
        words.take("lo");
        Some(match instruction.opcode() {
            "neg" => Shape::Unary(UnaryOp::Neg),
            "abs" => Shape::Unary(UnaryOp::Abs),
            "not" => Shape::Unary(UnaryOp::Not),
            "cnot" => Shape::Unary(UnaryOp::Cnot),
            "popc" => Shape::Unary(UnaryOp::Popc),
            "clz" => Shape::Unary(UnaryOp::Clz),
            "brev" => Shape::Unary(UnaryOp::Brev),
            "bfind" if words.take("shiftamt") => Shape::Unary(UnaryOp::BfindShift),
            "bfind" => Shape::Unary(UnaryOp::Bfind),
            "sqrt" => Shape::Unary(UnaryOp::Sqrt),
            "rcp" => Shape::Unary(UnaryOp::Rcp),
            "rsqrt" => Shape::Unary(UnaryOp::Rsqrt),
            "sin" => Shape::Unary(UnaryOp::Sin),
            "cos" => Shape::Unary(UnaryOp::Cos),
            "ex2" => Shape::Unary(UnaryOp::Ex2),
            "lg2" => Shape::Unary(UnaryOp::Lg2),
            "add" => Shape::Binary(BinaryOp::Add),
            "sub" => Shape::Binary(BinaryOp::Sub),
            "mul" if wide => Shape::Binary(BinaryOp::MulWide),
            "mul" if high => Shape::Binary(BinaryOp::MulHi),
            "mul" => Shape::Binary(BinaryOp::MulLo),
            "mul24" if !high => Shape::Binary(BinaryOp::Mul24Lo),
            "div" => Shape::Binary(BinaryOp::Div),
            "rem" => Shape::Binary(BinaryOp::Rem),
            "min" => Shape::Binary(BinaryOp::Min),
            "max" => Shape::Binary(BinaryOp::Max),
            "and" => Shape::Binary(BinaryOp::And),
            "or" => Shape::Binary(BinaryOp::Or),
            "xor" => Shape::Binary(BinaryOp::Xor),
            "shl" => Shape::Binary(BinaryOp::Shl),
            "shr" => Shape::Binary(BinaryOp::Shr),
            "copysign" => Shape::Binary(BinaryOp::Copysign),
            "bmsk" if words.take("clamp") => Shape::Binary(BinaryOp::BitMaskClamp),
            "bmsk" if words.take("wrap") => Shape::Binary(BinaryOp::BitMaskWrap),
            "fma" => Shape::Ternary(TernaryOp::Fma),
            "mad" if float => Shape::Ternary(TernaryOp::Fma),
            "mad" if wide => Shape::Ternary(TernaryOp::MadWide),
            "mad" if high => Shape::Ternary(TernaryOp::MadHi),
            "mad" => Shape::Ternary(TernaryOp::MadLo),
            "mad24" if !high => Shape::Ternary(TernaryOp::Mad24Lo),
            "sad" => Shape::Ternary(TernaryOp::Sad),
            "bfe" => Shape::Ternary(TernaryOp::Bfe),
            "prmt" => Shape::Ternary(TernaryOp::Prmt),
            "shf" => Shape::Ternary(match (words.take("l"), words.take("r"), words.take("wrap")) {
                (true, false, wrap) if wrap || words.take("clamp") => {
                    if wrap {
                        TernaryOp::ShfLeftWrap
                    } else {
                        TernaryOp::ShfLeftClamp
                    }
                }
                (false, true, wrap) if wrap || words.take("clamp") => {
                    if wrap {
                        TernaryOp::ShfRightWrap
                    } else {
                        TernaryOp::ShfRightClamp
                    }
                }
                _ => return None,
            }),
            "lop3" => match instruction.operands.get(4) {
                Some(Operand::Integer(table)) => {
                    Shape::Ternary(TernaryOp::Lop3(table.integer().unwrap_or_default() as u8))
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Arithmetic with the condition code.
    pub(super) fn extended(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let carry_out = words.take("cc").then_some(CARRY);
        let carry_in = instruction.opcode().ends_with('c').then_some(CARRY);
        let high = words.take("hi");
        words.take("lo");
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let op = match instruction.opcode() {
            "add" | "addc" => ExtendedOp::Add,
            "sub" | "subc" => ExtendedOp::Sub,
            _ if high => ExtendedOp::MadHi,
            _ => ExtendedOp::MadLo,
        };
        let (to, a, b, c) = match (op, instruction.operands) {
            (ExtendedOp::Add | ExtendedOp::Sub, [to, a, b]) => (to, a, b, None),
            (ExtendedOp::MadLo | ExtendedOp::MadHi, [to, a, b, c]) => (to, a, b, Some(c)),
            _ => return self.malformed(instruction),
        };
        let Some(ty) = ty.filter(|ty| !ty.is_float() && ty.bytes() >= 4) else {
            return self.malformed(instruction);
        };
        let to = self.register(to, span)?;
        let (a, b) = (self.value(a, ty, span)?, self.value(b, ty, span)?);
        let c = match c {
            Some(c) => self.value(c, ty, span)?,
            None => Value::Constant(0),
        };
        let op = Op::Extended { op, ty, to, a, b, c, carry_in, carry_out };
        self.push(span, guard, op).map(drop)
    }

    pub(super) fn bit_field_insert(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(ty), [to, a, b, c, d]) = (ty, instruction.operands) else {
            return self.malformed(instruction);
        };
        let to = self.register(to, span)?;
        let (a, b) = (self.value(a, ty, span)?, self.value(b, ty, span)?);
        let (c, d) = (self.value(c, Type::U32, span)?, self.value(d, Type::U32, span)?);
        self.push(span, guard, Op::BitFieldInsert { ty, to, a, b, c, d }).map(drop)
    }

    pub(super) fn test_float(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let test = words.take_map(|word| {
            Some(match word {
                "finite" => FloatTest::Finite,
                "infinite" => FloatTest::Infinite,
                "number" => FloatTest::Number,
                "notanumber" => FloatTest::NotANumber,
                "normal" => FloatTest::Normal,
                "subnormal" => FloatTest::Subnormal,
                _ => return None,
            })
        });
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(test), Some(ty), [to, a]) = (test, ty, instruction.operands) else {
            return self.malformed(instruction);
        };
        let (to, a) = (self.predicate(to, span)?, self.value(a, ty, span)?);
        self.push(span, guard, Op::TestFloat { test, ty, to, a }).map(drop)
    }
}
