//! Device memory as one part of a launch sees it while other parts run: what others write is not
//! seen, and what it writes is kept apart until it is put in place.
//!
//! The pages are those of device memory, mapped once more so that a write makes a copy of the page.
//! Which bytes are written is noted, byte by byte: what two parts write to neighbouring bytes both
//! counts, and of what they write to the same place the later one's stays whole.

use super::space::{DEVICE_BASE, DEVICE_BYTES, MemoryError, PAGE, map};
use std::os::fd::OwnedFd;
use std::ptr::NonNull;

/// As many views as can be used at a time (`ROUND` of `parallel.rs`).
const MOST: usize = 16;

/// A private mapping of device memory, and what is known of the writes to it.
#[derive(Debug)]
pub(crate) struct PrivateMemory {
    base: NonNull<u8>,
    written: WrittenPages,
}

// SAFETY: the mapping belongs to this value alone; nothing is tied to a thread.
unsafe impl Send for PrivateMemory {}

impl PrivateMemory {
    /// A view for each core, or as many as the system allows, but one at least.
    pub(super) fn several_of(file: &OwnedFd) -> Result<Vec<PrivateMemory>, MemoryError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from).min(MOST);
        let mut views = vec![Self::of(file)?];
        views.extend((1..cores).map_while(|_| Self::of(file).ok()));
        Ok(views)
    }

    /// A private mapping of the file that is device memory.
    fn of(file: &OwnedFd) -> Result<PrivateMemory, MemoryError> {
        let both = libc::PROT_READ | libc::PROT_WRITE;
        match map(std::ptr::null_mut(), both, libc::MAP_PRIVATE, file) {
            Some(base) => Ok(PrivateMemory { base, written: WrittenPages::new() }),
            None => Err(MemoryError::Mapping(format!(
                "a private view: {}",
                std::io::Error::last_os_error()
            ))),
        }
    }

    /// Where the mapping begins.
    pub(super) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Where writes are noted. Whoever runs takes it along and brings it back.
    pub(crate) fn take_written(&mut self) -> WrittenPages {
        std::mem::take(&mut self.written)
    }

    /// What was written, and the view as if nothing had been.
    pub(crate) fn take_changes(
        &mut self,
        mut written: WrittenPages,
        mut changes: Changes,
    ) -> Changes {
        changes.pages.clear();
        changes.contents.clear();
        for (page, bytes) in written.pages.iter().zip(written.bytes.chunks_exact(PAGE as usize)) {
            let page = u64::from(*page) * PAGE;
            // SAFETY: the page is inside the mapping, which nobody writes to now.
            let now = unsafe {
                std::slice::from_raw_parts(self.base.as_ptr().add(page as usize), PAGE as usize)
            };
            changes.pages.push(DEVICE_BASE + page);
            changes.contents.extend_from_slice(now);
            changes.contents.extend_from_slice(bytes);
        }
        drop_pages(self.base, written.pages.clone());
        written.clear();
        self.written = written;
        changes
    }
}

/// A view of device memory for somebody outside of the engine; see [`DeviceMemory::take_view`](super::DeviceMemory::take_view).
#[derive(Debug)]
pub struct PrivateView(PrivateMemory);

impl PrivateView {
    pub(super) fn new(memory: PrivateMemory) -> PrivateView {
        PrivateView(memory)
    }

    pub(super) fn into_memory(self) -> PrivateMemory {
        self.0
    }

    pub(crate) fn memory(&self) -> &PrivateMemory {
        &self.0
    }

    /// Forgets what was written to pages of it.
    pub(crate) fn drop_pages(&self, pages: Vec<u32>) {
        drop_pages(self.0.base, pages);
    }
}

/// Drops copies of pages, so that the memory underneath is visible again.
fn drop_pages(base: NonNull<u8>, pages: Vec<u32>) {
    for (first, count) in runs(pages) {
        // SAFETY: the pages are inside of our own mapping.
        unsafe {
            let start = base.as_ptr().add(first as usize * PAGE as usize);
            libc::madvise(start.cast(), count as usize * PAGE as usize, libc::MADV_DONTNEED);
        }
    }
}

