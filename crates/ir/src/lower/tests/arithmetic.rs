use super::{op, ops};
use crate::{
    BinaryOp, BoolOp, Compare, Mode, Op, PermuteMode, Rounding, TernaryOp, Type, UnaryOp, Value,
    Video, VideoOp, VideoSecond,
};

/// The mode and type of a calculation.
fn mode(instruction: &str) -> (Mode, Type) {
    match op(instruction) {
        Op::Unary { mode, ty, .. } | Op::Binary { mode, ty, .. } | Op::Ternary { mode, ty, .. } => {
            (mode, ty)
        }
        other => panic!("{instruction}: {other:?}"),
    }
}

#[test]
fn words_become_modes() {
    let plain = Mode::default();
    let rounded = |rounding| Mode { rounding, ..plain };
    for (instruction, expected) in [
        ("add.f32 %f1, %f2, %f3", (plain, Type::F32)),
        ("add.rz.f64 %fd1, %fd2, %fd3", (rounded(Rounding::Zero), Type::F64)),
        ("mul.rp.f32 %f1, %f2, %f3", (rounded(Rounding::Up), Type::F32)),
        ("sqrt.rm.f64 %fd1, %fd2", (rounded(Rounding::Down), Type::F64)),
        (
            "fma.rn.ftz.relu.f16x2 %r1, %r2, %r3, %r4",
            (Mode { flush: true, relu: true, ..plain }, Type::F16x2),
        ),
        (
            "fma.rn.oob.bf16 %rs1, %rs2, %rs3, %rs4",
            (Mode { out_of_bounds: true, ..plain }, Type::Bf16),
        ),
        (
            "min.NaN.xorsign.abs.f32 %f1, %f2, %f3",
            (Mode { nan: true, xorsign_abs: true, ..plain }, Type::F32),
        ),
        ("min.NaN.abs.f32 %f1, %f2, %f3, %f4", (Mode { nan: true, abs: true, ..plain }, Type::F32)),
        ("max.relu.s16x2 %r1, %r2, %r3", (Mode { relu: true, ..plain }, Type::S16x2)),
        (
            "rcp.approx.ftz.f64 %fd1, %fd2",
            (Mode { approximate: true, flush: true, ..plain }, Type::F64),
        ),
        ("div.approx.f32 %f1, %f2, %f3", (Mode { approximate: true, ..plain }, Type::F32)),
        ("div.full.f32 %f1, %f2, %f3", (plain, Type::F32)),
        ("mad.hi.sat.s32 %r1, %r2, %r3, %r4", (Mode { saturate: true, ..plain }, Type::S32)),
        ("tanh.approx.bf16x2 %r1, %r2", (Mode { approximate: true, ..plain }, Type::Bf16x2)),
    ] {
        assert_eq!(mode(instruction), expected, "{instruction}");
    }
}

#[test]
fn operations_have_their_names() {
    let ternary = |instruction: &str| match op(instruction) {
        Op::Ternary { op, .. } => op,
        other => panic!("{other:?}"),
    };
    assert_eq!(ternary("min.f32 %f1, %f2, %f3, %f4"), TernaryOp::Min3);
    assert_eq!(ternary("mad24.hi.sat.s32 %r1, %r2, %r3, %r4"), TernaryOp::Mad24Hi);
    assert_eq!(ternary("prmt.b32.ecr %r1, %r2, %r3, %r4"), TernaryOp::Prmt(PermuteMode::Ecr));
    assert_eq!(ternary("prmt.b32 %r1, %r2, %r3, 0x3210"), TernaryOp::Prmt(PermuteMode::Index));
    assert_eq!(ternary("fns.b32 %r1, %r2, %r3, -1"), TernaryOp::Fns);
    assert_eq!(
        ternary("dp2a.hi.u32.s32 %r1, %r2, %r3, %r4"),
        TernaryOp::Dp2a { a_signed: false, b_signed: true, upper: true }
    );
    assert_eq!(
        ternary("dp4a.s32.u32 %r1, %r2, %r3, %r4"),
        TernaryOp::Dp4a { a_signed: true, b_signed: false }
    );
    let binary = |instruction: &str| match op(instruction) {
        Op::Binary { op, .. } => op,
        other => panic!("{other:?}"),
    };
    assert_eq!(binary("szext.clamp.s32 %r1, %r2, %r3"), BinaryOp::ExtendClamp);
    assert_eq!(binary("szext.wrap.u32 %r1, %r2, 7"), BinaryOp::ExtendWrap);
    assert_eq!(binary("mul24.hi.u32 %r1, %r2, %r3"), BinaryOp::Mul24Hi);
    assert!(matches!(op("ex2.approx.f16 %rs1, %rs2"), Op::Unary { op: UnaryOp::Ex2, .. }));
}

