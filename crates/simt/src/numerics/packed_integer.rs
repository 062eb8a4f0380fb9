//! Pairs of 16-bit integers in one register: `add`, `sub`, `min` and `max` with `.u16x2` and
//! `.s16x2`.

use super::half::{pack, unpack};

/// Applies an operation, small enough to be inlined, to both elements.
#[inline(always)]
fn packed2(a: u32, b: u32, operation: impl Fn(u16, u16) -> u16) -> u32 {
    let (a, b) = (unpack(a), unpack(b));
    pack(operation(a[0], b[0]), operation(a[1], b[1]))
}

/// `add.u16x2` and `add.s16x2`.
#[inline(always)]
pub(crate) fn add(a: u32, b: u32) -> u32 {
    packed2(a, b, u16::wrapping_add)
}

/// `sub.u16x2` and `sub.s16x2`.
#[inline(always)]
pub(crate) fn sub(a: u32, b: u32) -> u32 {
    packed2(a, b, u16::wrapping_sub)
}

/// `min.u16x2`.
#[inline(always)]
pub(crate) fn min_unsigned(a: u32, b: u32) -> u32 {
    packed2(a, b, u16::min)
}

/// `max.u16x2`.
#[inline(always)]
pub(crate) fn max_unsigned(a: u32, b: u32) -> u32 {
    packed2(a, b, u16::max)
}

/// `min.s16x2`.
#[inline(always)]
pub(crate) fn min_signed(a: u32, b: u32) -> u32 {
    packed2(a, b, |a, b| (a as i16).min(b as i16) as u16)
}

/// `max.s16x2`.
#[inline(always)]
pub(crate) fn max_signed(a: u32, b: u32) -> u32 {
    packed2(a, b, |a, b| (a as i16).max(b as i16) as u16)
}

/// `min.relu.s16x2`.
#[inline(always)]
pub(crate) fn min_relu(a: u32, b: u32) -> u32 {
    packed2(a, b, |a, b| (a as i16).min(b as i16).max(0) as u16)
}

/// `max.relu.s16x2`.
#[inline(always)]
pub(crate) fn max_relu(a: u32, b: u32) -> u32 {
    packed2(a, b, |a, b| (a as i16).max(b as i16).max(0) as u16)
}
