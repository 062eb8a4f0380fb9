//! Helpers of double precision: NaN propagation, minimum and maximum, classes, the nearest-rounded
//! operations.
//!
//! Double-precision instructions keep NaN payloads. The order in which operands are looked at
//! (first `a`, then `b`, then `c`) is the one of the division routine of sm_90; the manual does not
//! give it.

/// The NaN that an invalid operation on numbers produces.
pub(crate) const DEFAULT_NAN: f64 = f64::from_bits(0xfff8_0000_0000_0000);

const SIGN: u64 = 1 << 63;
const QUIET: u64 = 1 << 51;

/// Whether the bits are those of a NaN. Choices between NaNs are made in integers here, because the
/// compiler counts all NaNs as equal and would drop them.
#[inline(always)]
fn is_nan_bits(bits: u64) -> bool {
    bits & !SIGN > 0x7ff0_0000_0000_0000
}

/// The operand made quiet if it is NaN, else `otherwise`.
#[inline(always)]
fn nan_or(operand: f64, otherwise: u64) -> u64 {
    let bits = operand.to_bits();
    if is_nan_bits(bits) { bits | QUIET } else { otherwise }
}

/// `result`, with `nan` in the place of a NaN.
#[inline(always)]
fn replace_nan(result: f64, nan: u64) -> f64 {
    let bits = result.to_bits();
    f64::from_bits(if is_nan_bits(bits) { nan } else { bits })
}

/// The result of an operation on one operand: `result`, or the right NaN in its place.
#[inline(always)]
pub(crate) fn propagate1(result: f64, a: f64) -> f64 {
    replace_nan(result, nan_or(a, DEFAULT_NAN.to_bits()))
}

/// The result of an operation on two operands: `result`, or the right NaN in its place.
#[inline(always)]
pub(crate) fn propagate2(result: f64, a: f64, b: f64) -> f64 {
    replace_nan(result, nan_or(a, nan_or(b, DEFAULT_NAN.to_bits())))
}

/// The result of an operation on three operands: `result`, or the right NaN in its place.
#[inline(always)]
pub(crate) fn propagate3(result: f64, a: f64, b: f64, c: f64) -> f64 {
    replace_nan(result, nan_or(a, nan_or(b, nan_or(c, DEFAULT_NAN.to_bits()))))
}

/// `add.rn.f64`.
#[inline(always)]
pub(crate) fn add(a: f64, b: f64) -> f64 {
    propagate2(a + b, a, b)
}

/// `sub.rn.f64`.
#[inline(always)]
pub(crate) fn sub(a: f64, b: f64) -> f64 {
    propagate2(a - b, a, b)
}

/// `mul.rn.f64`.
#[inline(always)]
pub(crate) fn mul(a: f64, b: f64) -> f64 {
    propagate2(a * b, a, b)
}

/// `fma.rn.f64` by the host's fused operation (exact everywhere, fast where the machine has one).
#[inline(always)]
pub(crate) fn fma(a: f64, b: f64, c: f64) -> f64 {
    propagate3(a.mul_add(b, c), a, b, c)
}

/// `div.rn.f64`.
#[inline(always)]
pub(crate) fn div(a: f64, b: f64) -> f64 {
    propagate2(a / b, a, b)
}

/// `rcp.rn.f64`.
#[inline(always)]
pub(crate) fn rcp(a: f64) -> f64 {
    propagate1(1.0 / a, a)
}

/// `sqrt.rn.f64`.
#[inline(always)]
pub(crate) fn sqrt(a: f64) -> f64 {
    propagate1(a.sqrt(), a)
}

/// `abs.f64`. A NaN is passed through unchanged, sign included, as the manual says.
#[inline(always)]
pub(crate) fn abs(a: f64) -> f64 {
    let bits = a.to_bits();
    f64::from_bits(if is_nan_bits(bits) { bits } else { bits & !SIGN })
}

/// `neg.f64`. The manual leaves the NaN unspecified; only the sign changes here.
#[inline(always)]
pub(crate) fn neg(a: f64) -> f64 {
    f64::from_bits(a.to_bits() ^ SIGN)
}

/// `copysign.f64 d, a, b`: the sign of `a` on the value of `b`.
#[inline(always)]
pub(crate) fn copysign(a: f64, b: f64) -> f64 {
    f64::from_bits((a.to_bits() & SIGN) | (b.to_bits() & !SIGN))
}

/// A subnormal becomes a zero of the same sign (only `rcp` and `rsqrt.approx.ftz.f64` need it).
#[inline(always)]
pub(crate) fn flush(x: f64) -> f64 {
    let bits = x.to_bits();
    let keep = if bits & 0x7ff0_0000_0000_0000 == 0 { SIGN } else { u64::MAX };
    f64::from_bits(bits & keep)
}

/// `cvt.sat.f64`: limits to [0, 1]; NaN and `-0` become `+0`.
#[inline(always)]
pub(crate) fn saturate(x: f64) -> f64 {
    let above_zero = if x > 0.0 { x } else { 0.0 };
    if above_zero < 1.0 { above_zero } else { 1.0 }
}

/// A key that orders all numbers as integers, with `-0 < +0`.
#[inline(always)]
fn order_key(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// `min.f64`: a NaN operand is ignored, `-0 < +0`. Of two NaNs the code generated for sm_90 gives
/// the second one, made quiet.
#[inline(always)]
pub(crate) fn min(a: f64, b: f64) -> f64 {
    let smaller = if order_key(a) < order_key(b) { a } else { b };
    let without_nan = if is_nan_bits(b.to_bits()) { a } else { smaller };
    let of_b = nan_or(b, b.to_bits());
    f64::from_bits(if is_nan_bits(a.to_bits()) { of_b } else { without_nan.to_bits() })
}

/// `max.f64`: see [`min`].
#[inline(always)]
pub(crate) fn max(a: f64, b: f64) -> f64 {
    let larger = if order_key(a) > order_key(b) { a } else { b };
    let without_nan = if is_nan_bits(b.to_bits()) { a } else { larger };
    let of_b = nan_or(b, b.to_bits());
    f64::from_bits(if is_nan_bits(a.to_bits()) { of_b } else { without_nan.to_bits() })
}

/// `testp.finite.f64`.
#[inline(always)]
pub(crate) fn is_finite(a: f64) -> bool {
    a.is_finite()
}

/// `testp.infinite.f64`.
#[inline(always)]
pub(crate) fn is_infinite(a: f64) -> bool {
    a.is_infinite()
}

/// `testp.notanumber.f64`; `testp.number.f64` is its negation.
#[inline(always)]
pub(crate) fn is_nan(a: f64) -> bool {
    a.is_nan()
}

/// `testp.normal.f64`: zeros count as normal.
#[inline(always)]
pub(crate) fn is_normal(a: f64) -> bool {
    a.is_finite() && !a.is_subnormal()
}

/// `testp.subnormal.f64`.
#[inline(always)]
pub(crate) fn is_subnormal(a: f64) -> bool {
    a.is_subnormal()
}
