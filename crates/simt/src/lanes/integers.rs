//! Integers: one and two operands. What no processor has as a vector instruction goes lane by lane.

mod logic;
mod three;

#[cfg(test)]
pub(super) mod tests;

pub(crate) use logic::lop3;
pub(crate) use three::ternary;

use super::{LaneFn, Maker};
use crate::numerics::{ShiftMode, bits, integer, packed_integer};
use warpsan_ir::{BinaryOp, Mode, Type, UnaryOp};

/// One closure for several types:
/// `by_type!(ty, maker.two, U16 | S16: u16, U32: u32; (a, b) => a & b)`.
macro_rules! by_type {
    ($ty:expr, $maker:ident.$shape:ident, $($($variant:ident)|+ : $t:ident),+;
     $operands:tt => $body:expr) => {
        match $ty {
            $($(Type::$variant)|+ => by_type!(@ $maker.$shape, $t, $operands => $body),)+
            _ => return None,
        }
    };
    (@ $maker:ident.$shape:ident, $t:ident, ($($operand:ident),+) => $body:expr) => {
        $maker.$shape(|$($operand: $t),+| $body)
    };
}
use by_type;

/// Operations with one operand.
pub(crate) fn unary(maker: Maker, op: UnaryOp, ty: Type) -> Option<LaneFn> {
    Some(match op {
        UnaryOp::Neg => {
            by_type!(ty, maker.one, S16: i16, S32: i32, S64: i64; (a) => a.wrapping_neg())
        }
        UnaryOp::Abs => {
            by_type!(ty, maker.one, S16: i16, S32: i32, S64: i64; (a) => a.wrapping_abs())
        }
        UnaryOp::Not => by_type!(ty, maker.one, B16: u16, B32: u32, B64: u64; (a) => !a),
        UnaryOp::Cnot => match ty {
            Type::B16 => maker.one(|a: u16| u16::from(a == 0)),
            Type::B32 => maker.one(|a: u32| u32::from(a == 0)),
            Type::B64 => maker.one(|a: u64| u64::from(a == 0)),
            _ => return None,
        },
        // The results of these have 32 bits whatever the operand has.
        UnaryOp::Popc => by_type!(ty, maker.one, B32: u32, B64: u64; (a) => a.count_ones()),
        UnaryOp::Clz => by_type!(ty, maker.one, B32: u32, B64: u64; (a) => a.leading_zeros()),
        UnaryOp::Bfind => match ty {
            Type::U32 => maker.one(|a: u32| bits::find_bit_u32(a, false)),
            Type::S32 => maker.one(|a: i32| bits::find_bit_i32(a, false)),
            Type::U64 => maker.one(|a: u64| bits::find_bit_u64(a, false)),
            Type::S64 => maker.one(|a: i64| bits::find_bit_i64(a, false)),
            _ => return None,
        },
        UnaryOp::BfindShift => match ty {
            Type::U32 => maker.one(|a: u32| bits::find_bit_u32(a, true)),
            Type::S32 => maker.one(|a: i32| bits::find_bit_i32(a, true)),
            Type::U64 => maker.one(|a: u64| bits::find_bit_u64(a, true)),
            Type::S64 => maker.one(|a: i64| bits::find_bit_i64(a, true)),
            _ => return None,
        },
        UnaryOp::Brev => by_type!(ty, maker.one, B32: u32, B64: u64; (a) => a.reverse_bits()),
        _ => return None,
    })
}

/// The quotient of 32-bit numbers, all ones for a divisor of zero.
///
/// No processor divides vectors of integers. Those of doubles give the same: a quotient that is not
/// integral is at least `1 / b` away from the next integer, and rounding moves it by less than that.
#[inline(always)]
fn divide(a: u32, b: u32) -> u32 {
    /// Next to this number, doubles are integers and their low bits count them.
    const COUNTER: f64 = (1u64 << 52) as f64;
    let quotient = f64::from(a) / f64::from(b.max(1));
    let counted = quotient + COUNTER;
    let too_large = u32::from(counted - COUNTER > quotient);
    let whole = (counted.to_bits() as u32).wrapping_sub(too_large);
    if b == 0 { u32::MAX } else { whole }
}

