//! What an operation reads and writes, in one place for every pass.

use crate::{BarrierOp, Op, OpaqueOperand, Predicate, Register, Value};

/// Sees every operand of an operation, and may change it.
pub(crate) trait OperandVisitor {
    /// A register that is read.
    fn read(&mut self, register: &mut Register);
    /// A register that is written.
    fn write(&mut self, register: &mut Register);
    /// A predicate that is read.
    fn read_predicate(&mut self, predicate: &mut Predicate);
    /// A predicate that is written.
    fn write_predicate(&mut self, predicate: &mut Predicate);
}

fn value(value: &mut Value, visitor: &mut impl OperandVisitor) {
    if let Value::Register(register) = value {
        visitor.read(register);
    }
}

/// Shows all operands of an operation to the visitor: first those that are read.
pub(crate) fn visit(op: &mut Op, visitor: &mut impl OperandVisitor) {
    match op {
        Op::Move { to, from } | Op::ConvertAddress { to, from, .. } => {
            value(from, visitor);
            visitor.write(to);
        }
        Op::MovePredicate { to, from } => {
            visitor.read_predicate(&mut from.0);
            visitor.write_predicate(to);
        }
        Op::ConstantPredicate { to, .. } => visitor.write_predicate(to),
        Op::ReadSpecial { to, .. } | Op::ActiveMask { to } => visitor.write(to),
        Op::Pack { to, parts, .. } => {
            parts.iter_mut().for_each(|part| value(part, visitor));
            visitor.write(to);
        }
        Op::Unpack { to, from, .. } => {
            value(from, visitor);
            to.iter_mut().flatten().for_each(|register| visitor.write(register));
        }
        Op::Unary { to, a, .. } | Op::Convert { to, from: a, .. } => {
            value(a, visitor);
            visitor.write(to);
        }
        Op::Binary { to, a, b, .. } => {
            value(a, visitor);
            value(b, visitor);
            visitor.write(to);
        }
        Op::Ternary { to, a, b, c, .. } | Op::SelectBySign { to, a, b, c, .. } => {
            [a, b, c].into_iter().for_each(|operand| value(operand, visitor));
            visitor.write(to);
        }
        Op::Extended { to, a, b, c, carry_in, carry_out, .. } => {
            [a, b, c].into_iter().for_each(|operand| value(operand, visitor));
            carry_in.iter_mut().for_each(|carry| visitor.read_predicate(carry));
            visitor.write(to);
            carry_out.iter_mut().for_each(|carry| visitor.write_predicate(carry));
        }
        Op::BitFieldInsert { to, a, b, c, d, .. } => {
            [a, b, c, d].into_iter().for_each(|operand| value(operand, visitor));
            visitor.write(to);
        }
        Op::Select { to, a, b, by } => {
            value(a, visitor);
            value(b, visitor);
            visitor.read_predicate(&mut by.0);
            visitor.write(to);
        }
        Op::SetPredicate { to, complement, a, b, combine, .. } => {
            value(a, visitor);
            value(b, visitor);
            combine.iter_mut().for_each(|(_, by, _)| visitor.read_predicate(by));
            to.iter_mut().chain(complement).for_each(|to| visitor.write_predicate(to));
        }
        Op::SetValue { to, a, b, combine, .. } => {
            value(a, visitor);
            value(b, visitor);
            combine.iter_mut().for_each(|(_, by, _)| visitor.read_predicate(by));
            visitor.write(to);
        }
        Op::TestFloat { to, a, .. } | Op::IsInSpace { to, address: a, .. } => {
            value(a, visitor);
            visitor.write_predicate(to);
        }
        Op::PredicateLogic { to, a, b, .. } => {
            visitor.read_predicate(&mut a.0);
            visitor.read_predicate(&mut b.0);
            visitor.write_predicate(to);
        }
        Op::Load { to, base, .. } => {
            value(base, visitor);
            to.iter_mut().flatten().for_each(|(register, _)| visitor.write(register));
        }
        Op::Store { from, base, .. } => {
            value(base, visitor);
            from.iter_mut().for_each(|part| value(part, visitor));
        }
        Op::Atomic { to, base, a, b, .. } => {
            value(base, visitor);
            value(a, visitor);
            b.iter_mut().for_each(|new| value(new, visitor));
            to.iter_mut().for_each(|register| visitor.write(register));
        }
        Op::BlockBarrier { op, barrier, threads, .. } => {
            value(barrier, visitor);
            threads.iter_mut().for_each(|threads| value(threads, visitor));
            match op {
                BarrierOp::Sync => {}
                BarrierOp::Popc { to, of } => {
                    visitor.read_predicate(&mut of.0);
                    visitor.write(to);
                }
                BarrierOp::Combine { to, of, .. } => {
                    visitor.read_predicate(&mut of.0);
                    visitor.write_predicate(to);
                }
            }
        }
        Op::WarpBarrier { mask } => value(mask, visitor),
        Op::Shuffle { to, valid, from, by, clamp, mask, .. } => {
            [from, by, clamp, mask].into_iter().for_each(|operand| value(operand, visitor));
            visitor.write(to);
            valid.iter_mut().for_each(|valid| visitor.write_predicate(valid));
        }
        Op::Vote { to_predicate, to_register, of, mask, .. } => {
            visitor.read_predicate(&mut of.0);
            value(mask, visitor);
            to_predicate.iter_mut().for_each(|to| visitor.write_predicate(to));
            to_register.iter_mut().for_each(|to| visitor.write(to));
        }
        Op::BranchIndexed { index, .. } => value(index, visitor),
        Op::Opaque(opaque) => {
            for operand in &mut opaque.operands {
                match operand {
                    OpaqueOperand::Read(register) => visitor.read(register),
                    OpaqueOperand::Written(register) => visitor.write(register),
                    OpaqueOperand::ReadPredicate(read) => visitor.read_predicate(read),
                    OpaqueOperand::WrittenPredicate(to) => visitor.write_predicate(to),
                }
            }
        }
        Op::Fence { .. }
        | Op::Branch { .. }
        | Op::Call(_)
        | Op::Return
        | Op::Exit
        | Op::Trap
        | Op::Nothing => {}
    }
}

