//! `.f16` and `.bf16`, one value or two in a register.
//!
//! The mode is a number that is part of a function's type, as for single precision, with other bits.

mod pairs;

use super::{LaneFn, Maker};
use crate::numerics::half::{self, Half, pack, unpack};
use crate::numerics::narrow::{Bf16, F16};
use warpsan_ir::{BinaryOp, Mode, Rounding, TernaryOp, Type, UnaryOp};

const FLUSH: u8 = 1;
const SATURATE: u8 = 2;
const RELU: u8 = 4;
/// Of `min` and `max`, which do not saturate and have no `.relu`.
const NAN: u8 = 2;
const XORSIGN: u8 = 4;

const ADD: u8 = 0;
const SUB: u8 = 1;
const MUL: u8 = 2;
const MIN: u8 = 3;
const MAX: u8 = 4;
const NEG: u8 = 5;
const ABS: u8 = 6;
const EX2: u8 = 7;
const TANH: u8 = 8;

#[inline(always)]
fn flushed<F: Half, const MODE: u8>(a: u16) -> u16 {
    if MODE & FLUSH != 0 { half::flush::<F>(a) } else { a }
}

#[inline(always)]
fn output<F: Half, const MODE: u8>(a: u16) -> u16 {
    let a = flushed::<F, MODE>(a);
    let a = if MODE & SATURATE != 0 { half::saturate::<F>(a) } else { a };
    if MODE & RELU != 0 { half::relu::<F>(a) } else { a }
}

#[inline(always)]
fn with_one<F: Half, const OP: u8, const MODE: u8>(a: u16) -> u16 {
    let a = flushed::<F, MODE>(a);
    let result = match OP {
        NEG => half::neg(a),
        ABS => half::abs(a),
        EX2 => half::ex2::<F>(a),
        _ => half::tanh::<F>(a),
    };
    flushed::<F, MODE>(result)
}

#[inline(always)]
fn with_two<F: Half, const OP: u8, const MODE: u8>(a: u16, b: u16) -> u16 {
    let (a, b) = (flushed::<F, MODE>(a), flushed::<F, MODE>(b));
    match (OP, MODE & NAN != 0, MODE & XORSIGN != 0) {
        (ADD, ..) => output::<F, MODE>(half::add::<F>(a, b)),
        (SUB, ..) => output::<F, MODE>(half::sub::<F>(a, b)),
        (MUL, ..) if MODE & FLUSH != 0 => output::<F, MODE>(half::mul_flushing::<F>(a, b)),
        (MUL, ..) => output::<F, MODE>(half::mul::<F>(a, b)),
        (MIN, false, false) => half::min::<F>(a, b),
        (MIN, true, false) => half::min_nan::<F>(a, b),
        (MIN, false, true) => half::min_xorsign_abs::<F>(a, b),
        (MIN, true, true) => half::min_nan_xorsign_abs::<F>(a, b),
        (_, false, false) => half::max::<F>(a, b),
        (_, true, false) => half::max_nan::<F>(a, b),
        (_, false, true) => half::max_xorsign_abs::<F>(a, b),
        (_, true, true) => half::max_nan_xorsign_abs::<F>(a, b),
    }
}

#[inline(always)]
fn fused<F: Half, const MODE: u8>(a: u16, b: u16, c: u16) -> u16 {
    let (a, b) = (flushed::<F, MODE>(a), flushed::<F, MODE>(b));
    let c = flushed::<F, MODE>(c);
    output::<F, MODE>(if MODE & FLUSH != 0 {
        half::fma_flushing::<F>(a, b, c)
    } else {
        half::fma::<F>(a, b, c)
    })
}

fn code_of(mode: &Mode) -> Option<u8> {
    let nearest = mode.rounding == Rounding::Nearest;
    let code = u8::from(mode.flush) | u8::from(mode.saturate) << 1 | u8::from(mode.relu) << 2;
    nearest.then_some(code)
}

fn extremes_code_of(mode: &Mode) -> u8 {
    u8::from(mode.flush) | u8::from(mode.nan) << 1 | u8::from(mode.xorsign_abs) << 2
}

// The same function for one value and for two in a register. Closures, not the functions themselves:
// a call of a function that was passed is not inlined, which would cost the vector code.
macro_rules! one {
    ($maker:ident.$shape:ident, $packed:expr, $f:ident, $op:ident, $mode:literal) => {
        if $packed {
            $maker.$shape(|a: u32| {
                let a = unpack(a);
                pack(with_one::<$f, $op, $mode>(a[0]), with_one::<$f, $op, $mode>(a[1]))
            })
        } else {
            $maker.$shape(|a: u16| with_one::<$f, $op, $mode>(a))
        }
    };
}

macro_rules! two {
    ($maker:ident.$shape:ident, $packed:expr, $f:ident, $op:ident, $mode:literal) => {
        match $packed {
            true if stringify!($shape) == "two" && !$maker.uniform => {
                pairs::two::<$f, $op, $mode>($maker.instructions)
            }
            true => $maker.costly_two(|a: u32, b: u32| {
                let (a, b) = (unpack(a), unpack(b));
                let low = with_two::<$f, $op, $mode>(a[0], b[0]);
                pack(low, with_two::<$f, $op, $mode>(a[1], b[1]))
            }),
            false => $maker.$shape(|a: u16, b: u16| with_two::<$f, $op, $mode>(a, b)),
        }
    };
}

