//! The bytes of a file, mapped where that is possible: a library of hundreds of megabytes is listed
//! by looking at a few of its pages.

use crate::bounded_file;
use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

pub(super) enum Bytes {
    Mapped(Mmap),
    Read(Vec<u8>),
}

pub(super) fn open(path: &Path) -> io::Result<Bytes> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if metadata.is_file() && metadata.len() > 0 {
        // SAFETY: The mapping is private and only read. A file that another program changes or cuts
        // off in the very moment that it is listed is beyond what any reader can defend against;
        // nothing is kept of it after the command, which is short.
        return Ok(Bytes::Mapped(unsafe { Mmap::map(&file)? }));
    }
    Ok(Bytes::Read(bounded_file::read_all(file, bounded_file::MOST_CODE_BYTES)?))
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Read(bytes) => bytes,
        }
    }
}
