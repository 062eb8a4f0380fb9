use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::literal::literal_bits;
use crate::types::register_bits;
use crate::{Anchor, MemorySpace, Predicate, Register, Special, Type, Value};
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
            if declaration.vector != 1 {
                let first = self.take_registers(members.saturating_mul(declaration.vector));
                self.scopes.declare(name, Symbol::Vector(first, declaration.vector));
                continue;
            }
            let first = if declaration.data_type == ".pred" {
                Symbol::Predicate(self.take_predicates(members))
            } else {
                Symbol::Register(self.take_registers(members), bits)
            };
            match count {
                Some(count) => self.scopes.declare_family(name, first, *count),
                None => self.scopes.declare(name, first),
            }
        }
        Ok(())
    }

    pub(super) fn register(&mut self, operand: &Operand<'a>, span: Span) -> Lower<Register> {
        self.register_with_width(operand, span).map(|(register, _)| register)
    }

    pub(super) fn register_with_width(
        &mut self,
        operand: &Operand<'a>,
        span: Span,
    ) -> Lower<(Register, u32)> {
        match operand {
            Operand::Name(name) => match self.scopes.find(name) {
                Some(Symbol::Register(register, bits)) => Ok((register, bits)),
                Some(Symbol::Vector(..)) => {
                    self.unsupported(span, format!("the vector register `{name}`"))
                }
                Some(_) => self.invalid(span, format!("`{name}` is not a register for values")),
                None if name.contains('.') => {
                    self.unsupported(span, format!("the part of a register `{name}`"))
                }
                None => self.invalid(span, format!("`{name}` is not declared")),
            },
            // The result is not wanted: a register that nobody reads takes it.
            Operand::Ignored => Ok((self.take_registers(1), 64)),
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

    pub(super) fn predicate_named(&self, name: &str, span: Span) -> Lower<Predicate> {
        match self.scopes.find(name) {
            Some(Symbol::Predicate(predicate)) => Ok(predicate),
            Some(_) => self.invalid(span, format!("`{name}` is not a predicate")),
            None if warpsan_ptx::table::special_register(name).is_some() => {
                self.unsupported(span, format!("the special register {name}"))
            }
            None => self.invalid(span, format!("`{name}` is not declared")),
        }
    }

    /// A predicate that may be negated.
    pub(super) fn condition(
        &mut self,
        operand: &Operand<'a>,
        span: Span,
    ) -> Lower<(Predicate, bool)> {
        match operand {
            Operand::Not(name) => Ok((self.predicate_named(name, span)?, true)),
            other => Ok((self.predicate(other, span)?, false)),
        }
    }

    /// A register or a literal, as bits of `data_type`.
    pub(super) fn value(
        &mut self,
        operand: &Operand<'a>,
        data_type: Type,
        span: Span,
    ) -> Lower<Value> {
        let constant = match operand {
            Operand::Name(name) if name.starts_with("WARP_SZ") => Some(32),
            Operand::Name(_) => return self.register(operand, span).map(Value::Register),
            literal => literal_bits(literal, data_type),
        };
        match constant {
            Some(constant) => Ok(Value::Constant(constant)),
            None => self.unsupported(span, format!("`{operand}` in the place of a value")),
        }
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
        if !address.further.is_empty() || address.is_unified {
            return self.unsupported(span, format!("the address `{operand}`"));
        }
        let offset = address.offset;
        match address.base {
            AddressBase::Absolute => {
                let base = Value::Constant(0);
                Ok(Address { space, base, offset, anchor: Anchor::Nothing })
            }
            AddressBase::Name(name) => {
                if let Some(Symbol::Register(register, _)) = self.scopes.find(name) {
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

/// The special register of this name.
pub(super) fn special(name: &str) -> Option<Special> {
    let dimension = |suffix: &str| match suffix {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    if let Some((register, suffix)) = name.split_once('.') {
        let dimension = dimension(suffix)?;
        return Some(match register {
            "%tid" => Special::Tid(dimension),
            "%ntid" => Special::Ntid(dimension),
            "%ctaid" => Special::Ctaid(dimension),
            "%nctaid" => Special::Nctaid(dimension),
            _ => return None,
        });
    }
    Some(match name {
        "%laneid" => Special::Laneid,
        "%warpid" => Special::Warpid,
        "%nwarpid" => Special::Nwarpid,
        "WARP_SZ" => Special::WarpSize,
        "%smid" => Special::Smid,
        "%nsmid" => Special::Nsmid,
        "%gridid" => Special::Gridid,
        "%lanemask_eq" => Special::LanemaskEq,
        "%lanemask_le" => Special::LanemaskLe,
        "%lanemask_lt" => Special::LanemaskLt,
        "%lanemask_ge" => Special::LanemaskGe,
        "%lanemask_gt" => Special::LanemaskGt,
        "%clock" => Special::Clock,
        "%clock64" => Special::Clock64,
        "%globaltimer" => Special::Globaltimer,
        "%dynamic_smem_size" => Special::DynamicSharedSize,
        "%total_smem_size" => Special::TotalSharedSize,
        _ => return None,
    })
}
