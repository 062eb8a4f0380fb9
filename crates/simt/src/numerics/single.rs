//! Helpers of single precision: canonical NaN, flushing, saturation, minimum and maximum.

/// The NaN that single-precision instructions of sm_90 produce.
pub(crate) const CANONICAL_NAN: f32 = f32::from_bits(0x7fff_ffff);

const SIGN: u32 = 0x8000_0000;

/// Replaces any NaN by the canonical one: apply it to the result of every arithmetic operation,
/// because the host's choice of NaN differs between machines.
#[inline(always)]
pub(crate) fn canonical(x: f32) -> f32 {
    // In integers, because the compiler counts all NaNs as equal and would drop the selection.
    let bits = x.to_bits();
    f32::from_bits(if bits & !SIGN > 0x7f80_0000 { CANONICAL_NAN.to_bits() } else { bits })
}

/// `.ftz`: a subnormal becomes a zero of the same sign.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    let keep = if bits & 0x7f80_0000 == 0 { SIGN } else { u32::MAX };
    f32::from_bits(bits & keep)
}

/// What the operands of a calculation are scaled by to see whether its result is tiny. No operand
/// of a calculation with a tiny result overflows by it.
pub(crate) const TINY_SCALE: f32 = 4_294_967_296.0;

/// Whether a result is to be flushed, by the result of the scaled operands. `.ftz` looks at the
/// number rounded as if there were smaller exponents, not at what is left of it with the smallest
/// one: just below the smallest normal number the two differ.
#[inline(always)]
pub(crate) fn is_tiny_scaled(scaled: f32) -> bool {
    scaled.abs() < f32::MIN_POSITIVE * TINY_SCALE
}

/// The zero with the sign of a number.
#[inline(always)]
pub(crate) fn flush_always(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & SIGN)
}

/// `.sat`: limits to [0, 1]; NaN and `-0` become `+0`.
#[inline(always)]
pub(crate) fn saturate(x: f32) -> f32 {
    // Both comparisons are false for NaN.
    let above_zero = if x > 0.0 { x } else { 0.0 };
    if above_zero < 1.0 { above_zero } else { 1.0 }
}

/// `add.rn.f32`.
#[inline(always)]
pub(crate) fn add(a: f32, b: f32) -> f32 {
    canonical(a + b)
}

/// `sub.rn.f32`.
#[inline(always)]
pub(crate) fn sub(a: f32, b: f32) -> f32 {
    canonical(a - b)
}

/// `mul.rn.f32`.
#[inline(always)]
pub(crate) fn mul(a: f32, b: f32) -> f32 {
    canonical(a * b)
}

/// `fma.rn.f32` by the host's fused operation. Fast where the code is compiled for a machine that
/// has one; elsewhere [`super::directed::fma_single`] is the fast way to the same result.
#[inline(always)]
pub(crate) fn fma(a: f32, b: f32, c: f32) -> f32 {
    canonical(a.mul_add(b, c))
}

/// `div.rn.f32`.
#[inline(always)]
pub(crate) fn div(a: f32, b: f32) -> f32 {
    canonical(a / b)
}

/// `rcp.rn.f32`.
#[inline(always)]
pub(crate) fn rcp(a: f32) -> f32 {
    canonical(1.0 / a)
}

/// `sqrt.rn.f32`.
#[inline(always)]
pub(crate) fn sqrt(a: f32) -> f32 {
    canonical(a.sqrt())
}

/// `abs.f32`. The manual leaves the NaN unspecified; the hardware changes only the sign.
#[inline(always)]
pub(crate) fn abs(a: f32) -> f32 {
    f32::from_bits(a.to_bits() & !SIGN)
}

/// `neg.f32`. The manual leaves the NaN unspecified; the hardware changes only the sign.
#[inline(always)]
pub(crate) fn neg(a: f32) -> f32 {
    f32::from_bits(a.to_bits() ^ SIGN)
}

/// `copysign.f32 d, a, b`: the sign of `a` on the value of `b`.
#[inline(always)]
pub(crate) fn copysign(a: f32, b: f32) -> f32 {
    f32::from_bits((a.to_bits() & SIGN) | (b.to_bits() & !SIGN))
}

/// A key that orders all numbers as integers, with `-0 < +0`.
#[inline(always)]
fn order_key(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}

/// `min.f32`: a NaN operand is ignored, two give the canonical NaN, `-0 < +0`.
#[inline(always)]
pub(crate) fn min(a: f32, b: f32) -> f32 {
    let smaller = if order_key(a) < order_key(b) { a } else { b };
    let without_nan = if b.is_nan() { a } else { smaller };
    canonical(if a.is_nan() { b } else { without_nan })
}

