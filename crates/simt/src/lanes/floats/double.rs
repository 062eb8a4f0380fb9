use super::{by_mode, rounding_code, rounding_of};
use crate::lanes::{LaneFn, Maker};
use crate::numerics::{approx_double, double, softfloat};
use warpsan_ir::{BinaryOp, Mode, UnaryOp};

const ADD: u8 = 0;
const SUB: u8 = 1;
const MUL: u8 = 2;
const DIV: u8 = 3;
const RCP: u8 = 4;
const SQRT: u8 = 5;

#[inline(always)]
fn with_one<const OP: u8, const MODE: u8>(a: f64) -> f64 {
    match (OP, MODE) {
        (RCP, 0) => double::rcp(a),
        (_, 0) => double::sqrt(a),
        (RCP, _) => softfloat::rcp_double(a, rounding_of(MODE)),
        _ => softfloat::sqrt_double(a, rounding_of(MODE)),
    }
}

#[inline(always)]
fn with_two<const OP: u8, const MODE: u8>(a: f64, b: f64) -> f64 {
    match (OP, MODE) {
        (ADD, 0) => double::add(a, b),
        (SUB, 0) => double::sub(a, b),
        (MUL, 0) => double::mul(a, b),
        (_, 0) => double::div(a, b),
        (ADD, _) => softfloat::add_double(a, b, rounding_of(MODE)),
        (SUB, _) => softfloat::sub_double(a, b, rounding_of(MODE)),
        (MUL, _) => softfloat::mul_double(a, b, rounding_of(MODE)),
        _ => softfloat::div_double(a, b, rounding_of(MODE)),
    }
}

/// Operations with one operand.
pub(super) fn unary(maker: Maker, op: UnaryOp, mode: &Mode) -> Option<LaneFn> {
    let code = rounding_code(mode.rounding)?;
    Some(match op {
        UnaryOp::Neg => maker.one(double::neg),
        UnaryOp::Abs => maker.one(double::abs),
        UnaryOp::Sqrt => {
            by_mode!(code, maker, one, costly_one, with_one::<SQRT>, vector 0, sparse 1 2 3)
        }
        UnaryOp::Rcp if mode.approximate => maker.one(approx_double::rcp_ftz),
        UnaryOp::Rcp => {
            by_mode!(code, maker, one, costly_one, with_one::<RCP>, vector 0, sparse 1 2 3)
        }
        UnaryOp::Rsqrt if mode.flush => maker.one(approx_double::rsqrt_ftz),
        UnaryOp::Rsqrt => maker.one(approx_double::rsqrt),
        _ => return None,
    })
}

/// Operations with two operands.
pub(super) fn binary(maker: Maker, op: BinaryOp, mode: &Mode) -> Option<LaneFn> {
    let code = rounding_code(mode.rounding)?;
    macro_rules! arithmetic {
        ($op:ident) => {
            by_mode!(code, maker, two, costly_two, with_two::<$op>, vector 0, sparse 1 2 3)
        };
    }
    Some(match op {
        BinaryOp::Add => arithmetic!(ADD),
        BinaryOp::Sub => arithmetic!(SUB),
        BinaryOp::MulLo => arithmetic!(MUL),
        BinaryOp::Div => arithmetic!(DIV),
        BinaryOp::Min => maker.two(double::min),
        BinaryOp::Max => maker.two(double::max),
        BinaryOp::Copysign => maker.two(double::copysign),
        _ => return None,
    })
}

/// `fma`.
pub(super) fn fused(maker: Maker, mode: &Mode) -> Option<LaneFn> {
    macro_rules! directed {
        ($code:literal) => {
            maker.costly_three(|a: f64, b: f64, c: f64| {
                softfloat::fma_double(a, b, c, rounding_of($code))
            })
        };
    }
    Some(match rounding_code(mode.rounding)? {
        0 => maker.three(double::fma),
        1 => directed!(1),
        2 => directed!(2),
        _ => directed!(3),
    })
}
