use super::{op, ops};
use crate::{AtomicOp, MemorySpace, Op, Type, Value};
use warpsan_model::{Order, Scope, Strength};

fn strong(order: Order, scope: Scope) -> Strength {
    Strength::Strong { order, scope }
}

#[test]
fn loads_and_stores_have_spaces_and_strengths() {
    let load = |instruction: &str| match op(instruction) {
        Op::Load { space, ty, strength, read_only_path, .. } => {
            (space, ty, strength, read_only_path)
        }
        other => panic!("{instruction}: {other:?}"),
    };
    use MemorySpace::*;
    let mmio = strong(Order::Relaxed, Scope::Sys);
    for (instruction, expected) in [
        ("ld.shared::cluster.b32 %r1, [%r2+8]", (SharedCluster, Type::B32, Strength::Weak, false)),
        ("ld.mmio.relaxed.sys.global.u32 %r1, [%rd1]", (Global, Type::U32, mmio, false)),
        ("ld.global.nc.b128 %rq1, [%rd1]", (Global, Type::B128, Strength::Weak, true)),
        ("ld.b32 %r1, [%rd1].unified", (Generic, Type::B32, Strength::Weak, false)),
        ("ld.param::func.b32 %r1, [%rd1]", (Local, Type::B32, Strength::Weak, false)),
        (
            "ld.volatile.shared::cluster.b32 %r1, [smem]",
            (Shared, Type::B32, Strength::Volatile, false),
        ),
        ("ld.volatile.shared.u32 %r1, [%r2]", (Shared, Type::U32, Strength::Volatile, false)),
    ] {
        assert_eq!(load(instruction), expected, "{instruction}");
    }
    let store = op("st.release.cluster.shared::cluster.u32 [%r1], %r2");
    let expected = strong(Order::Release, Scope::Cluster);
    assert!(
        matches!(store, Op::Store { space: SharedCluster, strength, .. } if strength == expected)
    );
}

#[test]
fn atomics_have_all_types() {
    let atomic = |instruction: &str| match op(instruction) {
        Op::Atomic { op, ty, space, strength, to, b, .. } => {
            (op, ty, space, strength, to.is_some(), b.is_some())
        }
        other => panic!("{instruction}: {other:?}"),
    };
    let relaxed = strong(Order::Relaxed, Scope::Gpu);
    use MemorySpace::{Global, SharedCluster};
    for (instruction, expected) in [
        (
            "atom.global.cas.b16 %rs1, [%rd1], %rs2, %rs3",
            (AtomicOp::Cas, Type::B16, Global, relaxed, true, true),
        ),
        (
            "atom.acquire.cta.global.exch.b128 %rq1, [%rd1], %rq2",
            (AtomicOp::Exch, Type::B128, Global, strong(Order::Acquire, Scope::Cta), true, false),
        ),
        (
            "atom.global.add.noftz.bf16x2 %r1, [%rd1], %r2",
            (AtomicOp::Add, Type::Bf16x2, Global, relaxed, false, false),
        ),
        (
            "red.global.add.noftz.f16 [%rd1], %rs1",
            (AtomicOp::Add, Type::F16, Global, relaxed, false, false),
        ),
        (
            "red.shared::cluster.inc.u32 [%r1], 5",
            (AtomicOp::Inc, Type::U32, SharedCluster, relaxed, false, false),
        ),
        (
            "atom.global.add.L2::cache_hint.s32 %r1, [%rd1], %r2, %rd2",
            (AtomicOp::Add, Type::S32, Global, relaxed, false, false),
        ),
    ] {
        assert_eq!(atomic(instruction), expected, "{instruction}");
    }
}

#[test]
fn atomics_of_whose_result_nothing_is_used_return_nothing() {
    let results = |code: &str| -> Vec<bool> {
        let all = ops(code).into_iter();
        all.filter_map(|op| match op {
            Op::Atomic { to, .. } => Some(to.is_some()),
            _ => None,
        })
        .collect()
    };
    assert_eq!(results("atom.global.add.u32 %r1, [%rd1], 1"), [false]);
    assert_eq!(results("atom.global.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd1+4], %r1"), [true]);
    assert_eq!(results("atom.global.add.u32 %r1, [%rd1], %r1"), [true], "of an earlier turn");
    assert_eq!(results("atom.global.exch.b32 %r1, [%rd1], 1"), [true], "there is no `red` of it");
    assert_eq!(results("atom.global.cas.b32 %r1, [%rd1], 1, 2"), [true]);
    assert_eq!(results("atom.release.gpu.global.add.u32 %r1, [%rd1], 1"), [false]);
    assert_eq!(results("atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1"), [true], "it acquires");
}

#[test]
fn vectors_of_atomics_have_all_elements() {
    let four = op("atom.global.add.v4.f32 {%f1, %f2, _, %f4}, [gmem+16], {%f5, %f6, %f7, %f8}");
    let Op::AtomicVector { ty: Type::F32, to, from, base, offset: 16, .. } = four else {
        panic!("{four:?}")
    };
    assert_eq!((to.len(), from.len(), base), (4, 4, Value::Constant(0)));
    let none = op("red.global.max.noftz.v4.f16x2 [%rd1], {%r1, %r2, %r3, %r4}");
    assert!(matches!(none, Op::AtomicVector { to, .. } if to.is_empty()));
}
