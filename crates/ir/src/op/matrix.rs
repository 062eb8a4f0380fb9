use super::{AddressOperand, Register, Value};

/// Kinds of operations on matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixKind {
    /// `mma`, with its sparse forms.
    Mma,
    /// `wmma.load`, `wmma.store` and `wmma.mma`.
    Wmma,
    /// `ldmatrix`
    Load,
    /// `stmatrix`
    Store,
    /// `movmatrix`
    Transpose,
}

/// An operation of a whole warp on matrices: `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Of which kind it is.
    pub kind: MatrixKind,
    /// The instruction with all its words, which say shapes and types.
    pub mnemonic: Box<str>,
    /// The registers of the result.
    pub to: Vec<Register>,
    /// The registers of each operand, in order: a vector operand is one item.
    pub from: Vec<Vec<Value>>,
    /// Memory that is loaded or stored.
    pub place: Option<AddressOperand>,
}