/// A register or a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Name {
    Register(u32),
    Predicate(u32),
}

/// The names that an operation reads and writes.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    pub(crate) reads: Vec<Name>,
    pub(crate) writes: Vec<Name>,
}

impl Accesses {
    pub(crate) fn of(op: &Op) -> Accesses {
        let mut accesses = Accesses::default();
        visit(&mut op.clone(), &mut accesses);
        accesses
    }
}

impl OperandVisitor for Accesses {
    fn read(&mut self, register: &mut Register) {
        self.reads.push(Name::Register(register.0));
    }

    fn write(&mut self, register: &mut Register) {
        self.writes.push(Name::Register(register.0));
    }

    fn read_predicate(&mut self, predicate: &mut Predicate) {
        self.reads.push(Name::Predicate(predicate.0));
    }

    fn write_predicate(&mut self, predicate: &mut Predicate) {
        self.writes.push(Name::Predicate(predicate.0));
    }
}

/// Moves all registers and predicates up, so that a callee's do not touch its caller's.
pub(crate) struct Renumber {
    /// Added to every register.
    pub(crate) registers: u32,
    /// Added to every predicate but the carry, which a thread has once.
    pub(crate) predicates: u32,
}

impl Renumber {
    pub(crate) fn predicate(&self, predicate: Predicate) -> Predicate {
        let is_carry = predicate == crate::lower::CARRY;
        Predicate(if is_carry { predicate.0 } else { predicate.0 + self.predicates })
    }
}

impl OperandVisitor for Renumber {
    fn read(&mut self, register: &mut Register) {
        register.0 += self.registers;
    }

    fn write(&mut self, register: &mut Register) {
        register.0 += self.registers;
    }

    fn read_predicate(&mut self, predicate: &mut Predicate) {
        *predicate = self.predicate(*predicate);
    }

    fn write_predicate(&mut self, predicate: &mut Predicate) {
        *predicate = self.predicate(*predicate);
    }
}
