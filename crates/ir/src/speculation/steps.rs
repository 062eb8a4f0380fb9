//! Loads that do not always count, and the steps that compute whether they do.

use crate::operands::{OperandVisitor, visit};
use crate::{ConditionStep, Instruction, LoadCondition, Name, Op, Predicate, Register, Repeats};

/// A load that does not always count.
pub(super) struct Guarded {
    pub(super) at: usize,
    /// What runs in front of it.
    pub(super) before: Vec<(Op, Option<usize>)>,
    pub(super) counts_if: (Predicate, bool),
}

impl LoadCondition {
    /// The condition of a load whose guard is not yet in the code.
    pub(super) fn of(code: &[Instruction], guarded: &Guarded) -> LoadCondition {
        let steps = guarded.before.iter().map(|(op, original)| ConditionStep {
            op: op.clone(),
            repeats: original.map(|original| Repeats::of(&code[original], op)),
        });
        LoadCondition { load: guarded.at as u32, steps: steps.collect() }
    }
}

impl Repeats {
    fn of(original: &Instruction, repeat: &Op) -> Repeats {
        let (old, new) = (Operands::of(&original.op), Operands::of(repeat));
        let writes = old.writes.iter().zip(&new.writes);
        Repeats {
            span: original.span,
            reads: old.reads.iter().copied().zip(new.reads).collect(),
            writes: writes.map(|((old, bits), (new, _))| (*old, *new, *bits)).collect(),
        }
    }
}

/// The operands of an operation, in one order for all operations of a kind.
#[derive(Default)]
struct Operands {
    reads: Vec<Name>,
    writes: Vec<(Name, u8)>,
}

impl Operands {
    fn of(op: &Op) -> Operands {
        let mut operands = Operands::default();
        visit(&mut op.clone(), &mut operands);
        operands
    }
}

impl OperandVisitor for Operands {
    fn read(&mut self, register: &mut Register) {
        self.reads.push(Name::Register(register.number));
    }

    fn write(&mut self, register: &mut Register) {
        self.writes.push((Name::Register(register.number), register.bits));
    }

    fn read_predicate(&mut self, predicate: &mut Predicate) {
        self.reads.push(Name::Predicate(predicate.0));
    }

    fn write_predicate(&mut self, predicate: &mut Predicate) {
        self.writes.push((Name::Predicate(predicate.0), 1));
    }
}
