//! `cvt`: the conversions that programs are full of, as vector code. The others have no function
//! over lanes; the engine carries them out with [`scalar::convert`].

mod scalar;

#[cfg(test)]
mod tests;

pub(crate) use scalar::{Conversion, PairConversion};

use super::{LaneFn, Maker};
use crate::numerics::convert::single_to_integral;
use crate::numerics::half::{self, pack};
use crate::numerics::narrow::{Bf16, E4m3, E5m2, F16};
use crate::numerics::{Round, convert, convert_integer, convert_packed, single};
use scalar::is_integer;
use warpsan_ir::{Mode, Rounding, Type};

/// The function of a conversion. `widths` are the rows of the source and the bits of the result's
/// register, either of which may be wider than the types.
pub(crate) fn function(
    maker: Maker,
    (from, to): (Type, Type),
    mode: &Mode,
    integral: bool,
    (from_rows, to_bits): (u8, u8),
) -> Option<LaneFn> {
    if is_integer(from) && is_integer(to) {
        return if mode.saturate { None } else { integers(maker, from, to, from_rows, to_bits) };
    }
    let exact_width =
        from_rows == if from.bits() > 32 { 2 } else { 1 } && u32::from(to_bits) == to.bits();
    if !exact_width || mode.relu || mode.saturate_finite {
        return None;
    }
    if mode.saturate {
        return match (from, to, integral, mode.flush) {
            (Type::F32, Type::F32, false, false) => Some(maker.one(single::saturate)),
            // What is flushed is below the range or zero anyway, but its result is zero.
            (Type::F32, Type::F32, false, true) => {
                Some(maker.one(|a: f32| single::saturate(single::flush(a))))
            }
            _ => None,
        };
    }
    match (is_integer(from), is_integer(to)) {
        (true, false) => from_integer(maker, from, to, mode),
        (false, true) => to_integer(maker, from, to, mode),
        _ if integral => to_integral(maker, from, to, mode),
        _ => between_floats(maker, from, to, mode),
    }
}

/// The low bits, extended to the register.
fn integers(maker: Maker, from: Type, to: Type, from_rows: u8, to_bits: u8) -> Option<LaneFn> {
    if from_rows > 2 || to_bits > 64 {
        return None;
    }
    // A result that is no wider than its source is the source's low bits, whatever signs say; it
    // is then `to` that says how the register is filled. A wider one is filled as `from` says,
    // and then a signed register behind an unsigned result needs care, which is rare.
    let kept = if to.bits() <= from.bits() { to } else { from };
    let fills = u32::from(to_bits) == to.bits() || to.bits() <= from.bits();
    if !fills {
        return None;
    }
    macro_rules! extended {
        ($row:ident) => {
            match (kept, to_bits) {
                (Type::U8 | Type::B8, 16 | 32) => maker.one(|a: $row| u32::from(a as u8)),
                (Type::U16 | Type::B16, 16 | 32) => maker.one(|a: $row| u32::from(a as u16)),
                (Type::S8, 16) => maker.one(|a: $row| i16::from(a as i8)),
                (Type::S16, 16) => maker.one(|a: $row| a as i16),
                (Type::S8, 32) => maker.one(|a: $row| i32::from(a as i8)),
                (Type::S16, 32) => maker.one(|a: $row| i32::from(a as i16)),
                (_, 32) => maker.one(|a: $row| a as u32),
                (Type::U8 | Type::B8, 64) => maker.one(|a: $row| u64::from(a as u8)),
                (Type::U16 | Type::B16, 64) => maker.one(|a: $row| u64::from(a as u16)),
                (Type::U32 | Type::B32, 64) => maker.one(|a: $row| u64::from(a as u32)),
                (Type::S8, 64) => maker.one(|a: $row| i64::from(a as i8)),
                (Type::S16, 64) => maker.one(|a: $row| i64::from(a as i16)),
                (Type::S32, 64) => maker.one(|a: $row| i64::from(a as i32)),
                (Type::U64 | Type::S64 | Type::B64, 64) => maker.one(|a: $row| u64::from(a)),
                _ => return None,
            }
        };
    }
    Some(if from_rows == 1 { extended!(u32) } else { extended!(u64) })
}

fn from_integer(maker: Maker, from: Type, to: Type, mode: &Mode) -> Option<LaneFn> {
    if mode.rounding != Rounding::Nearest {
        return None;
    }
    macro_rules! by_source {
        (|$a:ident| $result:expr) => {
            match from {
                Type::U8 => maker.one(|$a: u8| $result),
                Type::S8 => maker.one(|$a: i8| $result),
                Type::U16 => maker.one(|$a: u16| $result),
                Type::S16 => maker.one(|$a: i16| $result),
                Type::U32 => maker.one(|$a: u32| $result),
                Type::S32 => maker.one(|$a: i32| $result),
                Type::U64 => maker.one(|$a: u64| $result),
                Type::S64 => maker.one(|$a: i64| $result),
                _ => return None,
            }
        };
    }
    Some(match to {
        Type::F32 => by_source!(|a| a as f32),
        Type::F64 => by_source!(|a| a as f64),
        Type::F16 => match from {
            Type::U16 => maker.one(|a: u16| half::from_single::<F16>(f32::from(a))),
            Type::S16 => maker.one(|a: i16| half::from_single::<F16>(f32::from(a))),
            // More bits than a single has are far beyond the range of this format.
            Type::U32 => maker.one(|a: u32| half::from_single::<F16>(a as f32)),
            Type::S32 => maker.one(|a: i32| half::from_single::<F16>(a as f32)),
            _ => return None,
        },
        _ => return None,
    })
}

