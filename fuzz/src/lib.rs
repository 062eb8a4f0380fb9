//! Measures the memory that reading an input takes, and fails when it is out of proportion.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory may be this many times the input.
const MOST_TIMES: usize = 50;
/// What may be there besides, whatever the size of the input: tables, and the window of a decoder.
const CONSTANT: usize = 1 << 20;

struct Meter;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged; only numbers are counted besides.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise about pointer and layout is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static METER: Meter = Meter;

/// Runs something over an input and fails if it took more memory than the input justifies.
pub fn within_memory<T>(input: &[u8], run: impl FnOnce() -> T) -> T {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = run();
    let taken = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    let most = MOST_TIMES * input.len() + CONSTANT;
    assert!(taken <= most, "{taken} bytes of memory for an input of {} bytes", input.len());
    result
}
