//! The heap. Blocks are the C library's; ours are what is known of them.
//!
//! A block that is freed is written to, all of it, and what is written down of it stays until the block is given out again: so an access that
//! nothing orders with the end of the block is a race, whether it comes before or after.

use std::ffi::{c_int, c_void};

use warpsan_thread_detect::Span;
use warpsan_thread_report::SideAccess;
use warpsan_thread_trace::Action;

use super::memory::writes;
use crate::blocks::{Block, NOTE, libc_usable_size};
use crate::function::LibraryFunction;
use crate::linker::behind;
use crate::own_code;
use crate::site::with_site;
use crate::thread::{Entered, entered_if_known};

type Pointer = *mut c_void;

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> Pointer;
    fn __libc_calloc(count: usize, size: usize) -> Pointer;
    fn __libc_memalign(alignment: usize, size: usize) -> Pointer;
    fn __libc_free(block: Pointer);
    fn __libc_realloc(block: Pointer, size: usize) -> Pointer;
}

mod real {
    use super::*;
    behind! {
        fn memcpy(to: Pointer, from: *const c_void, size: usize) -> Pointer;
    }
}

/// Larger blocks that are zeroed are pages of the system, which nobody has written to; to write all of that down would take as much memory
/// again.
const ZEROED_WHOLE: usize = 64 << 10;

/// A block that the C library has just given out with room for a note.
///
/// # Safety
///
/// It is null or such a block.
unsafe fn begins(mut thread: Entered, start: Pointer, bytes: usize, site: u64) -> Pointer {
    if start.is_null() {
        return start;
    }
    let address = start as u64;
    let block = Block {
        start: address,
        bytes: bytes as u64,
        thread: thread.info.number,
        calls: thread.calls_at(site),
    };
    // SAFETY: the caller's promise.
    let usable = unsafe { libc_usable_size(start) };
    let (checker, runtime) = (thread.checker, thread.runtime);
    checker.reset(&mut thread.state, Span { address, size: usable as u64 });
    thread.trace(site, Action::Allocate(Span { address, size: bytes as u64 }));
    // SAFETY: the caller's promise.
    unsafe { runtime.blocks.add(block, usable) };
    start
}

/// A block is about to be freed.
///
/// # Safety
///
/// It is one of the C library, and not freed.
unsafe fn ends(mut thread: Entered, start: Pointer, function: LibraryFunction, site: u64) {
    let address = start as u64;
    let runtime = thread.runtime;
    // SAFETY: the caller's promise.
    let Some(block) = (unsafe { runtime.blocks.at(address) }) else { return };
    let span = Span { address, size: block.bytes };
    if !own_code::is_c_library(site) {
        thread.access_by(function, SideAccess::Free, span, site);
    }
    runtime.blocks.remove(block);
    runtime.forget(address, block.bytes);
}

pub(super) unsafe extern "C-unwind" fn allocate(size: usize, site: u64) -> Pointer {
    // SAFETY: the same contract.
    unsafe {
        match entered_if_known() {
            Some(thread) => {
                let block = __libc_malloc(size.saturating_add(NOTE));
                begins(thread, block, size, site)
            }
            None => __libc_malloc(size),
        }
    }
}

unsafe extern "C-unwind" fn allocate_zeroed(count: usize, size: usize, site: u64) -> Pointer {
    // SAFETY: the same contract.
    unsafe {
        match (entered_if_known(), count.checked_mul(size)) {
            (Some(thread), Some(bytes)) => {
                let block = __libc_calloc(1, bytes.saturating_add(NOTE));
                begins(thread, block, bytes, site);
                let is_programs = !own_code::is_c_library(site);
                if !block.is_null() && bytes <= ZEROED_WHOLE && is_programs {
                    writes(LibraryFunction::CALLOC, block, bytes, site);
                }
                block
            }
            _ => __libc_calloc(count, size),
        }
    }
}

