use super::*;
use warpsan_ir::{ExtendedOp, Rounding};

fn two(op: BinaryOp, ty: Type, a: u64, b: u64) -> u64 {
    binary(op, ty).unwrap()(a, b)
}

fn three(op: TernaryOp, ty: Type, a: u64, b: u64, c: u64) -> u64 {
    ternary(op, ty).unwrap()(a, b, c)
}

fn f32_bits(value: f32) -> u64 {
    u64::from(value.to_bits())
}

const MINUS_ONE: u64 = 0xFFFF_FFFF;

#[test]
fn integers_wrap_at_their_width() {
    assert_eq!(two(BinaryOp::Add, Type::S32, MINUS_ONE, 1), 0);
    assert_eq!(two(BinaryOp::Sub, Type::U32, 0, 1), MINUS_ONE);
    assert_eq!(two(BinaryOp::MulWide, Type::S32, MINUS_ONE, 4), (-4i64) as u64);
    assert_eq!(two(BinaryOp::MulWide, Type::U32, MINUS_ONE, 2), 0x1_FFFF_FFFE);
    assert_eq!(two(BinaryOp::MulHi, Type::S64, u64::MAX, u64::MAX), 0);
    assert_eq!(two(BinaryOp::MulHi, Type::U64, u64::MAX, u64::MAX), u64::MAX - 1);
    assert_eq!(two(BinaryOp::Min, Type::S32, MINUS_ONE, 1), MINUS_ONE);
    assert_eq!(two(BinaryOp::Min, Type::U32, MINUS_ONE, 1), 1);
    assert_eq!(two(BinaryOp::Div, Type::S32, 0x8000_0000, MINUS_ONE), 0x8000_0000);
    assert_eq!(two(BinaryOp::Div, Type::U32, 7, 0), MINUS_ONE);
    assert_eq!(saturating_binary(BinaryOp::Add, Type::S32).unwrap()(0x7FFF_FFFF, 1), 0x7FFF_FFFF);
}

#[test]
fn shifts_of_the_width_or_more_leave_nothing_or_the_sign() {
    assert_eq!(two(BinaryOp::Shl, Type::B32, 1, 32), 0);
    assert_eq!(two(BinaryOp::Shl, Type::B32, 1, 31), 0x8000_0000);
    assert_eq!(two(BinaryOp::Shr, Type::U32, 0x8000_0000, 99), 0);
    assert_eq!(two(BinaryOp::Shr, Type::S32, 0x8000_0000, 99), MINUS_ONE);
    assert_eq!(two(BinaryOp::Shr, Type::S32, 0x8000_0000, 4), 0xF800_0000);
    assert_eq!(three(TernaryOp::ShfLeftWrap, Type::B32, 0x8000_0001, 2, 33), 5);
    assert_eq!(three(TernaryOp::ShfRightClamp, Type::B32, 7, 3, 40), 3);
}

#[test]
fn bit_fields_follow_the_manual() {
    assert_eq!(three(TernaryOp::Bfe, Type::U32, 0x1234_5678, 8, 8), 0x56);
    assert_eq!(three(TernaryOp::Bfe, Type::S32, 0x0000_8000, 8, 8), 0xFFFF_FF80);
    assert_eq!(three(TernaryOp::Bfe, Type::S32, 0x8000_0000, 28, 8), 0xFFFF_FFF8);
    assert_eq!(bit_field_insert(Type::B32, 0xF, 0, 4, 2), 0x30);
    assert_eq!(bit_field_insert(Type::B32, 0xF, 9, 32, 2), 9);
    assert_eq!(three(TernaryOp::Prmt, Type::B32, 0x4433_2211, 0x8877_6655, 0x7610), 0x8877_2211);
    assert_eq!(three(TernaryOp::Prmt, Type::B32, 0x80, 0, 0x0008), 0x8080_80FF);
    assert_eq!(lop3(0x96, 0xF0, 0xCC, 0xAA), 0xF0 ^ 0xCC ^ 0xAA);
    let find = |op, value| unary(op, Type::S32).unwrap()(value);
    assert_eq!(find(UnaryOp::Bfind, 0x10), 4);
    assert_eq!(find(UnaryOp::Bfind, MINUS_ONE), 0xFFFF_FFFF);
    assert_eq!(find(UnaryOp::Clz, 1), 31);
    assert_eq!(find(UnaryOp::Abs, MINUS_ONE), 1);
}

