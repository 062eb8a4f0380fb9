use super::convert::{low, sign_extended};
use warpsan_ir::{BinaryOp, Compare, ExtendedOp, TernaryOp, Type, UnaryOp};

/// One set of functions for one integer type: `$t` calculates, `$u` is the unsigned type of the same
/// width that results are zero-extended through, `$w` and `$wu` have twice the width.
macro_rules! integer_functions {
    ($name:ident, $t:ty, $u:ty, $w:ty, $wu:ty) => {
        mod $name {
            use warpsan_ir::{BinaryOp, TernaryOp, UnaryOp};
            const BITS: u32 = <$u>::BITS;

            pub(super) fn unary(op: UnaryOp) -> Option<fn(u64) -> u64> {
                Some(match op {
                    UnaryOp::Neg => |a| (a as $t).wrapping_neg() as $u as u64,
                    #[allow(unused_comparisons, reason = "true for the unsigned types")]
                    UnaryOp::Abs => |a| {
                        let a = a as $t;
                        (if a < 0 { (0 as $t).wrapping_sub(a) } else { a }) as $u as u64
                    },
                    UnaryOp::Not => |a| !(a as $u) as u64,
                    UnaryOp::Cnot => |a| u64::from(a as $u == 0),
                    UnaryOp::Popc => |a| u64::from((a as $u).count_ones()),
                    UnaryOp::Clz => |a| u64::from((a as $u).leading_zeros()),
                    UnaryOp::Brev => |a| (a as $u).reverse_bits() as u64,
                    UnaryOp::Bfind => |a| highest_bit(a as $t).map_or(0xFFFF_FFFF, u64::from),
                    UnaryOp::BfindShift => |a| {
                        highest_bit(a as $t).map_or(0xFFFF_FFFF, |bit| u64::from(BITS - 1 - bit))
                    },
                    _ => return None,
                })
            }

            /// The most significant bit that differs from the sign.
            #[allow(unused_comparisons, reason = "true for the unsigned types")]
            fn highest_bit(a: $t) -> Option<u32> {
                let bits = if a < 0 { !a } else { a } as $u;
                (bits != 0).then(|| BITS - 1 - bits.leading_zeros())
            }

            pub(super) fn binary(op: BinaryOp) -> Option<fn(u64, u64) -> u64> {
                Some(match op {
                    BinaryOp::Add => |a, b| (a as $t).wrapping_add(b as $t) as $u as u64,
                    BinaryOp::Sub => |a, b| (a as $t).wrapping_sub(b as $t) as $u as u64,
                    BinaryOp::MulLo => |a, b| (a as $t).wrapping_mul(b as $t) as $u as u64,
                    BinaryOp::MulHi => |a, b| mul_hi(a as $t, b as $t) as $u as u64,
                    BinaryOp::MulWide => {
                        |a, b| ((a as $t as $w).wrapping_mul(b as $t as $w)) as $wu as u64
                    }
                    BinaryOp::Mul24Lo => {
                        |a, b| low24(a as $t).wrapping_mul(low24(b as $t)) as $u as u64
                    }
                    // The manual leaves division by zero open; hardware gives all ones.
                    BinaryOp::Div => |a, b| match b as $t {
                        0 => <$u>::MAX as u64,
                        b => (a as $t).wrapping_div(b) as $u as u64,
                    },
                    BinaryOp::Rem => |a, b| match b as $t {
                        0 => a as $u as u64,
                        b => (a as $t).wrapping_rem(b) as $u as u64,
                    },
                    BinaryOp::Min => |a, b| (a as $t).min(b as $t) as $u as u64,
                    BinaryOp::Max => |a, b| (a as $t).max(b as $t) as $u as u64,
                    BinaryOp::And => |a, b| (a & b) as $u as u64,
                    BinaryOp::Or => |a, b| (a | b) as $u as u64,
                    BinaryOp::Xor => |a, b| (a ^ b) as $u as u64,
                    BinaryOp::Shl => |a, b| (a as $u).checked_shl(b as u32).unwrap_or(0) as u64,
                    // A shift by the width or more leaves the sign, or nothing.
                    BinaryOp::Shr => |a, b| {
                        let amount = (b as u32).min(BITS);
                        let half = amount / 2;
                        (((a as $t) >> half) >> (amount - half)) as $u as u64
                    },
                    BinaryOp::Copysign | BinaryOp::BitMaskClamp | BinaryOp::BitMaskWrap => {
                        return None;
                    }
                })
            }

            pub(super) fn ternary(op: TernaryOp) -> Option<fn(u64, u64, u64) -> u64> {
                Some(match op {
                    TernaryOp::MadLo => {
                        |a, b, c| (a as $t).wrapping_mul(b as $t).wrapping_add(c as $t) as $u as u64
                    }
                    TernaryOp::MadHi => {
                        |a, b, c| mul_hi(a as $t, b as $t).wrapping_add(c as $t) as $u as u64
                    }
                    TernaryOp::MadWide => |a, b, c| {
                        (a as $t as $w).wrapping_mul(b as $t as $w).wrapping_add(c as $w) as $wu
                            as u64
                    },
                    TernaryOp::Mad24Lo => |a, b, c| {
                        low24(a as $t).wrapping_mul(low24(b as $t)).wrapping_add(c as $t) as $u
                            as u64
                    },
                    TernaryOp::Sad => |a, b, c| {
                        let (a, b) = (a as $t, b as $t);
                        let distance = if a > b { a.wrapping_sub(b) } else { b.wrapping_sub(a) };
                        (c as $t).wrapping_add(distance) as $u as u64
                    },
                    TernaryOp::Bfe => {
                        |a, b, c| bit_field(a as $t, b as u32 & 0xFF, c as u32 & 0xFF)
                    }
                    _ => return None,
                })
            }

            fn mul_hi(a: $t, b: $t) -> $t {
                ((a as i128).wrapping_mul(b as i128) >> BITS) as $t
            }

            /// The low 24 bits, sign-extended where the type is signed.
            fn low24(a: $t) -> $t {
                if BITS <= 24 { a } else { (a << (BITS - 24)) >> (BITS - 24) }
            }

            /// The field of `length` bits at `position`, sign-extended where the type is signed.
            #[allow(unused_comparisons, reason = "true for the unsigned types")]
            fn bit_field(a: $t, position: u32, length: u32) -> u64 {
                let signed = <$t>::MIN < 0;
                let msb = BITS - 1;
                let last = if length == 0 { 0 } else { (position + length - 1).min(msb) };
                let sign = signed && length != 0 && (a as $u >> last) & 1 == 1;
                let mut result: $u = 0;
                for bit in 0..=msb {
                    let from = position + bit;
                    let set =
                        if bit < length && from <= msb { (a as $u >> from) & 1 == 1 } else { sign };
                    result |= (set as $u) << bit;
                }
                result as u64
            }
        }
    };
}

