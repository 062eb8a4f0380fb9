use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::literal::literal_bits;
use crate::{MemorySpace, Predicate, Register, Special, Type, Value};
use warpsan_ptx::{AddressBase, Operand, RegisterDeclaration, Span};

/// A family of registers that is larger is a mistake in the text.
const MOST_FAMILY_MEMBERS: u32 = 1 << 20;

/// An address operand: where it points, as a base and an offset.
pub(super) struct Address {
    pub(super) space: MemorySpace,
    pub(super) base: Value,
    pub(super) offset: i64,
    /// It is counted from the start of dynamic shared memory, which is not placed yet.
    pub(super) dynamic_shared: bool,
}

impl<'s> Lowerer<'_, 's> {
    pub(super) fn registers(&mut self, declaration: &RegisterDeclaration<'s>) -> Lower<()> {
        let span = &declaration.span;
        if declaration.vector != 1 {
            return self.unsupported(span, "a register of a vector type");
        }
        let Some(data_type) = Type::parse(&declaration.data_type[1..]) else {
            let what = format!("a register of the type {}", declaration.data_type);
            return self.unsupported(span, what);
        };
        for (name, count) in &declaration.names {
            let members = count.unwrap_or(1);
            if members > MOST_FAMILY_MEMBERS {
                return self.invalid(span, format!("{members} registers of one family"));
            }
            let first = if data_type == Type::Pred {
                Symbol::Predicate(self.take_predicates(members))
            } else {
                Symbol::Register(self.take_registers(members), data_type.bits())
            };
            match count {
                Some(count) => self.scopes.declare_family(name, first, *count),
                None => self.scopes.declare(name, first),
            }
        }
        Ok(())
    }

    pub(super) fn register(&mut self, operand: &Operand<'s>, span: &Span) -> Lower<Register> {
        self.register_with_width(operand, span).map(|(register, _)| register)
    }

    pub(super) fn register_with_width(
        &mut self,
        operand: &Operand<'s>,
        span: &Span,
    ) -> Lower<(Register, u32)> {
        match operand {
            Operand::Name(name) => match self.scopes.find(name) {
                Some(Symbol::Register(register, bits)) => Ok((register, bits)),
                Some(_) => self.invalid(span, format!("`{name}` is not a register for values")),
                None => self.invalid(span, format!("`{name}` is not declared")),
            },
            // The result is not wanted: a register that nobody reads takes it.
            Operand::Ignored => Ok((self.take_registers(1), 64)),
            other => self.invalid(span, format!("expected a register, found {other:?}")),
        }
    }

    pub(super) fn predicate(&mut self, operand: &Operand<'s>, span: &Span) -> Lower<Predicate> {
        match operand {
            Operand::Name(name) => self.predicate_named(name, span),
            Operand::Ignored => Ok(self.take_predicates(1)),
            other => self.invalid(span, format!("expected a predicate, found {other:?}")),
        }
    }

    pub(super) fn predicate_named(&self, name: &str, span: &Span) -> Lower<Predicate> {
        match self.scopes.find(name) {
            Some(Symbol::Predicate(predicate)) => Ok(predicate),
            Some(_) => self.invalid(span, format!("`{name}` is not a predicate")),
            None => self.invalid(span, format!("`{name}` is not declared")),
        }
    }

    /// A predicate that may be negated.
    pub(super) fn condition(
        &mut self,
        operand: &Operand<'s>,
        span: &Span,
    ) -> Lower<(Predicate, bool)> {
        match operand {
            Operand::Not(name) => Ok((self.predicate_named(name, span)?, true)),
            other => Ok((self.predicate(other, span)?, false)),
        }
    }

    /// A register or a literal, as bits of `data_type`.
    pub(super) fn value(
        &mut self,
        operand: &Operand<'s>,
        data_type: Type,
        span: &Span,
    ) -> Lower<Value> {
        let constant = match operand {
            Operand::Name(name) if name.starts_with("WARP_SZ") => Some(32),
            Operand::Name(_) => return self.register(operand, span).map(Value::Register),
            literal => literal_bits(literal, data_type),
        };
        match constant {
            Some(constant) => Ok(Value::Constant(constant)),
            None => self.invalid(span, format!("expected a register or number, found {operand:?}")),
        }
    }

    /// The address that a variable's name stands for, in its own state space.
    pub(super) fn variable_address(&mut self, name: &str) -> Option<(MemorySpace, u64, bool)> {
        match self.scopes.find(name) {
            Some(Symbol::Shared(offset)) => return Some((MemorySpace::Shared, offset, false)),
            Some(Symbol::Local(offset)) => return Some((MemorySpace::Local, offset, false)),
            Some(Symbol::KernelParameter(offset)) => {
                return Some((MemorySpace::Param, offset, false));
            }
            Some(_) => return None,
            None => {}
        }
        let module = self.module;
        let variable = module.variables.iter().find(|variable| variable.name == name)?;
        let (bytes, alignment) = self.layout(variable).ok()?;
        match variable.space {
            ".shared" if variable.extents.contains(&0) => {
                let known = self.dynamic_shared.unwrap_or(1);
                self.dynamic_shared = Some(known.max(alignment));
                Some((MemorySpace::Shared, 0, true))
            }
            ".shared" => match self.place_shared(variable, bytes, alignment) {
                Symbol::Shared(offset) => Some((MemorySpace::Shared, offset, false)),
                _ => None,
            },
            ".const" => Some((MemorySpace::Const, *self.symbols.get(name)?, false)),
            _ => Some((MemorySpace::Global, *self.symbols.get(name)?, false)),
        }
    }

    /// `[base+offset]` of an instruction that names `space`, or none.
    pub(super) fn address(
        &mut self,
        operand: &Operand<'s>,
        space: MemorySpace,
        span: &Span,
    ) -> Lower<Address> {
        let Operand::Address { base, offset } = operand else {
            return self.invalid(span, format!("expected an address, found {operand:?}"));
        };
        let offset = *offset;
        match base {
            AddressBase::Absolute => {
                let base = Value::Constant(0);
                Ok(Address { space, base, offset, dynamic_shared: false })
            }
            AddressBase::Name(name) => {
                if let Some(Symbol::Register(register, _)) = self.scopes.find(name) {
                    let base = Value::Register(register);
                    return Ok(Address { space, base, offset, dynamic_shared: false });
                }
                let Some((own, at, dynamic_shared)) = self.variable_address(name) else {
                    return self.invalid(span, format!("`{name}` is not declared"));
                };
                // A variable's own space is known, also where the instruction says only `.param`,
                // which is local memory once a call is expanded in place.
                let base = Value::Constant(0);
                Ok(Address {
                    space: own,
                    base,
                    offset: offset.wrapping_add(at as i64),
                    dynamic_shared,
                })
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
