//! Which names exist.

use crate::tensor::matrix_move::MatrixMove;
use crate::tensor::mma_form::MmaForm;
use crate::tensor::wmma::WmmaForm;

/// All names of dense and sparse products of the manual, and their forms.
pub(super) fn all_forms() -> Vec<(String, MmaForm)> {
    let names = all_names();
    names
        .into_iter()
        .map(|name| {
            let words: Vec<&str> = name.split('.').collect();
            let form = MmaForm::parse(&words).unwrap_or_else(|| panic!("{name} exists"));
            (name, form)
        })
        .collect()
}

fn all_names() -> Vec<String> {
    let mut names = Vec::new();
    for layouts in ["row.row", "row.col", "col.row", "col.col"] {
        for (d, c) in [("f16", "f16"), ("f32", "f16"), ("f32", "f32")] {
            names.push(format!("mma.sync.aligned.m8n8k4.{layouts}.{d}.f16.f16.{c}"));
        }
    }
    let mut add = |prefix: &str, shapes: &[&str], types: &[String], suffix: &str| {
        for shape in shapes {
            for types in types {
                names.push(format!("{prefix}.sync.aligned.{shape}.row.col.{types}{suffix}"));
            }
        }
    };
    let same = |accumulator: &[&str], factors: &[&str]| -> Vec<String> {
        let mut types = Vec::new();
        for c in accumulator {
            for a in factors {
                for b in factors {
                    types.push(format!("{c}.{a}.{b}.{c}"));
                }
            }
        }
        types
    };
    let float = &["f16", "f32"][..];
    let narrow = &["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"][..];
    add("mma", &["m16n8k8", "m16n8k16"], &same(float, &["f16"]), "");
    add("mma", &["m16n8k8", "m16n8k16"], &same(&["f32"], &["bf16"]), "");
    add("mma", &["m16n8k4", "m16n8k8"], &same(&["f32"], &["tf32"]), "");
    add("mma", &["m16n8k16", "m16n8k32"], &same(float, &narrow[..2]), "");
    let kinds: Vec<String> =
        same(float, narrow).iter().map(|types| format!("kind::f8f6f4.{types}")).collect();
    add("mma", &["m16n8k32"], &kinds, "");
    add("mma.sp::ordered_metadata", &["m16n8k64"], &kinds, "");
    let double = same(&["f64"], &["f64"]);
    for rounding in ["", ".rn", ".rz", ".rm", ".rp"] {
        add("mma", &["m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"], &double, rounding);
    }
    let bytes = same(&["s32"], &["s8", "u8"]);
    let nibbles = same(&["s32"], &["s4", "u4"]);
    add("mma", &["m8n8k16", "m16n8k16", "m16n8k32"], &bytes, "");
    add("mma", &["m8n8k32", "m16n8k32", "m16n8k64"], &nibbles, "");
    let saturating: Vec<String> = bytes.iter().map(|types| format!("satfinite.{types}")).collect();
    add("mma", &["m8n8k16", "m16n8k16", "m16n8k32"], &saturating, "");
    for operation in [".xor.popc", ".and.popc"] {
        let shapes = &["m8n8k128", "m16n8k128", "m16n8k256"];
        add("mma", shapes, &same(&["s32"], &["b1"]), operation);
    }
    for sparse in ["mma.sp", "mma.sp::ordered_metadata"] {
        add(sparse, &["m16n8k16", "m16n8k32"], &same(float, &["f16"]), "");
        add(sparse, &["m16n8k16", "m16n8k32"], &same(&["f32"], &["bf16"]), "");
        add(sparse, &["m16n8k8", "m16n8k16"], &same(&["f32"], &["tf32"]), "");
        add(sparse, &["m16n8k64"], &same(&["f32"], &narrow[..2]), "");
        add(sparse, &["m16n8k32", "m16n8k64"], &bytes, "");
        add(sparse, &["m16n8k64", "m16n8k128"], &nibbles, "");
    }
    names
}

