use super::Values;
use crate::numerics::half::{self, Half};
use crate::numerics::narrow::{Bf16, F16};
use crate::numerics::softfloat::Format;
use crate::numerics::{Round, approx};

const HALF: Format = Format { exponent_bits: 5, fraction_bits: 10 };
const BRAIN: Format = Format { exponent_bits: 8, fraction_bits: 7 };

/// A finite half as an integer number of 2^-24.
fn units(code: u16) -> i128 {
    let field = i128::from(code >> 10 & 31);
    let fraction = i128::from(code & 0x3ff);
    let magnitude = if field == 0 { fraction } else { (fraction + 1024) << (field - 1) };
    if code & 0x8000 != 0 { -magnitude } else { magnitude }
}

/// The half nearest to `exact` times 2^-48, found by bisection over all halves.
fn nearest(exact: i128) -> u16 {
    let magnitude = exact.abs();
    let (mut low, mut high) = (0u16, 0x7c00u16);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if units(middle) << 24 <= magnitude {
            low = middle;
        } else {
            high = middle;
        }
    }
    // Infinity stands where the next number would, which is what rounding to nearest assumes.
    let to_low = magnitude - (units(low) << 24);
    let to_high = (units(high) << 24) - magnitude;
    let up = to_high < to_low || (to_high == to_low && low & 1 == 1);
    let code = if up { high } else { low };
    if exact < 0 { code | 0x8000 } else { code }
}

#[test]
fn f16_operations_equal_exact_integers() {
    let mut values = Values::new(10);
    let mut finite = || loop {
        let code = values.pattern(16) as u16;
        if code & 0x7c00 != 0x7c00 {
            return code;
        }
    };
    for _ in 0..400_000 {
        let (a, b, c) = (finite(), finite(), finite());
        let sum = (units(a) + units(b)) << 24;
        if sum != 0 {
            assert_eq!(half::add::<F16>(a, b), nearest(sum), "{a:x} + {b:x}");
            assert_eq!(half::sub::<F16>(a, half::neg(b)), nearest(sum));
        }
        let product = units(a) * units(b);
        if product != 0 {
            assert_eq!(half::mul::<F16>(a, b), nearest(product), "{a:x} * {b:x}");
        }
        let fused = product + (units(c) << 24);
        if fused != 0 {
            assert_eq!(half::fma::<F16>(a, b, c), nearest(fused), "{a:x} * {b:x} + {c:x}");
        }
    }
}

fn check_against_soft<F: Half>(format: Format, seed: u64) {
    let mut values = Values::new(seed);
    let canonical = |bits: u64| if half::is_nan::<F>(bits as u16) { 0x7fff } else { bits as u16 };
    for _ in 0..300_000 {
        let [a, b, c] = [(); 3].map(|()| values.pattern(16));
        let (x, y, z) = (a as u16, b as u16, c as u16);
        let round = Round::Nearest;
        assert_eq!(half::add::<F>(x, y), canonical(format.add(a, b, round)), "{x:x} + {y:x}");
        assert_eq!(half::mul::<F>(x, y), canonical(format.mul(a, b, round)), "{x:x} * {y:x}");
        let fused = canonical(format.fma(a, b, c, round));
        assert_eq!(half::fma::<F>(x, y, z), fused, "{x:x} * {y:x} + {z:x}");
    }
}

#[test]
fn both_formats_equal_the_soft_implementation() {
    check_against_soft::<F16>(HALF, 11);
    check_against_soft::<Bf16>(BRAIN, 12);
}

#[test]
fn modifiers() {
    assert_eq!(half::saturate::<F16>(0x4000), 0x3c00);
    assert_eq!(half::saturate::<F16>(0xbc00), 0);
    assert_eq!(half::saturate::<F16>(0x7e01), 0);
    assert_eq!(half::relu::<F16>(0x8000), 0);
    assert_eq!(half::relu::<F16>(0xfe01), 0x7fff);
    assert_eq!(half::relu::<Bf16>(0x3f80), 0x3f80);
    assert_eq!(half::flush::<F16>(0x83ff), 0x8000);
    assert_eq!(half::flush::<F16>(0x0400), 0x0400);
    assert_eq!(half::flush::<Bf16>(0x007f), 0);
    assert_eq!(half::mul_flushing::<F16>(0x8400, 0x3bff), 0x8000);
    assert_eq!(half::fma_flushing::<F16>(0x0400, 0x8400, 0x0400), 0x0400);
    assert_eq!(half::min::<F16>(0x0000, 0x8000), 0x8000);
    assert_eq!(half::max::<F16>(0x7e00, 0xc000), 0xc000);
    assert_eq!(half::max_nan::<Bf16>(0x7fc0, 0xc000), 0x7fff);
    assert_eq!(half::min_xorsign_abs::<F16>(0xc000, 0x4200), 0xc000);
}

#[test]
fn exponential_and_tangent_stay_within_the_bounds() {
    for code in 0..=u16::MAX {
        let x = F16::to_single(code);
        if !x.is_finite() {
            continue;
        }
        let wide = f64::from(x);
        let exponential = f64::from(F16::to_single(half::ex2::<F16>(code)));
        if (-14.0..=15.9).contains(&wide) {
            assert!((exponential / wide.exp2() - 1.0).abs() <= 2f64.powf(-9.9), "{x}");
        }
        let tangent = f64::from(F16::to_single(half::tanh::<F16>(code)));
        assert!((tangent - wide.tanh()).abs() <= 2f64.powf(-10.987), "{x}");
        let x = Bf16::to_single(code);
        if !x.is_finite() {
            continue;
        }
        let wide = f64::from(x);
        let tangent = f64::from(Bf16::to_single(half::tanh::<Bf16>(code)));
        assert!((tangent - wide.tanh()).abs() <= 2f64.powi(-8), "{x}");
        let exponential = f64::from(Bf16::to_single(half::ex2::<Bf16>(code)));
        if (-126.0..=127.9).contains(&wide) {
            assert!((exponential / wide.exp2() - 1.0).abs() <= 2f64.powi(-7), "{x}");
        }
    }
    assert_eq!(half::ex2::<F16>(0xfc00), 0);
    assert_eq!(half::ex2::<F16>(0x8000), 0x3c00);
    assert_eq!(half::ex2::<Bf16>(half::flush::<Bf16>(0x8001)), 0x3f80);
    assert_eq!(half::tanh::<F16>(0xfc00), 0xbc00);
    assert_eq!(half::tanh::<F16>(0x8000), 0x8000);
    assert_eq!(half::tanh::<F16>(0x0001), 0x0001);
    assert!(approx::tanh(f32::NAN).is_nan());
}
