//! Functions on texts. What they read is as far as their result says that they did.

use std::ffi::{c_char, c_int};

use super::memory::{copies, reads, writes};
use crate::function::LibraryFunction;
use crate::linker::behind;
use crate::site::with_site;

type Text = *mut c_char;
type Constant = *const c_char;

mod real {
    use super::*;
    behind! {
        fn strlen(text: Constant) -> usize;
        fn strnlen(text: Constant, most: usize) -> usize;
        fn strcpy(to: Text, from: Constant) -> Text;
        fn stpcpy(to: Text, from: Constant) -> Text;
        fn strncpy(to: Text, from: Constant, size: usize) -> Text;
        fn strcat(to: Text, from: Constant) -> Text;
        fn strncat(to: Text, from: Constant, size: usize) -> Text;
        fn strcmp(one: Constant, other: Constant) -> c_int;
        fn strncmp(one: Constant, other: Constant, size: usize) -> c_int;
        fn strcasecmp(one: Constant, other: Constant) -> c_int;
        fn strncasecmp(one: Constant, other: Constant, size: usize) -> c_int;
        fn strchr(text: Constant, value: c_int) -> Text;
        fn strrchr(text: Constant, value: c_int) -> Text;
        fn strstr(text: Constant, part: Constant) -> Text;
        fn strdup(text: Constant) -> Text;
        fn strndup(text: Constant, size: usize) -> Text;
    }
}

/// Bytes of a text with its end.
///
/// # Safety
///
/// It is a text.
unsafe fn size_of_text(text: Constant) -> usize {
    // SAFETY: the caller's promise.
    unsafe { real::strlen(text) + 1 }
}

/// The same, if the end is within so many bytes.
///
/// # Safety
///
/// It is a text up to there.
unsafe fn size_up_to(text: Constant, most: usize) -> usize {
    // SAFETY: the caller's promise.
    let length = unsafe { real::strnlen(text, most) };
    if length < most { length + 1 } else { most }
}

unsafe extern "C-unwind" fn length(text: Constant, site: u64) -> usize {
    // SAFETY: the same contract.
    let length = unsafe { real::strlen(text) };
    reads(LibraryFunction::STRLEN, text.cast(), length + 1, site);
    length
}

unsafe extern "C-unwind" fn length_up_to(text: Constant, most: usize, site: u64) -> usize {
    // SAFETY: the same contract.
    let length = unsafe { real::strnlen(text, most) };
    reads(LibraryFunction::STRLEN, text.cast(), (length + 1).min(most), site);
    length
}

unsafe extern "C-unwind" fn copy(to: Text, from: Constant, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        copies(LibraryFunction::STRCPY, to.cast(), from.cast(), size_of_text(from), site);
        real::strcpy(to, from)
    }
}

unsafe extern "C-unwind" fn copy_to_end(to: Text, from: Constant, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        copies(LibraryFunction::STRCPY, to.cast(), from.cast(), size_of_text(from), site);
        real::stpcpy(to, from)
    }
}

unsafe extern "C-unwind" fn copy_checked(to: Text, from: Constant, room: usize, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        super::memory::overflows(size_of_text(from), room);
        copy(to, from, site)
    }
}

unsafe extern "C-unwind" fn copy_up_to(to: Text, from: Constant, size: usize, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        reads(LibraryFunction::STRCPY, from.cast(), size_up_to(from, size), site);
        writes(LibraryFunction::STRCPY, to.cast(), size, site);
        real::strncpy(to, from, size)
    }
}

unsafe extern "C-unwind" fn append(to: Text, from: Constant, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        let (end, size) = (size_of_text(to) - 1, size_of_text(from));
        reads(LibraryFunction::STRCAT, to.cast(), end + 1, site);
        copies(LibraryFunction::STRCAT, to.add(end).cast(), from.cast(), size, site);
        real::strcat(to, from)
    }
}

unsafe extern "C-unwind" fn append_up_to(to: Text, from: Constant, size: usize, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        let (end, read) = (size_of_text(to) - 1, size_up_to(from, size));
        let copied = real::strnlen(from, size);
        reads(LibraryFunction::STRCAT, to.cast(), end + 1, site);
        reads(LibraryFunction::STRCAT, from.cast(), read, site);
        writes(LibraryFunction::STRCAT, to.add(end).cast(), copied + 1, site);
        real::strncat(to, from, size)
    }
}

