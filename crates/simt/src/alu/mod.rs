//! Arithmetic on single values, as the PTX manual defines it. Values are bits, zero-extended.

mod convert;
mod float;
mod integer;

pub(crate) use convert::{convert, extend, low};
pub(crate) use float::test_float;
pub(crate) use integer::extended;

use warpsan_ir::{BinaryOp, Compare, TernaryOp, Type, UnaryOp};

/// The function of an operation with one operand; none where PTX has no such instruction.
pub(crate) fn unary(op: UnaryOp, ty: Type) -> Option<fn(u64) -> u64> {
    if ty.is_float() { float::unary(op, ty) } else { integer::unary(op, ty) }
}

/// The function of an operation with two operands.
pub(crate) fn binary(op: BinaryOp, ty: Type) -> Option<fn(u64, u64) -> u64> {
    if ty.is_float() { float::binary(op, ty) } else { integer::binary(op, ty) }
}

/// The saturating form of an operation with two operands.
pub(crate) fn saturating_binary(op: BinaryOp, ty: Type) -> Option<fn(u64, u64) -> u64> {
    match (op, ty) {
        (BinaryOp::Add, Type::S32) => {
            Some(|a, b| u64::from((a as i32).saturating_add(b as i32) as u32))
        }
        (BinaryOp::Sub, Type::S32) => {
            Some(|a, b| u64::from((a as i32).saturating_sub(b as i32) as u32))
        }
        _ => None,
    }
}

/// Three operands and a result.
pub(crate) type Ternary = fn(u64, u64, u64) -> u64;

/// The function of an operation with three operands. `lop3` is apart, since it has a table.
pub(crate) fn ternary(op: TernaryOp, ty: Type) -> Option<Ternary> {
    if ty.is_float() { float::ternary(op, ty) } else { integer::ternary(op, ty) }
}

/// `lop3`: the table's bit for each combination of the three inputs' bits.
pub(crate) fn lop3(table: u8, a: u64, b: u64, c: u64) -> u64 {
    let mut result = 0;
    for combination in 0..8u8 {
        if table & (1 << combination) != 0 {
            let pick = |value: u64, bit: u8| if combination & bit != 0 { value } else { !value };
            result |= pick(a, 4) & pick(b, 2) & pick(c, 1);
        }
    }
    result & 0xFFFF_FFFF
}

/// `bfi`.
pub(crate) fn bit_field_insert(ty: Type, a: u64, b: u64, position: u64, length: u64) -> u64 {
    let bits = u64::from(ty.bits());
    let (position, length) = (position & 0xFF, length & 0xFF);
    if position >= bits || length == 0 {
        return b;
    }
    let ones = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
    let width = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let mask = (ones << position) & width;
    (b & !mask) | ((a << position) & mask)
}

/// Whether a comparison holds.
pub(crate) fn compare(op: Compare, ty: Type, a: u64, b: u64) -> bool {
    if ty.is_float() { float::compare(op, ty, a, b) } else { integer::compare(op, ty, a, b) }
}

/// Subnormal single-precision numbers become zero of the same sign.
pub(crate) fn flush(ty: Type, bits: u64) -> u64 {
    let subnormal = ty == Type::F32 && f32::from_bits(bits as u32).is_subnormal();
    if subnormal { bits & 0x8000_0000 } else { bits }
}

/// Zero in place of not-a-number.
fn number(ty: Type, bits: u64) -> u64 {
    if compare(Compare::Nan, ty, bits, bits) { 0 } else { bits }
}

/// `.sat` of floating point: into 0 to 1, not-a-number and negative zero to 0.
pub(crate) fn saturate_float(ty: Type, bits: u64) -> u64 {
    match ty {
        Type::F32 => {
            u64::from((f32::from_bits(number(ty, bits) as u32).clamp(0.0, 1.0) + 0.0).to_bits())
        }
        Type::F64 => (f64::from_bits(number(ty, bits)).clamp(0.0, 1.0) + 0.0).to_bits(),
        _ => bits,
    }
}

#[cfg(test)]
mod tests;
