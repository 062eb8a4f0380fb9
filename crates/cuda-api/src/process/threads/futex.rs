//! System calls by their numbers. Waits of the C++ library for atomics are such calls: nobody waits for a thread meanwhile.

use super::real;
use crate::process::system_calls::{FUTEX_OPERATION, open_for_raw_call};
use warpsan_runtime::host_threads::while_away;

const WAIT: i64 = 0;
const WAIT_BITSET: i64 = 9;

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn syscall(
    number: i64,
    a: i64,
    b: i64,
    c: i64,
    d: i64,
    e: i64,
    f: i64,
) -> i64 {
    let _open = open_for_raw_call(number, &[a, b, c, d, e, f].map(|argument| argument as usize));
    // SAFETY: the same contract.
    let call = || unsafe { real::syscall(number, a, b, c, d, e, f) };
    match (number, b & FUTEX_OPERATION as i64) {
        (libc::SYS_futex, WAIT | WAIT_BITSET) => while_away(call),
        _ => call(),
    }
}
