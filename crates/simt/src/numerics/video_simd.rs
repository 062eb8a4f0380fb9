//! The SIMD video instructions on pairs of half-words and quads of bytes.

use super::video::{VideoComparison, clamp_to};

/// The operation of a SIMD video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SimdOperation {
    /// `vadd2`, `vadd4`.
    Add,
    /// `vsub2`, `vsub4`.
    Subtract,
    /// `vavrg2`, `vavrg4`.
    Average,
    /// `vabsdiff2`, `vabsdiff4`.
    AbsoluteDifference,
    /// `vmin2`, `vmin4`.
    Minimum,
    /// `vmax2`, `vmax4`.
    Maximum,
    /// `vset2`, `vset4`, whose destination is unsigned.
    Compare(VideoComparison),
}

/// How the elements of one operand are chosen from both source registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SimdSource {
    /// Whether the type is `.s32`.
    pub(crate) signed: bool,
    /// The index of each element in `b:a`, lowest first: `.h32` is `[2, 3]`, `.b7654` is
    /// `[4, 5, 6, 7]`. Pairs use the first two.
    pub(crate) elements: [u8; 4],
}

/// A SIMD video instruction on 2 half-words or 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SimdVideo<const LANES: usize> {
    /// What it computes.
    pub(crate) operation: SimdOperation,
    /// How the left operand is chosen.
    pub(crate) a: SimdSource,
    /// How the right operand is chosen.
    pub(crate) b: SimdSource,
    /// Whether the destination is `.s32`.
    pub(crate) signed: bool,
    /// `.sat`.
    pub(crate) saturate: bool,
    /// One bit for each element written or added.
    pub(crate) mask: u8,
    /// `.add`: the elements are added to `c` instead of merged into it.
    pub(crate) accumulate: bool,
}

impl<const LANES: usize> SimdVideo<LANES> {
    const WIDTH: u32 = 32 / LANES as u32;

    fn read(source: SimdSource, lane: usize, a: u32, b: u32) -> i64 {
        let both = (u64::from(b) << 32) | u64::from(a);
        let index = u32::from(source.elements[lane]) % (2 * LANES as u32);
        let bits = (both >> (index * Self::WIDTH)) as i64;
        let unused = 64 - Self::WIDTH;
        if source.signed {
            (bits << unused) >> unused
        } else {
            (((bits as u64) << unused) >> unused) as i64
        }
    }

    /// Executes the instruction on one lane of the warp.
    pub(crate) fn execute(self, a: u32, b: u32, c: u32) -> u32 {
        let mut result = c;
        for lane in 0..LANES {
            if self.mask >> lane & 1 == 0 {
                continue;
            }
            let left = Self::read(self.a, lane, a, b);
            let right = Self::read(self.b, lane, a, b);
            let exact = match self.operation {
                SimdOperation::Add => left + right,
                SimdOperation::Subtract => left - right,
                // Halves round away from zero above it and down below it.
                SimdOperation::Average => (left + right + i64::from(left + right >= 0)) >> 1,
                SimdOperation::AbsoluteDifference => (left - right).abs(),
                SimdOperation::Minimum => left.min(right),
                SimdOperation::Maximum => left.max(right),
                SimdOperation::Compare(comparison) => comparison.evaluate(left, right),
            };
            let value = if self.saturate {
                clamp_to(i128::from(exact), Self::WIDTH, self.signed) as u32
            } else {
                exact as u32
            };
            if self.accumulate {
                result = result.wrapping_add(value);
            } else {
                let offset = lane as u32 * Self::WIDTH;
                let field = (u32::MAX >> (32 - Self::WIDTH)) << offset;
                result = (result & !field) | ((value << offset) & field);
            }
        }
        result
    }
}
