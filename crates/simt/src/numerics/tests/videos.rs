//! Video instructions.

use crate::numerics::ShiftMode;
use crate::numerics::video::{
    Part, ScalarVideo, Secondary, Source, VideoComparison, VideoMultiplyAdd, VideoOperation,
};
use crate::numerics::video_simd::{SimdOperation, SimdSource, SimdVideo};

const SIGNED: Source = Source { signed: true, part: Part::Word };
const UNSIGNED: Source = Source { signed: false, part: Part::Word };

fn scalar(operation: VideoOperation) -> ScalarVideo {
    ScalarVideo {
        operation,
        a: UNSIGNED,
        b: UNSIGNED,
        signed: false,
        saturate: false,
        secondary: Secondary::None,
    }
}

#[test]
fn selectors_extend_by_type() {
    let add = ScalarVideo {
        a: Source { signed: true, part: Part::Byte(1) },
        b: Source { signed: false, part: Part::Half(1) },
        signed: true,
        ..scalar(VideoOperation::Add)
    };
    assert_eq!(add.execute(0x0000_ff00, 0xffff_0000, 0), 0xfffe);
}

#[test]
fn saturation_knows_the_destination() {
    let add = ScalarVideo { saturate: true, ..scalar(VideoOperation::Add) };
    // Only what is negative is limited; see the comment of the module.
    assert_eq!(add.execute(u32::MAX, 3, 0), 2);
    let add = ScalarVideo { signed: true, ..add };
    assert_eq!(add.execute(u32::MAX, 1, 0), i32::MAX as u32);
    let subtract = ScalarVideo { saturate: true, ..scalar(VideoOperation::Subtract) };
    assert_eq!(subtract.execute(1, 2, 0), 0);
    let merged = ScalarVideo { secondary: Secondary::Merge(Part::Byte(2)), ..add };
    assert_eq!(merged.execute(100, 100, 0x1122_3344), 0x117f_3344);
    let merged = ScalarVideo { secondary: Secondary::Merge(Part::Half(1)), saturate: false, ..add };
    assert_eq!(merged.execute(0x8_0000, 5, 0x1122_3344), 0x0008_3344);
    let merged = ScalarVideo { secondary: Secondary::Merge(Part::Byte(2)), ..subtract };
    assert_eq!(merged.execute(1, 2, 0x1122_3344), 0x11ff_3344);
    let shift =
        ScalarVideo { saturate: true, ..scalar(VideoOperation::ShiftLeft(ShiftMode::Clamp)) };
    assert_eq!(shift.execute(1 << 31, 1, 0), u32::MAX);
    assert_eq!(shift.execute(1 << 31, 2, 0), 0);
}

#[test]
fn secondary_operations_use_the_destination_type() {
    let difference = ScalarVideo {
        a: SIGNED,
        b: SIGNED,
        secondary: Secondary::Add,
        ..scalar(VideoOperation::AbsoluteDifference)
    };
    assert_eq!(difference.execute(-3i32 as u32, 4, 10), 17);
    let minimum = ScalarVideo {
        secondary: Secondary::Minimum,
        signed: true,
        ..scalar(VideoOperation::Maximum)
    };
    assert_eq!(minimum.execute(3, 4, -1i32 as u32), -1i32 as u32);
    let minimum = ScalarVideo { signed: false, ..minimum };
    assert_eq!(minimum.execute(3, 4, -1i32 as u32), 4);
    let sum = ScalarVideo { secondary: Secondary::Minimum, ..scalar(VideoOperation::Add) };
    assert_eq!(sum.execute(3, 1 << 31, -1i32 as u32), -1i32 as u32);
    let set = ScalarVideo {
        a: SIGNED,
        secondary: Secondary::Maximum,
        ..scalar(VideoOperation::Compare(VideoComparison::Lt))
    };
    assert_eq!(set.execute(-1i32 as u32, 0, 0), 1);
    let shift = scalar(VideoOperation::ShiftLeft(ShiftMode::Clamp));
    assert_eq!(shift.execute(1, 40, 0), 0);
    let shift = scalar(VideoOperation::ShiftLeft(ShiftMode::Wrap));
    assert_eq!(shift.execute(1, 40, 0), 256);
    let shift = ScalarVideo { a: SIGNED, ..scalar(VideoOperation::ShiftRight(ShiftMode::Clamp)) };
    assert_eq!(shift.execute(0x8000_0000, 40, 0), u32::MAX);
}

