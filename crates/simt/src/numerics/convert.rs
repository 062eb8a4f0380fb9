//! `cvt` between floating-point types, and to integral values of the same type.
//!
//! A conversion composes: flush the single-precision input (`.ftz`), convert, flush a
//! single-precision result, then saturate (`.sat`, `.relu`). Conversions with integers are in
//! [`super::convert_integer`], packed ones in [`super::convert_packed`].

use super::directed::double_to_single_odd;
use super::half::Half;
use super::narrow::{Tf32, narrow};
use super::single::{TINY_SCALE, canonical, flush_always, is_tiny_scaled};
use super::{Round, directed, double, half};

/// `cvt.{f16,bf16}.f32`; `finite` is `.satfinite`.
#[inline(always)]
pub(crate) fn single_to_half<F: Half>(x: f32, round: Round, finite: bool) -> u16 {
    narrow::<F>(x, round, finite) as u16
}

/// `cvt.f32.{f16,bf16}`: exact.
#[inline(always)]
pub(crate) fn half_to_single<F: Half>(a: u16) -> f32 {
    F::to_single(a)
}

/// A NaN of double precision in a format with so many bits of fraction: quiet, with its sign and
/// the upper bits of its payload. `infinity` is the format's infinity.
#[inline(always)]
fn shortened_nan(bits: u64, fraction_bits: u32, infinity: u32) -> u32 {
    let payload = (bits >> (52 - fraction_bits)) as u32 & ((1 << fraction_bits) - 1);
    payload | infinity | 1 << (fraction_bits - 1)
}

/// `cvt.f32.f64`. The payload of a NaN is kept as far as there is room (the manual does not say).
#[inline(always)]
pub(crate) fn double_to_single(x: f64, round: Round) -> f32 {
    let number = directed::double_to_single(x, round).to_bits();
    let bits = x.to_bits();
    let nan = shortened_nan(bits, 23, 0x7f80_0000) | (bits >> 32) as u32 & 0x8000_0000;
    f32::from_bits(if x.is_nan() { nan } else { number })
}

/// `cvt.ftz.f32.f64`.
#[inline(always)]
pub(crate) fn double_to_single_flushing(x: f64, round: Round) -> f32 {
    let result = double_to_single(x, round);
    let is_tiny = is_tiny_scaled(directed::double_to_single(x * f64::from(TINY_SCALE), round));
    if is_tiny { flush_always(result) } else { result }
}

/// `cvt.{f16,bf16}.f64`: see [`double_to_single`].
#[inline(always)]
pub(crate) fn double_to_half<F: Half>(x: f64, round: Round) -> u16 {
    let number = narrow::<F>(double_to_single_odd(x), round, false) as u16;
    let bits = x.to_bits();
    let nan =
        shortened_nan(bits, F::FRACTION_BITS, F::INFINITY) as u16 | (bits >> 48) as u16 & 0x8000;
    if x.is_nan() { nan } else { number }
}

/// `cvt.f64.{f16,bf16}`: exact. The payload of a NaN is kept (the manual does not say).
#[inline(always)]
pub(crate) fn half_to_double<F: Half>(a: u16) -> f64 {
    let bits = u64::from(a);
    let payload = (bits & ((1 << F::FRACTION_BITS) - 1)) << (52 - F::FRACTION_BITS);
    let nan = payload | 0x7ff8_0000_0000_0000 | (bits & 0x8000) << 48;
    let number = single_to_double(F::to_single(a)).to_bits();
    f64::from_bits(if half::is_nan::<F>(a) { nan } else { number })
}

/// `cvt.f64.f32`: exact. The payload of a NaN is kept (the manual does not say).
#[inline(always)]
pub(crate) fn single_to_double(x: f32) -> f64 {
    let bits = u64::from(x.to_bits());
    let payload = ((bits & 0x8000_0000) << 32) | ((bits & 0x007f_ffff) << 29);
    let nan = payload | 0x7ff8_0000_0000_0000;
    // In integers, because the compiler counts all NaNs as equal.
    f64::from_bits(if x.is_nan() { nan } else { f64::from(x).to_bits() })
}

/// `cvt.tf32.f32`: the low 13 bits of the result are zero. NaN becomes `0x7FFFE000`, but `.rna` just
/// cuts it, which may leave infinity.
#[inline(always)]
pub(crate) fn single_to_tf32(x: f32, round: Round, finite: bool) -> u32 {
    let code = narrow::<Tf32>(x, round, finite) << 13;
    let cut = round == Round::NearestAway && x.is_nan();
    if cut { x.to_bits() & 0xffff_e000 } else { code }
}

/// `.relu` before a conversion to a type without a half-precision result: a negative number, `-0`
/// included, becomes `+0`. Clamping first gives what clamping the rounded result would.
#[inline(always)]
pub(crate) fn relu_single(x: f32) -> f32 {
    let clamped = if x.to_bits() >> 31 != 0 { 0.0 } else { x };
    if x.is_nan() { canonical(x) } else { clamped }
}

/// `cvt.{rni,rzi,rmi,rpi}.f32.f32`: rounds to an integral value and keeps the sign of zero.
#[inline(always)]
pub(crate) fn single_to_integral(x: f32, round: Round) -> f32 {
    const ROUNDER: f32 = 8_388_608.0; // 2^23: from there on every single is integral
    let rounder = ROUNDER.copysign(x);
    let one = 1f32.copysign(x);
    let nearest = (x + rounder) - rounder;
    let adjusted = match round {
        Round::Nearest | Round::NearestAway => nearest,
        Round::Zero => {
            if nearest.abs() > x.abs() {
                nearest - one
            } else {
                nearest
            }
        }
        Round::Down => {
            if nearest > x {
                nearest - 1.0
            } else {
                nearest
            }
        }
        Round::Up => {
            if nearest < x {
                nearest + 1.0
            } else {
                nearest
            }
        }
    };
    // The comparison is false for NaN, which must stay NaN.
    canonical(if x.abs() < ROUNDER { adjusted.copysign(x) } else { x })
}

/// `cvt.{rni,rzi,rmi,rpi}.f64.f64`: see [`single_to_integral`].
#[inline(always)]
pub(crate) fn double_to_integral(x: f64, round: Round) -> f64 {
    const ROUNDER: f64 = 4_503_599_627_370_496.0; // 2^52
    let rounder = ROUNDER.copysign(x);
    let one = 1f64.copysign(x);
    let nearest = (x + rounder) - rounder;
    let adjusted = match round {
        Round::Nearest | Round::NearestAway => nearest,
        Round::Zero => {
            if nearest.abs() > x.abs() {
                nearest - one
            } else {
                nearest
            }
        }
        Round::Down => {
            if nearest > x {
                nearest - 1.0
            } else {
                nearest
            }
        }
        Round::Up => {
            if nearest < x {
                nearest + 1.0
            } else {
                nearest
            }
        }
    };
    let result = if x.abs() < ROUNDER { adjusted.copysign(x) } else { x };
    double::propagate1(result, x)
}
