//! Functions that print into memory. What they read besides the format is not looked at.

use std::arch::naked_asm;
use std::ffi::{c_char, c_int, c_void};

use super::memory::{reads, writes};
use crate::function::LibraryFunction;
use crate::linker::behind;
use crate::site::with_site;

type Text = *mut c_char;
type Format = *const c_char;
/// A `va_list`, which is passed by its address.
type Arguments = *mut c_void;

mod real {
    use super::*;
    behind! {
        fn vsnprintf(into: Text, size: usize, format: Format, arguments: Arguments) -> c_int;
        fn vsprintf(into: Text, format: Format, arguments: Arguments) -> c_int;
        fn __vsnprintf_chk(into: Text, size: usize, flag: c_int, room: usize, format: Format, arguments: Arguments) -> c_int;
        fn __vsprintf_chk(into: Text, flag: c_int, room: usize, format: Format, arguments: Arguments) -> c_int;
    }
}

/// A format was printed, of which so many bytes have found room.
///
/// # Safety
///
/// The format is a text.
unsafe fn printed(
    function: LibraryFunction,
    into: Text,
    result: c_int,
    size: usize,
    format: Format,
    site: u64,
) {
    // SAFETY: the caller's promise.
    reads(function, format.cast(), unsafe { libc::strlen(format) } + 1, site);
    if let Ok(length) = usize::try_from(result) {
        writes(function, into.cast(), (length + 1).min(size), site);
    }
}

unsafe extern "C-unwind" fn print_some(
    into: Text,
    size: usize,
    format: Format,
    arguments: Arguments,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let result = real::vsnprintf(into, size, format, arguments);
        printed(LibraryFunction::SNPRINTF, into, result, size, format, site);
        result
    }
}

unsafe extern "C-unwind" fn print_all(
    into: Text,
    format: Format,
    arguments: Arguments,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let result = real::vsprintf(into, format, arguments);
        printed(LibraryFunction::SPRINTF, into, result, usize::MAX, format, site);
        result
    }
}

unsafe extern "C-unwind" fn print_all_checked(
    into: Text,
    flag: c_int,
    room: usize,
    format: Format,
    arguments: Arguments,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let result = real::__vsprintf_chk(into, flag, room, format, arguments);
        printed(LibraryFunction::SPRINTF, into, result, usize::MAX, format, site);
        result
    }
}

/// It has six arguments, so that its place is the seventh, on the stack.
unsafe extern "C-unwind" fn print_some_checked(
    into: Text,
    size: usize,
    flag: c_int,
    room: usize,
    format: Format,
    arguments: Arguments,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let result = real::__vsnprintf_chk(into, size, flag, room, format, arguments);
        printed(LibraryFunction::SNPRINTF, into, result, size, format, site);
        result
    }
}

with_site! {
    vsnprintf, "r8" => print_some;
    vsprintf, "rcx" => print_all;
    __vsprintf_chk, "r9" => print_all_checked;
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __vsnprintf_chk() {
    naked_asm!("push qword ptr [rsp]", "call {inner}", "pop rcx", "ret", inner = sym print_some_checked)
}

/// Functions with a variable number of arguments. `name, taken, list, site => inner`: `taken` is the size of the fixed arguments in registers,
/// `list` the register that gets the `va_list` behind them, and `site` what puts the return address where `inner` expects it. The
/// `va_list` is made as the System V ABI for AMD64 says: offsets of the next argument in the area with saved registers, the arguments on
/// the stack, and that area.
macro_rules! with_list {
    ($($name:ident, $taken:literal, $list:literal, $site:literal => $inner:path;)*) => {$(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name() {
            naked_asm!(
                "sub rsp, 0xe8",
                "mov [rsp + 0x30], rdi",
                "mov [rsp + 0x38], rsi",
                "mov [rsp + 0x40], rdx",
                "mov [rsp + 0x48], rcx",
                "mov [rsp + 0x50], r8",
                "mov [rsp + 0x58], r9",
                "test al, al",
                "je 2f",
                "movaps [rsp + 0x60], xmm0",
                "movaps [rsp + 0x70], xmm1",
                "movaps [rsp + 0x80], xmm2",
                "movaps [rsp + 0x90], xmm3",
                "movaps [rsp + 0xa0], xmm4",
                "movaps [rsp + 0xb0], xmm5",
                "movaps [rsp + 0xc0], xmm6",
                "movaps [rsp + 0xd0], xmm7",
                "2:",
                concat!("mov dword ptr [rsp + 0x10], ", $taken),
                "mov dword ptr [rsp + 0x14], 0x30",
                "lea rax, [rsp + 0xf0]",
                "mov [rsp + 0x18], rax",
                "lea rax, [rsp + 0x30]",
                "mov [rsp + 0x20], rax",
                "mov rax, [rsp + 0xe8]",
                $site,
                concat!("lea ", $list, ", [rsp + 0x10]"),
                "call {inner}",
                "add rsp, 0xe8",
                "ret",
                inner = sym $inner,
            )
        }
    )*};
}

with_list! {
    snprintf, "24", "rcx", "mov r8, rax" => print_some;
    sprintf, "16", "rdx", "mov rcx, rax" => print_all;
    __sprintf_chk, "32", "r8", "mov r9, rax" => print_all_checked;
    __snprintf_chk, "40", "r9", "mov [rsp], rax" => print_some_checked;
}