#[test]
fn multiply_add() {
    let plain = VideoMultiplyAdd {
        a: UNSIGNED,
        b: UNSIGNED,
        negate_product: false,
        negate_c: false,
        plus_one: false,
        shift: 0,
        saturate: false,
    };
    assert_eq!(plain.execute(7, 6, 8), 50);
    assert_eq!(VideoMultiplyAdd { plus_one: true, ..plain }.execute(7, 6, 8), 51);
    let minus = VideoMultiplyAdd { negate_product: true, ..plain };
    assert_eq!(minus.execute(7, 6, 8), -34i32 as u32);
    assert_eq!(VideoMultiplyAdd { negate_c: true, ..plain }.execute(7, 6, 50), -8i32 as u32);
    let saturated = VideoMultiplyAdd { saturate: true, ..plain };
    assert_eq!(saturated.execute(u32::MAX, u32::MAX, 0), 1);
    assert_eq!(saturated.execute(1 << 30, 16, 0), u32::MAX);
    assert_eq!(saturated.execute(1, 1, -5i32 as u32), 0);
    let saturated = VideoMultiplyAdd { negate_product: true, ..saturated };
    assert_eq!(saturated.execute(1 << 30, 16, 0), i32::MIN as u32);
    let scaled = VideoMultiplyAdd { a: SIGNED, shift: 15, ..plain };
    assert_eq!(scaled.execute(-32768i32 as u32, 3, 0), -3i32 as u32);
}

fn bytes(operation: SimdOperation) -> SimdVideo<4> {
    SimdVideo {
        operation,
        a: SimdSource { signed: false, elements: [0, 1, 2, 3] },
        b: SimdSource { signed: false, elements: [4, 5, 6, 7] },
        signed: false,
        saturate: false,
        mask: 0b1111,
        accumulate: false,
    }
}

#[test]
fn quads_of_bytes() {
    let (a, b) = (0x00ff_8001, 0x0101_80ff);
    assert_eq!(bytes(SimdOperation::Add).execute(a, b, 0), 0x0100_0000);
    let saturated = SimdVideo { saturate: true, ..bytes(SimdOperation::Add) };
    assert_eq!(saturated.execute(a, b, 0), 0x01ff_ffff);
    let masked = SimdVideo { mask: 0b0100, ..saturated };
    assert_eq!(masked.execute(a, b, 0x1122_3344), 0x11ff_3344);
    let sum = SimdVideo { accumulate: true, ..bytes(SimdOperation::AbsoluteDifference) };
    assert_eq!(sum.execute(a, b, 1000), 1000 + 1 + 254 + 254);
    let swapped = SimdVideo {
        a: SimdSource { signed: true, elements: [7, 6, 5, 4] },
        ..bytes(SimdOperation::Maximum)
    };
    assert_eq!(swapped.execute(0, 0x0102_03ff, 0), 0x0103_03ff);
    let set = SimdVideo { accumulate: true, ..bytes(SimdOperation::Compare(VideoComparison::Le)) };
    assert_eq!(set.execute(a, b, 0), 3);
}

#[test]
fn pairs_of_half_words() {
    let average = SimdVideo::<2> {
        operation: SimdOperation::Average,
        a: SimdSource { signed: true, elements: [0, 1, 0, 0] },
        b: SimdSource { signed: true, elements: [2, 3, 0, 0] },
        signed: true,
        saturate: false,
        mask: 0b11,
        accumulate: false,
    };
    // (3 + 4 + 1) >> 1 = 4 and (-3 - 4) >> 1 = -4.
    assert_eq!(average.execute(0xfffd_0003, 0xfffc_0004, 0), 0xfffc_0004);
    let subtract = SimdVideo { operation: SimdOperation::Subtract, saturate: true, ..average };
    assert_eq!(subtract.execute(0x8000_7fff, 0x0001_ffff, 0), 0x8000_7fff);
    let upper = SimdVideo { mask: 0b10, ..subtract };
    assert_eq!(upper.execute(0x0005_0000, 0x0003_0000, 0xabcd_1234), 0x0002_1234);
}
