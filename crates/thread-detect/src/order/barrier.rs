//! Barriers.

use warpsan_thread_clock::VectorClock;

use crate::rules::{Rule, Rules};
use crate::spin::SpinLock;
use crate::thread_state::ThreadState;
use crate::tool::Tool;

/// The clocks of a barrier: of those who have entered the current phase, and of phases that not all have left.
#[derive(Debug, Default)]
pub struct BarrierClock(SpinLock<Phases>);

/// Which phase of a barrier a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierPhase(u64);

#[derive(Debug, Default)]
struct Phases {
    current: u64,
    entered: u32,
    gathering: VectorClock,
    /// Invariant: at least one thread has yet to leave each of them. Usually one at most: a second one is complete only
    /// where more threads use the barrier than it has parties.
    complete: Vec<Complete>,
}

#[derive(Debug)]
struct Complete {
    phase: u64,
    clock: VectorClock,
    still_inside: u32,
}

impl<T: Tool> ThreadState<T> {
    /// The thread is about to wait at a barrier of so many parties. What comes back is for [`ThreadState::leave_barrier`].
    pub fn enter_barrier(&mut self, barrier: &BarrierClock, parties: u32) -> BarrierPhase {
        let mut phases = barrier.0.lock();
        let phase = phases.current;
        phases.gathering.join(&self.clock);
        phases.entered += 1;
        if phases.entered >= parties {
            let clock = std::mem::take(&mut phases.gathering);
            let still_inside = std::mem::take(&mut phases.entered);
            phases.complete.push(Complete { phase, clock, still_inside });
            phases.current += 1;
        }
        drop(phases);
        self.end_epoch();
        BarrierPhase(phase)
    }

    /// The thread has waited.
    pub fn leave_barrier(&mut self, barrier: &BarrierClock, phase: BarrierPhase) {
        let mut phases = barrier.0.lock();
        let Some(place) = phases.complete.iter().position(|other| other.phase == phase.0) else {
            return;
        };
        if T::Rules::has(Rule::BarrierOrders) {
            self.clock.join(&phases.complete[place].clock);
        }
        phases.complete[place].still_inside -= 1;
        if phases.complete[place].still_inside == 0 {
            phases.complete.swap_remove(place);
        }
    }
}
