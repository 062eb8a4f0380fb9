//! Integer arithmetic beyond the operators of Rust: high products, 24-bit products, sums of
//! absolute differences, saturation, division, dot products.

/// `mul.hi.u64`.
#[inline(always)]
pub(crate) fn multiply_high_u64(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// `mul.hi.s64`.
#[inline(always)]
pub(crate) fn multiply_high_i64(a: i64, b: i64) -> i64 {
    ((i128::from(a) * i128::from(b)) >> 64) as i64
}

/// `mul.hi.u32`.
#[inline(always)]
pub(crate) fn multiply_high_u32(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// `mul.hi.s32`.
#[inline(always)]
pub(crate) fn multiply_high_i32(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b)) >> 32) as i32
}

/// `mul.hi.u16`.
#[inline(always)]
pub(crate) fn multiply_high_u16(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

/// `mul.hi.s16`.
#[inline(always)]
pub(crate) fn multiply_high_i16(a: i16, b: i16) -> i16 {
    ((i32::from(a) * i32::from(b)) >> 16) as i16
}

/// The 48-bit product of the low 24 bits, unsigned.
#[inline(always)]
fn product24_u32(a: u32, b: u32) -> u64 {
    u64::from(a & 0x00ff_ffff) * u64::from(b & 0x00ff_ffff)
}

/// The 48-bit product of the low 24 bits, signed.
#[inline(always)]
fn product24_i32(a: i32, b: i32) -> i64 {
    i64::from((a << 8) >> 8) * i64::from((b << 8) >> 8)
}

/// `mul24.lo.u32`; `mad24.lo` adds to it with wrapping.
#[inline(always)]
pub(crate) fn multiply24_low_u32(a: u32, b: u32) -> u32 {
    product24_u32(a, b) as u32
}

/// `mul24.hi.u32`: bits 47 to 16 of the product; `mad24.hi` adds to it with wrapping.
#[inline(always)]
pub(crate) fn multiply24_high_u32(a: u32, b: u32) -> u32 {
    (product24_u32(a, b) >> 16) as u32
}

/// `mul24.lo.s32`; `mad24.lo` adds to it with wrapping.
#[inline(always)]
pub(crate) fn multiply24_low_i32(a: i32, b: i32) -> i32 {
    product24_i32(a, b) as i32
}

/// `mul24.hi.s32`: bits 47 to 16 of the product; `mad24.hi` adds to it with wrapping and
/// `mad24.hi.sat` with saturation.
#[inline(always)]
pub(crate) fn multiply24_high_i32(a: i32, b: i32) -> i32 {
    (product24_i32(a, b) >> 16) as i32
}

/// `mad.hi.sat.s32`.
#[inline(always)]
pub(crate) fn multiply_add_high_saturating_i32(a: i32, b: i32, c: i32) -> i32 {
    multiply_high_i32(a, b).saturating_add(c)
}

/// `mad24.hi.sat.s32`.
#[inline(always)]
pub(crate) fn multiply24_add_high_saturating_i32(a: i32, b: i32, c: i32) -> i32 {
    multiply24_high_i32(a, b).saturating_add(c)
}

/// `add.sat.s32`.
#[inline(always)]
pub(crate) fn add_saturating_i32(a: i32, b: i32) -> i32 {
    a.saturating_add(b)
}

/// `sub.sat.s32`.
#[inline(always)]
pub(crate) fn subtract_saturating_i32(a: i32, b: i32) -> i32 {
    a.saturating_sub(b)
}

/// `min.relu.s32`.
#[inline(always)]
pub(crate) fn min_relu_i32(a: i32, b: i32) -> i32 {
    a.min(b).max(0)
}

/// `max.relu.s32`.
#[inline(always)]
pub(crate) fn max_relu_i32(a: i32, b: i32) -> i32 {
    a.max(b).max(0)
}

macro_rules! sum_of_differences {
    ($($(#[$doc:meta])* $name:ident, $type:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name(a: $type, b: $type, c: $type) -> $type {
            let difference = if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) };
            c.wrapping_add(difference)
        }
    )*};
}

sum_of_differences! {
    /// `sad.u16`.
    absolute_difference_add_u16, u16;
    /// `sad.s16`.
    absolute_difference_add_i16, i16;
    /// `sad.u32`.
    absolute_difference_add_u32, u32;
    /// `sad.s32`.
    absolute_difference_add_i32, i32;
    /// `sad.u64`.
    absolute_difference_add_u64, u64;
    /// `sad.s64`.
    absolute_difference_add_i64, i64;
}

macro_rules! division {
    ($($(#[$doc:meta])* $divide:ident, $remainder:ident, $type:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $divide(a: $type, b: $type) -> $type {
            if b == 0 { !0 } else { a.wrapping_div(b) }
        }

        /// The remainder of the division above; its sign is the dividend's.
        #[inline(always)]
        pub(crate) fn $remainder(a: $type, b: $type) -> $type {
            if b == 0 { !0 } else { a.wrapping_rem(b) }
        }
    )*};
}

// The manual leaves division by zero to the machine: the code generated for sm_90 writes all ones,
// for quotient and remainder and in every width. The smallest number over -1 is itself there.
division! {
    /// `div.u16`.
    divide_u16, remainder_u16, u16;
    /// `div.s16`.
    divide_i16, remainder_i16, i16;
    /// `div.u64`.
    divide_u64, remainder_u64, u64;
    /// `div.s64`.
    divide_i64, remainder_i64, i64;
}

/// One byte of a word, sign- or zero-extended.
#[inline(always)]
fn byte(word: u32, index: u32, signed: bool) -> i32 {
    let bits = (word >> (8 * index)) as u8;
    if signed { i32::from(bits as i8) } else { i32::from(bits) }
}

/// One half of a word, sign- or zero-extended.
#[inline(always)]
fn half_word(word: u32, index: u32, signed: bool) -> i32 {
    let bits = (word >> (16 * index)) as u16;
    if signed { i32::from(bits as i16) } else { i32::from(bits) }
}

/// `dp4a`: `c` plus the four products of the bytes of `a` and `b`, wrapping.
#[inline(always)]
pub(crate) fn dot_product4(a: u32, a_signed: bool, b: u32, b_signed: bool, c: u32) -> u32 {
    let mut sum = c;
    for index in 0..4 {
        let product = byte(a, index, a_signed).wrapping_mul(byte(b, index, b_signed));
        sum = sum.wrapping_add(product as u32);
    }
    sum
}

/// `dp2a`: `c` plus the two products of the halves of `a` and two bytes of `b` (the lower two, or
/// the upper two for `.hi`), wrapping.
#[inline(always)]
pub(crate) fn dot_product2(
    a: u32,
    a_signed: bool,
    b: u32,
    b_signed: bool,
    c: u32,
    upper: bool,
) -> u32 {
    let first = if upper { 2 } else { 0 };
    let mut sum = c;
    for index in 0..2 {
        let factor = byte(b, first + index, b_signed);
        let product = half_word(a, index, a_signed).wrapping_mul(factor);
        sum = sum.wrapping_add(product as u32);
    }
    sum
}