/// `max.f32`: a NaN operand is ignored, two give the canonical NaN, `-0 < +0`.
#[inline(always)]
pub(crate) fn max(a: f32, b: f32) -> f32 {
    let larger = if order_key(a) > order_key(b) { a } else { b };
    let without_nan = if b.is_nan() { a } else { larger };
    canonical(if a.is_nan() { b } else { without_nan })
}

/// `min.NaN.f32`: any NaN operand gives the canonical NaN.
#[inline(always)]
pub(crate) fn min_nan(a: f32, b: f32) -> f32 {
    canonical(if a.is_nan() || b.is_nan() { CANONICAL_NAN } else { min(a, b) })
}

/// `max.NaN.f32`: any NaN operand gives the canonical NaN.
#[inline(always)]
pub(crate) fn max_nan(a: f32, b: f32) -> f32 {
    canonical(if a.is_nan() || b.is_nan() { CANONICAL_NAN } else { max(a, b) })
}

/// Puts the exclusive or of the signs of `a` and `b` on `magnitude`, unless that is NaN.
#[inline(always)]
fn with_xor_sign(magnitude: f32, a: f32, b: f32) -> f32 {
    let sign = (a.to_bits() ^ b.to_bits()) & SIGN;
    let signed = f32::from_bits((magnitude.to_bits() & !SIGN) | sign);
    canonical(if magnitude.is_nan() { CANONICAL_NAN } else { signed })
}

/// `min.xorsign.abs.f32`.
#[inline(always)]
pub(crate) fn min_xorsign_abs(a: f32, b: f32) -> f32 {
    with_xor_sign(min(abs(a), abs(b)), a, b)
}

/// `max.xorsign.abs.f32`.
#[inline(always)]
pub(crate) fn max_xorsign_abs(a: f32, b: f32) -> f32 {
    with_xor_sign(max(abs(a), abs(b)), a, b)
}

/// `min.NaN.xorsign.abs.f32`.
#[inline(always)]
pub(crate) fn min_nan_xorsign_abs(a: f32, b: f32) -> f32 {
    with_xor_sign(min_nan(abs(a), abs(b)), a, b)
}

/// `max.NaN.xorsign.abs.f32`.
#[inline(always)]
pub(crate) fn max_nan_xorsign_abs(a: f32, b: f32) -> f32 {
    with_xor_sign(max_nan(abs(a), abs(b)), a, b)
}

/// `min.f32` of three inputs (sm_100); `.abs` is [`abs`] on each input.
#[inline(always)]
pub(crate) fn min3(a: f32, b: f32, c: f32) -> f32 {
    min(min(a, b), c)
}

/// `max.f32` of three inputs (sm_100); `.abs` is [`abs`] on each input.
#[inline(always)]
pub(crate) fn max3(a: f32, b: f32, c: f32) -> f32 {
    max(max(a, b), c)
}

/// `min.NaN.f32` of three inputs (sm_100).
#[inline(always)]
pub(crate) fn min3_nan(a: f32, b: f32, c: f32) -> f32 {
    min_nan(min_nan(a, b), c)
}

/// `max.NaN.f32` of three inputs (sm_100).
#[inline(always)]
pub(crate) fn max3_nan(a: f32, b: f32, c: f32) -> f32 {
    max_nan(max_nan(a, b), c)
}

/// `testp.finite.f32`.
#[inline(always)]
pub(crate) fn is_finite(a: f32) -> bool {
    a.to_bits() & 0x7f80_0000 != 0x7f80_0000
}

/// `testp.infinite.f32`.
#[inline(always)]
pub(crate) fn is_infinite(a: f32) -> bool {
    a.to_bits() & !SIGN == 0x7f80_0000
}

/// `testp.notanumber.f32`; `testp.number.f32` is its negation.
#[inline(always)]
pub(crate) fn is_nan(a: f32) -> bool {
    a.to_bits() & !SIGN > 0x7f80_0000
}

/// `testp.normal.f32`: zeros count as normal.
#[inline(always)]
pub(crate) fn is_normal(a: f32) -> bool {
    is_finite(a) && !is_subnormal(a)
}

/// `testp.subnormal.f32`.
#[inline(always)]
pub(crate) fn is_subnormal(a: f32) -> bool {
    let magnitude = a.to_bits() & !SIGN;
    magnitude.wrapping_sub(1) < 0x007f_ffff
}
