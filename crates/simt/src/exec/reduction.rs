//! What `redux` computes.

use crate::numerics::single;
use crate::warp::lanes;
use warpsan_ir::{ReduxOp, Type};

/// Whether `redux` exists for a type.
pub(crate) fn is_known(op: ReduxOp, ty: Type) -> bool {
    match op {
        ReduxOp::And | ReduxOp::Or | ReduxOp::Xor => ty == Type::B32,
        ReduxOp::Add => matches!(ty, Type::U32 | Type::S32),
        ReduxOp::Min | ReduxOp::Max => matches!(ty, Type::U32 | Type::S32 | Type::F32),
    }
}

/// All values of the lanes of a mask in one; `abs` and `nan` are modifiers for floats.
pub(super) fn reduce(
    mask: u32,
    op: ReduxOp,
    ty: Type,
    (abs, nan): (bool, bool),
    values: &[u64; 32],
) -> u32 {
    let float = |bits: u32| {
        let value = f32::from_bits(bits);
        if abs { single::abs(value) } else { value }
    };
    let combine = |a: u32, b: u32| match (op, ty) {
        (ReduxOp::Add, _) => a.wrapping_add(b),
        (ReduxOp::And, _) => a & b,
        (ReduxOp::Or, _) => a | b,
        (ReduxOp::Xor, _) => a ^ b,
        (ReduxOp::Min, Type::S32) => (a as i32).min(b as i32) as u32,
        (ReduxOp::Max, Type::S32) => (a as i32).max(b as i32) as u32,
        (ReduxOp::Min, Type::F32) if nan => single::min_nan(float(a), float(b)).to_bits(),
        (ReduxOp::Max, Type::F32) if nan => single::max_nan(float(a), float(b)).to_bits(),
        (ReduxOp::Min, Type::F32) => single::min(float(a), float(b)).to_bits(),
        (ReduxOp::Max, Type::F32) => single::max(float(a), float(b)).to_bits(),
        (ReduxOp::Min, _) => a.min(b),
        (ReduxOp::Max, _) => a.max(b),
    };
    let all = lanes(mask).map(|lane| values[lane] as u32).reduce(combine).unwrap_or(0);
    if ty == Type::F32 { float(all).to_bits() } else { all }
}
