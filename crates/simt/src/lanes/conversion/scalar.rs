//! Every conversion of one value, for those without a function over lanes.

use crate::lanes::floats::round_of;
use crate::numerics::half::{self, Half};
use crate::numerics::narrow::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16};
use crate::numerics::video::clamp_to;
use crate::numerics::{Round, convert, convert_integer, convert_packed, double, single};
use warpsan_ir::{Mode, Rounding, Type};

/// A value between its two types. Halves are widened, which loses nothing, unless they are kept as
/// they are.
enum Number {
    /// With its sign, whatever the type.
    Integer(i128),
    Single(f32),
    Double(f64),
}

/// Whether `cvt` knows it as an integer.
pub(super) fn is_integer(ty: Type) -> bool {
    matches!(
        ty,
        Type::U8
            | Type::U16
            | Type::U32
            | Type::U64
            | Type::S8
            | Type::S16
            | Type::S32
            | Type::S64
            | Type::B8
            | Type::B16
            | Type::B32
            | Type::B64
    )
}

/// A conversion that PTX has.
///
/// Invariant: [`convert`] knows the types and the mode, so it has a result for every value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conversion {
    types: (Type, Type),
    mode: Mode,
    integral: bool,
}

impl Conversion {
    /// The conversion between two types, from the first to the second, if PTX has it.
    pub(crate) fn new(types: (Type, Type), mode: &Mode, integral: bool) -> Option<Conversion> {
        convert(types, mode, integral, 0).map(|_| Conversion { types, mode: *mode, integral })
    }

    /// Converts one value, as [`convert`] does.
    #[inline]
    pub(crate) fn apply(&self, bits: u64) -> u64 {
        let result = convert(self.types, &self.mode, self.integral, bits);
        debug_assert!(result.is_some(), "{self:?} depends on the value {bits:#x}");
        result.unwrap_or_default()
    }
}

/// A conversion of two values to a packed one that PTX has.
///
/// Invariant: [`convert_pair`] knows the types and the mode, so it has a result for every value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairConversion {
    types: (Type, Type),
    mode: Mode,
}

impl PairConversion {
    /// The conversion between two types, from the first to the second, if PTX has it.
    pub(crate) fn new(types: (Type, Type), mode: &Mode) -> Option<PairConversion> {
        convert_pair(types.0, types.1, mode, (0, 0)).map(|_| PairConversion { types, mode: *mode })
    }

    /// Converts two values, the upper one first.
    #[inline]
    pub(crate) fn apply(&self, values: (u64, u64)) -> u64 {
        let result = convert_pair(self.types.0, self.types.1, &self.mode, values);
        debug_assert!(result.is_some(), "{self:?} depends on the values");
        result.unwrap_or_default()
    }
}

/// Converts one value; the source is in the low bits and the result is extended to 64 bits, with its
/// sign if its type has one. None for conversions that PTX does not have.
pub(super) fn convert(
    (from, to): (Type, Type),
    mode: &Mode,
    integral: bool,
    bits: u64,
) -> Option<u64> {
    if let Some(result) = packed(from, to, mode, bits) {
        return Some(result);
    }
    let number = match (from, to) {
        (Type::F16, Type::F64) => Number::Double(convert::half_to_double::<F16>(bits as u16)),
        _ => read(from, to, mode, bits)?,
    };
    if is_integer(to) {
        return Some(to_integer(&number, to, mode));
    }
    // `.rni` and so on round to an integral value, other words to a number of the type.
    let round = round_of(mode.rounding);
    let rounded = match number {
        Number::Single(value) if integral => {
            Number::Single(convert::single_to_integral(value, round))
        }
        Number::Double(value) if integral => {
            Number::Double(convert::double_to_integral(value, round))
        }
        other => other,
    };
    let round = if integral { Round::Nearest } else { round };
    Some(match to {
        Type::F32 => u64::from(to_single(&rounded, round, mode).to_bits()),
        Type::F64 => to_double(&rounded, round, mode).to_bits(),
        Type::F16 => u64::from(to_half::<F16>(&rounded, from == to, bits, round, integral, mode)),
        Type::Bf16 => u64::from(to_half::<Bf16>(&rounded, from == to, bits, round, integral, mode)),
        Type::Tf32 => match rounded {
            Number::Single(value) if from == Type::F32 => {
                let value = if mode.relu { convert::relu_single(value) } else { value };
                u64::from(convert::single_to_tf32(value, round, mode.saturate_finite))
            }
            _ => return None,
        },
        _ => return None,
    })
}

