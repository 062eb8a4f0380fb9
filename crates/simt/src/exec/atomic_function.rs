//! What atomics compute.

use crate::numerics::narrow::{Bf16, F16};
use crate::numerics::{double, half, single};
use warpsan_ir::{AtomicOp, Type};

/// Whether PTX has the operation for the type.
pub(crate) fn is_known(op: AtomicOp, ty: Type) -> bool {
    match op {
        AtomicOp::Exch => matches!(ty.bits(), 16 | 32 | 64 | 128),
        AtomicOp::Cas => matches!(ty.bits(), 16 | 32 | 64 | 128),
        AtomicOp::Inc | AtomicOp::Dec => ty == Type::U32,
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => matches!(ty, Type::B32 | Type::B64),
        AtomicOp::Add => matches!(
            ty,
            Type::U32
                | Type::S32
                | Type::U64
                | Type::S64
                | Type::F16
                | Type::F16x2
                | Type::Bf16
                | Type::Bf16x2
                | Type::F32
                | Type::F64
        ),
        AtomicOp::Min | AtomicOp::Max => matches!(
            ty,
            Type::U32
                | Type::S32
                | Type::U64
                | Type::S64
                | Type::F16
                | Type::F16x2
                | Type::Bf16
                | Type::Bf16x2
                | Type::F32
        ),
    }
}

/// The new value, or none where nothing is written. Additions of single precision in global memory
/// flush subnormal numbers.
pub(crate) fn updated(
    op: AtomicOp,
    ty: Type,
    flush: bool,
    old: u128,
    a: u128,
    b: u128,
) -> Option<u128> {
    Some(match op {
        AtomicOp::Exch => a,
        AtomicOp::Cas => return (old == a & mask_of(ty)).then_some(b),
        AtomicOp::Inc => {
            let (old, most) = (old as u32, a as u32);
            u128::from(if old >= most { 0 } else { old + 1 })
        }
        AtomicOp::Dec => {
            let (old, most) = (old as u32, a as u32);
            u128::from(if old == 0 || old > most { most } else { old - 1 })
        }
        _ => u128::from(combined(op, ty, flush, old as u64, a as u64)),
    })
}

fn mask_of(ty: Type) -> u128 {
    if ty.bits() == 128 { u128::MAX } else { (1 << ty.bits()) - 1 }
}

/// The operation of two values that an atomic applies.
pub(crate) fn combined(op: AtomicOp, ty: Type, flush: bool, old: u64, a: u64) -> u64 {
    macro_rules! integer {
        ($t:ty) => {{
            let (x, y) = (old as $t, a as $t);
            (match op {
                AtomicOp::Add => x.wrapping_add(y),
                AtomicOp::Min => x.min(y),
                AtomicOp::Max => x.max(y),
                AtomicOp::And => x & y,
                AtomicOp::Or => x | y,
                _ => x ^ y,
            }) as u64
        }};
    }
    fn halves<F: half::Half>(op: AtomicOp, x: u16, y: u16) -> u16 {
        match op {
            AtomicOp::Add => half::add::<F>(x, y),
            AtomicOp::Min => half::min::<F>(x, y),
            _ => half::max::<F>(x, y),
        }
    }
    // Each half on its own.
    fn pair(x: u64, y: u64, one: impl Fn(u16, u16) -> u16) -> u32 {
        let low = one(x as u16, y as u16);
        let high = one((x >> 16) as u16, (y >> 16) as u16);
        u32::from(low) | u32::from(high) << 16
    }
    match ty {
        Type::S32 => integer!(i32) & 0xFFFF_FFFF,
        Type::S64 => integer!(i64),
        Type::U32 | Type::B32 => integer!(u32),
        Type::F32 => {
            let read = |bits: u64| {
                let value = f32::from_bits(bits as u32);
                if flush { single::flush(value) } else { value }
            };
            let (x, y) = (read(old), read(a));
            let result = match op {
                AtomicOp::Add => single::add(x, y),
                AtomicOp::Min => single::min(x, y),
                _ => single::max(x, y),
            };
            u64::from((if flush { single::flush(result) } else { result }).to_bits())
        }
        Type::F64 => double::add(f64::from_bits(old), f64::from_bits(a)).to_bits(),
        Type::F16 => u64::from(halves::<F16>(op, old as u16, a as u16)),
        Type::Bf16 => u64::from(halves::<Bf16>(op, old as u16, a as u16)),
        Type::F16x2 => u64::from(pair(old, a, |x, y| halves::<F16>(op, x, y))),
        Type::Bf16x2 => u64::from(pair(old, a, |x, y| halves::<Bf16>(op, x, y))),
        _ => integer!(u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_update_as_cuda_says() {
        assert_eq!(updated(AtomicOp::Inc, Type::U32, false, 3, 3, 0), Some(0));
        assert_eq!(updated(AtomicOp::Inc, Type::U32, false, 2, 3, 0), Some(3));
        assert_eq!(updated(AtomicOp::Dec, Type::U32, false, 0, 3, 0), Some(3));
        assert_eq!(updated(AtomicOp::Dec, Type::U32, false, 9, 3, 0), Some(3));
        assert_eq!(updated(AtomicOp::Cas, Type::B32, false, 1, 1, 7), Some(7));
        let failed = updated(AtomicOp::Cas, Type::B32, false, 2, 1, 7);
        assert_eq!(failed, None, "a failed one only reads");
        assert_eq!(updated(AtomicOp::Max, Type::S32, false, 0xFFFF_FFFF, 1, 0), Some(1));
        assert_eq!(updated(AtomicOp::Min, Type::S32, false, 1, 0xFFFF_FFFF, 0), Some(0xFFFF_FFFF));
        let big = 1u128 << 100;
        assert_eq!(updated(AtomicOp::Cas, Type::B128, false, big, big, 5), Some(5));
    }
}
