//! `mma` and `mma.sp`: from fragments to matrices, the product, and back.
//!
//! The formulas are those of the PTX manual, 9.7.14.5.1 to .13. All shapes but one follow the same
//! pattern: a lane belongs to group `lane / 4` and has place `lane % 4` in it. The group selects a
//! row of `a` (and the one 8 below) and a column of `b`; the place selects neighbouring elements in
//! it, as many as fit in a register, and further registers continue four such pieces on.

use super::WarpRegister;
use super::arithmetic::{Arithmetic, Operands};
use super::element::{BitOperation, Element, Layout};
use super::mma_form::MmaForm;
use super::sparsity::positions;

/// A place in one of the products that an instruction computes.
struct ElementPosition {
    product: usize,
    row: usize,
    column: usize,
}

impl MmaForm {
    /// Computes `d` from the other operands. `metadata` belongs to sparse forms only. The operands
    /// have as many registers as [`MmaForm::registers`] says.
    pub(crate) fn execute(
        &self,
        a: &[WarpRegister],
        b: &[WarpRegister],
        c: &[WarpRegister],
        metadata: Option<&[u32; 32]>,
        d: &mut [WarpRegister],
    ) {
        // The bits of a register of single bits are neighbours, so words can stand for them.
        let (unit, a_unit, b_unit) = match self.a {
            Element::B1 => (32, Element::S32, Element::S32),
            _ => (1, self.a, self.b),
        };
        let products = if self.splits_in_quarters() { 4 } else { 1 };
        let (rows, columns) = (self.shape.m, self.shape.n);
        let (a_depth, b_depth) = (self.stored_depth() / unit, self.shape.k / unit);
        let a_elements = gather(a, a_unit, products * rows * a_depth, |register, lane, part| {
            let place = self.place_in_a(a_unit, register, lane, part);
            (place.product * rows + place.row) * a_depth + place.column
        });
        let b_elements = gather(b, b_unit, products * columns * b_depth, |register, lane, part| {
            let place = self.place_in_b(b_unit, register, lane, part);
            (place.product * columns + place.column) * b_depth + place.row
        });
        let index_in_accumulator = |element: Element, register, lane, part| {
            let place = self.place_in_accumulator(element, register, lane, part);
            (place.product * rows + place.row) * columns + place.column
        };
        let c_elements = gather(c, self.c, products * rows * columns, |register, lane, part| {
            index_in_accumulator(self.c, register, lane, part)
        });
        let positions = self.sparse.map(|sparsity| {
            positions(self.a, a_depth, sparsity.selector, metadata.unwrap_or(&[0; 32]))
        });
        let arithmetic = Arithmetic {
            columns,
            a_depth,
            b_depth,
            a: self.a,
            b: self.b,
            c: self.c,
            d: self.d,
            saturate: self.saturate,
            bit_operation: self.bit_operation.unwrap_or(BitOperation::Xor),
            rounding: self.rounding,
        };
        let mut result = Vec::with_capacity(c_elements.len());
        for product in 0..products {
            result.extend(arithmetic.compute(&Operands {
                a: &a_elements[product * rows * a_depth..][..rows * a_depth],
                b: &b_elements[product * columns * b_depth..][..columns * b_depth],
                c: &c_elements[product * rows * columns..][..rows * columns],
                positions: positions.as_deref(),
            }));
        }
        scatter(d, self.d, &result, |register, lane, part| {
            index_in_accumulator(self.d, register, lane, part)
        });
    }

    fn place_in_a(
        &self,
        element: Element,
        register: usize,
        lane: usize,
        part: usize,
    ) -> ElementPosition {
        if self.splits_in_quarters() {
            let (quad, upper) = (lane % 4, lane / 16 * 4);
            let index = register * 2 + part;
            let (row, column) = match self.a_layout {
                Layout::Row => (quad + upper, index),
                Layout::Column => (index + upper, quad),
            };
            return ElementPosition { product: lane / 4 % 4, row, column };
        }
        let piece = element.per_register();
        let (row_block, depth_block) =
            if self.shape.m == 16 { (register % 2, register / 2) } else { (0, register) };
        ElementPosition {
            product: 0,
            row: lane / 4 + 8 * row_block,
            column: (depth_block * 4 + lane % 4) * piece + part,
        }
    }

    fn place_in_b(
        &self,
        element: Element,
        register: usize,
        lane: usize,
        part: usize,
    ) -> ElementPosition {
        if self.splits_in_quarters() {
            let (quad, upper) = (lane % 4, lane / 16 * 4);
            let index = register * 2 + part;
            let (row, column) = match self.b_layout {
                Layout::Row => (quad, index + upper),
                Layout::Column => (index, quad + upper),
            };
            return ElementPosition { product: lane / 4 % 4, row, column };
        }
        let piece = element.per_register();
        let row = (register * 4 + lane % 4) * piece + part;
        ElementPosition { product: 0, row, column: lane / 4 }
    }

    fn place_in_accumulator(
        &self,
        element: Element,
        register: usize,
        lane: usize,
        part: usize,
    ) -> ElementPosition {
        let index = register * element.per_register() + part;
        if self.splits_in_quarters() {
            let upper = lane / 16 * 4;
            let (row, column) = if element == Element::F16 {
                (lane % 4, index)
            } else {
                ((lane & 1) + (index & 2), (index & 4) + (lane & 2) + (index & 1))
            };
            return ElementPosition { product: lane / 4 % 4, row: row + upper, column };
        }
        ElementPosition {
            product: 0,
            row: lane / 4 + index / 2 * 8,
            column: lane % 4 * 2 + index % 2,
        }
    }
}

/// Takes elements out of registers. `place` says where in the matrix an element belongs; the
/// elements of a register lie at equal distances, the same in all registers.
pub(super) fn gather(
    registers: &[WarpRegister],
    element: Element,
    elements: usize,
    place: impl Fn(usize, usize, usize) -> usize,
) -> Vec<u64> {
    let mut matrix = vec![0; elements];
    let (bits, parts) = (element.bits(), element.per_register());
    let mask = u64::MAX >> (64 - bits);
    let distance = if parts == 1 { 0 } else { place(0, 0, 1) - place(0, 0, 0) };
    for (register, lanes) in registers.iter().enumerate() {
        for (lane, value) in lanes.iter().enumerate() {
            let first = place(register, lane, 0);
            for part in 0..parts {
                matrix[first + part * distance] = value >> (part as u32 * bits) & mask;
            }
        }
    }
    matrix
}

/// Puts elements into registers.
pub(super) fn scatter(
    registers: &mut [WarpRegister],
    element: Element,
    matrix: &[u64],
    place: impl Fn(usize, usize, usize) -> usize,
) {
    let (bits, parts) = (element.bits(), element.per_register());
    let distance = if parts == 1 { 0 } else { place(0, 0, 1) - place(0, 0, 0) };
    for (register, lanes) in registers.iter_mut().enumerate() {
        for (lane, value) in lanes.iter_mut().enumerate() {
            let first = place(register, lane, 0);
            *value = (0..parts)
                .map(|part| matrix[first + part * distance] << (part as u32 * bits))
                .fold(0, |value, bits| value | bits);
        }
    }
}