#[test]
fn register_counts_are_those_of_the_manual() {
    let counts = |name: &str| {
        let words: Vec<&str> = name.split('.').collect();
        let (a, b, c, d) = MmaForm::parse(&words).expect("exists").registers();
        assert_eq!(a.bits, if name.contains("f64") { 64 } else { 32 });
        (a.count, b.count, c.count, d.count)
    };
    let name = |rest: &str| counts(&format!("mma.sync.aligned.{rest}"));
    assert_eq!(name("m8n8k4.row.col.f32.f16.f16.f16"), (2, 2, 4, 8));
    assert_eq!(name("m16n8k8.row.col.f16.f16.f16.f16"), (2, 1, 2, 2));
    assert_eq!(name("m16n8k16.row.col.f32.bf16.bf16.f32"), (4, 2, 4, 4));
    assert_eq!(name("m16n8k4.row.col.f32.tf32.tf32.f32"), (2, 1, 4, 4));
    assert_eq!(name("m16n8k32.row.col.f16.e4m3.e5m2.f16"), (4, 2, 2, 2));
    assert_eq!(name("m16n8k16.row.col.f32.e4m3.e5m2.f32"), (2, 1, 4, 4));
    assert_eq!(name("m8n8k4.row.col.f64.f64.f64.f64"), (1, 1, 2, 2));
    assert_eq!(name("m16n8k16.row.col.f64.f64.f64.f64"), (8, 4, 4, 4));
    assert_eq!(name("m8n8k32.row.col.s32.u4.s4.s32"), (1, 1, 2, 2));
    assert_eq!(name("m16n8k256.row.col.s32.b1.b1.s32.and.popc"), (4, 2, 4, 4));
    let sparse = |rest: &str| counts(&format!("mma.sp.sync.aligned.{rest}"));
    assert_eq!(sparse("m16n8k16.row.col.f16.f16.f16.f16"), (2, 2, 2, 2));
    assert_eq!(sparse("m16n8k128.row.col.s32.u4.u4.s32"), (4, 4, 4, 4));
}

#[test]
fn words_may_stand_in_any_order() {
    let parse = |name: &str| MmaForm::parse(&name.split('.').collect::<Vec<_>>());
    let usual = parse("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.rz");
    assert!(usual.is_some());
    assert_eq!(usual, parse("sync.aligned.m16n8k8.row.col.rz.f64.f64.f64.f64"));
    let usual = parse("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc");
    assert!(usual.is_some());
    assert_eq!(usual, parse("mma.xor.popc.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32"));
    let usual = MatrixMove::parse(
        &"ldmatrix.sync.aligned.m8n8.x4.trans.b16".split('.').collect::<Vec<_>>(),
    );
    assert_eq!(usual, Some(MatrixMove { matrices: 4, transposed: true }));
    assert_eq!(
        usual,
        MatrixMove::parse(&["sync", "aligned", "x4", "m8n8", "trans", "shared", "b16"])
    );
}

#[test]
fn what_does_not_exist_is_refused() {
    for name in [
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.tf32.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32",
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e2m1.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor",
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32.popc",
        "mma.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32",
        "mma.sync.aligned.m16n8k16.row.col.rz.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
        "mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32",
        "mma.sp.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16",
        "mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8kx.row.col.f32.f16.f16.f32",
        "mma.sync.aligned",
        "mma",
    ] {
        assert_eq!(MmaForm::parse(&name.split('.').collect::<Vec<_>>()), None, "{name}");
    }
    for name in [
        "wmma.load.a.sync.aligned.col.m8n8k32.s4",
        "wmma.load.b.sync.aligned.row.m8n8k128.b1",
        "wmma.load.c.sync.aligned.row.m16n16k8.s32",
        "wmma.load.d.sync.aligned.row.m16n16k16.f32",
        "wmma.store.d.sync.aligned.row.m16n16k16.bf16",
        "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16.f16.f32",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite",
        "wmma.mma.sync.aligned.col.col.m8n8k32.s32.s4.s4.s32",
        "wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32",
    ] {
        assert_eq!(WmmaForm::parse(&name.split('.').collect::<Vec<_>>()), None, "{name}");
    }
    for name in [
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
        "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32",
        "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8",
        "ldmatrix.sync.aligned.m8n8.shared.b16",
    ] {
        assert_eq!(MatrixMove::parse(&name.split('.').collect::<Vec<_>>()), None, "{name}");
    }
}
