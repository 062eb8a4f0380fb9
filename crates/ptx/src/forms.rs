//! Whether the operands of an instruction have a shape that its row of the table allows.

use crate::table::{Row, Shape};
use crate::tree::{Instruction, Operand};

impl Instruction<'_> {
    /// Whether the instruction table has it, with these modifiers and operands of these shapes.
    pub fn is_known(&self) -> bool {
        self.mnemonic.row.is_some_and(|row| fit(row, self.operands))
    }
}

/// Whether one of the row's forms fits.
fn fit(row: &Row, operands: &[Operand<'_>]) -> bool {
    let shapes: Vec<Shape> = operands.iter().map(Operand::shape).collect();
    row.assign(&shapes).is_some()
}

impl Operand<'_> {
    /// Its shape, as the table distinguishes shapes.
    pub fn shape(&self) -> Shape {
        match self {
            Operand::Address(_) => Shape::Address,
            Operand::List(_) => Shape::List,
            _ => Shape::Value,
        }
    }
}