/// How far two texts were read when they were compared: up to the first difference or the end.
///
/// # Safety
///
/// They are texts, up to so many bytes.
unsafe fn compared(one: Constant, other: Constant, most: usize, same: fn(u8, u8) -> bool) -> usize {
    for index in 0..most {
        // SAFETY: neither has ended before.
        let (left, right) =
            unsafe { (one.cast::<u8>().add(index).read(), other.cast::<u8>().add(index).read()) };
        if !same(left, right) || left == 0 {
            return index + 1;
        }
    }
    most
}

fn exactly(one: u8, other: u8) -> bool {
    one == other
}

fn compares(one: Constant, other: Constant, size: usize, site: u64) {
    reads(LibraryFunction::STRCMP, one.cast(), size, site);
    reads(LibraryFunction::STRCMP, other.cast(), size, site);
}

unsafe extern "C-unwind" fn compare(one: Constant, other: Constant, site: u64) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        compares(one, other, compared(one, other, usize::MAX, exactly), site);
        real::strcmp(one, other)
    }
}

unsafe extern "C-unwind" fn compare_up_to(
    one: Constant,
    other: Constant,
    size: usize,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        compares(one, other, compared(one, other, size, exactly), site);
        real::strncmp(one, other, size)
    }
}

fn ignoring_case(one: u8, other: u8) -> bool {
    one.eq_ignore_ascii_case(&other)
}

unsafe extern "C-unwind" fn compare_letters(one: Constant, other: Constant, site: u64) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        compares(one, other, compared(one, other, usize::MAX, ignoring_case), site);
        real::strcasecmp(one, other)
    }
}

unsafe extern "C-unwind" fn compare_letters_up_to(
    one: Constant,
    other: Constant,
    size: usize,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        compares(one, other, compared(one, other, size, ignoring_case), site);
        real::strncasecmp(one, other, size)
    }
}

unsafe extern "C-unwind" fn find(text: Constant, value: c_int, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        let found = real::strchr(text, value);
        let read =
            if found.is_null() { size_of_text(text) } else { found as usize - text as usize + 1 };
        reads(LibraryFunction::STRCHR, text.cast(), read, site);
        found
    }
}

unsafe extern "C-unwind" fn find_last(text: Constant, value: c_int, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        reads(LibraryFunction::STRCHR, text.cast(), size_of_text(text), site);
        real::strrchr(text, value)
    }
}

unsafe extern "C-unwind" fn find_text(text: Constant, part: Constant, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        let found = real::strstr(text, part);
        let part_size = size_of_text(part);
        let read = if found.is_null() {
            size_of_text(text)
        } else {
            found as usize - text as usize + part_size - 1
        };
        reads(LibraryFunction::STRSTR, text.cast(), read, site);
        reads(LibraryFunction::STRSTR, part.cast(), part_size, site);
        found
    }
}

unsafe extern "C-unwind" fn duplicate(text: Constant, site: u64) -> Text {
    // SAFETY: the same contract. The C library's own asks `malloc`, and so comes to us.
    unsafe {
        reads(LibraryFunction::STRDUP, text.cast(), size_of_text(text), site);
        real::strdup(text)
    }
}

unsafe extern "C-unwind" fn duplicate_up_to(text: Constant, size: usize, site: u64) -> Text {
    // SAFETY: the same contract.
    unsafe {
        reads(LibraryFunction::STRDUP, text.cast(), size_up_to(text, size), site);
        real::strndup(text, size)
    }
}

with_site! {
    strlen, "rsi" => length;
    strnlen, "rdx" => length_up_to;
    strcpy, "rdx" => copy;
    __strcpy_chk, "rcx" => copy_checked;
    stpcpy, "rdx" => copy_to_end;
    strncpy, "rcx" => copy_up_to;
    strcat, "rdx" => append;
    strncat, "rcx" => append_up_to;
    strcmp, "rdx" => compare;
    strncmp, "rcx" => compare_up_to;
    strcasecmp, "rdx" => compare_letters;
    strncasecmp, "rcx" => compare_letters_up_to;
    strchr, "rdx" => find;
    strrchr, "rdx" => find_last;
    strstr, "rdx" => find_text;
    strdup, "rsi" => duplicate;
    strndup, "rdx" => duplicate_up_to;
}