pub(super) unsafe extern "C-unwind" fn allocate_aligned(
    alignment: usize,
    size: usize,
    site: u64,
) -> Pointer {
    // SAFETY: the same contract.
    unsafe {
        match entered_if_known() {
            Some(thread) => {
                let block = __libc_memalign(alignment, size.saturating_add(NOTE));
                begins(thread, block, size, site)
            }
            None => __libc_memalign(alignment, size),
        }
    }
}

pub(super) unsafe extern "C-unwind" fn give_back(block: Pointer, site: u64) {
    // SAFETY: the same contract.
    unsafe { give_back_by(LibraryFunction::FREE, block, site) }
}

/// # Safety
///
/// As `free`.
pub(super) unsafe fn give_back_by(function: LibraryFunction, block: Pointer, site: u64) {
    // SAFETY: the same contract.
    unsafe {
        if !block.is_null()
            && let Some(thread) = entered_if_known()
        {
            ends(thread, block, function, site);
        }
        __libc_free(block);
    }
}

/// Always another block: that is what may happen.
unsafe extern "C-unwind" fn reallocate(block: Pointer, size: usize, site: u64) -> Pointer {
    // SAFETY: the same contract.
    unsafe {
        if block.is_null() {
            return allocate(size, site);
        }
        let known = entered_if_known().and_then(|thread| thread.runtime.blocks.at(block as u64));
        let Some(known) = known else { return __libc_realloc(block, size) };
        if size == 0 {
            give_back_by(LibraryFunction::REALLOC, block, site);
            return std::ptr::null_mut();
        }
        let new = allocate(size, site);
        if !new.is_null() {
            real::memcpy(new, block, size.min(known.bytes as usize));
            give_back_by(LibraryFunction::REALLOC, block, site);
        }
        new
    }
}

unsafe extern "C-unwind" fn reallocate_array(
    block: Pointer,
    count: usize,
    size: usize,
    site: u64,
) -> Pointer {
    match count.checked_mul(size) {
        // SAFETY: the same contract.
        Some(bytes) => unsafe { reallocate(block, bytes, site) },
        None => {
            // SAFETY: the place is this thread's own.
            unsafe { libc::__errno_location().write(libc::ENOMEM) };
            std::ptr::null_mut()
        }
    }
}

unsafe extern "C-unwind" fn allocate_aligned_into(
    place: *mut Pointer,
    alignment: usize,
    size: usize,
    site: u64,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    // SAFETY: the same contract.
    unsafe {
        let block = allocate_aligned(alignment, size, site);
        if block.is_null() {
            return libc::ENOMEM;
        }
        place.write(block);
    }
    0
}

const PAGE: usize = 4096;

unsafe extern "C-unwind" fn allocate_page_aligned(size: usize, site: u64) -> Pointer {
    // SAFETY: the same contract.
    unsafe { allocate_aligned(PAGE, size, site) }
}

unsafe extern "C-unwind" fn allocate_pages(size: usize, site: u64) -> Pointer {
    // SAFETY: the same contract.
    unsafe { allocate_aligned(PAGE, size.next_multiple_of(PAGE).max(PAGE), site) }
}

with_site! {
    malloc, "rsi" => allocate;
    calloc, "rdx" => allocate_zeroed;
    realloc, "rdx" => reallocate;
    reallocarray, "rcx" => reallocate_array;
    free, "rsi" => give_back;
    cfree, "rsi" => give_back;
    memalign, "rdx" => allocate_aligned;
    aligned_alloc, "rdx" => allocate_aligned;
    posix_memalign, "rcx" => allocate_aligned_into;
    valloc, "rsi" => allocate_page_aligned;
    pvalloc, "rsi" => allocate_pages;
}

/// The note is not the program's.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn malloc_usable_size(block: Pointer) -> usize {
    if block.is_null() {
        return 0;
    }
    // SAFETY: the same contract.
    unsafe {
        let known = entered_if_known().and_then(|thread| thread.runtime.blocks.at(block as u64));
        match known {
            Some(known) => known.bytes as usize,
            None => libc_usable_size(block),
        }
    }
}
