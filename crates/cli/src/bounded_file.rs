//! Files that are read whole: with a bound, since a name may be that of a device that never ends.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most that code may have: offsets in it are numbers of 32 bits, and a tree takes many times the memory of its text.
pub(crate) const MOST_CODE_BYTES: u64 = 1 << 30;
/// The most that a list written by hand may have.
pub(crate) const MOST_LIST_BYTES: u64 = 1 << 20;

/// The bytes of a file, if they are not more than `most`.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?, most)
}

/// What is left of an open file, if that is not more than `most`.
pub(crate) fn read_all(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let what = format!("it has more than {} MiB, and no more is read", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

/// The text of a file, if it is not more than `most` bytes.
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let what = format!("it is not text: byte {at} of it is not UTF-8");
        io::Error::new(io::ErrorKind::InvalidData, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_never_ends_is_refused() {
        let error = read(Path::new("/dev/zero"), MOST_LIST_BYTES).unwrap_err().to_string();
        assert!(error.contains("more than 1 MiB"), "{error}");
    }

    #[test]
    fn a_file_up_to_the_bound_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read_text(&file, 5).unwrap(), "12345");
        assert!(read(&file, 4).is_err());
        std::fs::write(&file, b"12\xff").unwrap();
        assert!(read_text(&file, 5).unwrap_err().to_string().contains("byte 2"));
    }
}
