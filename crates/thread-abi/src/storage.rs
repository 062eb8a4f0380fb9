//! Memory for shadow and metadata, within the budget.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use warpsan_thread_detect::Storage;

use crate::system;

/// Pages of the system, up to a limit. Nearly all that is asked for is chunks of the same few sizes; small ones are cut from
/// mappings that stay.
pub(crate) struct PageStorage {
    limit: u64,
    taken: AtomicU64,
    refused: AtomicU64,
    open: std::sync::Mutex<Open>,
}

/// The mapping that small pieces are cut from.
struct Open {
    next: usize,
    end: usize,
    /// Pieces that were given back, by size; chunks of a size come and go together.
    returned: Vec<(usize, usize)>,
}

const MAPPING: usize = 1 << 20;

impl PageStorage {
    pub(crate) fn new(limit: Option<u64>) -> PageStorage {
        PageStorage {
            limit: limit.unwrap_or(u64::MAX),
            taken: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            open: std::sync::Mutex::new(Open { next: 0, end: 0, returned: Vec::new() }),
        }
    }

    /// Bytes that were asked for and are within the budget.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// How often there was no more.
    pub(crate) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// The budget, if there is one.
    pub(crate) fn limit(&self) -> Option<u64> {
        (self.limit != u64::MAX).then_some(self.limit)
    }

    /// Takes so much out of the budget, for memory that somebody else maps. False: there is not so much left.
    pub(crate) fn charge(&self, bytes: u64) -> bool {
        let before = self.taken.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > self.limit {
            self.taken.fetch_sub(bytes, Ordering::Relaxed);
            self.refused.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        true
    }

    /// Puts it back.
    pub(crate) fn refund(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn cut(&self, size: usize) -> Option<usize> {
        let mut open = self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(place) = open.returned.iter().position(|(bytes, _)| *bytes == size) {
            let (bytes, piece) = open.returned.swap_remove(place);
            // SAFETY: the piece was given back, and is of this size.
            unsafe { std::ptr::write_bytes(piece as *mut u8, 0, bytes) };
            return Some(piece);
        }
        if open.end - open.next < size {
            let mapping = system::map(MAPPING)? as usize;
            (open.next, open.end) = (mapping, mapping + MAPPING);
        }
        let piece = open.next;
        open.next += size;
        Some(piece)
    }
}

// SAFETY: new mappings are zero and nobody else's, and so are pieces of them that are cut off once; pieces that come back are
// zeroed.
unsafe impl Storage for PageStorage {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        let size = layout.size().next_multiple_of(4096);
        if layout.size() == 0 || layout.align() > 4096 || !self.charge(size as u64) {
            return None;
        }
        let piece = if size <= MAPPING / 4 {
            self.cut(size)
        } else {
            system::map(size).map(|memory| memory as usize)
        };
        let piece = piece.and_then(|piece| NonNull::new(piece as *mut u8));
        if piece.is_none() {
            self.refund(size as u64);
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        piece
    }

    unsafe fn give_back(&self, memory: NonNull<u8>, layout: Layout) {
        let size = layout.size().next_multiple_of(4096);
        self.refund(size as u64);
        if size <= MAPPING / 4 {
            let mut open = self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            open.returned.push((size, memory.as_ptr() as usize));
        } else {
            // SAFETY: `allocate` has mapped it, and the caller says that nobody uses it.
            unsafe { system::unmap(memory.as_ptr(), size) };
        }
    }

    unsafe fn discard(&self, memory: NonNull<u8>, layout: Layout) {
        // SAFETY: the pages stay mapped, and read as zeroes; the caller says that a lost write does no harm.
        unsafe { system::discard(memory.as_ptr(), layout.size()) };
    }
}
