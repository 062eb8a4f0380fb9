//! `set`, and `setp` of packed types.

use super::each::{Lanes, each};
use crate::lanes::compare;
use warpsan_ir::{BoolOp, Compare, Type};

/// What is compared, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    pub(super) compare: Compare,
    pub(super) ty: Type,
    pub(super) flush: bool,
}

/// What truths are combined with: the lanes where a predicate holds, and whether it is negated.
pub(super) type With = Option<(BoolOp, u32, bool)>;

/// Whether `set` exists for these types.
pub(super) fn is_known(compare: Compare, ty: Type, result: Type) -> bool {
    let results_of_pairs = match ty {
        Type::F16x2 => matches!(result, Type::F16x2 | Type::U32 | Type::S32),
        Type::Bf16x2 => matches!(result, Type::Bf16x2 | Type::U32 | Type::S32),
        Type::U16x2 | Type::S16x2 => false,
        _ => !matches!(result, Type::F16x2 | Type::Bf16x2),
    };
    results_of_pairs && compare::set_is_known(compare, ty, result)
}

/// The lanes where the comparison holds: of the only or lower parts, and of the upper ones.
pub(super) fn truths(form: Form, a: &Lanes, b: &Lanes, with: With) -> [u32; 2] {
    let part = compare::part_of_pair(form.ty);
    let ty = part.unwrap_or(form.ty);
    let bits_where = |shift: u32| {
        let found = (0..32).fold(0, |found, lane| {
            let (a, b) = (a[lane] >> shift, b[lane] >> shift);
            found | u32::from(compare::one(form.compare, ty, form.flush, a, b)) << lane
        });
        match with {
            None => found,
            Some((op, holds, negated)) => {
                let holds = if negated { !holds } else { holds };
                match op {
                    BoolOp::And => found & holds,
                    BoolOp::Or => found | holds,
                    BoolOp::Xor => found ^ holds,
                }
            }
        }
    };
    [bits_where(0), if part.is_some() { bits_where(16) } else { 0 }]
}

/// The results of `set`.
pub(super) fn values(
    form: Form,
    result: Type,
    a: &Lanes,
    b: &Lanes,
    with: With,
    mask: u32,
) -> Lanes {
    let [low, high] = truths(form, a, b, with);
    let packed = compare::part_of_pair(form.ty).is_some();
    // In a packed result each part has its own truth, all ones for integers.
    let truth: u64 = match result {
        Type::F32 => u64::from(1f32.to_bits()),
        Type::F16 | Type::F16x2 => 0x3c00,
        Type::Bf16 | Type::Bf16x2 => 0x3f80,
        Type::U32 | Type::S32 if !packed => 0xffff_ffff,
        _ => 0xffff,
    };
    each(mask, |lane| {
        let lower = truth * u64::from(low >> lane & 1);
        let upper = truth * u64::from(high >> lane & 1);
        lower | upper << 16
    })
}
