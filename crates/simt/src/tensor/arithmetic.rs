//! The product of two matrices and its sum with a third, on elements that are out of their
//! fragments already.

use super::element::{BitOperation, Element, Rounding};
use super::fused_sum::{Line, NOT_A_NUMBER, Sum, decode_lines, f16_to_f32, fused_sum};
use super::rounded_f64::multiply_add;

/// What is computed: sizes, types and modifiers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arithmetic {
    /// Columns of the result.
    pub(super) columns: usize,
    /// Stored elements in a row of `a`. For single bits, words of 32 of them.
    pub(super) a_depth: usize,
    /// Elements in a column of `b`, in the same units.
    pub(super) b_depth: usize,
    /// The type of `a`.
    pub(super) a: Element,
    /// The type of `b`.
    pub(super) b: Element,
    /// The type of the accumulator that goes in.
    pub(super) c: Element,
    /// The type of the result.
    pub(super) d: Element,
    /// Whether integers saturate.
    pub(super) saturate: bool,
    /// What replaces multiplication of single bits.
    pub(super) bit_operation: BitOperation,
    /// The rounding of doubles.
    pub(super) rounding: Rounding,
}

/// The elements of the three matrices.
pub(super) struct Operands<'a> {
    /// Row by row.
    pub(super) a: &'a [u64],
    /// Column by column.
    pub(super) b: &'a [u64],
    /// Row by row.
    pub(super) c: &'a [u64],
    /// Where `a` is sparse: the row of `b` that each stored element of `a` meets.
    pub(super) positions: Option<&'a [usize]>,
}

impl Arithmetic {
    /// The result, row by row.
    pub(super) fn compute(&self, operands: &Operands<'_>) -> Vec<u64> {
        match self.a {
            Element::F64 => self.doubles(operands),
            Element::B1 => self.single_bits(operands),
            Element::S8 | Element::U8 | Element::S4 | Element::U4 => self.integers(operands),
            _ => self.floats(operands),
        }
    }

    /// The elements of all columns of `b` that a row of a sparse `a` meets, column by column.
    fn gathered<T: Copy>(&self, b: &[T], positions: &[usize], row: usize) -> Vec<T> {
        let positions = &positions[row * self.a_depth..][..self.a_depth];
        b.chunks_exact(self.b_depth)
            .flat_map(|column| positions.iter().map(|&at| column[at]))
            .collect()
    }

    fn doubles(&self, operands: &Operands<'_>) -> Vec<u64> {
        let mut result = Vec::with_capacity(operands.c.len());
        for (index, &c) in operands.c.iter().enumerate() {
            let (row, column) = (index / self.columns, index % self.columns);
            let a = &operands.a[row * self.a_depth..][..self.a_depth];
            let b = &operands.b[column * self.b_depth..][..self.b_depth];
            let sum = a.iter().zip(b).fold(f64::from_bits(c), |sum, (&a, &b)| {
                multiply_add(f64::from_bits(a), f64::from_bits(b), sum, self.rounding)
            });
            result.push(sum.to_bits());
        }
        result
    }

    fn single_bits(&self, operands: &Operands<'_>) -> Vec<u64> {
        let mut result = Vec::with_capacity(operands.c.len());
        for (index, &c) in operands.c.iter().enumerate() {
            let (row, column) = (index / self.columns, index % self.columns);
            let a = &operands.a[row * self.a_depth..][..self.a_depth];
            let b = &operands.b[column * self.b_depth..][..self.b_depth];
            let count: u32 = a
                .iter()
                .zip(b)
                .map(|(a, b)| match self.bit_operation {
                    BitOperation::Xor => (a ^ b).count_ones(),
                    BitOperation::And => (a & b).count_ones(),
                })
                .sum();
            result.push(u64::from((c as u32).wrapping_add(count)));
        }
        result
    }

