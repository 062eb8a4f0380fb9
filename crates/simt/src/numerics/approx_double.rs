//! The approximate double-precision functions.

use super::double;

/// The NaN of the two functions that work on the upper word only.
const UPPER_WORD_NAN: f64 = f64::from_bits(0x7fff_ffff_0000_0000);

/// The operand as the functions on the upper word see it: the lower word cleared, subnormals zero.
/// A NaN whose payload stands in the lower word only is infinity for them.
#[inline(always)]
fn upper_word(x: f64) -> f64 {
    double::flush(f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000))
}

/// Rounds to the upper word, ties up, and flushes subnormals.
#[inline(always)]
fn to_upper_word(x: f64) -> f64 {
    let rounded = x.to_bits().wrapping_add(0x8000_0000) & 0xffff_ffff_0000_0000;
    let kept = if x.is_infinite() { x.to_bits() } else { rounded };
    let flushed = double::flush(f64::from_bits(kept)).to_bits();
    // In integers, because the compiler counts all NaNs as equal.
    f64::from_bits(if x.is_nan() { UPPER_WORD_NAN.to_bits() } else { flushed })
}

/// `rcp.approx.ftz.f64`. The manual gives no error bound: this is the nearest 20-bit significand.
#[inline(always)]
pub(crate) fn rcp_ftz(x: f64) -> f64 {
    to_upper_word(1.0 / upper_word(x))
}

/// `rsqrt.approx.ftz.f64`. The manual gives no error bound: this is the nearest 20-bit significand.
#[inline(always)]
pub(crate) fn rsqrt_ftz(x: f64) -> f64 {
    to_upper_word(1.0 / upper_word(x).sqrt())
}

/// `rsqrt.approx.f64`: within two units in the last place.
#[inline(always)]
pub(crate) fn rsqrt(x: f64) -> f64 {
    double::propagate1(1.0 / x.sqrt(), x)
}
