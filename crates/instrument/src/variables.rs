//! The module's variables, which the instrumented kernel shares with the original module.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use warpsan_ptx::{Linkage, Module, Variable, print_variable};

/// The name of the launch's context, the last parameter of kernels and functions.
pub const CONTEXT_NAME: &str = "ws_context";
/// The constant array with the addresses of the original module's variables.
pub const VARIABLE_TABLE: &str = "ws_variables";

/// A variable of the original module that the instrumented kernel uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableUse {
    /// Its name in both modules.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Constant memory: there is a copy, to be filled from the original before a launch. Other variables have
    /// a place in [`VARIABLE_TABLE`], in the order of the list, for the original's address.
    pub constant: bool,
    /// The instrumented module has a copy with the initial value, which will do if the original's cannot be
    /// found: nobody else can know it then.
    pub has_copy: bool,
}

/// The variables of a module that are used, in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct Variables<'a> {
    known: BTreeMap<&'a str, &'a Variable<'a>>,
    functions: BTreeSet<&'a str>,
    used: Vec<(&'a Variable<'a>, Option<usize>)>,
    tabled: usize,
}

/// What an operand that names a variable stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// Its address is in the table, at this index.
    Tabled(usize),
    /// The instrumented module declares it under the same name.
    Own,
    /// It is none of the module's variables.
    Nothing,
    /// It is a function of the module.
    Function,
    /// A texture or something else that only its own module can use.
    Bound,
}

impl<'a> Variables<'a> {
    pub(crate) fn of(module: &Module<'a>) -> Variables<'a> {
        let known = module.variables().map(|variable| (variable.name, variable)).collect();
        let functions = module.functions().map(|function| function.name).collect();
        Variables { known, functions, ..Variables::default() }
    }

    /// Looks a name up and notes the use.
    pub(crate) fn resolve(&mut self, name: &str) -> Named {
        let Some(variable) = self.known.get(name).copied() else {
            let is_function = self.functions.contains(name);
            return if is_function { Named::Function } else { Named::Nothing };
        };
        let known = self.used.iter().find(|(used, _)| used.name == name);
        if let Some((_, place)) = known {
            return place.map_or(Named::Own, Named::Tabled);
        }
        let place = match variable.space {
            ".global" if is_reference(variable) => return Named::Bound,
            ".global" => {
                self.tabled += 1;
                Some(self.tabled - 1)
            }
            ".const" | ".shared" => None,
            _ => return Named::Bound,
        };
        self.used.push((variable, place));
        // What its initial value names must be there, too.
        if let Some(initial) = variable.initial {
            let mut names = Vec::new();
            crate::operands::names_of(initial, &mut names);
            for name in names {
                self.resolve(name);
            }
        }
        place.map_or(Named::Own, Named::Tabled)
    }

    /// What the engine has to fill in. Tabled ones come first, in the order of the table.
    pub(crate) fn uses(&self) -> Vec<VariableUse> {
        let of = |variable: &Variable<'_>| VariableUse {
            name: variable.name.to_owned(),
            bytes: bytes_of(variable),
            constant: variable.space == ".const",
            has_copy: variable.initial.is_some() || variable.space == ".const",
        };
        let tabled = self.used.iter().filter(|(_, place)| place.is_some());
        let constants = self.used.iter().filter(|(variable, _)| variable.space == ".const");
        tabled.chain(constants).map(|(variable, _)| of(variable)).collect()
    }

    /// Writes the declarations.
    pub(crate) fn declare(&self, out: &mut String) {
        // A value may name a variable that is used later.
        for (variable, place) in self.used.iter().rev() {
            if place.is_some() && variable.initial.is_none() {
                continue;
            }
            let linkage = match variable.space {
                ".shared" => variable.linkage,
                _ => Linkage::Visible,
            };
            let copy = Variable { linkage, attributes: &[], ..**variable };
            let _ = writeln!(out, "{};", print_variable(&copy));
        }
        if self.tabled == 0 {
            return;
        }
        let addresses = self.used.iter().filter(|(_, place)| place.is_some());
        let addresses: Vec<String> = addresses
            .map(|(variable, _)| match variable.initial {
                Some(_) => format!("generic({})", variable.name),
                None => "0".to_owned(),
            })
            .collect();
        let _ = writeln!(
            out,
            ".visible .const .align 8 .u64 {VARIABLE_TABLE}[{}] = {{{}}};",
            self.tabled,
            addresses.join(", ")
        );
    }
}

/// Textures, samplers and surfaces, which a program binds by name.
fn is_reference(variable: &Variable<'_>) -> bool {
    [".texref", ".samplerref", ".surfref"].contains(&variable.data_type)
}

fn bytes_of(variable: &Variable<'_>) -> u64 {
    let digits = variable.data_type.trim_start_matches(|c: char| !c.is_ascii_digit());
    let bits: u64 = digits.parse().unwrap_or(64);
    let elements: u64 = variable.extents.iter().map(|extent| extent.unwrap_or(0)).product();
    bits.div_ceil(8) * elements * u64::from(variable.vector)
}
