//! Calls of subroutines.

use super::addressing::{read_local, write_local};
use super::core::{Core, Next, Running, isolate, isolate_lanes};
use crate::block::BlockInfo;
use crate::lanes::Row;
use crate::outcome::{Fault, FaultKind};
use crate::program::Action;
use crate::program::rare::RareOp;
use crate::warp::{Bases, Warp, lanes};
use warpsan_ir::{CallCopy, CallTarget, SubroutineCall};

/// Local memory that a thread can have when it calls: far more than CUDA has unless set otherwise.
const MOST_LOCAL_BYTES: u32 = 64 << 10;
/// What a call takes of it at least: the way back, on a device. Recursion without end ends by it.
const SMALLEST_FRAME: u32 = 16;

impl Core<'_> {
    pub(super) fn call(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        call: &SubroutineCall,
    ) -> Result<Next, Fault> {
        let Running { group, mask, rows, site, .. } = *running;
        let program = self.program;
        let routine = match call.target {
            CallTarget::Subroutine(number) => {
                if !isolate_lanes(warp, group, mask) {
                    return Ok(Next::Changed);
                }
                &program.routines[number as usize]
            }
            CallTarget::Pointer(pointer) => {
                if !isolate(warp, running, pointer) {
                    return Ok(Next::Changed);
                }
                // SAFETY: the operand is one of the program.
                let address = unsafe { rows.values(pointer)[mask.trailing_zeros() as usize] };
                match program.routines.iter().find(|routine| routine.address == address) {
                    Some(routine) => routine,
                    None => {
                        let what =
                            format!("it calls {address:#x}, where no function of the module is");
                        let kind = FaultKind::InvalidTarget;
                        return Err(self.fault(block, warp, mask, site, kind, what));
                    }
                }
            }
        };
        let caller = warp.groups[group].bases;
        let end_of_caller = caller.rows + self.rows_of_caller(warp, group);
        let bases = Bases {
            rows: warp.rows_for_call(group, routine.entry, end_of_caller, routine.rows),
            predicates: caller.predicates + call.predicates,
            local: caller.local + (call.frame as u32).max(SMALLEST_FRAME).next_multiple_of(16),
        };
        if bases.local + routine.local_words * 4 > MOST_LOCAL_BYTES {
            let what = format!(
                "a stack overflow: calls need more than {MOST_LOCAL_BYTES} bytes of local memory"
            );
            let kind = FaultKind::StackOverflow;
            return Err(self.fault(block, warp, mask, site, kind, what));
        }
        grow(&mut warp.rows, bases.rows + routine.rows, Row::ZERO);
        grow(&mut warp.predicates, bases.predicates + routine.predicates, 0);
        grow(&mut warp.local, bases.local / 4 + routine.local_words, Row::ZERO);
        copy(warp, mask, &call.arguments, |one| {
            (u64::from(caller.local) + one.caller, u64::from(bases.local) + one.callee)
        });
        warp.enter(group, routine.entry, bases, routine.rows);
        Ok(Next::Changed)
    }

    /// Rows that the routine of a group has, which its callee's follow.
    fn rows_of_caller(&self, warp: &Warp, group: usize) -> u32 {
        let at = warp.groups[group].at;
        let routines = &self.program.routines;
        let around = routines.iter().filter(|routine| routine.entry <= at);
        around.max_by_key(|routine| routine.entry).map_or(self.program.rows, |one| one.rows)
    }

    pub(super) fn return_from_call(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
    ) -> Result<Next, Fault> {
        let Running { group, mask, site, .. } = *running;
        if !isolate_lanes(warp, group, mask) {
            return Ok(Next::Changed);
        }
        let callee = warp.groups[group].bases;
        let Some(open) = warp.call(warp.groups[group].call) else {
            let (kind, what) = (FaultKind::InvalidTarget, "it returns from no call");
            return Err(self.fault(block, warp, mask, site, kind, what));
        };
        let instruction = &self.program.code[open.instruction as usize];
        let caller = open.outer_bases;
        if let Action::Rare(number) = instruction.action
            && let RareOp::CallSubroutine(call) = &self.program.rare[number as usize]
        {
            copy(warp, mask, &call.results, |one| {
                (u64::from(callee.local) + one.callee, u64::from(caller.local) + one.caller)
            });
        }
        warp.leave(group);
        Ok(Next::Changed)
    }
}

fn grow<T: Clone>(list: &mut Vec<T>, length: u32, value: T) {
    if list.len() < length as usize {
        list.resize(length as usize, value);
    }
}

/// Copies inside of local memory; `ways` says from where to where.
fn copy(warp: &mut Warp, mask: u32, copies: &[CallCopy], ways: impl Fn(&CallCopy) -> (u64, u64)) {
    let mut buffer = Vec::new();
    for one in copies {
        let (from, to) = ways(one);
        buffer.resize(one.bytes as usize, 0);
        for lane in lanes(mask) {
            read_local(warp, lane, from, &mut buffer);
            write_local(warp, lane, to, &buffer);
        }
    }
}
