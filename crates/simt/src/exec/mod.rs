//! One instruction after another, for one group of a warp.

pub(crate) mod access;
pub(crate) mod addressing;
pub(crate) mod asynchronous;
pub(crate) mod atomic_function;
pub(crate) mod atomics;
pub(crate) mod barriers;
pub(crate) mod calls;
pub(crate) mod collectives;
pub(crate) mod compute;
pub(crate) mod core;
pub(crate) mod matrices;
pub(crate) mod reduction;
mod specials;
mod system;

use self::core::{Core, Next, Running, Stop};
use crate::block::BlockInfo;
use crate::lanes::{Instructions, Rows, each_lane};
use crate::outcome::{Fault, FaultKind};
use crate::program::rare::RareOp;
use crate::program::{Action, Condition, Logic};
use crate::warp::{NONE, State, Warp, bits};
use warpsan_event::Event;
use warpsan_ir::BoolOp;
use warpsan_model::SiteId;

impl<'a> Core<'a> {
    /// Runs a warp for at most `length` instructions, first the group of that number.
    pub(crate) fn run(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        group: usize,
        length: u64,
    ) -> Result<Stop, Fault> {
        let before = warp.instructions;
        self.clock_offset = self.instructions.wrapping_sub(before);
        let result = self.burst(block, warp, group, length);
        self.instructions += warp.instructions - before;
        result
    }

