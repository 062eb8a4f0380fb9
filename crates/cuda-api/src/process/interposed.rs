//! Functions of the C library that come here first.
//!
//! Those that read and write memory for the program: the system answers `EFAULT` for pages that are closed to catch
//! accesses of the host, where the program itself would fault. So the pages are opened before. And those that set
//! handlers of signals: faults of closed pages have to come to us.

use super::behind::Behind;
use std::ffi::{CStr, c_int, c_void};
use warpsan_runtime::{is_device_address, set_handler_behind, system_uses_host_memory};

/// Functions that are called with memory to read or write, and that open it first.
macro_rules! passes_memory {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $answer:ty,
        $address:expr, $bytes:expr, writes $writes:literal;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $kind),*) -> $answer {
            static BEHIND: Behind = Behind::new(
                match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => c"",
                },
            );
            open($address.addr(), $bytes, $writes);
            let behind = BEHIND.get();
            if behind.is_null() {
                // SAFETY: the place of `errno` is there for every thread.
                unsafe { *libc::__errno_location() = libc::ENOSYS };
                return -1_isize as $answer;
            }
            type Function = unsafe extern "C" fn($($kind),*) -> $answer;
            // SAFETY: the function behind has the same name and so the same type.
            let behind: Function = unsafe { std::mem::transmute(behind) };
            // SAFETY: the same contract.
            let answer = unsafe { behind($($argument),*) };
            // Pages may have been closed while the call was waiting for its bytes.
            if answer == -1_isize as $answer && is_bad_address() && open($address.addr(), $bytes, $writes) {
                // SAFETY: the same contract.
                return unsafe { behind($($argument),*) };
            }
            answer
        }
    )*};
}

fn is_bad_address() -> bool {
    // SAFETY: the place of `errno` is there for every thread.
    unsafe { *libc::__errno_location() == libc::EFAULT }
}

/// Opens the pages of memory that the system is about to use, if it is memory that devices use, too.
#[inline]
fn open(address: usize, bytes: usize, writes: bool) -> bool {
    let is_ours = is_device_address(address as u64);
    if is_ours {
        open_pages(address, bytes, writes);
    }
    is_ours
}

#[cold]
fn open_pages(address: usize, bytes: usize, writes: bool) {
    let caller = crate::process::call_site::caller().unwrap_or(0);
    system_uses_host_memory(address, bytes, writes, caller);
}

type File = *mut libc::FILE;

passes_memory! {
    read(file: c_int, to: *mut c_void, bytes: usize) -> isize, to, bytes, writes true;
    write(file: c_int, from: *const c_void, bytes: usize) -> isize, from, bytes, writes false;
    pread(file: c_int, to: *mut c_void, bytes: usize, at: i64) -> isize, to, bytes, writes true;
    pread64(file: c_int, to: *mut c_void, bytes: usize, at: i64) -> isize, to, bytes, writes true;
    pwrite(file: c_int, from: *const c_void, bytes: usize, at: i64) -> isize, from, bytes, writes false;
    pwrite64(file: c_int, from: *const c_void, bytes: usize, at: i64) -> isize, from, bytes, writes false;
    recv(socket: c_int, to: *mut c_void, bytes: usize, flags: c_int) -> isize, to, bytes, writes true;
    send(socket: c_int, from: *const c_void, bytes: usize, flags: c_int) -> isize, from, bytes, writes false;
    recvfrom(socket: c_int, to: *mut c_void, bytes: usize, flags: c_int, who: *mut c_void, length: *mut c_void)
        -> isize, to, bytes, writes true;
    sendto(socket: c_int, from: *const c_void, bytes: usize, flags: c_int, who: *const c_void, length: u32)
        -> isize, from, bytes, writes false;
    getrandom(to: *mut c_void, bytes: usize, flags: u32) -> isize, to, bytes, writes true;
    fread(to: *mut c_void, size: usize, count: usize, file: File) -> usize,
        to, size.saturating_mul(count), writes true;
    fwrite(from: *const c_void, size: usize, count: usize, file: File) -> usize,
        from, size.saturating_mul(count), writes false;
}

