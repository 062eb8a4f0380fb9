use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::{Op, Predicate};
use warpsan_ptx::{Function, Instruction, Operand, Span, Variable};

/// Calls nested deeper than this are taken for recursion.
const DEEPEST_CALLS: usize = 64;

impl<'m, 's> Lowerer<'m, 's> {
    /// Expands the called function in place of the call.
    pub(super) fn call(
        &mut self,
        instruction: &'m Instruction<'s>,
        guard: Option<(Predicate, bool)>,
    ) -> Lower<()> {
        let span = &instruction.span;
        let (results, name, arguments) = self.call_parts(instruction)?;
        let name = self.module.aliases.get(name).copied().unwrap_or(name);
        let Some(&function) = self.functions.get(name) else {
            return self.unsupported(span, format!("a call through a function pointer (`{name}`)"));
        };
        if function.body.is_none() {
            return self.unsupported(span, format!("the external device function `{name}`"));
        }
        let known = self.expansions.iter().any(|expansion| expansion.name == name);
        if known || self.expansions.len() > DEEPEST_CALLS {
            return self.unsupported(span, format!("the recursive function `{name}`"));
        }
        // Lanes whose guard is false step over the expanded body.
        let step_over = match guard {
            Some((predicate, negated)) => {
                let jump = Op::Branch { target: 0, meet: None };
                Some(self.push(span, Some((predicate, !negated)), jump)?)
            }
            None => None,
        };
        let callers = self.frames();
        let bindings = self.bind(function, results, arguments, span)?;
        self.scopes.open_closed();
        for (name, symbol) in bindings {
            self.scopes.declare(name, symbol);
        }
        self.expand(function, callers)?;
        self.scopes.close();
        if let Some(at) = step_over {
            let end = self.code.len() as u32;
            super::set_target(&mut self.code[at].op, end);
        }
        Ok(())
    }

    /// `call (results), name, (arguments)` with either list left out.
    fn call_parts(
        &self,
        instruction: &'m Instruction<'s>,
    ) -> Lower<(&'m [Operand<'s>], &'s str, &'m [Operand<'s>])> {
        let (mut results, mut name, mut arguments): (&[_], _, &[_]) = (&[], None, &[]);
        for operand in &instruction.operands {
            match (operand, name) {
                (Operand::List(list), None) => results = list,
                (Operand::List(list), Some(_)) => arguments = list,
                (Operand::Name(word), None) => name = Some(*word),
                // The prototype of an indirect call.
                (Operand::Name(_), Some(_)) => {}
                _ => return self.invalid(&instruction.span, "this is not a call"),
            }
        }
        match name {
            Some(name) => Ok((results, name, arguments)),
            None => self.invalid(&instruction.span, "the call names no function"),
        }
    }

    /// The callee's parameters are the caller's variables under another name.
    fn bind(
        &mut self,
        function: &'m Function<'s>,
        results: &[Operand<'s>],
        arguments: &[Operand<'s>],
        span: &Span,
    ) -> Lower<Vec<(&'s str, Symbol)>> {
        let pair = |formal: &'m [Variable<'s>], actual: &[Operand<'s>]| {
            (formal.len() == actual.len())
                .then(|| formal.iter().map(|variable| variable.name).zip(actual.to_vec()))
        };
        let lists = pair(&function.returns, results).zip(pair(&function.parameters, arguments));
        let Some((results, arguments)) = lists else {
            return self.invalid(span, format!("`{}` takes other arguments", function.name));
        };
        let by_register = |variable: &Variable<'s>| variable.space == ".reg";
        if function.returns.iter().chain(&function.parameters).any(by_register) {
            let what =
                format!("the function `{}`, which has registers as parameters,", function.name);
            return self.unsupported(span, what);
        }
        let mut bindings = Vec::new();
        for (formal, actual) in results.chain(arguments) {
            match actual {
                Operand::Name(name) => match self.scopes.find(name) {
                    Some(symbol) => bindings.push((formal, symbol)),
                    None => return self.invalid(span, format!("`{name}` is not declared")),
                },
                _ => return self.unsupported(span, "a call with a literal argument"),
            }
        }
        Ok(bindings)
    }
}
