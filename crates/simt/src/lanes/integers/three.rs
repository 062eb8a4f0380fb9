//! Integer functions of three operands.

use super::by_type;
use crate::lanes::{LaneFn, Maker};
use crate::numerics::bits::{self, permute_with_mode};
use crate::numerics::{ShiftMode, integer};
use warpsan_ir::{Mode, PermuteMode, TernaryOp, Type};

/// Operations with three operands.
pub(crate) fn ternary(maker: Maker, op: TernaryOp, ty: Type, mode: &Mode) -> Option<LaneFn> {
    if mode.saturate {
        return match (op, ty) {
            (TernaryOp::MadHi, Type::S32) => {
                Some(maker.three(integer::multiply_add_high_saturating_i32))
            }
            (TernaryOp::Mad24Hi, Type::S32) => {
                Some(maker.three(integer::multiply24_add_high_saturating_i32))
            }
            _ => None,
        };
    }
    Some(match op {
        TernaryOp::MadLo => by_type!(ty, maker.three,
            U16 | S16: u16, U32 | S32: u32, U64 | S64: u64;
            (a, b, c) => a.wrapping_mul(b).wrapping_add(c)),
        TernaryOp::MadHi => match ty {
            Type::U16 => maker
                .three(|a: u16, b: u16, c: u16| integer::multiply_high_u16(a, b).wrapping_add(c)),
            Type::S16 => maker
                .three(|a: i16, b: i16, c: i16| integer::multiply_high_i16(a, b).wrapping_add(c)),
            Type::U32 => maker
                .three(|a: u32, b: u32, c: u32| integer::multiply_high_u32(a, b).wrapping_add(c)),
            Type::S32 => maker
                .three(|a: i32, b: i32, c: i32| integer::multiply_high_i32(a, b).wrapping_add(c)),
            Type::U64 => maker.costly_three(|a: u64, b: u64, c: u64| {
                integer::multiply_high_u64(a, b).wrapping_add(c)
            }),
            Type::S64 => maker.costly_three(|a: i64, b: i64, c: i64| {
                integer::multiply_high_i64(a, b).wrapping_add(c)
            }),
            _ => return None,
        },
        TernaryOp::MadWide => {
            match ty {
                Type::U16 => maker
                    .three(|a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
                Type::S16 => maker
                    .three(|a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
                Type::U32 => maker
                    .three(|a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c)),
                Type::S32 => maker
                    .three(|a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c)),
                _ => return None,
            }
        }
        TernaryOp::Mad24Lo => match ty {
            Type::U32 => maker
                .three(|a: u32, b: u32, c: u32| integer::multiply24_low_u32(a, b).wrapping_add(c)),
            Type::S32 => maker
                .three(|a: i32, b: i32, c: i32| integer::multiply24_low_i32(a, b).wrapping_add(c)),
            _ => return None,
        },
        TernaryOp::Mad24Hi => match ty {
            Type::U32 => maker
                .three(|a: u32, b: u32, c: u32| integer::multiply24_high_u32(a, b).wrapping_add(c)),
            Type::S32 => maker
                .three(|a: i32, b: i32, c: i32| integer::multiply24_high_i32(a, b).wrapping_add(c)),
            _ => return None,
        },
        TernaryOp::Sad => match ty {
            Type::U16 => maker.three(integer::absolute_difference_add_u16),
            Type::S16 => maker.three(integer::absolute_difference_add_i16),
            Type::U32 => maker.three(integer::absolute_difference_add_u32),
            Type::S32 => maker.three(integer::absolute_difference_add_i32),
            Type::U64 => maker.three(integer::absolute_difference_add_u64),
            Type::S64 => maker.three(integer::absolute_difference_add_i64),
            _ => return None,
        },
        TernaryOp::Bfe => match ty {
            Type::U32 => maker.three(bits::extract_field_u32),
            Type::S32 => maker.three(bits::extract_field_i32),
            Type::U64 => maker.three(bits::extract_field_u64),
            Type::S64 => maker.three(bits::extract_field_i64),
            _ => return None,
        },
        TernaryOp::Fns if ty == Type::B32 => {
            maker.costly_three(|mask: u32, base: u32, offset: i32| {
                bits::find_nth_set(mask, base, offset)
            })
        }
        TernaryOp::Prmt(mode) if ty == Type::B32 => permute(maker, mode),
        TernaryOp::ShfLeftClamp if ty == Type::B32 => {
            maker.three(|a: u32, b: u32, c: u32| bits::funnel_shift_left(a, b, c, ShiftMode::Clamp))
        }
        TernaryOp::ShfLeftWrap if ty == Type::B32 => {
            maker.three(|a: u32, b: u32, c: u32| bits::funnel_shift_left(a, b, c, ShiftMode::Wrap))
        }
        TernaryOp::ShfRightClamp if ty == Type::B32 => maker
            .three(|a: u32, b: u32, c: u32| bits::funnel_shift_right(a, b, c, ShiftMode::Clamp)),
        TernaryOp::ShfRightWrap if ty == Type::B32 => {
            maker.three(|a: u32, b: u32, c: u32| bits::funnel_shift_right(a, b, c, ShiftMode::Wrap))
        }
        TernaryOp::Dp4a { a_signed, b_signed } => dot4(maker, a_signed, b_signed),
        TernaryOp::Dp2a { a_signed, b_signed, upper } => dot2(maker, a_signed, b_signed, upper),
        _ => return None,
    })
}

fn permute(maker: Maker, mode: PermuteMode) -> LaneFn {
    macro_rules! special {
        ($mode:ident) => {
            maker.costly_three(|a: u32, b: u32, c: u32| {
                permute_with_mode(a, b, c, bits::PermuteMode::$mode)
            })
        };
    }
    match mode {
        PermuteMode::Index => maker.three(bits::permute),
        PermuteMode::F4e => special!(Forward4),
        PermuteMode::B4e => special!(Backward4),
        PermuteMode::Rc8 => special!(Replicate8),
        PermuteMode::Ecl => special!(EdgeClampLeft),
        PermuteMode::Ecr => special!(EdgeClampRight),
        PermuteMode::Rc16 => special!(Replicate16),
    }
}

fn dot4(maker: Maker, a_signed: bool, b_signed: bool) -> LaneFn {
    macro_rules! signs {
        ($a:literal, $b:literal) => {
            maker.three(|a: u32, b: u32, c: u32| integer::dot_product4(a, $a, b, $b, c))
        };
    }
    match (a_signed, b_signed) {
        (false, false) => signs!(false, false),
        (false, true) => signs!(false, true),
        (true, false) => signs!(true, false),
        (true, true) => signs!(true, true),
    }
}

fn dot2(maker: Maker, a_signed: bool, b_signed: bool, upper: bool) -> LaneFn {
    macro_rules! signs {
        ($a:literal, $b:literal, $upper:literal) => {
            maker.costly_three(|a: u32, b: u32, c: u32| {
                integer::dot_product2(a, $a, b, $b, c, $upper)
            })
        };
    }
    match (a_signed, b_signed, upper) {
        (false, false, false) => signs!(false, false, false),
        (false, false, true) => signs!(false, false, true),
        (false, true, false) => signs!(false, true, false),
        (false, true, true) => signs!(false, true, true),
        (true, false, false) => signs!(true, false, false),
        (true, false, true) => signs!(true, false, true),
        (true, true, false) => signs!(true, true, false),
        (true, true, true) => signs!(true, true, true),
    }
}
