//! `cvt` of packed values, and `cvt.pack`.
//!
//! In each instruction with two sources, `a` becomes the upper element and `b` the lower one.
//! Stochastic rounding (`.rs`) and `.s2f6x2` are missing; both need an sm_100 or later.

use super::Round;
use super::half::{Half, pack, unpack};
use super::narrow::{Bf16, F16, Narrow, narrow, widen};

/// `cvt.{f16x2,bf16x2}.f32`; `.relu` is [`super::half::relu_pair`] on the result.
#[inline(always)]
pub(crate) fn singles_to_halves<F: Half>(a: f32, b: f32, round: Round, finite: bool) -> u32 {
    pack(narrow::<F>(b, round, finite) as u16, narrow::<F>(a, round, finite) as u16)
}

/// `cvt.rn.satfinite.{e4m3x2,e5m2x2,e2m3x2,e3m2x2}.f32`: one byte for each element. `.relu` is
/// [`super::convert::relu_single`] on both sources.
#[inline(always)]
pub(crate) fn singles_to_bytes<F: Narrow>(a: f32, b: f32) -> u16 {
    let upper = narrow::<F>(a, Round::Nearest, true) as u16;
    let lower = narrow::<F>(b, Round::Nearest, true) as u16;
    (upper << 8) | lower
}

/// The same from `.f16x2` or `.bf16x2`. `.relu` is [`super::half::relu_pair`] on the source.
#[inline(always)]
pub(crate) fn halves_to_bytes<F: Half, T: Narrow>(a: u32) -> u16 {
    let [lower, upper] = unpack(a);
    singles_to_bytes::<T>(F::to_single(upper), F::to_single(lower))
}

/// `cvt.rn.f16x2.{e4m3x2,e5m2x2,e2m3x2,e3m2x2}`: exact; `.relu` is [`super::half::relu_pair`] on the result.
#[inline(always)]
pub(crate) fn bytes_to_halves<T: Narrow>(a: u16) -> u32 {
    let element =
        |code: u16| narrow::<F16>(widen::<T>(u32::from(code)), Round::Nearest, false) as u16;
    pack(element(a & 0xff), element(a >> 8))
}

/// `cvt.rn.satfinite.e2m1x2.f32`: four bits for each element.
#[inline(always)]
pub(crate) fn singles_to_nibbles<F: Narrow>(a: f32, b: f32) -> u8 {
    let upper = narrow::<F>(a, Round::Nearest, true) as u8;
    let lower = narrow::<F>(b, Round::Nearest, true) as u8;
    (upper << 4) | lower
}

/// The same from `.f16x2` or `.bf16x2`.
#[inline(always)]
pub(crate) fn halves_to_nibbles<F: Half, T: Narrow>(a: u32) -> u8 {
    let [lower, upper] = unpack(a);
    singles_to_nibbles::<T>(F::to_single(upper), F::to_single(lower))
}

/// `cvt.rn.f16x2.e2m1x2`: exact.
#[inline(always)]
pub(crate) fn nibbles_to_halves<T: Narrow>(a: u8) -> u32 {
    let element =
        |code: u8| narrow::<F16>(widen::<T>(u32::from(code)), Round::Nearest, false) as u16;
    pack(element(a & 0xf), element(a >> 4))
}

/// A single to `.ue8m0`, the power of two towards zero (`.rz`) or upwards (`.rp`). The sign is
/// dropped; NaN becomes `0xFF`, as do values beyond the largest power without `.satfinite`.
#[inline(always)]
pub(crate) fn single_to_power(x: f32, round: Round, finite: bool) -> u8 {
    let magnitude = x.to_bits() & 0x7fff_ffff;
    // The smallest power, 2^-127, is a subnormal single.
    let between_powers = magnitude & 0x007f_ffff != 0 && magnitude > 0x0040_0000;
    let up = round == Round::Up && between_powers && magnitude < 0x7f80_0000;
    let code = (magnitude >> 23) + u32::from(up);
    let limited = if finite && magnitude <= 0x7f80_0000 { code.min(0xfe) } else { code };
    limited as u8
}

/// `cvt.{rz,rp}.ue8m0x2.f32`.
#[inline(always)]
pub(crate) fn singles_to_powers(a: f32, b: f32, round: Round, finite: bool) -> u16 {
    let upper = u16::from(single_to_power(a, round, finite));
    (upper << 8) | u16::from(single_to_power(b, round, finite))
}

/// `cvt.{rz,rp}.ue8m0x2.bf16x2`.
#[inline(always)]
pub(crate) fn halves_to_powers(a: u32, round: Round, finite: bool) -> u16 {
    let [lower, upper] = unpack(a);
    singles_to_powers(Bf16::to_single(upper), Bf16::to_single(lower), round, finite)
}

/// `cvt.rn.bf16x2.ue8m0x2`: exact.
#[inline(always)]
pub(crate) fn powers_to_halves(a: u16) -> u32 {
    let element = |code: u16| match code {
        0xff => 0x7fff,
        0 => 0x0040,
        _ => code << 7,
    };
    pack(element(a & 0xff), element(a >> 8))
}

/// `cvt.pack.sat.{u,s}BITS.s32.b32 d, a, b, c`: `a` above `b` in the low bits, the low bits of `c`
/// above both. The form without `c`, for 16 bits, is the same because nothing of `c` is left.
#[inline(always)]
pub(crate) fn pack_saturating(a: i32, b: i32, c: u32, bits: u32, signed: bool) -> u32 {
    let (low, high) = if signed {
        (-(1i32 << (bits - 1)), (1i32 << (bits - 1)) - 1)
    } else {
        (0, (1i32 << bits) - 1)
    };
    let mask = (1u32 << bits) - 1;
    let element = |value: i32| value.clamp(low, high) as u32 & mask;
    let rest = if bits == 16 { 0 } else { c << (2 * bits) };
    rest | (element(a) << bits) | element(b)
}
