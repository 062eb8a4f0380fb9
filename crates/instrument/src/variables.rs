//! The module's variables, which the instrumented kernel shares with the original module.

use crate::names::names_of;
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

/// The state space that a variable of a module is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StateSpace {
    Global,
    Const,
    Shared,
    Other,
}

impl StateSpace {
    fn of(variable: &Variable<'_>) -> StateSpace {
        match variable.space {
            ".global" => StateSpace::Global,
            ".const" => StateSpace::Const,
            ".shared" => StateSpace::Shared,
            _ => StateSpace::Other,
        }
    }
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
        let place = match StateSpace::of(variable) {
            StateSpace::Global if is_reference(variable) => return Named::Bound,
            StateSpace::Global => {
                self.tabled += 1;
                Some(self.tabled - 1)
            }
            // Only the original's functions may be called through it, and a copy would lead to others.
            StateSpace::Const if leads_to_functions(variable, &self.functions) => {
                return Named::Bound;
            }
            StateSpace::Const | StateSpace::Shared => None,
            StateSpace::Other => return Named::Bound,
        };
        self.used.push((variable, place));
        // What its initial value names must be there, too.
        if let Some(initial) = variable.initial {
            let mut names = Vec::new();
            names_of(initial, &mut names);
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
            constant: is_constant(variable),
            has_copy: has_copy(variable, &self.functions),
        };
        let tabled = self.used.iter().filter(|(_, place)| place.is_some());
        let constants = self.used.iter().filter(|(variable, _)| is_constant(variable));
        tabled.chain(constants).map(|(variable, _)| of(variable)).collect()
    }

    /// Writes the declaration of a variable, after those of all that its initial value names.
    fn declare_one(
        &self,
        variable: &Variable<'a>,
        declared: &mut BTreeSet<&'a str>,
        out: &mut String,
    ) {
        let is_elsewhere =
            StateSpace::of(variable) == StateSpace::Global && !has_copy(variable, &self.functions);
        if is_elsewhere || !declared.insert(variable.name) {
            return;
        }
        let mut names = Vec::new();
        if let Some(initial) = variable.initial {
            names_of(initial, &mut names);
        }
        for name in names {
            if let Some(named) = self.known.get(name) {
                self.declare_one(named, declared, out);
            }
        }
        let linkage = match StateSpace::of(variable) {
            StateSpace::Shared => variable.linkage,
            StateSpace::Global | StateSpace::Const | StateSpace::Other => Linkage::Visible,
        };
        let copy = Variable { linkage, attributes: &[], ..aligned(variable) };
        let _ = writeln!(out, "{};", print_variable(&copy));
    }

    /// Writes the declarations.
    pub(crate) fn declare(&self, out: &mut String) {
        let mut declared = BTreeSet::new();
        for (variable, _) in &self.used {
            self.declare_one(variable, &mut declared, out);
        }
        if self.tabled == 0 {
            return;
        }
        let addresses = self.used.iter().filter(|(_, place)| place.is_some());
        let addresses: Vec<String> = addresses
            .map(|(variable, _)| match has_copy(variable, &self.functions) {
                true => format!("generic({})", variable.name),
                false => "0".to_owned(),
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

/// Bytes of the largest access, to which arrays in shared memory are aligned.
pub(crate) const SHARED_ALIGNMENT: u64 = 16;

/// A variable as it is declared. The assembler makes one access of several side by side where it knows their alignment. It chooses that of shared memory itself,
/// unless the kernel is linked: then it needs to be told.
pub(crate) fn aligned<'a>(variable: &Variable<'a>) -> Variable<'a> {
    let bytes = bytes_of(variable);
    let is_array = bytes > 0 && bytes.is_multiple_of(SHARED_ALIGNMENT);
    let alignment = match StateSpace::of(variable) {
        StateSpace::Shared if is_array => variable.alignment.max(Some(SHARED_ALIGNMENT)),
        _ => variable.alignment,
    };
    Variable { alignment, ..*variable }
}

fn is_constant(variable: &Variable<'_>) -> bool {
    StateSpace::of(variable) == StateSpace::Const
}

/// Whether the instrumented module has a copy of a variable. One whose initial value leads to functions has none:
/// those of the instrumented module are not those that the original calls.
fn has_copy(variable: &Variable<'_>, functions: &BTreeSet<&str>) -> bool {
    is_constant(variable)
        || (variable.initial.is_some() && !leads_to_functions(variable, functions))
}

/// Whether the initial value of a variable names a function.
fn leads_to_functions(variable: &Variable<'_>, functions: &BTreeSet<&str>) -> bool {
    let mut names = Vec::new();
    if let Some(initial) = variable.initial {
        names_of(initial, &mut names);
    }
    names.iter().any(|name| functions.contains(name))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Refusal;
    use crate::testing::{instrumented, kernel, module};

    fn of(name: &str, bytes: u64, constant: bool) -> VariableUse {
        VariableUse { name: name.to_owned(), bytes, constant, has_copy: constant }
    }

    #[test]
    fn arrays_of_shared_memory_are_aligned_to_the_largest_access() {
        let declared = |shared: &str| kernel(&format!("{shared}\nst.shared.u32 [own], 1;")).text;
        let text = declared(".shared .align 4 .b8 own[32];");
        assert!(text.contains(".shared .align 16 .b8 own[32];"), "{text}");
        let text = declared(".shared .align 4 .b8 own[20];");
        assert!(text.contains(".shared .align 4 .b8 own[20];"), "{text}");
        let text = declared(".shared .align 128 .b8 own[32];");
        assert!(text.contains(".shared .align 128 .b8 own[32];"), "{text}");
        let all = module("st.shared.u32 [own], 1;");
        let all = all.replace(".visible .entry", ".shared .align 4 .b8 own[64];\n.visible .entry");
        let text = instrumented(&all).expect("a kernel").text;
        assert!(text.contains(".shared .align 16 .b8 own[64];"), "{text}");
    }

    #[test]
    fn the_engine_learns_what_to_fill_in() {
        let body =
            "ld.const.u32 %r2, [fixed];\nst.global.u32 [second], 1;\nst.global.u32 [first], 1;";
        let made = kernel(body);
        let wanted = [of("second", 64, false), of("first", 4, false), of("fixed", 4, true)];
        assert_eq!(made.variables, wanted, "the order of the table, then constants");
        let table = ".visible .const .align 8 .u64 ws_variables[2] = {0, 0};";
        assert!(made.text.contains(table), "{}", made.text);
        assert!(made.text.contains(".visible .const .align 4 .u32 fixed = 7;"), "{}", made.text);
        assert!(!made.text.contains("first;"), "the original's is used: {}", made.text);
        assert!(!kernel("").text.contains("ws_variables"));
    }

    #[test]
    fn a_variable_with_an_initial_value_has_a_copy() {
        let text = module("ld.global.u32 %r2, [known];\nld.global.u64 %rd2, [leads];").replace(
            ".visible .const",
            ".global .align 4 .u32 known = 5;\n.global .align 8 .u64 leads = generic(known);\n.visible .const",
        );
        let made = instrumented(&text).expect("it can be checked");
        assert!(made.variables.iter().all(|variable| variable.has_copy), "{:?}", made.variables);
        let (known, leads) = (made.text.find(" known = 5"), made.text.find(" leads = "));
        assert!(known.is_some() && known < leads, "who is named comes first: {}", made.text);
        assert!(made.text.contains("= {generic(known), generic(leads)};"), "{}", made.text);
    }

    #[test]
    fn functions_of_the_original_are_not_copied() {
        let table = |space: &str| {
            let declared =
                format!(".{space} .align 8 .u64 table[1] = {{helper}};\n.visible .const");
            let body = format!("ld.{space}.u64 %rd2, [table];\nst.global.u64 [%rd1], %rd2;");
            instrumented(&module(&body).replace(".visible .const", &declared))
        };
        let made = table("global").expect("the original's is used");
        assert_eq!(made.variables, [of("table", 8, false)]);
        assert!(!made.text.contains("{helper}"), "{}", made.text);
        let why = table("const").expect_err("a copy would have other functions");
        assert_eq!(why, Refusal::BoundVariable("table".to_owned()));
    }

    #[test]
    fn sizes_are_those_of_the_declaration() {
        let text = ".version 9.0\n.target sm_90\n.global .u32 a;\n.global .b8 b[3][5];\n\
                    .global .v4 .f32 c[2];\n.global .b64 d;\n";
        let document = warpsan_ptx::Document::parse(text.to_owned());
        let sizes: Vec<u64> = document.module().variables().map(bytes_of).collect();
        assert_eq!(sizes, [4, 15, 32, 8]);
    }
}
