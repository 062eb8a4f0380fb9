use super::float::{exact, nearest};
use super::{flush, saturate_float};
use warpsan_ir::{Rounding, Type};

/// Extends a value of `ty` to a register of `bits`: with its sign, or with zeros.
pub(crate) fn extend(ty: Type, bits: u32, value: u64) -> u64 {
    let width = ty.bits();
    let value = low(value, width);
    if !ty.is_signed() || bits <= width {
        return value;
    }
    low(sign_extended(value, width) as u64, bits)
}

/// `cvt`, without the extension to the register's width.
pub(crate) fn convert(
    from_type: Type,
    to_type: Type,
    rounding: Option<Rounding>,
    integral: bool,
    saturate: bool,
    flush_subnormals: bool,
    value: u64,
) -> u64 {
    let value = if flush_subnormals { flush(from_type, value) } else { value };
    let result = match (from_type.is_float(), to_type.is_float()) {
        (false, false) => return integer_to_integer(from_type, to_type, saturate, value),
        (false, true) => integer_to_float(from_type, to_type, value),
        (true, false) => return float_to_integer(from_type, to_type, rounding, value),
        (true, true) => {
            let exact = exact(from_type, value);
            let exact = if integral { round(exact, rounding) } else { exact };
            nearest(to_type, exact)
        }
    };
    let result = if saturate { saturate_float(to_type, result) } else { result };
    if flush_subnormals { flush(to_type, result) } else { result }
}

fn integer_to_integer(from_type: Type, to_type: Type, saturate: bool, value: u64) -> u64 {
    let exact = integer(from_type, value);
    let exact = if saturate { exact.clamp(least(to_type), most(to_type)) } else { exact };
    low(exact as u64, to_type.bits())
}

/// Straight from the integer, so that it is rounded once.
fn integer_to_float(from_type: Type, to_type: Type, value: u64) -> u64 {
    let exact = integer(from_type, value);
    match to_type {
        Type::F32 => u64::from((exact as f32).to_bits()),
        _ => (exact as f64).to_bits(),
    }
}

/// Out-of-range values go to the nearest end of the range. Not-a-number gives zero, or the highest
/// bit alone where the source or the result has 64 bits.
fn float_to_integer(from_type: Type, to_type: Type, rounding: Option<Rounding>, value: u64) -> u64 {
    let exact = exact(from_type, value);
    if exact.is_nan() {
        let wide = from_type == Type::F64 || to_type.bits() == 64;
        return if wide { 1 << (to_type.bits() - 1) } else { 0 };
    }
    let rounded = round(exact, rounding);
    low((rounded as i128).clamp(least(to_type), most(to_type)) as u64, to_type.bits())
}

fn round(value: f64, rounding: Option<Rounding>) -> f64 {
    match rounding {
        Some(Rounding::Nearest) => value.round_ties_even(),
        None | Some(Rounding::Zero) => value.trunc(),
        Some(Rounding::Down) => value.floor(),
        Some(Rounding::Up) => value.ceil(),
    }
}

fn integer(ty: Type, value: u64) -> i128 {
    let value = low(value, ty.bits());
    if ty.is_signed() { i128::from(sign_extended(value, ty.bits())) } else { i128::from(value) }
}

fn least(ty: Type) -> i128 {
    if ty.is_signed() { -(1 << (ty.bits() - 1)) } else { 0 }
}

fn most(ty: Type) -> i128 {
    let bits = if ty.is_signed() { ty.bits() - 1 } else { ty.bits() };
    (1 << bits) - 1
}

/// The lowest bits of a value.
pub(crate) fn low(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// A value of so many bits with its sign.
pub(super) fn sign_extended(value: u64, bits: u32) -> i64 {
    ((value << (64 - bits)) as i64) >> (64 - bits)
}
