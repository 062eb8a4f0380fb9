//! System calls by their numbers.

use super::Uses;
use warpsan_runtime::is_device_address;

/// Calls that only read what they are passed; any other may write.
const READING: [i64; 12] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_pwritev,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_open,
    libc::SYS_openat,
    libc::SYS_execve,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_setsockopt,
];

/// Opens the memory of a system call, whose number is the first argument, until the answer is dropped. What a call does
/// with an argument is not known here: one that is an address of memory that devices use is taken for as many bytes as the
/// next argument says, if that can be, and for the rest of its page else.
pub(crate) fn open_for_raw_call(arguments: &[usize]) -> Uses {
    const PAGE: usize = 4096;
    let mut uses = Uses::new();
    let Some((number, arguments)) = arguments.split_first() else { return uses };
    for (index, argument) in arguments.iter().enumerate() {
        if !is_device_address(*argument as u64) {
            continue;
        }
        let next = arguments.get(index + 1).copied().unwrap_or(0);
        let end = argument.saturating_add(next);
        let is_length = next > 0 && is_device_address(end as u64 - 1);
        let bytes = if is_length { next } else { PAGE - argument % PAGE };
        uses.open(*argument, bytes, !READING.contains(&(*number as i64)));
    }
    uses
}
