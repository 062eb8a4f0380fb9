//! Memory in chunks, cut up into pieces that stay.

use std::alloc::Layout;
use std::ptr::NonNull;

use crate::slot::Word;
use crate::storage::Storage;

/// Chunks of memory, all of which live until [`Chunks::give_back_all`].
#[derive(Default)]
pub(crate) struct Chunks {
    /// Addresses of the newest chunk that were never given out, and are zero.
    fresh: std::ops::Range<u64>,
    /// The newest chunk. Its first word is the address of the one before it, its second its size.
    newest: Option<NonNull<u64>>,
    reserved: u64,
}

// SAFETY: the pointer is to memory that only this owns.
unsafe impl Send for Chunks {}

impl Chunks {
    const BYTES: usize = 16 << 10;
    /// Two words at the start of a chunk.
    const HEAD: usize = 16;

    /// The address of a zeroed piece, which is a multiple of eight and fits into a [`Word`].
    pub(crate) fn take(&mut self, storage: &dyn Storage, bytes: usize) -> Option<u64> {
        debug_assert!(bytes.is_multiple_of(8));
        if self.fresh.end - self.fresh.start < bytes as u64 {
            self.grow(storage, bytes)?;
        }
        let address = self.fresh.start;
        self.fresh.start += bytes as u64;
        Some(address)
    }

    /// Bytes that were taken from the storage.
    pub(crate) fn reserved(&self) -> u64 {
        self.reserved
    }

    #[cold]
    fn grow(&mut self, storage: &dyn Storage, bytes: usize) -> Option<()> {
        let size = Self::BYTES.max((Self::HEAD + bytes).next_multiple_of(16));
        let memory = storage.allocate(Self::layout(size))?.cast::<u64>();
        let start = memory.as_ptr() as u64;
        if start + size as u64 > Word::ADDRESS_LIMIT {
            // SAFETY: it was just allocated with this layout.
            unsafe { storage.give_back(memory.cast(), Self::layout(size)) };
            return None;
        }
        // SAFETY: a chunk is larger than its head of two words, and nobody else has it yet.
        unsafe {
            memory.write(self.newest.map_or(0, |chunk| chunk.as_ptr() as u64));
            memory.add(1).write(size as u64);
        }
        self.newest = Some(memory);
        self.reserved += size as u64;
        self.fresh = start + Self::HEAD as u64..start + size as u64;
        Some(())
    }

    /// Gives all chunks back.
    ///
    /// # Safety
    ///
    /// They came from this storage, and nobody uses their pieces any more.
    pub(crate) unsafe fn give_back_all(&mut self, storage: &dyn Storage) {
        self.fresh = 0..0;
        let mut next = self.newest.take();
        while let Some(chunk) = next {
            // SAFETY: chunks are linked by their first word; the caller says that nobody uses them.
            unsafe {
                next = NonNull::new(chunk.read() as *mut u64);
                let size = chunk.add(1).read() as usize;
                storage.give_back(chunk.cast(), Self::layout(size));
            }
        }
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 16).expect("chunks are far below half the address space")
    }
}
