//! Functions that leave their result in memory of the program: times, facts about files and sockets, texts.

use std::ffi::{c_char, c_int, c_void};

use super::memory::writes;
use crate::function::LibraryFunction;
use crate::linker::behind;
use crate::site::with_site;

type Place = *mut c_void;
type Text = *const c_char;
type Length = *mut libc::socklen_t;

const TIME: usize = size_of::<libc::timespec>();
const ZONE: usize = 8;
const STAT: usize = size_of::<libc::stat>();
const DATE: usize = size_of::<libc::tm>();

/// `name as inner(arguments) -> result, register, by FUNCTION if succeeded => [place: size]`: what a function writes where it has succeeded,
/// and `register` is the first for arguments that it does not use.
macro_rules! results {
    ($($name:ident as $inner:ident($($argument:ident: $type:ty),*) -> $result:ty, $register:literal,
        by $function:ident if $succeeded:expr => [$($place:ident: $size:expr),*];)*) => {
        mod real {
            use super::*;
            behind! { $(fn $name($($argument: $type),*) -> $result;)* }
        }
        $(unsafe extern "C-unwind" fn $inner($($argument: $type,)* site: u64) -> $result {
            // SAFETY: the same contract.
            let result = unsafe { real::$name($($argument),*) };
            if $succeeded(result) {
                $(leaves(LibraryFunction::$function, $place, Size::bytes(&$size, $place, result as i64), site);)*
            }
            result
        })*
        with_site! { $($name, $register => $inner;)* }
    };
}

/// How much a function has written.
trait Size {
    fn bytes(&self, place: Place, result: i64) -> usize;
}

impl Size for usize {
    fn bytes(&self, _place: Place, _result: i64) -> usize {
        *self
    }
}

/// As many bytes as the result says, and so many more.
struct Result(usize);

impl Size for Result {
    fn bytes(&self, _place: Place, result: i64) -> usize {
        usize::try_from(result).map_or(0, |bytes| bytes + self.0)
    }
}

/// A text up to its end, within so many bytes.
struct UpTo(usize);

impl Size for UpTo {
    fn bytes(&self, place: Place, _result: i64) -> usize {
        if place.is_null() {
            return 0;
        }
        // SAFETY: the function has left a text there, of at most so many bytes.
        let length = unsafe { libc::strnlen(place.cast(), self.0) };
        (length + 1).min(self.0)
    }
}

/// A number of bytes at another place, which the program has given and the function has changed.
struct Stored(Length);

impl Size for Stored {
    fn bytes(&self, _place: Place, _result: i64) -> usize {
        // SAFETY: the function has written it.
        if self.0.is_null() { 0 } else { unsafe { *self.0 as usize } }
    }
}

fn leaves(function: LibraryFunction, place: Place, bytes: usize, site: u64) {
    if !place.is_null() {
        writes(function, place, bytes, site);
    }
}

fn is_zero(result: c_int) -> bool {
    result == 0
}

fn is_place(result: Place) -> bool {
    !result.is_null()
}

fn is_positive(result: isize) -> bool {
    result > 0
}

