//! What an operation reads and writes, in one place for every pass.

use crate::op::CARRY;
use crate::{
    AsyncOp, BarrierOp, BulkEnd, CallTarget, Callee, MbarrierOp, Name, Op, OpaqueOperand,
    Predicate, Register, Value,
};

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
        Op::ReadSpecial { to, .. } | Op::ActiveMask { to } | Op::FrameAddress { to, .. } => {
            visitor.write(to);
        }
        Op::Pack { to, parts, .. } => {
            parts.iter_mut().for_each(|part| value(part, visitor));
            visitor.write(to);
        }
        Op::Unpack { to, from, .. } => {
            value(from, visitor);
            to.iter_mut().flatten().for_each(|register| visitor.write(register));
        }
        Op::Unary { to, a, .. }
        | Op::Convert { to, from: a, .. }
        | Op::RankOfAddress { to, from: a, .. } => {
            value(a, visitor);
            visitor.write(to);
        }
        Op::Binary { to, a, b, .. }
        | Op::ConvertPair { to, high: a, low: b, .. }
        | Op::MapAddress { to, from: a, rank: b, .. } => {
            value(a, visitor);
            value(b, visitor);
            visitor.write(to);
        }
        Op::Ternary { to, a, b, c, .. }
        | Op::SelectBySign { to, a, b, c, .. }
        | Op::ConvertPack { to, a, b, rest: c, .. } => {
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
        Op::SetPredicate { to, complement, a, b, combine, .. }
        | Op::SetPredicatePair { low: to, high: complement, a, b, combine, .. } => {
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
            to.iter_mut().flatten().for_each(|register| visitor.write(register));
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
        Op::AtomicVector { to, base, from, .. } => {
            value(base, visitor);
            from.iter_mut().for_each(|part| value(part, visitor));
            to.iter_mut().for_each(|register| visitor.write(register));
        }
        Op::Video(video) => {
            value(&mut video.a.value, visitor);
            value(&mut video.b.value, visitor);
            video.c.iter_mut().for_each(|third| value(third, visitor));
            visitor.write(&mut video.to);
        }
        Op::Match { to, valid, value: compared, mask, .. } => {
            value(compared, visitor);
            value(mask, visitor);
            visitor.write(to);
            valid.iter_mut().for_each(|valid| visitor.write_predicate(valid));
        }
        Op::Redux { to, from, mask, .. } => {
            value(from, visitor);
            value(mask, visitor);
            visitor.write(to);
        }
        Op::Elect { to, elected, mask } => {
            value(mask, visitor);
            to.iter_mut().for_each(|to| visitor.write(to));
            visitor.write_predicate(elected);
        }
        Op::Async(op) => asynchronous(op, visitor),
        Op::Matrix(matrix) => {
            matrix.place.iter_mut().for_each(|place| value(&mut place.base, visitor));
            matrix.from.iter_mut().flatten().for_each(|part| value(part, visitor));
            matrix.to.iter_mut().for_each(|register| visitor.write(register));
        }
        Op::Call(call) => {
            if let Callee::Pointer { address, .. } = &mut call.callee {
                value(address, visitor);
            }
        }
        Op::CallSubroutine(call) => {
            if let CallTarget::Pointer(address) = &mut call.target {
                value(address, visitor);
            }
        }
        Op::BlockBarrier { op, barrier, threads, .. } => {
            value(barrier, visitor);
            threads.iter_mut().for_each(|threads| value(threads, visitor));
            match op {
                BarrierOp::Sync | BarrierOp::Arrive => {}
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
            [from, by, clamp].into_iter().chain(mask).for_each(|operand| value(operand, visitor));
            visitor.write(to);
            valid.iter_mut().for_each(|valid| visitor.write_predicate(valid));
        }
        Op::Vote { to_predicate, to_register, of, mask, .. } => {
            visitor.read_predicate(&mut of.0);
            mask.iter_mut().for_each(|mask| value(mask, visitor));
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
        | Op::ProxyFence { .. }
        | Op::WaitForPrerequisites
        | Op::ClusterBarrier { .. }
        | Op::Branch { .. }
        | Op::System(_)
        | Op::Return
        | Op::Exit
        | Op::Trap
        | Op::Yield
        | Op::Nothing => {}
    }
}

fn asynchronous(op: &mut AsyncOp, visitor: &mut impl OperandVisitor) {
    match op {
        AsyncOp::Copy { to, from, source_bytes, ignore_source, .. } => {
            value(&mut to.base, visitor);
            value(&mut from.base, visitor);
            source_bytes.iter_mut().for_each(|bytes| value(bytes, visitor));
            ignore_source.iter_mut().for_each(|(ignore, _)| visitor.read_predicate(ignore));
        }
        AsyncOp::CopyArrive { barrier, .. } => value(&mut barrier.base, visitor),
        AsyncOp::Mbarrier { op, barrier, .. } => {
            value(&mut barrier.base, visitor);
            mbarrier(op, visitor);
        }
        AsyncOp::PendingCount { to, state } => {
            value(state, visitor);
            visitor.write(to);
        }
        AsyncOp::Bulk { to, from, bytes, end, multicast, byte_mask, .. } => {
            value(&mut to.base, visitor);
            value(&mut from.base, visitor);
            value(bytes, visitor);
            if let BulkEnd::Mbarrier(barrier) = end {
                value(&mut barrier.base, visitor);
            }
            multicast.iter_mut().chain(byte_mask).for_each(|mask| value(mask, visitor));
        }
        AsyncOp::Store { to, from, barrier, .. } => {
            value(&mut to.base, visitor);
            from.iter_mut().for_each(|part| value(part, visitor));
            value(&mut barrier.base, visitor);
        }
        AsyncOp::Fill { to, bytes } => {
            value(&mut to.base, visitor);
            value(bytes, visitor);
        }
        AsyncOp::Commit | AsyncOp::Wait { .. } | AsyncOp::BulkCommit | AsyncOp::BulkWait { .. } => {
        }
    }
}

fn mbarrier(op: &mut MbarrierOp, visitor: &mut impl OperandVisitor) {
    match op {
        MbarrierOp::Init { count: amount }
        | MbarrierOp::ExpectTransaction { bytes: amount }
        | MbarrierOp::CompleteTransaction { bytes: amount } => value(amount, visitor),
        MbarrierOp::Invalidate => {}
        MbarrierOp::Arrive { to, count, expect, .. } => {
            count.iter_mut().chain(expect).for_each(|amount| value(amount, visitor));
            to.iter_mut().for_each(|to| visitor.write(to));
        }
        MbarrierOp::Wait { to, phase, .. } => {
            value(phase, visitor);
            visitor.write_predicate(to);
        }
    }
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
        self.reads.push(Name::Register(register.number));
    }

    fn write(&mut self, register: &mut Register) {
        self.writes.push(Name::Register(register.number));
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
        let is_carry = predicate == CARRY;
        Predicate(if is_carry { predicate.0 } else { predicate.0 + self.predicates })
    }
}

impl OperandVisitor for Renumber {
    fn read(&mut self, register: &mut Register) {
        register.number += self.registers;
    }

    fn write(&mut self, register: &mut Register) {
        register.number += self.registers;
    }

    fn read_predicate(&mut self, predicate: &mut Predicate) {
        *predicate = self.predicate(*predicate);
    }

    fn write_predicate(&mut self, predicate: &mut Predicate) {
        *predicate = self.predicate(*predicate);
    }
}