fn read(from: Type, to: Type, mode: &Mode, bits: u64) -> Option<Number> {
    Some(match from {
        _ if is_integer(from) => Number::Integer(integer(from, bits)),
        Type::F32 => {
            let value = f32::from_bits(bits as u32);
            // The instruction of sm_90 flushes nothing on the way to this type.
            let flush = mode.flush && to != Type::F16;
            Number::Single(if flush { single::canonical(single::flush(value)) } else { value })
        }
        Type::F64 => Number::Double(f64::from_bits(bits)),
        Type::F16 => Number::Single(F16::to_single(bits as u16)),
        Type::Bf16 => Number::Single(Bf16::to_single(bits as u16)),
        _ => return None,
    })
}

/// The value of the low bits.
fn integer(ty: Type, bits: u64) -> i128 {
    let unused = 64 - ty.bits();
    if ty.is_signed() {
        i128::from((bits << unused) as i64 >> unused)
    } else {
        i128::from(bits << unused >> unused)
    }
}

fn to_integer(number: &Number, to: Type, mode: &Mode) -> u64 {
    let round = round_of(mode.rounding);
    macro_rules! by_type {
        ($function:ident, $value:expr) => {
            match to {
                Type::U8 | Type::B8 => u64::from(convert_integer::$function::<u8>($value, round)),
                Type::U16 | Type::B16 => {
                    u64::from(convert_integer::$function::<u16>($value, round))
                }
                Type::U32 | Type::B32 => {
                    u64::from(convert_integer::$function::<u32>($value, round))
                }
                Type::S8 => convert_integer::$function::<i8>($value, round) as u64,
                Type::S16 => convert_integer::$function::<i16>($value, round) as u64,
                Type::S32 => convert_integer::$function::<i32>($value, round) as u64,
                Type::S64 => convert_integer::$function::<i64>($value, round) as u64,
                _ => convert_integer::$function::<u64>($value, round),
            }
        };
    }
    match *number {
        Number::Integer(value) => {
            let value =
                if mode.saturate { clamp_to(value, to.bits(), to.is_signed()) } else { value };
            integer(to, value as u64) as u64
        }
        Number::Single(value) => by_type!(single_to_integer, value),
        Number::Double(value) => by_type!(double_to_integer, value),
    }
}

fn to_single(number: &Number, round: Round, mode: &Mode) -> f32 {
    let value = match *number {
        // Every value is one of these two types.
        Number::Integer(value) if value < 0 => {
            convert_integer::integer_to_single(value as i64, round)
        }
        Number::Integer(value) => convert_integer::integer_to_single(value as u64, round),
        Number::Single(value) if mode.flush => single::canonical(single::flush(value)),
        Number::Single(value) => value,
        Number::Double(value) if mode.flush => convert::double_to_single_flushing(value, round),
        Number::Double(value) => convert::double_to_single(value, round),
    };
    if mode.saturate { single::saturate(value) } else { value }
}

fn to_double(number: &Number, round: Round, mode: &Mode) -> f64 {
    let value = match *number {
        Number::Integer(value) if value < 0 => {
            convert_integer::integer_to_double(value as i64, round)
        }
        Number::Integer(value) => convert_integer::integer_to_double(value as u64, round),
        Number::Single(value) => convert::single_to_double(value),
        Number::Double(value) => value,
    };
    if mode.saturate { double::saturate(value) } else { value }
}

fn to_half<F: Half>(
    number: &Number,
    same: bool,
    bits: u64,
    round: Round,
    integral: bool,
    mode: &Mode,
) -> u16 {
    let finite = mode.saturate_finite;
    let value = match *number {
        _ if same && !integral => half::canonical::<F>(bits as u16),
        Number::Integer(value) if value < 0 => {
            convert_integer::integer_to_half::<i64, F>(value as i64, round)
        }
        Number::Integer(value) => convert_integer::integer_to_half::<u64, F>(value as u64, round),
        Number::Single(value) => convert::single_to_half::<F>(value, round, finite),
        Number::Double(value) => convert::double_to_half::<F>(value, round),
    };
    let value = if mode.saturate { half::saturate::<F>(value) } else { value };
    if mode.relu { half::relu::<F>(value) } else { value }
}

