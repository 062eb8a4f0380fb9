//! Loads, products and stores of `wmma` against the naive product in memory.

use super::values::{Matrix, Random, decode_accumulator, naive};
use crate::tensor::WarpRegister;
use crate::tensor::element::{BitOperation, Element, Layout, MmaShape};
use crate::tensor::wmma::{WmmaForm, WmmaFragment};

/// Bytes between the lines of a matrix in memory that are not part of it, in elements.
const GAP: usize = 128;

fn parse(name: &str) -> WmmaForm {
    let words: Vec<&str> = name.split('.').collect();
    WmmaForm::parse(&words).unwrap_or_else(|| panic!("{name} exists"))
}

fn stride_of(rows: usize, columns: usize, layout: Layout) -> usize {
    GAP + if layout == Layout::Row { columns } else { rows }
}

/// Sets or reads the bits of an element in memory.
fn bit_position(row: usize, column: usize, stride: usize, layout: Layout, bits: u32) -> usize {
    let element = if layout == Layout::Row { row * stride + column } else { column * stride + row };
    element * bits as usize
}

fn memory_of(matrix: &Matrix, bits: u32, layout: Layout) -> Vec<u8> {
    let rows = matrix.bits.len() / matrix.columns;
    let stride = stride_of(rows, matrix.columns, layout);
    let mut memory = vec![0; rows.max(matrix.columns) * stride * bits as usize / 8 + 8];
    for row in 0..rows {
        for column in 0..matrix.columns {
            let at = bit_position(row, column, stride, layout, bits);
            for bit in 0..bits as usize {
                let set = (matrix.bit(row, column) >> bit & 1) as u8;
                memory[(at + bit) / 8] |= set << ((at + bit) % 8);
            }
        }
    }
    memory
}

