//! Who calls whom.

use crate::ModuleIndex;
use std::collections::HashMap;
use warpsan_ptx::{Instructions, Operand};

/// The calls of a module.
#[derive(Debug)]
pub struct CallGraph {
    /// Kernels and functions, in the order of the text.
    pub functions: Vec<CallNode>,
}

/// A kernel or function and what it calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallNode {
    /// Its name.
    pub name: String,
    /// A kernel, not a function.
    pub is_kernel: bool,
    /// Whether the module has its code.
    pub is_defined: bool,
    /// The functions that it may call, by their numbers, ascending. A call through a pointer may
    /// lead to every function whose address is taken.
    pub callees: Vec<usize>,
    /// Whether it calls through a pointer.
    pub calls_indirectly: bool,
    /// Whether its address is taken somewhere.
    pub address_taken: bool,
    /// Whether a chain of calls leads back to it.
    pub is_recursive: bool,
}

impl CallGraph {
    /// Reads the calls of a module.
    pub fn of(index: &ModuleIndex<'_>) -> CallGraph {
        let mut functions = Vec::new();
        let mut numbers = HashMap::new();
        for function in index.module.functions() {
            if numbers.contains_key(function.name) {
                continue;
            }
            numbers.insert(function.name, functions.len());
            functions.push(CallNode {
                name: function.name.to_string(),
                is_kernel: function.is_kernel,
                is_defined: index.functions[function.name].body.is_some(),
                callees: Vec::new(),
                calls_indirectly: false,
                address_taken: false,
                is_recursive: false,
            });
        }
        let mut graph = CallGraph { functions };
        let number = |name: &str| {
            let name = index.aliases.get(name).copied().unwrap_or(name);
            numbers.get(name).copied()
        };
        graph.read_initial_values(index, &number);
        graph.read_code(index, &number);
        graph.add_indirect_calls();
        graph.find_recursion();
        graph
    }

    /// The number of the function of this name.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|function| function.name == name)
    }

    /// Everything that a function may call, directly or not, itself included.
    pub fn reachable(&self, from: usize) -> Vec<usize> {
        let mut seen = vec![false; self.functions.len()];
        let mut open = vec![from];
        while let Some(function) = open.pop() {
            if !std::mem::replace(&mut seen[function], true) {
                open.extend(&self.functions[function].callees);
            }
        }
        (0..seen.len()).filter(|function| seen[*function]).collect()
    }

    fn read_initial_values(
        &mut self,
        index: &ModuleIndex<'_>,
        number: &impl Fn(&str) -> Option<usize>,
    ) {
        for variable in index.module.variables() {
            let mut open: Vec<&Operand<'_>> = variable.initial.into_iter().collect();
            while let Some(value) = open.pop() {
                match value {
                    Operand::Vector(items) => open.extend(items.iter()),
                    Operand::Generic(inner) => open.push(inner),
                    Operand::Mask((_, inner)) => open.push(inner),
                    Operand::Name(name) => {
                        if let Some(function) = number(name) {
                            self.functions[function].address_taken = true;
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn read_code(&mut self, index: &ModuleIndex<'_>, number: &impl Fn(&str) -> Option<usize>) {
        for function in index.module.functions() {
            let (Some(caller), Some(body)) = (number(function.name), function.body) else {
                continue;
            };
            for instruction in Instructions::of(body) {
                if instruction.opcode() == "call" {
                    let names = instruction.operands.iter().find_map(|operand| match operand {
                        Operand::Name(name) => Some(number(name)),
                        _ => None,
                    });
                    match names {
                        Some(Some(callee)) => self.functions[caller].callees.push(callee),
                        _ => self.functions[caller].calls_indirectly = true,
                    }
                    continue;
                }
                // Labels have names of their own.
                if matches!(instruction.opcode(), "bra" | "brx") {
                    continue;
                }
                for operand in instruction.operands {
                    if let Operand::Name(name) | Operand::NameOffset((name, _)) = operand
                        && let Some(function) = number(name)
                    {
                        self.functions[function].address_taken = true;
                    }
                }
            }
        }
    }

    fn add_indirect_calls(&mut self) {
        let taken: Vec<usize> = (0..self.functions.len())
            .filter(|function| self.functions[*function].address_taken)
            .collect();
        for function in &mut self.functions {
            if function.calls_indirectly {
                function.callees.extend(&taken);
            }
            function.callees.sort_unstable();
            function.callees.dedup();
        }
    }

    /// Marks the functions on cycles: strongly connected components, by Tarjan's algorithm without
    /// recursion of our own.
    fn find_recursion(&mut self) {
        let count = self.functions.len();
        let mut order = vec![usize::MAX; count];
        let mut lowest = vec![usize::MAX; count];
        let mut on_stack = vec![false; count];
        let (mut stack, mut next) = (Vec::new(), 0);
        for root in 0..count {
            let mut open = vec![(root, 0)];
            while let Some((function, child)) = open.pop() {
                if child == 0 {
                    if order[function] != usize::MAX {
                        continue;
                    }
                    order[function] = next;
                    lowest[function] = next;
                    next += 1;
                    stack.push(function);
                    on_stack[function] = true;
                }
                if child > 0 {
                    let before = self.functions[function].callees[child - 1];
                    if on_stack[before] {
                        lowest[function] = lowest[function].min(lowest[before]);
                    }
                }
                if let Some(&callee) = self.functions[function].callees.get(child) {
                    open.push((function, child + 1));
                    open.push((callee, 0));
                    continue;
                }
                if lowest[function] == order[function] {
                    self.close_component(function, &mut stack, &mut on_stack);
                }
            }
        }
    }

    fn close_component(&mut self, root: usize, stack: &mut Vec<usize>, on_stack: &mut [bool]) {
        let first = stack.iter().rposition(|function| *function == root).unwrap_or(0);
        let component = stack.split_off(first);
        for &function in &component {
            on_stack[function] = false;
            let calls_itself = self.functions[function].callees.contains(&function);
            self.functions[function].is_recursive = component.len() > 1 || calls_itself;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_ptx::Document;

    #[test]
    fn calls_pointers_and_cycles_are_seen() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n\
             .extern .func vprintf();\n.func leaf() { ret; }\n\
             .func even();\n.func odd() { call even; ret; }\n.func even() { call odd; ret; }\n\
             .func self() { call self; ret; }\n.func taken() { ret; }\n.func stored() { ret; }\n\
             .global .u64 table[1] = { stored };\n.alias other, leaf;\n\
             .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, taken; call %rd1, p; call other; \
             call odd; call vprintf; ret; }\n";
        let document = Document::parse(text.to_string());
        assert_eq!(document.errors(), []);
        let graph = CallGraph::of(&ModuleIndex::of(&document));
        let name = |number: &usize| graph.functions[*number].name.as_str();
        let k = &graph.functions[graph.number("k").unwrap()];
        let callees: Vec<&str> = k.callees.iter().map(name).collect();
        assert_eq!(callees, ["vprintf", "leaf", "odd", "taken", "stored"]);
        assert!(k.calls_indirectly && k.is_kernel && !k.is_recursive);
        let recursive: Vec<&str> = graph
            .functions
            .iter()
            .filter(|function| function.is_recursive)
            .map(|function| function.name.as_str())
            .collect();
        assert_eq!(recursive, ["even", "odd", "self"]);
        assert!(!graph.functions[graph.number("vprintf").unwrap()].is_defined);
        let reachable = graph.reachable(graph.number("k").unwrap());
        assert!(reachable.iter().map(name).any(|callee| callee == "even"));
        assert!(!reachable.iter().map(name).any(|callee| callee == "self"));
    }
}
