//! Every form of `mma` against the naive product.

use super::manual::{metadata_of_chunk, place_in_a, place_in_b, place_in_c};
use super::parsing::all_forms;
use super::values::{Matrix, Random, decode_accumulator, naive};
use crate::tensor::WarpRegister;
use crate::tensor::element::{BitOperation, Element};
use crate::tensor::mma_form::{MmaForm, Sparsity};

/// Fills registers with elements; `place` says which element of which product is wanted.
fn pack(
    registers: usize,
    element: Element,
    matrices: &[&Matrix],
    place: impl Fn(usize, usize) -> (usize, usize),
) -> Vec<WarpRegister> {
    let per_register = element.register_bits() / element.bits();
    let mut packed = vec![[0; 32]; registers];
    for (register, lanes) in packed.iter_mut().enumerate() {
        for (lane, value) in lanes.iter_mut().enumerate() {
            for part in 0..per_register {
                let (row, column) = place(lane, register * per_register as usize + part as usize);
                let matrix = matrices[(lane / 4 % 4) % matrices.len()];
                *value |= matrix.bit(row, column) << (part * element.bits());
            }
        }
    }
    packed
}

/// The dense matrix that stored elements and metadata stand for, and the metadata.
fn expand(form: &MmaForm, random: &mut Random, stored: &Matrix) -> (Vec<f64>, [u32; 32]) {
    let selector = form.sparse.map_or(0, |sparsity| sparsity.selector as usize);
    let mut dense = vec![0.0; form.shape.m * form.shape.k];
    // Lanes that the selector leaves out hold something else.
    let mut metadata: [u32; 32] = std::array::from_fn(|_| random.next() as u32);
    let (chunk_width, chunk_stored) = match form.a.bits() {
        32 => (2, 1),
        4 => (8, 4),
        _ => (4, 2),
    };
    for row in 0..form.shape.m {
        for chunk in 0..form.shape.k / chunk_width {
            let places: Vec<usize> = match form.a.bits() {
                32 => vec![random.below(2)],
                _ => {
                    let pairs = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)];
                    let (first, second) = pairs[random.below(6)];
                    vec![first, second]
                }
            };
            let bits = match places.as_slice() {
                [0] => 0b0100,
                [1] => 0b1110,
                _ => places[0] | places[1] << 2,
            };
            let (lane, shift) = metadata_of_chunk(form, selector, row, chunk);
            metadata[lane] = metadata[lane] & !(0xF << shift) | (bits as u32) << shift;
            for index in 0..chunk_stored {
                let value = stored.value(row, chunk * chunk_stored + index);
                let place = match form.a.bits() {
                    4 => 2 * places[index / 2] + index % 2,
                    _ => places[index],
                };
                dense[row * form.shape.k + chunk * chunk_width + place] = value;
            }
        }
    }
    (dense, metadata)
}

fn check(name: &str, form: &MmaForm, seed: u64) {
    let random = &mut Random(seed);
    let shape = form.shape;
    let products = if form.splits_in_quarters() { 4 } else { 1 };
    let stored_k = if form.sparse.is_some() { shape.k / 2 } else { shape.k };
    let mut random_matrices = |element, rows, columns| -> Vec<Matrix> {
        (0..products).map(|_| Matrix::random(random, element, rows, columns)).collect()
    };
    let a = random_matrices(form.a, shape.m, stored_k);
    let b = random_matrices(form.b, shape.k, shape.n);
    let c = random_matrices(form.c, shape.m, shape.n);
    let (a_group, b_group, c_group, d_group) = form.registers();
    let a_registers = pack(a_group.count, form.a, &a.iter().collect::<Vec<_>>(), |lane, i| {
        place_in_a(form, stored_k, lane, i)
    });
    let b_registers = pack(b_group.count, form.b, &b.iter().collect::<Vec<_>>(), |lane, i| {
        place_in_b(form, lane, i)
    });
    let c_registers = pack(c_group.count, form.c, &c.iter().collect::<Vec<_>>(), |lane, i| {
        place_in_c(form, form.c, lane, i)
    });
    let dense = form.sparse.map(|_| expand(form, random, &a[0]));
    let mut d_registers = vec![[!0; 32]; d_group.count];
    let metadata = dense.as_ref().map(|(_, metadata)| metadata);
    form.execute(&a_registers, &b_registers, &c_registers, metadata, &mut d_registers);

    let expected: Vec<Vec<f64>> = (0..products)
        .map(|product| {
            let a_value = |row: usize, column: usize| match &dense {
                Some((dense, _)) => dense[row * shape.k + column],
                None => a[product].value(row, column),
            };
            let multiply = |left: f64, right: f64| match form.bit_operation {
                Some(BitOperation::Xor) => (left - right).abs(),
                _ => left * right,
            };
            naive(shape, a_value, &b[product], &c[product], multiply)
        })
        .collect();
    let per_register = form.d.register_bits() / form.d.bits();
    let mut seen = vec![0; products * shape.m * shape.n];
    for (register, lanes) in d_registers.iter().enumerate() {
        for (lane, value) in lanes.iter().enumerate() {
            for part in 0..per_register {
                let i = register * per_register as usize + part as usize;
                let (row, column) = place_in_c(form, form.d, lane, i);
                let product = (lane / 4 % 4) % products;
                let mask = u64::MAX >> (64 - form.d.bits());
                let bits = value >> (part * form.d.bits()) & mask;
                let value = decode_accumulator(form.d, bits);
                let index = row * shape.n + column;
                assert_eq!(value, expected[product][index], "{name}: row {row} column {column}");
                seen[product * shape.m * shape.n + index] += 1;
            }
            assert_eq!(value >> (form.d.register_bits() - 1) >> 1, 0, "{name}: upper bits");
        }
    }
    assert!(seen.iter().all(|&count| count == 1), "{name}: result places");
}

#[test]
fn every_form_is_the_naive_product() {
    for (name, form) in all_forms() {
        for seed in 1..4 {
            match form.sparse {
                None => check(&name, &form, seed),
                Some(sparsity) => {
                    for selector in 0..4 {
                        let sparse = Some(Sparsity { selector, ..sparsity });
                        let form = MmaForm { sparse, ..form };
                        if form.selector_is_valid() {
                            check(&format!("{name}, selector {selector}"), &form, seed);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn selectors_are_those_of_the_manual() {
    let valid = |name: &str| -> Vec<u32> {
        let words: Vec<&str> = name.split('.').collect();
        let form = MmaForm::parse(&words).expect("exists");
        let with =
            |selector| MmaForm { sparse: Some(Sparsity { selector, ordered: false }), ..form };
        (0..8).filter(|&selector| with(selector).selector_is_valid()).collect()
    };
    assert_eq!(valid("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), [0, 1, 2, 3]);
    assert_eq!(valid("mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"), [0, 1, 2, 3]);
    assert_eq!(valid("mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32"), [0, 1]);
    assert_eq!(valid("mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32"), [0, 1]);
    assert_eq!(valid("mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"), [0, 1]);
    assert_eq!(valid("mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32"), [0, 1]);
    assert_eq!(valid("mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32"), [0]);
    assert_eq!(valid("mma.sp.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32"), [0]);
}
