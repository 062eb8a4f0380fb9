//! Rounding, overflow and what is not a number.

use super::values::{Random, decode_narrow};
use crate::tensor::WarpRegister;
use crate::tensor::element::{Element, Rounding};
use crate::tensor::fused_sum::{Line, decode_lines, f16_to_f32, fused_sum};
use crate::tensor::mma_form::MmaForm;
use crate::tensor::rounded_f64::{exact_multiply_add, multiply_add};

/// Runs a form with the same bits in all registers of an operand.
fn uniform(name: &str, a: u64, b: u64, c: u64) -> u64 {
    let words: Vec<&str> = name.split('.').collect();
    let form = MmaForm::parse(&words).unwrap_or_else(|| panic!("{name} exists"));
    let (a_group, b_group, c_group, d_group) = form.registers();
    let fill = |count: usize, bits: u64| -> Vec<WarpRegister> { vec![[bits; 32]; count] };
    let mut d = fill(d_group.count, 0);
    form.execute(
        &fill(a_group.count, a),
        &fill(b_group.count, b),
        &fill(c_group.count, c),
        None,
        &mut d,
    );
    assert!(d.iter().flatten().all(|&bits| bits == d[0][0]), "{name}");
    d[0][0]
}

fn line(element: Element, bits: &[u64]) -> Line {
    decode_lines(element, bits, bits.len()).remove(0)
}

fn f32_bits(value: f32) -> u64 {
    u64::from(value.to_bits())
}

const HALVES: &str = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
const ONES: u64 = 0x3C00_3C00;

#[test]
fn what_lies_below_the_aligned_bits_is_cut() {
    // 16 products of one: the accumulator's exponent is the largest, and sums are exact.
    assert_eq!(uniform(HALVES, ONES, ONES, f32_bits(0.5)), f32_bits(16.5));
    // Below an accumulator of 2^25, a one is the last bit that is kept; below 2^26 it is lost.
    assert_eq!(uniform(HALVES, ONES, ONES, f32_bits(33_554_432.0)), f32_bits(33_554_448.0));
    assert_eq!(uniform(HALVES, ONES, ONES, f32_bits(67_108_864.0)), f32_bits(67_108_864.0));
    // Products of 2^-12 are 27 bits below an accumulator of 2^15 and vanish, all 16 of them,
    // although their exact sum would be seen.
    let small = 0x2400_2400; // 2^-6
    assert_eq!(uniform(HALVES, small, small, f32_bits(32_768.0)), f32_bits(32_768.0));
    assert_eq!(uniform(HALVES, small, small, f32_bits(4096.0)), f32_bits(4096.0 + 16.0 / 4096.0));
    // The sum is cut towards zero and not rounded: 1 + 2^-24 + 2^-25 would round up.
    let a = line(Element::TF32, &[f32_bits(2f32.powi(-24)), f32_bits(2f32.powi(-25))]);
    let one = line(Element::TF32, &[f32_bits(1.0), f32_bits(1.0)]);
    assert_eq!(fused_sum(&a, &one, 1.0).to_f32(), 1.0);
    assert_eq!(fused_sum(&a, &one, -1.0).to_f32(), -1.0 + 2f32.powi(-23));
}

#[test]
fn half_results_round_to_nearest_even() {
    let name = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16";
    // 8 products of one and an accumulator of 2048: exact. With 2049 there is none.
    assert_eq!(uniform(name, ONES, ONES, 0x6800_6800), 0x6804_6804);
    // 8 products of 2^-3 * 1 are one: 2048 + 1 is a tie and goes to the even 2048.
    let eighth = 0x3000_3000;
    assert_eq!(uniform(name, eighth, ONES, 0x6800_6800), 0x6800_6800);
    // 2050 + 1 goes to the even 2052.
    assert_eq!(uniform(name, eighth, ONES, 0x6801_6801), 0x6802_6802);
    // 65504 + 8 * 4096 does not fit.
    assert_eq!(uniform(name, 0x6C00_6C00, ONES, 0x7BFF_7BFF), 0x7C00_7C00);
}

#[test]
fn infinities_and_not_a_number_pass_through() {
    let (infinite, zero) = (0x7C00_7C00, 0);
    assert_eq!(uniform(HALVES, infinite, ONES, 0), f32_bits(f32::INFINITY));
    assert_eq!(uniform(HALVES, infinite, 0xBC00_BC00, 0), f32_bits(f32::NEG_INFINITY));
    assert_eq!(uniform(HALVES, infinite, zero, 0), 0x7FFF_FFFF);
    assert_eq!(uniform(HALVES, infinite, ONES, f32_bits(f32::NEG_INFINITY)), 0x7FFF_FFFF);
    assert_eq!(uniform(HALVES, 0x7E00_3C00, ONES, 0), 0x7FFF_FFFF);
    assert_eq!(uniform(HALVES, zero, zero, 0x8000_0000), 0);
    let half = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16";
    assert_eq!(uniform(half, infinite, zero, 0), 0x7FFF_7FFF);
    // Byte 0x7F is not a number in e4m3, and 0x7C is infinite in e5m2.
    let bytes = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32";
    assert_eq!(uniform(bytes, 0x7F7F_7F7F, 0x3C3C_3C3C, 0), 0x7FFF_FFFF);
    assert_eq!(uniform(bytes, 0x3838_3838, 0x7C7C_7C7C, 0), f32_bits(f32::INFINITY));
    // Too large for single precision.
    let wide = "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32";
    assert_eq!(uniform(wide, 0x7F00_7F00, 0x7F00_7F00, 0), f32_bits(f32::INFINITY));
}

