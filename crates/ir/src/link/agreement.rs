//! Whether all units mean the same by a name.

use super::globals::Globals;
use super::layout::{alignment_of, bytes, size_of};
use super::symbols::{Kind, Symbol, UnitSymbols};
use super::{LinkProblem, Unit};
use crate::Type;
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
    use Type::{Bf16, Bf16x2, F16, F16x2, F32, F32x2, F64};
    let data_type = Type::parse(variable.data_type.trim_start_matches('.'));
    matches!(data_type, Some(F16 | F16x2 | Bf16 | Bf16x2 | F32 | F32x2 | F64))
}