macro_rules! three {
    ($maker:ident.$shape:ident, $packed:expr, $f:ident, $mode:literal) => {
        match $packed {
            true if stringify!($shape) == "three" && !$maker.uniform => {
                pairs::three::<$f, $mode>($maker.instructions)
            }
            true => $maker.costly_three(|a: u32, b: u32, c: u32| {
                let (a, b, c) = (unpack(a), unpack(b), unpack(c));
                let low = fused::<$f, $mode>(a[0], b[0], c[0]);
                pack(low, fused::<$f, $mode>(a[1], b[1], c[1]))
            }),
            false => $maker.$shape(|a: u16, b: u16, c: u16| fused::<$f, $mode>(a, b, c)),
        }
    };
}

/// Whether the type is `.bf16`, and whether there are two values.
fn format_of(ty: Type) -> Option<(bool, bool)> {
    match ty {
        Type::F16 => Some((false, false)),
        Type::F16x2 => Some((false, true)),
        Type::Bf16 => Some((true, false)),
        Type::Bf16x2 => Some((true, true)),
        _ => None,
    }
}

/// Operations with one operand.
pub(crate) fn unary(maker: Maker, op: UnaryOp, ty: Type, mode: &Mode) -> Option<LaneFn> {
    let (brain, packed) = format_of(ty)?;
    Some(match (op, brain, mode.flush) {
        // A sign has no precision: both formats have it at the top.
        (UnaryOp::Neg, true, _) | (UnaryOp::Neg, false, false) => {
            one!(maker.one, packed, F16, NEG, 0)
        }
        (UnaryOp::Abs, true, _) | (UnaryOp::Abs, false, false) => {
            one!(maker.one, packed, F16, ABS, 0)
        }
        (UnaryOp::Neg, false, true) => one!(maker.costly_one, packed, F16, NEG, 1),
        (UnaryOp::Abs, false, true) => one!(maker.costly_one, packed, F16, ABS, 1),
        // There is no `ex2.bf16` without `.ftz`, and no `ex2.f16` with it.
        (UnaryOp::Ex2, false, _) => one!(maker.one, packed, F16, EX2, 0),
        (UnaryOp::Ex2, true, _) => one!(maker.one, packed, Bf16, EX2, 1),
        (UnaryOp::Tanh, false, _) => one!(maker.one, packed, F16, TANH, 0),
        (UnaryOp::Tanh, true, _) => one!(maker.one, packed, Bf16, TANH, 0),
        _ => return None,
    })
}

/// Operations with two operands.
pub(crate) fn binary(maker: Maker, op: BinaryOp, ty: Type, mode: &Mode) -> Option<LaneFn> {
    let (brain, packed) = format_of(ty)?;
    macro_rules! arithmetic {
        ($op:ident) => {
            match (code_of(mode)?, brain) {
                (0, false) => two!(maker.two, packed, F16, $op, 0),
                (1, false) => two!(maker.costly_two, packed, F16, $op, 1),
                (2, false) => two!(maker.costly_two, packed, F16, $op, 2),
                (3, false) => two!(maker.costly_two, packed, F16, $op, 3),
                (0, true) => two!(maker.two, packed, Bf16, $op, 0),
                _ => return None,
            }
        };
    }
    macro_rules! extremes {
        ($op:ident) => {
            match (extremes_code_of(mode), brain) {
                (0, false) => two!(maker.two, packed, F16, $op, 0),
                (1, false) => two!(maker.costly_two, packed, F16, $op, 1),
                (2, false) => two!(maker.two, packed, F16, $op, 2),
                (3, false) => two!(maker.costly_two, packed, F16, $op, 3),
                (4, false) => two!(maker.costly_two, packed, F16, $op, 4),
                (5, false) => two!(maker.costly_two, packed, F16, $op, 5),
                (6, false) => two!(maker.costly_two, packed, F16, $op, 6),
                (7, false) => two!(maker.costly_two, packed, F16, $op, 7),
                (0, true) => two!(maker.two, packed, Bf16, $op, 0),
                (2, true) => two!(maker.two, packed, Bf16, $op, 2),
                (4, true) => two!(maker.costly_two, packed, Bf16, $op, 4),
                (6, true) => two!(maker.costly_two, packed, Bf16, $op, 6),
                _ => return None,
            }
        };
    }
    Some(match op {
        BinaryOp::Add => arithmetic!(ADD),
        BinaryOp::Sub => arithmetic!(SUB),
        BinaryOp::MulLo => arithmetic!(MUL),
        BinaryOp::Min => extremes!(MIN),
        BinaryOp::Max => extremes!(MAX),
        _ => return None,
    })
}

/// Operations with three operands.
pub(crate) fn ternary(maker: Maker, op: TernaryOp, ty: Type, mode: &Mode) -> Option<LaneFn> {
    let (brain, packed) = format_of(ty)?;
    // The manual does not say which number marks what is out of bounds.
    if op != TernaryOp::Fma || mode.out_of_bounds {
        return None;
    }
    Some(match (code_of(mode)?, brain) {
        (0, false) => three!(maker.three, packed, F16, 0),
        (1, false) => three!(maker.costly_three, packed, F16, 1),
        (2, false) => three!(maker.costly_three, packed, F16, 2),
        (3, false) => three!(maker.costly_three, packed, F16, 3),
        (4, false) => three!(maker.three, packed, F16, 4),
        (5, false) => three!(maker.costly_three, packed, F16, 5),
        (0, true) => three!(maker.three, packed, Bf16, 0),
        (4, true) => three!(maker.three, packed, Bf16, 4),
        _ => return None,
    })
}
