//! Integer arithmetic at the limits of its types.

use super::Values;
use crate::numerics::ShiftMode::{Clamp, Wrap};
use crate::numerics::bits::{self, PermuteMode};
use crate::numerics::{integer, packed_integer};

/// The loop of the manual's page on `bfe`.
fn extract_by_the_manual(a: u64, b: u32, c: u32, msb: u32, signed: bool) -> u64 {
    let (position, length) = (b & 0xff, c & 0xff);
    let sign = if !signed || length == 0 { 0 } else { a >> (position + length - 1).min(msb) & 1 };
    let mut result = 0;
    for i in 0..=msb {
        let bit = if i < length && position + i <= msb { a >> (position + i) & 1 } else { sign };
        result |= bit << i;
    }
    result
}

/// The loop of the manual's page on `bfi`.
fn insert_by_the_manual(a: u64, b: u64, c: u32, d: u32, msb: u32) -> u64 {
    let (position, length) = (c & 0xff, d & 0xff);
    let mut result = b;
    for i in 0..length {
        if position + i <= msb {
            result = (result & !(1 << (position + i))) | ((a >> i & 1) << (position + i));
        }
    }
    result
}

#[test]
fn bit_fields_equal_the_loops_of_the_manual() {
    let mut values = Values::new(40);
    for _ in 0..100_000 {
        let (a, b) = (values.pattern(64), values.pattern(64));
        let position = (values.next() % 256) as u32;
        let length = (values.next() % 256) as u32;
        let narrow = a as u32;
        let wide = u64::from(narrow);
        let context = format!("{a:x} {position} {length}");
        let extract = extract_by_the_manual;
        assert_eq!(
            u64::from(bits::extract_field_u32(narrow, position, length)),
            extract(wide, position, length, 31, false),
            "{context}"
        );
        assert_eq!(
            u64::from(bits::extract_field_i32(narrow as i32, position, length) as u32),
            extract(wide, position, length, 31, true),
            "{context}"
        );
        assert_eq!(
            bits::extract_field_u64(a, position, length),
            extract(a, position, length, 63, false),
            "{context}"
        );
        assert_eq!(
            bits::extract_field_i64(a as i64, position, length) as u64,
            extract(a, position, length, 63, true),
            "{context}"
        );
        assert_eq!(
            u64::from(bits::insert_field_u32(narrow, b as u32, position, length)),
            insert_by_the_manual(wide, u64::from(b as u32), position, length, 31),
            "{context}"
        );
        assert_eq!(
            bits::insert_field_u64(a, b, position, length),
            insert_by_the_manual(a, b, position, length, 63),
            "{context}"
        );
    }
}

#[test]
fn searches() {
    assert_eq!(bits::find_bit_u32(0, false), u32::MAX);
    assert_eq!(bits::find_bit_u32(0, true), u32::MAX);
    assert_eq!(bits::find_bit_u32(0x0001_0000, false), 16);
    assert_eq!(bits::find_bit_u32(0x0001_0000, true), 15);
    assert_eq!(bits::find_bit_i32(-1, false), u32::MAX);
    assert_eq!(bits::find_bit_i32(-2, false), 0);
    assert_eq!(bits::find_bit_i64(i64::MIN, true), 1);
    assert_eq!(bits::find_bit_u64(1, false), 0);
    assert_eq!(bits::find_nth_set(0b1011_0100, 2, 0), 2);
    assert_eq!(bits::find_nth_set(0b1011_0100, 3, 0), u32::MAX);
    assert_eq!(bits::find_nth_set(0b1011_0100, 2, 2), 4);
    assert_eq!(bits::find_nth_set(0b1011_0100, 7, -3), 4);
    assert_eq!(bits::find_nth_set(0b1011_0100, 0, 5), u32::MAX);
    assert_eq!(bits::find_nth_set(u32::MAX, 0, i32::MIN + 1), u32::MAX);
    assert_eq!(bits::find_nth_set(u32::MAX, 5, i32::MIN), 0);
}

