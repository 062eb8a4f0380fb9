//! Which bytes of a word have which metadata.

use crate::bytes::Bytes;
use crate::slot::{Kind, Word};

/// Bytes and the name of what is known of them, for all bytes of a word. Bytes that nobody has accessed have the empty name.
///
/// Invariant: parts have at least one byte each, and are in the order of their first bytes. They have different names, so that equal
/// words have equal parts, but for those of a private composition, which are merged before they are compared ([`Parts::merged`]).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    /// Four bits for each byte, the lowest for the first: which of the names it has.
    shape: u32,
    length: usize,
    names: [Word; Bytes::COUNT],
}

/// A number in each four bits.
const ONES: u32 = 0x1111_1111;
const NIBBLE: u32 = 0xf;

impl Parts {
    /// All bytes have this name.
    #[inline]
    pub(crate) fn uniform(name: Word) -> Parts {
        let mut names = [Word::EMPTY; Bytes::COUNT];
        names[0] = name;
        Parts { shape: 0, length: 1, names }
    }

    /// Of a shape that [`Parts::shape`] gave, and that many names.
    #[inline]
    pub(super) fn new(shape: u32, length: usize, name: impl Fn(usize) -> Word) -> Parts {
        let mut names = [Word::EMPTY; Bytes::COUNT];
        for (part, place) in names.iter_mut().enumerate().take(length) {
            *place = name(part);
        }
        Parts { shape, length, names }
    }

    /// Four bits for each byte: which of the names it has.
    #[inline(always)]
    pub(crate) fn shape(&self) -> u32 {
        self.shape
    }

    /// The same, where these bytes have these names now: those of the first list the first name, and so on. Each is a part of its own,
    /// even if another part has the same name.
    #[inline]
    pub(crate) fn with(&self, bytes: &[Bytes], names: &[Word]) -> Parts {
        // Numbers from here on are of the new names.
        const NEW: usize = Bytes::COUNT;
        debug_assert!(bytes.len() == names.len() && names.len() <= NEW);
        let mut shape = self.shape;
        for (place, bytes) in bytes.iter().enumerate() {
            let part = (NEW + place) as u32;
            shape = (shape & !bytes.nibbles()) | ((part * ONES) & bytes.nibbles());
        }
        Self::in_order(shape, |part| if part < NEW { self.names[part] } else { names[part - NEW] })
    }

    /// The same, where parts that have the same name are one.
    #[inline]
    pub(crate) fn merged(&self) -> Parts {
        let is_known = |part: usize| self.names[..part].contains(&self.names[part]);
        if !(1..self.length).any(is_known) {
            return *self;
        }
        let mut shape = self.shape;
        for (part, (bytes, name)) in self.iter().enumerate() {
            let first = self.names().iter().position(|other| *other == name).unwrap_or(part) as u32;
            shape = (shape & !bytes.nibbles()) | ((first * ONES) & bytes.nibbles());
        }
        Self::in_order(shape, |part| self.names[part])
    }

    /// Leaves out names that no byte has, and puts the others into the order of their first bytes.
    #[inline]
    fn in_order(shape: u32, name: impl Fn(usize) -> Word) -> Parts {
        let mut parts = Parts { shape: 0, length: 0, names: [Word::EMPTY; Bytes::COUNT] };
        let mut rest = Bytes::ALL;
        while !rest.is_empty() {
            let old = shape >> (4 * rest.bits().trailing_zeros()) & NIBBLE;
            let bytes = Bytes::with_zero_nibbles(shape ^ (old * ONES));
            parts.names[parts.length] = name(old as usize);
            parts.shape |= (parts.length as u32 * ONES) & bytes.nibbles();
            parts.length += 1;
            rest = rest.and(bytes.others());
        }
        parts
    }

    /// The name that all bytes have.
    #[inline]
    pub(crate) fn only(&self) -> Option<Word> {
        let first = self.names[0];
        self.names().iter().all(|name| *name == first).then_some(first)
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The names, in the order of their first bytes.
    #[inline]
    pub(crate) fn names(&self) -> &[Word] {
        &self.names[..self.length]
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Bytes, Word)> + '_ {
        let bytes = |part: usize| Bytes::with_zero_nibbles(self.shape ^ (part as u32 * ONES));
        self.names().iter().enumerate().map(move |(part, name)| (bytes(part), *name))
    }

    /// Those parts that have some of these bytes, with all bytes that the part has.
    #[inline]
    pub(crate) fn within(&self, bytes: Bytes) -> impl Iterator<Item = (Bytes, Word)> + '_ {
        self.iter().filter(move |(part, _)| !part.and(bytes).is_empty())
    }

    /// Whether one of them is of atomic accesses, whose metadata are not shared.
    #[inline]
    pub(crate) fn have_mixed(&self) -> bool {
        self.names().iter().any(|name| name.kind() == Kind::Mixed)
    }
}

impl PartialEq for Parts {
    #[inline]
    fn eq(&self, other: &Parts) -> bool {
        self.shape == other.shape && self.names() == other.names()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_equal_parts_however_they_came_about() {
        let [a, b] = [1 << 20, 1 << 21].map(Word::from_bits);
        let halves = [(Bytes::new(0, 4), a), (Bytes::new(4, 4), b)];
        let one = Parts::uniform(b).with(&[halves[0].0], &[a]);
        let other = Parts::uniform(Word::EMPTY).with(&[halves[1].0, halves[0].0], &[b, a]);
        assert_eq!(one, other);
        assert_eq!(one.len(), 2);
        assert_eq!(one.iter().collect::<Vec<_>>(), halves);
    }

    #[test]
    fn parts_that_all_have_one_name_are_one() {
        let [a, b] = [1 << 20, 1 << 21].map(Word::from_bits);
        let mut parts = Parts::uniform(a);
        for byte in 0..Bytes::COUNT {
            assert_eq!(parts.only(), (byte == 0).then_some(a));
            parts = parts.with(&[Bytes::new(byte as u64, 1)], &[b]).merged();
            assert!(parts.len() <= 2);
        }
        assert_eq!(parts.only(), Some(b));
        assert_eq!(parts, Parts::uniform(b));
    }

    #[test]
    fn parts_of_one_name_are_apart_until_they_are_merged() {
        let [a, b] = [1 << 20, 1 << 21].map(Word::from_bits);
        let bytes = [1, 3].map(|first| Bytes::new(first, 1));
        let apart = Parts::uniform(a).with(&bytes, &[b, b]);
        assert_eq!((apart.len(), apart.merged().len(), apart.only()), (3, 2, None));
        assert!(bytes.iter().all(|byte| apart.iter().any(|(part, _)| part == *byte)));
    }
}