#[test]
fn floats_give_one_not_a_number_and_order_zeros() {
    let nan = f32_bits(f32::NAN);
    assert_eq!(two(BinaryOp::Add, Type::F32, nan, f32_bits(1.0)), 0x7FFF_FFFF);
    assert_eq!(two(BinaryOp::Min, Type::F32, nan, f32_bits(1.0)), f32_bits(1.0));
    assert_eq!(two(BinaryOp::Max, Type::F32, f32_bits(-0.0), f32_bits(0.0)), f32_bits(0.0));
    assert_eq!(two(BinaryOp::Min, Type::F32, f32_bits(-0.0), f32_bits(0.0)), f32_bits(-0.0));
    assert_eq!(
        three(TernaryOp::Fma, Type::F32, f32_bits(2.0), f32_bits(3.0), f32_bits(1.0)),
        f32_bits(7.0)
    );
    assert!(compare(Compare::NeUnordered, Type::F32, nan, nan));
    assert!(!compare(Compare::Ne, Type::F32, nan, nan));
    assert!(compare(Compare::Lt, Type::S32, MINUS_ONE, 0));
    assert!(!compare(Compare::Lt, Type::U32, MINUS_ONE, 0));
    assert_eq!(flush(Type::F32, 0x8000_0001), 0x8000_0000);
    assert_eq!(saturate_float(Type::F32, nan), 0);
    assert_eq!(saturate_float(Type::F32, f32_bits(-0.0)), 0);
    assert!(test_float(warpsan_ir::FloatTest::Normal, Type::F32, 0));
}

#[test]
fn conversions_round_clamp_and_extend() {
    let cvt = |from, to, rounding, value| convert(from, to, rounding, false, false, false, value);
    assert_eq!(cvt(Type::S8, Type::S32, None, 0x80), 0xFFFF_FF80);
    assert_eq!(cvt(Type::U8, Type::S32, None, 0x80), 0x80);
    assert_eq!(cvt(Type::S32, Type::S64, None, MINUS_ONE), u64::MAX);
    assert_eq!(cvt(Type::S32, Type::U64, None, MINUS_ONE), u64::MAX);
    assert_eq!(
        cvt(Type::F32, Type::S32, Some(Rounding::Zero), f32_bits(-2.7)),
        (-2i32) as u32 as u64
    );
    assert_eq!(cvt(Type::F32, Type::S32, Some(Rounding::Nearest), f32_bits(2.5)), 2);
    assert_eq!(cvt(Type::F32, Type::U8, Some(Rounding::Zero), f32_bits(1e9)), 255);
    assert_eq!(cvt(Type::F32, Type::U32, Some(Rounding::Zero), f32_bits(f32::NAN)), 0);
    assert_eq!(
        cvt(Type::U64, Type::F32, Some(Rounding::Nearest), u64::MAX),
        f32_bits(1.8446744e19)
    );
    assert_eq!(convert(Type::S32, Type::U8, None, false, true, false, MINUS_ONE), 0);
    assert_eq!(cvt(Type::F32, Type::S64, Some(Rounding::Zero), f32_bits(f32::NAN)), 1 << 63);
    assert_eq!(cvt(Type::F64, Type::S32, Some(Rounding::Zero), f64::NAN.to_bits()), 1 << 31);
    assert_eq!(extend(Type::S8, 32, 0x80), 0xFFFF_FF80);
    assert_eq!(extend(Type::U8, 32, 0x1FF), 0xFF);
}

#[test]
fn carries_chain_words_into_wide_numbers() {
    let step = |op, a, b, c, carry| extended(op, Type::U32, (a, b, c), carry);
    assert_eq!(step(ExtendedOp::Add, MINUS_ONE, 1, 0, false), (0, true));
    assert_eq!(step(ExtendedOp::Add, MINUS_ONE, MINUS_ONE, 0, true), (MINUS_ONE, true));
    assert_eq!(step(ExtendedOp::Sub, 0, 1, 0, false), (MINUS_ONE, true));
    assert_eq!(step(ExtendedOp::Sub, 5, 5, 0, true), (MINUS_ONE, true));
    assert_eq!(step(ExtendedOp::Sub, 6, 5, 0, true), (0, false));
    // 64-bit product plus a number, word by word.
    let (low, carry) = step(ExtendedOp::MadLo, 0x8000_0001, 3, MINUS_ONE, false);
    let (high, _) = step(ExtendedOp::MadHi, 0x8000_0001, 3, 0, carry);
    assert_eq!(high << 32 | low, 0x8000_0001 * 3 + MINUS_ONE);
    let signed = extended(ExtendedOp::MadHi, Type::S32, (MINUS_ONE, 1, 0), false);
    assert_eq!(signed, (MINUS_ONE, false));
    assert_eq!(two(BinaryOp::BitMaskClamp, Type::B32, 4, 8), 0xFF0);
    assert_eq!(two(BinaryOp::BitMaskClamp, Type::B32, 28, 99), 0xF000_0000);
}
