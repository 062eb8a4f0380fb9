//! Bit fields, bit searches, funnel shifts, masks and byte permutation.

use super::ShiftMode;

// Positions and lengths beyond 255 are outside of what the manual allows. The instructions of 32 bits
// take the lowest eight bits, those of 64 bits, which are routines on sm_90, take all of them.
macro_rules! bit_field {
    ($unsigned:ident, $signed:ident, $bits:literal, $significant:literal, $extract_unsigned:ident, $extract_signed:ident, $insert:ident) => {
        /// `bfe` on the unsigned type: `length` bits of `a` from `position` on, zero-extended.
        #[inline(always)]
        pub(crate) fn $extract_unsigned(a: $unsigned, position: u32, length: u32) -> $unsigned {
            let (position, length) = (position & $significant, length & $significant);
            let shifted = if position < $bits { a >> position } else { 0 };
            let mask =
                if length < $bits { ((1 as $unsigned) << length) - 1 } else { $unsigned::MAX };
            shifted & mask
        }

        /// `bfe` on the signed type: `length` bits of `a` from `position` on, sign-extended. Bits
        /// beyond the top are copies of the top bit.
        #[inline(always)]
        pub(crate) fn $extract_signed(a: $signed, position: u32, length: u32) -> $signed {
            let (position, length) = (position & $significant, length & $significant);
            // An arithmetic shift fills with the top bit, which is what the manual asks for.
            let shifted = a >> position.min($bits - 1);
            let unused = $bits - length.clamp(1, $bits);
            let extended = (shifted << unused) >> unused;
            if length == 0 { 0 } else { extended }
        }

        /// `bfi`: puts the low `length` bits of `a` into `b` from `position` on.
        #[inline(always)]
        pub(crate) fn $insert(a: $unsigned, b: $unsigned, position: u32, length: u32) -> $unsigned {
            let (position, length) = (position & $significant, length & $significant);
            let field =
                if length < $bits { ((1 as $unsigned) << length) - 1 } else { $unsigned::MAX };
            let mask = if position < $bits { field << position } else { 0 };
            let shifted = if position < $bits { a << position } else { 0 };
            (b & !mask) | (shifted & mask)
        }
    };
}

bit_field!(u32, i32, 32, 0xff, extract_field_u32, extract_field_i32, insert_field_u32);
bit_field!(u64, i64, 64, 0xffff_ffff, extract_field_u64, extract_field_i64, insert_field_u64);

macro_rules! bit_search {
    ($unsigned:ident, $signed:ident, $bits:literal, $find_unsigned:ident, $find_signed:ident) => {
        /// `bfind` on the unsigned type: the position of the highest one, or with `shift_amount`
        /// how far it is from the top; all ones if there is none.
        #[inline(always)]
        pub(crate) fn $find_unsigned(a: $unsigned, shift_amount: bool) -> u32 {
            let distance = a.leading_zeros();
            let found = if shift_amount { distance } else { ($bits - 1u32).wrapping_sub(distance) };
            if a == 0 { u32::MAX } else { found }
        }

        /// `bfind` on the signed type: the highest bit that differs from the sign.
        #[inline(always)]
        pub(crate) fn $find_signed(a: $signed, shift_amount: bool) -> u32 {
            $find_unsigned((a ^ (a >> ($bits - 1))) as $unsigned, shift_amount)
        }
    };
}

bit_search!(u32, i32, 32, find_bit_u32, find_bit_i32);
bit_search!(u64, i64, 64, find_bit_u64, find_bit_i64);

/// `fns.b32`: the `offset`-th one of `mask` counted from `base` on, upwards if positive and
/// downwards if negative; bit `base` itself for zero; all ones if there is none. A `base` beyond 31
/// is undefined in the manual and finds nothing here.
pub(crate) fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    // A distance that has no opposite: so the routine of sm_90.
    if offset == i32::MIN {
        return 0;
    }
    if base > 31 {
        return u32::MAX;
    }
    if offset == 0 {
        return if mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    let step = offset.signum();
    let mut left = offset.unsigned_abs();
    let mut position = base as i32;
    while (0..32).contains(&position) {
        left -= mask >> position & 1;
        if left == 0 {
            return position as u32;
        }
        position += step;
    }
    u32::MAX
}

/// `shl.b16`.
#[inline(always)]
pub(crate) fn shift_left_u16(a: u16, amount: u32) -> u16 {
    if amount < 16 { a << amount } else { 0 }
}

/// `shl.b32`.
#[inline(always)]
pub(crate) fn shift_left_u32(a: u32, amount: u32) -> u32 {
    if amount < 32 { a << amount } else { 0 }
}

/// `shl.b64`.
#[inline(always)]
pub(crate) fn shift_left_u64(a: u64, amount: u32) -> u64 {
    if amount < 64 { a << amount } else { 0 }
}

/// `shr.u16` and `shr.b16`.
#[inline(always)]
pub(crate) fn shift_right_u16(a: u16, amount: u32) -> u16 {
    if amount < 16 { a >> amount } else { 0 }
}

/// `shr.u32` and `shr.b32`.
#[inline(always)]
pub(crate) fn shift_right_u32(a: u32, amount: u32) -> u32 {
    if amount < 32 { a >> amount } else { 0 }
}