#[test]
fn positions_beyond_a_byte_count_in_wide_fields_only() {
    assert_eq!(bits::extract_field_u32(0xff, 0x101, 0x103), 7);
    assert_eq!(bits::extract_field_u64(0xff, 0x101, 3), 0);
    assert_eq!(bits::extract_field_i64(-256, 4, 0x100), -16);
    assert_eq!(bits::insert_field_u64(0xff, 1, 4, 0x80_0000), 0xff1);
    assert_eq!(bits::insert_field_u32(0xff, 1, 0x104, 0x104), 0xf1);
}

/// The manual's pseudocode of `bmsk`, with shifts by 32 and more giving zero.
fn mask_by_the_manual(a: u32, b: u32, clamp: bool) -> u32 {
    let (a1, b1) = (a & 31, b & 31);
    let sum = a1 + b1;
    let mut mask0 = u32::MAX << a1;
    let mut mask1 = u32::MAX.checked_shl(sum).unwrap_or(0);
    let mut overflow = sum >= 32;
    if clamp && a >= 32 {
        overflow = true;
        mask0 = 0;
    }
    if clamp && b >= 32 {
        overflow = true;
    }
    if overflow {
        mask1 = 0;
    } else if b1 == 0 {
        mask1 = u32::MAX;
    }
    mask0 & !mask1
}

#[test]
fn masks_extensions_and_funnels() {
    for a in 0..70 {
        for b in 0..70 {
            // The pseudocode forgets that a width of zero and a position of zero give no ones when
            // the sum is zero; its text says so, and the special case covers it.
            assert_eq!(bits::bit_mask(a, b, Clamp), mask_by_the_manual(a, b, true), "{a} {b}");
            assert_eq!(bits::bit_mask(a, b, Wrap), mask_by_the_manual(a, b, false), "{a} {b}");
        }
    }
    assert_eq!(bits::sign_extend(0x80, 8, Wrap), 0xffff_ff80);
    assert_eq!(bits::sign_extend(0x80, 40, Wrap), 0xffff_ff80);
    assert_eq!(bits::sign_extend(0x80, 40, Clamp), 0x80);
    assert_eq!(bits::sign_extend(0x81, 0, Clamp), 0);
    assert_eq!(bits::sign_extend(0x81, 32, Wrap), 0);
    assert_eq!(bits::zero_extend(0xffff, 9, Wrap), 0x1ff);
    assert_eq!(bits::zero_extend(0xffff, 32, Clamp), 0xffff);
    assert_eq!(bits::zero_extend(0xffff, 32, Wrap), 0);
    let (a, b) = (0x89ab_cdef, 0x0123_4567);
    assert_eq!(bits::funnel_shift_left(a, b, 8, Wrap), 0x2345_6789);
    assert_eq!(bits::funnel_shift_right(a, b, 8, Wrap), 0x6789_abcd);
    assert_eq!(bits::funnel_shift_left(a, b, 32, Wrap), b);
    assert_eq!(bits::funnel_shift_left(a, b, 99, Clamp), a);
    assert_eq!(bits::funnel_shift_right(a, b, 99, Clamp), b);
    assert_eq!(bits::shift_left_u32(1, 32), 0);
    assert_eq!(bits::shift_left_u16(1, 15), 0x8000);
    assert_eq!(bits::shift_right_i16(-2, 99), -1);
    assert_eq!(bits::shift_right_u64(u64::MAX, 64), 0);
}

#[test]
fn permutations() {
    let (a, b) = (0x3322_1100, 0x7766_5544);
    let mode = |mode, c| bits::permute_with_mode(a, b, c, mode);
    assert_eq!(bits::permute(a, b, 0x7531), 0x7755_3311);
    assert_eq!(bits::permute(0x8000_00ff, 0x7f, 0xb8c0), 0xffff_00ff);
    assert_eq!(mode(PermuteMode::Forward4, 3), 0x6655_4433);
    assert_eq!(mode(PermuteMode::Backward4, 0), 0x5566_7700);
    assert_eq!(mode(PermuteMode::Backward4, 1), 0x6677_0011);
    assert_eq!(mode(PermuteMode::Replicate8, 6), 0x2222_2222);
    assert_eq!(mode(PermuteMode::EdgeClampLeft, 2), 0x3322_2222);
    assert_eq!(mode(PermuteMode::EdgeClampRight, 1), 0x1111_1100);
    assert_eq!(mode(PermuteMode::Replicate16, 3), 0x3322_3322);
}

