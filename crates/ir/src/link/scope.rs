//! The names that a function or a block of one declares, which hide those of the module.

use std::collections::HashSet;
use warpsan_ptx::{Function, Statement};

/// The names of one scope.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    names: HashSet<&'a str>,
    /// `%r<9>` declares `%r0` to `%r8`.
    counted: Vec<(&'a str, u32)>,
}

impl<'a> Scope<'a> {
    /// The parameters of a function.
    pub(super) fn of_parameters(function: &Function<'a>) -> Scope<'a> {
        let parameters = function.returns.iter().chain(function.parameters());
        let names = parameters.map(|parameter| parameter.name).collect();
        Scope { names, counted: Vec::new() }
    }

    /// What statements declare, without the blocks inside of them.
    pub(super) fn of(statements: &'a [Statement<'a>]) -> Scope<'a> {
        let mut scope = Scope::default();
        for statement in statements {
            match statement {
                Statement::Label(label) => drop(scope.names.insert(label.name)),
                Statement::Variable(variable) => drop(scope.names.insert(variable.name)),
                Statement::Targets(targets) => drop(scope.names.insert(targets.label)),
                Statement::CallPrototype(prototype) => drop(scope.names.insert(prototype.label)),
                Statement::Registers(registers) => {
                    for (name, count) in registers.names {
                        match count {
                            None => drop(scope.names.insert(name)),
                            Some(count) => scope.counted.push((name, *count)),
                        }
                    }
                }
                _ => {}
            }
        }
        scope
    }

    /// Whether it declares a name.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_counted = |(prefix, count): &(&str, u32)| {
            let number =
                name.strip_prefix(prefix).filter(|rest| rest.len() < 2 || !rest.starts_with('0'));
            number.and_then(|digits| digits.parse().ok()).is_some_and(|number: u32| number < *count)
        };
        self.names.contains(name) || self.counted.iter().any(is_counted)
    }

    /// The names that are declared one by one.
    pub(super) fn single_names(self) -> HashSet<&'a str> {
        self.names
    }
}
