//! `operator new` and `operator delete` of C++, as they are named in object files.
//!
//! `new` that fails calls the program's handler or throws, which is left to the C++ library. A program that has that library in itself has none
//! behind us, and ends where it would have thrown.

use std::ffi::c_void;

use super::allocation::{allocate, allocate_aligned, give_back_by};
use crate::function::LibraryFunction;
use crate::linker::behind;
use crate::site::with_site;

type Pointer = *mut c_void;

mod real {
    use super::*;
    behind! {
        #[allow(non_snake_case)]
        fn _Znwm(size: usize) -> Pointer;
        #[allow(non_snake_case)]
        fn _ZnwmSt11align_val_t(size: usize, alignment: usize) -> Pointer;
    }
}

unsafe extern "C-unwind" fn new(size: usize, site: u64) -> Pointer {
    // SAFETY: the same contract.
    unsafe {
        let block = allocate(size.max(1), site);
        if block.is_null() { real::_Znwm(size) } else { block }
    }
}

unsafe extern "C-unwind" fn new_or_null(size: usize, _more: usize, site: u64) -> Pointer {
    // SAFETY: the same contract.
    unsafe { allocate(size.max(1), site) }
}

unsafe extern "C-unwind" fn new_aligned(size: usize, alignment: usize, site: u64) -> Pointer {
    // SAFETY: the same contract.
    unsafe {
        let block = allocate_aligned(alignment, size.max(1), site);
        if block.is_null() { real::_ZnwmSt11align_val_t(size, alignment) } else { block }
    }
}

unsafe extern "C-unwind" fn new_aligned_or_null(
    size: usize,
    alignment: usize,
    _more: usize,
    site: u64,
) -> Pointer {
    // SAFETY: the same contract.
    unsafe { allocate_aligned(alignment, size.max(1), site) }
}

unsafe extern "C-unwind" fn delete(block: *mut c_void, site: u64) {
    // SAFETY: the same contract.
    unsafe { give_back_by(LibraryFunction::DELETE, block, site) }
}

unsafe extern "C-unwind" fn delete_with_one_more(block: *mut c_void, _more: usize, site: u64) {
    // SAFETY: the same contract.
    unsafe { give_back_by(LibraryFunction::DELETE, block, site) }
}

unsafe extern "C-unwind" fn delete_with_two_more(
    block: *mut c_void,
    _one: usize,
    _other: usize,
    site: u64,
) {
    // SAFETY: the same contract.
    unsafe { give_back_by(LibraryFunction::DELETE, block, site) }
}

with_site! {
    #[allow(non_snake_case)]
    _Znwm, "rsi" => new;
    #[allow(non_snake_case)]
    _Znam, "rsi" => new;
    #[allow(non_snake_case)]
    _ZnwmRKSt9nothrow_t, "rdx" => new_or_null;
    #[allow(non_snake_case)]
    _ZnamRKSt9nothrow_t, "rdx" => new_or_null;
    #[allow(non_snake_case)]
    _ZnwmSt11align_val_t, "rdx" => new_aligned;
    #[allow(non_snake_case)]
    _ZnamSt11align_val_t, "rdx" => new_aligned;
    #[allow(non_snake_case)]
    _ZnwmSt11align_val_tRKSt9nothrow_t, "rcx" => new_aligned_or_null;
    #[allow(non_snake_case)]
    _ZnamSt11align_val_tRKSt9nothrow_t, "rcx" => new_aligned_or_null;
    #[allow(non_snake_case)]
    _ZdlPv, "rsi" => delete;
    #[allow(non_snake_case)]
    _ZdaPv, "rsi" => delete;
    #[allow(non_snake_case)]
    _ZdlPvm, "rdx" => delete_with_one_more;
    #[allow(non_snake_case)]
    _ZdaPvm, "rdx" => delete_with_one_more;
    #[allow(non_snake_case)]
    _ZdlPvSt11align_val_t, "rdx" => delete_with_one_more;
    #[allow(non_snake_case)]
    _ZdaPvSt11align_val_t, "rdx" => delete_with_one_more;
    #[allow(non_snake_case)]
    _ZdlPvRKSt9nothrow_t, "rdx" => delete_with_one_more;
    #[allow(non_snake_case)]
    _ZdaPvRKSt9nothrow_t, "rdx" => delete_with_one_more;
    #[allow(non_snake_case)]
    _ZdlPvmSt11align_val_t, "rcx" => delete_with_two_more;
    #[allow(non_snake_case)]
    _ZdaPvmSt11align_val_t, "rcx" => delete_with_two_more;
}
