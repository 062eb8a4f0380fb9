//! Functions that copy, fill and compare memory.
//!
//! Our own code calls them, too, by these names: what comes from it goes straight on, and so does what comes from a thread
//! that we do not know yet.

use std::ffi::{c_int, c_void};

use warpsan_thread_detect::Span;
use warpsan_thread_report::SideAccess;

use crate::function::LibraryFunction;
use crate::linker::behind;
use crate::own_code;
use crate::site::with_site;
use crate::thread::{Entered, entered_if_known};

type Pointer = *mut c_void;
type Constant = *const c_void;

pub(super) mod real {
    use super::*;
    behind! {
        fn memcpy(to: Pointer, from: Constant, size: usize) -> Pointer;
        fn memmove(to: Pointer, from: Constant, size: usize) -> Pointer;
        fn memset(to: Pointer, value: c_int, size: usize) -> Pointer;
        fn memcmp(one: Constant, other: Constant, size: usize) -> c_int;
        fn memchr(memory: Constant, value: c_int, size: usize) -> Pointer;
    }
}

/// The calling thread, if the call is the program's.
#[inline]
pub(super) fn program_call(site: u64) -> Option<Entered> {
    if own_code::contains(site) { None } else { entered_if_known() }
}

/// A read of so many bytes, by a function.
pub(super) fn reads(function: LibraryFunction, from: Constant, size: usize, site: u64) {
    if let Some(mut thread) = program_call(site) {
        let span = Span { address: from as u64, size: size as u64 };
        thread.access_by(function, SideAccess::Read, span, site);
    }
}

/// A write of so many bytes, by a function.
pub(super) fn writes(function: LibraryFunction, to: Constant, size: usize, site: u64) {
    if let Some(mut thread) = program_call(site) {
        let span = Span { address: to as u64, size: size as u64 };
        thread.access_by(function, SideAccess::Write, span, site);
    }
}

/// A copy.
pub(super) fn copies(
    function: LibraryFunction,
    to: Constant,
    from: Constant,
    size: usize,
    site: u64,
) {
    if let Some(mut thread) = program_call(site) {
        let size = size as u64;
        let source = Span { address: from as u64, size };
        thread.access_by(function, SideAccess::Read, source, site);
        let target = Span { address: to as u64, size };
        thread.access_by(function, SideAccess::Write, target, site);
    }
}

unsafe extern "C-unwind" fn copy(to: Pointer, from: Constant, size: usize, site: u64) -> Pointer {
    copies(LibraryFunction::MEMCPY, to, from, size, site);
    // SAFETY: the same contract.
    unsafe { real::memcpy(to, from, size) }
}

unsafe extern "C-unwind" fn copy_checked(
    to: Pointer,
    from: Constant,
    size: usize,
    room: usize,
    site: u64,
) -> Pointer {
    overflows(size, room);
    // SAFETY: the same contract.
    unsafe { copy(to, from, size, site) }
}

unsafe extern "C-unwind" fn copy_to_end(
    to: Pointer,
    from: Constant,
    size: usize,
    site: u64,
) -> Pointer {
    copies(LibraryFunction::MEMPCPY, to, from, size, site);
    // SAFETY: the same contract.
    unsafe { real::memcpy(to, from, size).byte_add(size) }
}

unsafe extern "C-unwind" fn shift(to: Pointer, from: Constant, size: usize, site: u64) -> Pointer {
    copies(LibraryFunction::MEMMOVE, to, from, size, site);
    // SAFETY: the same contract.
    unsafe { real::memmove(to, from, size) }
}

unsafe extern "C-unwind" fn shift_checked(
    to: Pointer,
    from: Constant,
    size: usize,
    room: usize,
    site: u64,
) -> Pointer {
    overflows(size, room);
    // SAFETY: the same contract.
    unsafe { shift(to, from, size, site) }
}

unsafe extern "C-unwind" fn fill(to: Pointer, value: c_int, size: usize, site: u64) -> Pointer {
    writes(LibraryFunction::MEMSET, to, size, site);
    // SAFETY: the same contract.
    unsafe { real::memset(to, value, size) }
}

unsafe extern "C-unwind" fn fill_checked(
    to: Pointer,
    value: c_int,
    size: usize,
    room: usize,
    site: u64,
) -> Pointer {
    overflows(size, room);
    // SAFETY: the same contract.
    unsafe { fill(to, value, size, site) }
}

unsafe extern "C-unwind" fn clear(to: Pointer, size: usize, site: u64) {
    writes(LibraryFunction::BZERO, to, size, site);
    // SAFETY: the same contract.
    unsafe { real::memset(to, 0, size) };
}

unsafe extern "C-unwind" fn compare(
    one: Constant,
    other: Constant,
    size: usize,
    site: u64,
) -> c_int {
    reads(LibraryFunction::MEMCMP, one, size, site);
    reads(LibraryFunction::MEMCMP, other, size, site);
    // SAFETY: the same contract.
    unsafe { real::memcmp(one, other, size) }
}

unsafe extern "C-unwind" fn find(
    memory: Constant,
    value: c_int,
    size: usize,
    site: u64,
) -> Pointer {
    // SAFETY: the same contract.
    let found = unsafe { real::memchr(memory, value, size) };
    let read = if found.is_null() { size } else { found as usize - memory as usize + 1 };
    reads(LibraryFunction::MEMCHR, memory, read, site);
    found
}

/// The fortified functions end the program where a copy would be larger than what it goes to.
pub(super) fn overflows(size: usize, room: usize) {
    unsafe extern "C" {
        fn __chk_fail() -> !;
    }
    if size > room {
        // SAFETY: it ends the program.
        unsafe { __chk_fail() }
    }
}

with_site! {
    memcpy, "rcx" => copy;
    __tsan_memcpy, "rcx" => copy;
    __memcpy_chk, "r8" => copy_checked;
    mempcpy, "rcx" => copy_to_end;
    memmove, "rcx" => shift;
    __tsan_memmove, "rcx" => shift;
    __memmove_chk, "r8" => shift_checked;
    memset, "rcx" => fill;
    __tsan_memset, "rcx" => fill;
    __memset_chk, "r8" => fill_checked;
    bzero, "rdx" => clear;
    memcmp, "rcx" => compare;
    bcmp, "rcx" => compare;
    memchr, "rcx" => find;
}
