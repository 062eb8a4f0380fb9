//! A word whose bytes have different metadata.

use std::sync::atomic::Ordering;

use super::parts::Parts;
use super::record::Record;
use crate::bytes::Bytes;
use crate::slot::Word;

/// A record of what each byte of a word has: `[header, name 0, shape, name 1, name 2…]`. It holds the metadata that it names, once for
/// each part.
///
/// One that words share never changes. One that a single slot names is *private*: it is changed under its lock, and two of its parts may
/// have the same name. A part gets another name, or some of its bytes go to another part: a new one, whose name is written before the
/// shape, or one that has the name already. Who has read names without the lock asks afterwards whether they and the shape are still
/// the same. The shape has a version, so that it is never the same again.
///
/// The shape has four bits for each byte, which of the names it has, then the capacity and the number of names. The capacity is the
/// same for all lives of a record: so a thread that reads one which was given back meanwhile stays within its memory.
#[derive(Clone, Copy)]
pub(crate) struct Composition(pub(crate) Record);

/// Which bytes belong to which part, at some time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Shape(u64);

/// What a private composition did with a name that some bytes are to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Placed {
    /// They were a part, which had this name before.
    Instead(Word),
    /// They are a new part.
    Apart,
    /// They went to a part that has the name.
    Joined,
    /// There is no room for a new part.
    Nowhere,
}

const SHAPE: usize = 2;
const BYTE_BITS: usize = 4;
const CAPACITY_SHIFT: u32 = 32;
const LENGTH_SHIFT: u32 = 36;
const PRIVATE: u64 = 1 << 40;
const VERSION: u64 = 1 << 41;

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

    /// Its shape now. Who sees a part in it sees its name, or a later one.
    #[inline(always)]
    pub(crate) fn shape(self) -> Shape {
        Shape(self.0.word(SHAPE).load(Ordering::Acquire))
    }

    pub(crate) fn capacity(self) -> usize {
        (self.0.get(SHAPE) >> CAPACITY_SHIFT) as usize & 0xf
    }

    /// How many parts it has.
    #[inline]
    pub(crate) fn len(self) -> usize {
        (self.0.get(SHAPE) >> LENGTH_SHIFT) as usize & 0xf
    }

    /// Whether one slot alone names it. It is then changed under its lock.
    #[inline]
    pub(crate) fn is_private(self) -> bool {
        self.0.get(SHAPE) & PRIVATE != 0
    }

    /// Its parts.
    #[inline]
    pub(crate) fn parts(self) -> Parts {
        let Shape(shape) = self.shape();
        let length = (shape >> LENGTH_SHIFT) as usize & 0xf;
        Parts::new(shape as u32, length, |part| self.name(part))
    }

    /// The names of its parts.
    #[inline]
    pub(super) fn names(self) -> impl Iterator<Item = Word> {
        (0..self.len()).map(move |part| self.name(part))
    }

    /// The name that all of these bytes have, if it is one.
    #[inline]
    pub(crate) fn name_of(self, bytes: Bytes) -> Option<Word> {
        self.name_in(self.shape(), bytes)
    }

    /// The same in a shape that it has or had.
    #[inline]
    pub(crate) fn name_in(self, Shape(shape): Shape, bytes: Bytes) -> Option<Word> {
        let part = Self::part_of_first(shape, bytes);
        let all = (shape as u32 ^ (part * 0x1111_1111)) & bytes.nibbles() == 0;
        all.then(|| self.name(part as usize))
    }

    /// Which part has the first of these bytes.
    #[inline(always)]
    fn part_of_first(shape: u64, bytes: Bytes) -> u32 {
        let first = bytes.bits().trailing_zeros() as usize;
        (shape >> (BYTE_BITS * first)) as u32 & 0xf
    }

    /// Whether these bytes, which are all of one part, are the whole of it.
    #[inline]
    pub(crate) fn is_part(self, bytes: Bytes) -> bool {
        let shape = self.0.get(SHAPE);
        let part = Self::part_of_first(shape, bytes);
        Bytes::with_zero_nibbles(shape as u32 ^ (part * 0x1111_1111)) == bytes
    }

    /// Gives another name to these bytes, which are all of one part. Only for who has locked it, and it is private.
    #[inline]
    pub(crate) fn place_name(self, bytes: Bytes, name: Word) -> Placed {
        debug_assert!(self.is_private());
        let shape = self.0.get(SHAPE);
        if self.is_part(bytes) {
            let place = Self::place(Self::part_of_first(shape, bytes) as usize);
            let former = Word::from_bits(self.0.get(place));
            self.0.set(place, name.bits());
            return Placed::Instead(former);
        }
        let with_part = |part: usize| {
            let nibbles = u64::from(bytes.nibbles());
            (shape & !nibbles | (part as u64 * 0x1111_1111) & nibbles).wrapping_add(VERSION)
        };
        let length = self.len();
        if length < self.capacity() {
            self.0.set(Self::place(length), name.bits());
            self.0.set(SHAPE, with_part(length) + (1 << LENGTH_SHIFT));
            return Placed::Apart;
        }
        match self.names().position(|other| other == name) {
            Some(part) => {
                self.0.set(SHAPE, with_part(part));
                Placed::Joined
            }
            None => Placed::Nowhere,
        }
    }

    /// Whether all bytes would have this name if these had it, which are all of one part.
    #[inline]
    pub(crate) fn is_one_with(self, bytes: Bytes, name: Word) -> bool {
        let part = Self::part_of_first(self.0.get(SHAPE), bytes) as usize;
        let mut others = self.names().enumerate();
        self.is_part(bytes) && others.all(|(place, other)| place == part || other == name)
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
        let [first, half, last] = [(0, 4), (4, 4), (7, 1)].map(|(at, size)| Bytes::new(at, size));
        record.fill(&Parts::uniform(a).with(&[half], &[b]), true);
        assert!(record.is_private() && record.is_part(half) && !record.is_part(last));
        assert_eq!(record.place_name(half, c), Placed::Instead(b));
        assert_eq!(record.parts(), Parts::uniform(a).with(&[half], &[c]));
        assert!(record.is_one_with(half, a) && !record.is_one_with(half, b));
        assert_eq!(record.place_name(last, b), Placed::Nowhere);
        assert_eq!(record.place_name(last, a), Placed::Joined);
        assert_eq!(record.name_of(Bytes::ALL), None);
        assert_eq!([record.name_of(first), record.name_of(last)], [Some(a); 2]);
        let rest = Bytes::new(4, 3);
        assert_eq!(record.place_name(rest, a), Placed::Instead(c));
        assert_eq!(record.parts().with(&[last], &[a]).merged(), Parts::uniform(a));
    }

    #[test]
    fn bytes_of_a_private_composition_become_a_part_of_their_own_while_there_is_room() {
        let words: [AtomicU64; Composition::HEAD + Bytes::COUNT] = Default::default();
        // SAFETY: the words live as long as the record is used.
        let record = Composition(unsafe { Record::at(words.as_ptr() as u64) });
        let [a, b, c] = [1 << 20, 1 << 21, 1 << 22].map(Word::from_bits);
        let bytes = [5, 1, 2].map(|first| Bytes::new(first, 1));
        let parts = Parts::uniform(a).with(&bytes[..2], &[b, b]);
        record.fill(&parts, true);
        assert_eq!((record.len(), record.capacity()), (3, 4));
        assert_eq!(record.place_name(bytes[2], c), Placed::Apart);
        assert_eq!(record.parts().with(&[], &[]), parts.with(&bytes[2..], &[c]));
    }
}
