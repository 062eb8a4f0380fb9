//! Calls, their arguments, and the functions that the system provides.

use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::error::VariableError;
use crate::op::{Argument, Call, Callee};
use crate::types::register_bits;
use crate::variables::layout;
use crate::{Anchor, MemorySpace, Op, Predicate, Register, SystemFunction, Type, Value};
use warpsan_model::Strength;
use warpsan_ptx::{Instruction, Operand, Span, Variable};

type Guard = Option<(Predicate, bool)>;
type Operands<'a> = &'a [Operand<'a>];

/// The parameters of a function or of a prototype: results, then arguments.
pub(super) type Signature<'a> = (&'a [Variable<'a>], &'a [Variable<'a>]);

/// The parts of `call (results), callee, (arguments), prototype`.
struct Parts<'a> {
    results: Operands<'a>,
    callee: &'a str,
    arguments: Operands<'a>,
    prototype: Option<&'a str>,
}

impl<'a> Lowerer<'a> {
    /// A call of a function that the module has, that the system has, or that a pointer leads to.
    pub(super) fn call(&mut self, instruction: &'a Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let parts = self.call_parts(instruction)?;
        let (callee, signature) = match self.scopes.find(parts.callee) {
            Some(Symbol::Register(register)) => self.pointer(&parts, register, span)?,
            Some(_) => {
                return self.invalid(span, format!("`{}` is not a function", parts.callee));
            }
            None => self.function_or_system(&parts, span)?,
        };
        if (signature.0.len(), signature.1.len()) != (parts.results.len(), parts.arguments.len()) {
            return self.invalid(span, format!("`{}` takes other arguments", parts.callee));
        }
        let mut loads = Vec::new();
        let mut results = Vec::new();
        for (operand, formal) in parts.results.iter().zip(signature.0) {
            let (argument, register) = self.bind(operand, formal, span)?;
            results.push(argument);
            loads.extend(register.map(|register| (argument, register, formal)));
        }
        let mut arguments = Vec::new();
        for (operand, formal) in parts.arguments.iter().zip(signature.1) {
            arguments.push(self.hand_over(operand, formal, guard, span)?);
        }
        let (results, arguments) = (results.into_boxed_slice(), arguments.into_boxed_slice());
        let call = Call { callee, results, arguments };
        self.push(span, guard, Op::Call(Box::new(call)))?;
        for (argument, register, formal) in loads {
            let ty = self.register_type(formal)?;
            self.load_slot(register, ty, argument.anchor, argument.offset, guard, span)?;
        }
        Ok(())
    }

    fn function_or_system(
        &mut self,
        parts: &Parts<'a>,
        span: Span,
    ) -> Lower<(Callee, Signature<'a>)> {
        let name = parts.callee;
        let Some(function) = self.index.function(name) else {
            return self.invalid(span, format!("`{name}` is not declared"));
        };
        if function.is_kernel {
            return self.invalid(span, format!("`{name}` is a kernel, and kernels are not called"));
        }
        let signature = (function.returns, function.parameters());
        if function.body.is_some() {
            return Ok((Callee::Function(function.name.into()), signature));
        }
        let (system, arguments) = match name {
            "vprintf" => (SystemFunction::Print, 2),
            "malloc" => (SystemFunction::Allocate, 1),
            "free" => (SystemFunction::Free, 1),
            "__assertfail" => (SystemFunction::AssertionFailed, 5),
            _ => return self.unsupported(span, format!("the external device function `{name}`")),
        };
        if signature.1.len() != arguments {
            return self.unsupported(span, format!("the external device function `{name}`"));
        }
        Ok((Callee::System(system), signature))
    }

    /// A call through a pointer: the prototype says what is handed over.
    fn pointer(
        &mut self,
        parts: &Parts<'a>,
        register: Register,
        span: Span,
    ) -> Lower<(Callee, Signature<'a>)> {
        let Some(name) = parts.prototype else {
            return self.invalid(span, "a call through a pointer without a prototype");
        };
        let Some(signature) = self.prototype(name) else {
            return self.invalid(span, format!("there is no prototype `{name}`"));
        };
        let mut layouts = [Vec::new(), Vec::new()];
        for (list, formals) in layouts.iter_mut().zip([signature.0, signature.1]) {
            for formal in formals {
                list.push(self.formal_layout(formal)?);
            }
        }
        let [results, parameters] = layouts.map(Vec::into_boxed_slice);
        let address = Value::Register(register);
        Ok((Callee::Pointer { address, results, parameters }, signature))
    }

    /// `call (results), name, (arguments), prototype` with all but the name left out or not.
    fn call_parts(&self, instruction: &'a Instruction<'a>) -> Lower<Parts<'a>> {
        let (mut results, mut name, mut arguments): (&[_], _, &[_]) = (&[], None, &[]);
        let mut prototype = None;
        for operand in instruction.operands {
            match (operand, name) {
                (Operand::List(list), None) => results = list,
                (Operand::List(list), Some(_)) => arguments = list,
                (Operand::Name(word), None) => name = Some(*word),
                (Operand::Name(word), Some(_)) => prototype = Some(*word),
                _ => return self.invalid(instruction.span, "this is not a call"),
            }
        }
        match name {
            Some(callee) => Ok(Parts { results, callee, arguments, prototype }),
            None => self.invalid(instruction.span, "the call names no function"),
        }
    }

    /// Size and alignment of a parameter, which may be a register.
    pub(super) fn formal_layout(&self, formal: &Variable<'a>) -> Lower<(u64, u64)> {
        formal_layout(formal).or_else(|error| self.unsupported(formal.span, error.to_string()))
    }

    /// The type that moves a parameter which is a register.
    pub(super) fn register_type(&self, formal: &Variable<'a>) -> Lower<Type> {
        match self.formal_layout(formal)?.0 {
            1 => Ok(Type::B8),
            2 => Ok(Type::B16),
            4 => Ok(Type::B32),
            8 => Ok(Type::B64),
            16 => Ok(Type::B128),
            _ => {
                let what = format!("`{}`, a parameter of this type in a register,", formal.name);
                self.unsupported(formal.span, what)
            }
        }
    }

    /// The caller's variable that a call hands over. A register gets a variable of its own and is
    /// given back.
    fn bind(
        &mut self,
        operand: &Operand<'a>,
        formal: &Variable<'a>,
        span: Span,
    ) -> Lower<(Argument, Option<Register>)> {
        let register = match operand {
            Operand::Name(name) => match self.scopes.find(name) {
                Some(Symbol::Local(offset)) => {
                    return Ok((Argument { anchor: Anchor::Frame, offset }, None));
                }
                Some(Symbol::Formal(number)) => {
                    return Ok((Argument { anchor: Anchor::Formal(number), offset: 0 }, None));
                }
                Some(Symbol::Register(register)) => Some(register),
                Some(_) => {
                    let what = format!("a call that hands over `{name}`, which is no variable");
                    return self.unsupported(span, what);
                }
                None => return self.invalid(span, format!("`{name}` is not declared")),
            },
            _ => None,
        };
        let (bytes, alignment) = self.formal_layout(formal)?;
        let offset = self.take_frame(bytes, alignment);
        Ok((Argument { anchor: Anchor::Frame, offset }, register))
    }

    /// An argument of a call. A register or a literal is stored in a variable first.
    fn hand_over(
        &mut self,
        operand: &Operand<'a>,
        formal: &Variable<'a>,
        guard: Guard,
        span: Span,
    ) -> Lower<Argument> {
        let (argument, register) = self.bind(operand, formal, span)?;
        let value = match (register, operand) {
            (Some(register), _) => Value::Register(register),
            (None, Operand::Name(_)) => return Ok(argument),
            (None, literal) => {
                let ty = Type::parse(&formal.data_type[1..]).unwrap_or(Type::B64);
                self.value(literal, ty, span)?
            }
        };
        let ty = self.register_type(formal)?;
        self.store_slot(value, ty, argument.anchor, argument.offset, guard, span)?;
        Ok(argument)
    }

    /// Loads a register from a place in local memory.
    pub(super) fn load_slot(
        &mut self,
        register: Register,
        ty: Type,
        anchor: Anchor,
        offset: u64,
        guard: Guard,
        span: Span,
    ) -> Lower<()> {
        let op = Op::Load {
            space: MemorySpace::Local,
            ty,
            strength: Strength::Weak,
            read_only_path: false,
            to: vec![Some(register)],
            base: Value::Constant(0),
            offset: offset as i64,
        };
        self.push_anchored(span, guard, op, anchor).map(drop)
    }

    /// Stores a value to a place in local memory.
    pub(super) fn store_slot(
        &mut self,
        value: Value,
        ty: Type,
        anchor: Anchor,
        offset: u64,
        guard: Guard,
        span: Span,
    ) -> Lower<()> {
        let op = Op::Store {
            space: MemorySpace::Local,
            ty,
            strength: Strength::Weak,
            from: vec![value],
            base: Value::Constant(0),
            offset: offset as i64,
        };
        self.push_anchored(span, guard, op, anchor).map(drop)
    }
}

/// Size and alignment of a parameter of a function, which may be a register.
pub(crate) fn formal_layout(formal: &Variable<'_>) -> Result<(u64, u64), VariableError> {
    if formal.space != ".reg" {
        return layout(formal);
    }
    match register_bits(&formal.data_type[1..]) {
        Some(bits) if bits > 0 => Ok((u64::from(bits / 8), u64::from(bits / 8))),
        _ => Err(VariableError::RegisterParameter {
            name: formal.name.to_string(),
            data_type: formal.data_type.to_string(),
        }),
    }
}
