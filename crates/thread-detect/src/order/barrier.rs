//! Barriers.

use warpsan_thread_clock::VectorClock;

use crate::rules::{Rule, Rules};
use crate::spin::SpinLock;
use crate::thread_state::ThreadState;
use crate::tool::Tool;

/// The clocks of a barrier: of those who have entered the current phase, and of the phase that is complete.
///
/// A thread enters the next phase only after it has left the one before, so the complete phase's clock stays until
/// all have left it, although fast threads may be in the next phase already.
#[derive(Debug, Default)]
pub struct BarrierClock(SpinLock<Phases>);

#[derive(Debug, Default)]
struct Phases {
    entered: u32,
    gathering: VectorClock,
    complete: VectorClock,
}

impl<T: Tool> ThreadState<T> {
    /// The thread is about to wait at a barrier of so many parties.
    pub fn enter_barrier(&mut self, barrier: &BarrierClock, parties: u32) {
        let mut phases = barrier.0.lock();
        phases.gathering.join(&self.clock);
        phases.entered += 1;
        if phases.entered >= parties {
            phases.entered = 0;
            phases.complete = std::mem::take(&mut phases.gathering);
        }
        drop(phases);
        self.end_epoch();
    }

    /// The thread has waited.
    pub fn leave_barrier(&mut self, barrier: &BarrierClock) {
        if T::Rules::has(Rule::BarrierOrders) {
            self.clock.join(&barrier.0.lock().complete);
        }
    }
}
