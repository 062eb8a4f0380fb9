//! Conversions between types, at the limits of both.

use super::Values;
use crate::numerics::convert::*;
use crate::numerics::convert_integer::*;
use crate::numerics::convert_packed::*;
use crate::numerics::half::Half;
use crate::numerics::narrow::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, Narrow, narrow, widen};
use crate::numerics::softfloat::{DOUBLE, Format, SINGLE};
use crate::numerics::{Round, half};

const MODES: [Round; 4] = [Round::Nearest, Round::Zero, Round::Down, Round::Up];
const HALF: Format = Format { exponent_bits: 5, fraction_bits: 10 };
const BRAIN: Format = Format { exponent_bits: 8, fraction_bits: 7 };
const TENSOR: Format = Format { exponent_bits: 8, fraction_bits: 10 };

#[test]
fn narrowing_equals_the_soft_implementation() {
    let mut values = Values::new(30);
    for _ in 0..300_000 {
        let x = f32::from_bits(values.pattern(32) as u32);
        let y = f64::from_bits(values.pattern(64));
        let (single, double) = (u64::from(x.to_bits()), y.to_bits());
        for round in MODES {
            if !x.is_nan() {
                let half = HALF.convert(SINGLE, single, round) as u16;
                assert_eq!(single_to_half::<F16>(x, round, false), half, "{x:e} {round:?}");
                let brain = BRAIN.convert(SINGLE, single, round) as u16;
                assert_eq!(single_to_half::<Bf16>(x, round, false), brain, "{x:e} {round:?}");
                let tensor = TENSOR.convert(SINGLE, single, round) as u32;
                assert_eq!(single_to_tf32(x, round, false), tensor << 13, "{x:e} {round:?}");
            }
            if !y.is_nan() {
                let half = HALF.convert(DOUBLE, double, round) as u16;
                assert_eq!(double_to_half::<F16>(y, round), half, "{y:e} {round:?}");
                let brain = BRAIN.convert(DOUBLE, double, round) as u16;
                assert_eq!(double_to_half::<Bf16>(y, round), brain, "{y:e} {round:?}");
                let single = SINGLE.convert(DOUBLE, double, round) as u32;
                assert_eq!(double_to_single(y, round).to_bits(), single, "{y:e} {round:?}");
            }
        }
        if !x.is_nan() {
            let away = TENSOR.convert(SINGLE, single, Round::NearestAway) as u32;
            assert_eq!(single_to_tf32(x, Round::NearestAway, false), away << 13);
        }
    }
}

#[test]
fn widening_is_the_inverse_of_narrowing() {
    fn check<F: Narrow>(codes: u32) {
        for code in 0..codes {
            let value = widen::<F>(code);
            if value.is_nan() {
                assert_eq!(narrow::<F>(value, Round::Nearest, false), F::NAN);
            } else {
                assert_eq!(narrow::<F>(value, Round::Nearest, false), code, "{code:x} {value:e}");
            }
        }
    }
    check::<F16>(1 << 16);
    check::<Bf16>(1 << 16);
    check::<E5m2>(256);
    check::<E4m3>(256);
    check::<E3m2>(64);
    check::<E2m3>(64);
    check::<E2m1>(16);
    assert_eq!(widen::<E4m3>(0x7e), 448.0);
    assert_eq!(widen::<E5m2>(0x7b), 57344.0);
    assert_eq!(widen::<E3m2>(0x1f), 28.0);
    assert_eq!(widen::<E2m3>(0x1f), 7.5);
    assert_eq!(widen::<E2m1>(0x7), 6.0);
    assert_eq!(widen::<E2m1>(0x1), 0.5);
    assert_eq!(widen::<F16>(0x0001), 2f32.powi(-24));
}

#[test]
fn eight_bits_are_the_nearest_by_brute_force() {
    fn check<F: Narrow>(x: f32) {
        let value = widen::<F>(narrow::<F>(x, Round::Nearest, true));
        let best = (0..F::SIGN)
            .map(widen::<F>)
            .filter(|candidate| candidate.is_finite())
            .map(|candidate| (f64::from(candidate) - f64::from(x.abs())).abs())
            .fold(f64::INFINITY, f64::min);
        assert_eq!((f64::from(value) - f64::from(x)).abs(), best, "{x:e} gave {value:e}");
        assert_eq!(value.is_sign_negative(), x.is_sign_negative());
    }
    let mut values = Values::new(31);
    for _ in 0..20_000 {
        let field = 96 + values.next() % 50;
        let x = f32::from_bits((values.pattern(32) as u32 & 0x807f_ffff) | ((field as u32) << 23));
        check::<E4m3>(x);
        check::<E5m2>(x);
        check::<E3m2>(x);
        check::<E2m3>(x);
        check::<E2m1>(x);
    }
}

