//! Functions that a file has and does not export, by the table that `strip` removes.

use std::ffi::CStr;
use std::ops::Range;

use crate::system;

/// Calls a function with the name and the address, as the file counts, of each function of a file.
pub(crate) fn for_each(path: &CStr, mut use_function: impl FnMut(&CStr, usize)) {
    let Some(file) = Mapped::open(path) else { return };
    let bytes = file.bytes();
    let _ = read(bytes, &mut use_function);
}

const SECTION_TABLE: usize = 40;
const SECTION_COUNT: usize = 60;
const SECTION: usize = 64;
const SYMBOLS: u32 = 2;
const SYMBOL: usize = 24;
const FUNCTION: u8 = 2;

fn read(bytes: &[u8], use_function: &mut impl FnMut(&CStr, usize)) -> Option<()> {
    if bytes.get(..4)? != b"\x7fELF" {
        return None;
    }
    let table = number::<8>(bytes, SECTION_TABLE)?;
    let count = number::<2>(bytes, SECTION_COUNT)?;
    let header = |index: usize| bytes.get(table.checked_add(index * SECTION)?..);
    let content = |header: &[u8]| -> Option<Range<usize>> {
        let start = number::<8>(header, 24)?;
        Some(start..start.checked_add(number::<8>(header, 32)?)?)
    };
    let is_symbols = |header: &&[u8]| number::<4>(header, 4) == Some(SYMBOLS as usize);
    let symbols = (0..count).filter_map(header).find(is_symbols)?;
    let names = bytes.get(content(header(number::<4>(symbols, 40)?)?)?)?;
    for symbol in bytes.get(content(symbols)?)?.chunks_exact(SYMBOL) {
        let is_defined = number::<2>(symbol, 6)? != 0;
        if symbol[4] & 0xf == FUNCTION && is_defined {
            let name = names.get(number::<4>(symbol, 0)?..)?;
            use_function(CStr::from_bytes_until_nul(name).ok()?, number::<8>(symbol, 8)?);
        }
    }
    Some(())
}

fn number<const SIZE: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(SIZE)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// A file in memory.
struct Mapped {
    start: *mut u8,
    size: usize,
}

impl Mapped {
    fn open(path: &CStr) -> Option<Mapped> {
        let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as usize;
        // SAFETY: the path is a text; the descriptor is closed below; a new mapping touches nothing that is there.
        unsafe {
            let file = system::call(libc::SYS_open, [path.as_ptr() as usize, flags, 0, 0, 0, 0]);
            let file = usize::try_from(file).ok()?;
            let size = system::call(libc::SYS_lseek, [file, 0, libc::SEEK_END as usize, 0, 0, 0]);
            let (read, private) = (libc::PROT_READ as usize, libc::MAP_PRIVATE as usize);
            let size = usize::try_from(size).unwrap_or(0);
            let start = system::call(libc::SYS_mmap, [0, size, read, private, file, 0]);
            system::call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
            (start > 0 && size > 0).then_some(Mapped { start: start as *mut u8, size })
        }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped, and nobody changes a program that runs.
        unsafe { std::slice::from_raw_parts(self.start, self.size) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: `open` has mapped it.
        unsafe { system::unmap(self.start, self.size) };
    }
}
