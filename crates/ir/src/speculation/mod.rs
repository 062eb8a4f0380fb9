//! Guards of speculated loads.
//!
//! An optimising compiler turns `if (p) v = *x;` into a load that always runs and a choice behind it.
//! The program did not read `*x` where `p` is false, so the load must not count there. This pass finds
//! the condition under which the value of a load is observed at all, computes it in front of the
//! load, and notes it as [`Instruction::counts_if`]; the load itself stays as it is.
//!
//! Only loads from a fixed address are looked at (a named variable and a constant offset): the
//! compiler speculates no other, because no other is known to be safe to read. Loads that are
//! volatile, relaxed or stronger stay as they are, since the compiler never moves them.
//!
//! What it cannot distinguish: `if (p) v = x;` and `t = x; v = p ? t : v;` become the same instructions, and so
//! do `p && x` and `p & x`; the load then counts where its value matters. A condition that changes
//! in a loop which the load was moved out of is not known at the load; it counts as always true.

mod availability;
mod condition;
mod demand;
mod flow;
mod steps;

use crate::operands::Accesses;
use crate::{
    Anchor, Function, Instruction, LoadCondition, MemorySpace, Name, Op, Predicate, Value,
};
use availability::Availability;
use condition::Condition;
pub(crate) use flow::Flow;
use steps::Guarded;
use warpsan_model::Strength;

/// More candidates than this in one function are not looked at: each costs time.
const MOST_CANDIDATES: usize = 4096;

/// Finds the guards of a function's loads.
pub(crate) fn run(function: &mut Function) {
    let is_candidate = |instruction: &Instruction| {
        instruction.guard.is_none()
            && matches!(
                instruction.op,
                Op::Load {
                    space: MemorySpace::Global | MemorySpace::Shared | MemorySpace::Generic,
                    strength: Strength::Weak,
                    ..
                }
            )
    };
    if !function.code.iter().any(is_candidate) {
        return;
    }
    let flow = Flow::of(&function.code);
    let candidates = (0..function.code.len())
        .filter(|at| is_candidate(&function.code[*at]) && has_fixed_address(&flow, *at))
        .take(MOST_CANDIDATES);
    let mut found = Vec::new();
    let (mut registers, mut predicates) = (function.registers, function.predicates);
    for at in candidates {
        // What is computed for one guard is of no use behind its load, so all guards share names.
        let mut availability =
            Availability::new(&flow, at, function.registers, function.predicates);
        let condition = demand::demand(&flow, &mut availability, at);
        if condition.is_always() {
            continue;
        }
        let (guarded, used_registers, used_predicates) = guard(at, &condition, availability);
        (registers, predicates) = (registers.max(used_registers), predicates.max(used_predicates));
        found.push(guarded);
    }
    drop(flow);
    (function.registers, function.predicates) = (registers, predicates);
    function.conditions = insert(&mut function.code, found);
}

/// Whether a load reads a named variable at a constant offset.
fn has_fixed_address(flow: &Flow<'_>, at: usize) -> bool {
    let named = |anchor: Anchor| matches!(anchor, Anchor::Shared(_) | Anchor::Symbol(_));
    let Op::Load { base, .. } = &flow.code[at].op else { return false };
    let Value::Register(mut register) = *base else { return named(flow.code[at].anchor) };
    // Through a few copies of the address.
    let mut place = at;
    for _ in 0..4 {
        let Some(definition) = flow.definition(Name::Register(register.number), place) else {
            return false;
        };
        let instruction = &flow.code[definition];
        match instruction.op {
            Op::Move { from: Value::Constant(_), .. }
            | Op::ConvertAddress { from: Value::Constant(_), .. } => {
                return named(instruction.anchor);
            }
            Op::Move { from: Value::Register(from), .. }
            | Op::ConvertAddress { from: Value::Register(from), .. } => {
                (register, place) = (from, definition);
            }
            _ => return false,
        }
    }
    false
}

/// Joins the condition into one predicate. Gives back the registers and predicates in use then.
fn guard(
    at: usize,
    condition: &Condition,
    mut availability: Availability<'_>,
) -> (Guarded, u32, u32) {
    let mut before = std::mem::take(&mut availability.repeated);
    let (registers, mut predicates) = (availability.registers, availability.predicates);
    let mut fresh = || {
        predicates += 1;
        Predicate(predicates - 1)
    };
    let mut any = None;
    for term in condition.terms() {
        let mut all = term[0];
        for literal in &term[1..] {
            let to = fresh();
            let op = crate::BoolOp::And;
            before.push((Op::PredicateLogic { op, to, a: all, b: *literal }, None));
            all = (to, false);
        }
        any = Some(match any {
            None => all,
            Some(known) => {
                let to = fresh();
                let op = crate::BoolOp::Or;
                before.push((Op::PredicateLogic { op, to, a: known, b: all }, None));
                (to, false)
            }
        });
    }
    let counts_if = any.unwrap_or_else(|| {
        let to = fresh();
        before.push((Op::ConstantPredicate { to, value: false }, None));
        (to, false)
    });
    drop_unused(&mut before, counts_if.0);
    (Guarded { at, before, counts_if }, registers, predicates)
}

/// Drops what was computed and then not needed for the guard.
fn drop_unused(before: &mut Vec<(Op, Option<usize>)>, guard: Predicate) {
    let mut needed = vec![Name::Predicate(guard.0)];
    let mut keep = vec![false; before.len()];
    for (index, (op, _)) in before.iter().enumerate().rev() {
        let accesses = Accesses::of(op);
        if accesses.writes.iter().any(|name| needed.contains(name)) {
            keep[index] = true;
            needed.extend(accesses.reads);
        }
    }
    let mut keep = keep.into_iter();
    before.retain(|_| keep.next().unwrap_or(true));
}

/// Puts the guards in front of their loads. Whoever jumped to a load now jumps to its guard. Gives back how
/// the guards came about.
fn insert(code: &mut Vec<Instruction>, found: Vec<Guarded>) -> Vec<LoadCondition> {
    let mut conditions: Vec<LoadCondition> =
        found.iter().map(|guarded| LoadCondition::of(code, guarded)).collect();
    if found.is_empty() {
        return conditions;
    }
    let old = std::mem::take(code);
    let anchors: Vec<Anchor> = old.iter().map(|instruction| instruction.anchor).collect();
    let mut places = Vec::with_capacity(old.len());
    let added: usize = found.iter().map(|guarded| guarded.before.len()).sum();
    code.reserve_exact(old.len() + added);
    let mut found = found.into_iter().peekable();
    for (at, mut instruction) in old.into_iter().enumerate() {
        places.push(code.len() as u32);
        if let Some(guarded) = found.next_if(|guarded| guarded.at == at) {
            for (op, original) in guarded.before {
                let anchor = original.map_or(Anchor::Nothing, |original| anchors[original]);
                let counts_if = None;
                code.push(Instruction { op, anchor, counts_if, ..instruction.clone() });
            }
            instruction.counts_if = Some(guarded.counts_if);
        }
        code.push(instruction);
    }
    for instruction in code {
        match &mut instruction.op {
            Op::Branch { target, .. } => *target = places[*target as usize],
            Op::BranchIndexed { targets, .. } => {
                targets.iter_mut().for_each(|target| *target = places[*target as usize]);
            }
            _ => {}
        }
    }
    for condition in &mut conditions {
        condition.load = places[condition.load as usize] + condition.steps.len() as u32;
    }
    conditions
}

#[cfg(test)]
mod tests;
