//! Who calls whom.

use crate::ModuleIndex;
use crate::cycles::on_cycles;
use std::collections::HashMap;
use warpsan_ptx::{Instructions, Operand};

/// The calls of a module.
#[derive(Debug)]
pub struct CallGraph {
    /// Kernels and functions, in the order of the text.
    pub functions: Vec<CallNode>,
    /// What each function calls, by numbers. One more number, behind the last function, stands for a call through
    /// a pointer, and leads to every function whose address is taken: an edge from each caller to each of those would
    /// take the product of their numbers.
    edges: Vec<Vec<usize>>,
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
                calls_indirectly: false,
                address_taken: false,
                is_recursive: false,
            });
        }
        let edges = vec![Vec::new(); functions.len() + 1];
        let mut graph = CallGraph { functions, edges };
        let number = |name: &str| {
            let name = index.aliases.get(name).copied().unwrap_or(name);
            numbers.get(name).copied()
        };
        graph.read_initial_values(index, &number);
        graph.read_code(index, &number);
        graph.add_indirect_calls();
        for (function, is_recursive) in graph.functions.iter_mut().zip(on_cycles(&graph.edges)) {
            function.is_recursive = is_recursive;
        }
        graph
    }

    /// The number of the function of this name.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|function| function.name == name)
    }

    /// The functions that a function may call, by their numbers, ascending. A call through a pointer may lead to
    /// every function whose address is taken.
    pub fn callees(&self, function: usize) -> Vec<usize> {
        let through_pointer = self.functions.len();
        let pointers = match self.functions[function].calls_indirectly {
            true => self.edges[through_pointer].as_slice(),
            false => &[],
        };
        let named = self.edges[function].iter().filter(|callee| **callee != through_pointer);
        let mut callees: Vec<usize> = named.chain(pointers).copied().collect();
        callees.sort_unstable();
        callees.dedup();
        callees
    }

    /// Everything that a function may call, directly or not, itself included.
    pub fn reachable(&self, from: usize) -> Vec<usize> {
        let mut seen = vec![false; self.edges.len()];
        let mut open = vec![from];
        while let Some(function) = open.pop() {
            if !std::mem::replace(&mut seen[function], true) {
                open.extend(&self.edges[function]);
            }
        }
        (0..self.functions.len()).filter(|function| seen[*function]).collect()
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
                        Some(Some(callee)) => self.edges[caller].push(callee),
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
        let through_pointer = self.functions.len();
        for (number, function) in self.functions.iter().enumerate() {
            if function.calls_indirectly {
                self.edges[number].push(through_pointer);
            }
            if function.address_taken {
                self.edges[through_pointer].push(number);
            }
        }
        for callees in &mut self.edges {
            callees.sort_unstable();
            callees.dedup();
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
        let callees = graph.callees(graph.number("k").unwrap());
        let callees: Vec<&str> = callees.iter().map(name).collect();
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
