//! Sums of products of narrow floats, as the tensor cores of compute capability 9.0 make them.
//!
//! The manual leaves order and rounding open and asks for single precision at least. We follow what
//! published measurements of this hardware describe: products are exact; all products of an
//! instruction and the accumulator are aligned to the largest exponent among them, cut off (not
//! rounded) 25 bits below it, added exactly, and the sum is cut to single precision, or rounded to
//! the nearest for a half-precision result. So the order of the terms makes no difference. Where a term is infinite
//! or not a number, so is the result, and a result that is not a number has all its bits set but
//! the sign.

use super::element::Element;

/// Bits below the largest exponent that take part in a sum.
const ALIGNED_FRACTION_BITS: u32 = 25;
/// Fraction bits of a factor's significand; the narrower types are padded.
const FACTOR_FRACTION_BITS: u32 = 10;
/// The exponent of what takes no part in a sum. Sums of two stay far below every real exponent.
const ABSENT: i32 = -1_000_000;

/// What the hardware gives for a single-precision result that is not a number.
pub(super) const NOT_A_NUMBER: u64 = 0x7FFF_FFFF;

/// The most products of one sum.
pub(super) const LONGEST_SUM: usize = 16;

/// The elements of a row or column that one sum takes, in the parts that it needs. Shorter ones are
/// filled up with zeros, because loops of a fixed length are fast.
#[derive(Clone)]
pub(super) struct Line {
    significands: [i32; LONGEST_SUM],
    exponents: [i32; LONGEST_SUM],
    /// The values, where one of them is infinite or not a number.
    special: Option<Box<[f32]>>,
}

/// Decodes elements into lines of this length.
pub(super) fn decode_lines(element: Element, bits: &[u64], length: usize) -> Vec<Line> {
    let lines = bits.chunks_exact(length);
    match element {
        Element::BF16 => {
            lines.map(|line| decode(line, |bits| single((bits as u32) << 16))).collect()
        }
        Element::TF32 => lines.map(|line| decode(line, |bits| single(bits as u32))).collect(),
        Element::F16 => lines.map(|line| decode(line, |bits| half(bits as u32))).collect(),
        narrow => lines
            .map(|line| decode(line, |bits| half(narrow_to_f16(narrow, bits as u32))))
            .collect(),
    }
}

/// A number in its parts. Infinities and what is not a number have the largest exponent.
struct Parts {
    negative: bool,
    special: bool,
    exponent: i32,
    significand: u32,
}

impl Parts {
    fn value(&self) -> f32 {
        let unit = 2f64.powi(self.exponent - FACTOR_FRACTION_BITS as i32);
        let magnitude = match (self.special, self.significand == 1 << FACTOR_FRACTION_BITS) {
            (true, true) => f32::INFINITY,
            (true, false) => f32::NAN,
            (false, _) => (f64::from(self.significand) * unit) as f32,
        };
        if self.negative { -magnitude } else { magnitude }
    }
}

/// The parts of a single-precision number. Only tf32 has more fraction bits, and they are ignored.
#[inline]
fn single(bits: u32) -> Parts {
    let field = bits >> 23 & 0xFF;
    Parts {
        negative: bits >> 31 == 1,
        special: field == 0xFF,
        exponent: field.max(1) as i32 - 127,
        significand: bits >> 13 & 0x3FF | u32::from(field != 0) << FACTOR_FRACTION_BITS,
    }
}

/// The parts of a half-precision number.
#[inline]
fn half(bits: u32) -> Parts {
    let field = bits >> 10 & 0x1F;
    Parts {
        negative: bits >> 15 & 1 == 1,
        special: field == 0x1F,
        exponent: field.max(1) as i32 - 15,
        significand: bits & 0x3FF | u32::from(field != 0) << FACTOR_FRACTION_BITS,
    }
}

