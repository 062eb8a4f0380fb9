//! A block barrier that has all it waits for.

use crate::block::Block;
use crate::exec::barriers::set_predicate;
use crate::exec::core::Core;
use crate::lanes::Rows;
use crate::program::rare::RareOp;
use crate::program::{Action, Program};
use crate::warp::{State, Warp};
use warpsan_event::Event;
use warpsan_ir::BarrierOp;
use warpsan_model::barriers::{BlockBarrier, WaitingGroup, diverged_groups};

/// Lets those go on who wait at a barrier of a block, and emits that it is complete.
pub(crate) fn complete(core: &mut Core<'_>, block: &mut Block, number: usize) {
    let groups = waiting_groups(core.program, block, number);
    emit_diverged_warps(core, block, number, &groups);
    let barrier = block.release_barrier(number);
    for (group, WaitingGroup { warp, instruction, .. }) in groups {
        let warp = &mut block.warps[warp as usize];
        give_result(core.program, warp, group, instruction, &barrier);
    }
    for warp in &mut block.warps {
        warp.merge_equal_groups();
    }
    core.trace.synchronisation(Event::BlockBarrier {
        block: block.info.index,
        barrier: number as u32,
        participants: &barrier.participants(),
    });
}

/// The groups that wait at a barrier, each with its number in its warp.
pub(crate) fn waiting_groups(
    program: &Program,
    block: &Block,
    number: usize,
) -> Vec<(usize, WaitingGroup)> {
    let mut found = Vec::new();
    for warp in &block.warps {
        for (group, one) in warp.groups.iter().enumerate() {
            if let State::AtBlockBarrier { barrier, instruction } = one.state
                && barrier as usize == number
            {
                let site = program.code[instruction as usize].site;
                let (warp, lanes) = (warp.index, one.mask);
                found.push((group, WaitingGroup { warp, lanes, instruction, site }));
            }
        }
    }
    found
}

/// Groups that came to a barrier by instructions that do not belong together, by warp and in the
/// order of a warp's groups.
fn emit_diverged_warps(
    core: &mut Core<'_>,
    block: &Block,
    number: usize,
    groups: &[(usize, WaitingGroup)],
) {
    for pair in groups.windows(2) {
        let [(_, one), (_, other)] = pair else { continue };
        let (launch, program) = (core.launch, core.program);
        let is_aligned = |group: &WaitingGroup| is_aligned(program, group.instruction);
        let same_line = |a, b| launch.same_line(a, b);
        if !diverged_groups(number, one, other, is_aligned, same_line) {
            continue;
        }
        core.trace.synchronisation(Event::BarrierDivergence {
            block: block.info.index,
            site: one.site,
            thread: one.thread(),
            lanes: one.lanes,
            other_site: other.site,
            other_thread: other.thread(),
            other_lanes: other.lanes,
            completes: one.warp != other.warp,
        });
    }
}

fn is_aligned(program: &Program, at: u32) -> bool {
    let Action::Rare(number) = program.code[at as usize].action else { return false };
    matches!(program.rare[number as usize], RareOp::BlockBarrier { aligned: true, .. })
}

/// The result of a barrier with a reduction, the same for all who were there.
fn give_result(
    program: &Program,
    warp: &mut Warp,
    group: usize,
    instruction: u32,
    barrier: &BlockBarrier,
) {
    let Action::Rare(number) = program.code[instruction as usize].action else { return };
    let RareOp::BlockBarrier { op, .. } = &program.rare[number as usize] else { return };
    let (mask, bases) = (warp.groups[group].mask, warp.groups[group].bases);
    match op {
        BarrierOp::Sync | BarrierOp::Arrive => {}
        BarrierOp::Popc { to, .. } => {
            let rows = Rows {
                registers: warp.rows[bases.rows as usize..].as_mut_ptr(),
                constants: program.constants.as_ptr(),
            };
            // SAFETY: the register is one of the program.
            unsafe { rows.set(*to, mask, &[u64::from(barrier.votes()); 32]) };
        }
        BarrierOp::Combine { and, to, .. } => {
            let truth = if *and { barrier.all_voted() } else { barrier.any_voted() };
            let value = if truth { u32::MAX } else { 0 };
            set_predicate(warp, bases.predicates as usize, *to, mask, value);
        }
    }
}
