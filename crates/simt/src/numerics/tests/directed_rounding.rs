//! Rounding in every mode; overflow, zeros and NaNs.

use super::Values;
use crate::numerics::softfloat::{DOUBLE, SINGLE};
use crate::numerics::{Round, directed, double, single, softfloat};

const MODES: [Round; 4] = [Round::Nearest, Round::Zero, Round::Down, Round::Up];

/// The canonical single of what the soft implementation computed.
fn soft(bits: u64) -> u32 {
    single::canonical(f32::from_bits(bits as u32)).to_bits()
}

#[test]
fn single_operations_equal_the_soft_ones_in_every_mode() {
    let mut values = Values::new(1);
    for _ in 0..200_000 {
        let a = f32::from_bits(values.pattern(32) as u32);
        let b = if values.next().is_multiple_of(2) {
            values.near_single(a)
        } else {
            f32::from_bits(values.pattern(32) as u32)
        };
        let c = if values.next().is_multiple_of(2) {
            values.near_single(a * b)
        } else {
            f32::from_bits(values.pattern(32) as u32)
        };
        let wide = |x: f32| u64::from(x.to_bits());
        for round in MODES {
            let context = format!("{a:e} {b:e} {c:e} {round:?}");
            let check = |ours: f32, theirs: u64, name: &str| {
                assert_eq!(ours.to_bits(), soft(theirs), "{name} {context}");
            };
            check(directed::add_single(a, b, round), SINGLE.add(wide(a), wide(b), round), "add");
            check(directed::sub_single(a, b, round), SINGLE.add(wide(a), wide(-b), round), "sub");
            check(directed::mul_single(a, b, round), SINGLE.mul(wide(a), wide(b), round), "mul");
            check(directed::div_single(a, b, round), SINGLE.div(wide(a), wide(b), round), "div");
            check(directed::rcp_single(a, round), SINGLE.div(wide(1.0), wide(a), round), "rcp");
            check(directed::sqrt_single(a, round), SINGLE.sqrt(wide(a), round), "sqrt");
            let fused = SINGLE.fma(wide(a), wide(b), wide(c), round);
            check(directed::fma_single(a, b, c, round), fused, "fma");
        }
        let nearest = directed::fma_single(a, b, c, Round::Nearest);
        assert_eq!(nearest.to_bits(), single::fma(a, b, c).to_bits(), "host fma {a:e} {b:e} {c:e}");
    }
}

/// Checks that the four results of one operation are what rounding one exact value gives, where the
/// nearest one is the host's.
fn check_modes(results: [f64; 4], host: f64, context: &str) {
    let [nearest, zero, down, up] = results;
    if host.is_nan() {
        assert!(results.iter().all(|x| x.is_nan()), "{context}");
        return;
    }
    assert_eq!(nearest.to_bits(), host.to_bits(), "nearest {context}");
    let exact = down == up;
    assert!(nearest.to_bits() == down.to_bits() || nearest.to_bits() == up.to_bits(), "{context}");
    assert!(exact || down.next_up() == up, "{context}: {down:e} {up:e}");
    let truncated = if exact && down == 0.0 {
        host
    } else if down.is_sign_negative() && up.is_sign_negative() {
        up
    } else if down < 0.0 {
        // Between the smallest negative number and zero.
        -0.0
    } else {
        down
    };
    assert_eq!(zero.to_bits(), truncated.to_bits(), "zero {context}");
}

#[test]
fn soft_double_operations_bracket_the_host() {
    let mut values = Values::new(2);
    for _ in 0..60_000 {
        let a = f64::from_bits(values.pattern(64));
        let b = if values.next().is_multiple_of(2) {
            values.near_double(a)
        } else {
            f64::from_bits(values.pattern(64))
        };
        let c = if values.next().is_multiple_of(2) {
            values.near_double(a * b)
        } else {
            f64::from_bits(values.pattern(64))
        };
        let (x, y, z) = (a.to_bits(), b.to_bits(), c.to_bits());
        let context = format!("{a:e} {b:e} {c:e}");
        check_modes(MODES.map(|m| f64::from_bits(DOUBLE.add(x, y, m))), a + b, &context);
        check_modes(MODES.map(|m| f64::from_bits(DOUBLE.mul(x, y, m))), a * b, &context);
        check_modes(MODES.map(|m| f64::from_bits(DOUBLE.div(x, y, m))), a / b, &context);
        check_modes(MODES.map(|m| f64::from_bits(DOUBLE.sqrt(x, m))), a.sqrt(), &context);
        let fused = MODES.map(|m| f64::from_bits(DOUBLE.fma(x, y, z, m)));
        check_modes(fused, a.mul_add(b, c), &context);
    }
}

