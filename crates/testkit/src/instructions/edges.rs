//! The values where instructions differ: zeros, limits, subnormals, NaNs, ties of roundings.

use super::ValueType;
use super::float_edges::{double, half, single};

/// The edges of a type. The first ones matter most: all combinations of these are used.
pub(super) fn edges(value: ValueType) -> Vec<u64> {
    use ValueType::*;
    match value {
        Predicate => vec![0, 1],
        U8 | S8 => bytes(),
        U16 | S16 => integers(16),
        U32 | S32 => integers(32),
        U64 | S64 => integers(64),
        NonZero16 => integers(16).into_iter().filter(|value| *value != 0).collect(),
        NonZero32 => integers(32).into_iter().filter(|value| *value != 0).collect(),
        NonZero64 => integers(64).into_iter().filter(|value| *value != 0).collect(),
        F16 => half(5, 10),
        Bf16 => half(8, 7),
        F32 => single(),
        Angle | WideAngle => single().into_iter().filter(|bits| value.holds_angle(*bits)).collect(),
        F64 => double(),
        F16x2 => pairs(&edges(F16)),
        Bf16x2 => pairs(&edges(Bf16)),
        U16x2 => pairs(&edges(U16)),
        U8x4 => {
            let list = [
                0,
                0x8080_8080,
                0x7f7f_7f7f,
                0xffff_ffff,
                0x0180_7fff,
                0x0101_0101,
                0xff80_7f01,
                0x00ff_00ff,
                0x80ff_7f00,
                0x0000_0001,
                0x8000_0000,
                0x1234_5678,
                0x7f80_ff01,
                0xfe02_fd03,
                0x0000_ff00,
                0x3210_7654,
                0x0000_3210,
                0x0000_7654,
                0x0000_fedc,
                0x0000_89ab,
                0xffff_0123,
            ];
            list.to_vec()
        }
        F8x2 => {
            let list = [
                0x0000, 0x8000, 0x7f7e, 0xff7c, 0x7d7b, 0xfdfb, 0x0180, 0x0708, 0x8788, 0x0304,
                0x3c38, 0x3839, 0x7778, 0xfcfe, 0x0f10, 0x4748, 0x0a8f,
            ];
            list.to_vec()
        }
        Small => {
            let list = [
                0,
                1,
                31,
                32,
                33,
                63,
                64,
                0xffff_ffff,
                2,
                3,
                4,
                7,
                8,
                15,
                16,
                17,
                24,
                30,
                62,
                65,
                96,
                127,
                128,
                255,
                256,
                257,
                288,
                0x8000_0000,
                0x7fff_ffff,
                0x100,
                0xffff_ffe0,
            ];
            list.to_vec()
        }
    }
}

/// Bytes in the low part of a register whose other bits are set or not: an instruction must not see them.
fn bytes() -> Vec<u64> {
    let low = [0, 0x7f, 0x80, 0xff, 1, 0x81, 0x55];
    low.iter().flat_map(|byte| [*byte, 0xffff_ff00 | byte, 0x1234_5600 | byte]).collect()
}

fn integers(bits: u32) -> Vec<u64> {
    let mask = u64::MAX >> (64 - bits);
    let top = 1u64 << (bits - 1);
    let mut list = vec![0, mask, top, top - 1, 1, 2, mask - 1, top + 1, 3, mask - 2];
    let half = bits / 2;
    list.extend([(1 << half) - 1, 1 << half, (1 << half) + 1, mask << half & mask, top >> 1]);
    list.extend([
        5,
        7,
        10,
        100,
        mask - 6,
        0x5555_5555_5555_5555 & mask,
        0xaaaa_aaaa_aaaa_aaaa & mask,
    ]);
    // The limits of the narrower types, and of the integers that a float holds exactly.
    for limit in [7u32, 8, 15, 16, 23, 24, 25, 31, 32, 52, 53, 54, 62] {
        if limit < bits {
            let limit = 1u64 << limit;
            list.extend([limit - 1, limit, limit + 1, limit.wrapping_neg() & mask]);
            list.extend([limit.wrapping_neg().wrapping_sub(1) & mask]);
        }
    }
    if bits == 64 {
        // Ties when rounded to single and to double precision.
        list.extend([0x0000_0100_0000_8000, 0x0000_0100_0001_8000, 0x7fff_ffff_ffff_fc00]);
        list.extend([0x7fff_ffff_ffff_fdff, 0x0040_0000_0000_0001, 0x0040_0000_0000_0003]);
        list.extend([0xffff_ffff_ffff_fbff, 0xffff_ffff_ffff_fc00, 0xffff_ff7f_ffff_ffff]);
    }
    if bits >= 32 {
        list.extend([
            65504,
            65519,
            65520,
            65535,
            2049,
            2051,
            0x0100_0001,
            0x0100_0003,
            0x7fff_ff40,
        ]);
    }
    let mut seen = Vec::new();
    for value in list {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

/// Each value beside others of the list, in both halves.
fn pairs(list: &[u64]) -> Vec<u64> {
    let count = list.len();
    let pair = |index: usize| list[index] | list[(index * 7 + 3) % count] << 16;
    (0..count).map(pair).collect()
}
