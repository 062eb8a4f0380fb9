//! What an operation reads and writes, for those who run it.

use crate::operands::{OperandVisitor, visit};
use crate::{Op, Predicate, Register};

/// The registers and predicates of an operation.
#[derive(Debug, Default)]
pub struct Uses {
    /// Registers that are read.
    pub reads: Vec<Register>,
    /// Registers that are written.
    pub writes: Vec<Register>,
    /// Predicates that are read.
    pub reads_predicates: Vec<Predicate>,
    /// Predicates that are written.
    pub writes_predicates: Vec<Predicate>,
}

impl Uses {
    /// Those of this operation.
    pub fn of(op: &Op) -> Uses {
        let mut uses = Uses::default();
        visit(&mut op.clone(), &mut uses);
        uses
    }
}

impl OperandVisitor for Uses {
    fn read(&mut self, register: &mut Register) {
        self.reads.push(*register);
    }

    fn write(&mut self, register: &mut Register) {
        self.writes.push(*register);
    }

    fn read_predicate(&mut self, predicate: &mut Predicate) {
        self.reads_predicates.push(*predicate);
    }

    fn write_predicate(&mut self, predicate: &mut Predicate) {
        self.writes_predicates.push(*predicate);
    }
}

/// Gives every register of an operation the number that `number` says.
pub fn renumber_registers(op: &mut Op, number: impl Fn(Register) -> u32) {
    struct Renumber<F>(F);

    impl<F: Fn(Register) -> u32> OperandVisitor for Renumber<F> {
        fn read(&mut self, register: &mut Register) {
            register.number = (self.0)(*register);
        }

        fn write(&mut self, register: &mut Register) {
            register.number = (self.0)(*register);
        }

        fn read_predicate(&mut self, _: &mut Predicate) {}

        fn write_predicate(&mut self, _: &mut Predicate) {}
    }

    visit(op, &mut Renumber(number));
}
