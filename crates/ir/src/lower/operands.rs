//! Operands: registers, literals, names and addresses become values.

use super::scope::Symbol;
use super::special_registers::special;
use super::{Lower, Lowerer};
use crate::literal::{literal_bits, truncate};
use crate::types::register_bits;
use crate::{
    AddressOperand, Anchor, BinaryOp, Compare, Declared, MemorySpace, Mode, Name, Op, Predicate,
    Register, Special, Type, Value,
};
use warpsan_ptx::{AddressBase, Operand, RegisterDeclaration, Span, Variable};

/// A family of registers that is larger is a mistake in the text.
const MOST_FAMILY_MEMBERS: u32 = 1 << 20;

/// An address operand: where it points, as a base and an offset.
pub(super) struct Address {
    pub(super) space: MemorySpace,
    pub(super) base: Value,
    pub(super) offset: i64,
    /// What base and offset are counted from.
    pub(super) anchor: Anchor,
}

impl<'a> Lowerer<'a> {
    pub(super) fn registers(&mut self, declaration: &RegisterDeclaration<'a>) -> Lower<()> {
        let span = declaration.span;
        let Some(bits) = register_bits(&declaration.data_type[1..]) else {
            let what = format!("a register of the type {}", declaration.data_type);
            return self.unsupported(span, what);
        };
        for (name, count) in declaration.names {
            let members = count.unwrap_or(1);
            if members > MOST_FAMILY_MEMBERS {
                return self.invalid(span, format!("{members} registers of one family"));
            }
            let first = if declaration.vector != 1 {
                let first = self.take_registers(members.saturating_mul(declaration.vector), bits);
                Symbol::Vector(first, declaration.vector)
            } else if declaration.data_type == ".pred" {
                Symbol::Predicate(self.take_predicates(members))
            } else {
                Symbol::Register(self.take_registers(members, bits))
            };
            self.note_declaration(name, *count, first);
            match count {
                Some(count) => self.scopes.declare_family(name, first, *count),
                None => self.scopes.declare(name, first),
            }
        }
        Ok(())
    }

    /// Keeps the names of registers and predicates for whoever writes text with them.
    pub(super) fn note_declaration(&mut self, name: &str, members: Option<u32>, symbol: Symbol) {
        let (first, each) = match symbol {
            Symbol::Register(register) => (Name::Register(register.number), 1),
            Symbol::Vector(register, each) => (Name::Register(register.number), each),
            Symbol::Predicate(predicate) => (Name::Predicate(predicate.0), 1),
            _ => return,
        };
        let is_outermost = self.scopes.is_outermost();
        let name = name.into();
        self.declared.push(Declared { name, members, first, each, is_outermost });
    }

    pub(super) fn register(&mut self, operand: &Operand<'a>, span: Span) -> Lower<Register> {
        match operand {
            Operand::Name(name) => match self.scopes.find(name) {
                Some(Symbol::Register(register)) => Ok(register),
                Some(_) => self.invalid(span, format!("`{name}` is not a register for values")),
                None => self.invalid(span, format!("`{name}` is not declared")),
            },
            // The result is not wanted: a register that nobody reads takes it.
            Operand::Ignored => Ok(self.take_registers(1, 64)),
            other => self.unsupported(span, format!("`{other}` in the place of a register")),
        }
    }

    pub(super) fn predicate(&mut self, operand: &Operand<'a>, span: Span) -> Lower<Predicate> {
        match operand {
            Operand::Name(name) => self.predicate_named(name, span),
            Operand::Ignored => Ok(self.take_predicates(1)),
            other => self.unsupported(span, format!("`{other}` in the place of a predicate")),
        }
    }

    pub(super) fn predicate_named(&mut self, name: &str, span: Span) -> Lower<Predicate> {
        match self.scopes.find(name) {
            Some(Symbol::Predicate(predicate)) => Ok(predicate),
            Some(_) => self.invalid(span, format!("`{name}` is not a predicate")),
            None => match special(name) {
                Some(special @ Special::IsExplicitCluster) => self.special_predicate(special, span),
                _ => self.invalid(span, format!("`{name}` is not declared")),
            },
        }
    }

    /// A special register that is a predicate, as a predicate of ours.
    fn special_predicate(&mut self, special: Special, span: Span) -> Lower<Predicate> {
        let to = self.take_registers(1, 32);
        self.push(span, None, Op::ReadSpecial { to, special })?;
        let predicate = self.take_predicates(1);
        let op = Op::SetPredicate {
            compare: Compare::Ne,
            ty: Type::B32,
            flush: false,
            to: Some(predicate),
            complement: None,
            a: Value::Register(to),
            b: Value::Constant(0),
            combine: None,
        };
        self.push(span, None, op)?;
        Ok(predicate)
    }