#[test]
fn subnormal_numbers_count() {
    // The smallest half times 1, sixteen times.
    assert_eq!(uniform(HALVES, 0x0001_0001, ONES, 0), f32_bits(16.0 * 2f32.powi(-24)));
    assert_eq!(uniform(HALVES, 0, ONES, 1), 1);
    let half = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16";
    assert_eq!(uniform(half, 0x0001_0001, ONES, 0x0003_0003), 0x0013_0013);
}

#[test]
fn integers_wrap_or_saturate() {
    let wrap = "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32";
    let saturate = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32";
    let sum = 32 * 255 * 255;
    assert_eq!(uniform(wrap, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x7FFF_FFFF), 0x7FFF_FFFF + sum);
    assert_eq!(uniform(saturate, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x7FFF_FFFF), 0x7FFF_FFFF);
    let saturate = "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32";
    assert_eq!(uniform(saturate, 0x8888_8888, 0xFFFF_FFFF, 0x8000_0100), 0x8000_0000);
}

#[test]
fn doubles_round_as_the_instruction_says() {
    for (suffix, steps) in [("", 0), (".rn", 0), (".rz", 0), (".rm", 0), (".rp", 8)] {
        let name = format!("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64{suffix}");
        let tiny = 1e-200f64.to_bits();
        assert_eq!(uniform(&name, tiny, tiny, 1f64.to_bits()), 1f64.to_bits() + steps, "{name}");
    }
    assert_eq!(multiply_add(f64::MAX, 2.0, 0.0, Rounding::Zero), f64::MAX);
    assert_eq!(multiply_add(f64::MAX, -2.0, 0.0, Rounding::Up), -f64::MAX);
    assert_eq!(multiply_add(f64::MAX, 2.0, 0.0, Rounding::Up), f64::INFINITY);
    let zero = multiply_add(1.0, 1.0, -1.0, Rounding::Down);
    assert!(zero == 0.0 && zero.is_sign_negative());
    assert_eq!(multiply_add(5e-324, 0.5, 0.0, Rounding::Up), 5e-324);
    assert_eq!(multiply_add(5e-324, -0.5, 0.0, Rounding::Up).to_bits(), (-0.0f64).to_bits());
}

#[test]
fn exact_doubles_round_to_the_nearest_like_the_machine() {
    let random = &mut Random(3);
    let number = |random: &mut Random| {
        // Exponents near each other, so that sums cancel and ties occur; now and then any bits.
        let any = f64::from_bits(random.next());
        if random.below(4) == 0 && any.is_finite() {
            return any;
        }
        let fraction = random.next() & random.next() & ((1 << 52) - 1);
        let exponent = 1023 - 30 + random.below(60) as u64;
        f64::from_bits(fraction | exponent << 52 | (random.below(2) as u64) << 63)
    };
    for _ in 0..200_000 {
        let (a, b, mut c) = (number(random), number(random), number(random));
        if random.below(3) == 0 {
            c = -(a * b);
        }
        let machine = a.mul_add(b, c);
        if !c.is_finite() {
            continue;
        }
        let ours = exact_multiply_add(a, b, c, Rounding::Nearest);
        assert_eq!(ours.to_bits(), machine.to_bits(), "{a:e} * {b:e} + {c:e}");
        let down = exact_multiply_add(a, b, c, Rounding::Down);
        let up = exact_multiply_add(a, b, c, Rounding::Up);
        assert!(down <= machine && machine <= up, "{a:e} * {b:e} + {c:e}");
        assert!(up == down || up == down.next_up(), "{a:e} * {b:e} + {c:e}");
        let zero = exact_multiply_add(a, b, c, Rounding::Zero);
        assert_eq!(zero.abs(), down.abs().min(up.abs()), "{a:e} * {b:e} + {c:e}");
    }
}

#[test]
fn every_narrow_float_has_its_value() {
    let one = line(Element::F16, &[0x3C00]);
    let value =
        |element: Element, bits: u64| fused_sum(&line(element, &[bits]), &one, 0.0).to_f32();
    for bits in 0..1u64 << 16 {
        let expected = decode_narrow(bits, 5, 10) as f32;
        if bits >> 10 & 0x1F != 0x1F {
            assert_eq!(value(Element::F16, bits), expected, "{bits:#x}");
            assert_eq!(f16_to_f32(bits as u32), expected, "{bits:#x}");
        }
    }
    for bits in 0..256 {
        if bits & 0x7F != 0x7F {
            let expected = decode_narrow(bits, 4, 3) as f32;
            assert_eq!(value(Element::E4M3, bits), expected, "{bits:#x}");
        }
        if bits >> 2 & 0x1F != 0x1F {
            assert_eq!(value(Element::E5M2, bits), decode_narrow(bits, 5, 2) as f32, "{bits:#x}");
        }
        // The upper two bits are padding; around e2m1, so are the lower two.
        assert_eq!(value(Element::E3M2, bits), decode_narrow(bits & 0x3F, 3, 2) as f32);
        assert_eq!(value(Element::E2M3, bits), decode_narrow(bits & 0x3F, 2, 3) as f32);
        assert_eq!(value(Element::E2M1, bits), decode_narrow(bits >> 2 & 0xF, 2, 1) as f32);
    }
}
