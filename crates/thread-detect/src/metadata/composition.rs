//! A word whose bytes have different metadata.

use super::parts::Parts;
use super::record::Record;
use crate::bytes::Bytes;
use crate::slot::Word;

/// A record of what each byte of a word has: `[header, name 0, shape, name 1, name 2…]`. It holds the metadata that it names, once for
/// each part.
///
/// One that words share never changes. One that a single slot names is *private*: it is changed under its lock. Its shape stays for as
/// long as it lives, and two of its parts may have the same name.
///
/// The shape has four bits for each byte, which of the names it has, then the capacity and the number of names. The capacity is the
/// same for all lives of a record: so a thread that reads one which was given back meanwhile stays within its memory.
#[derive(Clone, Copy)]
pub(crate) struct Composition(pub(crate) Record);

/// Which of the parts of a composition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part(usize);

const SHAPE: usize = 2;
const BYTE_BITS: usize = 4;
const CAPACITY_SHIFT: u32 = 32;
const LENGTH_SHIFT: u32 = 36;
const PRIVATE: u64 = 1 << 40;

impl Composition {
    /// The words that are no names.
    pub(crate) const HEAD: usize = 2;

    /// The smallest capacity with room for so many parts: a few sizes, so that records can be used again.
    pub(crate) fn capacity_for(parts: usize) -> usize {
        parts.next_power_of_two().max(2)
    }

    /// The place of a name. The first word of a record that is not in use is a link, which is no capacity.
    #[inline(always)]
    fn place(part: usize) -> usize {
        if part == 0 { Record::WRITE } else { SHAPE + part }
    }

    /// Makes it one of these parts; there are at most as many as its class has room for.
    pub(crate) fn fill(self, parts: &Parts, private: bool) {
        debug_assert!(private || !parts.have_mixed());
        let capacity = Self::capacity_for(parts.len()) as u64;
        let mut shape = u64::from(parts.shape()) | capacity << CAPACITY_SHIFT;
        shape |= (parts.len() as u64) << LENGTH_SHIFT;
        if private {
            shape |= PRIVATE;
        }
        for (part, name) in parts.names().iter().enumerate() {
            self.0.set(Self::place(part), name.bits());
        }
        self.0.set(SHAPE, shape);
    }

    pub(crate) fn capacity(self) -> usize {
        (self.0.get(SHAPE) >> CAPACITY_SHIFT) as usize & 0xf
    }

    /// Whether one slot alone names it. It is then changed under its lock.
    #[inline]
    pub(crate) fn is_private(self) -> bool {
        self.0.get(SHAPE) & PRIVATE != 0
    }

    /// Its parts.
    #[inline]
    pub(crate) fn parts(self) -> Parts {
        let shape = self.0.get(SHAPE);
        let length = (shape >> LENGTH_SHIFT) as usize & 0xf;
        Parts::new(shape as u32, length, |part| self.name(part))
    }

    /// The names of its parts.
    #[inline]
    pub(super) fn names(self) -> impl Iterator<Item = Word> {
        let length = (self.0.get(SHAPE) >> LENGTH_SHIFT) as usize & 0xf;
        (0..length).map(move |part| self.name(part))
    }

    /// The name that all of these bytes have, if it is one.
    #[inline]
    pub(crate) fn name_of(self, bytes: Bytes) -> Option<Word> {
        let shape = self.0.get(SHAPE);
        let first = bytes.bits().trailing_zeros() as usize;
        let part = (shape >> (BYTE_BITS * first)) as u32 & 0xf;
        let all = (shape as u32 ^ (part * 0x1111_1111)) & bytes.nibbles() == 0;
        all.then(|| self.name(part as usize))
    }

    /// The part that is exactly these bytes, if there is one.
    #[inline]
    pub(crate) fn part_of(self, bytes: Bytes) -> Option<Part> {
        let shape = self.0.get(SHAPE);
        let first = bytes.bits().trailing_zeros() as usize;
        let part = (shape >> (BYTE_BITS * first)) as u32 & 0xf;
        let is_whole = Bytes::with_zero_nibbles(shape as u32 ^ (part * 0x1111_1111)) == bytes;
        is_whole.then_some(Part(part as usize))
    }

    /// The name of one part.
    #[inline(always)]
    pub(crate) fn name_at(self, part: Part) -> Word {
        self.name(part.0)
    }

    /// Gives a part another name. Only for who has locked it, and it is private.
    #[inline(always)]
    pub(crate) fn set_name(self, part: Part, name: Word) {
        debug_assert!(self.is_private());
        self.0.set(Self::place(part.0), name.bits());
    }

    /// Whether all other parts have this name.
    #[inline]
    pub(crate) fn others_have(self, part: Part, name: Word) -> bool {
        self.names().enumerate().all(|(place, other)| place == part.0 || other == name)
    }

    #[inline(always)]
    fn name(self, part: usize) -> Word {
        Word::from_bits(self.0.get(Self::place(part)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn a_composition_gives_back_its_parts() {
        let words: [AtomicU64; Composition::HEAD + Bytes::COUNT] = Default::default();
        // SAFETY: the words live as long as the record is used.
        let record = Composition(unsafe { Record::at(words.as_ptr() as u64) });
        let mut parts = Parts::uniform(Word::EMPTY);
        for byte in 1..Bytes::COUNT {
            let name = Word::from_bits((byte as u64) << 20);
            parts = parts.with(&[Bytes::new(byte as u64, 1)], &[name]);
            record.fill(&parts, false);
            assert_eq!(record.parts(), parts);
            assert_eq!(record.capacity(), (byte + 1).next_power_of_two());
            assert!(!record.is_private());
        }
    }

    #[test]
    fn a_part_of_a_private_composition_gets_another_name() {
        let words: [AtomicU64; Composition::HEAD + Bytes::COUNT] = Default::default();
        // SAFETY: the words live as long as the record is used.
        let record = Composition(unsafe { Record::at(words.as_ptr() as u64) });
        let [a, b, c] = [1 << 20, 1 << 21, 1 << 22].map(Word::from_bits);
        let half = Bytes::new(4, 4);
        record.fill(&Parts::uniform(a).with(&[half], &[b]), true);
        assert!(record.is_private());
        assert_eq!(record.part_of(Bytes::new(4, 2)), None);
        assert_eq!(record.part_of(Bytes::ALL), None);
        let part = record.part_of(half).expect("a part");
        assert_eq!(record.name_at(part), b);
        record.set_name(part, c);
        assert_eq!(record.parts(), Parts::uniform(a).with(&[half], &[c]));
        assert!(record.others_have(part, a) && !record.others_have(part, c));
        record.set_name(part, a);
        assert_eq!(record.parts().merged(), Parts::uniform(a));
    }
}
