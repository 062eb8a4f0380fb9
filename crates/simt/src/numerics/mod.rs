//! The arithmetic of one lane: what PTX instructions compute that is not just a Rust operator.
//!
//! Everything here is a pure function of bits. No function calls the host's mathematical library, so
//! a kernel gives the same result on every machine; only the IEEE operations `+ - * / sqrt` and
//! conversions of the host are used, and those are exact by definition. Cheap functions are inlined
//! and free of branches, so that a loop over the lanes of a warp becomes vector code.
//!
//! Conventions:
//! - `.ftz` is not a parameter: flush the inputs and the result with [`single::flush`] (or
//!   [`half::flush`]). Where a result is rounded, [`single::is_tiny_scaled`] decides, as the
//!   hardware does.
//! - `.sat` and `.relu` are applied to the result by [`single::saturate`], [`half::saturate`] and
//!   [`half::relu`], after `.ftz`.
//! - A NaN computed in single precision is `0x7FFFFFFF` and in half precision `0x7FFF`. Double
//!   precision keeps the payload of the first NaN operand, and `inf - inf` and the like give
//!   `0xFFF8000000000000`; that is what the code generated for sm_90 writes.
//! - Where the manual leaves a value unspecified, the comment of the function says what was chosen.

pub(crate) mod approx;
pub(crate) mod approx_double;
pub(crate) mod bits;
pub(crate) mod convert;
pub(crate) mod convert_integer;
pub(crate) mod convert_packed;
pub(crate) mod directed;
pub(crate) mod double;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod narrow;
pub(crate) mod packed_integer;
pub(crate) mod single;
pub(crate) mod softfloat;
pub(crate) mod video;
pub(crate) mod video_simd;

#[cfg(test)]
mod tests;

/// A rounding mode of a floating-point result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Round {
    /// `.rn`: to nearest, ties to even.
    Nearest,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards negative infinity.
    Down,
    /// `.rp`: towards positive infinity.
    Up,
    /// `.rna`: to nearest, ties away from zero (only `cvt.rna.tf32.f32`).
    NearestAway,
}

/// What out-of-range shift amounts and positions do (`.wrap` and `.clamp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ShiftMode {
    /// The amount is taken modulo 32.
    Wrap,
    /// The amount is limited to 32.
    Clamp,
}