#[test]
fn products_and_sums() {
    assert_eq!(integer::multiply_high_u64(u64::MAX, u64::MAX), u64::MAX - 1);
    assert_eq!(integer::multiply_high_i64(i64::MIN, i64::MIN), 1 << 62);
    assert_eq!(integer::multiply_high_i32(-1, 1), -1);
    assert_eq!(integer::multiply_high_u16(0xffff, 0xffff), 0xfffe);
    assert_eq!(integer::multiply_high_i16(-1, 1), -1);
    assert_eq!(integer::multiply24_low_u32(0xff00_0003, 5), 15);
    assert_eq!(integer::multiply24_high_u32(0x00ff_ffff, 0x00ff_ffff), 0xffff_fe00);
    assert_eq!(integer::multiply24_low_i32(0x00ff_ffff, 5), -5);
    assert_eq!(integer::multiply24_high_i32(0x0080_0000, 0x007f_ffff), -0x3fff_ff80);
    assert_eq!(integer::multiply_add_high_saturating_i32(i32::MIN, i32::MIN, i32::MAX), i32::MAX);
    assert_eq!(integer::absolute_difference_add_u32(3, 10, 5), 12);
    assert_eq!(integer::absolute_difference_add_i16(i16::MAX, i16::MIN, 1), 0);
    assert_eq!(integer::add_saturating_i32(i32::MAX, 1), i32::MAX);
    assert_eq!(integer::subtract_saturating_i32(i32::MIN, 1), i32::MIN);
    assert_eq!(integer::min_relu_i32(-4, 3), 0);
    assert_eq!(integer::max_relu_i32(-4, -3), 0);
}

#[test]
fn division_by_zero_gives_all_ones() {
    assert_eq!(integer::divide_u64(7, 0), u64::MAX);
    assert_eq!(integer::remainder_u64(7, 0), u64::MAX);
    assert_eq!(integer::divide_i64(-7, 0), -1);
    assert_eq!(integer::remainder_i16(7, 0), -1);
    assert_eq!(integer::divide_i64(i64::MIN, -1), i64::MIN);
    assert_eq!(integer::remainder_i64(i64::MIN, -1), 0);
    assert_eq!(integer::divide_i16(-7, 2), -3);
    assert_eq!(integer::remainder_i16(-7, 2), -1);
}

#[test]
fn dot_products() {
    assert_eq!(integer::dot_product4(0x0102_0304, false, 0x0101_0101, false, 10), 20);
    assert_eq!(integer::dot_product4(0xffff_ffff, true, 0xffff_ffff, false, 0), (-1020i32) as u32);
    assert_eq!(integer::dot_product4(0xffff_ffff, false, 0xffff_ffff, false, 0), 260_100);
    assert_eq!(integer::dot_product2(0xffff_0002, true, 0x0403_0201, false, 0, false), 0);
    assert_eq!(integer::dot_product2(0xffff_0002, true, 0x0403_0201, false, 1, true), 3);
    assert_eq!(integer::dot_product2(0xffff_0002, false, 0xff00_0000, true, 0, true), 0xffff_0001);
}

#[test]
fn packed_pairs() {
    assert_eq!(packed_integer::add(0xffff_0001, 0x0001_0001), 0x0000_0002);
    assert_eq!(packed_integer::sub(0x0000_0001, 0x0001_0001), 0xffff_0000);
    assert_eq!(packed_integer::min_unsigned(0xffff_0001, 0x0001_0002), 0x0001_0001);
    assert_eq!(packed_integer::min_signed(0xffff_0001, 0x0001_0002), 0xffff_0001);
    assert_eq!(packed_integer::min_relu(0xffff_0001, 0x0001_0002), 0x0000_0001);
    assert_eq!(packed_integer::max_signed(0xffff_0001, 0x0001_0002), 0x0001_0002);
    assert_eq!(packed_integer::max_relu(0xffff_8000, 0xfffe_0002), 0x0000_0002);
    assert_eq!(packed_integer::max_unsigned(0xffff_0001, 0x0001_0002), 0xffff_0002);
}
