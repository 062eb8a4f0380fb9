//! Variables in an order in which no initial value names a later variable.

use super::{LinkProblem, declaration};
use std::collections::{HashMap, HashSet};
use warpsan_ptx::{Linkage, Operand, Variable};

/// The variables, each behind those that it names. Where they name each other in a circle, an
/// `.extern` declaration stands in front of the first user.
pub(super) fn sort<'a>(
    variables: &[Variable<'a>],
    problems: &mut Vec<LinkProblem>,
) -> Vec<Variable<'a>> {
    let by_name: HashMap<&str, &Variable<'a>> =
        variables.iter().map(|variable| (variable.name, variable)).collect();
    let mut waiting: Vec<(&Variable<'a>, Vec<&'a str>)> = Vec::new();
    for variable in variables {
        let mut names = Vec::new();
        if let Some(value) = variable.initial {
            add_names(value, &mut names);
        }
        names.retain(|name| by_name.contains_key(name));
        waiting.push((variable, names));
    }
    let (mut sorted, mut known) = (Vec::new(), HashSet::new());
    while !waiting.is_empty() {
        let before = waiting.len();
        waiting.retain(|(variable, names)| {
            let is_ready = names.iter().all(|name| known.contains(name));
            if is_ready {
                known.insert(variable.name);
                sorted.push(**variable);
            }
            !is_ready
        });
        if waiting.len() < before {
            continue;
        }
        // Everything that is left waits for a circle. A local name cannot be declared in advance,
        // but a circle through several units has a name that they share.
        let unknown =
            waiting.iter().flat_map(|(_, names)| names).filter(|name| !known.contains(*name));
        let shared = unknown.map(|name| by_name[name]).find(|v| v.linkage != Linkage::Local);
        let Some(shared) = shared else {
            problems.push(LinkProblem::InitialValues { name: waiting[0].0.name.to_owned() });
            return sorted;
        };
        known.insert(shared.name);
        sorted.push(declaration(shared));
    }
    sorted
}

fn add_names<'a>(value: &Operand<'a>, names: &mut Vec<&'a str>) {
    match *value {
        Operand::Name(name) | Operand::NameOffset(&(name, _)) => names.push(name),
        Operand::Generic(inner) | Operand::Mask((_, inner)) => add_names(inner, names),
        Operand::Vector(items) => items.iter().for_each(|item| add_names(item, names)),
        _ => {}
    }
}
