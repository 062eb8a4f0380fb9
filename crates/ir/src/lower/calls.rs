use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::function::{Argument, Call};
use crate::{Anchor, Op, Predicate};
use warpsan_ptx::{Instruction, Operand, Span, Variable};

impl<'a> Lowerer<'a> {
    /// A call of a function that the module has.
    pub(super) fn call(
        &mut self,
        instruction: &'a Instruction<'a>,
        guard: Option<(Predicate, bool)>,
    ) -> Lower<()> {
        let span = instruction.span;
        let (results, name, arguments) = self.call_parts(instruction)?;
        let Some(function) = self.index.function(name) else {
            return self.unsupported(span, format!("a call through a function pointer (`{name}`)"));
        };
        if function.body.is_none() {
            return self.unsupported(span, format!("the external device function `{name}`"));
        }
        let formals = (function.returns, function.parameters());
        if formals.0.len() != results.len() || formals.1.len() != arguments.len() {
            return self.invalid(span, format!("`{name}` takes other arguments"));
        }
        let by_register = |variable: &Variable<'a>| variable.space == ".reg";
        if formals.0.iter().chain(formals.1).any(by_register) {
            let what = format!("the function `{name}`, which has registers as parameters,");
            return self.unsupported(span, what);
        }
        let results = self.bind(results, span)?;
        let arguments = self.bind(arguments, span)?;
        let call = Call { function: function.name.into(), results, arguments };
        self.push(span, guard, Op::Call(Box::new(call))).map(drop)
    }

    /// `call (results), name, (arguments)` with either list left out.
    fn call_parts(
        &self,
        instruction: &'a Instruction<'a>,
    ) -> Lower<(&'a [Operand<'a>], &'a str, &'a [Operand<'a>])> {
        let (mut results, mut name, mut arguments): (&[_], _, &[_]) = (&[], None, &[]);
        for operand in instruction.operands {
            match (operand, name) {
                (Operand::List(list), None) => results = list,
                (Operand::List(list), Some(_)) => arguments = list,
                (Operand::Name(word), None) => name = Some(*word),
                // The prototype of an indirect call.
                (Operand::Name(_), Some(_)) => {}
                _ => return self.invalid(instruction.span, "this is not a call"),
            }
        }
        match name {
            Some(name) => Ok((results, name, arguments)),
            None => self.invalid(instruction.span, "the call names no function"),
        }
    }

    /// The caller's variables that a call hands over.
    fn bind(&mut self, operands: &'a [Operand<'a>], span: Span) -> Lower<Box<[Argument]>> {
        let mut bound = Vec::new();
        for operand in operands {
            let Operand::Name(name) = operand else {
                return self.unsupported(span, "a call with a literal argument");
            };
            bound.push(match self.scopes.find(name) {
                Some(Symbol::Local(offset)) => Argument { anchor: Anchor::Frame, offset },
                Some(Symbol::Formal(number)) => {
                    Argument { anchor: Anchor::Formal(number), offset: 0 }
                }
                Some(_) => {
                    let what = format!("a call that hands over `{name}`, which is no variable");
                    return self.unsupported(span, what);
                }
                None => return self.invalid(span, format!("`{name}` is not declared")),
            });
        }
        Ok(bound.into_boxed_slice())
    }
}
