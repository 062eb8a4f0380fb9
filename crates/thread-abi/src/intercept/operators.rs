//! `operator new` and `operator delete` of C++, as they are named in object files.
//!
//! `new` that fails calls the program's handler or throws, so that is left to the C++ library, whose `new` asks `malloc`. Only what
//! is deleted comes here first: so that a report says so. Programs with clang's static runtime have both in themselves, and
//! are led to the C++ library, or to these where they have none.

use std::ffi::c_void;

use super::allocation::give_back_by;
use crate::function::LibraryFunction;
use crate::site::with_site;

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