    /// A predicate that may be negated, or a constant one.
    pub(super) fn condition(
        &mut self,
        operand: &Operand<'a>,
        span: Span,
    ) -> Lower<(Predicate, bool)> {
        match operand {
            Operand::Not(name) => Ok((self.predicate_named(name, span)?, true)),
            Operand::Integer(_) | Operand::Expression(_) => {
                let to = self.take_predicates(1);
                let value = literal_bits(operand, Type::B64) != Some(0);
                self.push(span, None, Op::ConstantPredicate { to, value })?;
                Ok((to, false))
            }
            other => Ok((self.predicate(other, span)?, false)),
        }
    }

    /// A register, a literal, a special register or an address, as bits of `data_type`.
    pub(super) fn value(
        &mut self,
        operand: &Operand<'a>,
        data_type: Type,
        span: Span,
    ) -> Lower<Value> {
        let constant = match operand {
            Operand::Name("WARP_SZ") => Some(32),
            Operand::Name(name) => return self.named_value(name, 0, data_type, span),
            Operand::NameOffset((name, offset)) => {
                return self.named_value(name, *offset, data_type, span);
            }
            Operand::Negated(_) | Operand::Pair(_) | Operand::Vector(_) => None,
            literal => literal_bits(literal, data_type),
        };
        match constant {
            Some(constant) => Ok(Value::Constant(constant)),
            None => self.unsupported(span, format!("`{operand}` in the place of a value")),
        }
    }

    /// The value of a name: a register's as it is, others by a register that nobody else uses.
    fn named_value(
        &mut self,
        name: &'a str,
        offset: i64,
        data_type: Type,
        span: Span,
    ) -> Lower<Value> {
        if let (Some(Symbol::Register(register)), 0) = (self.scopes.find(name), offset) {
            return Ok(Value::Register(register));
        }
        if self.is_undeclared(name) || matches!(self.scopes.find(name), Some(Symbol::Predicate(_)))
        {
            return self.register(&Operand::Name(name), span).map(Value::Register);
        }
        let bits = if data_type.bits() > 64 { 64 } else { data_type.bits().max(32) };
        let to = self.take_registers(1, bits);
        let (op, anchor) = self.named_move(to, name, offset, data_type, span)?;
        self.push_anchored(span, None, op, anchor)?;
        Ok(Value::Register(to))
    }

    /// Whether nothing has this name.
    fn is_undeclared(&self, name: &str) -> bool {
        self.scopes.find(name).is_none()
            && special(name).is_none()
            && !self.index.variables.contains_key(name)
            && self.index.function(name).is_none()
    }

    /// What moves the value that a name stands for to a register: that of a register or a special
    /// register, or the address of a variable or function.
    pub(super) fn named_move(
        &mut self,
        to: Register,
        name: &'a str,
        offset: i64,
        ty: Type,
        span: Span,
    ) -> Lower<(Op, Anchor)> {
        let final_op = |op| Ok((op, Anchor::Nothing));
        match self.scopes.find(name) {
            None if offset == 0 && special(name).is_some() => {
                let special = special(name).unwrap_or(Special::Zero);
                return final_op(Op::ReadSpecial { to, special });
            }
            Some(Symbol::Register(register)) => {
                let from = Value::Register(register);
                return match offset {
                    0 => final_op(Op::Move { to, from }),
                    _ if ty.is_float() => {
                        self.invalid(span, format!("`{name}` and an offset are no number"))
                    }
                    _ => final_op(Op::Binary {
                        op: BinaryOp::Add,
                        ty,
                        mode: Mode::default(),
                        to,
                        a: from,
                        b: Value::Constant(truncate(offset as u64, ty.bits())),
                    }),
                };
            }
            _ => {}
        }
        if let Some((_, anchor, at)) = self.variable_address(name, span)? {
            let from = Value::Constant(at.wrapping_add_signed(offset));
            return Ok((Op::Move { to, from }, anchor));
        }
        if let Some(number) = self.index.function_number(name) {
            let from = Value::Constant(offset as u64);
            return Ok((Op::Move { to, from }, Anchor::Function(number)));
        }
        if name.starts_with('%') && warpsan_ptx::table::special_register(name).is_some() {
            return self.unsupported(span, format!("the special register {name}"));
        }
        self.register(&Operand::Name(name), span)
            .map(|from| (Op::Move { to, from: Value::Register(from) }, Anchor::Nothing))
    }

    /// The registers of a vector operand, or of a single one. What is not wanted has none.
    pub(super) fn destinations(
        &mut self,
        operand: &Operand<'a>,
        span: Span,
    ) -> Lower<Vec<Option<Register>>> {
        let elements = match operand {
            Operand::Vector(elements) => *elements,
            Operand::Name(name) => match self.scopes.find(name) {
                Some(Symbol::Vector(first, count)) => {
                    return Ok(vector(first, count).map(Some).collect());
                }
                _ => std::slice::from_ref(operand),
            },
            other => std::slice::from_ref(other),
        };
        let mut registers = Vec::with_capacity(elements.len());
        for element in elements {
            registers.push(match element {
                Operand::Ignored => None,
                other => Some(self.register(other, span)?),
            });
        }
        Ok(registers)
    }

