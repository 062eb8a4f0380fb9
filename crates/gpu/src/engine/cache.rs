//! Files of the cache: how they are named, and how they are written.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// The name of a file, for what it is made of.
pub(super) fn name_of(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut name = String::new();
    for byte in &hash.finalize()[..20] {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// Keeps something in a file; whoever looks sees all of it or nothing.
pub(super) fn keep(file: &Path, bytes: &[u8]) {
    let Some(folder) = file.parent() else { return };
    let kept = std::fs::create_dir_all(folder).and_then(|()| {
        let mut new = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
        new.write_all(bytes)?;
        new.persist(file)?;
        Ok(())
    });
    if let Err(error) = kept {
        tracing::debug!("nothing can be kept in {}: {error}", folder.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_with_what_kernels_are_made_of() {
        let name = name_of(&[b"ab", b"c"]);
        assert_eq!(name, name_of(&[b"ab", b"c"]));
        assert_ne!(name, name_of(&[b"a", b"bc"]));
        assert_eq!(name.len(), 40);
    }
}
