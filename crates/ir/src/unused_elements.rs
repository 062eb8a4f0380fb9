//! Elements of vector loads that nobody uses.
//!
//! nvcc widens loads: three members of a structure come by one `ld.v4`. What the fourth register gets, the program never
//! asked for: it is no access of the program.

use crate::operands::Accesses;
use crate::{Function, Name, Op};
use std::collections::HashSet;
use warpsan_model::Strength;

/// Takes the registers of elements away that no instruction reads.
pub(crate) fn run(function: &mut Function) {
    let is_wide =
        |op: &Op| matches!(op, Op::Load { to, strength: Strength::Weak, .. } if to.len() > 1);
    if !function.code.iter().any(|instruction| is_wide(&instruction.op)) {
        return;
    }
    let reads = function.code.iter().flat_map(|instruction| Accesses::of(&instruction.op).reads);
    let read: HashSet<Name> = reads.collect();
    for instruction in function.code.iter_mut().filter(|instruction| is_wide(&instruction.op)) {
        if let Op::Load { to, .. } = &mut instruction.op {
            let is_unused =
                |register: &crate::Register| !read.contains(&Name::Register(register.number));
            // A load of which nothing is used is one that the programmer wrote, and is left as it is.
            if to.iter().flatten().any(|register| !is_unused(register)) {
                to.iter_mut().for_each(|place| *place = place.filter(|one| !is_unused(one)));
            }
        }
    }
}

/// How many elements of a load count as read: all up to the last one that has a register, for a weak one.
pub fn used_elements(to: &[Option<crate::Register>], strength: Strength) -> usize {
    match to.iter().rposition(Option::is_some) {
        Some(last) if strength == Strength::Weak => last + 1,
        _ => to.len(),
    }
}
