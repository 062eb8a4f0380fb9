//! Half-precision arithmetic: `.f16` and `.bf16`.
//!
//! Each operation goes through a wider host type and is rounded to the format once:
//! - Sums in single precision: 24 bits are at least twice the bits of the format plus two, which
//!   makes a second rounding harmless, and sums of subnormals are exact.
//! - Products of `.f16` are exact in single precision. Those of `.bf16` can fall below its range, so
//!   they are formed in double precision.
//! - Fused operations form the exact product in double precision and round the sum to odd where a
//!   plain sum could be rounded wrongly.
//!
//! `fma.oob` is missing: the manual does not say which NaN marks an element out of bounds.

use super::directed::{double_to_single_odd, sum_to_odd};
use super::narrow::{Bf16, F16, Narrow, narrow, widen};
use super::{Round, approx};

/// The positive NaN of both formats.
pub(crate) const CANONICAL_NAN: u16 = 0x7fff;

const SIGN: u16 = 0x8000;

/// One of the two 16-bit formats.
pub(crate) trait Half: Narrow {
    /// The code of one.
    const ONE: u16;
    /// Widens exactly; NaN becomes a NaN.
    fn to_single(a: u16) -> f32;
    /// Results whose exact value is below are flushed by `.ftz`: what would be rounded to less than
    /// the smallest normal number if there were smaller exponents.
    const TINY: f32;
    /// The product, exact or rounded to odd.
    fn product(a: u16, b: u16) -> f32;
    /// The sum of an exact product and a value of the format, rounded to odd as far as matters.
    fn fused_sum(product: f64, c: f64) -> f64;
}

impl Half for F16 {
    const ONE: u16 = 0x3c00;
    const TINY: f32 = 1.0 / 16384.0 - 1.0 / 67_108_864.0;

    #[inline(always)]
    fn to_single(a: u16) -> f32 {
        widen::<F16>(u32::from(a))
    }

    #[inline(always)]
    fn product(a: u16, b: u16) -> f32 {
        Self::to_single(a) * Self::to_single(b)
    }

    /// A plain sum is inexact only where the product is too small to move `c` (of 11 bits) to
    /// another value, or so large that the result overflows anyway.
    #[inline(always)]
    fn fused_sum(product: f64, c: f64) -> f64 {
        product + c
    }
}

impl Half for Bf16 {
    const ONE: u16 = 0x3f80;
    const TINY: f32 = f32::MIN_POSITIVE * (1.0 - 1.0 / 512.0);

    /// The code for sm_90 shifts, which keeps the payload of a NaN.
    #[inline(always)]
    fn to_single(a: u16) -> f32 {
        f32::from_bits(u32::from(a) << 16)
    }

    #[inline(always)]
    fn product(a: u16, b: u16) -> f32 {
        double_to_single_odd(f64::from(Self::to_single(a)) * f64::from(Self::to_single(b)))
    }

    #[inline(always)]
    fn fused_sum(product: f64, c: f64) -> f64 {
        sum_to_odd(product, c)
    }
}

/// Rounds a single to the format, to nearest even.
#[inline(always)]
pub(crate) fn from_single<F: Half>(x: f32) -> u16 {
    narrow::<F>(x, Round::Nearest, false) as u16
}

/// Whether the value is NaN.
#[inline(always)]
pub(crate) fn is_nan<F: Half>(a: u16) -> bool {
    u32::from(a & !SIGN) > F::INFINITY
}

/// `.ftz`: a subnormal becomes a zero of the same sign.
#[inline(always)]
pub(crate) fn flush<F: Half>(a: u16) -> u16 {
    if u32::from(a & !SIGN) < 1 << F::FRACTION_BITS { a & SIGN } else { a }
}

/// `.sat`: limits to [0, 1]; NaN and `-0` become `+0`.
#[inline(always)]
pub(crate) fn saturate<F: Half>(a: u16) -> u16 {
    let zero = a & SIGN != 0 || is_nan::<F>(a);
    let limited = a.min(F::ONE);
    if zero { 0 } else { limited }
}

/// `.relu`: a negative result, `-0` included, becomes `+0`; NaN becomes canonical.
#[inline(always)]
pub(crate) fn relu<F: Half>(a: u16) -> u16 {
    let clamped = if a & SIGN != 0 { 0 } else { a };
    if is_nan::<F>(a) { CANONICAL_NAN } else { clamped }
}

/// `add.rn`.
#[inline(always)]
pub(crate) fn add<F: Half>(a: u16, b: u16) -> u16 {
    from_single::<F>(F::to_single(a) + F::to_single(b))
}

/// `sub.rn`.
#[inline(always)]
pub(crate) fn sub<F: Half>(a: u16, b: u16) -> u16 {
    from_single::<F>(F::to_single(a) - F::to_single(b))
}

/// Rounds a result that is exact or was rounded to odd, and flushes it.
#[inline(always)]
fn flushed_from_single<F: Half>(x: f32) -> u16 {
    let code = from_single::<F>(x);
    if x.abs() < F::TINY { code & SIGN } else { code }
}

/// `mul.rn`.
#[inline(always)]
pub(crate) fn mul<F: Half>(a: u16, b: u16) -> u16 {
    from_single::<F>(F::product(a, b))
}

/// `mul.rn.ftz` of operands that are flushed.
#[inline(always)]
pub(crate) fn mul_flushing<F: Half>(a: u16, b: u16) -> u16 {
    flushed_from_single::<F>(F::product(a, b))
}