/// Functions that are called with a list of pieces of memory.
macro_rules! passes_pieces {
    ($($name:ident: $text:literal, ($($argument:ident: $kind:ty),*), writes $writes:literal;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            file: c_int,
            pieces: *const libc::iovec,
            count: c_int,
            $($argument: $kind),*
        ) -> isize {
            static BEHIND: Behind = Behind::new($text);
            for index in 0..usize::try_from(count).unwrap_or(0) {
                // SAFETY: the program passes so many pieces.
                let piece = unsafe { pieces.add(index).read() };
                open(piece.iov_base.addr(), piece.iov_len, $writes);
            }
            let behind = BEHIND.get();
            if behind.is_null() {
                return -1;
            }
            type Function =
                unsafe extern "C" fn(c_int, *const libc::iovec, c_int, $($kind),*) -> isize;
            // SAFETY: the function behind has the same name and so the same type.
            let behind: Function = unsafe { std::mem::transmute(behind) };
            // SAFETY: the same contract.
            unsafe { behind(file, pieces, count, $($argument),*) }
        }
    )*};
}

passes_pieces! {
    readv: c"readv", (), writes true;
    writev: c"writev", (), writes false;
    preadv: c"preadv", (at: i64), writes true;
    pwritev: c"pwritev", (at: i64), writes false;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    static BEHIND: Behind = Behind::new(c"sigaction");
    // SAFETY: the program passes null or a `sigaction`.
    if signal == libc::SIGSEGV && unsafe { set_handler_behind(new, old) } {
        return 0;
    }
    let behind = BEHIND.get();
    if behind.is_null() {
        return -1;
    }
    type Function =
        unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
    // SAFETY: the function behind has the same name and so the same type.
    let behind: Function = unsafe { std::mem::transmute(behind) };
    // SAFETY: the same contract.
    unsafe { behind(signal, new, old) }
}

type Handler = libc::sighandler_t;

#[unsafe(no_mangle)]
unsafe extern "C" fn signal(number: c_int, handler: Handler) -> Handler {
    static BEHIND: Behind = Behind::new(c"signal");
    if number == libc::SIGSEGV {
        // SAFETY: zeros are a `sigaction`, and both places are our own.
        unsafe {
            let mut new: libc::sigaction = std::mem::zeroed();
            let mut old: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = handler;
            new.sa_flags = libc::SA_RESTART;
            if set_handler_behind(&new, &mut old) {
                return old.sa_sigaction;
            }
        }
    }
    let behind = BEHIND.get();
    if behind.is_null() {
        return libc::SIG_ERR;
    }
    type Function = unsafe extern "C" fn(c_int, Handler) -> Handler;
    // SAFETY: the function behind has the same name and so the same type.
    let behind: Function = unsafe { std::mem::transmute(behind) };
    // SAFETY: the same contract.
    unsafe { behind(number, handler) }
}

/// Functions that block signals: a fault that is blocked would end the program.
macro_rules! blocks_signals {
    ($($name:ident: $text:literal;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            how: c_int,
            set: *const libc::sigset_t,
            old: *mut libc::sigset_t,
        ) -> c_int {
            static BEHIND: Behind = Behind::new($text);
            let behind = BEHIND.get();
            if behind.is_null() {
                return libc::ENOSYS;
            }
            type Function =
                unsafe extern "C" fn(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int;
            // SAFETY: the function behind has the same name and so the same type.
            let behind: Function = unsafe { std::mem::transmute(behind) };
            if set.is_null() || how == libc::SIG_UNBLOCK || warpsan_forward::is_chosen() {
                // SAFETY: the same contract.
                return unsafe { behind(how, set, old) };
            }
            // SAFETY: the program passes a set, of which this is a copy.
            unsafe {
                let mut others = *set;
                libc::sigdelset(&mut others, libc::SIGSEGV);
                behind(how, &others, old)
            }
        }
    )*};
}

blocks_signals! {
    pthread_sigmask: c"pthread_sigmask";
    sigprocmask: c"sigprocmask";
}

/// Functions that end the process at once, with work in the queue.
macro_rules! ends_process {
    ($($name:ident: $text:literal;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(code: c_int) -> ! {
            static BEHIND: Behind = Behind::new($text);
            crate::call::run_rest_at_exit();
            let behind = BEHIND.get();
            if !behind.is_null() {
                type Function = unsafe extern "C" fn(c_int) -> !;
                // SAFETY: the function behind has the same name and so the same type.
                let behind: Function = unsafe { std::mem::transmute(behind) };
                // SAFETY: the same contract.
                unsafe { behind(code) }
            }
            std::process::abort()
        }
    )*};
}

ends_process! {
    _exit: c"_exit";
    _Exit: c"_Exit";
    quick_exit: c"quick_exit";
}
