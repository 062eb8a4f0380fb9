//! The 64 bytes of a line by what they have in common.

use smallvec::{SmallVec, smallvec};

/// Bytes of a line.
pub(super) const BYTES: usize = 64;

/// Bytes of a line, one bit each.
pub(super) type ByteMask = u64;

/// The lowest byte of a mask that is not empty.
pub(super) fn lowest(mask: ByteMask) -> usize {
    debug_assert!(mask != 0, "there is a byte");
    mask.trailing_zeros() as usize
}

/// A value for each byte of a line, with bytes of the same value together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Partition<T> {
    /// Every byte is in one mask, and all values are different.
    parts: SmallVec<[(ByteMask, T); 2]>,
}

/// What became of values when some were set.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Changed<T> {
    /// Those that no byte has any more.
    pub(super) gone: SmallVec<[T; 2]>,
    /// Whether the new one was not there.
    pub(super) is_new: bool,
}

impl<T: PartialEq> Partition<T> {
    /// All bytes have the same value.
    pub(super) fn new(value: T) -> Partition<T> {
        Partition { parts: smallvec![(ByteMask::MAX, value)] }
    }

    /// The value of a byte, and all bytes that have it.
    pub(super) fn part(&self, byte: usize) -> (ByteMask, &T) {
        let has = |(mask, _): &&(ByteMask, T)| mask >> byte & 1 == 1;
        let (mask, value) = self.parts.iter().find(has).unwrap_or(&self.parts[0]);
        (*mask, value)
    }

    /// The value of a byte.
    pub(super) fn get(&self, byte: usize) -> &T {
        self.part(byte).1
    }

    /// All values with their bytes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ByteMask, &T)> {
        self.parts.iter().map(|(mask, value)| (*mask, value))
    }

    /// The bytes whose value is so.
    pub(super) fn bytes_where(&self, is_so: impl Fn(&T) -> bool) -> ByteMask {
        self.iter().filter(|(_, value)| is_so(value)).fold(0, |all, (mask, _)| all | mask)
    }

    /// How many different values there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// How many there would be if bytes had this one.
    pub(super) fn len_with(&self, bytes: ByteMask, value: &T) -> usize {
        let stays = |(mask, old): &&(ByteMask, T)| old == value || mask & !bytes != 0;
        let is_known = self.parts.iter().any(|(_, old)| old == value);
        self.parts.iter().filter(stays).count() + usize::from(!is_known)
    }

    /// Gives bytes a value.
    pub(super) fn set(&mut self, bytes: ByteMask, value: T) -> Changed<T> {
        let mut changed = Changed { gone: SmallVec::new(), is_new: true };
        let mut number = 0;
        while number < self.parts.len() {
            let (mask, old) = &mut self.parts[number];
            if *old == value {
                *mask |= bytes;
                changed.is_new = false;
            } else {
                *mask &= !bytes;
                if *mask == 0 {
                    changed.gone.push(self.parts.swap_remove(number).1);
                    continue;
                }
            }
            number += 1;
        }
        if changed.is_new {
            self.parts.push((bytes, value));
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_have_what_they_were_given_last(steps in proptest::collection::vec((1u64.., 0u8..6), 0..40)) {
            let mut partition = Partition::new(0);
            let mut plain = [0; BYTES];
            for (mask, value) in steps {
                let before = plain;
                let would_be = partition.len_with(mask, &value);
                let changed = partition.set(mask, value);
                (0..BYTES).filter(|byte| mask >> byte & 1 == 1).for_each(|byte| plain[byte] = value);
                for byte in 0..BYTES {
                    let (alike, of_byte) = partition.part(byte);
                    let expected = (0..BYTES).filter(|other| plain[*other] == plain[byte]);
                    prop_assert_eq!(*of_byte, plain[byte]);
                    prop_assert_eq!(alike, expected.fold(0, |all, other| all | 1 << other));
                }
                let mut gone: Vec<u8> = before.iter().copied().filter(|one| !plain.contains(one)).collect();
                gone.sort_unstable();
                gone.dedup();
                let mut said = changed.gone.to_vec();
                said.sort_unstable();
                prop_assert_eq!(said, gone);
                prop_assert_eq!(changed.is_new, !before.contains(&value));
                prop_assert_eq!(would_be, partition.len());
            }
        }
    }
}