/// Converts to 32 bits as the processor does it, which has no result for what is out of range.
/// Fractions are cut off; what is no number becomes zero.
#[inline(always)]
fn single_to_signed(x: f32) -> i32 {
    const BEYOND: f32 = 2_147_483_648.0;
    let inside = if x >= -BEYOND { x } else { -BEYOND };
    let inside = if inside < BEYOND { inside } else { 0.0 };
    // SAFETY: the value is in the range of the type, and not NaN, which is less than nothing.
    let value = unsafe { inside.to_int_unchecked::<i32>() };
    let value = if x >= BEYOND { i32::MAX } else { value };
    if single::is_nan(x) { 0 } else { value }
}

/// See [`single_to_signed`].
#[inline(always)]
fn single_to_unsigned(x: f32) -> u32 {
    const HALF: f32 = 2_147_483_648.0;
    let is_large = x >= HALF;
    let value = single_to_signed(if is_large { x - HALF } else { x });
    // The largest numbers are cut to all ones: the lower half of the range ends in 31 of them.
    let top = if is_large { 1 << 31 } else { 0 };
    value.max(0) as u32 | top
}

/// See [`single_to_signed`]; of doubles, what is no number becomes the top bit.
#[inline(always)]
fn double_to_signed(x: f64) -> i32 {
    const LEAST: f64 = i32::MIN as f64;
    const MOST: f64 = i32::MAX as f64;
    let inside = if x >= LEAST { x } else { LEAST };
    let inside = if inside < MOST { inside } else { MOST };
    // SAFETY: the value is in the range of the type, and not NaN, which is less than nothing.
    unsafe { inside.to_int_unchecked::<i32>() }
}

fn to_integer(maker: Maker, from: Type, to: Type, mode: &Mode) -> Option<LaneFn> {
    macro_rules! rounded {
        ($convert:ident, $t:ident, $float:ty, $round:ident) => {
            maker.one(|a: $float| convert_integer::$convert::<$t>(a, Round::$round))
        };
    }
    macro_rules! first {
        ($round:ident, $convert:ident) => {
            maker.one(|a: f32| $convert(single_to_integral(a, Round::$round)))
        };
    }
    // Flushing changes nothing where a tiny number becomes zero anyway.
    Some(match (from, to, mode.rounding) {
        (Type::F32, Type::S32, Rounding::Zero) => maker.one(|a: f32| single_to_signed(a)),
        (Type::F32, Type::U32, Rounding::Zero) => maker.one(|a: f32| single_to_unsigned(a)),
        (Type::F32, Type::S64, Rounding::Zero) => rounded!(single_to_integer, i64, f32, Zero),
        (Type::F32, Type::U64, Rounding::Zero) => rounded!(single_to_integer, u64, f32, Zero),
        (Type::F32, Type::S32, Rounding::Nearest) => first!(Nearest, single_to_signed),
        (Type::F32, Type::U32, Rounding::Nearest) => first!(Nearest, single_to_unsigned),
        (Type::F32, Type::S32, Rounding::Down) if mode.flush => {
            maker.one(|a: f32| single_to_signed(single_to_integral(single::flush(a), Round::Down)))
        }
        (Type::F32, Type::S32, Rounding::Up) if mode.flush => {
            maker.one(|a: f32| single_to_signed(single_to_integral(single::flush(a), Round::Up)))
        }
        (Type::F32, Type::S32, Rounding::Down) => first!(Down, single_to_signed),
        (Type::F32, Type::S32, Rounding::Up) => first!(Up, single_to_signed),
        (Type::F64, Type::S32, Rounding::Zero) => maker.one(|a: f64| double_to_signed(a)),
        (Type::F64, Type::U32, Rounding::Zero) => rounded!(double_to_integer, u32, f64, Zero),
        (Type::F64, Type::S64, Rounding::Zero) => rounded!(double_to_integer, i64, f64, Zero),
        (Type::F64, Type::U64, Rounding::Zero) => rounded!(double_to_integer, u64, f64, Zero),
        (Type::F64, Type::S32, Rounding::Nearest) => {
            maker.one(|a: f64| double_to_signed(convert::double_to_integral(a, Round::Nearest)))
        }
        (Type::F16, Type::S32, Rounding::Zero) => {
            maker.one(|a: u16| convert_integer::half_to_integer::<F16, i32>(a, Round::Zero))
        }
        (Type::F16, Type::S32, Rounding::Nearest) => {
            maker.one(|a: u16| convert_integer::half_to_integer::<F16, i32>(a, Round::Nearest))
        }
        _ => return None,
    })
}

