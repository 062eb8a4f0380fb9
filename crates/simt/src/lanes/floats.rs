//! Single and double precision.
//!
//! A calculation's mode is a number that is part of the type of its function: two bits of rounding,
//! and one each for `.ftz` and `.sat`. What compilers write is vector code; other modes go lane by
//! lane, through functions that are not copied for every mode.

mod double;
mod extremes;
mod pair;

use super::{LaneFn, Maker};
use crate::numerics::{Round, approx, directed, single};
use warpsan_ir::{BinaryOp, Mode, Rounding, TernaryOp, Type, UnaryOp};

const ROUNDING: u8 = 3;
const FLUSH: u8 = 4;
const SATURATE: u8 = 8;

/// The rounding of arithmetic as numbers know it.
pub(crate) fn round_of(rounding: Rounding) -> Round {
    match rounding {
        Rounding::Nearest => Round::Nearest,
        Rounding::NearestAway => Round::NearestAway,
        Rounding::Zero => Round::Zero,
        Rounding::Down => Round::Down,
        Rounding::Up => Round::Up,
    }
}

/// The two bits of rounding; arithmetic does not know `.rna`.
fn rounding_code(rounding: Rounding) -> Option<u8> {
    match rounding {
        Rounding::Nearest => Some(0),
        Rounding::Zero => Some(1),
        Rounding::Down => Some(2),
        Rounding::Up => Some(3),
        Rounding::NearestAway => None,
    }
}

#[inline(always)]
fn rounding_of(code: u8) -> Round {
    match code & ROUNDING {
        0 => Round::Nearest,
        1 => Round::Zero,
        2 => Round::Down,
        _ => Round::Up,
    }
}

fn code_of(mode: &Mode) -> Option<u8> {
    let flush = if mode.flush { FLUSH } else { 0 };
    let saturate = if mode.saturate { SATURATE } else { 0 };
    Some(rounding_code(mode.rounding)? | flush | saturate)
}

#[inline(always)]
fn input<const MODE: u8>(x: f32) -> f32 {
    if MODE & FLUSH != 0 { single::flush(x) } else { x }
}

#[inline(always)]
fn output<const MODE: u8>(x: f32) -> f32 {
    let flushed = input::<MODE>(x);
    if MODE & SATURATE != 0 { single::saturate(flushed) } else { flushed }
}

const ADD: u8 = 0;
const SUB: u8 = 1;
const MUL: u8 = 2;
const DIV: u8 = 3;
const RCP: u8 = 4;
const SQRT: u8 = 5;

/// Rounded other than to nearest. `a` is the only operand of some.
#[inline(never)]
fn directed(op: u8, a: f32, b: f32, round: Round) -> f32 {
    match op {
        ADD => directed::add_single(a, b, round),
        SUB => directed::sub_single(a, b, round),
        MUL => directed::mul_single(a, b, round),
        DIV => directed::div_single(a, b, round),
        RCP => directed::rcp_single(a, round),
        _ => directed::sqrt_single(a, round),
    }
}

/// A result that is flushed if it is tiny, which `scaled` says: the result of scaled operands.
#[inline(always)]
fn unless_tiny<const MODE: u8>(result: f32, scaled: impl Fn() -> f32) -> f32 {
    let tiny = MODE & FLUSH != 0 && single::is_tiny_scaled(scaled());
    if tiny { single::flush_always(result) } else { result }
}

#[inline(always)]
fn with_one<const OP: u8, const MODE: u8>(a: f32) -> f32 {
    let a = input::<MODE>(a);
    let compute = |a: f32| match (OP, MODE & ROUNDING) {
        (RCP, 0) => single::rcp(a),
        (_, 0) => single::sqrt(a),
        _ => directed(OP, a, a, rounding_of(MODE)),
    };
    output::<MODE>(match OP {
        RCP => unless_tiny::<MODE>(compute(a), || compute(a / single::TINY_SCALE)),
        // No root is tiny.
        _ => compute(a),
    })
}

#[inline(always)]
fn with_two<const OP: u8, const MODE: u8>(a: f32, b: f32) -> f32 {
    let (a, b) = (input::<MODE>(a), input::<MODE>(b));
    let compute = |a: f32, b: f32| match (OP, MODE & ROUNDING) {
        (ADD, 0) => single::add(a, b),
        (SUB, 0) => single::sub(a, b),
        (MUL, 0) => single::mul(a, b),
        (DIV, 0) => single::div(a, b),
        _ => directed(OP, a, b, rounding_of(MODE)),
    };
    output::<MODE>(match OP {
        // Tiny sums are exact.
        ADD | SUB => compute(a, b),
        _ => unless_tiny::<MODE>(compute(a, b), || compute(a * single::TINY_SCALE, b)),
    })
}

/// `HOST` is whether the host's fused operation is worth using: without an instruction for it, it
/// is a slow function.
#[inline(always)]
fn fused<const HOST: bool, const MODE: u8>(a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (input::<MODE>(a), input::<MODE>(b), input::<MODE>(c));
    let compute = |a: f32, b: f32, c: f32| {
        if HOST && MODE & ROUNDING == 0 {
            single::fma(a, b, c)
        } else {
            directed::fma_single(a, b, c, rounding_of(MODE))
        }
    };
    output::<MODE>(unless_tiny::<MODE>(compute(a, b, c), || {
        compute(a * single::TINY_SCALE, b, c * single::TINY_SCALE)
    }))
}

