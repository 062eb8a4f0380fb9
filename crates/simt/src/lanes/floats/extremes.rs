//! `min` and `max`. The mode is three bits here: `.ftz`, `.NaN`, and the sign of `.xorsign.abs` or,
//! with three operands, `.abs`.

use crate::lanes::{LaneFn, Maker};
use crate::numerics::single;
use warpsan_ir::Mode;

const FLUSH: u8 = 1;
const NAN: u8 = 2;
const MAGNITUDE: u8 = 4;

fn code_of(mode: &Mode, magnitude: bool) -> u8 {
    u8::from(mode.flush) | u8::from(mode.nan) << 1 | u8::from(magnitude) << 2
}

#[inline(always)]
fn flushed<const MODE: u8>(x: f32) -> f32 {
    if MODE & FLUSH != 0 { single::flush(x) } else { x }
}

#[inline(always)]
fn of_two<const SMALLEST: bool, const MODE: u8>(a: f32, b: f32) -> f32 {
    let (a, b) = (flushed::<MODE>(a), flushed::<MODE>(b));
    match (SMALLEST, MODE & NAN != 0, MODE & MAGNITUDE != 0) {
        (true, false, false) => single::min(a, b),
        (true, true, false) => single::min_nan(a, b),
        (true, false, true) => single::min_xorsign_abs(a, b),
        (true, true, true) => single::min_nan_xorsign_abs(a, b),
        (false, false, false) => single::max(a, b),
        (false, true, false) => single::max_nan(a, b),
        (false, false, true) => single::max_xorsign_abs(a, b),
        (false, true, true) => single::max_nan_xorsign_abs(a, b),
    }
}

#[inline(always)]
fn of_three<const SMALLEST: bool, const MODE: u8>(a: f32, b: f32, c: f32) -> f32 {
    let input = |x: f32| {
        let x = flushed::<MODE>(x);
        if MODE & MAGNITUDE != 0 { single::abs(x) } else { x }
    };
    let (a, b, c) = (input(a), input(b), input(c));
    match (SMALLEST, MODE & NAN != 0) {
        (true, false) => single::min3(a, b, c),
        (true, true) => single::min3_nan(a, b, c),
        (false, false) => single::max3(a, b, c),
        (false, true) => single::max3_nan(a, b, c),
    }
}

/// The smallest or largest of two.
pub(super) fn binary(maker: Maker, smallest: bool, mode: &Mode) -> Option<LaneFn> {
    macro_rules! modes {
        ($smallest:literal) => {
            match code_of(mode, mode.xorsign_abs) {
                0 => maker.two(of_two::<$smallest, 0>),
                1 => maker.two(of_two::<$smallest, 1>),
                2 => maker.two(of_two::<$smallest, 2>),
                3 => maker.costly_two(of_two::<$smallest, 3>),
                4 => maker.costly_two(of_two::<$smallest, 4>),
                5 => maker.costly_two(of_two::<$smallest, 5>),
                6 => maker.costly_two(of_two::<$smallest, 6>),
                _ => maker.costly_two(of_two::<$smallest, 7>),
            }
        };
    }
    Some(if smallest { modes!(true) } else { modes!(false) })
}

/// The smallest or largest of three.
pub(super) fn ternary(maker: Maker, smallest: bool, mode: &Mode) -> Option<LaneFn> {
    macro_rules! modes {
        ($smallest:literal) => {
            match code_of(mode, mode.abs) {
                0 => maker.costly_three(of_three::<$smallest, 0>),
                1 => maker.costly_three(of_three::<$smallest, 1>),
                2 => maker.costly_three(of_three::<$smallest, 2>),
                3 => maker.costly_three(of_three::<$smallest, 3>),
                4 => maker.costly_three(of_three::<$smallest, 4>),
                5 => maker.costly_three(of_three::<$smallest, 5>),
                6 => maker.costly_three(of_three::<$smallest, 6>),
                _ => maker.costly_three(of_three::<$smallest, 7>),
            }
        };
    }
    Some(if smallest { modes!(true) } else { modes!(false) })
}
