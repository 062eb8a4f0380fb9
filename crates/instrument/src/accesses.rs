//! Loads, stores and atomics of global memory, with their checks.

use crate::checks::{Access, is_block};
use crate::function::Body;
use crate::module::{CheckedAccess, NotInstrumented};
use crate::operands::{Based, Rewritten};
use std::fmt::Write;
use warpsan_ir::{Instruction as Lowered, MemorySpace, Op};
use warpsan_model::Strength;
use warpsan_ptx::Instruction;

/// Words that one check can be for, at most.
const MOST_WORDS: u32 = 4;
pub(crate) const WORD_BYTES: u32 = 4;

/// Whether an address of this space may be one of global memory.
pub(crate) fn may_be_global(space: MemorySpace) -> bool {
    matches!(space, MemorySpace::Global | MemorySpace::Generic)
}

/// What an operation does to memory and how many bytes of a lane it is, if that may be global memory or any will do.
pub(crate) fn access_of(op: &Op, in_any_memory: bool) -> Option<(Access, u32)> {
    let may_be_global = |space: MemorySpace| in_any_memory || may_be_global(space);
    match op {
        Op::Load { space, ty, to, .. } if may_be_global(*space) => {
            Some((Access::Load, ty.bytes() * to.len() as u32))
        }
        Op::Store { space, ty, from, .. } if may_be_global(*space) => {
            Some((Access::Store, ty.bytes() * from.len() as u32))
        }
        Op::Atomic { space, ty, strength, .. } if may_be_global(*space) => {
            Some((atomic(*strength), ty.bytes()))
        }
        Op::AtomicVector { space, ty, strength, from, .. } if may_be_global(*space) => {
            Some((atomic(*strength), ty.bytes() * from.len() as u32))
        }
        _ => None,
    }
}

fn atomic(strength: Strength) -> Access {
    Access::Atomic { block_scope: strength.scope().is_some_and(is_block) }
}

/// How strong an access is.
pub(crate) fn strength_of(op: &Op) -> Option<Strength> {
    match op {
        Op::Load { strength, .. }
        | Op::Store { strength, .. }
        | Op::Atomic { strength, .. }
        | Op::AtomicVector { strength, .. } => Some(*strength),
        _ => None,
    }
}

/// Writes the check of an access in front of it.
pub(crate) fn check(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
    (access, bytes): (Access, u32),
) -> Result<(), NotInstrumented> {
    let place = rewritten.first_address()?;
    if body.checked.covers(place, bytes, access) {
        body.writer.cost.pruned += 1;
        return Ok(());
    }
    let condition = condition_of(body, instruction, lowered)?;
    if instruction.guard.is_none() && condition.is_none() {
        body.checked.note(place, bytes, access);
    }
    let strength = strength_of(&lowered.op).unwrap_or(Strength::Weak);
    let site = body.site(instruction, lowered, CheckedAccess { access, strength, bytes });
    body.writer.cost.checked += 1;
    body.guarded(instruction, |body| match condition {
        None => expand(body, site, place, access, bytes),
        Some(condition) => {
            body.writer.cost.speculated += 1;
            body.out.push_str(&condition);
            body.skipped_unless_it_counts(|body| expand(body, site, place, access, bytes));
        }
    });
    Ok(())
}

/// Text that computes whether a load that the compiler speculated counts; nothing for all that always do.
pub(crate) fn condition_of(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
) -> Result<Option<String>, NotInstrumented> {
    if lowered.counts_if.is_none() {
        return Ok(None);
    }
    let text = body.condition(lowered.span).unwrap_or_else(|| Err("not known".to_owned()));
    text.map(Some).map_err(|what| {
        let text = instruction.mnemonic.text;
        NotInstrumented(format!("it has `{text}`, a speculated load whose condition has {what}"))
    })
}

/// Expands the checks of so many bytes.
pub(crate) fn expand(
    body: &mut Body<'_, '_>,
    site: u32,
    place: &Based,
    access: Access,
    bytes: u32,
) {
    // What a lane knows of its warp may be old where the warp's lanes meet in parts.
    let refresh = body.writer.checks.refresh().filter(|_| body.writer.uses.parts_of_warps);
    if let Some(refresh) = refresh {
        body.expand(refresh, site);
    }
    let words = bytes.div_ceil(WORD_BYTES);
    for first in (0..words).step_by(MOST_WORDS as usize) {
        let words = (words - first).min(MOST_WORDS);
        address(body, place, i64::from(first * WORD_BYTES));
        if let Some(template) = body.writer.checks.access(access, words, body.writer.uses.locks) {
            body.expand(template, site);
        }
    }
}

/// Brings the address that an instruction accesses to a register of ours.
pub(crate) fn address(body: &mut Body<'_, '_>, place: &Based, further: i64) {
    let offset = place.offset.wrapping_add(further);
    let base = if place.register.is_empty() { "0" } else { &place.register };
    let _ = writeln!(body.out, "\tmov.b64 %ws_address, {base};");
    // What is added to has to be a register; a shared variable is none.
    if offset != 0 {
        let _ = writeln!(body.out, "\tadd.s64 %ws_address, %ws_address, {offset};");
    }
}
