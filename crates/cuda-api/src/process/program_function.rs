//! Calls of functions that the program passes to us, on a thread of ours.
//!
//! An exception that such a function lets out finds no handler, as on a thread of CUDA: the C++ library calls the program's
//! `terminate` handler where it was thrown. So the unwinder must not get to see our frames, in which it would find some.

use std::ffi::c_void;

/// A function with arguments that fit into registers.
pub(crate) struct ProgramFunction {
    pub(crate) function: *const c_void,
    pub(crate) arguments: [usize; 3],
}

impl ProgramFunction {
    /// Calls it.
    ///
    /// # Safety
    /// The program passes a function that takes these arguments, or the first of them.
    pub(crate) unsafe fn call(self) {
        let ProgramFunction { function, arguments: [first, second, third] } = self;
        // SAFETY: the caller's promise.
        unsafe { warpsan_call_at_end_of_stack(function, first, second, third) };
    }
}

unsafe extern "C" {
    fn warpsan_call_at_end_of_stack(
        function: *const c_void,
        first: usize,
        second: usize,
        third: usize,
    );
}

// Who unwinds does not know where this returns to, which is how the first function of a thread looks.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .text.warpsan_call_at_end_of_stack,\"ax\",@progbits",
    ".hidden warpsan_call_at_end_of_stack",
    ".globl warpsan_call_at_end_of_stack",
    ".type warpsan_call_at_end_of_stack,@function",
    "warpsan_call_at_end_of_stack:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    "mov rbp, rsp",
    "mov rax, rdi",
    "mov rdi, rsi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    "call rax",
    "pop rbp",
    ".cfi_def_cfa_offset 8",
    "ret",
    ".cfi_endproc",
    ".size warpsan_call_at_end_of_stack, . - warpsan_call_at_end_of_stack",
    ".popsection",
);

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static PASSED: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn add_up(first: usize, second: usize, third: usize) {
        let mut frames = 0;
        backtrace::trace(|_| {
            frames += 1;
            true
        });
        PASSED.store(first * 100 + second * 10 + third + frames * 1000, Ordering::Relaxed);
    }

    #[test]
    fn a_function_gets_its_arguments_and_nobody_sees_who_has_called_it() {
        let function = ProgramFunction { function: add_up as *const c_void, arguments: [7, 8, 9] };
        // SAFETY: it takes three numbers.
        unsafe { function.call() };
        let passed = PASSED.load(Ordering::Relaxed);
        assert_eq!(passed % 1000, 789);
        assert!(passed / 1000 < 12, "{} frames", passed / 1000);
    }
}
