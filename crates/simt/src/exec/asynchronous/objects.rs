//! `mbarrier` objects.

use crate::block::BlockInfo;
use crate::exec::barriers::set_predicate;
use crate::exec::core::{Core, Next, Running, Stop};
use crate::mbarrier::Mbarrier;
use crate::outcome::{Fault, FaultKind};
use crate::target::Target;
use crate::warp::{Warp, lanes};
use warpsan_event::{Event, MbarrierAccess, MbarrierStep};
use warpsan_ir::{AddressOperand, MbarrierOp, Value};
use warpsan_model::Strength;

impl Core<'_> {
    pub(super) fn barrier_targets(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        place: &AddressOperand,
    ) -> Result<[Target; 32], Fault> {
        let targets = self.place_targets(block, warp, running, place, "uses an mbarrier of", 8)?;
        for lane in lanes(running.mask) {
            if !matches!(targets[lane], Target::Shared { .. }) {
                let what = "an mbarrier that is not in shared memory";
                let kind = FaultKind::InvalidAddressSpace;
                return Err(self.fault(block, warp, 1 << lane, running.site, kind, what));
            }
        }
        Ok(targets)
    }

    pub(super) fn mbarrier(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &MbarrierOp,
        barrier: &AddressOperand,
        strength: Strength,
    ) -> Result<Next, Fault> {
        let targets = self.barrier_targets(block, warp, running, barrier)?;
        let Running { mask, rows, .. } = *running;
        // SAFETY: the operands are those of the program.
        let values = |value: Value| unsafe { rows.values(value) };
        let amount = |value: Option<Value>, default: u64| value.map_or([default; 32], values);
        let own = block.index;
        let emit = |core: &mut Self, warp: &Warp, lane: usize, step: MbarrierStep, phase: u64| {
            let Target::Shared { owner, offset: address, .. } = targets[lane] else { return };
            let (block, warp, site) = (own, warp.index, running.site);
            let lane = lane as u32;
            core.trace.synchronisation(Event::Mbarrier(MbarrierAccess {
                block,
                warp,
                lane,
                site,
                step,
                strength,
                owner,
                address,
                phase,
            }));
        };
        match op {
            MbarrierOp::Init { count } => {
                let counts = values(*count);
                for lane in lanes(mask) {
                    if !(1..1 << 20).contains(&(counts[lane] as u32)) {
                        let what = format!("an mbarrier for {} arrivals", counts[lane] as u32);
                        return Err(self.fault(
                            block,
                            warp,
                            1 << lane,
                            running.site,
                            FaultKind::InvalidMbarrier,
                            what,
                        ));
                    }
                    self.set_barrier(
                        warp,
                        lane,
                        targets[lane],
                        Mbarrier::init(counts[lane] as u32),
                    );
                    emit(self, warp, lane, MbarrierStep::Init, 0);
                    self.phases.remove(&key(targets[lane]));
                }
            }
            MbarrierOp::Invalidate => {
                for lane in lanes(mask) {
                    self.poke(warp, lane, targets[lane], 8, 0);
                    let step = MbarrierStep::Invalidate;
                    emit(self, warp, lane, step, 0);
                }
            }
            MbarrierOp::ExpectTransaction { bytes } | MbarrierOp::CompleteTransaction { bytes } => {
                let is_expect = matches!(op, MbarrierOp::ExpectTransaction { .. });
                let bytes = values(*bytes);
                for lane in lanes(mask) {
                    let bytes = i64::from(bytes[lane] as u32);
                    let change = if is_expect { bytes } else { -bytes };
                    let phase = self.phase(targets[lane]);
                    self.change_barrier(block, warp, running, lane, targets[lane], |state| {
                        state.add_transactions(change)
                    })?;
                    let step = MbarrierStep::Expect;
                    emit(self, warp, lane, step, phase);
                }
            }
            MbarrierOp::Arrive { drop, to, count, expect, .. } => {
                let counts = amount(*count, 1);
                let expected = amount(*expect, 0);
                let mut states = [0; 32];
                for lane in lanes(mask) {
                    let phase = self.phase(targets[lane]);
                    let step = if *drop { MbarrierStep::ArriveDrop } else { MbarrierStep::Arrive };
                    emit(self, warp, lane, step, phase);
                    let (count, bytes) = (counts[lane] as u32, expected[lane] as u32);
                    states[lane] =
                        self.change_barrier(block, warp, running, lane, targets[lane], |state| {
                            state.add_transactions(i64::from(bytes))?;
                            state.arrive(count, *drop)
                        })?;
                }
                if let Some(to) = to {
                    // SAFETY: the register is one of the program.
                    unsafe { rows.set(*to, mask, &states) };
                }
            }
            MbarrierOp::Wait { to, phase, by_parity, may_sleep } => {
                let phases = values(*phase);
                let mut passed = 0;
                for lane in lanes(mask) {
                    let state = self.barrier_state(block, warp, running, lane, targets[lane])?;
                    let waited_for = match by_parity {
                        true => phases[lane] & 1 == 1,
                        false => Mbarrier::of(phases[lane]).parity(),
                    };
                    if state.parity() != waited_for {
                        passed |= 1 << lane;
                        let phase = self.phase(targets[lane]);
                        let step = MbarrierStep::Wait;
                        emit(self, warp, lane, step, phase);
                    }
                }
                set_predicate(warp, running.predicates, *to, mask, passed);
                if *may_sleep && passed != mask {
                    // Whoever waits lets others go on.
                    warp.groups[running.group].at += 1;
                    return Ok(Next::Stop(Stop::Over));
                }
            }
        }
        Ok(Next::Forward)
    }

    fn barrier_state(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        lane: usize,
        target: Target,
    ) -> Result<Mbarrier, Fault> {
        let state = Mbarrier::of(self.peek(warp, lane, target, 8) as u64);
        if state.is_valid() {
            return Ok(state);
        }
        let what = "it uses an mbarrier that was not initialised, or was overwritten";
        Err(self.fault(block, warp, 1 << lane, running.site, FaultKind::InvalidMbarrier, what))
    }

    fn set_barrier(&mut self, warp: &mut Warp, lane: usize, target: Target, state: Mbarrier) {
        self.poke(warp, lane, target, 8, u128::from(state.bits()));
    }

    /// Changes an object and completes its phase if that is due. Returns the state before.
    pub(super) fn change_barrier(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        lane: usize,
        target: Target,
        change: impl FnOnce(&mut Mbarrier) -> Result<(), &'static str>,
    ) -> Result<u64, Fault> {
        let mut state = self.barrier_state(block, warp, running, lane, target)?;
        let before = state.bits();
        if let Err(what) = change(&mut state) {
            return Err(self.fault(
                block,
                warp,
                1 << lane,
                running.site,
                FaultKind::InvalidMbarrier,
                what,
            ));
        }
        if state.complete_if_due() {
            *self.phases.entry(key(target)).or_insert(0) += 1;
        }
        self.set_barrier(warp, lane, target, state);
        Ok(before)
    }

    pub(super) fn phase(&self, target: Target) -> u64 {
        self.phases.get(&key(target)).copied().unwrap_or(0)
    }
}

/// Where an object is.
fn key(target: Target) -> (u32, u64) {
    match target {
        Target::Shared { owner, offset, .. } => (owner.0, offset),
        _ => (0, 0),
    }
}
