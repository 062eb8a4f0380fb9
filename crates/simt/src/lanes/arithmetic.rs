//! From an operation to its function over lanes.

use super::{LaneFn, Maker, conversion, floats, halves, integers, moves};
use warpsan_ir::{BinaryOp, Op, Register, TernaryOp, Type, Value};

/// The operands that a function over lanes takes.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) to: Register,
    /// The operands in order, with the rows that a constant in their place takes.
    pub(crate) from: Vec<(Value, u8)>,
}

/// The function of an operation that computes one register from others, if it has one.
pub(crate) fn function(maker: Maker, op: &Op) -> Option<(LaneFn, Shape)> {
    let rows = |ty: Type| rows_of(ty.bits());
    Some(match op {
        Op::Move { to, from } => {
            let width = rows_of(u32::from(to.bits));
            (moves::copy(maker, width), Shape { to: *to, from: vec![(*from, width)] })
        }
        Op::Unary { op, ty, mode, to, a } => {
            let function = integers::unary(maker, *op, *ty)
                .or_else(|| floats::unary(maker, *op, *ty, mode))
                .or_else(|| halves::unary(maker, *op, *ty, mode))?;
            (function, Shape { to: *to, from: vec![(*a, rows(*ty))] })
        }
        Op::Binary { op, ty, mode, to, a, b } => {
            let function = integers::binary(maker, *op, *ty, mode)
                .or_else(|| floats::binary(maker, *op, *ty, mode))
                .or_else(|| halves::binary(maker, *op, *ty, mode))?;
            let second = match op {
                BinaryOp::Shl | BinaryOp::Shr => 1,
                _ => rows(*ty),
            };
            (function, Shape { to: *to, from: vec![(*a, rows(*ty)), (*b, second)] })
        }
        Op::Ternary { op: TernaryOp::Lop3(table), to, a, b, c, .. } => {
            // The table is the fourth operand, which constants have no room for: common ones have a
            // function of their own.
            let function = integers::lop3(maker, *table)?;
            (function, Shape { to: *to, from: vec![(*a, 1), (*b, 1), (*c, 1)] })
        }
        Op::Ternary { op, ty, mode, to, a, b, c } => {
            let function = integers::ternary(maker, *op, *ty, mode)
                .or_else(|| floats::ternary(maker, *op, *ty, mode))
                .or_else(|| halves::ternary(maker, *op, *ty, mode))?;
            let (second, third) = match op {
                TernaryOp::Bfe => (1, 1),
                TernaryOp::MadWide => (rows(*ty), rows(ty.widened()?)),
                _ => (rows(*ty), rows(*ty)),
            };
            let from = vec![(*a, rows(*ty)), (*b, second), (*c, third)];
            (function, Shape { to: *to, from })
        }
        Op::Convert { from_type, to_type, mode, integral, to, from } => {
            let from_rows = match from {
                Value::Register(register) => rows_of(u32::from(register.bits)),
                Value::Constant(_) => rows(*from_type),
            };
            let widths = (from_rows, to.bits);
            let function =
                conversion::function(maker, (*from_type, *to_type), mode, *integral, widths)?;
            (function, Shape { to: *to, from: vec![(*from, from_rows)] })
        }
        Op::ConvertPair { from_type, to_type, mode, to, high, low } => {
            let function = conversion::pair(maker, *from_type, *to_type, mode)?;
            (function, Shape { to: *to, from: vec![(*high, 1), (*low, 1)] })
        }
        _ => return None,
    })
}

/// Rows that a register of this width takes.
fn rows_of(bits: u32) -> u8 {
    match bits {
        0..=32 => 1,
        33..=64 => 2,
        _ => 4,
    }
}
