//! PTX linking: the units that `nvcc -rdc=true` compiled separately become one module.
//!
//! The fat binary of such a program has its PTX per translation unit, and the linked image has
//! machine code only. [`link`] does for PTX what `nvlink` does for machine code, and its result is
//! a module that the assembler accepts as a whole program. The rules are those that `nvlink` and
//! `ptxas` of CUDA 13.0 were seen to follow:
//!
//! - `.extern` names are bound to definitions of other units. One visible definition beats weak
//!   ones, of weak ones the first is kept, two visible ones are an error, and of `.common` variables
//!   the initialised one or the largest is kept.
//! - Names without linkage belong to their unit. Where two units, or a unit and a global name, use
//!   the same one, the later gets a new name.
//! - A declaration must agree with the definition: parameters in number, size, and integer or
//!   floating-point class; variables in state space and size.
//! - Open arrays `.extern .shared x[]` are the dynamic shared memory. One declaration per name is
//!   kept, with the largest alignment; different names all begin at the same address.
//! - Every function is declared before the first definition, so calls may go in circles across units.
//!   A variable stands behind those that its initial value names. Where that goes in circles, an
//!   `.extern` declaration of a variable stands in front; the assembler warns and does the right thing.
//! - `.file` numbers and the strings of `.debug_str` that `.loc` names are merged. Other debug data
//!   (of `-G`) would describe the units and not the program: it is dropped, with the word `debug` of
//!   `.target`. So is `.attribute(.unified(…))`, which the assembler takes in single units only.
//! - Functions that the driver provides stay `.extern`, as do those of the device runtime library,
//!   which has machine code only; the latter are listed in [`Linked::of_device_runtime`]. Any other
//!   name without a definition is an error.

mod agreement;
mod debug_data;
mod error;
mod globals;
mod header;
mod initial_order;
mod layout;
mod local_names;
mod provided;
mod rewrite;
mod scope;
mod symbols;

pub use error::{LinkError, LinkProblem};

use debug_data::DebugData;
use globals::Globals;
use rewrite::Rewriter;
use std::collections::HashSet;
use symbols::{Kind, SymbolId, UnitSymbols};
use warpsan_ptx::{Arena, Function, Item, Linkage, Module, Variable, print};

/// One translation unit.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'a> {
    /// What messages call it, for example the name of its source file.
    pub name: &'a str,
    /// Its tree, which must have been read without errors.
    pub module: Module<'a>,
}

/// A program as one module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The PTX text.
    pub text: String,
    /// Functions of the device runtime library that the program calls. They are still `.extern`, and
    /// the assembler takes the text only without them.
    pub of_device_runtime: Vec<Undefined>,
    /// Units whose debug data beyond source lines was dropped.
    pub without_debug_data: Vec<String>,
}

/// A name that no unit defines, and the first unit that uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undefined {
    /// The function.
    pub name: String,
    /// The unit.
    pub unit: String,
}

/// Links units to one module. All problems are reported, not only the first.
pub fn link(units: &[Unit<'_>]) -> Result<Linked, LinkError> {
    let arena = Arena::default();
    let mut problems = Vec::new();
    let header = header::merge(units, &arena, &mut problems);
    let symbols = symbols::collect(units);
    let globals = globals::resolve(units, &symbols, &mut problems);
    agreement::check(units, &symbols, &globals, &mut problems);
    let new_names = local_names::choose(units, &symbols, &globals, &arena);
    let mut debug_data = DebugData::new(&arena);
    let (mut parts, mut used) = (Parts::default(), Vec::new());
    for (number, unit) in units.iter().enumerate() {
        let files = debug_data.add_unit(&unit.module);
        let mut rewriter =
            Rewriter::new(&arena, &symbols[number], &new_names[number], &files, &mut debug_data);
        parts.add_unit(number, &symbols[number], &globals, &mut rewriter);
        used.push(rewriter.into_used());
    }
    let undefined = provided::check(units, &symbols, &globals, &used, &mut problems);
    let kernels = globals.used_kernels(&symbols, &used, &new_names);
    let variables = initial_order::sort(&parts.variables, &mut problems);
    if !problems.is_empty() {
        return Err(LinkError { problems });
    }
    let mut items = header;
    items.extend(parts.prototypes(&kernels, &arena));
    items.extend(undefined.kept.iter().map(|function| Item::Function(function)));
    items.extend(parts.aliases.iter().copied());
    items.extend(variables.iter().map(|variable| Item::Variable(arena.keep(*variable))));
    items.extend(parts.functions.iter().map(|function| Item::Function(arena.keep(*function))));
    items.extend(debug_data.items());
    Ok(Linked {
        text: print(&Module { items: &items }),
        of_device_runtime: undefined.of_device_runtime,
        without_debug_data: debug_data::dropped(units),
    })
}

/// What the units contribute, with the names of the program.
#[derive(Default)]
struct Parts<'a> {
    functions: Vec<Function<'a>>,
    variables: Vec<Variable<'a>>,
    aliases: Vec<Item<'a>>,
    /// Functions that are another name of another one.
    alias_prototypes: Vec<Function<'a>>,
}

impl<'a> Parts<'a> {
    fn add_unit(
        &mut self,
        unit: usize,
        symbols: &UnitSymbols<'a>,
        globals: &Globals<'a>,
        rewriter: &mut Rewriter<'a, '_>,
    ) {
        for (index, symbol) in symbols.list.iter().enumerate() {
            let is_kept =
                symbol.is_local() || globals.is_chosen(symbol.name, SymbolId { unit, index });
            if !is_kept {
                continue;
            }
            match (symbol.kind, symbol.alias_of) {
                (Kind::Function(function), Some(target)) => {
                    let function = Function { linkage: symbol.linkage, ..*function };
                    self.alias_prototypes.push(rewriter.prototype(&function));
                    self.aliases.push(rewriter.alias(symbol.name, target));
                }
                (Kind::Function(function), None) => {
                    self.functions.push(rewriter.function(function))
                }
                (Kind::Variable(variable), _) => {
                    let alignment = globals.alignment(symbol.name).filter(|_| !symbol.is_local());
                    let variable = rewriter.variable(variable);
                    self.variables
                        .push(Variable { alignment: alignment.or(variable.alignment), ..variable });
                }
            }
        }
    }

    /// Declarations of all functions, and of the kernels that something refers to.
    fn prototypes(&self, kernels: &HashSet<&str>, arena: &'a Arena) -> Vec<Item<'a>> {
        let functions = self.functions.iter();
        let wanted = functions.filter(|f| !f.is_kernel || kernels.contains(f.name));
        let declared = wanted.chain(&self.alias_prototypes);
        let prototypes = declared.map(|function| {
            // The assembler wants `.noreturn` in both places, and bounds of a launch in one.
            let directives: Vec<_> = if function.is_kernel {
                Vec::new()
            } else {
                let all = function.directives.iter().copied();
                all.filter(|directive| directive.name != ".pragma").collect()
            };
            let directives = arena.keep_list(&directives);
            Item::Function(arena.keep(Function { body: None, directives, ..*function }))
        });
        prototypes.collect()
    }
}

/// An `.extern` declaration of a variable.
fn declaration<'a>(variable: &Variable<'a>) -> Variable<'a> {
    Variable { linkage: Linkage::Extern, initial: None, ..*variable }
}

#[cfg(test)]
mod tests;
