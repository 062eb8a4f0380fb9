//! Whose turn it is at each location.

use rustc_hash::FxHashMap;

/// What came of asking for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It was the next one.
    Taken,
    /// Earlier ones are missing.
    NotYet,
    /// Somebody had it before: that cannot be.
    Over,
}

/// The turns that were taken, by location.
#[derive(Debug)]
pub(super) struct Turns {
    taken: Vec<u64>,
    /// Who waits for a turn: block and warp.
    waiting: FxHashMap<(u32, u64), (u32, u32)>,
}

impl Turns {
    pub(super) fn new(bits: u32) -> Turns {
        Turns { taken: vec![0; 1 << bits], waiting: FxHashMap::default() }
    }

    pub(super) fn taken(&self, location: u32) -> u64 {
        self.taken[location as usize]
    }

    /// Takes a turn if it is the next one; who waits for the one after it has work then.
    #[inline]
    pub(super) fn take(&mut self, location: u32, turn: u64, work: &mut Vec<(u32, u32)>) -> Turn {
        let taken = &mut self.taken[location as usize];
        if turn != *taken + 1 {
            return if turn <= *taken { Turn::Over } else { Turn::NotYet };
        }
        *taken = turn;
        if !self.waiting.is_empty()
            && let Some(who) = self.waiting.remove(&(location, turn + 1))
        {
            work.push(who);
        }
        Turn::Taken
    }

    /// Remembers who waits for a turn.
    pub(super) fn wait(&mut self, location: u32, turn: u64, who: (u32, u32)) {
        self.waiting.insert((location, turn), who);
    }
}