#[test]
fn directed_results_lie_on_the_right_side_of_the_exact_quotient() {
    // q * b compared with a exactly, by the residual of a fused operation.
    let mut values = Values::new(3);
    for _ in 0..20_000 {
        let a = 1.0 + (values.next() >> 12) as f64 / (1u64 << 52) as f64;
        let b = 1.0 + (values.next() >> 12) as f64 / (1u64 << 52) as f64;
        let down = softfloat::div_double(a, b, Round::Down);
        let up = softfloat::div_double(a, b, Round::Up);
        assert!((-down).mul_add(b, a) >= 0.0 && (-up).mul_add(b, a) <= 0.0, "{a:e} {b:e}");
        let down = softfloat::sqrt_double(a, Round::Down);
        let up = softfloat::sqrt_double(a, Round::Up);
        assert!((-down).mul_add(down, a) >= 0.0 && (-up).mul_add(up, a) <= 0.0, "{a:e}");
    }
}

#[test]
fn overflow_and_underflow_follow_the_mode() {
    let add = |round| directed::add_single(f32::MAX, f32::MAX, round);
    assert_eq!(MODES.map(add), [f32::INFINITY, f32::MAX, f32::MAX, f32::INFINITY]);
    let tiny = f32::from_bits(1);
    let mul = |round| directed::mul_single(tiny, -tiny, round).to_bits();
    assert_eq!(MODES.map(mul), [0x8000_0000, 0x8000_0000, 0x8000_0001, 0x8000_0000]);
    let cancel = |round| directed::add_single(1.5, -1.5, round).to_bits();
    assert_eq!(MODES.map(cancel), [0, 0, 0x8000_0000, 0]);
    let max = f64::MAX;
    let add = |round| softfloat::add_double(max, max, round);
    assert_eq!(MODES.map(add), [f64::INFINITY, max, max, f64::INFINITY]);
}

#[test]
fn double_nans_keep_the_payload_of_the_first_operand() {
    let first = f64::from_bits(0x7ff0_0000_0000_0123);
    let second = f64::from_bits(0xfff8_0000_0000_0456);
    for round in MODES {
        let sum = softfloat::add_double(first, second, round).to_bits();
        assert_eq!(sum, 0x7ff8_0000_0000_0123);
        let product = softfloat::mul_double(1.0, second, round).to_bits();
        assert_eq!(product, 0xfff8_0000_0000_0456);
        let invalid = softfloat::mul_double(0.0, f64::INFINITY, round).to_bits();
        assert_eq!(invalid, 0xfff8_0000_0000_0000);
        assert_eq!(softfloat::sqrt_double(-1.0, round).to_bits(), 0xfff8_0000_0000_0000);
        assert_eq!(directed::sqrt_single(-1.0, round).to_bits(), 0x7fff_ffff);
    }
}

#[test]
fn minimum_and_maximum_order_zeros_and_ignore_one_nan() {
    let nan = f32::NAN;
    assert_eq!(single::min(0.0, -0.0).to_bits(), (-0.0f32).to_bits());
    assert_eq!(single::max(-0.0, 0.0).to_bits(), 0);
    assert_eq!(single::min(nan, 3.0), 3.0);
    assert_eq!(single::max(-3.0, nan), -3.0);
    assert_eq!(single::min(nan, nan).to_bits(), 0x7fff_ffff);
    assert_eq!(single::max_nan(1.0, nan).to_bits(), 0x7fff_ffff);
    assert_eq!(single::min_xorsign_abs(-2.0, 3.0), -2.0);
    assert_eq!(single::max_xorsign_abs(-2.0, -3.0), 3.0);
    assert_eq!(single::min_xorsign_abs(-2.0, nan), -2.0);
    assert_eq!(double::min(0.0, -0.0).to_bits(), 1 << 63);
    assert_eq!(double::max(f64::NAN, 5.0), 5.0);
    assert_eq!(single::copysign(-1.0, 2.0), -2.0);
    let mut values = Values::new(4);
    for _ in 0..10_000 {
        let a = f32::from_bits(values.pattern(32) as u32);
        let b = values.near_single(a);
        if !a.is_nan() && a != b {
            assert_eq!(single::min(a, b), if a < b { a } else { b });
            assert_eq!(single::max(a, b), if a < b { b } else { a });
        }
    }
}

#[test]
fn flush_saturate_and_classes() {
    let subnormal = f32::from_bits(0x8000_0001);
    assert_eq!(single::flush(subnormal).to_bits(), 0x8000_0000);
    assert_eq!(single::flush(f32::MIN_POSITIVE), f32::MIN_POSITIVE);
    assert!(single::flush(f32::NAN).is_nan());
    assert_eq!([-1.0, 0.25, 7.0].map(single::saturate), [0.0, 0.25, 1.0]);
    assert_eq!([f32::NAN, -0.0].map(|x| single::saturate(x).to_bits()), [0, 0]);
    assert!(single::is_subnormal(subnormal) && !single::is_normal(subnormal));
    assert!(single::is_normal(0.0) && single::is_normal(-1.0) && !single::is_normal(f32::INFINITY));
    assert!(!single::is_subnormal(0.0) && !single::is_subnormal(f32::NAN));
    assert!(single::is_infinite(f32::NEG_INFINITY) && single::is_nan(f32::NAN));
    assert!(double::is_normal(0.0) && !double::is_normal(f64::from_bits(1)));
}
