//! Bytes by their addresses.

use crate::bytes::Bytes;

/// Bytes that lie side by side: those of an access, or those that an access and an earlier one have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first one.
    pub address: u64,
    /// How many.
    pub size: u64,
}

impl Span {
    /// Which bytes of a word these are, if they are all of one.
    #[inline(always)]
    pub(crate) fn within_word(self) -> Option<Bytes> {
        let first = self.address % Bytes::COUNT as u64;
        // The size may be anything, so nothing is added to it.
        let fits = self.size != 0 && self.size <= Bytes::COUNT as u64 - first;
        fits.then(|| Bytes::new(first, self.size))
    }
}
