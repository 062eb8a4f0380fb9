//! Two values in a register, as vector code.
//!
//! The same work as for one value, twice, is more than the compiler inlines into a loop as a closure.
//! Here the loops are written for the functions themselves.

use super::{fused, with_two};
use crate::lanes::{Instructions, LaneFn, Operands, Rows};
use crate::numerics::half::{Half, pack, unpack};

/// # Safety
/// As for every [`LaneFn`].
#[inline(always)]
unsafe fn two_any<F: Half, const OP: u8, const MODE: u8>(
    rows: Rows,
    operands: &Operands,
    mask: u32,
) {
    // SAFETY: the caller answers for the rows.
    unsafe {
        let (a, b) = (rows.read::<u32>(operands.a), rows.read::<u32>(operands.b));
        let mut results = [0u32; 32];
        for lane in 0..32 {
            let (a, b) = (unpack(a[lane]), unpack(b[lane]));
            let low = with_two::<F, OP, MODE>(a[0], b[0]);
            results[lane] = pack(low, with_two::<F, OP, MODE>(a[1], b[1]));
        }
        rows.write(operands.to, mask, &results);
    }
}

/// # Safety
/// As for every [`LaneFn`].
#[inline(always)]
unsafe fn three_any<F: Half, const MODE: u8>(rows: Rows, operands: &Operands, mask: u32) {
    // SAFETY: the caller answers for the rows.
    unsafe {
        let (a, b) = (rows.read::<u32>(operands.a), rows.read::<u32>(operands.b));
        let c = rows.read::<u32>(operands.c);
        let mut results = [0u32; 32];
        for lane in 0..32 {
            let (a, b, c) = (unpack(a[lane]), unpack(b[lane]), unpack(c[lane]));
            let low = fused::<F, MODE>(a[0], b[0], c[0]);
            results[lane] = pack(low, fused::<F, MODE>(a[1], b[1], c[1]));
        }
        rows.write(operands.to, mask, &results);
    }
}

/// The loop for each kind of processor.
macro_rules! compiled {
    ($any:ident, $portable:ident, $avx2:ident, $avx512:ident, $(const $parameter:ident),+) => {
        unsafe fn $portable<F: Half, $(const $parameter: u8),+>(
            rows: Rows,
            operands: &Operands,
            mask: u32,
        ) {
            // SAFETY: the caller answers for the rows.
            unsafe { $any::<F, $($parameter),+>(rows, operands, mask) }
        }

        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $avx2<F: Half, $(const $parameter: u8),+>(
            rows: Rows,
            operands: &Operands,
            mask: u32,
        ) {
            // SAFETY: the caller answers for the rows.
            unsafe { $any::<F, $($parameter),+>(rows, operands, mask) }
        }

        #[target_feature(
            enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt"
        )]
        unsafe fn $avx512<F: Half, $(const $parameter: u8),+>(
            rows: Rows,
            operands: &Operands,
            mask: u32,
        ) {
            // SAFETY: the caller answers for the rows.
            unsafe { $any::<F, $($parameter),+>(rows, operands, mask) }
        }
    };
}

compiled!(two_any, two_portable, two_avx2, two_avx512, const OP, const MODE);
compiled!(three_any, three_portable, three_avx2, three_avx512, const MODE);

/// The function of two operands for all lanes.
pub(super) fn two<F: Half, const OP: u8, const MODE: u8>(instructions: Instructions) -> LaneFn {
    match instructions {
        Instructions::Portable => two_portable::<F, OP, MODE>,
        Instructions::Avx2 => two_avx2::<F, OP, MODE>,
        Instructions::Avx512 => two_avx512::<F, OP, MODE>,
    }
}

/// The fused operation for all lanes.
pub(super) fn three<F: Half, const MODE: u8>(instructions: Instructions) -> LaneFn {
    match instructions {
        Instructions::Portable => three_portable::<F, MODE>,
        Instructions::Avx2 => three_avx2::<F, MODE>,
        Instructions::Avx512 => three_avx512::<F, MODE>,
    }
}
