//! Checks that a basic block has made already.
//!
//! A thread that accesses the same address again, with nothing in between that orders anything, is checked once: who
//! raced with the first access races with the second.

use crate::checks::Access;
use crate::operands::Based;
use warpsan_ptx::{Instruction, Operand};

/// The accesses of the current basic block that were checked.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    accesses: Vec<Noted>,
}

#[derive(Debug)]
struct Noted {
    place: Based,
    bytes: u32,
    access: Access,
}

impl Checked {
    /// A new block begins, or something orders accesses.
    pub(crate) fn forget(&mut self) {
        self.accesses.clear();
    }

    /// Whether the access needs no check of its own.
    pub(crate) fn covers(&self, place: &Based, bytes: u32, access: Access) -> bool {
        self.accesses.iter().any(|known| {
            let is_enough = match access {
                Access::Load => matches!(known.access, Access::Load | Access::Store),
                Access::Store => known.access == Access::Store,
                Access::Atomic { .. } => false,
            };
            known.place == *place && known.bytes >= bytes && is_enough
        })
    }

    /// Notes an access that is checked whenever the block runs.
    pub(crate) fn note(&mut self, place: &Based, bytes: u32, access: Access) {
        self.accesses.push(Noted { place: place.clone(), bytes, access });
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
            Operand::Name(name) => self.accesses.retain(|known| known.place.base != *name),
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

    fn at(base: &str, offset: i64) -> Based {
        Based { register: base.to_owned(), offset, base: base.to_owned() }
    }

    #[test]
    fn a_load_is_covered_by_any_access_and_a_store_by_a_store() {
        let mut checked = Checked::default();
        let place = at("%rd1", 0);
        assert!(!checked.covers(&place, 4, Access::Load));
        checked.note(&place, 4, Access::Load);
        assert!(checked.covers(&place, 4, Access::Load));
        assert!(!checked.covers(&at("%rd1", 4), 4, Access::Load));
        assert!(!checked.covers(&at("%rd2", 0), 4, Access::Load));
        assert!(!checked.covers(&place, 8, Access::Load), "more bytes");
        assert!(!checked.covers(&place, 4, Access::Store));
        checked.note(&place, 4, Access::Store);
        assert!(checked.covers(&place, 4, Access::Store));
        assert!(!checked.covers(&place, 4, Access::Atomic { block_scope: false }));
        checked.forget();
        assert!(!checked.covers(&place, 4, Access::Load));
    }

    #[test]
    fn two_variables_in_the_same_register_are_two_places() {
        let mut checked = Checked::default();
        let of = |base: &str| Based { base: base.to_owned(), ..at("%ws_variable", 0) };
        checked.note(&of("first"), 4, Access::Store);
        assert!(checked.covers(&of("first"), 4, Access::Load));
        assert!(!checked.covers(&of("second"), 4, Access::Load));
    }

    #[test]
    fn a_register_that_is_written_is_another_place() {
        for (operand, is_forgotten) in [
            (Operand::Name("%rd1"), true),
            (Operand::Name("%rd2"), false),
            (Operand::Vector(&[Operand::Name("%rd2"), Operand::Name("%rd1")]), true),
            (Operand::Pair(&(Operand::Name("%rd1"), Operand::Name("%p1"))), true),
        ] {
            let mut checked = Checked::default();
            checked.note(&at("%rd1", 8), 4, Access::Load);
            checked.forget_register(&operand);
            assert_eq!(!checked.covers(&at("%rd1", 8), 4, Access::Load), is_forgotten);
        }
    }
}
