use crate::{CodeInstruction, Instruction, Op};

/// Something with an operation and a guard: an instruction, before or after calls are expanded.
pub(crate) trait Step {
    /// What it does.
    fn op(&self) -> &Op;
    /// The same, to be changed.
    fn op_mut(&mut self) -> &mut Op;
    /// Whether it runs only where a predicate says so.
    fn is_guarded(&self) -> bool;
}

impl Step for Instruction {
    fn op(&self) -> &Op {
        &self.op
    }

    fn op_mut(&mut self) -> &mut Op {
        &mut self.op
    }

    fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }
}

impl Step for CodeInstruction {
    fn op(&self) -> &Op {
        &self.op
    }

    fn op_mut(&mut self) -> &mut Op {
        &mut self.op
    }

    fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }
}