#[inline(always)]
fn remainder(a: u32, b: u32) -> u32 {
    let rest = a.wrapping_sub(divide(a, b).wrapping_mul(b));
    if b == 0 { u32::MAX } else { rest }
}

#[inline(always)]
fn divide_signed(a: i32, b: i32) -> i32 {
    let magnitude = divide(a.unsigned_abs(), b.unsigned_abs()) as i32;
    let signed = if (a ^ b) < 0 { magnitude.wrapping_neg() } else { magnitude };
    if b == 0 { -1 } else { signed }
}

#[inline(always)]
fn remainder_signed(a: i32, b: i32) -> i32 {
    let rest = a.wrapping_sub(divide_signed(a, b).wrapping_mul(b));
    if b == 0 { -1 } else { rest }
}

/// Operations with two operands.
pub(crate) fn binary(maker: Maker, op: BinaryOp, ty: Type, mode: &Mode) -> Option<LaneFn> {
    if mode.saturate {
        return match (op, ty) {
            (BinaryOp::Add, Type::S32) => Some(maker.two(integer::add_saturating_i32)),
            (BinaryOp::Sub, Type::S32) => Some(maker.two(integer::subtract_saturating_i32)),
            _ => None,
        };
    }
    if mode.relu {
        return match (op, ty) {
            (BinaryOp::Min, Type::S32) => Some(maker.two(integer::min_relu_i32)),
            (BinaryOp::Max, Type::S32) => Some(maker.two(integer::max_relu_i32)),
            (BinaryOp::Min, Type::S16x2) => Some(maker.two(packed_integer::min_relu)),
            (BinaryOp::Max, Type::S16x2) => Some(maker.two(packed_integer::max_relu)),
            _ => None,
        };
    }
    Some(match op {
        BinaryOp::Add => match ty {
            Type::U16x2 | Type::S16x2 => maker.two(packed_integer::add),
            _ => by_type!(ty, maker.two, U16 | S16: u16, U32 | S32: u32, U64 | S64: u64;
                (a, b) => a.wrapping_add(b)),
        },
        BinaryOp::Sub => match ty {
            Type::U16x2 | Type::S16x2 => maker.two(packed_integer::sub),
            _ => by_type!(ty, maker.two, U16 | S16: u16, U32 | S32: u32, U64 | S64: u64;
                (a, b) => a.wrapping_sub(b)),
        },
        BinaryOp::MulLo => by_type!(ty, maker.two,
            U16 | S16: u16, U32 | S32: u32, U64 | S64: u64; (a, b) => a.wrapping_mul(b)),
        BinaryOp::MulHi => match ty {
            Type::U16 => maker.two(integer::multiply_high_u16),
            Type::S16 => maker.two(integer::multiply_high_i16),
            Type::U32 => maker.two(integer::multiply_high_u32),
            Type::S32 => maker.two(integer::multiply_high_i32),
            Type::U64 => maker.costly_two(integer::multiply_high_u64),
            Type::S64 => maker.costly_two(integer::multiply_high_i64),
            _ => return None,
        },
        BinaryOp::MulWide => match ty {
            Type::U16 => maker.two(|a: u16, b: u16| u32::from(a) * u32::from(b)),
            Type::S16 => maker.two(|a: i16, b: i16| i32::from(a) * i32::from(b)),
            Type::U32 => maker.two(|a: u32, b: u32| u64::from(a) * u64::from(b)),
            Type::S32 => maker.two(|a: i32, b: i32| i64::from(a) * i64::from(b)),
            _ => return None,
        },
        BinaryOp::Mul24Lo => match ty {
            Type::U32 => maker.two(integer::multiply24_low_u32),
            Type::S32 => maker.two(integer::multiply24_low_i32),
            _ => return None,
        },
        BinaryOp::Mul24Hi => match ty {
            Type::U32 => maker.two(integer::multiply24_high_u32),
            Type::S32 => maker.two(integer::multiply24_high_i32),
            _ => return None,
        },
        BinaryOp::Div => match ty {
            Type::U16 => maker.costly_two(integer::divide_u16),
            Type::S16 => maker.costly_two(integer::divide_i16),
            Type::U32 => maker.two(divide),
            Type::S32 => maker.two(divide_signed),
            Type::U64 => maker.costly_two(integer::divide_u64),
            Type::S64 => maker.costly_two(integer::divide_i64),
            _ => return None,
        },
        BinaryOp::Rem => match ty {
            Type::U16 => maker.costly_two(integer::remainder_u16),
            Type::S16 => maker.costly_two(integer::remainder_i16),
            Type::U32 => maker.two(remainder),
            Type::S32 => maker.two(remainder_signed),
            Type::U64 => maker.costly_two(integer::remainder_u64),
            Type::S64 => maker.costly_two(integer::remainder_i64),
            _ => return None,
        },
        BinaryOp::Min => match ty {
            Type::U16x2 => maker.two(packed_integer::min_unsigned),
            Type::S16x2 => maker.two(packed_integer::min_signed),
            _ => by_type!(ty, maker.two,
                U16: u16, S16: i16, U32: u32, S32: i32, U64: u64, S64: i64; (a, b) => a.min(b)),
        },
        BinaryOp::Max => match ty {
            Type::U16x2 => maker.two(packed_integer::max_unsigned),
            Type::S16x2 => maker.two(packed_integer::max_signed),
            _ => by_type!(ty, maker.two,
                U16: u16, S16: i16, U32: u32, S32: i32, U64: u64, S64: i64; (a, b) => a.max(b)),
        },
        BinaryOp::And => by_type!(ty, maker.two, B16: u16, B32: u32, B64: u64; (a, b) => a & b),
        BinaryOp::Or => by_type!(ty, maker.two, B16: u16, B32: u32, B64: u64; (a, b) => a | b),
        BinaryOp::Xor => by_type!(ty, maker.two, B16: u16, B32: u32, B64: u64; (a, b) => a ^ b),
        BinaryOp::Shl => match ty {
            Type::B16 => maker.two(bits::shift_left_u16),
            Type::B32 => maker.two(bits::shift_left_u32),
            Type::B64 => maker.two(bits::shift_left_u64),
            _ => return None,
        },
        BinaryOp::Shr => match ty {
            Type::B16 | Type::U16 => maker.two(bits::shift_right_u16),
            Type::B32 | Type::U32 => maker.two(bits::shift_right_u32),
            Type::B64 | Type::U64 => maker.two(bits::shift_right_u64),
            Type::S16 => maker.two(bits::shift_right_i16),
            Type::S32 => maker.two(bits::shift_right_i32),
            Type::S64 => maker.two(bits::shift_right_i64),
            _ => return None,
        },
        BinaryOp::BitMaskClamp => match ty {
            Type::B32 => maker.two(|a: u32, b: u32| bits::bit_mask(a, b, ShiftMode::Clamp)),
            _ => return None,
        },
        BinaryOp::BitMaskWrap => match ty {
            Type::B32 => maker.two(|a: u32, b: u32| bits::bit_mask(a, b, ShiftMode::Wrap)),
            _ => return None,
        },
        BinaryOp::ExtendClamp => match ty {
            Type::U32 => maker.two(|a: u32, b: u32| bits::zero_extend(a, b, ShiftMode::Clamp)),
            Type::S32 => maker.two(|a: u32, b: u32| bits::sign_extend(a, b, ShiftMode::Clamp)),
            _ => return None,
        },
        BinaryOp::ExtendWrap => match ty {
            Type::U32 => maker.two(|a: u32, b: u32| bits::zero_extend(a, b, ShiftMode::Wrap)),
            Type::S32 => maker.two(|a: u32, b: u32| bits::sign_extend(a, b, ShiftMode::Wrap)),
            _ => return None,
        },
        BinaryOp::Copysign => return None,
    })
}
