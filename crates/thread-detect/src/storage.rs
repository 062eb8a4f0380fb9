//! Where memory comes from.
//!
//! Inside a checked process the program's `malloc` must not be called. Shadow memory and metadata, which is nearly all
//! there is, come from a [`Storage`] that the owner of the process gives; clocks of threads and of locks are ordinary
//! Rust collections, which the owner's `#[global_allocator]` serves.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Gives out memory in large pieces.
///
/// # Safety
///
/// Memory that was given out is zero, has the layout that was asked for, and belongs to the caller until it is given back.
pub unsafe trait Storage: Send + Sync {
    /// Zeroed memory, or `None` where there is no more.
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>>;

    /// Takes memory back.
    ///
    /// # Safety
    ///
    /// It was allocated here with this layout, and nobody uses it any more.
    unsafe fn give_back(&self, memory: NonNull<u8>, layout: Layout);

    /// This memory, which stays allocated, has only zeroes in it and is not expected to be used soon: a storage whose pages are the
    /// system's may give these back, as long as the memory reads as zeroes afterwards. What is written to it at the same time
    /// may be lost. Here nothing is done.
    ///
    /// # Safety
    ///
    /// It was allocated here with this layout, all who use it do so by atomic operations, and a lost write makes nothing unsound.
    unsafe fn discard(&self, memory: NonNull<u8>, layout: Layout) {
        let _ = (memory, layout);
    }
}

/// Memory of Rust's global allocator.
#[derive(Clone, Copy, Debug, Default)]
pub struct RustAllocation;

// SAFETY: the global allocator's memory belongs to who allocated it, and `alloc_zeroed` gives zeroes.
unsafe impl Storage for RustAllocation {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.size() == 0 {
            return None;
        }
        // SAFETY: the size is not zero.
        NonNull::new(unsafe { alloc_zeroed(layout) })
    }

    unsafe fn give_back(&self, memory: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller says that `allocate` gave this memory with this layout.
        unsafe { dealloc(memory.as_ptr(), layout) }
    }
}
