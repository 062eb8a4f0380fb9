//! Vector clocks as chapter 2 of the thesis has them: an entry for each thread, and none of the compression.

/// The clocks of all threads, by their numbers.
pub(super) struct PlainClocks {
    pub(super) clocks: Vec<Vec<u32>>,
}

pub(super) type PlainClock = Vec<u32>;

pub(super) fn join(into: &mut PlainClock, other: &PlainClock) {
    for (mine, theirs) in into.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

impl PlainClocks {
    /// Each thread knows only that it has begun.
    pub(super) fn new(threads: usize) -> PlainClocks {
        let clock = |thread| (0..threads).map(|other| u32::from(other == thread)).collect();
        PlainClocks { clocks: (0..threads).map(clock).collect() }
    }

    /// What all of them know together.
    pub(super) fn joined(&self, threads: &[usize]) -> PlainClock {
        let mut joined = vec![0; self.clocks.len()];
        threads.iter().for_each(|thread| join(&mut joined, &self.clocks[*thread]));
        joined
    }

    /// They join and fork, as in ENDINSN, IF, ELSEENDIF and BAR; what is `known` besides is joined, too.
    pub(super) fn meet(&mut self, threads: &[usize], known: Option<&PlainClock>) {
        let mut joined = self.joined(threads);
        if let Some(known) = known {
            join(&mut joined, known);
        }
        for thread in threads {
            self.clocks[*thread] = joined.clone();
            self.clocks[*thread][*thread] += 1;
        }
    }

    pub(super) fn increment(&mut self, thread: usize) {
        self.clocks[thread][thread] += 1;
    }
}
