//! The slots of parts of words.

use std::sync::Arc;

use crate::chunks::Chunks;
use crate::metadata::Generation;
use crate::slot::{Kind, Slot, Word};
use crate::spin::SpinLock;
use crate::storage::Storage;

/// Slots that nobody uses yet, and the word that leads to them.
pub(super) struct NewParts<'a> {
    pub(super) slots: &'a [Slot],
    pub(super) word: Word,
}

/// Memory for slots of parts. What was taken stays taken, also where another thread was faster to divide.
pub(super) struct PartsMemory {
    storage: Arc<dyn Storage>,
    chunks: SpinLock<Chunks>,
}

impl PartsMemory {
    pub(super) fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage, chunks: SpinLock::new(Chunks::default()) }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.chunks.lock().reserved()
    }

    pub(super) fn take(&self, count: usize) -> Option<NewParts<'_>> {
        let bytes = count * size_of::<Slot>();
        let address = self.chunks.lock().take(&*self.storage, bytes)?;
        let word = Word::new(Kind::Divided, address, Generation::new(0));
        // SAFETY: it is the address of zeroes for so many slots, which stay as long as `self`.
        let slots = unsafe { self.at(word, count) };
        Some(NewParts { slots, word })
    }

    /// The slots that a word leads to.
    ///
    /// # Safety
    ///
    /// The word is from `take` with the same number.
    #[inline(always)]
    pub(super) unsafe fn at(&self, word: Word, count: usize) -> &[Slot] {
        let first = word.address() as *const Slot;
        // SAFETY: the caller says that it is from `take`; slots are only changed through atomic operations.
        unsafe { std::slice::from_raw_parts(first, count) }
    }
}

impl Drop for PartsMemory {
    fn drop(&mut self) {
        // SAFETY: the chunks came from this storage; slots are reached through `self` only.
        unsafe { self.chunks.lock().give_back_all(&*self.storage) };
    }
}
