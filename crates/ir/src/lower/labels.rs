use super::calls::Signature;
use super::{Lower, Lowerer};
use crate::Op;
use std::collections::HashMap;
use warpsan_ptx::{CallPrototype, Label, Span, Targets};

/// Labels are seen in their own scope and inside of it.
#[derive(Default)]
pub(super) struct LabelScope<'a> {
    pub(super) labels: HashMap<&'a str, u32>,
    /// Lists of targets for `brx.idx`.
    pub(super) lists: HashMap<&'a str, &'a [&'a str]>,
    /// What calls through pointers hand over.
    pub(super) prototypes: HashMap<&'a str, Signature<'a>>,
    /// Jumps whose label has not been found yet.
    pub(super) jumps: Vec<Jump<'a>>,
}

/// A jump to a label.
pub(super) struct Jump<'a> {
    /// The instruction.
    pub(super) at: usize,
    /// Which of the instruction's targets.
    pub(super) number: usize,
    pub(super) label: &'a str,
    pub(super) span: Span,
}

impl<'a> Lowerer<'a> {
    /// Resolves the jumps to labels of the innermost scope; the others may go to an outer one.
    pub(super) fn close_labels(&mut self) -> Lower<()> {
        let Some(scope) = self.labels.pop() else { return Ok(()) };
        for jump in scope.jumps {
            match (scope.labels.get(jump.label), self.labels.last_mut()) {
                (Some(&to), _) => set_target(&mut self.code[jump.at].op, jump.number, to),
                (None, Some(outer)) => outer.jumps.push(jump),
                (None, None) => {
                    let what = format!("there is no label `{}` in this function", jump.label);
                    return self.invalid(jump.span, what);
                }
            }
        }
        Ok(())
    }

    pub(super) fn label(&mut self, label: &Label<'a>) -> Lower<()> {
        let here = self.code.len() as u32;
        self.last_label = Some(here);
        let scope = self.labels.last_mut();
        match scope.and_then(|scope| scope.labels.insert(label.name, here)) {
            None => Ok(()),
            Some(_) => {
                self.invalid(label.span, format!("the label `{}` is there twice", label.name))
            }
        }
    }

    pub(super) fn targets(&mut self, targets: &Targets<'a>) {
        // All functions of a list take the same arguments.
        let first = targets.names.first().filter(|_| targets.are_functions);
        let function = first.and_then(|name| self.index.function(name));
        let Some(scope) = self.labels.last_mut() else { return };
        if let Some(function) = function {
            let signature = (function.returns, function.parameters());
            scope.prototypes.insert(targets.label, signature);
        } else if !targets.are_functions {
            scope.lists.insert(targets.label, targets.names);
        }
    }

    pub(super) fn call_prototype(&mut self, prototype: &CallPrototype<'a>) {
        if let Some(scope) = self.labels.last_mut() {
            let signature = (prototype.returns, prototype.parameters.unwrap_or_default());
            scope.prototypes.insert(prototype.label, signature);
        }
    }

    pub(super) fn prototype(&self, label: &str) -> Option<Signature<'a>> {
        self.labels.iter().rev().find_map(|scope| scope.prototypes.get(label).copied())
    }

    pub(super) fn target_list(&self, label: &str) -> Option<&'a [&'a str]> {
        self.labels.iter().rev().find_map(|scope| scope.lists.get(label).copied())
    }

    pub(super) fn jump(&mut self, at: usize, number: usize, label: &'a str, span: Span) {
        if let Some(scope) = self.labels.last_mut() {
            scope.jumps.push(Jump { at, number, label, span });
        }
    }
}

fn set_target(op: &mut Op, number: usize, to: u32) {
    match op {
        Op::Branch { target, .. } => *target = to,
        Op::BranchIndexed { targets, .. } => {
            if let Some(target) = targets.get_mut(number) {
                *target = to;
            }
        }
        _ => {}
    }
}
