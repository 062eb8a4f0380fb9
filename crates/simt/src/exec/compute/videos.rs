//! Video instructions, as the arithmetic of one lane knows them.

use super::each::{Lanes, each};
use crate::numerics::ShiftMode;
use crate::numerics::video::{
    Part, ScalarVideo, Secondary, Source, VideoComparison, VideoMultiplyAdd, VideoOperation,
};
use crate::numerics::video_simd::{SimdOperation, SimdSource, SimdVideo};
use warpsan_ir::{Compare, Video, VideoOp, VideoSecond, VideoSource};

/// A video instruction that exists.
#[derive(Debug, Clone, Copy)]
pub(crate) enum VideoForm {
    MultiplyAdd(VideoMultiplyAdd),
    Scalar(ScalarVideo),
    Pair(SimdVideo<2>),
    Quad(SimdVideo<4>),
}

impl VideoForm {
    /// The form of an instruction; none if there is no such instruction.
    pub(super) fn of(video: &Video) -> Option<VideoForm> {
        let signed = video.ty.is_signed();
        Some(match video.parts {
            1 if video.op == VideoOp::MultiplyAdd => VideoForm::MultiplyAdd(VideoMultiplyAdd {
                a: source(&video.a)?,
                b: source(&video.b)?,
                negate_product: video.a.negated != video.b.negated,
                negate_c: video.c_negated,
                plus_one: video.plus_one,
                shift: u32::from(video.shift),
                saturate: video.saturate,
            }),
            1 => VideoForm::Scalar(ScalarVideo {
                operation: scalar(video)?,
                a: source(&video.a)?,
                b: source(&video.b)?,
                signed: if matches!(video.op, VideoOp::Set(_)) { video.a.signed } else { signed },
                saturate: video.saturate,
                secondary: secondary(&video.second)?,
            }),
            2 => VideoForm::Pair(simd::<2>(video, signed)?),
            4 => VideoForm::Quad(simd::<4>(video, signed)?),
            _ => return None,
        })
    }

    /// The results in the lanes of `mask`.
    pub(super) fn values(&self, a: &Lanes, b: &Lanes, c: &Lanes, mask: u32) -> Lanes {
        macro_rules! each {
            ($instruction:expr) => {
                each(mask, |lane| {
                    u64::from($instruction.execute(a[lane] as u32, b[lane] as u32, c[lane] as u32))
                })
            };
        }
        match self {
            VideoForm::MultiplyAdd(instruction) => each!(instruction),
            VideoForm::Scalar(instruction) => each!(instruction),
            VideoForm::Pair(instruction) => each!(instruction),
            VideoForm::Quad(instruction) => each!(instruction),
        }
    }
}

fn part((first, width): (u8, u8)) -> Option<Part> {
    Some(match (first, width) {
        (0, 32) => Part::Word,
        (0 | 16, 16) => Part::Half(first / 16),
        (0 | 8 | 16 | 24, 8) => Part::Byte(first / 8),
        _ => return None,
    })
}

fn source(operand: &VideoSource) -> Option<Source> {
    Some(Source { signed: operand.signed, part: part(operand.part)? })
}

fn secondary(second: &VideoSecond) -> Option<Secondary> {
    Some(match second {
        VideoSecond::None => Secondary::None,
        VideoSecond::Add => Secondary::Add,
        VideoSecond::Min => Secondary::Minimum,
        VideoSecond::Max => Secondary::Maximum,
        VideoSecond::Merge { part: bits } => Secondary::Merge(part(*bits)?),
    })
}

fn comparison(compare: Compare) -> Option<VideoComparison> {
    Some(match compare {
        Compare::Eq => VideoComparison::Eq,
        Compare::Ne => VideoComparison::Ne,
        Compare::Lt => VideoComparison::Lt,
        Compare::Le => VideoComparison::Le,
        Compare::Gt => VideoComparison::Gt,
        Compare::Ge => VideoComparison::Ge,
        _ => return None,
    })
}

fn scalar(video: &Video) -> Option<VideoOperation> {
    let shift = if video.wrap { ShiftMode::Wrap } else { ShiftMode::Clamp };
    Some(match video.op {
        VideoOp::Add => VideoOperation::Add,
        VideoOp::Sub => VideoOperation::Subtract,
        VideoOp::AbsoluteDifference => VideoOperation::AbsoluteDifference,
        VideoOp::Min => VideoOperation::Minimum,
        VideoOp::Max => VideoOperation::Maximum,
        VideoOp::ShiftLeft => VideoOperation::ShiftLeft(shift),
        VideoOp::ShiftRight => VideoOperation::ShiftRight(shift),
        VideoOp::Set(compare) => VideoOperation::Compare(comparison(compare)?),
        VideoOp::Average | VideoOp::MultiplyAdd => return None,
    })
}

fn simd<const PARTS: usize>(video: &Video, signed: bool) -> Option<SimdVideo<PARTS>> {
    let operation = match video.op {
        VideoOp::Add => SimdOperation::Add,
        VideoOp::Sub => SimdOperation::Subtract,
        VideoOp::Average => SimdOperation::Average,
        VideoOp::AbsoluteDifference => SimdOperation::AbsoluteDifference,
        VideoOp::Min => SimdOperation::Minimum,
        VideoOp::Max => SimdOperation::Maximum,
        VideoOp::Set(compare) => SimdOperation::Compare(comparison(compare)?),
        VideoOp::ShiftLeft | VideoOp::ShiftRight | VideoOp::MultiplyAdd => return None,
    };
    let elements = |operand: &VideoSource| {
        let mut elements = [0; 4];
        let chosen = operand.selection.get(..PARTS)?;
        elements[..PARTS].copy_from_slice(chosen);
        Some(SimdSource { signed: operand.signed, elements })
    };
    Some(SimdVideo {
        operation,
        a: elements(&video.a)?,
        b: elements(&video.b)?,
        signed,
        saturate: video.saturate,
        mask: video.write_mask,
        accumulate: match video.second {
            VideoSecond::None | VideoSecond::Merge { .. } => false,
            VideoSecond::Add => true,
            VideoSecond::Min | VideoSecond::Max => return None,
        },
    })
}
