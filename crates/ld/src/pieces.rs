//! Pieces of memory, byte by byte. A set of their bytes is a number with a bit for each.

use warpsan_simt::{PIECE, Place};

/// What a piece of memory holds.
pub(crate) type Content = [u8; PIECE];

/// Bytes of a piece, one bit each.
pub(crate) type Bytes = u64;

const _: () = assert!(PIECE == Bytes::BITS as usize);

/// The bytes in which two contents differ.
#[inline]
pub(crate) fn differing(one: &Content, other: &Content) -> Bytes {
    if one == other {
        return 0;
    }
    let bytes = one.iter().zip(other).enumerate();
    bytes.fold(0, |found, (at, (one, other))| found | u64::from(one != other) << at)
}

/// The second content where a bit is set, the first elsewhere.
#[inline]
pub(crate) fn blend(first: &Content, second: &Content, bytes: Bytes) -> Content {
    std::array::from_fn(|at| if bytes >> at & 1 == 1 { second[at] } else { first[at] })
}

/// The bytes of a piece that a range of so many bytes covers, which begins so far from the piece's start.
pub(crate) fn covered(start: i64, bytes: u64) -> Bytes {
    let first = start.clamp(0, PIECE as i64) as u32;
    let end = (start + bytes as i64).clamp(0, PIECE as i64) as u32;
    let below = |end: u32| if end == Bytes::BITS { Bytes::MAX } else { (1 << end) - 1 };
    below(end) & !below(first.min(end))
}

/// The number of the first byte of a set.
pub(crate) fn first(bytes: Bytes) -> u64 {
    u64::from(bytes.trailing_zeros())
}

/// The address of a byte of a piece; in shared memory, an offset.
pub(crate) fn address(place: Place, byte: u64) -> u64 {
    byte + match place {
        Place::Shared(offset) => u64::from(offset),
        Place::Global(address) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found_byte_by_byte() {
        let mut other = [3; PIECE];
        (other[0], other[63]) = (1, 2);
        assert_eq!(differing(&[3; PIECE], &other), 1 << 63 | 1);
        assert_eq!(blend(&[3; PIECE], &other, 1 << 63)[62..], [3, 2]);
        assert_eq!(differing(&other, &other), 0);
    }

    #[test]
    fn a_range_covers_what_is_inside_of_the_piece() {
        assert_eq!(covered(4, 2), 0b11_0000);
        assert_eq!(covered(-2, 3), 1);
        assert_eq!(covered(60, 100), 0xF << 60);
        assert_eq!(covered(0, 64), u64::MAX);
        assert_eq!((covered(64, 4), covered(-4, 4)), (0, 0));
    }
}
