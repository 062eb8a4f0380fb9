//! Files mapped for reading.

use std::ffi::CStr;

/// A file in memory. Only the parts that are looked at are read.
pub(crate) struct MappedFile {
    address: *mut libc::c_void,
    length: usize,
}

impl MappedFile {
    /// Maps a file; nothing when it cannot be opened, is empty, or is no plain file.
    pub(crate) fn open(path: &CStr) -> Option<MappedFile> {
        // SAFETY: the path is a C string.
        let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if file < 0 {
            return None;
        }
        let mapped = MappedFile::map(file);
        // SAFETY: the descriptor was opened above; a mapping does not need it any more.
        unsafe { libc::close(file) };
        mapped
    }

    fn map(file: libc::c_int) -> Option<MappedFile> {
        // SAFETY: `stat` consists of numbers, for which zero is a value.
        let mut status: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open, and `status` is a place for the answer.
        let failed = unsafe { libc::fstat(file, &raw mut status) } != 0;
        if failed || status.st_mode & libc::S_IFMT != libc::S_IFREG {
            return None;
        }
        let length = usize::try_from(status.st_size).ok().filter(|length| *length > 0)?;
        // SAFETY: a new mapping at an address that the system chooses.
        let address = unsafe {
            libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file, 0)
        };
        (address != libc::MAP_FAILED).then_some(MappedFile { address, length })
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is this long and lives as long as `self`. The dynamic linker has just
        // mapped the same file as code, so a file that changes now breaks the program anyway.
        unsafe { std::slice::from_raw_parts(self.address.cast(), self.length) }
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `map` and is given back once.
        unsafe { libc::munmap(self.address, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_mapped_whole() {
        let file = MappedFile::open(c"/proc/self/exe").expect("the file of this program");
        let read = std::fs::read("/proc/self/exe").expect("the same file");
        assert!(file.bytes() == read);
    }

    #[test]
    fn what_is_no_plain_file_is_refused() {
        assert!(MappedFile::open(c"/proc/self").is_none());
        assert!(MappedFile::open(c"/dev/null").is_none());
        assert!(MappedFile::open(c"/does/not/exist").is_none());
    }
}
