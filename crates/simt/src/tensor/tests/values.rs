//! Elements with values that every type holds exactly, and the naive product of them.

use crate::tensor::element::{Element, MmaShape};

/// A small generator with a fixed start, so that a failure repeats.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    /// An element of a type and its value.
    pub(super) fn element(&mut self, element: Element) -> (u64, f64) {
        let value = match element {
            Element::B1 | Element::U4 => self.below(element.bits() as usize * 4) as f64,
            Element::U8 => self.below(256) as f64,
            Element::S8 => self.below(256) as f64 - 128.0,
            Element::S4 => self.below(16) as f64 - 8.0,
            Element::S32 => self.below(1 << 20) as f64 - 500_000.0,
            Element::E2M1 => [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -4.0, -6.0][self.below(8)],
            Element::E2M3 | Element::E3M2 => self.below(8) as f64 * 0.5 - 2.0,
            _ => self.below(17) as f64 * 0.5 - 4.0,
        };
        let value = if element == Element::B1 { f64::from(value > 1.0) } else { value };
        (encode(element, value), value)
    }
}

/// The bits of a value that the type holds exactly.
pub(super) fn encode(element: Element, value: f64) -> u64 {
    match element {
        Element::F64 => value.to_bits(),
        Element::F32 => u64::from((value as f32).to_bits()),
        // The low bits of tf32 are ignored, so they may hold anything.
        Element::TF32 => u64::from((value as f32).to_bits() | 0x1ABC),
        Element::BF16 => u64::from((value as f32).to_bits() >> 16),
        Element::F16 => narrow(value, 5, 10),
        Element::E5M2 => narrow(value, 5, 2),
        Element::E4M3 => narrow(value, 4, 3),
        Element::E3M2 => narrow(value, 3, 2),
        Element::E2M3 => narrow(value, 2, 3),
        Element::E2M1 => narrow(value, 2, 1) << 2,
        Element::S8 | Element::U8 => value as i64 as u64 & 0xFF,
        Element::S4 | Element::U4 => value as i64 as u64 & 0xF,
        Element::B1 => value as u64,
        Element::S32 => value as i64 as u64 & 0xFFFF_FFFF,
    }
}

/// The encoding of a small float, checked by what encodings mean.
fn narrow(value: f64, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let bias = (1 << (exponent_bits - 1)) - 1;
    let exponent = (value.abs().log2().floor()).max(f64::from(1 - bias)) as i32;
    let units = value.abs() / 2f64.powi(exponent - fraction_bits as i32);
    // The leading one of a normal number adds one to the field.
    let magnitude = (((exponent + bias - 1) as u64) << fraction_bits) + units as u64;
    let sign = u64::from(value < 0.0) << (exponent_bits + fraction_bits);
    assert_eq!(decode_narrow(sign | magnitude, exponent_bits, fraction_bits), value);
    sign | magnitude
}

/// The value of a small float that is neither infinite nor not a number.
pub(super) fn decode_narrow(bits: u64, exponent_bits: u32, fraction_bits: u32) -> f64 {
    let bias = (1 << (exponent_bits - 1)) - 1;
    let field = (bits >> fraction_bits & ((1 << exponent_bits) - 1)) as i32;
    let fraction = (bits & ((1 << fraction_bits) - 1)) as f64 / f64::from(1 << fraction_bits);
    let magnitude = match field {
        0 => fraction * 2f64.powi(1 - bias),
        _ => (1.0 + fraction) * 2f64.powi(field - bias),
    };
    if bits >> (exponent_bits + fraction_bits) & 1 == 1 { -magnitude } else { magnitude }
}

/// The value of an accumulator's bits.
pub(super) fn decode_accumulator(element: Element, bits: u64) -> f64 {
    match element {
        Element::F16 => decode_narrow(bits, 5, 10),
        Element::F32 => f64::from(f32::from_bits(bits as u32)),
        Element::F64 => f64::from_bits(bits),
        _ => f64::from(bits as u32 as i32),
    }
}

/// A matrix of values, row by row.
pub(super) struct Matrix {
    pub(super) columns: usize,
    pub(super) bits: Vec<u64>,
    pub(super) values: Vec<f64>,
}

impl Matrix {
    pub(super) fn random(
        random: &mut Random,
        element: Element,
        rows: usize,
        columns: usize,
    ) -> Self {
        let (bits, values) = (0..rows * columns).map(|_| random.element(element)).unzip();
        Matrix { columns, bits, values }
    }

    pub(super) fn bit(&self, row: usize, column: usize) -> u64 {
        self.bits[row * self.columns + column]
    }

    pub(super) fn value(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }
}

/// `a * b + c`, with another operation in place of the multiplication if wanted.
pub(super) fn naive(
    shape: MmaShape,
    a: impl Fn(usize, usize) -> f64,
    b: &Matrix,
    c: &Matrix,
    multiply: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    let mut result = Vec::new();
    for row in 0..shape.m {
        for column in 0..shape.n {
            let products = (0..shape.k).map(|k| multiply(a(row, k), b.value(k, column)));
            result.push(c.value(row, column) + products.sum::<f64>());
        }
    }
    result
}
