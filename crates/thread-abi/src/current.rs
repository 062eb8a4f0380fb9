//! The thread that calls, in one word of thread-local storage.
//!
//! It is of the initial-exec model: an access is two loads, without a call of the dynamic linker, which the library's place in
//! `LD_PRELOAD` makes possible. Rust has no stable way to ask for the model, so the word is declared in assembly.

use std::arch::{asm, global_asm};

global_asm!(
    ".pushsection .tbss.warpsan_current,\"awT\",@nobits",
    ".balign 8",
    ".globl warpsan_current",
    ".hidden warpsan_current",
    ".type warpsan_current,@object",
    ".size warpsan_current,8",
    "warpsan_current:",
    ".zero 8",
    ".popsection",
);

/// The word of the calling thread; null before it is set.
#[inline(always)]
pub(crate) fn current_word() -> *mut u8 {
    let thread: *mut u8;
    // SAFETY: it reads a word of this thread's own storage.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + warpsan_current@GOTTPOFF]",
            "mov {0}, qword ptr fs:[{0}]",
            out(reg) thread,
            options(nostack, preserves_flags, readonly)
        );
    }
    thread
}

/// Sets the word of the calling thread.
pub(crate) fn set_current_word(thread: *mut u8) {
    // SAFETY: it writes a word of this thread's own storage.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + warpsan_current@GOTTPOFF]",
            "mov qword ptr fs:[{0}], {1}",
            out(reg) _,
            in(reg) thread,
            options(nostack, preserves_flags)
        );
    }
}