/// The exact sum of a product and a number, or what is as good.
#[inline(always)]
fn fused<F: Half>(a: u16, b: u16, c: u16) -> f32 {
    let product = f64::from(F::to_single(a)) * f64::from(F::to_single(b));
    double_to_single_odd(F::fused_sum(product, f64::from(F::to_single(c))))
}

/// `fma.rn`.
#[inline(always)]
pub(crate) fn fma<F: Half>(a: u16, b: u16, c: u16) -> u16 {
    from_single::<F>(fused::<F>(a, b, c))
}

/// `fma.rn.ftz` of operands that are flushed.
#[inline(always)]
pub(crate) fn fma_flushing<F: Half>(a: u16, b: u16, c: u16) -> u16 {
    flushed_from_single::<F>(fused::<F>(a, b, c))
}

/// `neg`. The manual leaves the NaN unspecified; only the sign changes here.
#[inline(always)]
pub(crate) fn neg(a: u16) -> u16 {
    a ^ SIGN
}

/// `abs`. The manual leaves the NaN unspecified; only the sign changes here.
#[inline(always)]
pub(crate) fn abs(a: u16) -> u16 {
    a & !SIGN
}

/// A key that orders all numbers as integers, with `-0 < +0`.
#[inline(always)]
fn order_key(a: u16) -> i16 {
    let bits = a as i16;
    bits ^ (((bits >> 15) as u16) >> 1) as i16
}

/// The canonical form of a result that may be NaN.
#[inline(always)]
pub(crate) fn canonical<F: Half>(a: u16) -> u16 {
    if is_nan::<F>(a) { CANONICAL_NAN } else { a }
}

/// `min`: a NaN operand is ignored, two give the canonical NaN, `-0 < +0`.
#[inline(always)]
pub(crate) fn min<F: Half>(a: u16, b: u16) -> u16 {
    let smaller = if order_key(a) < order_key(b) { a } else { b };
    let without_nan = if is_nan::<F>(b) { a } else { smaller };
    canonical::<F>(if is_nan::<F>(a) { b } else { without_nan })
}

/// `max`: a NaN operand is ignored, two give the canonical NaN, `-0 < +0`.
#[inline(always)]
pub(crate) fn max<F: Half>(a: u16, b: u16) -> u16 {
    let larger = if order_key(a) > order_key(b) { a } else { b };
    let without_nan = if is_nan::<F>(b) { a } else { larger };
    canonical::<F>(if is_nan::<F>(a) { b } else { without_nan })
}

/// `min.NaN`.
#[inline(always)]
pub(crate) fn min_nan<F: Half>(a: u16, b: u16) -> u16 {
    if is_nan::<F>(a) | is_nan::<F>(b) { CANONICAL_NAN } else { min::<F>(a, b) }
}

/// `max.NaN`.
#[inline(always)]
pub(crate) fn max_nan<F: Half>(a: u16, b: u16) -> u16 {
    if is_nan::<F>(a) | is_nan::<F>(b) { CANONICAL_NAN } else { max::<F>(a, b) }
}

/// `.xorsign` on the result of a minimum or maximum of the absolute values of `a` and `b`.
#[inline(always)]
pub(crate) fn with_xor_sign<F: Half>(magnitude: u16, a: u16, b: u16) -> u16 {
    let signed = (magnitude & !SIGN) | ((a ^ b) & SIGN);
    if is_nan::<F>(magnitude) { CANONICAL_NAN } else { signed }
}

/// `min.xorsign.abs`.
#[inline(always)]
pub(crate) fn min_xorsign_abs<F: Half>(a: u16, b: u16) -> u16 {
    with_xor_sign::<F>(min::<F>(abs(a), abs(b)), a, b)
}

/// `max.xorsign.abs`.
#[inline(always)]
pub(crate) fn max_xorsign_abs<F: Half>(a: u16, b: u16) -> u16 {
    with_xor_sign::<F>(max::<F>(abs(a), abs(b)), a, b)
}

/// `min.NaN.xorsign.abs`.
#[inline(always)]
pub(crate) fn min_nan_xorsign_abs<F: Half>(a: u16, b: u16) -> u16 {
    with_xor_sign::<F>(min_nan::<F>(abs(a), abs(b)), a, b)
}

/// `max.NaN.xorsign.abs`.
#[inline(always)]
pub(crate) fn max_nan_xorsign_abs<F: Half>(a: u16, b: u16) -> u16 {
    with_xor_sign::<F>(max_nan::<F>(abs(a), abs(b)), a, b)
}

/// `ex2.approx.f16`, and `ex2.approx.ftz.bf16` between two [`flush`]es.
#[inline(always)]
pub(crate) fn ex2<F: Half>(a: u16) -> u16 {
    from_single::<F>(approx::ex2(F::to_single(a)))
}

/// `tanh.approx`.
#[inline(always)]
pub(crate) fn tanh<F: Half>(a: u16) -> u16 {
    from_single::<F>(approx::tanh(F::to_single(a)))
}

/// [`relu`] on both elements of a packed pair.
#[inline(always)]
pub(crate) fn relu_pair<F: Half>(pair: u32) -> u32 {
    let [lower, upper] = unpack(pair);
    pack(relu::<F>(lower), relu::<F>(upper))
}

/// The lower and the upper element of a packed pair.
#[inline(always)]
pub(crate) fn unpack(a: u32) -> [u16; 2] {
    [a as u16, (a >> 16) as u16]
}

/// Packs a lower and an upper element.
#[inline(always)]
pub(crate) fn pack(lower: u16, upper: u16) -> u32 {
    u32::from(lower) | (u32::from(upper) << 16)
}
