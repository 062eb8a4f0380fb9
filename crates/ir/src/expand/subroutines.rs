//! Functions that are called at run time, behind the kernel's own code.

use super::{Expander, Resources, Site};
use crate::lower::calls::formal_layout;
use crate::{CallGraph, Function, LowerError, ModuleIndex, Op, Subroutine, parameter_places};
use std::collections::HashMap;
use std::rc::Rc;

/// Size and alignment of results, and of parameters.
type Signature = (Vec<(u64, u64)>, Vec<(u64, u64)>);

/// Functions by their signatures, in the order of the text.
pub(super) type BySignature<'a> = HashMap<Signature, Vec<&'a str>>;

/// The functions whose address is taken somewhere in the module. Those whose formals have no layout are called by
/// nobody.
fn pointed_at<'a>(index: &ModuleIndex<'a>) -> BySignature<'a> {
    let mut found = BySignature::new();
    for node in CallGraph::of(index).functions {
        let Some(function) = index.function(&node.name) else { continue };
        let layouts = |formals: &[warpsan_ptx::Variable<'_>]| {
            formals.iter().map(formal_layout).collect::<Result<Vec<_>, _>>().ok()
        };
        if node.address_taken
            && node.is_defined
            && !node.is_kernel
            && let Some(results) = layouts(function.returns)
            && let Some(parameters) = layouts(function.parameters())
        {
            found.entry((results, parameters)).or_default().push(function.name);
        }
    }
    found
}

impl Expander<'_> {
    /// The number of a function among the subroutines.
    pub(super) fn request(&mut self, function: &Rc<Function>) -> u32 {
        if let Some(known) = self.requested_numbers.get(&function.name) {
            return *known;
        }
        let number = self.requested.len() as u32;
        self.requested_numbers.insert(function.name.clone(), number);
        self.requested.push(function.clone());
        number
    }

    /// Asks for every function that a pointer with this signature may lead to.
    pub(super) fn request_pointed_at(
        &mut self,
        results: &[(u64, u64)],
        parameters: &[(u64, u64)],
    ) -> Result<(), LowerError> {
        let index = self.index;
        let pointed_at = self.pointed_at.get_or_insert_with(|| pointed_at(index));
        let signature = (results.to_vec(), parameters.to_vec());
        // They are asked for once, however many calls there are.
        for name in pointed_at.remove(&signature).unwrap_or_default() {
            let function = self.function(name)?;
            self.request(&function);
        }
        Ok(())
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
