//! Which bytes of a word have which metadata.

use crate::bytes::Bytes;
use crate::slot::{Kind, Word};

/// Bytes and the name of what is known of them, for all bytes of a word. Bytes that nobody has accessed have the empty name.
///
/// Invariant: every byte is in one part, parts have different names, and are in the order of their first bytes; so equal
/// words have equal parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    bytes: [Bytes; Bytes::COUNT],
    names: [Word; Bytes::COUNT],
    length: usize,
}

impl Parts {
    /// All bytes have this name.
    #[inline]
    pub(crate) fn uniform(name: Word) -> Parts {
        let mut parts = Parts::none();
        parts.add(Bytes::ALL, name);
        parts
    }

    #[inline]
    pub(super) fn none() -> Parts {
        let (bytes, names) = ([Bytes::default(); Bytes::COUNT], [Word::EMPTY; Bytes::COUNT]);
        Parts { bytes, names, length: 0 }
    }

    /// Bytes that are behind the first ones of all parts so far.
    #[inline]
    pub(super) fn add(&mut self, bytes: Bytes, name: Word) {
        let same = self.names[..self.length].iter().position(|other| *other == name);
        let place = same.unwrap_or(self.length);
        self.length = self.length.max(place + 1);
        self.bytes[place] = self.bytes[place].or(bytes);
        self.names[place] = name;
    }

    /// The same, where `bytes` have other names now.
    #[inline]
    pub(crate) fn with(&self, changes: impl Iterator<Item = (Bytes, Word)>) -> Parts {
        let mut names = [Word::EMPTY; Bytes::COUNT];
        for (bytes, name) in self.iter().chain(changes) {
            for (byte, of_byte) in names.iter_mut().enumerate() {
                if bytes.contain(Bytes::one(byte)) {
                    *of_byte = name;
                }
            }
        }
        let mut parts = Parts::none();
        for (byte, name) in names.into_iter().enumerate() {
            parts.add(Bytes::one(byte), name);
        }
        parts
    }

    /// The name that all bytes have.
    #[inline]
    pub(crate) fn only(&self) -> Option<Word> {
        (self.length == 1).then_some(self.names[0])
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Bytes, Word)> + '_ {
        self.bytes.iter().copied().zip(self.names.iter().copied()).take(self.length)
    }

    /// Those parts of `bytes` that are not empty sets, with all bytes that the part has.
    #[inline]
    pub(crate) fn within(&self, bytes: Bytes) -> impl Iterator<Item = (Bytes, Word)> + '_ {
        self.iter().filter(move |(part, _)| !part.and(bytes).is_empty())
    }

    /// Whether one of them is of atomic accesses, whose metadata are not shared.
    pub(crate) fn are_private(&self) -> bool {
        self.iter().any(|(_, name)| name.kind() == Kind::Mixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_equal_parts_however_they_came_about() {
        let [a, b] = [1 << 20, 1 << 21].map(Word::from_bits);
        let halves = [(Bytes::new(0, 4), a), (Bytes::new(4, 4), b)];
        let one = Parts::uniform(b).with([halves[0]].into_iter());
        let other = Parts::uniform(Word::EMPTY).with(halves.into_iter().rev());
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
            parts = parts.with([(Bytes::one(byte), b)].into_iter());
        }
        assert_eq!(parts.only(), Some(b));
    }
}
