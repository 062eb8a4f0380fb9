//! Programs that carry clang's runtime in themselves.
//!
//! Their code calls it directly, so that no preloaded library comes in between. But its functions are exported: each gets a
//! jump at its start, to ours, or to the C library's where we have none. That happens before the runtime's first
//! instruction, so it is never woken.

use std::ffi::CStr;

use crate::file_symbols;
use crate::linker::{self, Symbols};
use crate::system::{self, complain};

/// A jump with a distance of 32 bits.
const JUMP: usize = 5;
/// A jump to any address: `jmp [rip]`, and the address.
const FAR_JUMP: usize = 14;
/// A page.
const PAGE: usize = 4096;

/// Redirects the runtime of the program, if it has one.
///
/// # Safety
///
/// There is one thread, and no code of the program has run.
pub(crate) unsafe fn take_over_program() {
    let Some(program) = Symbols::of_program() else { return };
    if program.function(c"__tsan_init").is_none() {
        return;
    }
    let Some(own) = Symbols::own() else { return };
    let both = Both { program, own };
    let mut redirected: Vec<(usize, usize)> = program
        .functions()
        .filter_map(|(name, address, _)| Some((address, both.target(name, address)?)))
        .collect();
    if program.function(GUARDS[0]).is_none() {
        both.add_guards(&mut redirected);
    }
    let Some(first) = redirected.iter().map(|(from, _)| *from).min() else { return };
    let last = redirected.iter().map(|(from, _)| *from).max().unwrap_or(first);
    let pages = first & !(PAGE - 1)..(last + JUMP).next_multiple_of(PAGE);
    let Some(mut islands) = Islands::near(&program, redirected.len() * FAR_JUMP) else { return };
    // All of the runtime's functions are in the program's code, which is one piece.
    if !protect(&pages, libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) {
        complain("warpsan: the program's code cannot be changed, so it is not checked\n");
        return;
    }
    for (from, to) in redirected {
        // SAFETY: the function is the runtime's, and nobody is in it.
        unsafe { islands.redirect(from, to) };
    }
    protect(&pages, libc::PROT_READ | libc::PROT_EXEC);
    islands.close();
}

/// The symbols of the program, and ours.
struct Both {
    program: Symbols,
    own: Symbols,
}

impl Both {
    /// Where a function of the program has to lead; none if it is not the runtime's.
    fn target(&self, name: &CStr, address: usize) -> Option<usize> {
        let bytes = name.to_bytes();
        let of_interceptor = |prefix: &[u8]| bytes.strip_prefix(prefix);
        // Longer first: what begins with three underscores begins with two as well.
        let wrapped =
            of_interceptor(b"___interceptor_").or_else(|| of_interceptor(b"__interceptor_"));
        if let Some(plain) = wrapped {
            let plain = c_name(plain)?;
            return self.replacement(plain.as_c_str());
        }
        if bytes.starts_with(b"__tsan_") || bytes.starts_with(b"Annotate") {
            return self.own.function(name);
        }
        let has_no_interceptor = WITHOUT_INTERCEPTOR.contains(&name) || GUARDS.contains(&name);
        if has_no_interceptor || is_operator(bytes) {
            return self.replacement(name);
        }
        // A plain name is the runtime's if it is another one for an interceptor.
        let is_alias = [&b"__interceptor_"[..], b"___interceptor_"].iter().any(|prefix| {
            let interceptor = c_name_of(&[prefix, bytes]);
            interceptor
                .is_some_and(|other| self.program.function(other.as_c_str()) == Some(address))
        });
        if is_alias {
            return self.replacement(name);
        }
        // From clang 17 on, plain names are trampolines of their own.
        let has_interceptor = c_name_of(&[b"___interceptor_", bytes])
            .is_some_and(|other| self.program.function(other.as_c_str()).is_some());
        has_interceptor.then(|| self.replacement(name)).flatten()
    }

    /// The guards of a program that has the C++ library in it, and so does not export them.
    fn add_guards(&self, redirected: &mut Vec<(usize, usize)>) {
        file_symbols::for_each(c"/proc/self/exe", |name, value| {
            let ours = GUARDS.contains(&name).then(|| self.own.function(name)).flatten();
            redirected.extend(ours.map(|ours| (self.program.bias() + value, ours)));
        });
    }

