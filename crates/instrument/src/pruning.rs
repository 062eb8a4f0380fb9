//! Checks that a basic block has made already.
//!
//! A thread that accesses the same address again, with nothing in between that orders anything, is checked once: who
//! raced with the first access races with the second.

use crate::checks::Access;
use warpsan_ptx::{Instruction, Operand};

/// The accesses of the current basic block that were checked.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    accesses: Vec<(String, i64, u32, Access)>,
}

impl Checked {
    /// A new block begins, or something orders accesses.
    pub(crate) fn forget(&mut self) {
        self.accesses.clear();
    }

    /// Whether the access needs no check of its own; otherwise it is noted.
    pub(crate) fn covers(&mut self, base: &str, offset: i64, bytes: u32, access: Access) -> bool {
        let same = |known: &(String, i64, u32, Access)| {
            let is_enough = match access {
                Access::Load => matches!(known.3, Access::Load | Access::Store),
                Access::Store => known.3 == Access::Store,
                Access::Atomic { .. } => false,
            };
            known.0 == base && known.1 == offset && known.2 >= bytes && is_enough
        };
        if self.accesses.iter().any(same) {
            return true;
        }
        self.accesses.push((base.to_owned(), offset, bytes, access));
        false
    }

    /// The instruction may write registers: what was checked through them is another address from now on. What comes
    /// first is the result, wherever there is one.
    pub(crate) fn written(&mut self, instruction: &Instruction<'_>) {
        if let Some(result) = instruction.operands.first() {
            self.forget_register(result);
        }
    }

    fn forget_register(&mut self, operand: &Operand<'_>) {
        match operand {
            Operand::Name(name) => self.accesses.retain(|(base, ..)| base != name),
            Operand::Vector(items) | Operand::List(items) => {
                items.iter().for_each(|item| self.forget_register(item));
            }
            Operand::Pair((first, second)) => {
                self.forget_register(first);
                self.forget_register(second);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_covered_by_any_access_and_a_store_by_a_store() {
        let mut checked = Checked::default();
        assert!(!checked.covers("%rd1", 0, 4, Access::Load));
        assert!(checked.covers("%rd1", 0, 4, Access::Load));
        assert!(!checked.covers("%rd1", 4, 4, Access::Load));
        assert!(!checked.covers("%rd1", 0, 8, Access::Load), "more bytes");
        assert!(!checked.covers("%rd1", 0, 4, Access::Store));
        assert!(checked.covers("%rd1", 0, 4, Access::Store));
        assert!(!checked.covers("%rd2", 0, 4, Access::Store));
        assert!(!checked.covers("%rd1", 0, 4, Access::Atomic { block_scope: false }));
        checked.forget();
        assert!(!checked.covers("%rd1", 0, 4, Access::Load));
    }
}
