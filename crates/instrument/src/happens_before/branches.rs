//! Branches that only skip a few instructions, as those of `if (i < n) x = a[i]`: accesses go on waiting for their checks in front of these instructions, in them, and behind them.

use super::batch;
use super::expected::{MOST, space_of};
use super::layout::hows;
use super::{has_owners, matters};
use crate::body::Body;
use crate::meaning::{is_call, is_jump, what_matters};
use std::fmt::Write;
use warpsan_ir::{MemorySpace, Op};
use warpsan_ptx::{Instruction, Operand, Statement};

/// What the skipped instructions do to memory.
#[derive(Debug, Default)]
struct Skipped {
    /// Accesses that would wait, at most.
    accesses: usize,
    /// How they are made, as `hows` has it.
    how: u32,
}

/// Looks at a statement that is about to be written, and those that follow it. If it is such a branch, nothing has to be checked before its label is written.
pub(crate) fn look_ahead(
    body: &mut Body<'_, '_>,
    statement: &Statement<'_>,
    following: &[Statement<'_>],
) {
    let Some((label, skipped)) = short_branch(body, statement, following) else { return };
    // Which of them comes first matters to the read-only path.
    let how = skipped.how | body.batch.how();
    if skipped.accesses > MOST || (how & hows::WRITES != 0 && how & hows::BY_READ_ONLY_PATH != 0) {
        return;
    }
    if body.batch.waiting.len() + skipped.accesses > MOST {
        batch::flush(body);
    }
    let first = body.batch.waiting.len();
    for index in first..first + skipped.accesses {
        let _ = writeln!(body.out, "\tmov.b32 %ws_wanted_{index}, 0;");
    }
    body.batch.join = Some(label.to_owned());
}

/// Whether accesses go on waiting at a label.
pub(crate) fn joins(body: &mut Body<'_, '_>, label: &str) -> bool {
    body.batch.join.take_if(|join| join == label).is_some()
}

/// The label of a branch that does no more than skip the instructions before it, and what these do; nobody else comes to the label.
fn short_branch<'s>(
    body: &Body<'_, '_>,
    statement: &Statement<'s>,
    following: &[Statement<'s>],
) -> Option<(&'s str, Skipped)> {
    let Statement::Instruction(branch) = statement else { return None };
    let [Operand::Name(label)] = branch.operands else { return None };
    if branch.opcode() != "bra" || branch.guard.is_none() || body.batch.is_in_branch() {
        return None;
    }
    let mut skipped = Skipped::default();
    let mut rest = following.iter();
    loop {
        match rest.next()? {
            Statement::Instruction(instruction) => add(body, instruction, &mut skipped)?,
            Statement::Label(found) if found.name == *label => break,
            Statement::Location(_) | Statement::Registers(_) | Statement::Pragma(_) => {}
            _ => return None,
        }
    }
    let behind = rest.find_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    })?;
    let at = body.by_place.get(&behind.span.start)?.start as u32;
    let flow = &body.lowered.control_flow;
    let block = flow.block_of(at);
    let is_join = flow.blocks[block].start == at && flow.predecessors(block).count() == 2;
    is_join.then_some((*label, skipped))
}

/// Adds an instruction, unless something has to be checked before it.
fn add(body: &Body<'_, '_>, instruction: &Instruction<'_>, skipped: &mut Skipped) -> Option<()> {
    if is_jump(instruction) || is_call(instruction) {
        return None;
    }
    let Some(lowered) = what_matters(body.meaning(instruction), matters) else { return Some(()) };
    let how = match &lowered.op {
        Op::Load { read_only_path: true, .. } => hows::BY_READ_ONLY_PATH,
        Op::Load { .. } => 0,
        Op::Store { .. } => hows::WRITES,
        _ => return None,
    };
    match space_of(&lowered.op) {
        Some(MemorySpace::Global) => {
            skipped.accesses += 1;
            skipped.how |= how;
        }
        Some(MemorySpace::Generic) => skipped.how |= how,
        Some(MemorySpace::Shared) if has_owners(body) => skipped.accesses += 1,
        _ => {}
    }
    Some(())
}