    fn burst(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        mut group: usize,
        length: u64,
    ) -> Result<Stop, Fault> {
        let end = warp.instructions + length;
        loop {
            // SAFETY: the processor was found to have the instructions.
            let end_of_group = unsafe {
                match self.instruction_set {
                    Instructions::Portable => self.straight(block, warp, group, end),
                    Instructions::Avx2 => self.straight_avx2(block, warp, group, end),
                    Instructions::Avx512 => self.straight_avx512(block, warp, group, end),
                }
            };
            match end_of_group? {
                Some(stop) => return Ok(stop),
                // The groups have changed: another one may run in the rest of the burst.
                None if warp.instructions >= end => return Ok(Stop::Over),
                None => match warp.groups.iter().position(|group| group.state == State::Ready) {
                    Some(ready) => group = ready,
                    None => return Ok(Stop::Over),
                },
            }
        }
    }

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn straight_avx2(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        group: usize,
        end: u64,
    ) -> Result<Option<Stop>, Fault> {
        self.straight(block, warp, group, end)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn straight_avx512(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        group: usize,
        end: u64,
    ) -> Result<Option<Stop>, Fault> {
        self.straight(block, warp, group, end)
    }

    /// Runs one group until it is not the same group any more. Compiled for each kind of processor,
    /// with the loads and stores inside.
    #[inline(always)]
    fn straight(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        group: usize,
        end: u64,
    ) -> Result<Option<Stop>, Fault> {
        let program = self.program;
        let mask = warp.groups[group].mask;
        let bases = warp.groups[group].bases;
        let reconvergence = warp.reconvergence_at(group);
        let rows = Rows {
            registers: warp.rows[bases.rows as usize..].as_mut_ptr(),
            constants: program.constants.as_ptr(),
        };
        let first_predicate = bases.predicates as usize;
        let running = |mask: u32, site: SiteId| Running {
            group,
            mask,
            rows,
            site,
            predicates: first_predicate,
            local: u64::from(bases.local),
        };
        let mut at = warp.groups[group].at;
        loop {
            if at == reconvergence {
                warp.groups[group].at = at;
                warp.arrive(group);
                self.tell_reconverged(block, warp);
                return Ok(None);
            }
            if warp.instructions >= end {
                warp.groups[group].at = at;
                return Ok(Some(Stop::Over));
            }
            let instruction = &program.code[at as usize];
            warp.instructions += 1;
            let predicates = &mut warp.predicates[first_predicate..];
            let active = match instruction.guard {
                Condition::ALWAYS => mask,
                guard => mask & guard.lanes(predicates),
            };
            match instruction.action {
                Action::Branch { target, reconverge } => {
                    if active == 0 {
                        at += 1;
                    } else if active == mask {
                        at = target;
                    } else {
                        warp.groups[group].at = at;
                        warp.diverge(
                            group,
                            active,
                            target,
                            (reconverge != NONE).then_some(reconverge),
                        );
                        return Ok(None);
                    }
                    continue;
                }
                _ if active == 0 => {}
                Action::Lanes(function) => {
                    // SAFETY: the rows are those of the program that the instruction is of, and
                    // the function was made for this processor.
                    unsafe { function(rows, &instruction.operands, active) };
                }
                Action::Test { function, to, complement, combine } => {
                    // SAFETY: as above.
                    let truth = unsafe { function(rows, &instruction.operands) };
                    let (mut value, mut opposite) = (truth, !truth);
                    if let Some(combine) = program.combines.get(combine as usize) {
                        let with = combine.with.lanes(predicates);
                        value = logic(combine.op, value, with);
                        opposite = logic(combine.op, opposite, with);
                    }
                    for (to, value) in [(to, value), (complement, opposite)] {
                        if to != NONE {
                            let bits = &mut predicates[to as usize];
                            *bits = (*bits & !active) | (value & active);
                        }
                    }
                }
                Action::Select { by, rows: width } => {
                    let takes_a = by.lanes(predicates);
                    // SAFETY: as above.
                    unsafe { select(rows, &instruction.operands, active, takes_a, width) };
                }
                Action::Logic { op, to, a, b } => {
                    let value = match op {
                        Logic::False => 0,
                        Logic::True => u32::MAX,
                        Logic::Same => a.lanes(predicates),
                        Logic::Of(op) => logic(op, a.lanes(predicates), b.lanes(predicates)),
                    };
                    let bits = &mut predicates[to as usize];
                    *bits = (*bits & !active) | (value & active);
                }
                Action::Load(number) => {
                    let running = running(active, instruction.site);
                    self.load(block, warp, &running, number)?;
                    self.end_guarded(block, warp, active, mask);
                }
                Action::Store(number) => {
                    let running = running(active, instruction.site);
                    self.store(block, warp, &running, number)?;
                    self.end_guarded(block, warp, active, mask);
                }
                Action::Atomic(number) => {
                    let running = running(active, instruction.site);
                    self.common_atomic(block, warp, &running, number)?;
                    self.end_guarded(block, warp, active, mask);
                }
                Action::Rare(number) => {
                    let running = running(active, instruction.site);
                    warp.groups[group].at = at;
                    match self.rare(block, warp, &running, &program.rare[number as usize])? {
                        Next::Forward => self.end_guarded(block, warp, active, mask),
                        Next::Changed => return Ok(None),
                        Next::Stop(stop) => return Ok(Some(stop)),
                    }
                }
            }
            at += 1;
        }
    }

    /// Some lanes of a group have executed an instruction, and go on with the others.
    #[inline(always)]
    fn end_guarded(&mut self, block: &BlockInfo, warp: &Warp, active: u32, mask: u32) {
        if active != mask {
            self.trace.reconvergence(block.index, warp.index, mask);
        }
    }

    /// Lanes of a warp may have become one group again.
    pub(crate) fn tell_reconverged(&mut self, block: &BlockInfo, warp: &mut Warp) {
        let number = warp.index;
        for mask in warp.take_reconverged() {
            self.trace.reconvergence(block.index, number, mask);
        }
    }

    /// An operation that the inner loop hands on. `at` of the group is the instruction; it is
    /// the caller's to go on, unless the groups change.
    fn rare(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &'a RareOp,
    ) -> Result<Next, Fault> {
        let Running { group, mask, rows, site, .. } = *running;
        match op {
            RareOp::Exit => {
                // What a thread began is finished before it goes.
                self.finish_copies_of(block, warp, mask)?;
                warp.groups[group].at += 1;
                warp.exit(group, mask);
                self.tell_reconverged(block, warp);
                if self.launch.kernel.facts.uses_block_barriers {
                    let (block, warp) = (block.index, warp.index);
                    self.trace.synchronisation(Event::LanesEnd { block, warp, mask });
                }
                self.after_exit(block, warp)?;
                return Ok(Next::Stop(Stop::ForCluster));
            }
            RareOp::Trap => {
                let (kind, what) = (FaultKind::Trap, "it executed `trap`");
                return Err(self.fault(block, warp, mask, site, kind, what));
            }
            RareOp::Yield => {
                warp.groups[group].at += 1;
                return Ok(Next::Stop(Stop::Over));
            }
            RareOp::Nothing => {}
            RareOp::BranchIndexed { index, targets, reconverge } => {
                return self.branch_indexed(block, warp, running, *index, targets, *reconverge);
            }
            RareOp::BlockBarrier { op, barrier, threads, .. } => {
                return self.block_barrier(block, warp, running, *op, *barrier, *threads);
            }
            RareOp::WarpBarrier { mask } => {
                return Ok(self.warp_barrier(block, warp, running, *mask));
            }
            RareOp::ClusterBarrier { step, order } => {
                return Ok(self.cluster_barrier(block, warp, running, *step, *order));
            }
            RareOp::Collective(op) => return self.collective(block, warp, running, op),
            RareOp::Fence { order, scope } => self.trace.synchronisation(Event::Fence {
                block: block.index,
                warp: warp.index,
                mask,
                site,
                order: *order,
                scope: *scope,
            }),
            RareOp::WaitForPrerequisites => {
                let (block, warp) = (block.index, warp.index);
                self.trace.synchronisation(Event::PrerequisiteWait { block, warp, mask, site });
            }
            RareOp::ProxyFence { proxy } => self.proxy_fence(block, warp, running, *proxy),
            RareOp::Atomic(op) => self.atomic(block, warp, running, op)?,
            RareOp::ReadSpecial { to, special } => {
                let values = self.special(block, warp, *special);
                // SAFETY: the register is one of the program.
                unsafe { rows.set(*to, mask, &values) };
            }
            // SAFETY: the register is one of the program.
            RareOp::ActiveMask { to } => unsafe { rows.set(*to, mask, &[u64::from(mask); 32]) },
            RareOp::Address(op) => self.address_operation(block, warp, running, op),
            RareOp::Async(op) => return self.asynchronous(block, warp, running, op),
            RareOp::CallSubroutine(call) => return self.call(block, warp, running, call),
            RareOp::Return => return self.return_from_call(block, warp, running),
            RareOp::System(call) => return self.system_call(block, warp, running, call),
            RareOp::Compute(op) => {
                let predicates = &mut warp.predicates[running.predicates..];
                // SAFETY: the registers are those of the program.
                unsafe { compute::compute(rows, predicates, mask, op) };
            }
        }
        Ok(Next::Forward)
    }

    fn branch_indexed(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        index: warpsan_ir::Value,
        targets: &[u32],
        reconverge: Option<u32>,
    ) -> Result<Next, Fault> {
        let Running { group, mask, rows, site, .. } = *running;
        // SAFETY: the operand is one of the program.
        let indexes = unsafe { rows.values(index) };
        let first = indexes[mask.trailing_zeros() as usize];
        let Some(target) = targets.get(first as usize) else {
            let what = format!("`brx.idx` with {first}, but there are {} targets", targets.len());
            let kind = FaultKind::InvalidTarget;
            return Err(self.fault(block, warp, mask, site, kind, what));
        };
        let agreeing = bits(mask, |lane| indexes[lane] == first);
        if agreeing == warp.groups[group].mask {
            warp.groups[group].at = *target;
            return Ok(Next::Changed);
        }
        let at = warp.groups[group].at;
        warp.diverge(group, agreeing, *target, reconverge);
        // The others come to the instruction again.
        warp.groups[group].at = at;
        Ok(Next::Changed)
    }

    /// Threads have exited: barriers that waited for them alone are complete.
    fn after_exit(&mut self, block: &mut BlockInfo, warp: &mut Warp) -> Result<(), Fault> {
        self.release_warp_barriers(block, warp);
        self.complete_collectives(block, warp)
    }
}

fn logic(op: BoolOp, a: u32, b: u32) -> u32 {
    match op {
        BoolOp::And => a & b,
        BoolOp::Or => a | b,
        BoolOp::Xor => a ^ b,
    }
}

/// # Safety
/// The operands are rows of the program, `width` rows each.
#[inline(always)]
unsafe fn select(
    rows: Rows,
    operands: &crate::lanes::Operands,
    mask: u32,
    takes_a: u32,
    width: u8,
) {
    // SAFETY: the caller answers for the rows.
    unsafe {
        macro_rules! by_width {
            ($t:ty) => {{
                let (a, b) = (rows.read::<$t>(operands.a), rows.read::<$t>(operands.b));
                let chosen =
                    each_lane(|lane| if takes_a >> lane & 1 == 1 { a[lane] } else { b[lane] });
                rows.write(operands.to, mask, &chosen);
            }};
        }
        match width {
            1 => by_width!(u32),
            2 => by_width!(u64),
            _ => by_width!(u128),
        }
    }
}
