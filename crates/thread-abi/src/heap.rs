//! Memory for our own collections: the program's `malloc` is what we check, so it cannot be what we use.
//!
//! Classes of powers of two up to a page size of 64 KiB, each a list of free pieces under a lock, cut from chunks that stay. Larger
//! pieces are mappings of their own. Shadow memory and metadata, which are nearly all there is, do not come from here.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use warpsan_thread_detect::Patience;

use crate::system;

pub(crate) struct Heap {
    classes: [Class; CLASSES],
    bytes: AtomicU64,
}

/// 16 bytes to 64 KiB.
const CLASSES: usize = 13;
const SMALLEST_BITS: u32 = 4;
const CHUNK: usize = 1 << 18;
const PAGE: usize = 4096;

struct Class {
    held: AtomicBool,
    list: UnsafeCell<List>,
}

struct List {
    /// The first free piece; each one begins with the address of the next.
    free: *mut u8,
    fresh: *mut u8,
    fresh_bytes: usize,
}

// SAFETY: a list is only reached by who holds its class.
unsafe impl Sync for Class {}

impl Class {
    const fn new() -> Class {
        let list = List { free: ptr::null_mut(), fresh: ptr::null_mut(), fresh_bytes: 0 };
        Class { held: AtomicBool::new(false), list: UnsafeCell::new(list) }
    }

    fn with<T>(&self, work: impl FnOnce(&mut List) -> T) -> T {
        let mut patience = Patience::default();
        while self.held.swap(true, Ordering::Acquire) {
            while self.held.load(Ordering::Relaxed) {
                patience.wait();
            }
        }
        // SAFETY: this thread holds the class.
        let result = work(unsafe { &mut *self.list.get() });
        self.held.store(false, Ordering::Release);
        result
    }
}

impl List {
    fn take(&mut self, bytes: usize, mapped: &AtomicU64) -> *mut u8 {
        if !self.free.is_null() {
            let piece = self.free;
            // SAFETY: free pieces begin with the address of the next one.
            self.free = unsafe { piece.cast::<*mut u8>().read() };
            return piece;
        }
        if self.fresh_bytes < bytes {
            let Some(chunk) = system::map(CHUNK) else { return ptr::null_mut() };
            mapped.fetch_add(CHUNK as u64, Ordering::Relaxed);
            self.fresh = chunk;
            self.fresh_bytes = CHUNK;
        }
        let piece = self.fresh;
        // SAFETY: the chunk has so many bytes left.
        self.fresh = unsafe { piece.add(bytes) };
        self.fresh_bytes -= bytes;
        piece
    }

    fn give(&mut self, piece: *mut u8) {
        // SAFETY: the piece is nobody's, and larger than a pointer.
        unsafe { piece.cast::<*mut u8>().write(self.free) };
        self.free = piece;
    }
}

impl Heap {
    pub(crate) const fn new() -> Heap {
        Heap { classes: [const { Class::new() }; CLASSES], bytes: AtomicU64::new(0) }
    }

    /// Bytes that were taken from the system.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The class of a piece, and its size; none for what gets a mapping of its own.
    fn class(&self, layout: Layout) -> Option<(&Class, usize)> {
        let size = layout.size().max(layout.align()).max(1 << SMALLEST_BITS).next_power_of_two();
        let index = (size.trailing_zeros() - SMALLEST_BITS) as usize;
        Some((self.classes.get(index)?, size))
    }

    fn mapped_bytes(layout: Layout) -> usize {
        layout.size().next_multiple_of(PAGE)
    }
}

// SAFETY: pieces belong to one owner from `alloc` to `dealloc`; chunks are aligned to pages, and pieces of a class to their
// size, up to a page. No larger alignment is asked for.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > PAGE {
            return ptr::null_mut();
        }
        match self.class(layout) {
            Some((class, size)) => class.with(|list| list.take(size, &self.bytes)),
            None => {
                let bytes = Self::mapped_bytes(layout);
                self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
                system::map(bytes).unwrap_or(ptr::null_mut())
            }
        }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        match self.class(layout) {
            Some((class, _)) => class.with(|list| list.give(piece)),
            None => {
                let bytes = Self::mapped_bytes(layout);
                self.bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
                // SAFETY: `alloc` has mapped it.
                unsafe { system::unmap(piece, bytes) };
            }
        }
    }
}
