//! Which unit's definition of a name counts for the whole program.

use super::layout::{alignment_of, size_of};
use super::symbols::{Kind, NewNames, Symbol, SymbolId, UnitSymbols};
use super::{LinkProblem, Unit};
use std::collections::{HashMap, HashSet};
use warpsan_ptx::Linkage;

/// The names that units share.
#[derive(Debug, Default)]
pub(super) struct Globals<'a> {
    /// In the order in which they were met.
    pub(super) list: Vec<Global<'a>>,
    pub(super) by_name: HashMap<&'a str, usize>,
}

/// One shared name.
#[derive(Debug)]
pub(super) struct Global<'a> {
    pub(super) name: &'a str,
    /// The definition or dynamic shared memory that is kept; none for an undefined name.
    pub(super) chosen: Option<SymbolId>,
    /// The name in every unit that has it.
    pub(super) members: Vec<SymbolId>,
    /// The largest alignment that a unit asks for, where one does.
    alignment: Option<u64>,
}

impl<'a> Globals<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&Global<'a>> {
        self.by_name.get(name).map(|index| &self.list[*index])
    }

    /// Whether the program keeps a name as this unit has it.
    pub(super) fn is_chosen(&self, name: &str, id: SymbolId) -> bool {
        self.get(name).is_some_and(|global| global.chosen == Some(id))
    }

    pub(super) fn alignment(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(|global| global.alignment)
    }

    /// Kernels that an initial value or an instruction names.
    pub(super) fn used_kernels(
        &self,
        symbols: &[UnitSymbols<'a>],
        used: &[HashSet<&'a str>],
        new_names: &[NewNames<'a>],
    ) -> HashSet<&'a str> {
        let mut kernels = HashSet::new();
        for ((unit, names), new_names) in symbols.iter().zip(used).zip(new_names) {
            for name in names {
                if matches!(unit.get(name).map(|symbol| symbol.kind),
                    Some(Kind::Function(function)) if function.is_kernel)
                {
                    kernels.insert(new_names.get(name).copied().unwrap_or(name));
                }
            }
        }
        kernels
    }
}

/// Chooses among the definitions of every name.
pub(super) fn resolve<'a>(
    units: &[Unit<'a>],
    symbols: &[UnitSymbols<'a>],
    problems: &mut Vec<LinkProblem>,
) -> Globals<'a> {
    let mut globals = Globals::default();
    for (unit, names) in symbols.iter().enumerate() {
        for (index, symbol) in names.list.iter().enumerate() {
            if symbol.is_local() {
                continue;
            }
            let place = *globals.by_name.entry(symbol.name).or_insert_with(|| {
                let name = symbol.name;
                globals.list.push(Global { name, chosen: None, members: vec![], alignment: None });
                globals.list.len() - 1
            });
            let global = &mut globals.list[place];
            global.members.push(SymbolId { unit, index });
            if let Kind::Variable(variable) = symbol.kind
                && variable.alignment.is_some()
            {
                global.alignment = global.alignment.max(alignment_of(variable));
            }
        }
    }
    for global in &mut globals.list {
        global.chosen = choose(units, symbols, global, problems);
    }
    globals
}

/// What a definition weighs against another of the same name. Two of the greatest weight clash.
fn weight(symbol: &Symbol<'_>) -> u32 {
    let is_initialised = matches!(symbol.kind, Kind::Variable(v) if v.initial.is_some());
    match symbol.linkage {
        Linkage::Visible => STRONG,
        Linkage::Common if is_initialised => STRONG,
        Linkage::Weak => 3,
        Linkage::Common => COMMON,
        _ if symbol.is_dynamic_shared() => 1,
        _ => 0,
    }
}

const STRONG: u32 = 4;
const COMMON: u32 = 2;

fn choose<'a>(
    units: &[Unit<'a>],
    symbols: &[UnitSymbols<'a>],
    global: &Global<'a>,
    problems: &mut Vec<LinkProblem>,
) -> Option<SymbolId> {
    let symbol = |id: SymbolId| &symbols[id.unit].list[id.index];
    let mut best: Option<SymbolId> = None;
    for &id in &global.members {
        let this = symbol(id);
        if !this.is_defined() && !this.is_dynamic_shared() {
            continue;
        }
        let Some(before) = best else {
            best = Some(id);
            continue;
        };
        let (old, new) = (weight(symbol(before)), weight(this));
        if old == STRONG && new == STRONG {
            problems.push(LinkProblem::Duplicate {
                name: global.name.to_owned(),
                first: units[before.unit].name.to_owned(),
                second: units[id.unit].name.to_owned(),
            });
        }
        let is_larger = || size_of(symbol(before)) < size_of(this);
        if new > old || (new == COMMON && old == COMMON && is_larger()) {
            best = Some(id);
        }
    }
    best
}