    /// The values of a vector operand, or of a single one.
    pub(super) fn sources(
        &mut self,
        operand: &Operand<'a>,
        ty: Type,
        span: Span,
    ) -> Lower<Vec<Value>> {
        let elements = match operand {
            Operand::Vector(elements) => *elements,
            Operand::Name(name) => match self.scopes.find(name) {
                Some(Symbol::Vector(first, count)) => {
                    return Ok(vector(first, count).map(Value::Register).collect());
                }
                _ => std::slice::from_ref(operand),
            },
            other => std::slice::from_ref(other),
        };
        elements.iter().map(|element| self.value(element, ty, span)).collect()
    }

    /// The address that a variable's name stands for, in its own state space: what it is counted
    /// from, and the offset there.
    pub(super) fn variable_address(
        &mut self,
        name: &str,
        span: Span,
    ) -> Lower<Option<(MemorySpace, Anchor, u64)>> {
        let address = match self.scopes.find(name) {
            Some(Symbol::Shared(number)) => (MemorySpace::Shared, Anchor::Shared(number), 0),
            Some(Symbol::Local(offset)) => (MemorySpace::Local, Anchor::Frame, offset),
            Some(Symbol::Formal(number)) => (MemorySpace::Local, Anchor::Formal(number), 0),
            Some(Symbol::KernelParameter(offset)) => (MemorySpace::Param, Anchor::Nothing, offset),
            Some(Symbol::Unplaced) => {
                return self.unsupported(span, format!("the static variable `{name}`"));
            }
            Some(Symbol::Register(..) | Symbol::Predicate(_) | Symbol::Vector(..)) => {
                return Ok(None);
            }
            None => {
                let Some(variable) = self.index.variables.get(name).copied() else {
                    return Ok(None);
                };
                self.module_variable(variable)?
            }
        };
        Ok(Some(address))
    }

    fn module_variable(&mut self, variable: &'a Variable<'a>) -> Lower<(MemorySpace, Anchor, u64)> {
        let (bytes, alignment) = self.layout(variable)?;
        Ok(match variable.space {
            ".shared" if variable.extents.contains(&None) => {
                let known = self.dynamic_shared.unwrap_or(1);
                self.dynamic_shared = Some(known.max(alignment));
                (MemorySpace::Shared, Anchor::DynamicShared, 0)
            }
            ".shared" => {
                let number = self.shared_number(variable, bytes, alignment);
                (MemorySpace::Shared, Anchor::Shared(number), 0)
            }
            space => {
                let number = self.symbol_number(variable.name);
                let is_constant = space == ".const";
                let space = if is_constant { MemorySpace::Const } else { MemorySpace::Global };
                (space, Anchor::Symbol(number), 0)
            }
        })
    }

    /// `[base+offset]` of an instruction that may have several of them: the address of a variable
    /// comes by a register, so that nothing is left to be laid out.
    pub(super) fn place(
        &mut self,
        operand: &Operand<'a>,
        space: MemorySpace,
        span: Span,
    ) -> Lower<AddressOperand> {
        let Address { space, base, offset, anchor } = self.address(operand, space, span)?;
        if anchor == Anchor::Nothing {
            return Ok(AddressOperand { space, base, offset });
        }
        let to = self.take_registers(1, 64);
        let from = Value::Constant(offset as u64);
        self.push_anchored(span, None, Op::Move { to, from }, anchor)?;
        Ok(AddressOperand { space, base: Value::Register(to), offset: 0 })
    }

    /// `[base+offset]` of an instruction that names `space`, or none.
    pub(super) fn address(
        &mut self,
        operand: &Operand<'a>,
        space: MemorySpace,
        span: Span,
    ) -> Lower<Address> {
        let Operand::Address(address) = operand else {
            return self.unsupported(span, format!("`{operand}` in the place of an address"));
        };
        if !address.further.is_empty() {
            return self.unsupported(span, format!("the address `{operand}`"));
        }
        let offset = address.offset;
        match address.base {
            AddressBase::Absolute => {
                let base = Value::Constant(0);
                Ok(Address { space, base, offset, anchor: Anchor::Nothing })
            }
            AddressBase::Name(name) => {
                if let Some(Symbol::Register(register)) = self.scopes.find(name) {
                    let base = Value::Register(register);
                    // A function's parameters are variables of its caller, in local memory.
                    let of_caller = space == MemorySpace::Param && !self.is_kernel;
                    let space = if of_caller { MemorySpace::Local } else { space };
                    return Ok(Address { space, base, offset, anchor: Anchor::Nothing });
                }
                let Some((own, anchor, at)) = self.variable_address(name, span)? else {
                    return self.invalid(span, format!("`{name}` is not declared"));
                };
                // A variable's own space is known, also where the instruction says only `.param`,
                // which is local memory once a call is expanded in place.
                let base = Value::Constant(0);
                Ok(Address { space: own, base, offset: offset.wrapping_add(at as i64), anchor })
            }
        }
    }
}

/// The elements of a vector register.
fn vector(first: Register, count: u32) -> impl Iterator<Item = Register> {
    (0..count).map(move |element| Register { number: first.number + element, ..first })
}
