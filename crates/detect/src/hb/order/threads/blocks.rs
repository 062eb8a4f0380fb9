//! The blocks of a launch: those that run, found without a search, and what is left of those that ended.

use super::{BlockState, WarpState};
use crate::clock::{Epoch, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Blocks with numbers below this are found by their number.
const DIRECT: u32 = 1 << 24;
/// A block that has not begun.
const NOT_BEGUN: u32 = 0;

/// Where each block's state is.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    threads: u32,
    /// By block: the place of its state, counted from 1.
    places: Vec<u32>,
    far_places: FxHashMap<u32, u32>,
    states: Vec<BlockState>,
    /// Places of blocks that have ended, for others.
    free: Vec<u32>,
    /// By block that has ended: the epoch of all its warps, or 0 if that was not the same for all.
    ended: Vec<Epoch>,
    /// By block that has ended otherwise: the epochs of its warps.
    ended_apart: FxHashMap<u32, Box<[Epoch]>>,
    /// What threads know when their block begins.
    known_at_begin: Arc<View>,
}

impl Blocks {
    pub(super) fn new(threads: u32, known_at_begin: View) -> Blocks {
        Blocks { threads, known_at_begin: Arc::new(known_at_begin), ..Blocks::default() }
    }

    #[inline]
    fn place(&self, block: u32) -> u32 {
        match self.places.get(block as usize) {
            Some(place) => *place,
            None if block < DIRECT => NOT_BEGUN,
            None => self.far_places.get(&block).copied().unwrap_or(NOT_BEGUN),
        }
    }

    fn set_place(&mut self, block: u32, place: u32) {
        if block >= DIRECT {
            match place {
                NOT_BEGUN => self.far_places.remove(&block),
                place => self.far_places.insert(block, place),
            };
            return;
        }
        if self.places.len() <= block as usize {
            self.places.resize(block as usize + 1, NOT_BEGUN);
        }
        self.places[block as usize] = place;
    }

    /// The state of a block that has begun.
    #[inline]
    pub(super) fn get(&self, block: u32) -> Option<&BlockState> {
        let place = self.place(block).checked_sub(1)?;
        self.states.get(place as usize)
    }

    /// The state of a block, which begins now if it has not yet.
    #[inline]
    pub(super) fn get_or_begin(&mut self, block: u32) -> &mut BlockState {
        let place = match self.place(block) {
            NOT_BEGUN => self.begin(block),
            place => place,
        };
        &mut self.states[place as usize - 1]
    }

    #[cold]
    fn begin(&mut self, block: u32) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.states.push(BlockState::new(self.threads, &self.known_at_begin));
            self.states.len() as u32
        });
        self.set_place(block, place);
        place
    }

    /// A block has ended: all that is kept is in which epoch.
    pub(super) fn end(&mut self, block: u32) {
        let place = self.place(block);
        if place == NOT_BEGUN {
            return;
        }
        let state = &mut self.states[place as usize - 1];
        let epochs: Vec<Epoch> = state.warps.iter().map(|warp| warp.epoch).collect();
        *state = BlockState::new(self.threads, &self.known_at_begin);
        self.set_place(block, NOT_BEGUN);
        self.free.push(place);
        let same = epochs.iter().all(|epoch| Some(epoch) == epochs.first());
        match epochs.first() {
            Some(first) if same && block < DIRECT => {
                if self.ended.len() <= block as usize {
                    self.ended.resize(block as usize + 1, 0);
                }
                self.ended[block as usize] = *first;
            }
            _ => {
                self.ended_apart.insert(block, epochs.into());
            }
        }
    }

    /// Whether the block has ended, and its warp was in this epoch to the end.
    pub(super) fn ended_in(&self, block: u32, warp: u8, epoch: Epoch) -> bool {
        match self.ended.get(block as usize) {
            Some(last) if *last != 0 => *last == epoch,
            _ => self
                .ended_apart
                .get(&block)
                .is_some_and(|epochs| epochs.get(usize::from(warp)) == Some(&epoch)),
        }
    }
}

impl BlockState {
    fn new(threads: u32, known: &Arc<View>) -> BlockState {
        let (full, rest) = (threads / 32, threads % 32);
        let existing = (0..full).map(|_| u32::MAX).chain((rest > 0).then(|| (1u32 << rest) - 1));
        let warps = existing.map(|existing| WarpState::new(existing, known)).collect();
        BlockState { warps, arrived: FxHashMap::default(), bulk_copies: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_near_and_far_begin_and_end() {
        let mut blocks = Blocks::new(40, View::default());
        for block in [0, 7, DIRECT - 1, DIRECT + 5] {
            assert!(blocks.get(block).is_none());
            let state = blocks.get_or_begin(block);
            assert_eq!(state.warps.len(), 2);
            state.warps[0].epoch = 5;
            state.warps[1].epoch = 5 + block % 2;
            assert!(!blocks.ended_in(block, 0, 5));
            blocks.end(block);
            assert!(blocks.get(block).is_none());
            assert!(blocks.ended_in(block, 0, 5) && !blocks.ended_in(block, 0, 4));
            assert!(blocks.ended_in(block, 1, 5 + block % 2));
        }
        assert_eq!(blocks.states.len(), 1, "states are used again");
        assert!(blocks.far_places.is_empty(), "nothing is left of places");
        assert_eq!(blocks.get_or_begin(9).warps[0].epoch, 1, "and begin anew");
    }
}
