//! ParsnipLines: the references of the 64 bytes of a line of data (section 4.2.3, figure 4.4).

use super::reference::Ref;

/// Bytes of a line.
pub(super) const BYTES: usize = 64;
/// References of a line in m:1 mode.
const REFERENCES: usize = 16;

/// Bytes of a line, one bit each.
pub(super) type ByteMask = u64;

/// A line in one of its two modes.
#[derive(Clone, Debug)]
pub(super) enum Line {
    /// Every byte has one of 16 Long references: 32 bytes of map, 24 of references, one that says the mode.
    ManyToOne(Box<Shared>),
    /// Every byte has a Short reference of its own.
    OneToOne(Box<[Ref; BYTES]>),
}

#[derive(Clone, Debug)]
pub(super) struct Shared {
    map: [u8; BYTES],
    references: [Ref; REFERENCES],
    /// Bytes that have each; at zero it is free.
    users: [u8; REFERENCES],
}

/// What became of references when some were set.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changed {
    /// Those that no byte of the line has any more.
    pub(super) gone: Vec<Ref>,
    /// Whether the new one was not there.
    pub(super) is_new: bool,
}

impl Line {
    /// A line whose bytes nobody has accessed.
    pub(super) fn new() -> Line {
        let mut users = [0; REFERENCES];
        users[0] = BYTES as u8;
        Line::ManyToOne(Box::new(Shared {
            map: [0; BYTES],
            references: [Ref::NOBODY; REFERENCES],
            users,
        }))
    }

    pub(super) fn get(&self, byte: usize) -> Ref {
        match self {
            Line::ManyToOne(shared) => shared.references[usize::from(shared.map[byte])],
            Line::OneToOne(references) => references[byte],
        }
    }

    /// The bytes of a mask that have the same reference as its lowest one.
    pub(super) fn alike(&self, mask: ByteMask) -> ByteMask {
        let first = mask.trailing_zeros() as usize;
        let of_first = self.get(first);
        let mut alike = 0;
        for byte in bytes_of(mask) {
            if self.get(byte) == of_first {
                alike |= 1 << byte;
            }
        }
        alike
    }

    /// How many different references there are.
    pub(super) fn distinct(&self) -> usize {
        match self {
            Line::ManyToOne(shared) => shared.users.iter().filter(|users| **users > 0).count(),
            Line::OneToOne(references) => {
                let mut seen: Vec<Ref> = Vec::with_capacity(BYTES);
                references.iter().for_each(|one| {
                    if !seen.contains(one) {
                        seen.push(*one)
                    }
                });
                seen.len()
            }
        }
    }

    pub(super) fn is_one_to_one(&self) -> bool {
        matches!(self, Line::OneToOne(_))
    }

    /// Gives bytes a reference. None: there is no room for it in m:1 mode, and nothing was done.
    pub(super) fn set(&mut self, mask: ByteMask, to: Ref) -> Option<Changed> {
        match self {
            Line::OneToOne(references) => {
                debug_assert!(to == to.shortened(), "Short references have no index");
                bytes_of(mask).for_each(|byte| references[byte] = to);
                Some(Changed::default())
            }
            Line::ManyToOne(shared) => shared.set(mask, to),
        }
    }

    /// Whether there is room for a reference of these bytes in m:1 mode.
    pub(super) fn fits(&self, mask: ByteMask, to: Ref) -> bool {
        match self {
            Line::OneToOne(_) => false,
            Line::ManyToOne(shared) => shared.slot_for(mask, to).is_some(),
        }
    }

    /// All references of the line, once each in m:1 mode.
    pub(super) fn references(&self) -> Vec<Ref> {
        match self {
            Line::ManyToOne(shared) => {
                let used = shared.references.iter().zip(&shared.users);
                used.filter(|(_, users)| **users > 0).map(|(one, _)| *one).collect()
            }
            Line::OneToOne(references) => references.to_vec(),
        }
    }

    /// Goes over to 1:1 mode. Clocks of all references are in software.
    pub(super) fn part(&mut self) {
        let short = std::array::from_fn(|byte| self.get(byte).shortened());
        *self = Line::OneToOne(Box::new(short));
    }

    /// Goes back to m:1 mode, if there are few enough references.
    pub(super) fn share(&mut self) -> bool {
        let Line::OneToOne(references) = self else { return false };
        let references = **references;
        let mut line = Line::new();
        for (byte, reference) in references.into_iter().enumerate() {
            if line.set(1 << byte, reference).is_none() {
                return false;
            }
        }
        *self = line;
        true
    }
}

impl Shared {
    /// The place of a reference once bytes have left theirs, the bytes that are left at each, and whether it is there already.
    fn slot_for(&self, mask: ByteMask, to: Ref) -> Option<(usize, [u8; REFERENCES], bool)> {
        let mut left = self.users;
        bytes_of(mask).for_each(|byte| left[usize::from(self.map[byte])] -= 1);
        let holds = |slot: &usize| self.users[*slot] > 0 && self.references[*slot] == to;
        if let Some(slot) = (0..REFERENCES).find(holds) {
            return Some((slot, left, true));
        }
        // A place whose bytes all go is free, too.
        (0..REFERENCES).find(|slot| left[*slot] == 0).map(|slot| (slot, left, false))
    }

    fn set(&mut self, mask: ByteMask, to: Ref) -> Option<Changed> {
        let (slot, left, is_known) = self.slot_for(mask, to)?;
        let mut changed = Changed { is_new: !is_known, gone: Vec::new() };
        for (old, (before, after)) in self.users.into_iter().zip(left).enumerate() {
            if before > 0 && after == 0 && !(is_known && old == slot) {
                changed.gone.push(self.references[old]);
            }
        }
        self.users = left;
        self.references[slot] = to;
        self.users[slot] += mask.count_ones() as u8;
        bytes_of(mask).for_each(|byte| self.map[byte] = slot as u8);
        Some(changed)
    }
}

/// The bytes of a mask.
pub(super) fn bytes_of(mut mask: ByteMask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let byte = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (byte < BYTES).then_some(byte)
    })
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
        let changed = line.set(0xFF, reference(1)).expect("there is room");
        assert_eq!(changed, Changed { gone: vec![], is_new: true });
        assert_eq!(line.alike(0xFFF), 0xFF);
        let changed = line.set(0xF0, reference(1)).expect("it is there");
        assert_eq!(changed, Changed::default());
        for byte in 8..22 {
            line.set(1 << byte, reference(byte)).expect("there is room for sixteen");
        }
        assert_eq!(line.distinct(), 16, "with those that nobody has accessed");
        assert_eq!(line.set(1 << 40, reference(40)), None);
        // The byte that goes leaves room.
        let changed = line.set(1 << 8, reference(41)).expect("one is free");
        assert_eq!(changed, Changed { gone: vec![reference(8)], is_new: true });
        line.part();
        assert!(line.is_one_to_one() && line.set(1 << 40, reference(40)).is_some());
        assert!(!line.share(), "seventeen are too many");
        line.set(1 << 40, Ref::NOBODY);
        assert!(line.share() && !line.is_one_to_one());
        assert_eq!((line.get(8), line.get(40), line.distinct()), (reference(41), Ref::NOBODY, 16));
    }
}
