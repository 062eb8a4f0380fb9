//! What computes and has no function over lanes, with types that are known to be possible.

use super::sets;
use super::videos::VideoForm;
use crate::lanes::conversion::{Conversion, PairConversion};
use warpsan_ir::{BoolOp, ExtendedOp, FloatTest, Op, Predicate, Register, Type, Value};

/// An operation that `compute` carries out. Whoever has one need not ask whether its types make sense:
/// [`ComputeOp::of`] did.
#[derive(Debug)]
pub(crate) enum ComputeOp {
    Pack {
        to: Register,
        parts: Vec<Value>,
        part_bits: u32,
    },
    Unpack {
        to: Vec<Option<Register>>,
        from: Value,
        part_bits: u32,
    },
    Extended {
        op: ExtendedOp,
        ty: Type,
        to: Register,
        operands: [Value; 3],
        carry_in: Option<Predicate>,
        carry_out: Option<Predicate>,
    },
    BitFieldInsert {
        is_wide: bool,
        to: Register,
        operands: [Value; 4],
    },
    SelectBySign {
        by: SignOf,
        to: Register,
        operands: [Value; 3],
    },
    SetValue {
        form: sets::Form,
        result: Type,
        to: Register,
        operands: [Value; 2],
        combine: Option<(BoolOp, Predicate, bool)>,
    },
    SetPredicatePair {
        form: sets::Form,
        low: Option<Predicate>,
        high: Option<Predicate>,
        operands: [Value; 2],
        combine: Option<(BoolOp, Predicate, bool)>,
    },
    TestFloat {
        test: FloatTest,
        is_double: bool,
        to: Predicate,
        a: Value,
    },
    Convert {
        conversion: Conversion,
        to: Register,
        from: Value,
    },
    ConvertPair {
        conversion: PairConversion,
        to: Register,
        high: Value,
        low: Value,
    },
    ConvertPack {
        width: u32,
        is_signed: bool,
        to: Register,
        operands: [Value; 3],
    },
    Video {
        form: VideoForm,
        to: Register,
        a: Value,
        b: Value,
        c: Option<Value>,
    },
}

/// What `slct` looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SignOf {
    Integer,
    Single { flush: bool },
}

impl ComputeOp {
    /// The operation, if it is one that computes and PTX has it with its types.
    pub(crate) fn of(op: &Op) -> Option<ComputeOp> {
        Some(match op {
            Op::Pack { to, parts, part_bits } => {
                let bits = parts.len() as u32 * part_bits;
                let fits = bits <= 128 && (1..=64).contains(part_bits) && to.bits <= 128;
                fits.then(|| ComputeOp::Pack {
                    to: *to,
                    parts: parts.clone(),
                    part_bits: *part_bits,
                })?
            }
            Op::Unpack { to, from, part_bits } => {
                let fits = to.len() as u32 * part_bits <= 128 && (1..=64).contains(part_bits);
                fits.then(|| ComputeOp::Unpack {
                    to: to.clone(),
                    from: *from,
                    part_bits: *part_bits,
                })?
            }
            Op::Extended { op, ty, to, a, b, c, carry_in, carry_out } => match ty {
                Type::U32 | Type::S32 | Type::U64 | Type::S64 | Type::B32 | Type::B64 => {
                    ComputeOp::Extended {
                        op: *op,
                        ty: *ty,
                        to: *to,
                        operands: [*a, *b, *c],
                        carry_in: *carry_in,
                        carry_out: *carry_out,
                    }
                }
                _ => return None,
            },
            Op::BitFieldInsert { ty, to, a, b, c, d } => ComputeOp::BitFieldInsert {
                is_wide: match ty.bits() {
                    32 => false,
                    64 => true,
                    _ => return None,
                },
                to: *to,
                operands: [*a, *b, *c, *d],
            },
            Op::SelectBySign { ty, by, flush, to, a, b, c } => {
                let by = match by {
                    _ if ty.bits() > 64 => return None,
                    Type::S32 => SignOf::Integer,
                    Type::F32 => SignOf::Single { flush: *flush },
                    _ => return None,
                };
                ComputeOp::SelectBySign { by, to: *to, operands: [*a, *b, *c] }
            }
            Op::SetValue { compare, result, ty, flush, to, a, b, combine } => {
                let form = sets::Form { compare: *compare, ty: *ty, flush: *flush };
                sets::is_known(*compare, *ty, *result).then_some(ComputeOp::SetValue {
                    form,
                    result: *result,
                    to: *to,
                    operands: [*a, *b],
                    combine: *combine,
                })?
            }
            Op::SetPredicatePair { compare, ty, flush, low, high, a, b, combine } => {
                let form = sets::Form { compare: *compare, ty: *ty, flush: *flush };
                matches!(ty, Type::F16x2 | Type::Bf16x2).then_some(ComputeOp::SetPredicatePair {
                    form,
                    low: *low,
                    high: *high,
                    operands: [*a, *b],
                    combine: *combine,
                })?
            }
            Op::TestFloat { test, ty, to, a } => ComputeOp::TestFloat {
                test: *test,
                is_double: match ty {
                    Type::F32 => false,
                    Type::F64 => true,
                    _ => return None,
                },
                to: *to,
                a: *a,
            },
            Op::Convert { from_type, to_type, mode, integral, to, from } => ComputeOp::Convert {
                conversion: Conversion::new((*from_type, *to_type), mode, *integral)?,
                to: *to,
                from: *from,
            },
            Op::ConvertPair { from_type, to_type, mode, to, high, low } => ComputeOp::ConvertPair {
                conversion: PairConversion::new((*from_type, *to_type), mode)?,
                to: *to,
                high: *high,
                low: *low,
            },
            Op::ConvertPack { to_type, to_bits, to, a, b, rest, .. } => {
                let known = matches!(to_type, Type::U16 | Type::S16 | Type::U8 | Type::S8)
                    && matches!(to_bits, 2 | 4 | 8 | 16);
                known.then_some(ComputeOp::ConvertPack {
                    width: *to_bits,
                    is_signed: to_type.is_signed(),
                    to: *to,
                    operands: [*a, *b, *rest],
                })?
            }
            Op::Video(video) => ComputeOp::Video {
                form: VideoForm::of(video)?,
                to: video.to,
                a: video.a.value,
                b: video.b.value,
                c: video.c,
            },
            // The rest does not compute, or has a function over lanes if PTX has it at all.
            _ => return None,
        })
    }
}
