//! Calls of the system that go past the C library, whose functions may be the program's or our own.

use std::arch::asm;
use std::sync::atomic::AtomicU32;

/// A call of the system with up to six arguments. A negative result is an error number.
///
/// # Safety
///
/// The contract of the call.
#[inline]
pub(crate) unsafe fn call(number: i64, arguments: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the caller's promise; the instruction changes rcx and r11 besides the result.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack)
        );
    }
    result
}

/// Zeroed memory of whole pages, whose storage is given when it is touched.
pub(crate) fn map(bytes: usize) -> Option<*mut u8> {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    // SAFETY: a new mapping touches nothing that is there.
    let result = unsafe { call(libc::SYS_mmap, [0, bytes, protection, flags, usize::MAX, 0]) };
    (result > 0).then_some(result as *mut u8)
}

/// Gives pages back.
///
/// # Safety
///
/// They are from [`map`], and nobody uses them any more.
pub(crate) unsafe fn unmap(memory: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { call(libc::SYS_munmap, [memory as usize, bytes, 0, 0, 0, 0]) };
}

/// Gives the storage of pages back, which stay mapped and read as zeroes.
///
/// # Safety
///
/// They are from [`map`], and what they hold is not needed.
pub(crate) unsafe fn discard(memory: *mut u8, bytes: usize) {
    let advice = libc::MADV_DONTNEED as usize;
    // SAFETY: the caller's promise.
    unsafe { call(libc::SYS_madvise, [memory as usize, bytes, advice, 0, 0, 0]) };
}

/// Signals that a thread has blocked, as the kernel keeps them.
#[derive(Clone, Copy)]
pub(crate) struct SignalMask(u64);

/// Blocks all signals of the calling thread. What was blocked before is given back.
pub(crate) fn block_signals() -> SignalMask {
    let (all, mut before) = (u64::MAX, 0_u64);
    let arguments =
        [libc::SIG_SETMASK as usize, &raw const all as usize, &raw mut before as usize, 8, 0, 0];
    // SAFETY: both places are our own, and of the size that is said.
    unsafe { call(libc::SYS_rt_sigprocmask, arguments) };
    SignalMask(before)
}

/// Blocks these signals, and no others.
pub(crate) fn restore_signals(mask: SignalMask) {
    let arguments = [libc::SIG_SETMASK as usize, &raw const mask.0 as usize, 0, 8, 0, 0];
    // SAFETY: as above.
    unsafe { call(libc::SYS_rt_sigprocmask, arguments) };
}

/// The number of this process.
pub(crate) fn process_number() -> u32 {
    // SAFETY: the call reads a number.
    unsafe { call(libc::SYS_getpid, [0; 6]) as u32 }
}

const MEMBARRIER_PRIVATE_EXPEDITED: usize = 1 << 3;
const MEMBARRIER_REGISTER_PRIVATE_EXPEDITED: usize = 1 << 4;

/// Asks for [`fence_all_threads`]. False: the system has none.
pub(crate) fn prepare_fence_of_all_threads() -> bool {
    // SAFETY: the call changes nothing that programs see.
    let result = unsafe {
        call(libc::SYS_membarrier, [MEMBARRIER_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0])
    };
    result == 0
}

/// All threads of the process execute a full fence, wherever they are.
pub(crate) fn fence_all_threads() {
    // SAFETY: as above.
    unsafe { call(libc::SYS_membarrier, [MEMBARRIER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0]) };
}

/// Says something on standard error that cannot be said in a report.
pub(crate) fn complain(text: &str) {
    // SAFETY: the text lives while it is written.
    unsafe { call(libc::SYS_write, [2, text.as_ptr() as usize, text.len(), 0, 0, 0]) };
}

/// Waits until the word is another one, or for no reason.
pub(crate) fn wait_while(word: &AtomicU32, value: u32) {
    let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word lives as long as it is waited for.
    unsafe {
        call(libc::SYS_futex, [word.as_ptr() as usize, wait as usize, value as usize, 0, 0, 0])
    };
}

/// Wakes all who wait for the word.
pub(crate) fn wake_all(word: &AtomicU32) {
    let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    let all = i32::MAX as usize;
    // SAFETY: the call only compares the address.
    unsafe { call(libc::SYS_futex, [word.as_ptr() as usize, wake as usize, all, 0, 0, 0]) };
}
