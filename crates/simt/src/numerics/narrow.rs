//! Rounding a single to a narrower format, and widening it back.
//!
//! One function does it for every format of the manual from tf32 down to e2m1, because they differ
//! only in the widths of their fields and in what stands for infinity and NaN.

use super::Round;
use super::single::CANONICAL_NAN;

/// A format narrower than single precision.
pub(crate) trait Narrow: Copy {
    /// Bits of the exponent field.
    const EXPONENT_BITS: u32;
    /// Bits of the fraction field.
    const FRACTION_BITS: u32;
    /// The code of the largest finite number.
    const LARGEST: u32;
    /// The code an overflow becomes without `.satfinite`.
    const INFINITY: u32;
    /// The code a NaN becomes.
    const NAN: u32;

    /// Where the sign bit stands.
    const SIGN: u32 = 1 << (Self::EXPONENT_BITS + Self::FRACTION_BITS);
    /// What is added to an exponent in this format.
    const BIAS: i32 = (1 << (Self::EXPONENT_BITS - 1)) - 1;
}

macro_rules! narrow_format {
    ($(#[$doc:meta])* $name:ident, $exponent:literal, $fraction:literal, $largest:literal, $infinity:literal, $nan:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;
        impl Narrow for $name {
            const EXPONENT_BITS: u32 = $exponent;
            const FRACTION_BITS: u32 = $fraction;
            const LARGEST: u32 = $largest;
            const INFINITY: u32 = $infinity;
            const NAN: u32 = $nan;
        }
    };
}

narrow_format!(
    /// `.f16`.
    F16, 5, 10, 0x7bff, 0x7c00, 0x7fff
);
narrow_format!(
    /// `.bf16`.
    Bf16, 8, 7, 0x7f7f, 0x7f80, 0x7fff
);
narrow_format!(
    /// `.tf32`, right-aligned: its register form is shifted left by 13.
    Tf32, 8, 10, 0x3fbff, 0x3fc00, 0x3ffff
);
narrow_format!(
    /// `.e5m2`.
    E5m2, 5, 2, 0x7b, 0x7c, 0x7f
);
narrow_format!(
    /// `.e4m3`, which has no infinity.
    E4m3, 4, 3, 0x7e, 0x7f, 0x7f
);
narrow_format!(
    /// `.e3m2`, which has neither infinity nor NaN.
    E3m2, 3, 2, 0x1f, 0x1f, 0x1f
);
narrow_format!(
    /// `.e2m3`, which has neither infinity nor NaN.
    E2m3, 2, 3, 0x1f, 0x1f, 0x1f
);
narrow_format!(
    /// `.e2m1`, which has neither infinity nor NaN.
    E2m1, 2, 1, 0x7, 0x7, 0x7
);

/// Rounds `x` to the format. NaN becomes the positive NaN of the format, or its largest number
/// where it has no NaN. `finite` is `.satfinite`: what would overflow, and infinity, becomes the
/// largest number of the same sign.
#[inline(always)]
pub(crate) fn narrow<F: Narrow>(x: f32, round: Round, finite: bool) -> u32 {
    let bits = x.to_bits();
    let negative = bits >> 31 != 0;
    let magnitude = bits & 0x7fff_ffff;
    let field = (magnitude >> 23) as i32;
    let hidden = if field == 0 { 0 } else { 0x0080_0000 };
    let significand = (magnitude & 0x007f_ffff) | hidden;
    // The exponent field in the target; below one the result is subnormal there.
    let target = field.max(1) - 127 + F::BIAS;
    let denormalising = (1 - target).max(0) as u32;
    // Everything beyond 30 places is far below half a unit either way.
    let shift = (23 - F::FRACTION_BITS + denormalising).min(30);
    let kept = significand >> shift;
    let lost = significand & ((1 << shift) - 1);
    let half = 1u32 << (shift - 1);
    let up = match round {
        Round::Nearest => (lost > half) | ((lost == half) & (kept & 1 == 1)),
        Round::NearestAway => lost >= half,
        Round::Zero => false,
        Round::Down => negative & (lost != 0),
        Round::Up => !negative & (lost != 0),
    };
    // The hidden bit of `kept` carries into the exponent field, which therefore starts one lower.
    let code = (((target.max(1) - 1) as u32) << F::FRACTION_BITS) + kept + u32::from(up);
    let to_infinity = match round {
        Round::Nearest | Round::NearestAway => true,
        Round::Zero => false,
        Round::Down => negative,
        Round::Up => !negative,
    };
    let infinite = magnitude == 0x7f80_0000;
    let beyond = if !finite && (to_infinity || infinite) { F::INFINITY } else { F::LARGEST };
    let limited = if code > F::LARGEST { beyond } else { code };
    let signed = limited | if negative { F::SIGN } else { 0 };
    if magnitude > 0x7f80_0000 { F::NAN } else { signed }
}

/// The single that equals a finite or infinite code of the format; NaN becomes canonical.
#[inline(always)]
pub(crate) fn widen<F: Narrow>(code: u32) -> f32 {
    let magnitude = code & (F::SIGN - 1);
    let shifted = magnitude << (23 - F::FRACTION_BITS);
    let rebias = ((127 - F::BIAS) as u32) << 23;
    // A subnormal becomes the fraction above the smallest normal number, which is then taken away;
    // a product with a power of two would be slow on hosts that trap on subnormal operands.
    let smallest = rebias + (1 << 23);
    let subnormal = f32::from_bits(shifted + smallest) - f32::from_bits(smallest);
    let is_subnormal = magnitude >> F::FRACTION_BITS == 0;
    let number = if is_subnormal { subnormal.to_bits() } else { shifted + rebias };
    // Formats without infinity or NaN use every code for numbers.
    let has_infinity = F::INFINITY != F::LARGEST && F::INFINITY != F::NAN;
    let infinite = has_infinity && magnitude == F::INFINITY;
    let value = if infinite { f32::INFINITY.to_bits() } else { number };
    let signed = value | ((code & F::SIGN) << (31 - F::EXPONENT_BITS - F::FRACTION_BITS));
    let nan = F::NAN != F::LARGEST && magnitude > F::LARGEST && !infinite;
    f32::from_bits(if nan { CANONICAL_NAN.to_bits() } else { signed })
}