/// Pages that follow each other, as first and count.
fn runs(mut pages: Vec<u32>) -> Vec<(u32, u32)> {
    pages.sort_unstable();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for page in pages {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == page => *count += 1,
            _ => runs.push((page, 1)),
        }
    }
    runs
}

impl Drop for PrivateMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing points into it any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), DEVICE_BYTES as usize) };
    }
}

/// The pages that were written to, and where. The default has room for none.
#[derive(Debug, Default)]
pub(crate) struct WrittenPages {
    /// For each page the number of its entry, plus one. Only what is touched takes memory.
    entries: Vec<u32>,
    pages: Vec<u32>,
    /// For each entry a byte of ones for each byte that was written.
    bytes: Vec<u8>,
}

impl WrittenPages {
    fn new() -> WrittenPages {
        let entries = vec![0; (DEVICE_BYTES / PAGE) as usize];
        WrittenPages { entries, pages: Vec::new(), bytes: Vec::new() }
    }

    /// Bytes at a device address are written. They are inside of device memory.
    #[inline(always)]
    pub(crate) fn note(&mut self, address: u64, bytes: u64) {
        let mut at = address - DEVICE_BASE;
        let end = at + bytes;
        while at < end {
            let page = at / PAGE;
            let until = end.min((page + 1) * PAGE);
            let mut entry = self.entries[page as usize];
            if entry == 0 {
                entry = self.add(page);
            }
            let first = (u64::from(entry - 1) * PAGE + at % PAGE) as usize;
            self.bytes[first..first + (until - at) as usize].fill(0xFF);
            at = until;
        }
    }

    #[cold]
    fn add(&mut self, page: u64) -> u32 {
        self.pages.push(page as u32);
        self.bytes.resize(self.pages.len() * PAGE as usize, 0);
        let entry = self.pages.len() as u32;
        self.entries[page as usize] = entry;
        entry
    }

    fn clear(&mut self) {
        for &page in &self.pages {
            self.entries[page as usize] = 0;
        }
        self.pages.clear();
        self.bytes.clear();
    }
}

/// Bytes that a part of a launch wrote.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pages: Vec<u64>,
    /// For each page its content, and then a byte of ones for each byte that was written.
    contents: Vec<u8>,
}

impl Changes {
    /// For each page its address, its content, and a byte of ones for each byte that was written.
    pub(super) fn pages(&self) -> impl Iterator<Item = (u64, &[u8], &[u8])> {
        let contents = self.contents.chunks_exact(2 * PAGE as usize);
        self.pages.iter().zip(contents).map(|(address, page)| {
            let (content, written) = page.split_at(PAGE as usize);
            (*address, content, written)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{AllocationKind, DeviceMemory, MemoryView};

    #[test]
    fn writes_are_kept_apart_until_they_are_put_in_place() {
        let memory = DeviceMemory::reserve().unwrap();
        let at = memory.allocate(3 * PAGE, AllocationKind::Device).unwrap();
        memory.fill(at, 7, 3 * PAGE).unwrap();
        let mut private = memory.private().unwrap();
        let mut written = private.take_written();
        let changes = {
            let view = MemoryView::private(&memory, &private);
            for offset in [10, PAGE + 1, 2 * PAGE + 4] {
                written.note(at.0 + offset, 1);
                // SAFETY: the address is inside of the allocation.
                unsafe { view.pointer(at.0 + offset).write(9) };
            }
            private.take_changes(written, Changes::default())
        };
        let mut bytes = vec![0; 3 * PAGE as usize];
        memory.read(at, &mut bytes).unwrap();
        assert!(bytes.iter().all(|byte| *byte == 7), "nothing is seen yet");
        // What others did in the meantime stays.
        memory.fill(warpsan_model::DeviceAddress(at.0 + 11), 1, 1).unwrap();
        memory.apply(&changes);
        memory.read(at, &mut bytes).unwrap();
        assert_eq!(bytes[10..12], [9, 1]);
        assert_eq!(bytes.iter().filter(|byte| **byte == 9).count(), 3);
        // The view begins anew.
        // SAFETY: the address is inside of the allocation.
        assert_eq!(unsafe { MemoryView::private(&memory, &private).pointer(at.0 + 11).read() }, 1);
    }
}
