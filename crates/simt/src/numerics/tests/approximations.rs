//! Approximations are within the manual's bounds.

use super::Values;
use crate::numerics::single::flush;
use crate::numerics::{approx, approx_double};

const NAN: u32 = 0x7fff_ffff;

fn bits(function: fn(f32) -> f32, x: f32) -> u32 {
    function(x).to_bits()
}

/// The distance in units in the last place of the reference, with a subnormal floor.
fn ulps(value: f32, reference: f64) -> f64 {
    let nearest = reference as f32;
    if !nearest.is_finite() {
        return if value == nearest { 0.0 } else { f64::INFINITY };
    }
    let unit = f64::from(f32::from_bits((nearest.abs().to_bits()).max(0x0080_0000) & 0x7f80_0000))
        * 2f64.powi(-23);
    (f64::from(value) - reference).abs() / unit
}

/// Positive singles over the whole range, subnormals included, with every exponent.
fn positive_singles() -> impl Iterator<Item = f32> {
    (1..0x7f80_0000u32).step_by(1021).map(f32::from_bits)
}

#[test]
fn special_values_are_those_of_the_tables() {
    let inf = f32::INFINITY;
    let specials = [-inf, -0.0, 0.0, inf, f32::NAN];
    let table = |function: fn(f32) -> f32| specials.map(|x| bits(function, x));
    let b = f32::to_bits;
    assert_eq!(table(approx::rcp), [b(-0.0), b(-inf), b(inf), b(0.0), NAN]);
    assert_eq!(table(approx::sqrt), [NAN, b(-0.0), b(0.0), b(inf), NAN]);
    assert_eq!(table(approx::rsqrt), [NAN, b(-inf), b(inf), b(0.0), NAN]);
    assert_eq!(table(approx::sin), [NAN, b(-0.0), b(0.0), NAN, NAN]);
    assert_eq!(table(approx::cos), [NAN, b(1.0), b(1.0), NAN, NAN]);
    assert_eq!(table(approx::lg2), [NAN, b(-inf), b(-inf), b(inf), NAN]);
    assert_eq!(table(approx::ex2), [b(0.0), b(1.0), b(1.0), b(inf), NAN]);
    assert_eq!(table(approx::tanh), [b(-1.0), b(-0.0), b(0.0), b(1.0), NAN]);
    for function in [approx::sqrt as fn(f32) -> f32, approx::rsqrt, approx::lg2] {
        assert_eq!(bits(function, -1.0), NAN);
        assert_eq!(bits(function, -f32::MIN_POSITIVE), NAN);
    }
    // With .ftz a subnormal counts as the zero of its sign.
    let subnormal = f32::from_bits(0x8000_0123);
    assert_eq!(approx::rcp(flush(subnormal)), -inf);
    assert_eq!(approx::rsqrt(flush(subnormal)), -inf);
    assert_eq!(approx::lg2(flush(subnormal)), -inf);
    assert_eq!(approx::tanh(subnormal).to_bits(), subnormal.to_bits());
}

#[test]
fn exponential_is_within_one_unit() {
    let mut worst = 0f64;
    for x in positive_singles().flat_map(|x| [x, -x]).filter(|x| x.abs() < 200.0) {
        worst = worst.max(ulps(approx::ex2(x), f64::from(x).exp2()));
    }
    assert!(worst < 0.51, "{worst}");
    for n in -149..=127 {
        assert_eq!(approx::ex2(n as f32), 2f64.powi(n) as f32);
    }
    assert_eq!(approx::ex2(128.0), f32::INFINITY);
    assert_eq!(approx::ex2(1e30), f32::INFINITY);
    assert_eq!(approx::ex2(-1e30).to_bits(), 0);
}

#[test]
fn logarithm_is_within_one_unit() {
    let mut worst = 0f64;
    for x in positive_singles().chain((0..400_000).map(|i| 0.9 + i as f32 * 5e-7)) {
        let reference = f64::from(x).log2();
        let value = approx::lg2(x);
        if x > 0.5 && x < 2.0 {
            assert!((f64::from(value) - reference).abs() <= 2f64.powi(-22), "{x:e}");
        }
        worst = worst.max(ulps(value, reference));
    }
    assert!(worst < 0.51, "{worst}");
    for n in -149..=127 {
        assert_eq!(approx::lg2(2f64.powi(n) as f32), n as f32);
    }
}

