//! Mappings: what is mapped, moved or taken away was accessed by nobody.

use std::ffi::{c_int, c_void};

use warpsan_thread_detect::Span;

use crate::linker::behind;
use crate::thread::entered_if_known;

type Pointer = *mut c_void;

mod real {
    use super::*;
    behind! {
        fn mmap(address: Pointer, size: usize, rights: c_int, flags: c_int, file: c_int, offset: i64) -> Pointer;
        fn mmap64(address: Pointer, size: usize, rights: c_int, flags: c_int, file: c_int, offset: i64) -> Pointer;
        fn munmap(address: Pointer, size: usize) -> c_int;
        fn mremap(old: Pointer, old_size: usize, new_size: usize, flags: c_int, new: Pointer) -> Pointer;
    }
}

/// Nobody has accessed what is there now.
fn is_new(address: u64, size: usize) {
    if let Some(mut thread) = entered_if_known() {
        let span = Span { address, size: size as u64 };
        thread.begin_memory(span);
        thread.runtime.shared.remove(span);
    }
}

/// Whether other processes can see what is written there: those that are forked from this one, at least.
fn is_shared(rights: c_int, flags: c_int) -> bool {
    rights & libc::PROT_WRITE != 0 && flags & libc::MAP_SHARED != 0
}

fn shares(address: u64, size: usize) {
    if let Some(thread) = entered_if_known() {
        thread.runtime.shared.add(Span { address, size: size as u64 });
    }
}

macro_rules! map {
    ($($name:ident),*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(
            address: Pointer,
            size: usize,
            rights: c_int,
            flags: c_int,
            file: c_int,
            offset: i64,
        ) -> Pointer {
            // SAFETY: the same contract.
            let mapped = unsafe { real::$name(address, size, rights, flags, file, offset) };
            // Only what is mapped over something else can have been accessed: the rest was cleared when it was unmapped.
            if mapped != libc::MAP_FAILED && flags & libc::MAP_FIXED != 0 {
                is_new(mapped as u64, size);
            }
            if mapped != libc::MAP_FAILED && is_shared(rights, flags) {
                shares(mapped as u64, size);
            }
            mapped
        }
    )*};
}

map!(mmap, mmap64);

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn munmap(address: Pointer, size: usize) -> c_int {
    // Before: another thread may get the addresses at once.
    is_new(address as u64, size);
    // SAFETY: the same contract.
    unsafe { real::munmap(address, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mremap(
    old: Pointer,
    old_size: usize,
    new_size: usize,
    flags: c_int,
    new: Pointer,
) -> Pointer {
    // SAFETY: the same contract.
    let mapped = unsafe { real::mremap(old, old_size, new_size, flags, new) };
    if mapped != libc::MAP_FAILED && mapped != old {
        is_new(old as u64, old_size);
        is_new(mapped as u64, new_size);
    }
    mapped
}
