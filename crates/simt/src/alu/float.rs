use warpsan_ir::{BinaryOp, Compare, FloatTest, TernaryOp, Type, UnaryOp};

/// One set of functions for one floating-point type. Operations give one and the same not-a-number,
/// as the hardware does.
macro_rules! float_functions {
    ($name:ident, $t:ty, $bits:ty, $sign:literal, $nan:literal) => {
        mod $name {
            use warpsan_ir::{BinaryOp, TernaryOp, UnaryOp};

            pub(super) fn from(bits: u64) -> $t {
                <$t>::from_bits(bits as $bits)
            }

            pub(super) fn to(value: $t) -> u64 {
                u64::from(if value.is_nan() { $nan } else { value.to_bits() })
            }

            pub(super) fn unary(op: UnaryOp) -> Option<fn(u64) -> u64> {
                Some(match op {
                    UnaryOp::Neg => |a| u64::from(a as $bits ^ $sign),
                    UnaryOp::Abs => |a| u64::from(a as $bits & !$sign),
                    UnaryOp::Sqrt => |a| to(from(a).sqrt()),
                    UnaryOp::Rcp => |a| to(1.0 / from(a)),
                    UnaryOp::Rsqrt => |a| to(1.0 / from(a).sqrt()),
                    UnaryOp::Sin => |a| to(from(a).sin()),
                    UnaryOp::Cos => |a| to(from(a).cos()),
                    UnaryOp::Ex2 => |a| to(from(a).exp2()),
                    UnaryOp::Lg2 => |a| to(from(a).log2()),
                    _ => return None,
                })
            }

            pub(super) fn binary(op: BinaryOp) -> Option<fn(u64, u64) -> u64> {
                Some(match op {
                    BinaryOp::Add => |a, b| to(from(a) + from(b)),
                    BinaryOp::Sub => |a, b| to(from(a) - from(b)),
                    BinaryOp::MulLo => |a, b| to(from(a) * from(b)),
                    BinaryOp::Div => |a, b| to(from(a) / from(b)),
                    // Negative zero is less than positive zero here.
                    BinaryOp::Min => |a, b| match from(a) == from(b) {
                        true => a | b,
                        false => to(from(a).min(from(b))),
                    },
                    BinaryOp::Max => |a, b| match from(a) == from(b) {
                        true => a & b,
                        false => to(from(a).max(from(b))),
                    },
                    // `copysign d, a, b` takes the sign of a and the rest of b.
                    BinaryOp::Copysign => {
                        |a, b| u64::from((a as $bits & $sign) | (b as $bits & !$sign))
                    }
                    _ => return None,
                })
            }

            pub(super) fn ternary(op: TernaryOp) -> Option<fn(u64, u64, u64) -> u64> {
                Some(match op {
                    TernaryOp::Fma => |a, b, c| to(from(a).mul_add(from(b), from(c))),
                    _ => return None,
                })
            }
        }
    };
}

float_functions!(single, f32, u32, 0x8000_0000, 0x7FFF_FFFF_u32);
float_functions!(double, f64, u64, 0x8000_0000_0000_0000, 0x7FF8_0000_0000_0000_u64);

macro_rules! by_type {
    ($ty:expr, $function:ident, $op:expr) => {
        match $ty {
            Type::F32 => single::$function($op),
            Type::F64 => double::$function($op),
            _ => None,
        }
    };
}

pub(super) fn unary(op: UnaryOp, ty: Type) -> Option<fn(u64) -> u64> {
    by_type!(ty, unary, op)
}

pub(super) fn binary(op: BinaryOp, ty: Type) -> Option<fn(u64, u64) -> u64> {
    by_type!(ty, binary, op)
}

pub(super) fn ternary(op: TernaryOp, ty: Type) -> Option<super::Ternary> {
    by_type!(ty, ternary, op)
}

/// The value of a floating-point type's bits, exactly.
pub(super) fn exact(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F32 => f64::from(single::from(bits)),
        _ => double::from(bits),
    }
}

/// The bits of the nearest value of a floating-point type.
pub(super) fn nearest(ty: Type, value: f64) -> u64 {
    match ty {
        Type::F32 => single::to(value as f32),
        _ => double::to(value),
    }
}

pub(super) fn compare(op: Compare, ty: Type, a: u64, b: u64) -> bool {
    let (a, b) = (exact(ty, a), exact(ty, b));
    let unordered = a.is_nan() || b.is_nan();
    match op {
        Compare::Eq => a == b,
        Compare::Ne => !unordered && a != b,
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Ge => a >= b,
        Compare::EqUnordered => unordered || a == b,
        Compare::NeUnordered => unordered || a != b,
        Compare::LtUnordered => unordered || a < b,
        Compare::LeUnordered => unordered || a <= b,
        Compare::GtUnordered => unordered || a > b,
        Compare::GeUnordered => unordered || a >= b,
        Compare::Num => !unordered,
        Compare::Nan => unordered,
    }
}

/// `testp`.
pub(crate) fn test_float(test: FloatTest, ty: Type, bits: u64) -> bool {
    let value = exact(ty, bits);
    let subnormal = match ty {
        Type::F32 => single::from(bits).is_subnormal(),
        _ => value.is_subnormal(),
    };
    match test {
        FloatTest::Finite => value.is_finite(),
        FloatTest::Infinite => value.is_infinite(),
        FloatTest::Number => !value.is_nan(),
        FloatTest::NotANumber => value.is_nan(),
        FloatTest::Normal => value.is_finite() && !subnormal,
        FloatTest::Subnormal => subnormal,
    }
}
