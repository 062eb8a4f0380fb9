/// The barrier of a cluster of blocks.
#[derive(Debug, Default, Clone)]
pub struct ClusterBarrier {
    /// Phases that are complete.
    phase: u32,
    /// The lanes that have arrived, by rank and then by warp; empty until somebody does.
    arrived: Vec<u32>,
    /// Warps of a block, once somebody has arrived.
    warps: usize,
}

impl ClusterBarrier {
    /// Lanes of a warp arrive, in a cluster of so many blocks of so many warps. Returns the phase.
    pub fn arrive(
        &mut self,
        (blocks, warps): (usize, usize),
        (rank, warp): (u32, u32),
        lanes: u32,
    ) -> u32 {
        if self.arrived.is_empty() {
            self.arrived.resize(blocks * warps, 0);
            self.warps = warps;
        }
        self.arrived[rank as usize * warps + warp as usize] |= lanes;
        self.phase
    }

    /// Whether lanes have to wait: they have arrived in the phase that is not complete.
    pub fn is_waited_for(&self, (rank, warp): (u32, u32), lanes: u32) -> bool {
        let arrived = self.arrived.get(rank as usize * self.warps + warp as usize);
        arrived.is_some_and(|arrived| arrived & lanes != 0)
    }

    /// The phase that is not complete.
    pub fn phase(&self) -> u32 {
        self.phase
    }

    /// The phase that was completed last, which lanes that need not wait waited for.
    pub fn completed_phase(&self) -> u32 {
        self.phase.wrapping_sub(1)
    }

    /// Whether all have arrived, and somebody at all. `live` gives the lanes that have not exited, by rank and warp.
    pub fn is_complete(&self, live: impl Fn(usize, usize) -> u32) -> bool {
        if self.arrived.iter().all(|lanes| *lanes == 0) {
            return false;
        }
        let mut arrived = self.arrived.iter().enumerate();
        arrived.all(|(at, arrived)| live(at / self.warps, at % self.warps) & !arrived == 0)
    }

    /// Ends the phase.
    pub fn release(&mut self) {
        self.phase += 1;
        self.arrived.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::ClusterBarrier;

    #[test]
    fn a_phase_is_complete_when_all_that_live_have_arrived() {
        let mut barrier = ClusterBarrier::default();
        let extents = (2, 2);
        assert!(!barrier.is_complete(|_, _| 0), "nobody has arrived");
        for (rank, warp) in [(0, 0), (0, 1), (1, 0)] {
            assert_eq!(barrier.arrive(extents, (rank, warp), 0b11), 0);
        }
        assert!(!barrier.is_complete(|_, _| 0b11));
        assert!(barrier.is_complete(|rank, warp| if (rank, warp) == (1, 1) { 0 } else { 0b11 }));
        barrier.arrive(extents, (1, 1), 0b01);
        assert!(!barrier.is_complete(|_, _| 0b11), "a lane is missing");
        barrier.arrive(extents, (1, 1), 0b10);
        assert!(barrier.is_complete(|_, _| 0b11));
    }

    #[test]
    fn lanes_wait_for_the_phase_that_they_arrived_in() {
        let mut barrier = ClusterBarrier::default();
        assert!(!barrier.is_waited_for((1, 0), 0b1), "nobody has arrived");
        barrier.arrive((2, 1), (1, 0), 0b1);
        assert!(barrier.is_waited_for((1, 0), 0b1));
        assert!(!barrier.is_waited_for((1, 0), 0b10));
        assert!(!barrier.is_waited_for((0, 0), 0b1));
        barrier.release();
        assert!(!barrier.is_waited_for((1, 0), 0b1));
        assert_eq!((barrier.phase(), barrier.completed_phase()), (1, 0));
        assert!(!barrier.is_complete(|_, _| 0), "a new phase");
        assert_eq!(barrier.arrive((2, 1), (0, 0), 0b1), 1);
    }
}
