//! The names at the module's scope of each unit.

use super::Unit;
use std::collections::HashMap;
use warpsan_ptx::{Function, Item, Linkage, Variable};

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind<'a> {
    Function(&'a Function<'a>),
    Variable(&'a Variable<'a>),
}

/// A name of one unit: its definition, or a declaration where the unit has no definition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol<'a> {
    pub(super) name: &'a str,
    pub(super) linkage: Linkage,
    pub(super) kind: Kind<'a>,
    /// The function that `.alias` makes it another name of.
    pub(super) alias_of: Option<&'a str>,
}

impl Symbol<'_> {
    pub(super) fn is_defined(&self) -> bool {
        match self.kind {
            Kind::Function(function) => function.body.is_some() || self.alias_of.is_some(),
            Kind::Variable(_) => self.linkage != Linkage::Extern,
        }
    }

    /// Whether the name belongs to its unit alone.
    pub(super) fn is_local(&self) -> bool {
        self.linkage == Linkage::Local && self.is_defined()
    }

    /// An open array of shared memory, whose size the launch says.
    pub(super) fn is_dynamic_shared(&self) -> bool {
        matches!(self.kind, Kind::Variable(variable) if self.linkage == Linkage::Extern
            && variable.space == ".shared"
            && variable.extents.contains(&None))
    }
}

/// Which name of which unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SymbolId {
    pub(super) unit: usize,
    pub(super) index: usize,
}

/// The names of a unit, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct UnitSymbols<'a> {
    pub(super) list: Vec<Symbol<'a>>,
    pub(super) by_name: HashMap<&'a str, usize>,
}

/// New names of one unit, by the old ones.
pub(super) type NewNames<'a> = HashMap<&'a str, &'a str>;

/// Collects the names of every unit.
pub(super) fn collect<'a>(units: &[Unit<'a>]) -> Vec<UnitSymbols<'a>> {
    let of_unit = |unit: &Unit<'a>| {
        let mut symbols = UnitSymbols::default();
        for item in unit.module.items {
            match *item {
                Item::Function(f) => symbols.add(f.name, f.linkage, Kind::Function(f)),
                Item::Variable(v) => symbols.add(v.name, v.linkage, Kind::Variable(v)),
                _ => {}
            }
        }
        for item in unit.module.items {
            if let Item::Alias(alias) = item
                && let Some(index) = symbols.by_name.get(alias.name)
            {
                symbols.list[*index].alias_of = Some(alias.target);
            }
        }
        symbols
    };
    units.iter().map(of_unit).collect()
}

impl<'a> UnitSymbols<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&Symbol<'a>> {
        self.by_name.get(name).map(|index| &self.list[*index])
    }

    fn add(&mut self, name: &'a str, linkage: Linkage, kind: Kind<'a>) {
        let new = Symbol { name, linkage, kind, alias_of: None };
        match self.by_name.get(name) {
            None => {
                self.by_name.insert(name, self.list.len());
                self.list.push(new);
            }
            Some(index) => {
                let known = &mut self.list[*index];
                // A declaration in front of a definition says no more than the definition.
                if !known.is_defined() {
                    *known = new;
                }
            }
        }
    }
}
