//! Single-precision arithmetic in every rounding mode, through double precision.
//!
//! A sum or product of singles is either exact in double precision or brought to it *rounded to
//! odd*: truncated, with the last bit set when anything was lost. Rounding such a value a second
//! time, in any mode, to a format with at least two bits fewer equals rounding the exact value once
//! (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). A quotient or root of
//! singles that is not a single lies at least 2^-49 (relative) away from every single and every
//! midpoint of two, so its nearest double lies on the same side and nothing needs repair.
//!
//! The double-precision instructions have no wider host type to go through: see
//! [`super::softfloat`].

use super::Round;
use super::single::canonical;

/// The sum of two doubles rounded to odd; the sum must not overflow.
#[inline(always)]
pub(crate) fn sum_to_odd(a: f64, b: f64) -> f64 {
    // Knuth's two-sum: `sum + error` is exactly `a + b`.
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    let error = (a - a_part) + (b - b_part);
    let bits = sum.to_bits();
    // Where the error points towards zero the truncated value is one unit below the sum.
    let towards_zero = (error.to_bits() ^ bits) >> 63;
    let odd = f64::from_bits((bits.wrapping_sub(towards_zero)) | 1);
    // The comparison is false for the NaN error of an infinite sum.
    if error.abs() > 0.0 { odd } else { sum }
}

/// Rounds a double to single precision. NaN comes out canonical.
#[inline(always)]
pub(crate) fn double_to_single(x: f64, round: Round) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    let bits = nearest.to_bits();
    let towards_zero = bits.wrapping_sub(1);
    let adjusted = match round {
        Round::Nearest | Round::NearestAway => bits,
        Round::Zero => {
            if back.abs() > x.abs() {
                towards_zero
            } else {
                bits
            }
        }
        Round::Down => {
            let below = if x < 0.0 { (bits | 0x8000_0000).wrapping_add(1) } else { towards_zero };
            if back > x { below } else { bits }
        }
        Round::Up => {
            let above = if x > 0.0 { (bits & 0x7fff_ffff).wrapping_add(1) } else { towards_zero };
            if back < x { above } else { bits }
        }
    };
    canonical(f32::from_bits(adjusted))
}

/// Rounds a double to odd in single precision, as the first step to a narrower format.
#[inline(always)]
pub(crate) fn double_to_single_odd(x: f64) -> f32 {
    let truncated = double_to_single(x, Round::Zero);
    let inexact = u32::from(f64::from(truncated) != x && !x.is_nan());
    f32::from_bits(truncated.to_bits() | inexact)
}

/// Gives an exactly cancelled sum the sign of the mode: `-0` when rounding down, unless both
/// addends are `+0`.
#[inline(always)]
fn sign_of_zero(sum: f64, a: f64, b: f64, round: Round) -> f64 {
    if matches!(round, Round::Down) && sum == 0.0 {
        let negative = (a.to_bits() | b.to_bits()) & (1 << 63);
        f64::from_bits(negative)
    } else {
        sum
    }
}

/// `add.rnd.f32`.
#[inline(always)]
pub(crate) fn add_single(a: f32, b: f32, round: Round) -> f32 {
    let (a, b) = (f64::from(a), f64::from(b));
    double_to_single(sign_of_zero(sum_to_odd(a, b), a, b, round), round)
}

/// `sub.rnd.f32`.
#[inline(always)]
pub(crate) fn sub_single(a: f32, b: f32, round: Round) -> f32 {
    add_single(a, -b, round)
}

/// `mul.rnd.f32`.
#[inline(always)]
pub(crate) fn mul_single(a: f32, b: f32, round: Round) -> f32 {
    double_to_single(f64::from(a) * f64::from(b), round)
}

/// `fma.rnd.f32`, also `mad.rnd.f32` of sm_20 and later.
#[inline(always)]
pub(crate) fn fma_single(a: f32, b: f32, c: f32, round: Round) -> f32 {
    let product = f64::from(a) * f64::from(b);
    let c = f64::from(c);
    double_to_single(sign_of_zero(sum_to_odd(product, c), product, c, round), round)
}

/// `div.rnd.f32`.
#[inline(always)]
pub(crate) fn div_single(a: f32, b: f32, round: Round) -> f32 {
    double_to_single(f64::from(a) / f64::from(b), round)
}

/// `rcp.rnd.f32`.
#[inline(always)]
pub(crate) fn rcp_single(a: f32, round: Round) -> f32 {
    double_to_single(1.0 / f64::from(a), round)
}

/// `sqrt.rnd.f32`.
#[inline(always)]
pub(crate) fn sqrt_single(a: f32, round: Round) -> f32 {
    double_to_single(f64::from(a).sqrt(), round)
}
