//! ParsnipLines: the references of the 64 bytes of a line of data (section 4.2.3, figure 4.4).

use super::partition::{ByteMask, Changed, Partition};
use super::reference::Ref;

/// References of a line in m:1 mode.
const REFERENCES: usize = 16;

/// A line in one of its two modes.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// m:1 mode: every byte has one of 16 Long references: 32 bytes of map, 24 of references, one that says the mode. 1:1 mode: every byte
    /// has a Short reference of its own.
    is_one_to_one: bool,
    /// At most 16 in m:1 mode; without an index in 1:1 mode.
    references: Partition<Ref>,
}

impl Line {
    /// A line whose bytes nobody has accessed.
    pub(super) fn new() -> Line {
        Line { is_one_to_one: false, references: Partition::new(Ref::NOBODY) }
    }

    pub(super) fn get(&self, byte: usize) -> Ref {
        *self.references.get(byte)
    }

    /// The reference of a byte, and all bytes that have it.
    pub(super) fn part(&self, byte: usize) -> (ByteMask, Ref) {
        let (mask, reference) = self.references.part(byte);
        (mask, *reference)
    }

    /// All bytes whose reference is so.
    pub(super) fn bytes_where(&self, is_so: impl Fn(Ref) -> bool) -> ByteMask {
        self.references.bytes_where(|one| is_so(*one))
    }

    /// How many different references there are.
    pub(super) fn distinct(&self) -> usize {
        self.references.len()
    }

    pub(super) fn is_one_to_one(&self) -> bool {
        self.is_one_to_one
    }

    /// Gives bytes a reference for which there is room.
    pub(super) fn set(&mut self, bytes: ByteMask, to: Ref) -> Changed<Ref> {
        debug_assert!(self.fits(bytes, to));
        debug_assert!(
            !self.is_one_to_one || to == to.shortened(),
            "Short references have no index"
        );
        self.references.set(bytes, to)
    }

    /// Whether there is room for a reference of these bytes.
    pub(super) fn fits(&self, bytes: ByteMask, to: Ref) -> bool {
        self.is_one_to_one
            || self.references.len() < REFERENCES
            || self.references.len_with(bytes, &to) <= REFERENCES
    }

    /// All references of the line, once each.
    pub(super) fn references(&self) -> impl Iterator<Item = Ref> {
        self.references.iter().map(|(_, one)| *one)
    }

    /// Goes over to 1:1 mode. Clocks of all references are in software.
    pub(super) fn part_bytes(&mut self) {
        let mut short = Partition::new(Ref::NOBODY);
        for (mask, one) in self.references.iter() {
            short.set(mask, one.shortened());
        }
        *self = Line { is_one_to_one: true, references: short };
    }

    /// Goes back to m:1 mode, if there are few enough references.
    pub(super) fn share(&mut self) -> bool {
        let shares = self.is_one_to_one && self.references.len() <= REFERENCES;
        self.is_one_to_one &= !shares;
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{Index, Tid};
    use super::*;
    use warpsan_thread_detect::ThreadId;

    fn reference(number: u32) -> Ref {
        let tid = Tid::of(ThreadId::new(number % 60).expect("an id")).expect("a name");
        Ref::new(tid, number >= 60, false, Index::INVALID)
    }

    #[test]
    fn bytes_share_references_until_there_are_seventeen() {
        let mut line = Line::new();
        assert_eq!((line.get(5), line.distinct()), (Ref::NOBODY, 1));
        line.set(0xFF, reference(1));
        assert_eq!(line.part(0), (0xFF, reference(1)));
        for byte in 8..22 {
            assert!(line.fits(1 << byte, reference(byte)), "there is room for sixteen");
            line.set(1 << byte, reference(byte));
        }
        assert_eq!(line.distinct(), 16, "with those that nobody has accessed");
        assert!(!line.fits(1 << 40, reference(40)));
        assert!(line.fits(1 << 40, reference(1)), "it is there");
        // The byte that goes leaves room.
        assert!(line.fits(1 << 8, reference(41)));
        line.set(1 << 8, reference(41));
        line.part_bytes();
        assert!(line.is_one_to_one() && line.fits(1 << 40, reference(40)));
        line.set(1 << 40, reference(40));
        assert!(!line.share(), "seventeen are too many");
        line.set(1 << 40, Ref::NOBODY);
        assert!(line.share() && !line.is_one_to_one());
        assert_eq!((line.get(8), line.get(40), line.distinct()), (reference(41), Ref::NOBODY, 16));
    }
}
