//! What matrix operations are.

use crate::tensor::matrix_move::MatrixMove;
use crate::tensor::mma_form::{MmaForm, RegisterGroup};
use crate::tensor::wmma::{FragmentAccess, WmmaForm, WmmaFragment, WmmaMultiply};
use warpsan_ir::{Matrix, MatrixKind, Value};

/// What a matrix operation is. Its words are read once, when the kernel is made ready.
#[derive(Debug)]
pub(crate) enum MatrixForm {
    Multiply(MmaForm),
    WmmaMultiply(WmmaMultiply),
    Load(FragmentPlan),
    Store(FragmentPlan),
    Move(MatrixMove),
    Transpose,
}

/// A fragment with its accesses, those of all lanes to one part of one register together.
#[derive(Debug)]
pub(crate) struct FragmentPlan {
    pub(crate) fragment: WmmaFragment,
    pub(crate) accesses: Vec<FragmentAccess>,
}

impl FragmentPlan {
    fn of(fragment: WmmaFragment) -> FragmentPlan {
        let mut accesses = fragment.accesses();
        accesses.sort_by_key(|access| (access.register, access.part_shift_bits, access.lane));
        FragmentPlan { fragment, accesses }
    }
}

impl MatrixForm {
    /// The form of an operation that has a meaning here and the operands that it needs.
    pub(crate) fn of(matrix: &Matrix) -> Option<MatrixForm> {
        let form = MatrixForm::by_words(matrix)?;
        form.has_operands(matrix).then_some(form)
    }

    fn by_words(matrix: &Matrix) -> Option<MatrixForm> {
        let words: Vec<&str> = matrix.mnemonic.split('.').skip(1).collect();
        Some(match matrix.kind {
            MatrixKind::Mma => {
                let mut form = MmaForm::parse(&words)?;
                if let Some(sparse) = &mut form.sparse {
                    match matrix.from.get(4).and_then(|group| group.first()) {
                        Some(Value::Constant(selector)) => sparse.selector = *selector as u32,
                        _ => return None,
                    }
                    if !form.selector_is_valid() {
                        return None;
                    }
                }
                MatrixForm::Multiply(form)
            }
            MatrixKind::Wmma => match WmmaForm::parse(&words)? {
                WmmaForm::Load(fragment) => MatrixForm::Load(FragmentPlan::of(fragment)),
                WmmaForm::Store(fragment) => MatrixForm::Store(FragmentPlan::of(fragment)),
                WmmaForm::Multiply(form) => MatrixForm::WmmaMultiply(form),
            },
            MatrixKind::Load | MatrixKind::Store => MatrixForm::Move(MatrixMove::parse(&words)?),
            MatrixKind::Transpose => MatrixForm::Transpose,
        })
    }

    fn has_operands(&self, matrix: &Matrix) -> bool {
        let group = |number: usize| matrix.from.get(number).map_or(0, Vec::len);
        let product =
            |(a, b, c, d): (RegisterGroup, RegisterGroup, RegisterGroup, RegisterGroup)| {
                group(0) == a.count
                    && group(1) == b.count
                    && group(2) == c.count
                    && matrix.to.len() == d.count
            };
        match self {
            MatrixForm::Multiply(form) => {
                product(form.registers()) && (form.sparse.is_none() || group(3) == 1)
            }
            MatrixForm::WmmaMultiply(form) => product(form.registers()),
            MatrixForm::Load(plan) => {
                matrix.place.is_some() && matrix.to.len() == plan.fragment.registers().count
            }
            MatrixForm::Store(plan) => {
                matrix.place.is_some() && group(0) == plan.fragment.registers().count
            }
            MatrixForm::Move(form) => {
                let registers = if matrix.to.is_empty() { group(0) } else { matrix.to.len() };
                matrix.place.is_some() && registers == form.matrices
            }
            MatrixForm::Transpose => group(0) == 1 && matrix.to.len() == 1,
        }
    }
}