/// One function for each mode: those behind `vector` as vector code, the others lane by lane.
macro_rules! by_mode {
    ($code:expr, $maker:ident, $fast:ident, $slow:ident, $function:ident::<$op:ident>,
     vector $($vector:literal)+, sparse $($sparse:literal)+) => {
        match $code {
            $($vector => $maker.$fast($function::<$op, $vector>),)+
            $($sparse => $maker.$slow($function::<$op, $sparse>),)+
            _ => return None,
        }
    };
}
use by_mode;

/// Operations with one operand.
pub(crate) fn unary(maker: Maker, op: UnaryOp, ty: Type, mode: &Mode) -> Option<LaneFn> {
    match ty {
        Type::F32 => {}
        Type::F64 => return double::unary(maker, op, mode),
        _ => return None,
    }
    /// The function of one operand, with subnormals flushed or not.
    macro_rules! flushing {
        ($function:path) => {
            if mode.flush {
                maker.one(|a: f32| single::flush($function(single::flush(a))))
            } else {
                maker.one($function)
            }
        };
    }
    let code = code_of(mode).filter(|code| code & SATURATE == 0)?;
    Some(match op {
        UnaryOp::Neg => flushing!(single::neg),
        UnaryOp::Abs => flushing!(single::abs),
        UnaryOp::Sqrt if mode.approximate => flushing!(approx::sqrt),
        UnaryOp::Rcp if mode.approximate => flushing!(approx::rcp),
        UnaryOp::Sqrt => {
            by_mode!(code, maker, one, costly_one, with_one::<SQRT>, vector 0 4, sparse 1 2 3 5 6 7)
        }
        UnaryOp::Rcp => {
            by_mode!(code, maker, one, costly_one, with_one::<RCP>, vector 0 4, sparse 1 2 3 5 6 7)
        }
        UnaryOp::Rsqrt => flushing!(approx::rsqrt),
        UnaryOp::Sin => flushing!(approx::sin),
        UnaryOp::Cos => flushing!(approx::cos),
        UnaryOp::Ex2 => flushing!(approx::ex2),
        UnaryOp::Lg2 => flushing!(approx::lg2),
        UnaryOp::Tanh => flushing!(approx::tanh),
        _ => return None,
    })
}

/// Operations with two operands.
pub(crate) fn binary(maker: Maker, op: BinaryOp, ty: Type, mode: &Mode) -> Option<LaneFn> {
    match ty {
        Type::F32 => {}
        Type::F64 => return double::binary(maker, op, mode),
        Type::F32x2 => return pair::binary(maker, op, mode),
        _ => return None,
    }
    let code = code_of(mode)?;
    macro_rules! arithmetic {
        ($op:ident) => {
            by_mode!(code, maker, two, costly_two, with_two::<$op>,
                vector 0 4 8 12, sparse 1 2 3 5 6 7 9 10 11 13 14 15)
        };
    }
    Some(match op {
        BinaryOp::Add => arithmetic!(ADD),
        BinaryOp::Sub => arithmetic!(SUB),
        BinaryOp::MulLo => arithmetic!(MUL),
        BinaryOp::Div if mode.approximate && mode.flush => maker
            .two(|a: f32, b: f32| single::flush(approx::div(single::flush(a), single::flush(b)))),
        BinaryOp::Div if mode.approximate => maker.two(approx::div),
        BinaryOp::Div => {
            by_mode!(code, maker, two, costly_two, with_two::<DIV>,
                vector 0 4, sparse 1 2 3 5 6 7)
        }
        BinaryOp::Min => return extremes::binary(maker, true, mode),
        BinaryOp::Max => return extremes::binary(maker, false, mode),
        BinaryOp::Copysign => maker.two(single::copysign),
        _ => return None,
    })
}

const HOST: bool = true;
const EMULATED: bool = false;

/// Operations with three operands.
pub(crate) fn ternary(maker: Maker, op: TernaryOp, ty: Type, mode: &Mode) -> Option<LaneFn> {
    match (op, ty) {
        (TernaryOp::Fma, Type::F32) => {}
        (TernaryOp::Fma, Type::F64) => return double::fused(maker, mode),
        (TernaryOp::Fma, Type::F32x2) => return pair::fused(maker, mode),
        (TernaryOp::Min3, Type::F32) => return extremes::ternary(maker, true, mode),
        (TernaryOp::Max3, Type::F32) => return extremes::ternary(maker, false, mode),
        _ => return None,
    }
    let code = code_of(mode)?;
    // Code that is the same for all processors, which a uniform calculation is, has no instruction.
    if maker.uniform || maker.instructions == super::Instructions::Portable {
        return Some(match code {
            0 => maker.three(fused::<EMULATED, 0>),
            4 => maker.three(fused::<EMULATED, 4>),
            _ => by_mode!(code, maker, costly_three, costly_three, fused::<EMULATED>,
                vector 8 12, sparse 1 2 3 5 6 7 9 10 11 13 14 15),
        });
    }
    // The exponential function that compilers write rounds down.
    Some(by_mode!(code, maker, three, costly_three, fused::<HOST>,
        vector 0 4 8 12 2 6, sparse 1 3 5 7 9 10 11 13 14 15))
}
