//! Which elements of a `wmma` matrix a lane holds in which register.
//!
//! The manual leaves this open and asks only that load, product and store agree, given the same
//! shape, layout and type. Elements that are neighbours in memory share a register in the factors,
//! so that one access fills it. Where the layouts are `row` and `col`, the pieces are those of
//! `mma`, as on the hardware. A half-precision factor has eight registers in all shapes; where that
//! is more than it has elements, the registers repeat.

use super::element::{Element, Layout, MmaShape};

/// Which matrix a fragment is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FragmentRole {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// What goes into the sum, and what comes out.
    Accumulator,
}

/// The distribution of a matrix over the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Distribution {
    /// Which matrix it is.
    pub(super) role: FragmentRole,
    /// The sizes of the product that it belongs to.
    pub(super) shape: MmaShape,
    /// The type of its elements.
    pub(super) element: Element,
    /// Its order in memory. The accumulator's registers do not depend on it.
    pub(super) layout: Layout,
}

impl Distribution {
    /// Rows and columns of the matrix.
    pub(super) fn size(&self) -> (usize, usize) {
        let MmaShape { m, n, k } = self.shape;
        match self.role {
            FragmentRole::A => (m, k),
            FragmentRole::B => (k, n),
            FragmentRole::Accumulator => (m, n),
        }
    }

    /// How many registers hold each element once.
    fn distinct_registers(&self) -> usize {
        let (rows, columns) = self.size();
        rows * columns / (32 * self.element.per_register())
    }

    /// How many registers a lane has.
    pub(super) fn registers(&self) -> usize {
        match (self.role, self.element) {
            (FragmentRole::A | FragmentRole::B, Element::F16) => 8,
            _ => self.distinct_registers(),
        }
    }

    /// Row and column of the element in a part of a register of a lane.
    pub(super) fn place(&self, register: usize, lane: usize, part: usize) -> (usize, usize) {
        let register = register % self.distinct_registers();
        match self.role {
            FragmentRole::Accumulator => self.place_in_accumulator(register, lane, part),
            _ => self.place_in_factor(register, lane, part),
        }
    }

    /// Blocks of 8 by 8, of which a lane has two neighbours each. Two blocks that lie on top of
    /// each other come first, then the next to the right, then the next below.
    fn place_in_accumulator(&self, register: usize, lane: usize, part: usize) -> (usize, usize) {
        let (rows, columns) = self.size();
        let index = register * self.element.per_register() + part;
        let (block, neighbour) = (index / 2, index % 2);
        let (row_block, column_block) = stacked(block, rows / 8, columns / 8);
        (row_block * 8 + lane / 4, column_block * 8 + lane % 4 * 2 + neighbour)
    }

    /// Lines are what is contiguous in memory. A register covers a block of some lines in which the
    /// pieces of a line, each as large as a register, go to neighbouring lanes.
    fn place_in_factor(&self, register: usize, lane: usize, part: usize) -> (usize, usize) {
        let (rows, columns) = self.size();
        let (lines, length) = match self.layout {
            Layout::Row => (rows, columns),
            Layout::Column => (columns, rows),
        };
        let pieces = length / self.element.per_register();
        let width = if lines < 8 { 32 / lines } else { pieces.min(4) };
        let height = 32 / width;
        let (line_blocks, piece_blocks) = (lines / height, pieces / width);
        let (line_block, piece_block) = match self.role {
            FragmentRole::A => stacked(register, line_blocks, piece_blocks),
            _ => (register / piece_blocks, register % piece_blocks),
        };
        let line = line_block * height + lane / width;
        let piece = piece_block * width + lane % width;
        let position = piece * self.element.per_register() + part;
        match self.layout {
            Layout::Row => (line, position),
            Layout::Column => (position, line),
        }
    }
}

/// Block row and block column of the block with this number, if blocks are numbered in pairs on top
/// of each other, from left to right, and then further down.
fn stacked(block: usize, block_rows: usize, block_columns: usize) -> (usize, usize) {
    let height = block_rows.min(2);
    let (band, in_band) = (block / (height * block_columns), block % (height * block_columns));
    (band * height + in_band % height, in_band / height)
}
