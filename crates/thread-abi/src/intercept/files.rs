//! Calls of the system that read and write the program's memory, and descriptors by which threads wait for each other.

use std::ffi::{c_int, c_uint, c_void};

use super::memory::{reads, writes};
use crate::function::LibraryFunction;
use crate::linker::behind;
use crate::site::with_site;
use crate::thread::entered;

type Buffer = *mut c_void;
type Constant = *const c_void;
type Vectors = *const libc::iovec;
type File = *mut libc::FILE;

mod real {
    use super::*;
    behind! {
        fn read(file: c_int, into: Buffer, size: usize) -> isize;
        fn write(file: c_int, from: Constant, size: usize) -> isize;
        fn pread(file: c_int, into: Buffer, size: usize, offset: i64) -> isize;
        fn pread64(file: c_int, into: Buffer, size: usize, offset: i64) -> isize;
        fn pwrite(file: c_int, from: Constant, size: usize, offset: i64) -> isize;
        fn pwrite64(file: c_int, from: Constant, size: usize, offset: i64) -> isize;
        fn readv(file: c_int, vectors: Vectors, count: c_int) -> isize;
        fn writev(file: c_int, vectors: Vectors, count: c_int) -> isize;
        fn recv(file: c_int, into: Buffer, size: usize, flags: c_int) -> isize;
        fn send(file: c_int, from: Constant, size: usize, flags: c_int) -> isize;
        fn recvmsg(file: c_int, message: *mut libc::msghdr, flags: c_int) -> isize;
        fn sendmsg(file: c_int, message: *const libc::msghdr, flags: c_int) -> isize;
        fn pipe(files: *mut c_int) -> c_int;
        fn pipe2(files: *mut c_int, flags: c_int) -> c_int;
        fn socketpair(domain: c_int, sort: c_int, protocol: c_int, files: *mut c_int) -> c_int;
        fn socket(domain: c_int, sort: c_int, protocol: c_int) -> c_int;
        fn accept(file: c_int, address: Buffer, size: *mut c_uint) -> c_int;
        fn accept4(file: c_int, address: Buffer, size: *mut c_uint, flags: c_int) -> c_int;
        fn eventfd(value: c_uint, flags: c_int) -> c_int;
        fn dup(file: c_int) -> c_int;
        fn dup2(file: c_int, other: c_int) -> c_int;
        fn dup3(file: c_int, other: c_int, flags: c_int) -> c_int;
        fn close(file: c_int) -> c_int;
        fn epoll_create(size: c_int) -> c_int;
        fn epoll_create1(flags: c_int) -> c_int;
        fn epoll_ctl(epoll: c_int, operation: c_int, file: c_int, event: Buffer) -> c_int;
        fn epoll_wait(epoll: c_int, events: Buffer, most: c_int, time: c_int) -> c_int;
        fn epoll_pwait(epoll: c_int, events: Buffer, most: c_int, time: c_int, mask: Constant) -> c_int;
        fn fread(into: Buffer, size: usize, count: usize, file: File) -> usize;
        fn fwrite(from: Constant, size: usize, count: usize, file: File) -> usize;
        fn fgets(into: *mut std::ffi::c_char, size: c_int, file: File) -> *mut std::ffi::c_char;
        fn fputs(text: *const std::ffi::c_char, file: File) -> c_int;
        fn puts(text: *const std::ffi::c_char) -> c_int;
    }
}

/// The calling thread hands over what it did, to who reads from the descriptor.
fn hands_over(file: c_int) {
    if let Some(mut thread) = entered()
        && let Some(clock) = thread.runtime.descriptors.clock(file)
    {
        thread.post_to(&clock);
    }
}

/// The calling thread has read from the descriptor.
fn receives(file: c_int) {
    if let Some(mut thread) = entered()
        && let Some(clock) = thread.runtime.descriptors.clock(file)
    {
        thread.acquire_from(&clock);
    }
}

/// Functions that read from a descriptor into one piece of memory.
macro_rules! read {
    ($($name:ident($($argument:ident: $type:ty),*) by $function:ident => $real:ident;)*) => {$(
        unsafe extern "C-unwind" fn $name(file: c_int, into: Buffer, size: usize, $($argument: $type,)* site: u64) -> isize {
            // SAFETY: the same contract.
            let result = unsafe { real::$real(file, into, size, $($argument),*) };
            if let Ok(read) = usize::try_from(result) {
                receives(file);
                writes(LibraryFunction::$function, into, read, site);
            }
            result
        }
    )*};
}

/// Functions that write one piece of memory to a descriptor.
macro_rules! write {
    ($($name:ident($($argument:ident: $type:ty),*) by $function:ident => $real:ident;)*) => {$(
        unsafe extern "C-unwind" fn $name(file: c_int, from: Constant, size: usize, $($argument: $type,)* site: u64) -> isize {
            reads(LibraryFunction::$function, from, size, site);
            hands_over(file);
            // SAFETY: the same contract.
            unsafe { real::$real(file, from, size, $($argument),*) }
        }
    )*};
}