#[test]
fn sine_and_cosine_are_within_the_bounds() {
    let limit = 100.0 * std::f32::consts::PI;
    let dense = (0..1_000_000).map(|i| limit * (i as f32 / 1_000_000.0));
    for x in dense.chain(positive_singles().filter(|&x| x <= limit)).flat_map(|x| [x, -x]) {
        let wide = f64::from(x);
        // A rounding to nearest is at most 2^-25 in [-1, 1].
        let bound = 2f64.powi(-25) * 1.001;
        assert!((f64::from(approx::sin(x)) - wide.sin()).abs() <= bound, "sin {x:e}");
        assert!((f64::from(approx::cos(x)) - wide.cos()).abs() <= bound, "cos {x:e}");
        if x.abs() < 1.0 {
            assert!(ulps(approx::sin(x), wide.sin()) < 0.51, "sin {x:e}");
        }
    }
    let mut values = Values::new(20);
    for _ in 0..100_000 {
        let x = f32::from_bits(values.next() as u32 & 0x7eff_ffff);
        assert!(approx::sin(x).abs() <= 1.0 && approx::cos(x).abs() <= 1.0, "{x:e}");
    }
}

#[test]
fn roots_and_quotients_are_within_the_bounds() {
    let mut worst = 0f64;
    for x in positive_singles() {
        let reference = 1.0 / f64::from(x).sqrt();
        worst = worst.max(ulps(approx::rsqrt(x), reference));
        assert!((f64::from(approx::rsqrt(x)) / reference - 1.0).abs() <= 2f64.powf(-22.9));
        assert!(ulps(approx::rcp(x), 1.0 / f64::from(x)) <= 0.5 || x < 3e-39);
    }
    assert!(worst < 0.501, "{worst}");
    let huge = f32::from_bits(0x7e80_0001);
    assert_eq!(approx::div(-3e38, huge).to_bits(), 0x8000_0000);
    assert_eq!(approx::div(f32::INFINITY, huge).to_bits(), NAN);
    assert_eq!(approx::div(3.0, 4.0), 0.75);
    assert_eq!(approx::div(1.0, 2f32.powi(126)), 2f32.powi(-126));
    assert_eq!(approx::div(1.0, f32::INFINITY), 0.0);
}

#[test]
fn tangent_is_within_one_unit() {
    let mut worst = 0f64;
    for x in positive_singles().flat_map(|x| [x, -x]) {
        worst = worst.max(ulps(approx::tanh(x), f64::from(x).tanh()));
    }
    assert!(worst < 0.51, "{worst}");
}

#[test]
fn double_approximations() {
    let nan = 0x7fff_ffff_0000_0000;
    let inf = f64::INFINITY;
    let small = f64::from_bits(0x8000_0001_0000_0000);
    let rcp = |x: f64| approx_double::rcp_ftz(x);
    let rsqrt = |x: f64| approx_double::rsqrt_ftz(x);
    assert_eq!([-inf, small, -0.0, 0.0, -small].map(rcp), [-0.0, -inf, -inf, inf, inf]);
    assert_eq!(rcp(-inf).to_bits(), 1 << 63);
    assert_eq!(rcp(f64::from_bits(0x7ff0_0001_0000_0000)).to_bits(), nan);
    assert_eq!(rcp(f64::from_bits(0x7ff0_0000_0000_0001)).to_bits(), 0);
    assert_eq!([small, -0.0, 0.0, -small, inf].map(rsqrt), [-inf, -inf, inf, inf, 0.0]);
    assert_eq!(rsqrt(-1.0).to_bits(), nan);
    assert_eq!(rsqrt(-inf).to_bits(), nan);
    assert_eq!(approx_double::rsqrt(-1.0).to_bits(), 0xfff8_0000_0000_0000);
    let mut values = Values::new(21);
    for _ in 0..100_000 {
        let x = f64::from_bits(values.next() >> 1);
        if !x.is_normal() || x > 1e300 {
            continue;
        }
        for (value, exact) in [(rcp(x), 1.0 / x), (rsqrt(x), 1.0 / x.sqrt())] {
            assert_eq!(value.to_bits() as u32, 0);
            assert!((value / exact - 1.0).abs() < 2f64.powi(-19), "{x:e}");
        }
    }
}
