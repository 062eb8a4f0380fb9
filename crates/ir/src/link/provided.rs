//! Names that no unit defines: which of them somebody else provides.

use super::globals::Globals;
use super::symbols::{Kind, UnitSymbols};
use super::{LinkProblem, Undefined, Unit};
use std::collections::HashSet;
use warpsan_ptx::Function;

/// Functions that the assembler and the driver know without a definition.
const OF_DRIVER: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// How the names of the device runtime library (`libcudadevrt`) begin.
const OF_DEVICE_RUNTIME: [&str; 4] = ["cuda", "__cuda", "cnp", "__cnp"];

/// What remains `.extern`.
pub(super) struct Remaining<'a> {
    pub(super) kept: Vec<&'a Function<'a>>,
    pub(super) of_device_runtime: Vec<Undefined>,
}

/// Finds the undefined names. A function that nothing uses is left out, as the linker does.
pub(super) fn check<'a>(
    units: &[Unit<'a>],
    symbols: &[UnitSymbols<'a>],
    globals: &Globals<'a>,
    used: &[HashSet<&'a str>],
    problems: &mut Vec<LinkProblem>,
) -> Remaining<'a> {
    let mut remaining = Remaining { kept: Vec::new(), of_device_runtime: Vec::new() };
    for global in globals.list.iter().filter(|global| global.chosen.is_none()) {
        let name = global.name.to_owned();
        let uses = |unit: usize| used[unit].contains(global.name);
        let user = global.members.iter().find(|id| uses(id.unit));
        let Some(first) = global.members.first() else { continue };
        match symbols[first.unit].list[first.index].kind {
            Kind::Variable(_) => {
                let unit = units[user.unwrap_or(first).unit].name.to_owned();
                problems.push(LinkProblem::UndefinedVariable { name, unit });
            }
            Kind::Function(function) => {
                let Some(user) = user else { continue };
                let unit = units[user.unit].name.to_owned();
                if OF_DEVICE_RUNTIME.iter().any(|prefix| name.starts_with(prefix)) {
                    remaining.of_device_runtime.push(Undefined { name, unit });
                } else if !OF_DRIVER.contains(&global.name) {
                    problems.push(LinkProblem::UndefinedFunction { name, unit });
                }
                remaining.kept.push(function);
            }
        }
    }
    remaining
}
