//! Calls: expanded in place, or made into calls of subroutines and of the system.

use super::{DEEPEST_EXPANSION, Expander, MOST_EXPANDED_INSTRUCTIONS, Resources, Site};
use crate::cycles::on_cycles;
use crate::op::{Argument, Call, Callee};
use crate::{
    CallCopy, CallTarget, Function, Instruction, LowerError, Op, SubroutineCall, SystemCall,
    parameter_places,
};
use std::collections::HashMap;
use std::rc::Rc;

impl Expander<'_> {
    pub(super) fn call(
        &mut self,
        site: &Site<'_>,
        instruction: &Instruction,
        call: &Call,
    ) -> Result<(), LowerError> {
        let place = |argument: &Argument| site.local_address(argument.anchor, argument.offset);
        if let Callee::System(function) = call.callee {
            let system = SystemCall {
                function,
                arguments: call.arguments.iter().map(place).collect(),
                result: call.results.first().map(place),
                in_frame: site.in_frame,
            };
            return self.push(site, instruction, Op::System(Box::new(system)));
        }
        // Lanes whose guard is false step over the call.
        let step_over = match instruction.guard {
            Some((predicate, negated)) => {
                let at = self.code.len();
                let inverse =
                    Instruction { guard: Some((predicate, !negated)), ..instruction.clone() };
                self.push(site, &inverse, Op::Branch { target: 0, reconverge: None })?;
                Some(at)
            }
            None => None,
        };
        let instruction = &Instruction { guard: None, ..instruction.clone() };
        match &call.callee {
            Callee::Function(name) => {
                let callee = self.function(name)?;
                if self.is_to_be_called(&callee)? {
                    let target = CallTarget::Subroutine(self.request(&callee));
                    let layouts = self.layouts(&callee)?;
                    self.call_subroutine(site, instruction, call, target, layouts)?;
                } else {
                    let actuals: Vec<u64> =
                        call.results.iter().chain(&call.arguments).map(place).collect();
                    self.expand_call(site, instruction, &callee, &actuals)?;
                }
            }
            Callee::Pointer { address, results, parameters } => {
                self.request_pointed_at(results, parameters)?;
                let target = CallTarget::Pointer(*address);
                let layouts = results.iter().chain(parameters).copied().collect();
                self.call_subroutine(site, instruction, call, target, layouts)?;
            }
            Callee::System(_) => {}
        }
        if let Some(at) = step_over {
            let end = self.code.len() as u32;
            if let Op::Branch { target, .. } = &mut self.code[at].op {
                *target = end;
            }
        }
        Ok(())
    }

    /// Whether a function is called, not expanded.
    fn is_to_be_called(&mut self, callee: &Rc<Function>) -> Result<bool, LowerError> {
        let too_much = self.expansions >= self.most_expansions
            || self.depth >= DEEPEST_EXPANSION
            || self.code.len() + callee.code.len() > MOST_EXPANDED_INSTRUCTIONS;
        Ok(too_much || self.is_recursive(callee)?)
    }

    /// Whether a chain of direct calls leads from a function back to it. All functions that it reaches are judged with
    /// it, so that each is looked at once.
    fn is_recursive(&mut self, function: &Rc<Function>) -> Result<bool, LowerError> {
        if let Some(known) = self.recursive.get(&function.name) {
            return Ok(*known);
        }
        // What was judged before leads to nothing that was not, so it is on no cycle with what is new.
        let mut numbers = HashMap::from([(function.name.clone(), 0)]);
        let mut reached = vec![function.clone()];
        let mut edges: Vec<Vec<usize>> = Vec::new();
        while let Some(caller) = reached.get(edges.len()).cloned() {
            let mut callees = Vec::new();
            for instruction in &caller.code {
                let Op::Call(call) = &instruction.op else { continue };
                let Callee::Function(name) = &call.callee else { continue };
                let callee = self.function(name)?;
                if self.recursive.contains_key(&callee.name) {
                    continue;
                }
                let next = reached.len();
                let number = *numbers.entry(callee.name.clone()).or_insert(next);
                if number == next {
                    reached.push(callee);
                }
                callees.push(number);
            }
            edges.push(callees);
        }
        let on_cycles = on_cycles(&edges);
        let judged = reached.iter().map(|function| function.name.clone()).zip(&on_cycles);
        self.recursive.extend(judged.map(|(name, is_recursive)| (name, *is_recursive)));
        Ok(on_cycles[0])
    }

    fn expand_call(
        &mut self,
        site: &Site<'_>,
        instruction: &Instruction,
        callee: &Function,
        actuals: &[u64],
    ) -> Result<(), LowerError> {
        let mut callers = site.function.lines.frames(instruction.line);
        callers.extend_from_slice(site.callers);
        let in_use = site.in_use();
        let frame = in_use.frame.next_multiple_of(callee.local_alignment);
        let base = Resources { frame, ..in_use };
        self.expand(&Site::new(callee, base, actuals, &callers, site.in_frame))
    }

    fn call_subroutine(
        &mut self,
        site: &Site<'_>,
        instruction: &Instruction,
        call: &Call,
        target: CallTarget,
        layouts: Vec<(u64, u64)>,
    ) -> Result<(), LowerError> {
        let places = parameter_places(layouts.iter().copied());
        let arguments = call.results.iter().chain(&call.arguments);
        let mut copies: Vec<CallCopy> = arguments
            .zip(&layouts)
            .zip(places)
            .map(|((argument, (bytes, _)), callee)| CallCopy {
                caller: site.local_address(argument.anchor, argument.offset),
                callee,
                bytes: *bytes,
            })
            .collect();
        let arguments = copies.split_off(call.results.len().min(copies.len()));
        let Resources { registers, predicates, frame } = site.in_use();
        let call =
            SubroutineCall { target, arguments, results: copies, frame, registers, predicates };
        self.calls.push(self.code.len());
        self.push(site, instruction, Op::CallSubroutine(Box::new(call)))
    }

    /// The frames of subroutines start where their variables are aligned.
    pub(super) fn align_frames(&mut self) {
        for at in &self.calls {
            if let Op::CallSubroutine(call) = &mut self.code[*at].op {
                call.frame = call.frame.next_multiple_of(self.local_alignment);
            }
        }
    }
}