    /// Ours, or else that of a library.
    fn replacement(&self, name: &CStr) -> Option<usize> {
        self.own.function(name).or_else(|| linker::function_behind(name))
    }
}

/// Functions of the runtime under their plain names alone.
const WITHOUT_INTERCEPTOR: [&CStr; 4] = [c"setjmp", c"_setjmp", c"sigsetjmp", c"__sigsetjmp"];

/// Guards of variables that are initialised once. They are exported where the C++ library is a shared object.
const GUARDS: [&CStr; 3] = [c"__cxa_guard_acquire", c"__cxa_guard_release", c"__cxa_guard_abort"];

/// `operator new` and `operator delete`, which the runtime defines.
fn is_operator(name: &[u8]) -> bool {
    [&b"_Znw"[..], b"_Zna", b"_Zdl", b"_Zda"].iter().any(|prefix| name.starts_with(prefix))
}

/// A name in memory of its own: nothing can be allocated from the program's heap here, and ours needs no start.
struct Name([u8; 256]);

impl Name {
    fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}

fn c_name(bytes: &[u8]) -> Option<Name> {
    c_name_of(&[bytes])
}

fn c_name_of(parts: &[&[u8]]) -> Option<Name> {
    let mut name = Name([0; 256]);
    let mut length = 0;
    for byte in parts.iter().copied().flatten() {
        *name.0.get_mut(length)? = *byte;
        length += 1;
    }
    (length < name.0.len()).then_some(name)
}

/// Memory within reach of short jumps, with a far jump for each function.
struct Islands {
    next: usize,
    end: usize,
    start: usize,
}

impl Islands {
    /// Looks for room close to the program, on either side.
    fn near(program: &Symbols, bytes: usize) -> Option<Islands> {
        const STEP: usize = 1 << 21;
        const REACH: usize = 1 << 30;
        let bytes = bytes.next_multiple_of(PAGE).max(PAGE);
        let middle = program.base() & !(STEP - 1);
        let tries = (1..REACH / STEP)
            .flat_map(|step| [middle.checked_sub(step * STEP), middle.checked_add(step * STEP)]);
        tries.flatten().find_map(|address| {
            let start = map_at(address, bytes)?;
            Some(Islands { next: start, end: start + bytes, start })
        })
    }

    /// Makes a function jump to another one.
    ///
    /// # Safety
    ///
    /// `from` is a function of at least [`JUMP`] bytes, or followed by bytes that nobody executes; no thread is in it.
    unsafe fn redirect(&mut self, from: usize, to: usize) {
        if from == to || self.next + FAR_JUMP > self.end {
            return;
        }
        let island = self.next;
        self.next += FAR_JUMP;
        let distance = island.wrapping_sub(from + JUMP) as isize;
        let Ok(distance) = i32::try_from(distance) else { return };
        // SAFETY: the island is ours; the function's pages are writable.
        unsafe {
            write(island, &[0xff, 0x25, 0, 0, 0, 0]);
            write(island + 6, &to.to_le_bytes());
            write(from, &[0xe9]);
            write(from + 1, &distance.to_le_bytes());
        }
    }

    fn close(self) {
        protect(&(self.start..self.end), libc::PROT_READ | libc::PROT_EXEC);
    }
}

/// Bytes one by one: a loop that is a call of `memcpy` would call what is being changed.
///
/// # Safety
///
/// The memory is writable.
unsafe fn write(address: usize, bytes: &[u8]) {
    for (index, byte) in bytes.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { ((address + index) as *mut u8).write_volatile(*byte) };
    }
}

fn map_at(address: usize, bytes: usize) -> Option<usize> {
    const FIXED_NOREPLACE: usize = 0x10_0000;
    let rights = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as usize | FIXED_NOREPLACE;
    // SAFETY: it takes no addresses that are in use.
    let found =
        unsafe { system::call(libc::SYS_mmap, [address, bytes, rights, flags, usize::MAX, 0]) };
    (found == address as isize).then_some(address)
}

fn protect(pages: &std::ops::Range<usize>, rights: i32) -> bool {
    let bytes = pages.end - pages.start;
    // SAFETY: the pages are of the program's code, or of our islands.
    unsafe { system::call(libc::SYS_mprotect, [pages.start, bytes, rights as usize, 0, 0, 0]) == 0 }
}
