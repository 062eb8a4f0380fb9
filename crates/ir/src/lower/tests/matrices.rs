use super::ops;
use crate::{Matrix, MemorySpace, Op, Value};

fn matrix(instruction: &str) -> Matrix {
    match ops(instruction).pop() {
        Some(Op::Matrix(matrix)) => *matrix,
        other => panic!("{instruction}: {other:?}"),
    }
}

fn lengths(matrix: &Matrix) -> (usize, Vec<usize>) {
    (matrix.to.len(), matrix.from.iter().map(Vec::len).collect())
}

#[test]
fn operands_are_grouped_as_they_are_written() {
    let product = matrix(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, \
         {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8}",
    );
    assert_eq!(&*product.mnemonic, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
    assert_eq!((lengths(&product), product.place), ((4, vec![4, 2, 4]), None));
    let sparse = matrix(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, \
         {%r3, %r4}, {%r5, %r6}, {%r7, %r8}, %r9, 0x1",
    );
    assert_eq!(lengths(&sparse), (2, vec![2, 2, 2, 1, 1]));
    assert_eq!(sparse.from[4], [Value::Constant(1)]);
    let load = matrix(
        "wmma.load.c.sync.aligned.row.m32n8k16.shared.f32 \
         {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [smem+64], %r9",
    );
    assert_eq!(lengths(&load), (8, vec![1]), "the stride");
    assert_eq!(load.place.map(|place| place.space), Some(MemorySpace::Shared));
    let store = matrix("wmma.store.d.sync.aligned.col.m8n8k4.shared.f64 [%r1], {%fd1, %fd2}, %r2");
    assert_eq!(lengths(&store), (0, vec![2, 1]));
    let rows = matrix("ldmatrix.sync.aligned.m8n8.x2.trans.b16 {%r1, %r2}, [%rd1]");
    assert_eq!(lengths(&rows), (2, vec![]));
    assert_eq!(rows.place.map(|place| place.space), Some(MemorySpace::Generic));
    assert_eq!(lengths(&matrix("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2")), (1, vec![1]));
    assert_eq!(
        lengths(&matrix("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r1], {%r2, %r3}")),
        (0, vec![2])
    );
}

#[test]
fn formats_of_newer_devices_have_no_meaning() {
    let newer = ops(
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32 {%f1, %f2, %f3, %f4}, \
         {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8}",
    );
    assert!(matches!(newer[..], [Op::Opaque(_)]));
}
