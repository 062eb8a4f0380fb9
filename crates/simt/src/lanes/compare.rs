//! Comparisons of `set` and `setp`.

use super::{Maker, TestFn};
use crate::numerics::half::{self, Half};
use crate::numerics::narrow::{Bf16, F16};
use warpsan_ir::{Compare, Type};

/// The comparison of two values of a type, all lanes at once.
pub(crate) fn test(maker: Maker, compare: Compare, ty: Type, flush: bool) -> Option<TestFn> {
    macro_rules! ordered {
        ($t:ty) => {
            match compare {
                Compare::Eq => maker.test(|a: $t, b: $t| a == b),
                Compare::Ne => maker.test(|a: $t, b: $t| a != b),
                Compare::Lt => maker.test(|a: $t, b: $t| a < b),
                Compare::Le => maker.test(|a: $t, b: $t| a <= b),
                Compare::Gt => maker.test(|a: $t, b: $t| a > b),
                Compare::Ge => maker.test(|a: $t, b: $t| a >= b),
                _ => return None,
            }
        };
    }
    // `$read` brings the bits of a lane to a number that Rust compares.
    macro_rules! float {
        ($t:ty, $read:expr) => {{
            macro_rules! by {
                (|$x:ident, $y:ident| $truth:expr) => {
                    maker.test(|a: $t, b: $t| {
                        let ($x, $y) = ($read(a), $read(b));
                        $truth
                    })
                };
            }
            match compare {
                Compare::Eq => by!(|x, y| x == y),
                // Ordered: false when one is no number, unlike Rust's.
                Compare::Ne => by!(|x, y| x != y && !x.is_nan() && !y.is_nan()),
                Compare::Lt => by!(|x, y| x < y),
                Compare::Le => by!(|x, y| x <= y),
                Compare::Gt => by!(|x, y| x > y),
                Compare::Ge => by!(|x, y| x >= y),
                Compare::EqUnordered => by!(|x, y| x == y || x.is_nan() || y.is_nan()),
                Compare::NeUnordered => by!(|x, y| x != y),
                Compare::LtUnordered => by!(|x, y| x < y || x.is_nan() || y.is_nan()),
                Compare::LeUnordered => by!(|x, y| x <= y || x.is_nan() || y.is_nan()),
                Compare::GtUnordered => by!(|x, y| x > y || x.is_nan() || y.is_nan()),
                Compare::GeUnordered => by!(|x, y| x >= y || x.is_nan() || y.is_nan()),
                Compare::Num => by!(|x, y| !x.is_nan() && !y.is_nan()),
                Compare::Nan => by!(|x, y| x.is_nan() || y.is_nan()),
            }
        }};
    }
    use crate::numerics::single::flush as flushed;
    Some(match ty {
        Type::U32 | Type::B32 => ordered!(u32),
        Type::S32 => ordered!(i32),
        Type::U64 | Type::B64 => ordered!(u64),
        Type::S64 => ordered!(i64),
        Type::U16 | Type::B16 => ordered!(u16),
        Type::S16 => ordered!(i16),
        Type::U8 | Type::B8 => ordered!(u8),
        Type::S8 => ordered!(i8),
        Type::F32 if flush => float!(f32, flushed),
        Type::F32 => float!(f32, |x: f32| x),
        Type::F64 => float!(f64, |x: f64| x),
        Type::F16 if flush => float!(u16, |x: u16| F16::to_single(half::flush::<F16>(x))),
        Type::F16 => float!(u16, F16::to_single),
        Type::Bf16 => float!(u16, Bf16::to_single),
        _ => return None,
    })
}

/// The comparison of single values of a type.
pub(crate) fn one(compare: Compare, ty: Type, flush: bool, a: u64, b: u64) -> bool {
    fn ordered<T: PartialOrd>(compare: Compare, a: T, b: T) -> bool {
        match compare {
            Compare::Eq => a == b,
            Compare::Ne => a.partial_cmp(&b).is_some_and(|order| order.is_ne()),
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
            Compare::EqUnordered => a.partial_cmp(&b).is_none_or(|order| order.is_eq()),
            Compare::NeUnordered => a != b,
            Compare::LtUnordered => a.partial_cmp(&b).is_none_or(|order| order.is_lt()),
            Compare::LeUnordered => a.partial_cmp(&b).is_none_or(|order| order.is_le()),
            Compare::GtUnordered => a.partial_cmp(&b).is_none_or(|order| order.is_gt()),
            Compare::GeUnordered => a.partial_cmp(&b).is_none_or(|order| order.is_ge()),
            Compare::Num => a.partial_cmp(&b).is_some(),
            Compare::Nan => a.partial_cmp(&b).is_none(),
        }
    }
    match ty {
        Type::S8 => ordered(compare, a as i8, b as i8),
        Type::S16 => ordered(compare, a as i16, b as i16),
        Type::S32 => ordered(compare, a as i32, b as i32),
        Type::S64 => ordered(compare, a as i64, b as i64),
        Type::U8 | Type::B8 => ordered(compare, a as u8, b as u8),
        Type::U16 | Type::B16 => ordered(compare, a as u16, b as u16),
        Type::U32 | Type::B32 => ordered(compare, a as u32, b as u32),
        Type::F32 => {
            let read = |bits: u64| {
                let value = f32::from_bits(bits as u32);
                if flush { crate::numerics::single::flush(value) } else { value }
            };
            ordered(compare, read(a), read(b))
        }
        Type::F64 => ordered(compare, f64::from_bits(a), f64::from_bits(b)),
        Type::F16 => {
            let read = |bits: u64| {
                let bits = if flush { half::flush::<F16>(bits as u16) } else { bits as u16 };
                F16::to_single(bits)
            };
            ordered(compare, read(a), read(b))
        }
        Type::Bf16 => ordered(compare, Bf16::to_single(a as u16), Bf16::to_single(b as u16)),
        _ => ordered(compare, a, b),
    }
}

/// Whether `set` exists for these types.
pub(crate) fn set_is_known(compare: Compare, ty: Type, result: Type) -> bool {
    let part = part_of_pair(ty).unwrap_or(ty);
    let known = part.is_float()
        || matches!(
            compare,
            Compare::Eq | Compare::Ne | Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge
        );
    let results = matches!(
        result,
        Type::U32
            | Type::S32
            | Type::F32
            | Type::U16
            | Type::S16
            | Type::F16
            | Type::Bf16
            | Type::F16x2
            | Type::Bf16x2
    );
    known && results && part.bits() <= 64
}

/// The type of the two values of a packed type.
pub(crate) fn part_of_pair(ty: Type) -> Option<Type> {
    Some(match ty {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        Type::U16x2 => Type::U16,
        Type::S16x2 => Type::S16,
        _ => return None,
    })
}