read! {
    read_from() by READ => read;
    read_at(offset: i64) by READ => pread;
    read_at_64(offset: i64) by READ => pread64;
    receive(flags: c_int) by RECV => recv;
}

write! {
    write_to() by WRITE => write;
    write_at(offset: i64) by WRITE => pwrite;
    write_at_64(offset: i64) by WRITE => pwrite64;
    transmit(flags: c_int) by SEND => send;
}

/// The pieces of memory up to so many bytes.
///
/// # Safety
///
/// There are so many vectors.
unsafe fn pieces(
    vectors: Vectors,
    count: usize,
    bytes: usize,
    mut use_piece: impl FnMut(Buffer, usize),
) {
    let mut rest = bytes;
    for index in 0..count {
        // SAFETY: the caller's promise.
        let vector = unsafe { *vectors.add(index) };
        let size = vector.iov_len.min(rest);
        use_piece(vector.iov_base, size);
        rest -= size;
    }
}

unsafe extern "C-unwind" fn read_vectors(
    file: c_int,
    vectors: Vectors,
    count: c_int,
    site: u64,
) -> isize {
    // SAFETY: the same contract.
    let result = unsafe { real::readv(file, vectors, count) };
    if let (Ok(read), Ok(count)) = (usize::try_from(result), usize::try_from(count)) {
        receives(file);
        let write = |into: Buffer, size| writes(LibraryFunction::READ, into, size, site);
        // SAFETY: the same contract.
        unsafe { pieces(vectors, count, read, write) };
    }
    result
}

unsafe extern "C-unwind" fn write_vectors(
    file: c_int,
    vectors: Vectors,
    count: c_int,
    site: u64,
) -> isize {
    if let Ok(count) = usize::try_from(count) {
        let read = |from: Buffer, size| reads(LibraryFunction::WRITE, from, size, site);
        // SAFETY: the same contract.
        unsafe { pieces(vectors, count, usize::MAX, read) };
    }
    hands_over(file);
    // SAFETY: the same contract.
    unsafe { real::writev(file, vectors, count) }
}

unsafe extern "C-unwind" fn receive_message(
    file: c_int,
    message: *mut libc::msghdr,
    flags: c_int,
    site: u64,
) -> isize {
    // SAFETY: the same contract.
    unsafe {
        let result = real::recvmsg(file, message, flags);
        if let Ok(read) = usize::try_from(result) {
            receives(file);
            let write = |into: Buffer, size| writes(LibraryFunction::RECV, into, size, site);
            pieces((*message).msg_iov, (*message).msg_iovlen, read, write);
        }
        result
    }
}

unsafe extern "C-unwind" fn send_message(
    file: c_int,
    message: *const libc::msghdr,
    flags: c_int,
    site: u64,
) -> isize {
    // SAFETY: the same contract.
    unsafe {
        let read = |from: Buffer, size| reads(LibraryFunction::SEND, from, size, site);
        pieces((*message).msg_iov, (*message).msg_iovlen, usize::MAX, read);
        hands_over(file);
        real::sendmsg(file, message, flags)
    }
}

unsafe extern "C-unwind" fn read_items(
    into: Buffer,
    size: usize,
    count: usize,
    file: File,
    site: u64,
) -> usize {
    // SAFETY: the same contract.
    let items = unsafe { real::fread(into, size, count, file) };
    writes(LibraryFunction::FREAD, into, items * size, site);
    items
}

unsafe extern "C-unwind" fn write_items(
    from: Constant,
    size: usize,
    count: usize,
    file: File,
    site: u64,
) -> usize {
    reads(LibraryFunction::FWRITE, from, size.saturating_mul(count), site);
    // SAFETY: the same contract.
    unsafe { real::fwrite(from, size, count, file) }
}

unsafe extern "C-unwind" fn read_line(
    into: *mut std::ffi::c_char,
    size: c_int,
    file: File,
    site: u64,
) -> *mut std::ffi::c_char {
    // SAFETY: the same contract.
    unsafe {
        let result = real::fgets(into, size, file);
        if !result.is_null() {
            let bytes = std::ffi::CStr::from_ptr(into).to_bytes_with_nul().len();
            writes(LibraryFunction::FGETS, into.cast(), bytes, site);
        }
        result
    }
}

unsafe extern "C-unwind" fn write_text(
    text: *const std::ffi::c_char,
    file: File,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let bytes = std::ffi::CStr::from_ptr(text).to_bytes_with_nul().len();
        reads(LibraryFunction::FPUTS, text.cast(), bytes, site);
        real::fputs(text, file)
    }
}

unsafe extern "C-unwind" fn print_line(text: *const std::ffi::c_char, site: u64) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let bytes = std::ffi::CStr::from_ptr(text).to_bytes_with_nul().len();
        reads(LibraryFunction::FPUTS, text.cast(), bytes, site);
        real::puts(text)
    }
}

