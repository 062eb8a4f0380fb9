//! What lanes of a warp know of each other beyond their views.
//!
//! Lanes that update one counter in one instruction do so one after the other, the lowest first: each observes those below
//! it. Said in views, all lanes of the warp would have a view of their own from then on. So it is said by one [`Prefix`],
//! and the views stay the same.

use crate::clock::{Epoch, Knowledge};
use crate::hb::ids::WarpLanes;
use smallvec::SmallVec;

/// Each lane of `readers` knows what the lanes of `sources` below it did up to `epoch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prefix {
    pub(crate) readers: u32,
    pub(crate) sources: u32,
    pub(crate) epoch: Epoch,
}

impl Prefix {
    /// The lanes below a lane that it knows by this, if it is one of those who read.
    pub(crate) fn below(&self, lane: u32) -> u32 {
        match self.readers >> lane & 1 {
            1 => self.sources & ((1 << lane) - 1),
            _ => 0,
        }
    }

    /// The lanes that some lane of a mask knows by this.
    pub(crate) fn below_any(&self, mask: u32) -> u32 {
        match self.readers & mask {
            0 => 0,
            readers => self.below(31 - readers.leading_zeros()),
        }
    }

    fn includes(&self, other: &Prefix) -> bool {
        other.readers & !self.readers == 0
            && other.sources & !self.sources == 0
            && other.epoch <= self.epoch
    }
}

/// What lanes of one warp know of each other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Within(SmallVec<[Prefix; 2]>);

impl Within {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn add(&mut self, new: Prefix) {
        // The lowest lane has none below it.
        let lowest = 1 << new.sources.trailing_zeros().min(31);
        let new = Prefix { readers: new.readers & !(lowest | (lowest - 1)), ..new };
        if new.readers != 0 && !self.0.iter().any(|old| old.includes(&new)) {
            self.0.retain(|old| !new.includes(old));
            self.0.push(new);
        }
    }

    /// Those of some lanes that a lane knows up to an epoch.
    #[inline]
    pub(crate) fn known(&self, lane: u32, of: u32, epoch: Epoch) -> u32 {
        let fits = self.0.iter().filter(|prefix| prefix.epoch >= epoch);
        fits.fold(0, |known, prefix| known | prefix.below(lane)) & of
    }

    /// Lanes pass on what they know.
    pub(crate) fn tell(&self, known: &mut Knowledge, WarpLanes { block, warp, mask }: WarpLanes) {
        for prefix in &self.0 {
            let below = prefix.below_any(mask);
            if below != 0 {
                known.threads.learn(block.key(), warp.0, below, prefix.epoch);
            }
        }
    }

    /// The views of these lanes say it now, or they have a newer one.
    pub(crate) fn forget(&mut self, mask: u32) {
        self.0.iter_mut().for_each(|prefix| prefix.readers &= !mask);
        self.0.retain(|prefix| prefix.readers != 0);
    }

    /// Takes what these lanes know, for another list.
    pub(crate) fn take(&mut self, mask: u32) -> Within {
        let taken = self.0.iter().filter(|prefix| prefix.readers & mask != 0);
        let taken = taken.map(|prefix| Prefix { readers: prefix.readers & mask, ..*prefix });
        let taken = Within(taken.collect());
        self.forget(mask);
        taken
    }

    pub(crate) fn add_all(&mut self, other: Within) {
        other.0.into_iter().for_each(|prefix| self.add(prefix));
    }

    /// Those who know something by this.
    pub(crate) fn readers(&self) -> u32 {
        self.0.iter().fold(0, |lanes, prefix| lanes | prefix.readers)
    }

    /// Those of whom something is known by this.
    pub(crate) fn sources(&self) -> u32 {
        self.0.iter().fold(0, |lanes, prefix| lanes | prefix.sources)
    }

    /// Forgets what is known otherwise, too.
    pub(crate) fn retain(&mut self, mut is_needed: impl FnMut(&Prefix) -> bool) {
        self.0.retain(|prefix| is_needed(prefix));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_know_those_below_them() {
        let mut within = Within::default();
        within.add(Prefix { readers: 0b1111, sources: 0b1101, epoch: 5 });
        assert_eq!(within.known(3, u32::MAX, 5), 0b0101);
        assert_eq!(within.known(3, u32::MAX, 6), 0);
        assert_eq!(within.known(1, u32::MAX, 1), 0b0001);
        assert_eq!((within.known(0, u32::MAX, 1), within.known(9, u32::MAX, 1)), (0, 0));
        within.add(Prefix { readers: 0b1111, sources: 0b1111, epoch: 7 });
        assert_eq!(within.len(), 1, "the newer one has all of the older");
        let taken = within.take(0b1000);
        assert_eq!(taken.known(3, u32::MAX, 7), 0b0111);
        assert_eq!((within.known(3, u32::MAX, 1), within.known(2, u32::MAX, 7)), (0, 0b0011));
        within.forget(0b0110);
        assert!(within.is_empty());
    }
}
