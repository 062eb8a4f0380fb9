//! Lowering of what moves values.

use super::{kernel, lower_text, op, ops};
use crate::{Compare, Mode, Op, Rounding, SharedSymbol, Special, Type, Value};

#[test]
fn conversions_have_types_and_modes() {
    let convert = |instruction: &str| match op(instruction) {
        Op::Convert { from_type, to_type, mode, integral, .. } => {
            (from_type, to_type, mode, integral)
        }
        other => panic!("{instruction}: {other:?}"),
    };
    let plain = Mode::default();
    assert_eq!(
        convert("cvt.rna.satfinite.tf32.f32 %r1, %f1"),
        (
            Type::F32,
            Type::Tf32,
            Mode { rounding: Rounding::NearestAway, saturate_finite: true, ..plain },
            false
        )
    );
    assert_eq!(
        convert("cvt.rzi.ftz.u64.f32 %rd1, %f1"),
        (Type::F32, Type::U64, Mode { rounding: Rounding::Zero, flush: true, ..plain }, true)
    );
    assert_eq!(
        convert("cvt.rm.f32.f64 %f1, %fd1"),
        (Type::F64, Type::F32, Mode { rounding: Rounding::Down, ..plain }, false)
    );
    assert_eq!(
        convert("cvt.rn.relu.f16x2.e5m2x2 %r1, %rs1"),
        (Type::E5m2x2, Type::F16x2, Mode { relu: true, ..plain }, false)
    );
}

#[test]
fn pairs_are_converted_together() {
    let pair = op("cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2");
    let Op::ConvertPair { from_type: Type::F32, to_type: Type::E4m3x2, high, low, mode, .. } = pair
    else {
        panic!("{pair:?}")
    };
    let number = |value| match value {
        Value::Register(register) => register.number,
        other => panic!("{other:?}"),
    };
    assert_eq!(number(low), number(high) + 1, "the first operand is the upper half");
    assert!(mode.saturate_finite);
    for (instruction, expected) in [
        ("cvt.pack.sat.s16.s32 %r1, %r2, %r3", (Type::S16, 16, Some(0))),
        ("cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4", (Type::U8, 8, None)),
        ("cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, 5", (Type::S8, 4, Some(5))),
    ] {
        let Op::ConvertPack { to_type, to_bits, rest, .. } = op(instruction) else { panic!() };
        let rest = if let Value::Constant(rest) = rest { Some(rest) } else { None };
        assert_eq!((to_type, to_bits, rest), expected, "{instruction}");
    }
}

#[test]
fn packed_comparisons_have_two_results() {
    let both = op("setp.lt.and.f16x2 %p1|%p2, %r1, %r2, %p3");
    assert!(matches!(
        both,
        Op::SetPredicatePair {
            compare: Compare::Lt,
            low: Some(_),
            high: Some(_),
            combine: Some(_),
            ..
        }
    ));
    let one = op("setp.leu.bf16x2 _|%p2, %r1, %r2");
    assert!(matches!(one, Op::SetPredicatePair { low: None, high: Some(_), .. }));
    let value = op("set.gt.u32.bf16x2 %r1, %r2, %r3");
    assert!(matches!(value, Op::SetValue { result: Type::U32, ty: Type::Bf16x2, .. }));
    let half = op("setp.nan.f16 %p1, %rs1, %rs2");
    assert!(matches!(half, Op::SetPredicate { compare: Compare::Nan, ty: Type::F16, .. }));
}

#[test]
fn vector_registers_are_their_elements() {
    let kernel = kernel(
        ".reg .v4 .f32 v;\n.reg .v2 .b32 w<2>;\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n\
         ld.global.v4.f32 v, [%rd1];\nadd.f32 v.x, v.w, v.g;\nmov.v2.u32 w1, {w1.y, w1.x};\n\
         mov.b64 %rd2, w1;\nst.global.v2.b32 [%rd1], w0;\nret;",
    );
    let ops: Vec<&Op> = kernel.code.iter().map(|one| &one.op).collect();
    let Op::Load { to, .. } = ops[0] else { panic!() };
    let numbers: Vec<Option<u32>> = to.iter().map(|one| Some(one.as_ref()?.number)).collect();
    assert_eq!(numbers, [None, Some(1), None, Some(3)], "nobody reads the two others");
    let Op::Binary { to, a: Value::Register(a), b: Value::Register(b), .. } = ops[1] else {
        panic!()
    };
    assert_eq!((to.number, a.number, b.number), (0, 3, 1));
    // Both elements are read before one is written.
    let moves: Vec<(u32, u32)> = ops[2..6]
        .iter()
        .map(|op| match op {
            Op::Move { to, from: Value::Register(from) } => (to.number, from.number),
            other => panic!("{other:?}"),
        })
        .collect();
    let [(first, 7), (second, 6), (6, third), (7, fourth)] = moves[..] else { panic!("{moves:?}") };
    assert_eq!((first, second), (third, fourth));
    assert!(matches!(ops[6], Op::Pack { part_bits: 32, parts, .. } if parts.len() == 2));
    assert!(matches!(ops[7], Op::Store { from, .. } if from.len() == 2));
}

#[test]
fn special_registers_are_read_wherever_values_are() {
    let all = ops("mov.v4.u32 {%r1, %r2, %r3, %r4}, %ctaid");
    let specials: Vec<Special> = all
        .iter()
        .map(|op| match op {
            Op::ReadSpecial { special, .. } => *special,
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [Special::Ctaid(0), Special::Ctaid(1), Special::Ctaid(2), Special::Zero];
    assert_eq!(specials, expected);
    let sum = ops("add.u32 %r1, %laneid, 1");
    assert!(matches!(sum[0], Op::ReadSpecial { special: Special::Laneid, .. }));
    let guarded = ops("@!%is_explicit_cluster mov.u32 %r1, 1");
    assert!(matches!(guarded[0], Op::ReadSpecial { special: Special::IsExplicitCluster, .. }));
    assert!(matches!(guarded[1], Op::SetPredicate { compare: Compare::Ne, .. }));
    assert_eq!(ops("mov.pred %p1, %is_explicit_cluster").len(), 3);
}

#[test]
fn wide_registers_are_packed_and_unpacked() {
    assert!(matches!(
        op("mov.b128 %rq1, {%rd1, %rd2}"),
        Op::Pack { to, part_bits: 64, .. } if to.bits == 128
    ));
    assert!(
        matches!(op("mov.b128 {%rd1, _}, %rq1"), Op::Unpack { part_bits: 64, to, .. } if to[1].is_none())
    );
    let constants = op("mov.b32 %r1, {-1, %rs1}");
    assert!(matches!(constants, Op::Pack { parts, .. } if parts[0] == Value::Constant(0xFFFF)));
}

#[test]
fn addresses_of_variables_are_values() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<4>;\n\
                .shared .b8 pad[8];\n.shared .align 8 .b8 s[8];\nst.shared.u8 [pad], 1;\n\
                mapa.shared::cluster.u32 %r1, s+4, 3;\nret;\n}\n";
    let kernel = lower_text(text).unwrap();
    assert!(matches!(&kernel.shared[1], SharedSymbol { offset: 8, .. }));
    assert!(matches!(kernel.code[1].op, Op::Move { from: Value::Constant(12), .. }));
    assert!(matches!(kernel.code[2].op, Op::MapAddress { generic: false, .. }));
}