fn read(memory: &[u8], offset: u64, bits: u32) -> u64 {
    let bytes = &memory[offset as usize..][..bits as usize / 8];
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn load(fragment: &WmmaFragment, memory: &[u8], stride: usize) -> Vec<WarpRegister> {
    let mut registers = vec![[0; 32]; fragment.registers().count];
    for access in fragment.accesses() {
        let value = read(memory, fragment.byte_offset(&access, stride as u32), access.bits);
        registers[access.register][access.lane] |= value << access.part_shift_bits;
    }
    registers
}

struct Case {
    shape: MmaShape,
    a: Element,
    c: Element,
    d: Element,
    operation: Option<BitOperation>,
}

fn check(case: &Case, names: [&str; 5], layouts: [Layout; 4]) {
    let [a_name, b_name, c_name, product_name, d_name] = names;
    let MmaShape { m, n, k } = case.shape;
    let random = &mut Random(11);
    let a = Matrix::random(random, case.a, m, k);
    let b = Matrix::random(random, case.a, k, n);
    let c = Matrix::random(random, case.c, m, n);
    let loaded = |name: &str, matrix: &Matrix, bits: u32, layout: Layout| {
        let WmmaForm::Load(fragment) = parse(name) else { panic!("{name} loads") };
        let rows = matrix.bits.len() / matrix.columns;
        let stride = stride_of(rows, matrix.columns, layout);
        assert_eq!(fragment.default_stride() as usize, stride - GAP, "{name}");
        load(&fragment, &memory_of(matrix, bits, layout), stride)
    };
    let a_registers = loaded(a_name, &a, case.a.bits(), layouts[0]);
    let b_registers = loaded(b_name, &b, case.a.bits(), layouts[1]);
    let c_registers = loaded(c_name, &c, case.c.bits(), layouts[2]);
    let WmmaForm::Multiply(product) = parse(product_name) else { panic!("{product_name}") };
    let (a_group, b_group, c_group, d_group) = product.registers();
    let counts = (a_registers.len(), b_registers.len(), c_registers.len());
    assert_eq!(counts, (a_group.count, b_group.count, c_group.count), "{product_name}");
    let mut d_registers = vec![[!0; 32]; d_group.count];
    product.execute(&a_registers, &b_registers, &c_registers, &mut d_registers);

    let WmmaForm::Store(fragment) = parse(d_name) else { panic!("{d_name} stores") };
    assert_eq!(fragment.registers(), d_group);
    let stride = stride_of(m, n, layouts[3]);
    let mut memory = vec![0xEE; m.max(n) * stride * 8 + 8];
    let mut written = 0;
    for access in fragment.accesses() {
        let offset = fragment.byte_offset(&access, stride as u32) as usize;
        let value = d_registers[access.register][access.lane] >> access.part_shift_bits;
        let bytes = access.bits as usize / 8;
        memory[offset..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        written += bytes;
    }
    // Each element is written once.
    assert_eq!(written * 8, m * n * case.d.bits() as usize, "{d_name}");
    let multiply = |left: f64, right: f64| match case.operation {
        Some(BitOperation::Xor) => (left - right).abs(),
        _ => left * right,
    };
    let expected = naive(case.shape, |row, column| a.value(row, column), &b, &c, multiply);
    for row in 0..m {
        for column in 0..n {
            let at = bit_position(row, column, stride, layouts[3], case.d.bits());
            let value = decode_accumulator(case.d, read(&memory, at as u64 / 8, case.d.bits()));
            let wanted = expected[row * n + column];
            assert_eq!(value, wanted, "{product_name} to {d_name}: row {row} column {column}");
        }
    }
}

fn check_all_layouts(shape: &str, a: &str, c: &str, d: &str, operation: Option<BitOperation>) {
    let element = |word: &str| Element::parse(word).expect("a type");
    let case = Case {
        shape: MmaShape::parse(shape).expect("a shape"),
        a: element(a),
        c: element(c),
        d: element(d),
        operation,
    };
    let both = [(Layout::Row, "row"), (Layout::Column, "col")];
    let one_only = case.a.bits() < 8;
    for (a_layout, a_word) in both {
        for (b_layout, b_word) in both {
            if one_only && (a_word, b_word) != ("row", "col") {
                continue;
            }
            for (c_layout, c_word) in both {
                for (d_layout, d_word) in both {
                    let types =
                        if a == "f16" { format!("{d}.{c}") } else { format!("{d}.{a}.{a}.{c}") };
                    let operation = match operation {
                        None => "",
                        Some(BitOperation::Xor) => "xor.popc.",
                        Some(BitOperation::And) => "and.popc.",
                    };
                    let names = [
                        format!("wmma.load.a.sync.aligned.{a_word}.{shape}.global.{a}"),
                        format!("wmma.load.b.sync.aligned.{shape}.shared::cta.{b_word}.{a}"),
                        format!("wmma.load.c.sync.aligned.{c_word}.{shape}.{c}"),
                        format!(
                            "wmma.mma.{operation}sync.aligned.{a_word}.{b_word}.{shape}.{types}"
                        ),
                        format!("wmma.store.d.sync.aligned.{d_word}.{shape}.shared.{d}"),
                    ];
                    let layouts = [a_layout, b_layout, c_layout, d_layout];
                    check(&case, [&names[0], &names[1], &names[2], &names[3], &names[4]], layouts);
                }
            }
        }
    }
}

#[test]
fn every_form_is_the_naive_product() {
    for shape in ["m16n16k16", "m8n32k16", "m32n8k16"] {
        for (c, d) in [("f16", "f16"), ("f16", "f32"), ("f32", "f16"), ("f32", "f32")] {
            check_all_layouts(shape, "f16", c, d, None);
        }
        check_all_layouts(shape, "bf16", "f32", "f32", None);
        check_all_layouts(shape, "s8", "s32", "s32", None);
        check_all_layouts(shape, "u8", "s32", "s32", None);
    }
    check_all_layouts("m16n16k8", "tf32", "f32", "f32", None);
    check_all_layouts("m8n8k4", "f64", "f64", "f64", None);
    check_all_layouts("m8n8k32", "s4", "s32", "s32", None);
    check_all_layouts("m8n8k32", "u4", "s32", "s32", None);
    check_all_layouts("m8n8k128", "b1", "s32", "s32", Some(BitOperation::Xor));
    check_all_layouts("m8n8k128", "b1", "s32", "s32", Some(BitOperation::And));
}

#[test]
fn each_element_is_loaded_into_each_copy_once() {
    let cases = [
        ("wmma.load.a.sync.aligned.row.m16n16k16.f16", 16 * 16, 8, 2),
        ("wmma.load.a.sync.aligned.col.m8n32k16.f16", 8 * 16, 8, 4),
        ("wmma.load.b.sync.aligned.row.m8n32k16.f16", 16 * 32, 8, 1),
        ("wmma.load.a.sync.aligned.col.m8n32k16.s8", 8 * 16, 1, 1),
        ("wmma.load.b.sync.aligned.row.m32n8k16.bf16", 16 * 8, 2, 1),
        ("wmma.load.a.sync.aligned.col.m8n8k4.f64", 8 * 4, 1, 1),
        ("wmma.load.b.sync.aligned.row.m16n16k8.tf32", 8 * 16, 4, 1),
        ("wmma.load.c.sync.aligned.col.m32n8k16.f16", 32 * 8, 4, 1),
        ("wmma.load.c.sync.aligned.row.m8n8k4.f64", 8 * 8, 2, 1),
        ("wmma.load.a.sync.aligned.row.m8n8k128.b1", 8 * 128, 1, 1),
    ];
    for (name, elements, registers, copies) in cases {
        let WmmaForm::Load(fragment) = parse(name) else { panic!("{name} loads") };
        assert_eq!(fragment.registers().count, registers, "{name}");
        let mut counts = vec![0; elements];
        for access in fragment.accesses() {
            let first = fragment.byte_offset(&access, fragment.default_stride()) as u32 * 8
                / fragment.element_bits();
            for element in first..first + access.bits / fragment.element_bits() {
                counts[element as usize] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count == copies), "{name}: {counts:?}");
    }
}

#[test]
fn rounding_and_saturation_are_kept() {
    let WmmaForm::Multiply(product) =
        parse("wmma.mma.sync.aligned.row.col.m16n16k16.satfinite.s32.u8.u8.s32")
    else {
        panic!("a product")
    };
    let full = vec![[0xFFFF_FFFF; 32]; 2];
    let mut d = vec![[0; 32]; 8];
    product.execute(&full, &full, &vec![[0x7FFF_FFF0; 32]; 8], &mut d);
    assert_eq!(d, vec![[0x7FFF_FFFF; 32]; 8]);
    let WmmaForm::Multiply(product) =
        parse("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rp")
    else {
        panic!("a product")
    };
    let tiny = vec![[1e-200f64.to_bits(); 32]; 1];
    let mut d = vec![[0; 32]; 2];
    product.execute(&tiny, &tiny, &vec![[1f64.to_bits(); 32]; 2], &mut d);
    // Each of the four steps moves up by one unit.
    assert_eq!(d, vec![[1f64.to_bits() + 4; 32]; 2]);
}
