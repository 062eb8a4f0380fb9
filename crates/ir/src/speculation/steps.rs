//! How the condition of a load came about, for whoever writes it as text.

use super::Guarded;
use crate::operands::{Name, OperandVisitor, visit};
use crate::{Instruction, Op, Predicate, Register};
use warpsan_ptx::Span;

/// How the condition of a speculated load is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadCondition {
    /// The place of the load in [`Function::code`](crate::Function::code).
    pub load: u32,
    /// What computes the condition, in this order, right in front of the load.
    pub steps: Vec<ConditionStep>,
}

/// One instruction in front of a speculated load.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionStep {
    /// What it does.
    pub op: Op,
    /// The instruction of the text that it repeats; none if it joins what others computed.
    pub repeats: Option<Repeats>,
}

/// An instruction that is repeated with other operands.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeats {
    /// Where it stands in the text.
    pub span: Span,
    /// What it reads, and what is read in its place.
    pub reads: Vec<(Name, Name)>,
    /// What it writes, and what is written in its place, with its bits; a predicate has one.
    pub writes: Vec<(Name, Name, u8)>,
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
