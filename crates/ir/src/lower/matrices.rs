//! Matrices of a warp.

use super::memory::take_space;
use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::{Matrix, MatrixKind, Op, Predicate, Register, Type};
use warpsan_ptx::table::is_matrix_kind;
use warpsan_ptx::{Instruction, Operand};

impl<'a> Lowerer<'a> {
    /// `mma`, `wmma`, `ldmatrix`, `stmatrix` and `movmatrix`. Their words stay as they are.
    pub(super) fn matrix(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Option<(Predicate, bool)>,
        kind: MatrixKind,
    ) -> Lower<()> {
        let span = instruction.span;
        // Formats and shapes that came after the architecture that the engine is.
        let is_newer = |word: &&str| {
            is_matrix_kind(word) || matches!(*word, "block_scale" | "m16n16" | "m8n16" | "m16n8")
        };
        if instruction.modifiers().iter().any(is_newer) {
            return self.not_supported(instruction);
        }
        let space = take_space(&mut Modifiers::new(instruction.modifiers()));
        let mut matrix = Matrix {
            kind,
            mnemonic: instruction.mnemonic.text.into(),
            to: Vec::new(),
            from: Vec::new(),
            place: None,
        };
        let stores = matches!(instruction.operands.first(), Some(Operand::Address(_)));
        for (number, operand) in instruction.operands.iter().enumerate() {
            match operand {
                Operand::Address(_) if matrix.place.is_none() => {
                    matrix.place = Some(self.place(operand, space, span)?);
                }
                _ if number == 0 && !stores => {
                    let to: Option<Vec<Register>> =
                        self.destinations(operand, span)?.into_iter().collect();
                    let Some(to) = to else { return self.malformed(instruction) };
                    matrix.to = to;
                }
                _ => matrix.from.push(self.sources(operand, Type::B32, span)?),
            }
        }
        if matrix.to.is_empty() && !stores {
            return self.malformed(instruction);
        }
        self.push(span, guard, Op::Matrix(Box::new(matrix))).map(drop)
    }
}