integer_functions!(of_u16, u16, u16, u32, u32);
integer_functions!(of_s16, i16, u16, i32, u32);
integer_functions!(of_u32, u32, u32, u64, u64);
integer_functions!(of_s32, i32, u32, i64, u64);
integer_functions!(of_u64, u64, u64, u128, u128);
integer_functions!(of_s64, i64, u64, i128, u128);

macro_rules! by_type {
    ($ty:expr, $function:ident, $op:expr) => {
        match $ty {
            Type::U16 | Type::B16 => of_u16::$function($op),
            Type::S16 => of_s16::$function($op),
            Type::U32 | Type::B32 => of_u32::$function($op),
            Type::S32 => of_s32::$function($op),
            Type::U64 | Type::B64 => of_u64::$function($op),
            Type::S64 => of_s64::$function($op),
            _ => None,
        }
    };
}

pub(super) fn unary(op: UnaryOp, ty: Type) -> Option<fn(u64) -> u64> {
    by_type!(ty, unary, op)
}

pub(super) fn binary(op: BinaryOp, ty: Type) -> Option<fn(u64, u64) -> u64> {
    match op {
        BinaryOp::BitMaskClamp => Some(|a, b| bit_mask((a as u32).min(32), (b as u32).min(32))),
        BinaryOp::BitMaskWrap => Some(|a, b| bit_mask(a as u32 & 31, b as u32 & 31)),
        _ => by_type!(ty, binary, op),
    }
}

