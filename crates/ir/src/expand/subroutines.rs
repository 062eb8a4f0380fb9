//! Functions that are called at run time, behind the kernel's own code.

use super::{Expander, Resources, Site};
use crate::lower::calls::formal_layout;
use crate::{CallGraph, Function, LowerError, Op, Subroutine, parameter_places};
use std::rc::Rc;

/// A function that somebody calls.
pub(super) struct Requested {
    pub(super) function: Rc<Function>,
}

impl Expander<'_> {
    /// The number of a function among the subroutines.
    pub(super) fn request(&mut self, function: &Rc<Function>) -> u32 {
        let known = self.requested.iter().position(|known| known.function.name == function.name);
        let number = known.unwrap_or_else(|| {
            self.requested.push(Requested { function: function.clone() });
            self.requested.len() - 1
        });
        number as u32
    }

    /// Asks for every function that a pointer with this signature may lead to.
    pub(super) fn request_pointed_at(
        &mut self,
        results: &[(u64, u64)],
        parameters: &[(u64, u64)],
    ) -> Result<(), LowerError> {
        for name in self.pointed_at().iter() {
            let Some(function) = self.index.function(name) else { continue };
            let layouts = |formals: &[warpsan_ptx::Variable<'_>]| {
                formals.iter().map(formal_layout).collect::<Result<Vec<_>, _>>().ok()
            };
            let fits = layouts(function.returns).is_some_and(|known| known == results)
                && layouts(function.parameters()).is_some_and(|known| known == parameters);
            if fits {
                let function = self.function(name)?;
                self.request(&function);
            }
        }
        Ok(())
    }

    /// The functions whose address is taken somewhere in the module.
    fn pointed_at(&mut self) -> Rc<[Box<str>]> {
        let index = self.index;
        let known = self.pointed_at.get_or_insert_with(|| {
            let graph = CallGraph::of(index);
            let taken = graph.functions.into_iter().filter(|function| {
                function.address_taken && function.is_defined && !function.is_kernel
            });
            taken.map(|function| function.name.into_boxed_str()).collect()
        });
        known.clone()
    }

    /// Size and alignment of each result and parameter of a function.
    pub(super) fn layouts(&self, function: &Function) -> Result<Vec<(u64, u64)>, LowerError> {
        let Some(tree) = self.index.function(&function.name) else { return Ok(Vec::new()) };
        let formals = tree.returns.iter().chain(tree.parameters());
        let layouts: Result<Vec<_>, _> = formals.map(formal_layout).collect();
        layouts.or_else(|error| self.unsupported(function.span, error.to_string()))
    }

    /// Expands a function as a subroutine. All its ways end in one instruction, where lanes reconverge.
    pub(super) fn subroutine(&mut self, function: &Rc<Function>) -> Result<Subroutine, LowerError> {
        let layouts = self.layouts(function)?;
        let places = parameter_places(layouts.iter().copied());
        let end = places.last().zip(layouts.last()).map_or(0, |(place, (bytes, _))| place + bytes);
        let frame = end.next_multiple_of(function.local_alignment);
        let base = Resources { frame, ..Resources::default() };
        let site = Site::new(function, base, &places, &[], true);
        let entry = self.code.len() as u32;
        let needs = self.root(&site)?;
        let alignment = layouts.iter().map(|(_, alignment)| *alignment).max().unwrap_or(1);
        self.local_alignment = self.local_alignment.max(alignment);
        self.check_sizes(function, needs)?;
        if let Some(last) = function.code.last() {
            let last = crate::Instruction { guard: None, ..last.clone() };
            self.push(&site, &last, Op::Return)?;
        }
        Ok(Subroutine {
            name: function.name.clone(),
            address: self.index.function_address(&function.name).unwrap_or(0),
            entry,
            end: self.code.len() as u32,
            registers: needs.registers,
            predicates: needs.predicates,
            frame_bytes: needs.frame.next_multiple_of(16),
        })
    }
}