#[test]
fn packed_forms_and_saturation() {
    assert_eq!(singles_to_halves::<F16>(1.0, 2.0, Round::Nearest, false), 0x3c00_4000);
    assert_eq!(singles_to_halves::<F16>(1e9, -1e9, Round::Nearest, true), 0x7bff_fbff);
    assert_eq!(singles_to_halves::<F16>(1e9, -1e9, Round::Zero, false), 0x7bff_fbff);
    assert_eq!(singles_to_halves::<Bf16>(f32::INFINITY, f32::NAN, Round::Zero, false), 0x7f80_7fff);
    assert_eq!(singles_to_bytes::<E4m3>(1e9, -1e9), 0x7efe);
    assert_eq!(singles_to_bytes::<E4m3>(f32::NAN, f32::INFINITY), 0x7f7e);
    assert_eq!(singles_to_bytes::<E5m2>(f32::NAN, f32::NEG_INFINITY), 0x7ffb);
    assert_eq!(singles_to_bytes::<E2m3>(f32::NAN, -9.0), 0x1f3f);
    assert_eq!(singles_to_nibbles::<E2m1>(1.0, -6.0), 0x2f);
    assert_eq!(halves_to_bytes::<F16, E4m3>(0x3c00_c000), 0x38c0);
    assert_eq!(bytes_to_halves::<E4m3>(0x38c0), 0x3c00_c000);
    assert_eq!(bytes_to_halves::<E5m2>(0x7c7e), 0x7c00_7fff);
    assert_eq!(nibbles_to_halves::<E2m1>(0x2f), 0x3c00_c600);
    assert_eq!(half::relu_pair::<F16>(0xbc00_3c00), 0x0000_3c00);
    assert_eq!(singles_to_powers(1.0, 1.5, Round::Zero, true), 0x7f7f);
    assert_eq!(singles_to_powers(1.0, 1.5, Round::Up, true), 0x7f80);
    assert_eq!(singles_to_powers(f32::INFINITY, f32::NAN, Round::Up, true), 0xfeff);
    assert_eq!(singles_to_powers(f32::MAX, -f32::MAX, Round::Up, false), 0xffff);
    assert_eq!(powers_to_halves(0xff00), 0x7fff_0040);
    assert_eq!(single_to_tf32(f32::from_bits(0x3f80_1000), Round::NearestAway, false), 0x3f80_2000);
    assert_eq!(single_to_tf32(f32::from_bits(0x3f80_1000), Round::Nearest, false), 0x3f80_0000);
    assert_eq!(single_to_tf32(f32::from_bits(0xffbf_ffff), Round::Nearest, false), 0x7fff_e000);
    assert_eq!(single_to_tf32(f32::from_bits(0xffbf_ffff), Round::NearestAway, false), 0xffbf_e000);
    assert_eq!(relu_single(-0.0).to_bits(), 0);
    assert_eq!(pack_saturating(70_000, -70_000, 0, 16, true), 0x7fff_8000);
    assert_eq!(pack_saturating(-5, 300, 0xaabb_ccdd, 8, false), 0xccdd_00ff);
    assert_eq!(pack_saturating(-9, 9, 0x1234_5678, 4, true), 0x3456_7887);
    assert_eq!(pack_saturating(5, -5, 0, 2, true), 0b0110);
}

#[test]
fn integral_rounding_equals_the_host() {
    let mut values = Values::new(32);
    for _ in 0..200_000 {
        let bits = values.pattern(32) as u32;
        let field = 120 + values.next() as u32 % 40;
        let x = f32::from_bits((bits & 0x807f_ffff) | (field << 23));
        let host = [x.round_ties_even(), x.trunc(), x.floor(), x.ceil()];
        let ours = MODES.map(|round| single_to_integral(x, round));
        assert_eq!(ours.map(f32::to_bits), host.map(f32::to_bits), "{x:e}");
        let bits = values.pattern(64);
        let field = 1015 + values.next() % 70;
        let x = f64::from_bits((bits & 0x800f_ffff_ffff_ffff) | (field << 52));
        let host = [x.round_ties_even(), x.trunc(), x.floor(), x.ceil()];
        let ours = MODES.map(|round| double_to_integral(x, round));
        assert_eq!(ours.map(f64::to_bits), host.map(f64::to_bits), "{x:e}");
    }
    assert_eq!(single_to_integral(-0.25, Round::Up).to_bits(), 0x8000_0000);
    assert_eq!(single_to_integral(f32::NAN, Round::Up).to_bits(), 0x7fff_ffff);
}

