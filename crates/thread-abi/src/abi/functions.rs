//! Starts and ends of functions, and of modules.

use crate::thread::{current, entered};

/// A module with instrumented code is initialised.
#[unsafe(no_mangle)]
extern "C" fn __tsan_init() {
    crate::activation::activate();
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_func_entry(_return_address: u64) {
    std::arch::naked_asm!("lea rsi, [rsp + 8]", "jmp {enter}", enter = sym enter)
}

unsafe extern "C" fn enter(return_address: u64, stack_pointer: u64) {
    let thread = current();
    if thread.is_null() {
        // A thread that we have not seen start is taken in.
        drop(entered());
        return;
    }
    // SAFETY: it is the calling thread's own.
    unsafe { (*thread).stack.enter(return_address, stack_pointer) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_func_exit() {
    let thread = current();
    if !thread.is_null() {
        // SAFETY: it is the calling thread's own.
        unsafe { (*thread).stack.leave() };
    }
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_begin() {
    if let Some(mut thread) = entered() {
        thread.ignored += 1;
        thread.ignored_order += 1;
    }
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_end() {
    if let Some(mut thread) = entered() {
        thread.ignored = thread.ignored.saturating_sub(1);
        thread.ignored_order = thread.ignored_order.saturating_sub(1);
    }
}