/// `shr.u64` and `shr.b64`.
#[inline(always)]
pub(crate) fn shift_right_u64(a: u64, amount: u32) -> u64 {
    if amount < 64 { a >> amount } else { 0 }
}

/// `shr.s16`.
#[inline(always)]
pub(crate) fn shift_right_i16(a: i16, amount: u32) -> i16 {
    a >> amount.min(15)
}

/// `shr.s32`.
#[inline(always)]
pub(crate) fn shift_right_i32(a: i32, amount: u32) -> i32 {
    a >> amount.min(31)
}

/// `shr.s64`.
#[inline(always)]
pub(crate) fn shift_right_i64(a: i64, amount: u32) -> i64 {
    a >> amount.min(63)
}

#[inline(always)]
fn funnel_amount(c: u32, mode: ShiftMode) -> u32 {
    match mode {
        ShiftMode::Wrap => c & 31,
        ShiftMode::Clamp => c.min(32),
    }
}

/// `shf.l.b32 d, a, b, c`: the upper word of `b:a` shifted left.
#[inline(always)]
pub(crate) fn funnel_shift_left(a: u32, b: u32, c: u32, mode: ShiftMode) -> u32 {
    let both = (u64::from(b) << 32) | u64::from(a);
    ((both << funnel_amount(c, mode)) >> 32) as u32
}

/// `shf.r.b32 d, a, b, c`: the lower word of `b:a` shifted right.
#[inline(always)]
pub(crate) fn funnel_shift_right(a: u32, b: u32, c: u32, mode: ShiftMode) -> u32 {
    let both = (u64::from(b) << 32) | u64::from(a);
    (both >> funnel_amount(c, mode)) as u32
}

/// `szext.u32`: the low `b` bits of `a`, zero-extended.
#[inline(always)]
pub(crate) fn zero_extend(a: u32, b: u32, mode: ShiftMode) -> u32 {
    let whole = mode == ShiftMode::Clamp && b >= 32;
    let mask = (1u32 << (b & 31)) - 1;
    if whole { a } else { a & mask }
}

/// `szext.s32`: the low `b` bits of `a`, sign-extended; zero for no bits.
#[inline(always)]
pub(crate) fn sign_extend(a: u32, b: u32, mode: ShiftMode) -> u32 {
    let whole = mode == ShiftMode::Clamp && b >= 32;
    let length = b & 31;
    let unused = 32 - length.max(1);
    let extended = (((a << unused) as i32) >> unused) as u32;
    let bounded = if length == 0 { 0 } else { extended };
    if whole { a } else { bounded }
}

/// `bmsk.b32`: `b` ones from bit `a` on.
#[inline(always)]
pub(crate) fn bit_mask(a: u32, b: u32, mode: ShiftMode) -> u32 {
    let (position, width) = match mode {
        ShiftMode::Wrap => (a & 31, b & 31),
        ShiftMode::Clamp => (a.min(32), b.min(32)),
    };
    // Positions and widths are at most 32, so nothing is lost in 64 bits.
    (((1u64 << width) - 1) << position) as u32
}

/// A special mode of `prmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PermuteMode {
    /// `.f4e`: forward 4 extract.
    Forward4,
    /// `.b4e`: backward 4 extract.
    Backward4,
    /// `.rc8`: replicate 8.
    Replicate8,
    /// `.ecl`: edge clamp left.
    EdgeClampLeft,
    /// `.ecr`: edge clamp right.
    EdgeClampRight,
    /// `.rc16`: replicate 16.
    Replicate16,
}

/// The selectors of a special mode, one row for each value of the two low bits of `c`.
fn selectors(mode: PermuteMode, c: u32) -> u32 {
    let table: [u32; 4] = match mode {
        PermuteMode::Forward4 => [0x3210, 0x4321, 0x5432, 0x6543],
        PermuteMode::Backward4 => [0x5670, 0x6701, 0x7012, 0x0123],
        PermuteMode::Replicate8 => [0x0000, 0x1111, 0x2222, 0x3333],
        PermuteMode::EdgeClampLeft => [0x3210, 0x3211, 0x3222, 0x3333],
        PermuteMode::EdgeClampRight => [0x0000, 0x1110, 0x2210, 0x3210],
        PermuteMode::Replicate16 => [0x1010, 0x3232, 0x1010, 0x3232],
    };
    table[(c & 3) as usize]
}

/// `prmt.b32 d, a, b, c` in the generic form: four bytes of `b:a`, each copied or, with the top bit
/// of its selector, replaced by eight copies of its sign.
#[inline(always)]
pub(crate) fn permute(a: u32, b: u32, c: u32) -> u32 {
    let both = (u64::from(b) << 32) | u64::from(a);
    let mut result = 0;
    for index in 0..4 {
        let selector = c >> (4 * index);
        let byte = (both >> (8 * (selector & 7))) as u8;
        let sign = ((byte as i8) >> 7) as u8;
        let chosen = if selector & 8 != 0 { sign } else { byte };
        result |= u32::from(chosen) << (8 * index);
    }
    result
}

/// `prmt.b32` in a special mode.
#[inline(always)]
pub(crate) fn permute_with_mode(a: u32, b: u32, c: u32, mode: PermuteMode) -> u32 {
    permute(a, b, selectors(mode, c))
}
