//! The approximate single-precision functions (`.approx`).
//!
//! All are computed in double precision with relative errors below 2^-31 before the final rounding,
//! which is far inside the bounds of the manual. The hardware's own tables are not published, so the
//! last bits differ from a GPU's. Polynomials interpolate at Chebyshev nodes. Fused operations are
//! avoided on purpose: they would be library calls on machines without them.

use super::single::{CANONICAL_NAN, canonical};

/// Adding and subtracting it rounds to an integer that then stands in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// (2^r - 1) / r for |r| <= 1/2.
const EXPONENTIAL: [f64; 7] = [
    std::f64::consts::LN_2,
    0.24022650922288757,
    0.055504108839096185,
    0.009618056678524637,
    0.001333350238616277,
    0.0001546144469856913,
    1.5297323760701075e-05,
];

/// sin(pi q) / q in the variable q^2 for |q| <= 1/2.
const SINE: [f64; 7] = [
    3.141592653589635,
    -5.167712779987959,
    2.550164035906745,
    -0.5992644339357286,
    0.08214479467064854,
    -0.007364005472115722,
    0.0004474920849077101,
];

/// log2((1 + s) / (1 - s)) / s in the variable s^2 for |s| <= 0.1717.
const LOGARITHM: [f64; 6] = [
    2.8853900817778495,
    0.96179669411429,
    0.5770779420178984,
    0.412209293900603,
    0.31990375397287574,
    0.28293105400823265,
];

/// tanh(x) / x in the variable x^2 for |x| <= 0.3.
const TANGENT: [f64; 6] = [
    0.9999999999991578,
    -0.3333333326599524,
    0.1333332459113834,
    -0.05396409161295489,
    0.021779465651531944,
    -0.007955265166835241,
];

#[inline(always)]
fn polynomial<const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    let mut value = coefficients[N - 1];
    let mut index = N - 1;
    while index > 0 {
        index -= 1;
        value = value * x + coefficients[index];
    }
    value
}

/// 2^x in double precision, for x within the exponents of singles; NaN stays NaN.
#[inline(always)]
fn exponential(x: f64) -> f64 {
    let below = if x > 160.0 { 160.0 } else { x };
    let x = if below < -160.0 { -160.0 } else { below };
    let shifted = x + ROUNDER;
    let r = x - (shifted - ROUNDER);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    (1.0 + r * polynomial(EXPONENTIAL, r)) * power
}

/// `ex2.approx.f32`: exact for integers.
#[inline(always)]
pub(crate) fn ex2(x: f32) -> f32 {
    canonical(exponential(f64::from(x)) as f32)
}

/// `lg2.approx.f32`: exact for powers of two.
#[inline(always)]
pub(crate) fn lg2(x: f32) -> f32 {
    // The bits of sqrt(1/2): the significand is brought between it and sqrt(2).
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = f64::from(x).to_bits();
    // Biased by 1024, so that the shift can be a logical one and the field becomes a double by
    // being put into the fraction of 2^52.
    let field = bits.wrapping_sub(ROOT_HALF).wrapping_add(1024 << 52) >> 52;
    let exponent =
        f64::from_bits(0x4330_0000_0000_0000 | field) - (4_503_599_627_370_496.0 + 1024.0);
    let significand = f64::from_bits(bits.wrapping_sub(field.wrapping_sub(1024) << 52));
    let s = (significand - 1.0) / (significand + 1.0);
    let value = (exponent + s * polynomial(LOGARITHM, s * s)) as f32;
    let finite = if x == f32::INFINITY { f32::INFINITY } else { value };
    let with_zero = if x == 0.0 { f32::NEG_INFINITY } else { finite };
    // The comparison is also false for NaN.
    canonical(if x >= 0.0 { with_zero } else { CANONICAL_NAN })
}

/// The angle `x` in half turns beyond the nearest integer, and that integer's parity as a sign bit.
#[inline(always)]
fn half_turns(x: f32) -> (f64, u64) {
    let turns = f64::from(x) * std::f64::consts::FRAC_1_PI;
    // Beyond 2^50 half turns no fraction is left; infinity becomes NaN here.
    let turns = if turns.abs() < 1_125_899_906_842_624.0 { turns } else { turns * 0.0 };
    let shifted = turns + ROUNDER;
    (turns - (shifted - ROUNDER), shifted.to_bits() << 63)
}

/// `sin.approx.f32`. Good to the last bits up to about 2^20, deterministic beyond.
#[inline(always)]
pub(crate) fn sin(x: f32) -> f32 {
    let (q, sign) = half_turns(x);
    let value = q * polynomial(SINE, q * q);
    canonical(f64::from_bits(value.to_bits() ^ sign) as f32)
}

/// `cos.approx.f32`. Good to the last bits up to about 2^20, deterministic beyond.
#[inline(always)]
pub(crate) fn cos(x: f32) -> f32 {
    let (q, sign) = half_turns(x);
    let q = 0.5 - q.abs();
    let value = q * polynomial(SINE, q * q);
    canonical(f64::from_bits(value.to_bits() ^ sign) as f32)
}

/// `rcp.approx.f32`: correctly rounded.
#[inline(always)]
pub(crate) fn rcp(x: f32) -> f32 {
    canonical(1.0 / x)
}

/// `sqrt.approx.f32`: correctly rounded.
#[inline(always)]
pub(crate) fn sqrt(x: f32) -> f32 {
    canonical(x.sqrt())
}

/// `rsqrt.approx.f32`.
#[inline(always)]
pub(crate) fn rsqrt(x: f32) -> f32 {
    // Two single-precision roundings, repaired by one step of Newton's method: faster than a root
    // and a division in double precision.
    let rough = 1.0 / x.sqrt();
    let wide = f64::from(rough);
    let error = 1.0 - (f64::from(x) * wide) * wide;
    let refined = (wide + (0.5 * wide) * error) as f32;
    // The comparison is false where the product of zero and infinity made the error NaN.
    canonical(if error.abs() < 0.5 { refined } else { rough })
}

/// `div.approx.f32`: zero for divisors beyond 2^126, whose reciprocals the hardware flushes.
#[inline(always)]
pub(crate) fn div(a: f32, b: f32) -> f32 {
    let magnitude = b.to_bits() & 0x7fff_ffff;
    let huge = magnitude > 0x7e80_0000 && magnitude < 0x7f80_0000;
    let zero = f32::from_bits((a.to_bits() ^ b.to_bits()) & 0x8000_0000);
    // Infinity times the flushed reciprocal is NaN.
    let flushed = if a.is_infinite() || a.is_nan() { f32::NAN } else { zero };
    canonical(if huge { flushed } else { a / b })
}

/// `tanh.approx.f32`: subnormals pass through.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let wide = f64::from(x);
    // Near zero the quotient below would cancel.
    let small = wide * polynomial(TANGENT, wide * wide);
    let decay = exponential(wide.abs() * (-2.0 * std::f64::consts::LOG2_E));
    let magnitude = (1.0 - decay) / (1.0 + decay);
    let large = f64::from_bits(magnitude.to_bits() | (wide.to_bits() & (1 << 63)));
    canonical(if wide.abs() < 0.3 { small } else { large } as f32)
}