results! {
    clock_gettime as clock_get_time(clock: libc::clockid_t, time: Place) -> c_int, "rdx", by CLOCK_GETTIME if is_zero => [time: TIME];
    clock_getres as clock_get_resolution(clock: libc::clockid_t, time: Place) -> c_int, "rdx", by CLOCK_GETTIME if is_zero => [time: TIME];
    gettimeofday as get_time_of_day(time: Place, zone: Place) -> c_int, "rdx", by GETTIMEOFDAY if is_zero => [time: TIME, zone: ZONE];
    time as get_time(time: Place) -> isize, "rsi", by TIME if is_positive => [time: size_of::<libc::time_t>()];
    getrusage as get_usage(who: c_int, usage: Place) -> c_int, "rdx", by GETRUSAGE if is_zero => [usage: size_of::<libc::rusage>()];
    uname as get_name(name: Place) -> c_int, "rsi", by UNAME if is_zero => [name: size_of::<libc::utsname>()];
    stat as stat_path(path: Text, facts: Place) -> c_int, "rdx", by STAT if is_zero => [facts: STAT];
    lstat as stat_link(path: Text, facts: Place) -> c_int, "rdx", by STAT if is_zero => [facts: STAT];
    fstat as stat_file(file: c_int, facts: Place) -> c_int, "rdx", by STAT if is_zero => [facts: STAT];
    fstatat as stat_at(folder: c_int, path: Text, facts: Place, flags: c_int) -> c_int, "r8", by STAT if is_zero => [facts: STAT];
    stat64 as stat_path_64(path: Text, facts: Place) -> c_int, "rdx", by STAT if is_zero => [facts: STAT];
    lstat64 as stat_link_64(path: Text, facts: Place) -> c_int, "rdx", by STAT if is_zero => [facts: STAT];
    fstat64 as stat_file_64(file: c_int, facts: Place) -> c_int, "rdx", by STAT if is_zero => [facts: STAT];
    fstatat64 as stat_at_64(folder: c_int, path: Text, facts: Place, flags: c_int) -> c_int, "r8", by STAT if is_zero => [facts: STAT];
    localtime_r as local_time(time: *const libc::time_t, date: Place) -> Place, "rdx", by LOCALTIME_R if is_place => [date: DATE];
    gmtime_r as universal_time(time: *const libc::time_t, date: Place) -> Place, "rdx", by LOCALTIME_R if is_place => [date: DATE];
    strftime as print_time(into: Place, size: usize, format: Text, date: *const libc::tm) -> isize, "r8", by STRFTIME if is_positive => [into: Result(1)];
    getcwd as get_folder(into: Place, size: usize) -> Place, "rdx", by GETCWD if is_place => [into: UpTo(size)];
    realpath as resolve_path(path: Text, into: Place) -> Place, "rdx", by REALPATH if is_place => [into: UpTo(libc::PATH_MAX as usize)];
    readlink as read_link(path: Text, into: Place, size: usize) -> isize, "rcx", by READLINK if is_positive => [into: Result(0)];
    readlinkat as read_link_at(folder: c_int, path: Text, into: Place, size: usize) -> isize, "r8", by READLINK if is_positive => [into: Result(0)];
    gethostname as get_host_name(into: Place, size: usize) -> c_int, "rdx", by GETHOSTNAME if is_zero => [into: UpTo(size)];
    getrandom as get_random(into: Place, size: usize, flags: libc::c_uint) -> isize, "rcx", by GETRANDOM if is_positive => [into: Result(0)];
    getentropy as get_entropy(into: Place, size: usize) -> c_int, "rdx", by GETRANDOM if is_zero => [into: size];
    getsockname as get_socket_name(file: c_int, address: Place, length: Length) -> c_int, "rcx", by GETSOCKNAME if is_zero => [address: Stored(length)];
    getpeername as get_peer_name(file: c_int, address: Place, length: Length) -> c_int, "rcx", by GETSOCKNAME if is_zero => [address: Stored(length)];
    getsockopt as get_option(file: c_int, level: c_int, name: c_int, value: Place, length: Length) -> c_int, "r9", by GETSOCKOPT if is_zero => [value: Stored(length)];
    inet_ntop as print_address(family: c_int, from: *const c_void, into: Place, size: libc::socklen_t) -> Place, "r8", by INET_NTOP if is_place => [into: UpTo(size as usize)];
}

/// Addresses of both families have their own sizes.
unsafe extern "C-unwind" fn read_address(
    family: c_int,
    from: Text,
    into: Place,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    let result = unsafe { parse::inet_pton(family, from, into) };
    if result == 1 {
        let bytes = if family == libc::AF_INET { 4 } else { 16 };
        leaves(LibraryFunction::INET_PTON, into, bytes, site);
    }
    result
}

mod parse {
    use super::*;
    behind! { fn inet_pton(family: c_int, from: Text, into: Place) -> c_int; }
}

with_site! { inet_pton, "rcx" => read_address; }