with_site! {
    read, "rcx" => read_from;
    write, "rcx" => write_to;
    pread, "r8" => read_at;
    pread64, "r8" => read_at_64;
    pwrite, "r8" => write_at;
    pwrite64, "r8" => write_at_64;
    recv, "r8" => receive;
    send, "r8" => transmit;
    readv, "rcx" => read_vectors;
    writev, "rcx" => write_vectors;
    recvmsg, "rcx" => receive_message;
    sendmsg, "rcx" => send_message;
    fread, "r8" => read_items;
    fwrite, "r8" => write_items;
    fgets, "rcx" => read_line;
    fputs, "rdx" => write_text;
    puts, "rsi" => print_line;
}

/// New descriptors become known.
fn connected(result: c_int, files: *mut c_int) -> c_int {
    if result == 0
        && let Some(mut thread) = entered()
    {
        // SAFETY: the call has written both.
        let (one, other) = unsafe { (*files, *files.add(1)) };
        let clock = thread.runtime.descriptors.connect(one, other);
        thread.begin_clock(&clock);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pipe(files: *mut c_int) -> c_int {
    // SAFETY: the same contract.
    connected(unsafe { real::pipe(files) }, files)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pipe2(files: *mut c_int, flags: c_int) -> c_int {
    // SAFETY: the same contract.
    connected(unsafe { real::pipe2(files, flags) }, files)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn socketpair(
    domain: c_int,
    sort: c_int,
    protocol: c_int,
    files: *mut c_int,
) -> c_int {
    // SAFETY: the same contract.
    connected(unsafe { real::socketpair(domain, sort, protocol, files) }, files)
}

fn opened_socket(file: c_int) -> c_int {
    if file >= 0
        && let Some(thread) = entered()
    {
        thread.runtime.descriptors.open_socket(file);
    }
    file
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn socket(domain: c_int, sort: c_int, protocol: c_int) -> c_int {
    // SAFETY: the same contract.
    opened_socket(unsafe { real::socket(domain, sort, protocol) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn accept(file: c_int, address: Buffer, size: *mut c_uint) -> c_int {
    // SAFETY: the same contract.
    let new = unsafe { real::accept(file, address, size) };
    receives(file);
    opened_socket(new)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn accept4(
    file: c_int,
    address: Buffer,
    size: *mut c_uint,
    flags: c_int,
) -> c_int {
    // SAFETY: the same contract.
    let new = unsafe { real::accept4(file, address, size, flags) };
    receives(file);
    opened_socket(new)
}

/// A descriptor with one end.
fn opened(file: c_int) -> c_int {
    if file >= 0
        && let Some(mut thread) = entered()
    {
        let clock = thread.runtime.descriptors.connect(file, file);
        thread.begin_clock(&clock);
    }
    file
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn eventfd(value: c_uint, flags: c_int) -> c_int {
    // SAFETY: the same contract.
    opened(unsafe { real::eventfd(value, flags) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn epoll_create(size: c_int) -> c_int {
    // SAFETY: the same contract.
    opened(unsafe { real::epoll_create(size) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn epoll_create1(flags: c_int) -> c_int {
    // SAFETY: the same contract.
    opened(unsafe { real::epoll_create1(flags) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn epoll_ctl(
    epoll: c_int,
    operation: c_int,
    file: c_int,
    event: Buffer,
) -> c_int {
    hands_over(epoll);
    // SAFETY: the same contract.
    unsafe { real::epoll_ctl(epoll, operation, file, event) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn epoll_wait(
    epoll: c_int,
    events: Buffer,
    most: c_int,
    time: c_int,
) -> c_int {
    // SAFETY: the same contract.
    let result = unsafe { real::epoll_wait(epoll, events, most, time) };
    if result > 0 {
        receives(epoll);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn epoll_pwait(
    epoll: c_int,
    events: Buffer,
    most: c_int,
    time: c_int,
    mask: Constant,
) -> c_int {
    // SAFETY: the same contract.
    let result = unsafe { real::epoll_pwait(epoll, events, most, time, mask) };
    if result > 0 {
        receives(epoll);
    }
    result
}

fn duplicated(from: c_int, to: c_int) -> c_int {
    if to >= 0
        && let Some(thread) = entered()
    {
        thread.runtime.descriptors.duplicate(from, to);
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn dup(file: c_int) -> c_int {
    // SAFETY: the same contract.
    duplicated(file, unsafe { real::dup(file) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn dup2(file: c_int, other: c_int) -> c_int {
    // SAFETY: the same contract.
    duplicated(file, unsafe { real::dup2(file, other) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn dup3(file: c_int, other: c_int, flags: c_int) -> c_int {
    // SAFETY: the same contract.
    duplicated(file, unsafe { real::dup3(file, other, flags) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn close(file: c_int) -> c_int {
    // The number may be another descriptor's as soon as it is closed.
    if let Some(thread) = entered() {
        thread.runtime.descriptors.close(file);
    }
    // SAFETY: the same contract.
    unsafe { real::close(file) }
}
