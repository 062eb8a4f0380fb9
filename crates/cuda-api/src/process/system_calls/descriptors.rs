//! Reading, writing and waiting by descriptors.

use super::{Int, Long, Pointer, system_calls};

/// Bytes of what is passed.
const OFFSET: usize = 8;
const POLLED: usize = 8;
const EPOLL_EVENT: usize = 12;
/// A `timespec` or a `timeval`.
const TIME: usize = 16;
/// What the system knows of a set of signals.
const SIGNALS: usize = 8;

system_calls! {
    read(file: Int, to: Pointer, bytes: usize) -> Long { writes(to, bytes) }
    write(file: Int, from: Pointer, bytes: usize) -> Long { reads(from, bytes) }
    pread(file: Int, to: Pointer, bytes: usize, at: Long) -> Long { writes(to, bytes) }
    pread64(file: Int, to: Pointer, bytes: usize, at: Long) -> Long { writes(to, bytes) }
    pwrite(file: Int, from: Pointer, bytes: usize, at: Long) -> Long { reads(from, bytes) }
    pwrite64(file: Int, from: Pointer, bytes: usize, at: Long) -> Long { reads(from, bytes) }
    __read_chk(file: Int, to: Pointer, bytes: usize, room: usize) -> Long { writes(to, bytes) }
    __pread_chk(file: Int, to: Pointer, bytes: usize, at: Long, room: usize) -> Long { writes(to, bytes) }
    __pread64_chk(file: Int, to: Pointer, bytes: usize, at: Long, room: usize) -> Long { writes(to, bytes) }
    readv(file: Int, pieces: Pointer, count: Int) -> Long { writes_pieces(pieces, count as usize) }
    writev(file: Int, pieces: Pointer, count: Int) -> Long { reads_pieces(pieces, count as usize) }
    preadv(file: Int, pieces: Pointer, count: Int, at: Long) -> Long { writes_pieces(pieces, count as usize) }
    preadv64(file: Int, pieces: Pointer, count: Int, at: Long) -> Long { writes_pieces(pieces, count as usize) }
    pwritev(file: Int, pieces: Pointer, count: Int, at: Long) -> Long { reads_pieces(pieces, count as usize) }
    pwritev64(file: Int, pieces: Pointer, count: Int, at: Long) -> Long { reads_pieces(pieces, count as usize) }
    preadv2(file: Int, pieces: Pointer, count: Int, at: Long, flags: Int) -> Long {
        writes_pieces(pieces, count as usize)
    }
    preadv64v2(file: Int, pieces: Pointer, count: Int, at: Long, flags: Int) -> Long {
        writes_pieces(pieces, count as usize)
    }
    pwritev2(file: Int, pieces: Pointer, count: Int, at: Long, flags: Int) -> Long {
        reads_pieces(pieces, count as usize)
    }
    pwritev64v2(file: Int, pieces: Pointer, count: Int, at: Long, flags: Int) -> Long {
        reads_pieces(pieces, count as usize)
    }
    vmsplice(file: Int, pieces: Pointer, count: usize, flags: Int) -> Long { reads_pieces(pieces, count) }
    sendfile(to: Int, from: Int, at: Pointer, bytes: usize) -> Long { writes(at, OFFSET) }
    sendfile64(to: Int, from: Int, at: Pointer, bytes: usize) -> Long { writes(at, OFFSET) }
    splice(from: Int, from_at: Pointer, to: Int, to_at: Pointer, bytes: usize, flags: Int) -> Long {
        writes(from_at, OFFSET), writes(to_at, OFFSET)
    }
    copy_file_range(from: Int, from_at: Pointer, to: Int, to_at: Pointer, bytes: usize, flags: Int) -> Long {
        writes(from_at, OFFSET), writes(to_at, OFFSET)
    }
    getdents64(folder: Int, to: Pointer, bytes: usize) -> Long { writes(to, bytes) }
    eventfd_read(file: Int, to: Pointer) -> Int { writes(to, 8) }
    getrandom(to: Pointer, bytes: usize, flags: Int) -> Long { writes(to, bytes) }
    getentropy(to: Pointer, bytes: usize) -> Int { writes(to, bytes) }

    fread(to: Pointer, size: usize, count: usize, file: Pointer) -> usize { writes_list(to, count, size) }
    fread_unlocked(to: Pointer, size: usize, count: usize, file: Pointer) -> usize { writes_list(to, count, size) }
    __fread_chk(to: Pointer, room: usize, size: usize, count: usize, file: Pointer) -> usize {
        writes_list(to, count, size)
    }
    __fread_unlocked_chk(to: Pointer, room: usize, size: usize, count: usize, file: Pointer) -> usize {
        writes_list(to, count, size)
    }
    fwrite(from: Pointer, size: usize, count: usize, file: Pointer) -> usize { reads_list(from, count, size) }
    fwrite_unlocked(from: Pointer, size: usize, count: usize, file: Pointer) -> usize { reads_list(from, count, size) }
    fputs(text: Pointer, file: Pointer) -> Int { reads_text(text) }
    fputs_unlocked(text: Pointer, file: Pointer) -> Int { reads_text(text) }
    puts(text: Pointer) -> Int { reads_text(text) }

    pipe(both: Pointer) -> Int { writes(both, 8) }
    pipe2(both: Pointer, flags: Int) -> Int { writes(both, 8) }
    ioctl(file: Int, request: Long, argument: Pointer) -> Int { device_request(request, argument) }
    fcntl(file: Int, command: Int, argument: Pointer) -> Int { lock_request(command, argument) }
    fcntl64(file: Int, command: Int, argument: Pointer) -> Int { lock_request(command, argument) }

    poll(polled: Pointer, count: usize, time: Int) -> Int { writes_list(polled, count, POLLED) }
    ppoll(polled: Pointer, count: usize, time: Pointer, signals: Pointer) -> Int {
        writes_list(polled, count, POLLED), reads(time, TIME), reads(signals, SIGNALS)
    }
    __poll_chk(polled: Pointer, count: usize, time: Int, room: usize) -> Int { writes_list(polled, count, POLLED) }
    __ppoll_chk(polled: Pointer, count: usize, time: Pointer, signals: Pointer, room: usize) -> Int {
        writes_list(polled, count, POLLED), reads(time, TIME), reads(signals, SIGNALS)
    }
    select(count: Int, read: Pointer, write: Pointer, except: Pointer, time: Pointer) -> Int {
        sets([read, write, except], count), writes(time, TIME)
    }
    pselect(count: Int, read: Pointer, write: Pointer, except: Pointer, time: Pointer, signals: Pointer) -> Int {
        sets([read, write, except], count), reads(time, TIME), reads(signals, SIGNALS)
    }
    epoll_ctl(poll: Int, what: Int, file: Int, event: Pointer) -> Int { reads(event, EPOLL_EVENT) }
    epoll_wait(poll: Int, events: Pointer, most: Int, time: Int) -> Int {
        writes_list(events, most as usize, EPOLL_EVENT)
    }
    epoll_pwait(poll: Int, events: Pointer, most: Int, time: Int, signals: Pointer) -> Int {
        writes_list(events, most as usize, EPOLL_EVENT), reads(signals, SIGNALS)
    }
    epoll_pwait2(poll: Int, events: Pointer, most: Int, time: Pointer, signals: Pointer) -> Int {
        writes_list(events, most as usize, EPOLL_EVENT), reads(time, TIME), reads(signals, SIGNALS)
    }
}
