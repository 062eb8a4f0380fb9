//! Arithmetic and logic on registers.

use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::literal::literal_bits;
use crate::op::CARRY;
use crate::{
    BinaryOp, BoolOp, Compare, ExtendedOp, FloatTest, Mode, Op, PermuteMode, Predicate, Rounding,
    TernaryOp, Type, UnaryOp, Value,
};
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
        let mode = mode(&mut words);
        let Some(shape) = self.shape(instruction, &mut words) else {
            return self.not_supported(instruction);
        };
        // `popc.b32`, `shl.b32`: the type is the last word; `mul.wide` reads the narrow type.
        let ty = words.take_type();
        // A second type is that of the inputs that are not added.
        let narrow = words.take_type();
        self.nothing_left(instruction, &words)?;
        let Some(ty) = ty else { return self.not_supported(instruction) };
        let result = match (&shape, instruction.operands) {
            (Shape::Binary(BinaryOp::MulWide), _) if ty.widened().is_none() => {
                return self.malformed(instruction);
            }
            (Shape::Unary(op), [to, a]) if narrow.is_none() => {
                let to = self.register(to, span)?;
                Op::Unary { op: *op, ty, mode, to, a: self.value(a, ty, span)? }
            }
            (Shape::Binary(op), [to, a, b]) => {
                let to = self.register(to, span)?;
                let a = self.widened_value(instruction, a, narrow, ty)?;
                let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let b = self.value(b, if shift { Type::U32 } else { ty }, span)?;
                Op::Binary { op: *op, ty, mode, to, a, b }
            }
            (Shape::Ternary(op), [to, a, b, c]) => {
                let third = match op {
                    TernaryOp::MadWide => match ty.widened() {
                        Some(wide) => wide,
                        None => return self.malformed(instruction),
                    },
                    TernaryOp::Bfe => Type::U32,
                    _ => ty,
                };
                let second = if *op == TernaryOp::Bfe { Type::U32 } else { ty };
                let to = self.register(to, span)?;
                let a = self.widened_value(instruction, a, narrow, ty)?;
                let b = self.widened_value(instruction, b, narrow, second)?;
                let c = self.value(c, third, span)?;
                Op::Ternary { op: *op, ty, mode, to, a, b, c }
            }
            _ => return self.malformed(instruction),
        };
        self.push(span, guard, result).map(drop)
    }

    /// An operand of mixed precision: of half precision, where the others are of single.
    fn widened_value(
        &mut self,
        instruction: &Instruction<'a>,
        operand: &Operand<'a>,
        narrow: Option<Type>,
        ty: Type,
    ) -> Lower<Value> {
        let span = instruction.span;
        let Some(from_type) = narrow else { return self.value(operand, ty, span) };
        let adds = matches!(instruction.opcode(), "add" | "sub" | "fma");
        if !adds || ty != Type::F32 || !matches!(from_type, Type::F16 | Type::Bf16) {
            return self.malformed(instruction);
        }
        let from = self.value(operand, from_type, span)?;
        let to = self.take_registers(1, 32);
        let mode = Mode::default();
        let op = Op::Convert { from_type, to_type: ty, mode, integral: false, to, from };
        self.push(span, None, op)?;
        Ok(Value::Register(to))
    }

    fn shape(&self, instruction: &Instruction<'a>, words: &mut Modifiers<'_>) -> Option<Shape> {
        let opcode = instruction.opcode();
        let float = words.rest().iter().any(|word| matches!(*word, "f32" | "f64"));
        let wide = words.take("wide");
        let high = words.take("hi");
        words.take("lo");
        let unary = match opcode {
            "neg" => UnaryOp::Neg,
            "abs" => UnaryOp::Abs,
            "not" => UnaryOp::Not,
            "cnot" => UnaryOp::Cnot,
            "popc" => UnaryOp::Popc,
            "clz" => UnaryOp::Clz,
            "brev" => UnaryOp::Brev,
            "bfind" if words.take("shiftamt") => UnaryOp::BfindShift,
            "bfind" => UnaryOp::Bfind,
            "sqrt" => UnaryOp::Sqrt,
            "rcp" => UnaryOp::Rcp,
            "rsqrt" => UnaryOp::Rsqrt,
            "sin" => UnaryOp::Sin,
            "cos" => UnaryOp::Cos,
            "ex2" => UnaryOp::Ex2,
            "lg2" => UnaryOp::Lg2,
            "tanh" => UnaryOp::Tanh,
            _ => return self.wider_shape(instruction, words, (float, wide, high)),
        };
        Some(Shape::Unary(unary))
    }

    fn wider_shape(
        &self,
        instruction: &Instruction<'a>,
        words: &mut Modifiers<'_>,
        (float, wide, high): (bool, bool, bool),
    ) -> Option<Shape> {
        let three_inputs = instruction.operands.len() == 4;
        let clamp_or_wrap =
            |words: &mut Modifiers<'_>| match (words.take("clamp"), words.take("wrap")) {
                (true, false) => Some(false),
                (false, true) => Some(true),
                _ => None,
            };
        let binary = match instruction.opcode() {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "mul" if wide => BinaryOp::MulWide,
            "mul" if high => BinaryOp::MulHi,
            "mul" => BinaryOp::MulLo,
            "mul24" if high => BinaryOp::Mul24Hi,
            "mul24" => BinaryOp::Mul24Lo,
            "div" => BinaryOp::Div,
            "rem" => BinaryOp::Rem,
            "min" if three_inputs => return Some(Shape::Ternary(TernaryOp::Min3)),
            "max" if three_inputs => return Some(Shape::Ternary(TernaryOp::Max3)),
            "min" => BinaryOp::Min,
            "max" => BinaryOp::Max,
            "and" => BinaryOp::And,
            "or" => BinaryOp::Or,
            "xor" => BinaryOp::Xor,
            "shl" => BinaryOp::Shl,
            "shr" => BinaryOp::Shr,
            "copysign" => BinaryOp::Copysign,
            "bmsk" if clamp_or_wrap(words)? => BinaryOp::BitMaskWrap,
            "bmsk" => BinaryOp::BitMaskClamp,
            "szext" if clamp_or_wrap(words)? => BinaryOp::ExtendWrap,
            "szext" => BinaryOp::ExtendClamp,
            _ => {
                return Some(Shape::Ternary(match instruction.opcode() {
                    "fma" => TernaryOp::Fma,
                    "mad" if float => TernaryOp::Fma,
                    "mad" if wide => TernaryOp::MadWide,
                    "mad" if high => TernaryOp::MadHi,
                    "mad" => TernaryOp::MadLo,
                    "mad24" if high => TernaryOp::Mad24Hi,
                    "mad24" => TernaryOp::Mad24Lo,
                    "sad" => TernaryOp::Sad,
                    "bfe" => TernaryOp::Bfe,
                    "fns" => TernaryOp::Fns,
                    "prmt" => TernaryOp::Prmt(words.take_map(permute_mode).unwrap_or_default()),
                    "shf" => match (words.take("l"), words.take("r"), clamp_or_wrap(words)?) {
                        (true, false, true) => TernaryOp::ShfLeftWrap,
                        (true, false, false) => TernaryOp::ShfLeftClamp,
                        (false, true, true) => TernaryOp::ShfRightWrap,
                        (false, true, false) => TernaryOp::ShfRightClamp,
                        _ => return None,
                    },
                    _ => return None,
                }));
            }
        };
        Some(Shape::Binary(binary))
    }

    /// `dp4a` and `dp2a`: sums of products of parts.
    pub(super) fn dot_product(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let (upper, lower) = (words.take("hi"), words.take("lo"));
        let (a_type, b_type) = (words.take_type(), words.take_type());
        self.nothing_left(instruction, &words)?;
        let (Some(a_type), Some(b_type), [to, a, b, c]) = (a_type, b_type, instruction.operands)
        else {
            return self.malformed(instruction);
        };
        let (a_signed, b_signed) = (a_type.is_signed(), b_type.is_signed());
        let op = match (instruction.opcode(), upper || lower) {
            ("dp4a", false) => TernaryOp::Dp4a { a_signed, b_signed },
            ("dp2a", true) => TernaryOp::Dp2a { a_signed, b_signed, upper },
            _ => return self.malformed(instruction),
        };
        let ty = if a_signed || b_signed { Type::S32 } else { Type::U32 };
        let to = self.register(to, span)?;
        let (a, b) = (self.value(a, Type::B32, span)?, self.value(b, Type::B32, span)?);
        let c = self.value(c, ty, span)?;
        let op = Op::Ternary { op, ty, mode: Mode::default(), to, a, b, c };
        self.push(span, guard, op).map(drop)
    }

    /// `lop3`, with and without a predicate that says whether the result is zero.
    pub(super) fn logic_of_three(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let combine = words.take_map(|word| match word {
            "or" => Some(BoolOp::Or),
            "and" => Some(BoolOp::And),
            _ => None,
        });
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(ty), [to, a, b, c, table, by @ ..]) = (ty, instruction.operands) else {
            return self.malformed(instruction);
        };
        let Some(table) = literal_bits(table, Type::U8) else {
            return self.malformed(instruction);
        };
        let (to, predicate) = match (combine, to, by) {
            (None, to, []) => (to, None),
            (Some(op), Operand::Pair((to, predicate)), [by]) => (to, Some((op, predicate, by))),
            _ => return self.malformed(instruction),
        };
        let to = self.register(to, span)?;
        let (a, b) = (self.value(a, ty, span)?, self.value(b, ty, span)?);
        let c = self.value(c, ty, span)?;
        let op = TernaryOp::Lop3(table as u8);
        self.push(span, guard, Op::Ternary { op, ty, mode: Mode::default(), to, a, b, c })?;
        let Some((op, predicate, by)) = predicate else { return Ok(()) };
        let (by, negated) = self.condition(by, span)?;
        let op = Op::SetPredicate {
            compare: Compare::Ne,
            ty,
            flush: false,
            to: Some(self.predicate(predicate, span)?),
            complement: None,
            a: Value::Register(to),
            b: Value::Constant(0),
            combine: Some((op, by, negated)),
        };
        self.push(span, guard, op).map(drop)
    }

    /// Arithmetic with the condition code.
    pub(super) fn extended(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let carry_out = words.take("cc").then_some(CARRY);
        let takes_carry = matches!(instruction.opcode(), "addc" | "subc" | "madc");
        let carry_in = takes_carry.then_some(CARRY);
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

/// How a calculation rounds, saturates and so on.
fn mode(words: &mut Modifiers<'_>) -> Mode {
    let rounding = words.take_map(|word| {
        Some(match word {
            "rn" => Rounding::Nearest,
            "rz" => Rounding::Zero,
            "rm" => Rounding::Down,
            "rp" => Rounding::Up,
            _ => return None,
        })
    });
    let xorsign_abs = words.take("xorsign");
    let abs = words.take("abs");
    // `.full` has a bound of its own for all divisors, which rounding to nearest is within.
    words.take("full");
    Mode {
        rounding: rounding.unwrap_or_default(),
        flush: words.take("ftz"),
        saturate: words.take("sat"),
        saturate_finite: words.take("satfinite"),
        relu: words.take("relu"),
        nan: words.take("NaN"),
        xorsign_abs,
        abs: abs && !xorsign_abs,
        out_of_bounds: words.take("oob"),
        approximate: words.take("approx"),
    }
}

fn permute_mode(word: &str) -> Option<PermuteMode> {
    Some(match word {
        "f4e" => PermuteMode::F4e,
        "b4e" => PermuteMode::B4e,
        "rc8" => PermuteMode::Rc8,
        "ecl" => PermuteMode::Ecl,
        "ecr" => PermuteMode::Ecr,
        "rc16" => PermuteMode::Rc16,
        _ => return None,
    })
}
