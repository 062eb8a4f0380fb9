//! Files that are longer than the process may have them (`ulimit -f`).

use std::mem::MaybeUninit;

/// Does something that may make a file longer than the limit of the process. That is an error then, and does not end the
/// program, whose limit it is, by a signal.
pub(super) fn without_signal_of_long_files<T>(lengthen: impl FnOnce() -> T) -> T {
    let mut only = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: both are places for sets of signals, of which the first is filled before it is used.
    let is_blocked = unsafe {
        libc::sigemptyset(only.as_mut_ptr());
        libc::sigaddset(only.as_mut_ptr(), libc::SIGXFSZ);
        libc::pthread_sigmask(libc::SIG_BLOCK, only.as_ptr(), before.as_mut_ptr()) == 0
    };
    let answer = lengthen();
    if is_blocked {
        let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the sets were filled above; the signal that has come is taken away before it can be delivered.
        unsafe {
            libc::sigtimedwait(only.as_ptr(), std::ptr::null_mut(), &at_once);
            libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
            *libc::__errno_location() = errno;
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_gets_too_long_is_an_error_and_no_end() {
        // SAFETY: the child calls functions of the system only, and ends at once.
        let status = unsafe {
            let child = libc::fork();
            if child == 0 {
                let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
                libc::setrlimit(libc::RLIMIT_FSIZE, &none);
                let file = libc::memfd_create(c"long".as_ptr(), 0);
                let answer = without_signal_of_long_files(|| libc::ftruncate(file, 4096));
                let is_too_long = *libc::__errno_location() == libc::EFBIG;
                libc::_exit(if answer == -1 && is_too_long { 7 } else { 9 });
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
            status
        };
        assert!(libc::WIFEXITED(status), "it was ended by a signal: {status}");
        assert_eq!(libc::WEXITSTATUS(status), 7);
    }
}