#[inline]
fn decode(bits: &[u64], parts: impl Fn(u64) -> Parts) -> Line {
    let (mut significands, mut exponents) = ([0; LONGEST_SUM], [ABSENT; LONGEST_SUM]);
    let mut special = false;
    for ((&bits, significand), exponent) in bits.iter().zip(&mut significands).zip(&mut exponents) {
        let parts = parts(bits);
        let signed = parts.significand as i32;
        *significand = if parts.negative { -signed } else { signed };
        *exponent = if signed == 0 { ABSENT } else { parts.exponent };
        special |= parts.special;
    }
    let special = special.then(|| bits.iter().map(|&bits| parts(bits).value()).collect());
    Line { significands, exponents, special }
}

impl Line {
    fn value(&self, index: usize) -> f64 {
        match &self.special {
            Some(values) => values.get(index).copied().map_or(0.0, f64::from),
            None => {
                let unit = 2f64.powi(self.exponents[index] - FACTOR_FRACTION_BITS as i32);
                f64::from(self.significands[index]) * unit
            }
        }
    }
}

/// A number before it is rounded: `significand * 2^exponent`, or something that is no number.
pub(super) enum Sum {
    /// A finite sum.
    Finite {
        /// With its sign.
        significand: i64,
        /// Of the significand's lowest bit.
        exponent: i32,
    },
    /// Infinite or not a number.
    Special(f64),
}

/// The sum of the accumulator and the products of a row and a column.
pub(super) fn fused_sum(a: &Line, b: &Line, accumulator: f32) -> Sum {
    let may_be_special = a.special.is_some() || b.special.is_some() || !accumulator.is_finite();
    if may_be_special && let Some(special) = special_sum(a, b, accumulator) {
        return special;
    }
    let bits = accumulator.to_bits();
    let (field, fraction) = (bits >> 23 & 0xFF, bits & 0x7F_FFFF);
    let significand = if field == 0 { fraction } else { fraction | 1 << 23 };
    let accumulator_exponent = if significand == 0 { ABSENT } else { field.max(1) as i32 - 127 };
    let mut exponents = [0; LONGEST_SUM];
    let mut largest = accumulator_exponent;
    for ((sum, a), b) in exponents.iter_mut().zip(&a.exponents).zip(&b.exponents) {
        *sum = a + b;
        largest = largest.max(*sum);
    }
    if largest < ABSENT / 2 {
        return Sum::Special(0.0);
    }
    let padding = ALIGNED_FRACTION_BITS - 2 * FACTOR_FRACTION_BITS;
    // Sixteen products stay below 2^31, as the square of a significand is below 2^22.
    let mut sum = 0i32;
    for ((exponent, a), b) in exponents.iter().zip(&a.significands).zip(&b.significands) {
        let product = a * b;
        let magnitude = product.unsigned_abs() << padding >> (largest - exponent).min(31);
        // All ones where the product is negative, which turns its sign.
        let sign = product >> 31;
        sum += (magnitude as i32 ^ sign) - sign;
    }
    let magnitude = i64::from(
        significand << (ALIGNED_FRACTION_BITS - 23) >> (largest - accumulator_exponent).min(31),
    );
    let signed = if accumulator.is_sign_negative() { -magnitude } else { magnitude };
    Sum::Finite {
        significand: i64::from(sum) + signed,
        exponent: largest - ALIGNED_FRACTION_BITS as i32,
    }
}

/// The sum where a term may be infinite or not a number; none if it is not.
#[cold]
fn special_sum(a: &Line, b: &Line, accumulator: f32) -> Option<Sum> {
    let sum = (0..LONGEST_SUM)
        .map(|index| a.value(index) * b.value(index))
        .fold(f64::from(accumulator), |sum, product| sum + product);
    (!sum.is_finite()).then_some(Sum::Special(sum))
}

impl Sum {
    /// The exact sum of two numbers that came from half precision.
    pub(super) fn of_halves(left: f32, right: f32) -> Sum {
        let sum = f64::from(left) + f64::from(right);
        if !sum.is_finite() || sum == 0.0 {
            return Sum::Special(sum);
        }
        // All of them are multiples of the smallest.
        Sum::Finite { significand: (sum * f64::from(1 << 24)) as i64, exponent: -24 }
    }

