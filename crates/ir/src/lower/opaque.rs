//! Instructions without a meaning of their own here: what they read and write is still known.

use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::op::Opaque;
use crate::{LowerError, Op, OpaqueOperand, Register};
use warpsan_ptx::table::{Direction, Shape};
use warpsan_ptx::{AddressBase, Instruction, Operand};

impl<'a> Lowerer<'a> {
    /// Lowers an instruction; one that is not supported is kept as an opaque one.
    pub(super) fn instruction_or_opaque(&mut self, instruction: &'a Instruction<'a>) -> Lower<()> {
        let before = self.code.len();
        match self.instruction(instruction) {
            Err(LowerError::Unsupported(what)) => {
                // Operands that no form of the instruction has are a mistake, not a gap of ours.
                if instruction.mnemonic.row.is_some() && !instruction.is_known() {
                    return self.malformed(instruction);
                }
                self.code.truncate(before);
                let is_whole = what.what == self.whole(instruction);
                let what = (!is_whole).then(|| what.what.into_boxed_str());
                self.opaque(instruction, what)
            }
            other => other,
        }
    }

    fn opaque(&mut self, instruction: &'a Instruction<'a>, what: Option<Box<str>>) -> Lower<()> {
        let shapes: Vec<Shape> = instruction.operands.iter().map(Operand::shape).collect();
        // Of an unknown instruction every operand may be read and written.
        let items = instruction.mnemonic.row.and_then(|row| row.assign(&shapes));
        let mut operands = Vec::new();
        for (number, operand) in instruction.operands.iter().enumerate() {
            let item = items.as_ref().and_then(|items| items.get(number));
            let direction = item.map_or(Direction::ReadWritten, |item| item.direction);
            let is_address = matches!(operand, Operand::Address(_));
            if direction != Direction::Written || is_address {
                self.names(operand, false, &mut operands);
            }
            if direction != Direction::Read && !is_address {
                self.names(operand, true, &mut operands);
            }
        }
        let guard = match instruction.guard {
            Some(guard) => {
                let predicate = self.predicate_named(guard.register, instruction.span)?;
                Some((predicate, guard.negated))
            }
            None => None,
        };
        let op = Op::Opaque(Opaque { what, operands: operands.into_boxed_slice() });
        self.push(instruction.span, guard, op).map(drop)
    }

    fn names(&self, operand: &Operand<'a>, written: bool, into: &mut Vec<OpaqueOperand>) {
        match operand {
            Operand::Name(name)
            | Operand::Not(name)
            | Operand::Negated(name)
            | Operand::NameOffset((name, _)) => self.name(name, written, into),
            Operand::Address(address) => {
                if let AddressBase::Name(name) = address.base {
                    self.name(name, written, into);
                }
                address.further.iter().for_each(|operand| self.names(operand, written, into));
            }
            Operand::Vector(items) | Operand::List(items) => {
                items.iter().for_each(|operand| self.names(operand, written, into));
            }
            Operand::Pair((first, second)) => {
                self.names(first, written, into);
                self.names(second, written, into);
            }
            _ => {}
        }
    }

    fn name(&self, name: &str, written: bool, into: &mut Vec<OpaqueOperand>) {
        let whole = name.split_once('.').map_or(name, |(whole, _)| whole);
        let register = |register| match written {
            true => OpaqueOperand::Written(register),
            false => OpaqueOperand::Read(register),
        };
        match self.scopes.find(name).or_else(|| self.scopes.find(whole)) {
            Some(Symbol::Register(found)) => into.push(register(found)),
            Some(Symbol::Predicate(predicate)) if written => {
                into.push(OpaqueOperand::WrittenPredicate(predicate));
            }
            Some(Symbol::Predicate(predicate)) => {
                into.push(OpaqueOperand::ReadPredicate(predicate));
            }
            Some(Symbol::Vector(first, count)) => {
                into.extend(
                    (0..count).map(|element| {
                        register(Register { number: first.number + element, ..first })
                    }),
                );
            }
            _ => {}
        }
    }
}
