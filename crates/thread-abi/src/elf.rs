//! The header of a file of code, as it lies in memory.

use std::ops::Range;

/// Bytes of a page.
pub(crate) const PAGE: u64 = 4096;

/// The addresses that a file itself gives to what is mapped of it, up to the end of its variables, some of which have no place in the
/// file. None where it is no such file.
///
/// # Safety
///
/// The first page of a file is mapped there.
pub(crate) unsafe fn addresses(start: u64) -> Range<u64> {
    const PROGRAM_HEADERS: usize = 32;
    const HEADER_SIZE: usize = 54;
    const LOAD: u32 = 1;
    let mut addresses = 0..0;
    let start = start as *const u8;
    // SAFETY: a page is mapped there, and only numbers within it are read.
    unsafe {
        if start.cast::<u32>().read() != u32::from_ne_bytes(*b"\x7fELF") {
            return addresses;
        }
        let table = start.add(PROGRAM_HEADERS).cast::<u64>().read() as usize;
        let size = usize::from(start.add(HEADER_SIZE).cast::<u16>().read());
        let count = usize::from(start.add(HEADER_SIZE + 2).cast::<u16>().read());
        for header in (0..count).map(|index| table + index * size) {
            if header + 48 > PAGE as usize
                || start.add(header).cast::<u32>().read_unaligned() != LOAD
            {
                continue;
            }
            let word = |at: usize| start.add(header + at).cast::<u64>().read_unaligned();
            let (offset, address, in_memory) = (word(8), word(16), word(40));
            if offset == 0 {
                addresses.start = address & !(PAGE - 1);
            }
            addresses.end = addresses.end.max(address + in_memory);
        }
    }
    addresses
}