    /// The sum in single precision, what does not fit cut off.
    pub(super) fn to_f32(&self) -> f32 {
        match *self {
            Sum::Special(value) if value.is_nan() => f32::from_bits(NOT_A_NUMBER as u32),
            Sum::Special(value) => value as f32,
            Sum::Finite { significand, exponent } => {
                let bits = pack(significand, exponent, 23, 8, false);
                f32::from_bits(bits | u32::from(significand < 0) << 31)
            }
        }
    }

    /// The bits of the sum in half precision, rounded to the nearest.
    pub(super) fn to_f16_bits(&self) -> u16 {
        match *self {
            Sum::Special(value) if value.is_nan() => 0x7FFF,
            Sum::Special(value) => {
                let sign = u16::from(value.is_sign_negative()) << 15;
                sign | if value == 0.0 { 0 } else { 0x7C00 }
            }
            Sum::Finite { significand, exponent } => {
                pack(significand, exponent, 10, 5, true) as u16 | u16::from(significand < 0) << 15
            }
        }
    }
}

/// The bits of a float without its sign. Too large numbers become infinite.
fn pack(significand: i64, exponent: i32, fraction: i32, field_bits: i32, nearest: bool) -> u32 {
    let magnitude = significand.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let bias = (1 << (field_bits - 1)) - 1;
    let smallest_unit = 1 - bias - fraction;
    let highest = exponent + 63 - magnitude.leading_zeros() as i32;
    let unit = (highest - fraction).max(smallest_unit);
    let shift = unit - exponent;
    let mut kept = match shift {
        ..=0 => magnitude << -shift,
        1..=63 => magnitude >> shift,
        _ => 0,
    };
    if nearest && (1..=63).contains(&shift) {
        let half = 1u64 << (shift - 1);
        let lost = magnitude - (kept << shift);
        kept += u64::from(lost > half || lost == half && kept & 1 == 1);
    }
    // The highest bit of a normal number adds one to the exponent field, and so does a carry.
    let bits = (((unit - smallest_unit) as u64) << fraction) + kept;
    let infinity = ((1u64 << field_bits) - 1) << fraction;
    bits.min(infinity) as u32
}

/// A half-precision number in single precision, exactly.
pub(super) fn f16_to_f32(bits: u32) -> f32 {
    let sign = (bits & 0x8000) << 16;
    let (field, fraction) = (bits >> 10 & 0x1F, bits & 0x3FF);
    let magnitude = match field {
        0 => (fraction as f32 * (1.0 / 16_777_216.0)).to_bits(),
        0x1F => 0x7F80_0000 | fraction << 13,
        _ => (field + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// The bits of a float of at most 8 bits in half precision, which holds all of them exactly. The
/// hardware of capability 9.0 multiplies them in this form.
fn narrow_to_f16(element: Element, bits: u32) -> u32 {
    let (bits, fraction_bits, bias, sign_at) = match element {
        Element::E5M2 => return (bits & 0xFF) << 8,
        Element::E4M3 if bits & 0x7F == 0x7F => return 0x7FFF,
        Element::E4M3 => (bits, 3, 7, 7),
        Element::E3M2 => (bits, 2, 3, 5),
        Element::E2M3 => (bits, 3, 1, 5),
        _ => (bits >> 2, 1, 1, 3),
    };
    let sign = (bits >> sign_at & 1) << 15;
    let magnitude = bits & ((1 << sign_at) - 1);
    let (field, fraction) = (magnitude >> fraction_bits, magnitude & ((1 << fraction_bits) - 1));
    if magnitude == 0 {
        return sign;
    }
    let (field, fraction) = if field == 0 {
        // Below the type's normal numbers: the highest bit of the fraction moves to the front.
        let shift = fraction_bits - (31 - fraction.leading_zeros());
        (1 - shift as i32, fraction << shift & ((1 << fraction_bits) - 1))
    } else {
        (field as i32, fraction)
    };
    sign | ((field - bias + 15) as u32) << 10 | fraction << (10 - fraction_bits)
}
