//! New names for what two units call the same without sharing it.

use super::Unit;
use super::globals::Globals;
use super::scope::Scope;
use super::symbols::{NewNames, UnitSymbols};
use std::collections::HashSet;
use warpsan_ptx::Arena;
use warpsan_ptx::Statement;

/// Chooses the new names of every unit. The first user of a name keeps it, unless it is a global
/// name, and no new name is one that any unit has in any scope.
pub(super) fn choose<'a>(
    units: &[Unit<'a>],
    symbols: &[UnitSymbols<'a>],
    globals: &Globals<'a>,
    arena: &'a Arena,
) -> Vec<NewNames<'a>> {
    let mut taken: HashSet<&'a str> = globals.by_name.keys().copied().collect();
    let mut clashes: Vec<Vec<&'a str>> = Vec::new();
    for unit in symbols {
        let locals = unit.list.iter().filter(|symbol| symbol.is_local());
        let clashing = locals.map(|symbol| symbol.name).filter(|name| !taken.insert(name));
        clashes.push(clashing.collect());
    }
    if clashes.iter().any(|names| !names.is_empty()) {
        for unit in units {
            for body in unit.module.functions().filter_map(|function| function.body) {
                add_inner_names(body, &mut taken);
            }
        }
    }
    let mut new_names = Vec::new();
    for (number, names) in clashes.iter().enumerate() {
        let mut of_unit = NewNames::new();
        for name in names {
            let mut new = format!("{name}$unit{}", number + 1);
            while taken.contains(new.as_str()) {
                new.push('_');
            }
            let new: &'a str = arena.keep_text(&new);
            taken.insert(new);
            of_unit.insert(name, new);
        }
        new_names.push(of_unit);
    }
    new_names
}

fn add_inner_names<'a>(statements: &'a [Statement<'a>], names: &mut HashSet<&'a str>) {
    names.extend(Scope::of(statements).single_names());
    for statement in statements {
        if let Statement::Block(block) = statement {
            add_inner_names(block.statements, names);
        }
    }
}
