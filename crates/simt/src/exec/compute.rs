//! What computes, but has no function over lanes: operations with more than three operands or with
//! predicates, and rare conversions.

mod each;
mod operation;
mod sets;
mod videos;

#[cfg(test)]
mod tests;

use crate::lanes::Rows;
use crate::numerics::{bits, convert_packed, double, integer, single};
use each::each;
pub(crate) use operation::ComputeOp;
use operation::SignOf;
use warpsan_ir::{ExtendedOp, FloatTest, Predicate, Register, Type, Value};

/// Carries out an operation that computes, in the lanes of `mask`.
///
/// # Safety
/// The operation is one of the program that the rows were made for, its registers numbered by row.
pub(crate) unsafe fn compute(rows: Rows, predicates: &mut [u32], mask: u32, op: &ComputeOp) {
    // SAFETY: the caller answers for the registers, here and below.
    let read = |value: &Value| unsafe { rows.values(*value) };
    // Operands are read before anything is written: a result may have the rows of an operand.
    match op {
        // SAFETY: as above.
        ComputeOp::Pack { to, parts, part_bits } => unsafe {
            pack(rows, mask, *to, parts, *part_bits)
        },
        // SAFETY: as above.
        ComputeOp::Unpack { to, from, part_bits } => unsafe {
            unpack(rows, mask, to, *from, *part_bits);
        },
        ComputeOp::Extended { op, ty, to, operands: [a, b, c], carry_in, carry_out } => {
            let (a, b, c) = (read(a), read(b), read(c));
            // Without a carry in, a subtraction borrows nothing.
            let none = if *op == ExtendedOp::Sub { u32::MAX } else { 0 };
            let carries = carry_in.map_or(none, |predicate| holds(predicates, predicate));
            let mut results = [0; 32];
            let mut carried = 0;
            for lane in 0..32 {
                let carry = carries >> lane & 1 != 0;
                let (result, carry) = extended(*op, *ty, a[lane], b[lane], c[lane], carry);
                results[lane] = result;
                carried |= u32::from(carry) << lane;
            }
            // SAFETY: as above.
            unsafe { rows.set(*to, mask, &results) };
            set_predicate(predicates, *carry_out, mask, carried);
        }
        ComputeOp::BitFieldInsert { is_wide, to, operands: [a, b, c, d] } => {
            let (a, b, c, d) = (read(a), read(b), read(c), read(d));
            let results = each(mask, |lane| {
                let (position, length) = (c[lane] as u32, d[lane] as u32);
                if *is_wide {
                    bits::insert_field_u64(a[lane], b[lane], position, length)
                } else {
                    let (a, b) = (a[lane] as u32, b[lane] as u32);
                    u64::from(bits::insert_field_u32(a, b, position, length))
                }
            });
            // SAFETY: as above.
            unsafe { rows.set(*to, mask, &results) };
        }
        ComputeOp::SelectBySign { by, to, operands: [a, b, c] } => {
            let (a, b, c) = (read(a), read(b), read(c));
            let results = each(mask, |lane| {
                let first = match by {
                    SignOf::Single { flush } => {
                        let value = f32::from_bits(c[lane] as u32);
                        // What is no number selects the second operand.
                        (if *flush { single::flush(value) } else { value }) >= 0.0
                    }
                    SignOf::Integer => c[lane] as i32 >= 0,
                };
                if first { a[lane] } else { b[lane] }
            });
            // SAFETY: as above.
            unsafe { rows.set(*to, mask, &results) };
        }
        ComputeOp::SetValue { form, result, to, operands: [a, b], combine } => {
            let with = combine.map(|(op, by, negated)| (op, holds(predicates, by), negated));
            let results = sets::values(*form, *result, &read(a), &read(b), with, mask);
            // SAFETY: as above.
            unsafe { rows.set(*to, mask, &results) };
        }
        ComputeOp::SetPredicatePair { form, low, high, operands: [a, b], combine } => {
            let with = combine.map(|(op, by, negated)| (op, holds(predicates, by), negated));
            let [first, second] = sets::truths(*form, &read(a), &read(b), with);
            set_predicate(predicates, *low, mask, first);
            set_predicate(predicates, *high, mask, second);
        }
        ComputeOp::TestFloat { test, is_double, to, a } => {
            let a = read(a);
            let truths = (0..32).fold(0, |truths, lane| {
                truths | u32::from(test_float(*test, *is_double, a[lane])) << lane
            });
            set_predicate(predicates, Some(*to), mask, truths);
        }
        ComputeOp::Convert { conversion, to, from } => {
            let from = read(from);
            let results =
                each(mask, |lane| conversion.apply(from[lane]) & ones(u32::from(to.bits)));
            // SAFETY: as above.
            unsafe { rows.set(*to, mask, &results) };
        }
        ComputeOp::ConvertPair { conversion, to, high, low } => {
            let (high, low) = (read(high), read(low));
            let results = each(mask, |lane| conversion.apply((high[lane], low[lane])));
            // SAFETY: as above.
            unsafe { rows.set(*to, mask, &results) };
        }
        ComputeOp::ConvertPack { width, is_signed, to, operands: [a, b, rest] } => {
            let (a, b, rest) = (read(a), read(b), read(rest));
            let results = each(mask, |lane| {
                let (a, b, rest) = (a[lane] as i32, b[lane] as i32, rest[lane] as u32);
                u64::from(convert_packed::pack_saturating(a, b, rest, *width, *is_signed))
            });
            // SAFETY: as above.
            unsafe { rows.set(*to, mask, &results) };
        }
        ComputeOp::Video { form, to, a, b, c } => {
            let (a, b) = (read(a), read(b));
            let c = c.as_ref().map_or([0; 32], read);
            // SAFETY: as above.
            unsafe { rows.set(*to, mask, &form.values(&a, &b, &c, mask)) };
        }
    }
}

