//! `.f32x2`: two singles in a register of 64 bits.

use super::{ADD, EMULATED, MUL, SATURATE, SUB, by_mode, code_of, fused as fused_one};
use crate::lanes::{LaneFn, Maker};
use warpsan_ir::{BinaryOp, Mode};

#[inline(always)]
fn part(pair: u64, index: u32) -> f32 {
    f32::from_bits((pair >> (32 * index)) as u32)
}

#[inline(always)]
fn joined(low: f32, high: f32) -> u64 {
    u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32
}

#[inline(always)]
fn with_two<const OP: u8, const MODE: u8>(a: u64, b: u64) -> u64 {
    let one = |index| super::with_two::<OP, MODE>(part(a, index), part(b, index));
    joined(one(0), one(1))
}

#[inline(always)]
fn with_three<const HOST: bool, const MODE: u8>(a: u64, b: u64, c: u64) -> u64 {
    let one = |index| fused_one::<HOST, MODE>(part(a, index), part(b, index), part(c, index));
    joined(one(0), one(1))
}

/// Operations with two operands.
pub(super) fn binary(maker: Maker, op: BinaryOp, mode: &Mode) -> Option<LaneFn> {
    let code = code_of(mode).filter(|code| code & SATURATE == 0)?;
    macro_rules! arithmetic {
        ($op:ident) => {
            by_mode!(code, maker, costly_two, costly_two, with_two::<$op>,
                vector 0 4, sparse 1 2 3 5 6 7)
        };
    }
    Some(match op {
        BinaryOp::Add => arithmetic!(ADD),
        BinaryOp::Sub => arithmetic!(SUB),
        BinaryOp::MulLo => arithmetic!(MUL),
        _ => return None,
    })
}

/// `fma`.
pub(super) fn fused(maker: Maker, mode: &Mode) -> Option<LaneFn> {
    let code = code_of(mode).filter(|code| code & SATURATE == 0)?;
    Some(by_mode!(code, maker, costly_three, costly_three, with_three::<EMULATED>,
        vector 0 4, sparse 1 2 3 5 6 7))
}
