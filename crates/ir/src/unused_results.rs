//! Atomics of whose result nothing is used.
//!
//! `atomicAdd(&sum, x)` as a statement comes as `atom` with a register that nobody reads. The assembler makes `red` of it, which does not
//! return what was there: nobody learns of others by it. There is no
//! `red` that acquires, so that who asks for that keeps the result.

use crate::operands::Accesses;
use crate::{Function, Name, Op, Register};
use std::collections::HashSet;
use warpsan_model::Order;

/// Takes the registers of results away that no instruction reads.
pub(crate) fn run(function: &mut Function) {
    let has_result = |op: &Op| match op {
        Op::Atomic { to: Some(_), op, strength, .. } => {
            op.has_red() && !strength.order().is_some_and(Order::acquires)
        }
        _ => false,
    };
    if !function.code.iter().any(|instruction| has_result(&instruction.op)) {
        return;
    }
    let reads = function.code.iter().flat_map(|instruction| Accesses::of(&instruction.op).reads);
    let read: HashSet<Name> = reads.collect();
    let is_used = |register: &Register| read.contains(&Name::Register(register.number));
    for instruction in function.code.iter_mut().filter(|instruction| has_result(&instruction.op)) {
        if let Op::Atomic { to, .. } = &mut instruction.op {
            *to = to.filter(is_used);
        }
    }
}
