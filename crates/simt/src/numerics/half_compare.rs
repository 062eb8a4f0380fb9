//! Floating-point comparisons, and `set` and `setp` on half precision.

use super::half::{Half, unpack};

/// A floating-point comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatComparison {
    /// `eq`: false when unordered, like all up to `Ge`.
    Eq,
    /// `ne`.
    Ne,
    /// `lt`.
    Lt,
    /// `le`.
    Le,
    /// `gt`.
    Gt,
    /// `ge`.
    Ge,
    /// `equ`: true when unordered, like all up to `Geu`.
    Equ,
    /// `neu`.
    Neu,
    /// `ltu`.
    Ltu,
    /// `leu`.
    Leu,
    /// `gtu`.
    Gtu,
    /// `geu`.
    Geu,
    /// `num`: neither is NaN.
    Num,
    /// `nan`: at least one is NaN.
    Nan,
}

/// Compares two values of a floating-point type.
#[inline(always)]
pub(crate) fn compare<T: PartialOrd + Copy>(comparison: FloatComparison, a: T, b: T) -> bool {
    use FloatComparison::{Eq, Equ, Ge, Geu, Gt, Gtu, Le, Leu, Lt, Ltu, Nan, Ne, Neu, Num};
    // Every ordered comparison is false for NaN.
    let unordered = !((a <= b) | (a > b));
    match comparison {
        Eq => a == b,
        Ne => (a < b) | (a > b),
        Lt => a < b,
        Le => a <= b,
        Gt => a > b,
        Ge => a >= b,
        Equ => (a == b) | unordered,
        Neu => a != b,
        Ltu => (a < b) | unordered,
        Leu => (a <= b) | unordered,
        Gtu => (a > b) | unordered,
        Geu => (a >= b) | unordered,
        Num => !unordered,
        Nan => unordered,
    }
}

/// Compares two half-precision values; `.ftz` is [`super::half::flush`] on both.
#[inline(always)]
pub(crate) fn compare_half<F: Half>(comparison: FloatComparison, a: u16, b: u16) -> bool {
    compare(comparison, F::to_single(a), F::to_single(b))
}

/// Compares both elements of packed pairs: the lower result first.
#[inline(always)]
pub(crate) fn compare_packed<F: Half>(comparison: FloatComparison, a: u32, b: u32) -> [bool; 2] {
    let (a, b) = (unpack(a), unpack(b));
    [compare_half::<F>(comparison, a[0], b[0]), compare_half::<F>(comparison, a[1], b[1])]
}

/// The result of `set` in a 16-bit floating-point destination.
#[inline(always)]
pub(crate) fn set_float<F: Half>(truth: bool) -> u16 {
    if truth { F::ONE } else { 0 }
}

/// The result of `set` in a 16-bit integer destination, and in each half of a 32-bit destination
/// of a packed comparison.
#[inline(always)]
pub(crate) fn set_integer(truth: bool) -> u16 {
    if truth { 0xffff } else { 0 }
}
