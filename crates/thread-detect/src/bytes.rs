//! Which bytes of a word.

/// Bytes of an aligned word of eight, one bit for each, the lowest for the first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Bytes(u8);

impl Bytes {
    /// The bytes of a word.
    pub const COUNT: usize = 8;
    /// All of them.
    pub const ALL: Bytes = Bytes(0xff);

    /// So many from the `first` one, of which there is at least one; those behind the word are not meant.
    #[inline(always)]
    pub fn new(first: u64, size: u64) -> Bytes {
        debug_assert!(first < 8 && size > 0);
        let ones = if size >= 8 { 0xff } else { (1u32 << size) - 1 };
        Bytes((ones << first) as u8)
    }

    #[inline(always)]
    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    /// Whether there is none.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of `other` are among these.
    #[inline(always)]
    pub fn contain(self, other: Bytes) -> bool {
        other.0 & !self.0 == 0
    }

    /// Those of both.
    #[inline(always)]
    pub fn and(self, other: Bytes) -> Bytes {
        Bytes(self.0 & other.0)
    }

    /// Those of either.
    #[inline(always)]
    pub fn or(self, other: Bytes) -> Bytes {
        Bytes(self.0 | other.0)
    }

    /// All others of the word.
    #[inline(always)]
    pub fn others(self) -> Bytes {
        Bytes(!self.0)
    }

    /// Four bits of ones for each of these bytes, and zeroes for the others.
    #[inline(always)]
    pub(crate) fn nibbles(self) -> u32 {
        let mut bits = u32::from(self.0);
        bits = (bits | bits << 12) & 0x000f_000f;
        bits = (bits | bits << 6) & 0x0303_0303;
        bits = (bits | bits << 3) & 0x1111_1111;
        bits * 0xf
    }

    /// The bytes whose four bits are zeroes.
    #[inline(always)]
    pub(crate) fn with_zero_nibbles(nibbles: u32) -> Bytes {
        let pairs = nibbles | nibbles >> 1;
        let mut bits = !(pairs | pairs >> 2) & 0x1111_1111;
        bits = (bits | bits >> 3) & 0x0303_0303;
        bits = (bits | bits >> 6) & 0x000f_000f;
        bits = (bits | bits >> 12) & 0xff;
        Bytes(bits as u8)
    }

    /// Runs of bytes that lie side by side: the first one, and how many.
    pub fn runs(self) -> impl Iterator<Item = (u64, u64)> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let first = rest.trailing_zeros();
            let size = (rest >> first).trailing_ones();
            rest &= !((((1u32 << size) - 1) << first) as u8);
            Some((u64::from(first), u64::from(size)))
        })
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:08b}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_all_bytes_and_only_these() {
        for bits in 0..=255 {
            let bytes = Bytes(bits);
            let mut all = Bytes::default();
            for (first, size) in bytes.runs() {
                assert!(all.and(Bytes::new(first, size)).is_empty());
                all = all.or(Bytes::new(first, size));
            }
            assert_eq!(all, bytes);
        }
    }

    #[test]
    fn nibbles_of_bytes_are_those_of_these_bytes() {
        for bits in 0..=255 {
            let bytes = Bytes(bits);
            assert_eq!(Bytes::with_zero_nibbles(!bytes.nibbles()), bytes);
            assert_eq!(Bytes::with_zero_nibbles(bytes.nibbles() & 0x8421_8421), bytes.others());
        }
    }

    #[test]
    fn bytes_end_with_the_word() {
        assert_eq!(Bytes::new(0, 8), Bytes::ALL);
        assert_eq!(Bytes::new(0, 1 << 40), Bytes::ALL);
        assert_eq!(Bytes::new(6, 5), Bytes(0b1100_0000));
    }
}
