//! The leaves of the table that a thread has used last, so that it need not go through the table.

use super::directory::{Directory, LEAF_BYTES, Leaf};

/// Leaves by their addresses. A leaf stays as long as its directory, so what is here is never wrong.
pub(crate) struct LeafCache {
    /// Number and place of a leaf. Those that nobody has used have a number that no address has.
    entries: [(u64, *const Leaf); Self::ENTRIES],
}

// SAFETY: leaves are only changed by atomic operations.
unsafe impl Send for LeafCache {}

impl Default for LeafCache {
    fn default() -> Self {
        Self { entries: [(u64::MAX, std::ptr::null()); Self::ENTRIES] }
    }
}

impl LeafCache {
    const ENTRIES: usize = 64;

    /// The leaf for an address, if there is one.
    ///
    /// # Safety
    ///
    /// The cache is used with one directory only, which still lives.
    #[inline(always)]
    pub(super) unsafe fn leaf<'a>(
        &mut self,
        directory: &'a Directory,
        address: u64,
    ) -> Option<&'a Leaf> {
        // SAFETY: the caller's promise.
        match unsafe { self.leaf_at_hand(directory, address) } {
            Some(leaf) => Some(leaf),
            None => self.look_up(directory, address),
        }
    }

    /// The leaf for an address, if it is here.
    ///
    /// # Safety
    ///
    /// As for `leaf`.
    #[inline(always)]
    pub(super) unsafe fn leaf_at_hand<'a>(
        &self,
        _directory: &'a Directory,
        address: u64,
    ) -> Option<&'a Leaf> {
        let number = address / LEAF_BYTES;
        let (known, leaf) = self.entries[number as usize % Self::ENTRIES];
        // SAFETY: it is of the directory, which lives.
        if known == number { unsafe { leaf.as_ref() } } else { None }
    }

    #[inline(never)]
    fn look_up<'a>(&mut self, directory: &'a Directory, address: u64) -> Option<&'a Leaf> {
        let leaf = directory.leaf(address)?;
        let number = address / LEAF_BYTES;
        self.entries[number as usize % Self::ENTRIES] = (number, leaf);
        Some(leaf)
    }
}
