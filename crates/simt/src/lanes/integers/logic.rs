//! `lop3`: any function of three bits.
//!
//! A function over lanes captures nothing, so the table has to be part of its type. Tables that
//! compilers write often have vector code of their own; all others share one loop, and their
//! functions only hand it the table.

use crate::lanes::{LaneFn, Maker, Operands, Rows};

/// `yes` where the bits of `by` are set, else `no`.
#[inline(always)]
fn choose(by: u32, yes: u32, no: u32) -> u32 {
    no ^ ((no ^ yes) & by)
}

/// The bit of the table as a word, for each combination of `a`, `b` and `c`, lowest first.
#[inline(always)]
const fn words(table: u8) -> [u32; 8] {
    let mut words = [0; 8];
    let mut index = 0;
    while index < 8 {
        words[index] = ((table >> index & 1) as u32).wrapping_neg();
        index += 1;
    }
    words
}

#[inline(always)]
fn look_up(words: [u32; 8], a: u32, b: u32, c: u32) -> u32 {
    let [w0, w1, w2, w3, w4, w5, w6, w7] = words;
    let without_a = choose(b, choose(c, w3, w2), choose(c, w1, w0));
    let with_a = choose(b, choose(c, w7, w6), choose(c, w5, w4));
    choose(a, with_a, without_a)
}

#[inline(always)]
fn common<const TABLE: u8>(a: u32, b: u32, c: u32) -> u32 {
    look_up(const { words(TABLE) }, a, b, c)
}

/// # Safety
/// As for every [`LaneFn`].
#[inline(never)]
unsafe fn by_table(rows: Rows, operands: &Operands, mask: u32, table: u8) {
    let words = words(table);
    // SAFETY: the caller answers for the rows.
    unsafe {
        let a = rows.read::<u32>(operands.a);
        let b = rows.read::<u32>(operands.b);
        let c = rows.read::<u32>(operands.c);
        let mut results = [0; 32];
        for lane in 0..32 {
            results[lane] = look_up(words, a[lane], b[lane], c[lane]);
        }
        rows.write(operands.to, mask, &results);
    }
}

/// # Safety
/// As for every [`LaneFn`].
unsafe fn rare<const TABLE: u8>(rows: Rows, operands: &Operands, mask: u32) {
    // SAFETY: the caller answers for the rows.
    unsafe { by_table(rows, operands, mask, TABLE) }
}

macro_rules! sixteen_each {
    ($($first:literal)+) => {
        [$([
            rare::<{ $first }>,
            rare::<{ $first + 1 }>,
            rare::<{ $first + 2 }>,
            rare::<{ $first + 3 }>,
            rare::<{ $first + 4 }>,
            rare::<{ $first + 5 }>,
            rare::<{ $first + 6 }>,
            rare::<{ $first + 7 }>,
            rare::<{ $first + 8 }>,
            rare::<{ $first + 9 }>,
            rare::<{ $first + 10 }>,
            rare::<{ $first + 11 }>,
            rare::<{ $first + 12 }>,
            rare::<{ $first + 13 }>,
            rare::<{ $first + 14 }>,
            rare::<{ $first + 15 }>,
        ]),+]
    };
}

static RARE: [[LaneFn; 16]; 16] =
    sixteen_each!(0 16 32 48 64 80 96 112 128 144 160 176 192 208 224 240);

/// The function of a table: bit `4a + 2b + c` is the result for those three bits.
pub(crate) fn lop3(maker: Maker, table: u8) -> Option<LaneFn> {
    macro_rules! with_vector_code {
        ($($table:literal)+) => {
            match table {
                $($table => maker.three(common::<$table>),)+
                _ => RARE[usize::from(table >> 4)][usize::from(table & 15)],
            }
        };
    }
    // Sums and majorities, choices, and mixes of `and`, `or` and `xor`.
    Some(with_vector_code!(
        0x96 0xe8 0xca 0xac 0xd8 0xe2 0xb8 0xe4
        0x80 0xfe 0xf8 0xea 0xec 0xe0 0xa8 0xc8
        0x78 0x6a 0x6c 0x1e 0x28 0x48 0x60 0x9a
        0x40 0x20 0x08 0xf2 0xf4 0xba 0x3c 0x66
    ))
}
