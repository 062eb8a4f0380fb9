//! Functions of the C library that hand memory of the program to the system.
//!
//! While work is in flight, the pages of page-locked and managed memory are closed, to catch accesses of the host. The
//! system answers `EFAULT` for such a page, where the program itself would fault. So all these functions come here first:
//! the memory of a call is opened before it, and stays open until the call has returned ([`uses::Uses`]).
//!
//! The functions are tables, by area. A row has the arguments of a function and what the system does with them. Functions
//! that only copy in the process (`fgets`, `getline`, `realpath`'s answer) fault as the program does, and are not here.
//! System calls that a program makes itself (`asm`, `io_uring`) are not seen, nor what `aio_read` does later.

mod descriptors;
mod files;
mod processes;
mod raw;
mod sockets;
mod time_and_signals;
mod uses;

// For whoever stands in front of `syscall`.
#[allow(unused_imports)]
pub(super) use raw::{FUTEX_OPERATION, open_for_raw_call};
pub(super) use uses::Uses;

use super::behind::Behind;
use std::ffi::{c_int, c_void};

/// A pointer, whatever it points to.
pub(super) type Pointer = *mut c_void;
/// An `int`, or a type of its size.
type Int = c_int;
/// A `long`, or a type of its size.
type Long = isize;

/// What a function answers that is not there.
trait Answer {
    const FAILED: Self;
}

impl Answer for Int {
    const FAILED: Self = -1;
}

impl Answer for Long {
    const FAILED: Self = -1;
}

impl Answer for usize {
    const FAILED: Self = 0;
}

impl Answer for Pointer {
    const FAILED: Self = std::ptr::null_mut();
}

/// Functions with their arguments and what the system does with them, by methods of [`Uses`].
///
/// What comes behind the fixed arguments of `open`, `fcntl`, `ioctl` and `prctl` stands here as one more argument: it is
/// passed in the same register, and where the program passes none, nobody looks at it. They may unwind: who is cancelled
/// in a call leaves through here.
macro_rules! system_calls {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $answer:ty {
        $($method:ident($($passed:expr),*)),*
    })*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C-unwind" fn $name($($argument: $kind),*) -> $answer {
                let behind = BEHIND[Row::$name as usize].get();
                if behind.is_null() {
                    // SAFETY: the place of `errno` is there for every thread.
                    unsafe { *libc::__errno_location() = libc::ENOSYS };
                    return <$answer as super::Answer>::FAILED;
                }
                #[allow(unused_mut)]
                let mut uses = super::Uses::new();
                $(uses.$method($($passed),*);)*
                type Function = unsafe extern "C-unwind" fn($($kind),*) -> $answer;
                // SAFETY: the function behind has the same name and so the same type.
                let behind: Function = unsafe { std::mem::transmute(behind) };
                // SAFETY: the same contract.
                unsafe { behind($($argument),*) }
            }
        )*

        #[allow(non_camel_case_types)]
        enum Row {
            $($name),*
        }

        /// The functions of the C library, in the order of the rows.
        pub(super) static BEHIND: [crate::process::behind::Behind; [$(stringify!($name)),*].len()] = [$(
            crate::process::behind::Behind::new(
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => c"",
                },
            )
        ),*];
    };
}
use system_calls;

/// All rows of all tables.
fn rows() -> impl Iterator<Item = &'static Behind> {
    let first = descriptors::BEHIND.iter().chain(&files::BEHIND).chain(&processes::BEHIND);
    first.chain(&sockets::BEHIND).chain(&time_and_signals::BEHIND)
}

/// Finds all functions of the C library. Handlers of signals may call them, where looking for them could wait for ever.
pub(super) fn find_all() {
    for row in rows() {
        row.get();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_function_of_the_c_library() {
        assert!(rows().count() > 200, "{}", rows().count());
        let missing: Vec<_> = rows().filter(|row| row.get().is_null()).map(Behind::name).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
