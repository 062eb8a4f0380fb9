//! What was found, each pair of instructions once.

use super::regions::Source;
use crate::reporting::Finding;
use rustc_hash::FxHashMap;
use warpsan_model::Space;

/// Who raced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Class {
    /// Two lanes of a warp.
    WarpSync,
    /// Two warps of a block.
    IntraBlock,
    /// Two blocks.
    InterBlock,
}

/// One side of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Party {
    pub(super) block: u32,
    pub(super) thread: u32,
    pub(super) source: Source,
    pub(super) writes: bool,
}

/// A race that is not reported yet. The first side writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PendingRace {
    pub(super) class: Class,
    pub(super) space: Space,
    /// The first byte of both; in shared memory, an offset.
    pub(super) address: u64,
    pub(super) parties: [Party; 2],
}

impl Finding for PendingRace {
    type Key = (u32, u32, Class);

    fn key(&self) -> Self::Key {
        let [first, second] = self.parties.map(|party| party.source.site);
        (first, second, self.class)
    }

    /// Sets know how often they met, not by which accesses.
    fn is_of_same_accesses(&self, _: &Self) -> bool {
        false
    }
}

/// What was found since the last report.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<(PendingRace, u64)>,
    known: FxHashMap<<PendingRace as Finding>::Key, usize>,
    /// Everything, also what is the same to a reader.
    #[cfg(test)]
    pub(super) all: Vec<PendingRace>,
}

impl Findings {
    /// Adds a race.
    pub(super) fn add(&mut self, mut found: PendingRace) {
        // Of two writes, none is the first: the lower instruction stands for both orders.
        let [first, second] = &found.parties;
        if second.writes && second.source.site < first.source.site {
            found.parties.swap(0, 1);
        }
        #[cfg(test)]
        self.all.push(found);
        match self.known.get(&found.key()) {
            Some(&place) => self.found[place].1 += 1,
            None => {
                self.known.insert(found.key(), self.found.len());
                self.found.push((found, 1));
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What was found, each with how often, in the order in which it was found.
    pub(super) fn take(&mut self) -> Vec<(PendingRace, u64)> {
        self.known.clear();
        std::mem::take(&mut self.found)
    }
}