/// Conversions from one packed type to another.
fn packed(from: Type, to: Type, mode: &Mode, bits: u64) -> Option<u64> {
    use convert_packed::{bytes_to_halves, halves_to_bytes, halves_to_nibbles, nibbles_to_halves};
    let word = bits as u32;
    let round = round_of(mode.rounding);
    if to == Type::F16x2 {
        let pair = match from {
            Type::E4m3x2 => bytes_to_halves::<E4m3>(word as u16),
            Type::E5m2x2 => bytes_to_halves::<E5m2>(word as u16),
            Type::E2m3x2 => bytes_to_halves::<E2m3>(word as u16),
            Type::E3m2x2 => bytes_to_halves::<E3m2>(word as u16),
            Type::E2m1x2 => nibbles_to_halves::<E2m1>(word as u8),
            _ => return None,
        };
        let pair = if mode.relu { half::relu_pair::<F16>(pair) } else { pair };
        return Some(u64::from(pair));
    }
    macro_rules! from_halves {
        ($f:ident) => {{
            let word = if mode.relu { half::relu_pair::<$f>(word) } else { word };
            match to {
                Type::E4m3x2 => halves_to_bytes::<$f, E4m3>(word),
                Type::E5m2x2 => halves_to_bytes::<$f, E5m2>(word),
                Type::E2m3x2 => halves_to_bytes::<$f, E2m3>(word),
                Type::E3m2x2 => halves_to_bytes::<$f, E3m2>(word),
                Type::E2m1x2 => u16::from(halves_to_nibbles::<$f, E2m1>(word)),
                _ => return None,
            }
        }};
    }
    Some(match (from, to) {
        (Type::Bf16x2, Type::Ue8m0x2) => {
            u64::from(convert_packed::halves_to_powers(word, round, mode.saturate_finite))
        }
        (Type::Ue8m0x2, Type::Bf16x2) => u64::from(convert_packed::powers_to_halves(word as u16)),
        (Type::F16x2, _) => u64::from(from_halves!(F16)),
        (Type::Bf16x2, _) => u64::from(from_halves!(Bf16)),
        _ => return None,
    })
}

/// Converts two singles to a packed value. None for conversions that PTX does not have.
pub(super) fn convert_pair(
    from: Type,
    to: Type,
    mode: &Mode,
    (high, low): (u64, u64),
) -> Option<u64> {
    use convert_packed::{singles_to_bytes, singles_to_halves, singles_to_nibbles};
    if from != Type::F32 {
        return None;
    }
    let round = round_of(mode.rounding);
    let finite = mode.saturate_finite;
    let read = |bits: u64| {
        let value = f32::from_bits(bits as u32);
        let value = if mode.flush { single::flush(value) } else { value };
        if mode.relu { convert::relu_single(value) } else { value }
    };
    let (high, low) = (read(high), read(low));
    let directed = !matches!(mode.rounding, Rounding::Nearest);
    Some(match to {
        Type::F16x2 => u64::from(singles_to_halves::<F16>(high, low, round, finite)),
        Type::Bf16x2 => u64::from(singles_to_halves::<Bf16>(high, low, round, finite)),
        Type::Ue8m0x2 => u64::from(convert_packed::singles_to_powers(high, low, round, finite)),
        // The rest round to nearest only.
        _ if directed => return None,
        Type::E4m3x2 => u64::from(singles_to_bytes::<E4m3>(high, low)),
        Type::E5m2x2 => u64::from(singles_to_bytes::<E5m2>(high, low)),
        Type::E2m3x2 => u64::from(singles_to_bytes::<E2m3>(high, low)),
        Type::E3m2x2 => u64::from(singles_to_bytes::<E3m2>(high, low)),
        Type::E2m1x2 => u64::from(singles_to_nibbles::<E2m1>(high, low)),
        _ => return None,
    })
}