/// So many ones.
fn ones(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The lanes where a predicate holds.
fn holds(predicates: &[u32], predicate: Predicate) -> u32 {
    predicates.get(predicate.0 as usize).copied().unwrap_or_default()
}

fn set_predicate(predicates: &mut [u32], to: Option<Predicate>, mask: u32, truths: u32) {
    if let Some(old) = to.and_then(|to| predicates.get_mut(to.0 as usize)) {
        *old = *old & !mask | truths & mask;
    }
}

/// # Safety
/// As for [`compute`].
unsafe fn pack(rows: Rows, mask: u32, to: Register, parts: &[Value], part_bits: u32) {
    let mut joined = [0u128; 32];
    for (index, part) in parts.iter().enumerate() {
        // SAFETY: the caller answers for the registers.
        let values = unsafe { rows.values(*part) };
        for (whole, value) in joined.iter_mut().zip(values) {
            *whole |= u128::from(value & ones(part_bits)) << (index as u32 * part_bits);
        }
    }
    // SAFETY: as above.
    unsafe {
        if to.bits > 64 {
            rows.write(to.number, mask, &joined);
        } else {
            rows.set(to, mask, &joined.map(|whole| whole as u64));
        }
    }
}

/// # Safety
/// As for [`compute`].
unsafe fn unpack(rows: Rows, mask: u32, to: &[Option<Register>], from: Value, part_bits: u32) {
    // SAFETY: the caller answers for the registers.
    let whole: [u128; 32] = unsafe {
        match from {
            Value::Register(register) if register.bits > 64 => rows.read(register.number),
            _ => rows.values(from).map(u128::from),
        }
    };
    for (index, to) in to.iter().enumerate() {
        let Some(to) = to else { continue };
        let part =
            whole.map(|whole| (whole >> (index as u32 * part_bits)) as u64 & ones(part_bits));
        // SAFETY: as above.
        unsafe { rows.set(*to, mask, &part) };
    }
}

/// Arithmetic with a carry in, and the carry out. A subtraction adds the complement, so its carry is
/// set where nothing was borrowed; the manual leaves that open, and `addc` behind `sub.cc` shows it.
fn extended(op: ExtendedOp, ty: Type, a: u64, b: u64, c: u64, carry: bool) -> (u64, bool) {
    let wide = ty.bits() == 64;
    let limit = ones(ty.bits());
    let (a, b, c) = (a & limit, b & limit, c & limit);
    let add = |a: u64, b: u64| {
        let sum = u128::from(a) + u128::from(b) + u128::from(carry);
        (sum as u64 & limit, sum > u128::from(limit))
    };
    match op {
        ExtendedOp::Add => add(a, b),
        ExtendedOp::Sub => add(a, !b & limit),
        ExtendedOp::MadLo => add(a.wrapping_mul(b) & limit, c),
        ExtendedOp::MadHi => {
            let high = match (wide, ty.is_signed()) {
                (true, true) => integer::multiply_high_i64(a as i64, b as i64) as u64,
                (true, false) => integer::multiply_high_u64(a, b),
                (false, true) => u64::from(integer::multiply_high_i32(a as i32, b as i32) as u32),
                (false, false) => u64::from(integer::multiply_high_u32(a as u32, b as u32)),
            };
            add(high, c)
        }
    }
}

fn test_float(test: FloatTest, double: bool, bits: u64) -> bool {
    let (value, wide) = (f32::from_bits(bits as u32), f64::from_bits(bits));
    match test {
        FloatTest::Finite if double => double::is_finite(wide),
        FloatTest::Finite => single::is_finite(value),
        FloatTest::Infinite if double => double::is_infinite(wide),
        FloatTest::Infinite => single::is_infinite(value),
        FloatTest::Number if double => !double::is_nan(wide),
        FloatTest::Number => !single::is_nan(value),
        FloatTest::NotANumber if double => double::is_nan(wide),
        FloatTest::NotANumber => single::is_nan(value),
        FloatTest::Normal if double => double::is_normal(wide),
        FloatTest::Normal => single::is_normal(value),
        FloatTest::Subnormal if double => double::is_subnormal(wide),
        FloatTest::Subnormal => single::is_subnormal(value),
    }
}
