//! Which file an address belongs to.
//!
//! The list is read from `/proc/thread-self/maps` when it is needed: it needs no lock of the dynamic linker, which the thread may hold. (`/proc/self` is the main thread's, and empty after its end.) What
//! was seen once stays known, so that code of a library that was closed still has a name.

use std::sync::Mutex;

use warpsan_thread_report::StackFrame;
use warpsan_thread_trace::Module;

use crate::elf;
use crate::lock::locked;
use crate::system;

static MODULES: Mutex<Vec<Module>> = Mutex::new(Vec::new());

/// The file of the program.
pub(crate) fn program() -> String {
    std::fs::read_link("/proc/thread-self/exe")
        .map(|path| path.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Reads which files are mapped now.
pub(crate) fn look_again() {
    let mapped = read_maps();
    let mut modules = locked(&MODULES);
    // What lies where something else is mapped now is gone; the rest may have been closed, and is still worth its name.
    modules.retain(|old| mapped.iter().all(|new| new.end <= old.start || old.end <= new.start));
    modules.extend(mapped);
}

/// The file that is mapped at an address, as far as it is known.
fn known_around(address: u64) -> Option<Module> {
    let modules = locked(&MODULES);
    modules.iter().find(|module| (module.start..module.end).contains(&address)).cloned()
}

/// The file that is mapped at an address.
pub(crate) fn around(address: u64) -> Option<Module> {
    known_around(address).or_else(|| {
        look_again();
        known_around(address)
    })
}

/// The place of an address in a file.
pub(crate) fn place(address: u64) -> Option<(String, u64)> {
    let module = known_around(address)?;
    let offset = address.wrapping_sub(module.bias);
    Some((module.path, offset))
}

/// The frame of a return address: the byte before it is of the call.
pub(crate) fn frame(return_address: u64) -> StackFrame {
    let address = return_address.saturating_sub(1);
    match place(address) {
        Some((module, offset)) => StackFrame { module, offset },
        None => StackFrame { module: String::new(), offset: address },
    }
}

fn read_maps() -> Vec<Module> {
    let text = read_file(c"/proc/thread-self/maps").unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut modules: Vec<Module> = Vec::new();
    for line in text.lines() {
        let Some(mapping) = Mapping::of(line) else { continue };
        match modules.last_mut().filter(|last| last.path == mapping.path) {
            Some(last) => last.end = last.end.max(mapping.end),
            None => {
                let has_header = mapping.offset == 0 && mapping.readable;
                let addresses = match has_header && mapping.end - mapping.start >= elf::PAGE {
                    // SAFETY: a page of the file is mapped there.
                    true => unsafe { elf::addresses(mapping.start) },
                    false => mapping.offset..mapping.offset,
                };
                let bias = mapping.start.wrapping_sub(addresses.start);
                modules.push(Module {
                    start: mapping.start,
                    end: mapping.end.max(bias.wrapping_add(addresses.end)),
                    path: mapping.path.to_string(),
                    bias,
                });
            }
        }
    }
    modules
}

struct Mapping<'a> {
    start: u64,
    end: u64,
    offset: u64,
    readable: bool,
    path: &'a str,
}

impl Mapping<'_> {
    /// A line of a file's mapping: `start-end rights offset device inode path`.
    fn of(line: &str) -> Option<Mapping<'_>> {
        let path = &line[line.find('/')?..];
        let path = path.strip_suffix(" (deleted)").unwrap_or(path);
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let rights = words.next()?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        Some(Mapping {
            start: number(start)?,
            end: number(end)?,
            offset: number(words.next()?)?,
            readable: rights.starts_with('r'),
            path,
        })
    }
}

/// A whole file, past the C library.
pub(crate) fn read_file(path: &std::ffi::CStr) -> Option<Vec<u8>> {
    let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as usize;
    // SAFETY: the path is a text that lives.
    let file = unsafe { system::call(libc::SYS_open, [path.as_ptr() as usize, flags, 0, 0, 0, 0]) };
    let file = usize::try_from(file).ok()?;
    let mut bytes = Vec::new();
    let mut piece = [0_u8; 4096];
    loop {
        let into = [file, piece.as_mut_ptr() as usize, piece.len(), 0, 0, 0];
        // SAFETY: there is room for so many bytes.
        let read = unsafe { system::call(libc::SYS_read, into) };
        match usize::try_from(read) {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => break,
        }
    }
    // SAFETY: it was opened above.
    unsafe { system::call(libc::SYS_close, [file, 0, 0, 0, 0, 0]) };
    Some(bytes)
}
