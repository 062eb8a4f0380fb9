//! `ldmatrix`, `stmatrix` and `movmatrix` (PTX manual 9.7.14.5.15 to .17) for matrices of 8 by 8
//! elements of 16 bits.
//!
//! Row `i` of matrix `j` lies at the address that lane `8 * j + i` gives, and register `j` of every
//! lane holds a piece of that matrix. A row is 16 bytes, which four neighbouring lanes hold in turn.

/// An `ldmatrix` or `stmatrix` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixMove {
    /// How many matrices are moved, and registers each lane has: 1, 2 or 4.
    pub(crate) matrices: usize,
    /// Whether registers hold pieces of columns instead of rows.
    pub(crate) transposed: bool,
}

impl MatrixMove {
    /// The form that the words of a name have, with or without the leading `ldmatrix` or
    /// `stmatrix`, in any order. None for what is not supported.
    pub(crate) fn parse(words: &[&str]) -> Option<MatrixMove> {
        let words = match words {
            ["ldmatrix" | "stmatrix", words @ ..] => words,
            words => words,
        };
        let (mut matrices, mut transposed, mut shape, mut element) = (None, false, false, false);
        for &word in words {
            match word {
                "sync" | "aligned" | "shared" | "shared::cta" => {}
                "m8n8" => shape = true,
                "b16" => element = true,
                "trans" => transposed = true,
                "x1" => matrices = Some(1),
                "x2" => matrices = Some(2),
                "x4" => matrices = Some(4),
                _ => return None,
            }
        }
        (shape && element).then_some(MatrixMove { matrices: matrices?, transposed })
    }
}

/// The register that `ldmatrix` makes of the rows of a matrix.
pub(crate) fn distribute(rows: &[[u8; 16]; 8], transposed: bool) -> [u32; 32] {
    std::array::from_fn(|lane| {
        let element = |part: usize| {
            let (line, place) = (lane / 4, lane % 4 * 2 + part);
            let (row, column) = if transposed { (place, line) } else { (line, place) };
            u32::from(u16::from_le_bytes([rows[row][2 * column], rows[row][2 * column + 1]]))
        };
        element(0) | element(1) << 16
    })
}

/// The rows of the matrix that `stmatrix` makes of a register.
pub(crate) fn collect(register: &[u32; 32], transposed: bool) -> [[u8; 16]; 8] {
    let mut rows = [[0; 16]; 8];
    for (lane, value) in register.iter().enumerate() {
        for part in 0..2 {
            let (line, place) = (lane / 4, lane % 4 * 2 + part);
            let (row, column) = if transposed { (place, line) } else { (line, place) };
            let bytes = ((value >> (16 * part)) as u16).to_le_bytes();
            rows[row][2 * column..][..2].copy_from_slice(&bytes);
        }
    }
    rows
}

/// `movmatrix.sync.aligned.m8n8.trans.b16`.
pub(crate) fn transpose(register: &[u32; 32]) -> [u32; 32] {
    distribute(&collect(register, false), true)
}
