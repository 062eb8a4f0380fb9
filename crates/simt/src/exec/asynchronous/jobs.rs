//! Copies and arrivals are carried out.

use crate::asynchronous::{Job, Work};
use crate::block::BlockInfo;
use crate::exec::atomic_function::{combined, updated};
use crate::exec::core::{Core, Running};
use crate::lanes::Rows;
use crate::mbarrier::Mbarrier;
use crate::outcome::Fault;
use crate::target::Target;
use crate::warp::{Warp, lanes};
use warpsan_event::Event;
use warpsan_ir::{AtomicOp, Type};
use warpsan_model::WARP_LANES;

impl Core<'_> {
    /// Carries out the oldest copy of a block that can go on by itself.
    pub(crate) fn run_job(
        &mut self,
        block: &mut BlockInfo,
        warps: &mut [Warp],
    ) -> Result<(), Fault> {
        let Some(job) = block.pending.next_job() else { return Ok(()) };
        let Some(warp) = warps.get_mut((job.thread / WARP_LANES) as usize) else { return Ok(()) };
        self.carry_out(block, warp, job)
    }

    pub(super) fn carry_out_all(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        jobs: Vec<Job>,
    ) -> Result<(), Fault> {
        jobs.into_iter().try_for_each(|job| self.carry_out(block, warp, job))
    }

    /// What threads that exit have begun with `cp.async`.
    pub(in crate::exec) fn finish_copies_of(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        mask: u32,
    ) -> Result<(), Fault> {
        if self.copies == self.first_copy {
            return Ok(());
        }
        for lane in lanes(mask) {
            let (jobs, _) = block.pending.take_groups(warp.thread(lane), None);
            self.carry_out_all(block, warp, jobs)?;
        }
        Ok(())
    }

    pub(super) fn carry_out(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        job: Job,
    ) -> Result<(), Fault> {
        let lane = (job.thread % WARP_LANES) as usize;
        let running = Running {
            group: 0,
            mask: 1 << lane,
            rows: Rows { registers: std::ptr::null_mut(), constants: std::ptr::null() },
            site: job.site,
            predicates: 0,
            local: 0,
        };
        match job.work {
            Work::Copy { from, to, bytes, source_bytes, reduce, byte_mask, barriers } => {
                for target in &to {
                    self.copy_bytes(
                        warp,
                        lane,
                        (from, *target),
                        (bytes, source_bytes),
                        reduce,
                        byte_mask,
                    );
                }
                self.trace.synchronisation(Event::CopyEnd { copy: job.number });
                for barrier in barriers {
                    self.signal(block, warp, &running, lane, Some(job.number), barrier, |state| {
                        state.add_transactions(-(bytes as i64))
                    })?;
                }
            }
            Work::Store { values, to, ty, reduce, barrier } => {
                let size = u64::from(ty.bytes());
                for (index, value) in values.iter().enumerate() {
                    let target = to.behind(index as u64 * size);
                    let value = match reduce {
                        Some(op) => {
                            let old = self.peek(warp, lane, target, size) as u64;
                            combined_or_counted(op, ty, old, *value)
                        }
                        None => *value,
                    };
                    self.poke(warp, lane, target, size, u128::from(value));
                }
                self.trace.synchronisation(Event::CopyEnd { copy: job.number });
                let bytes = size as i64 * values.len() as i64;
                self.signal(block, warp, &running, lane, Some(job.number), barrier, |state| {
                    state.add_transactions(-bytes)
                })?;
            }
            Work::Arrive { barrier } => {
                let jobs = block.pending.take_copies_below(job.thread, job.number);
                self.carry_out_all(block, warp, jobs)?;
                let copy = job.number.checked_sub(1);
                self.signal(block, warp, &running, lane, copy, barrier, |state| {
                    state.arrive(1, false)
                })?;
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    pub(super) fn signal(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        lane: usize,
        copy: Option<u64>,
        barrier: Target,
        change: impl FnOnce(&mut Mbarrier) -> Result<(), &'static str>,
    ) -> Result<(), Fault> {
        let phase = self.phase(barrier);
        if let Target::Shared { owner, offset, .. } = barrier {
            self.trace.synchronisation(Event::CopySignal {
                block: block.index,
                warp: warp.index,
                lane: lane as u32,
                copy,
                owner,
                address: offset,
                phase,
            });
        }
        self.change_barrier(block, warp, running, lane, barrier, change).map(drop)
    }

    fn copy_bytes(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        (from, to): (Target, Target),
        (bytes, source_bytes): (u64, u64),
        reduce: Option<(AtomicOp, Type)>,
        byte_mask: Option<u16>,
    ) {
        let step = reduce.map_or(16, |(_, ty)| u64::from(ty.bytes()));
        let mut at = 0;
        while at < bytes {
            let length = step.min(bytes - at);
            let readable = source_bytes.saturating_sub(at).min(length);
            let source = from.behind(at);
            let target = to.behind(at);
            let mut value = match readable {
                0 => 0,
                readable => self.peek(warp, lane, source, readable),
            };
            if let Some((op, ty)) = reduce {
                let old = self.peek(warp, lane, target, length) as u64;
                value = u128::from(combined_or_counted(op, ty, old, value as u64));
            }
            if let Some(mask) = byte_mask {
                let old = self.peek(warp, lane, target, length).to_le_bytes();
                let mut bytes = value.to_le_bytes();
                for (index, byte) in bytes.iter_mut().enumerate() {
                    if mask >> index & 1 == 0 {
                        *byte = old[index];
                    }
                }
                value = u128::from_le_bytes(bytes);
            }
            self.poke(warp, lane, target, length, value);
            at += length;
        }
    }
}

/// Reductions of asynchronous copies know counting, too.
fn combined_or_counted(op: AtomicOp, ty: Type, old: u64, value: u64) -> u64 {
    match op {
        AtomicOp::Inc | AtomicOp::Dec => {
            let new = updated(op, ty, false, old.into(), value.into(), 0);
            new.map_or(old, |new| new as u64)
        }
        op => combined(op, ty, false, old, value),
    }
}