#[test]
fn float_to_integer_clamps_and_maps_nan() {
    let r = Round::Zero;
    assert_eq!(single_to_integer::<i32>(3e9, r), i32::MAX);
    assert_eq!(single_to_integer::<u32>(-1.0, r), 0);
    assert_eq!(single_to_integer::<i8>(-300.0, r), -128);
    assert_eq!(single_to_integer::<u8>(255.5, Round::Nearest), 255);
    assert_eq!(single_to_integer::<i32>(-2.5, Round::Nearest), -2);
    assert_eq!(single_to_integer::<i32>(-2.5, Round::Down), -3);
    assert_eq!(single_to_integer::<i32>(f32::NAN, r), 0);
    assert_eq!(single_to_integer::<u16>(f32::NAN, r), 0);
    assert_eq!(single_to_integer::<i64>(f32::NAN, r), i64::MIN);
    assert_eq!(single_to_integer::<u64>(f32::NAN, r), 1 << 63);
    assert_eq!(double_to_integer::<i32>(f64::NAN, r), i32::MIN);
    assert_eq!(double_to_integer::<u32>(f64::NAN, r), 0x8000_0000);
    assert_eq!(double_to_integer::<i16>(f64::NAN, r), i16::MIN);
    assert_eq!(half_to_integer::<F16, i64>(0x7e00, r), i64::MIN);
    assert_eq!(half_to_integer::<Bf16, i32>(0x7fc0, r), 0);
    assert_eq!(half_to_integer::<F16, u64>(0x7c00, r), u64::MAX);
    assert_eq!(double_to_integer::<u64>(-0.5, Round::Down), 0);
    assert_eq!(double_to_integer::<i64>(9.3e18, r), i64::MAX);
}

#[test]
fn integer_to_float_in_every_mode() {
    let mut values = Values::new(33);
    for _ in 0..200_000 {
        let v = values.pattern(64);
        let signed = v as i64;
        for round in MODES {
            let check = |negative: bool, magnitude: u64, ours: (u32, u64, u16, u16)| {
                let wide = DOUBLE.round_integer(negative, magnitude, round);
                let single = SINGLE.round_integer(negative, magnitude, round) as u32;
                let half = HALF.round_integer(negative, magnitude, round) as u16;
                let brain = BRAIN.round_integer(negative, magnitude, round) as u16;
                assert_eq!(ours, (single, wide, half, brain), "{negative} {magnitude} {round:?}");
            };
            fn all<S: Integer>(a: S, round: Round) -> (u32, u64, u16, u16) {
                (
                    integer_to_single(a, round).to_bits(),
                    integer_to_double(a, round).to_bits(),
                    integer_to_half::<S, F16>(a, round),
                    integer_to_half::<S, Bf16>(a, round),
                )
            }
            check(false, v, all(v, round));
            check(signed < 0, signed.unsigned_abs(), all(signed, round));
            check(false, u64::from(v as u32), all(v as u32, round));
            let narrow = v as i32;
            check(narrow < 0, u64::from(narrow.unsigned_abs()), all(narrow, round));
            let short = v as i8;
            check(short < 0, u64::from(short.unsigned_abs()), all(short, round));
        }
    }
}

#[test]
fn widening_keeps_values_and_nans() {
    assert_eq!(single_to_double(f32::from_bits(0xff80_0001)).to_bits(), 0xfff8_0000_2000_0000);
    assert_eq!(single_to_double(0.1), f64::from(0.1f32));
    assert_eq!(half_to_single::<F16>(0xfe01).to_bits(), 0x7fff_ffff);
    assert_eq!(half_to_double::<Bf16>(0x4049), 3.140625);
    assert_eq!(Bf16::to_single(0x3f80), 1.0);
}

#[test]
fn payloads_are_cut_and_widened() {
    let nan = f64::from_bits(0xfff0_0001_0000_0002);
    assert_eq!(double_to_single(nan, Round::Up).to_bits(), 0xffc0_0008);
    let nan = f64::from_bits(0x7fff_16b3_6fa3_baf4);
    assert_eq!(double_to_half::<F16>(nan, Round::Down), 0x7fc5);
    assert_eq!(double_to_half::<Bf16>(nan, Round::Down), 0x7ff8);
    assert_eq!(half_to_double::<F16>(0xfc01).to_bits(), 0xfff8_0400_0000_0000);
}

#[test]
fn flushing_looks_at_the_number_before_the_least_exponent() {
    // 2^-126 less half a unit of normal numbers: rounded to a subnormal it would become 2^-126.
    let below = f64::from_bits(0x380f_ffff_e000_0000);
    for round in [Round::Nearest, Round::Up] {
        assert_eq!(double_to_single(below, round), f32::MIN_POSITIVE);
        assert_eq!(double_to_single_flushing(below, round).to_bits(), 0);
        assert_eq!(double_to_single_flushing(-below, Round::Down).to_bits(), 1 << 31);
    }
    // So close that it is 2^-126 with any exponent.
    let closer = f64::from_bits(0x380f_ffff_f800_0000);
    assert_eq!(double_to_single_flushing(closer, Round::Nearest), f32::MIN_POSITIVE);
}