#[test]
fn logic_with_a_predicate_is_logic_and_a_comparison() {
    let both = ops("lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x3f, !%p2");
    let [
        Op::Ternary { op: TernaryOp::Lop3(0x3f), to, .. },
        Op::SetPredicate { compare, a, combine, .. },
    ] = &both[..]
    else {
        panic!("{both:?}")
    };
    assert_eq!((*a, *compare), (Value::Register(*to), Compare::Ne));
    assert!(matches!(combine, Some((BoolOp::Or, _, true))));
}

#[test]
fn mixed_precision_is_converted_first() {
    let sum = ops("fma.rn.sat.f32.f16 %f1, %rs1, %rs2, %f2");
    assert_eq!(sum.len(), 3);
    let [
        Op::Convert { from_type: Type::F16, to: first, .. },
        Op::Convert { to: second, .. },
        Op::Ternary { ty: Type::F32, a, b, mode, .. },
    ] = &sum[..]
    else {
        panic!("{sum:?}")
    };
    assert_eq!((*a, *b), (Value::Register(*first), Value::Register(*second)));
    assert!(mode.saturate);
}

fn video(instruction: &str) -> Video {
    match op(instruction) {
        Op::Video(video) => *video,
        other => panic!("{instruction}: {other:?}"),
    }
}

#[test]
fn scalar_video_instructions_select_and_merge() {
    let merged = video("vabsdiff.s32.s32.u32.sat %r1.h1, %r2.b2, %r3, %r4");
    assert_eq!((merged.op, merged.parts, merged.ty), (VideoOp::AbsoluteDifference, 1, Type::S32));
    assert_eq!(merged.second, VideoSecond::Merge { part: (16, 16) });
    assert_eq!((merged.a.part, merged.a.signed), ((16, 8), true));
    assert_eq!((merged.b.part, merged.b.signed), ((0, 32), false));
    assert!(merged.saturate && merged.c.is_some());
    let product = video("vmad.s32.s32.u32.sat.shr7 %r1, -%r2.h1, %r3, %r4");
    assert_eq!((product.shift, product.a.negated, product.a.part), (7, true, (16, 16)));
    assert!(video("vmad.s32.s32.u32.sat %r1, %r2, %r3, -%r4").c_negated);
    assert!(video("vmad.u32.u32.u32.po.shr15 %r1, %r2, %r3, %r4").plus_one);
    assert!(video("vshr.u32.u32.u32.wrap %r1, %r2, %r3.h1").wrap);
    let set = video("vset.s32.u32.ge.add %r1, %r2, %r3, %r4");
    assert_eq!(
        (set.op, set.second, set.ty),
        (VideoOp::Set(Compare::Ge), VideoSecond::Add, Type::U32)
    );
}

#[test]
fn packed_video_instructions_select_and_mask() {
    let plain = video("vadd2.s32.s32.u32 %r1, %r2, %r3, %r4");
    assert_eq!((plain.parts, plain.write_mask), (2, 0b11));
    assert_eq!((&plain.a.selection[..], &plain.b.selection[..]), (&[0, 1][..], &[2, 3][..]));
    let selected = video("vsub4.s32.s32.s32 %r1.b20, %r2.b3217, %r3.b7654, %r4");
    assert_eq!((selected.write_mask, &selected.a.selection[..]), (0b101, &[7, 1, 2, 3][..]));
    assert_eq!(video("vset4.u32.u32.ne.add %r1, %r2, %r3, %r4").second, VideoSecond::Add);
    assert_eq!(video("vavrg4.s32.s32.s32 %r1, %r2, %r3, %r4").op, VideoOp::Average);
}
