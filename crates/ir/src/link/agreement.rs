//! Whether all units mean the same by a name.

use super::globals::Globals;
use super::symbols::{Kind, Symbol, UnitSymbols};
use super::{LinkProblem, Unit};
use warpsan_ptx::{Function, Linkage, Variable};

/// Compares every declaration and definition with the one that counts.
pub(super) fn check<'a>(
    units: &[Unit<'a>],
    symbols: &[UnitSymbols<'a>],
    globals: &Globals<'a>,
    problems: &mut Vec<LinkProblem>,
) {
    for global in &globals.list {
        let Some(chosen) = global.chosen.or(global.members.first().copied()) else { continue };
        let counts = &symbols[chosen.unit].list[chosen.index];
        for member in &global.members {
            let other = &symbols[member.unit].list[member.index];
            if let Some(what) = difference(counts, other) {
                problems.push(LinkProblem::Disagreement {
                    name: global.name.to_owned(),
                    what,
                    first: units[chosen.unit].name.to_owned(),
                    second: units[member.unit].name.to_owned(),
                });
            }
        }
    }
}

fn difference(counts: &Symbol<'_>, other: &Symbol<'_>) -> Option<&'static str> {
    match (counts.kind, other.kind) {
        (Kind::Function(a), Kind::Function(b)) => functions(a, b),
        (Kind::Variable(a), Kind::Variable(b)) => {
            if a.space != b.space {
                return Some("the state space");
            }
            let (size, other_size) = (size_of(counts)?, size_of(other)?);
            // A common variable may be smaller than the one that is kept.
            let fits =
                size == other_size || (other.linkage == Linkage::Common && other_size < size);
            (!fits).then_some("the size")
        }
        _ => Some("whether it is a function"),
    }
}

fn functions(a: &Function<'_>, b: &Function<'_>) -> Option<&'static str> {
    if a.is_kernel != b.is_kernel {
        return Some("whether it is a kernel");
    }
    if a.returns.len() != b.returns.len() || a.parameters().len() != b.parameters().len() {
        return Some("the number of parameters");
    }
    let pairs = a.returns.iter().zip(b.returns).chain(a.parameters().iter().zip(b.parameters()));
    for (a, b) in pairs {
        if a.space != b.space
            || is_float(a) != is_float(b)
            || bytes(a) != bytes(b)
            || a.extents.is_empty() != b.extents.is_empty()
        {
            return Some("the type of a parameter");
        }
        if alignment_of(a) != alignment_of(b) {
            return Some("the alignment of a parameter");
        }
    }
    let ends = |function: &Function<'_>| function.directives.iter().any(|d| d.name == ".noreturn");
    (ends(a) != ends(b)).then_some("whether it returns")
}

fn is_float(variable: &Variable<'_>) -> bool {
    variable.data_type.starts_with(".f") || variable.data_type.starts_with(".bf")
}

/// The bytes of a variable; none where the type, an open array or a function leaves them open.
pub(super) fn size_of(symbol: &Symbol<'_>) -> Option<u64> {
    match symbol.kind {
        Kind::Variable(variable) => bytes(variable),
        Kind::Function(_) => None,
    }
}

fn bytes(variable: &Variable<'_>) -> Option<u64> {
    let mut bytes = element_bytes(variable)?;
    for extent in variable.extents {
        bytes = bytes.checked_mul((*extent)?)?;
    }
    Some(bytes)
}

/// The alignment that is said, or else the natural one.
pub(super) fn alignment_of(variable: &Variable<'_>) -> Option<u64> {
    variable.alignment.or_else(|| element_bytes(variable))
}

fn element_bytes(variable: &Variable<'_>) -> Option<u64> {
    let bits: u64 = match variable.data_type {
        ".f16x2" | ".bf16x2" => 32,
        // Handles of textures, samplers and surfaces have no size that a program could know.
        data_type => data_type.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?,
    };
    (bits / 8).checked_mul(u64::from(variable.vector))
}