/// `floor`, `ceil` and the like.
fn to_integral(maker: Maker, from: Type, to: Type, mode: &Mode) -> Option<LaneFn> {
    macro_rules! single {
        ($round:ident) => {
            if mode.flush {
                maker.one(|a: f32| convert::single_to_integral(single::flush(a), Round::$round))
            } else {
                maker.one(|a: f32| convert::single_to_integral(a, Round::$round))
            }
        };
    }
    Some(match (from, to, mode.rounding) {
        (Type::F32, Type::F32, Rounding::Nearest) => single!(Nearest),
        (Type::F32, Type::F32, Rounding::Zero) => single!(Zero),
        (Type::F32, Type::F32, Rounding::Down) => single!(Down),
        (Type::F32, Type::F32, Rounding::Up) => single!(Up),
        (Type::F64, Type::F64, Rounding::Nearest) => {
            maker.one(|a: f64| convert::double_to_integral(a, Round::Nearest))
        }
        (Type::F64, Type::F64, Rounding::Zero) => {
            maker.one(|a: f64| convert::double_to_integral(a, Round::Zero))
        }
        (Type::F64, Type::F64, Rounding::Down) => {
            maker.one(|a: f64| convert::double_to_integral(a, Round::Down))
        }
        (Type::F64, Type::F64, Rounding::Up) => {
            maker.one(|a: f64| convert::double_to_integral(a, Round::Up))
        }
        _ => return None,
    })
}

fn between_floats(maker: Maker, from: Type, to: Type, mode: &Mode) -> Option<LaneFn> {
    let nearest = mode.rounding == Rounding::Nearest;
    Some(match (from, to) {
        // What flushes makes NaN canonical as well.
        (Type::F32, Type::F32) if mode.flush => {
            maker.one(|a: f32| single::canonical(single::flush(a)))
        }
        (Type::F32, Type::F32) => maker.one(|a: u32| a),
        (Type::F64, Type::F64) => maker.one(|a: u64| a),
        (Type::F16, Type::F16) => maker.one(half::canonical::<F16>),
        (Type::Bf16, Type::Bf16) => maker.one(half::canonical::<Bf16>),
        (Type::F32, Type::F64) if mode.flush => {
            maker.one(|a: f32| convert::single_to_double(single::canonical(single::flush(a))))
        }
        (Type::F32, Type::F64) => maker.one(convert::single_to_double),
        (Type::F64, Type::F32) if nearest && mode.flush => {
            maker.one(|a: f64| convert::double_to_single_flushing(a, Round::Nearest))
        }
        (Type::F64, Type::F32) if nearest => {
            maker.one(|a: f64| convert::double_to_single(a, Round::Nearest))
        }
        // No subnormal of this format is one of single precision.
        (Type::F16, Type::F32) => maker.one(convert::half_to_single::<F16>),
        (Type::Bf16, Type::F32) if mode.flush => {
            maker.one(|a: u16| single::canonical(single::flush(convert::half_to_single::<Bf16>(a))))
        }
        (Type::Bf16, Type::F32) => maker.one(convert::half_to_single::<Bf16>),
        // A subnormal becomes zero when it is rounded to nearest.
        (Type::F32, Type::F16) if nearest => maker.one(half::from_single::<F16>),
        (Type::F32, Type::Bf16) if nearest && mode.flush => {
            maker.one(|a: f32| half::from_single::<Bf16>(single::flush(a)))
        }
        (Type::F32, Type::Bf16) if nearest => maker.one(half::from_single::<Bf16>),
        (Type::F32, Type::Tf32) if mode.rounding == Rounding::NearestAway && !mode.flush => {
            maker.one(|a: f32| convert::single_to_tf32(a, Round::NearestAway, false))
        }
        _ => return None,
    })
}

/// The function of a conversion of two values to a packed one.
pub(crate) fn pair(maker: Maker, from: Type, to: Type, mode: &Mode) -> Option<LaneFn> {
    if from != Type::F32 || mode.rounding != Rounding::Nearest || mode.flush || mode.saturate {
        return None;
    }
    macro_rules! halves {
        ($f:ident) => {
            if mode.relu {
                maker.two(|high: f32, low: f32| {
                    let one = |value| half::relu::<$f>(half::from_single::<$f>(value));
                    pack(one(low), one(high))
                })
            } else {
                maker.two(|high: f32, low: f32| {
                    pack(half::from_single::<$f>(low), half::from_single::<$f>(high))
                })
            }
        };
    }
    Some(match (to, mode.saturate_finite, mode.relu) {
        (Type::F16x2, false, _) => halves!(F16),
        (Type::Bf16x2, false, _) => halves!(Bf16),
        (Type::E4m3x2, true, false) => maker.two(convert_packed::singles_to_bytes::<E4m3>),
        (Type::E5m2x2, true, false) => maker.two(convert_packed::singles_to_bytes::<E5m2>),
        _ => return None,
    })
}