    fn integers(&self, operands: &Operands<'_>) -> Vec<u64> {
        let a: Vec<i32> = operands.a.iter().map(|&bits| integer(self.a, bits)).collect();
        let all_of_b: Vec<i32> = operands.b.iter().map(|&bits| integer(self.b, bits)).collect();
        let mut result = Vec::with_capacity(operands.c.len());
        let mut met;
        for (row, a) in a.chunks_exact(self.a_depth).enumerate() {
            let b = match operands.positions {
                None => &all_of_b,
                Some(positions) => {
                    met = self.gathered(&all_of_b, positions, row);
                    &met
                }
            };
            for (column, b) in b.chunks_exact(self.a_depth).enumerate() {
                // At most 128 products below 2^16: they cannot overflow without the accumulator.
                let sum: i32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let c = operands.c[row * self.columns + column] as i32;
                let sum = if self.saturate { c.saturating_add(sum) } else { c.wrapping_add(sum) };
                result.push(u64::from(sum as u32));
            }
        }
        result
    }

    fn floats(&self, operands: &Operands<'_>) -> Vec<u64> {
        // Lines of elements of 8 bits are summed in two halves.
        let length = if self.a.is_narrow_float() { self.a_depth / 2 } else { self.a_depth };
        let a = self.lines(self.a, operands.a, length);
        let all_of_b = match operands.positions {
            None => self.lines(self.b, operands.b, length),
            Some(_) => Vec::new(),
        };
        let mut result = Vec::with_capacity(operands.c.len());
        let mut met;
        for (row, a) in a.chunks_exact(self.a_depth / length).enumerate() {
            let b = match operands.positions {
                None => &all_of_b,
                Some(positions) => {
                    met = self.lines(self.b, &self.gathered(operands.b, positions, row), length);
                    &met
                }
            };
            let c = &operands.c[row * self.columns..][..self.columns];
            for (b, &c) in b.chunks_exact(self.a_depth / length).zip(c) {
                result.push(match (a, b) {
                    ([a], [b]) => self.rounded(&fused_sum(a, b, self.accumulator(c))),
                    _ => self.sum_of_halves(a, b, c),
                });
            }
        }
        result
    }

    /// Lines of elements. Those of 8 bits become two each: first what is in the lower half of each
    /// register, then what is in the upper half.
    fn lines(&self, element: Element, bits: &[u64], length: usize) -> Vec<Line> {
        if length == self.a_depth {
            return decode_lines(element, bits, length);
        }
        decode_lines(element, &halves_apart(bits, self.a_depth), length)
    }

    /// The sum for elements of 8 bits. Capability 9.0 multiplies them as halves, in two steps, and
    /// adds the accumulator at the end.
    fn sum_of_halves(&self, a: &[Line], b: &[Line], c: u64) -> u64 {
        let mut sum = 0.0;
        for (a, b) in a.iter().zip(b) {
            sum = self.accumulator(self.rounded(&fused_sum(a, b, sum)));
        }
        let c = self.accumulator(c);
        match self.d {
            Element::F16 => self.rounded(&Sum::of_halves(sum, c)),
            _ if (sum + c).is_nan() => NOT_A_NUMBER,
            _ => u64::from((sum + c).to_bits()),
        }
    }

    /// The value of an accumulator. Results of 8-bit factors have the accumulator's type.
    fn accumulator(&self, bits: u64) -> f32 {
        match self.c {
            Element::F16 => f16_to_f32(bits as u32),
            _ => f32::from_bits(bits as u32),
        }
    }

    /// The bits of a result.
    fn rounded(&self, sum: &Sum) -> u64 {
        match self.d {
            Element::F16 => u64::from(sum.to_f16_bits()),
            _ => u64::from(sum.to_f32().to_bits()),
        }
    }
}

/// The elements of each line in the order: first and second of every four, then third and fourth.
fn halves_apart<T: Copy>(elements: &[T], depth: usize) -> Vec<T> {
    let mut apart = Vec::with_capacity(elements.len());
    for line in elements.chunks_exact(depth) {
        for half in [0, 2] {
            for four in line.chunks_exact(4) {
                apart.extend_from_slice(&four[half..half + 2]);
            }
        }
    }
    apart
}

fn integer(element: Element, bits: u64) -> i32 {
    match element {
        Element::S8 => i32::from(bits as u8 as i8),
        Element::U8 => i32::from(bits as u8),
        Element::S4 => (bits as i32) << 28 >> 28,
        _ => bits as i32 & 0xF,
    }
}