/// `length` ones from bit `position` on, as far as 32 bits reach.
fn bit_mask(position: u32, length: u32) -> u64 {
    (((1u64 << length) - 1) << position) & 0xFFFF_FFFF
}

/// Arithmetic with a carry. Returns the result and the carry out.
pub(crate) fn extended(
    op: ExtendedOp,
    ty: Type,
    (a, b, c): (u64, u64, u64),
    carry: bool,
) -> (u64, bool) {
    let bits = ty.bits();
    let width = low(u64::MAX, bits);
    let (a, b, c) = (a & width, b & width, c & width);
    let with_carry = |value: u64, other: u64| {
        let sum = u128::from(value) + u128::from(other) + u128::from(carry);
        (sum as u64 & width, sum > u128::from(width))
    };
    let product = || {
        if ty.is_signed() {
            let signed = |value: u64| i128::from(sign_extended(value, bits));
            (signed(a) * signed(b)) as u128
        } else {
            u128::from(a) * u128::from(b)
        }
    };
    match op {
        ExtendedOp::Add => with_carry(a, b),
        // The condition code of a subtraction is its borrow.
        ExtendedOp::Sub => {
            let taken = u128::from(b) + u128::from(carry);
            ((u128::from(a).wrapping_sub(taken)) as u64 & width, taken > u128::from(a))
        }
        ExtendedOp::MadLo => with_carry(product() as u64 & width, c),
        ExtendedOp::MadHi => with_carry((product() >> bits) as u64 & width, c),
    }
}

pub(super) fn ternary(op: TernaryOp, ty: Type) -> Option<super::Ternary> {
    match op {
        TernaryOp::Prmt => Some(permute),
        TernaryOp::ShfLeftClamp => Some(|a, b, c| funnel_left(a, b, (c as u32).min(32))),
        TernaryOp::ShfLeftWrap => Some(|a, b, c| funnel_left(a, b, c as u32 & 31)),
        TernaryOp::ShfRightClamp => Some(|a, b, c| funnel_right(a, b, (c as u32).min(32))),
        TernaryOp::ShfRightWrap => Some(|a, b, c| funnel_right(a, b, c as u32 & 31)),
        _ => by_type!(ty, ternary, op),
    }
}

fn funnel_left(low: u64, high: u64, amount: u32) -> u64 {
    let both = (high << 32) | (low & 0xFFFF_FFFF);
    (both << amount) >> 32
}

fn funnel_right(low: u64, high: u64, amount: u32) -> u64 {
    let both = (high << 32) | (low & 0xFFFF_FFFF);
    (both >> amount) & 0xFFFF_FFFF
}

/// `prmt` in its default mode: four selectors of four bits pick bytes of the two inputs.
fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let bytes = (b << 32) | (a & 0xFFFF_FFFF);
    let mut result = 0;
    for place in 0..4 {
        let select = (selector >> (4 * place)) & 0xF;
        let byte = (bytes >> (8 * (select & 7))) & 0xFF;
        let replicated = if byte & 0x80 != 0 { 0xFF } else { 0 };
        result |= (if select & 8 != 0 { replicated } else { byte }) << (8 * place);
    }
    result
}

pub(super) fn compare(op: Compare, ty: Type, a: u64, b: u64) -> bool {
    let bits = ty.bits();
    let ordering = if ty.is_signed() {
        sign_extended(a, bits).cmp(&sign_extended(b, bits))
    } else {
        low(a, bits).cmp(&low(b, bits))
    };
    match op {
        Compare::Eq => ordering.is_eq(),
        Compare::Ne => ordering.is_ne(),
        Compare::Lt => ordering.is_lt(),
        Compare::Le => ordering.is_le(),
        Compare::Gt => ordering.is_gt(),
        Compare::Ge => ordering.is_ge(),
        // Comparisons with a notion of not-a-number exist for floating point only.
        _ => false,
    }
}
