//! Instructions without a meaning of their own here: what they read and write is still known.

use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::function::Opaque;
use crate::{LowerError, Op, Predicate, Register, Unsupported};
use warpsan_ptx::table::{Direction, FormItem, Shape};
use warpsan_ptx::{AddressBase, Instruction, Operand};

/// Registers and predicates that an operand names.
#[derive(Default)]
struct Names {
    registers: Vec<Register>,
    predicates: Vec<Predicate>,
}

impl<'a> Lowerer<'a> {
    /// Lowers an instruction; one that is not supported is kept as an opaque one.
    pub(super) fn instruction_or_opaque(&mut self, instruction: &'a Instruction<'a>) -> Lower<()> {
        let before = self.code.len();
        match self.instruction(instruction) {
            Err(LowerError::Unsupported(what)) => {
                self.code.truncate(before);
                self.opaque(instruction, what)
            }
            other => other,
        }
    }

    fn opaque(&mut self, instruction: &'a Instruction<'a>, what: Unsupported) -> Lower<()> {
        let shapes: Vec<Shape> = instruction.operands.iter().map(Operand::shape).collect();
        // Of an unknown instruction every operand may be read and written.
        let items = instruction.mnemonic.row.and_then(|row| row.assign(&shapes));
        let (mut read, mut written) = (Names::default(), Names::default());
        for (number, operand) in instruction.operands.iter().enumerate() {
            let item: Option<&FormItem> = items.as_ref().and_then(|items| items.get(number));
            let direction = item.map_or(Direction::ReadWritten, |item| item.direction);
            let is_address = matches!(operand, Operand::Address(_));
            if direction != Direction::Written || is_address {
                self.names(operand, &mut read);
            }
            if direction != Direction::Read && !is_address {
                self.names(operand, &mut written);
            }
        }
        let guard = match instruction.guard {
            Some(guard) => {
                let predicate = self.predicate_named(guard.register, instruction.span)?;
                Some((predicate, guard.negated))
            }
            None => None,
        };
        let op = Op::Opaque(Box::new(Opaque {
            what,
            reads: read.registers,
            writes: written.registers,
            reads_predicates: read.predicates,
            writes_predicates: written.predicates,
        }));
        self.push(instruction.span, guard, op).map(drop)
    }

    fn names(&self, operand: &Operand<'a>, into: &mut Names) {
        match operand {
            Operand::Name(name) | Operand::Not(name) | Operand::Negated(name) => {
                self.name(name, into);
            }
            Operand::NameOffset((name, _)) => self.name(name, into),
            Operand::Address(address) => {
                if let AddressBase::Name(name) = address.base {
                    self.name(name, into);
                }
                address.further.iter().for_each(|operand| self.names(operand, into));
            }
            Operand::Vector(items) | Operand::List(items) => {
                items.iter().for_each(|operand| self.names(operand, into));
            }
            Operand::Pair((first, second)) => {
                self.names(first, into);
                self.names(second, into);
            }
            _ => {}
        }
    }

    fn name(&self, name: &str, into: &mut Names) {
        let whole = name.split_once('.').map_or(name, |(whole, _)| whole);
        let symbol = self.scopes.find(name).or_else(|| self.scopes.find(whole));
        match symbol {
            Some(Symbol::Register(register, _)) => into.registers.push(register),
            Some(Symbol::Predicate(predicate)) => into.predicates.push(predicate),
            Some(Symbol::Vector(first, count)) => {
                into.registers.extend((0..count).map(|element| Register(first.0 + element)));
            }
            _ => {}
        }
    }
}
