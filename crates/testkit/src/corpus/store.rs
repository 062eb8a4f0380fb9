//! What was computed before, found again by what it was computed from.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// A folder of results.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// Everything that a result depends on, as one hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// `kind` keeps results of different kinds apart. Each part is preceded by its length, so that no two
    /// lists of parts run together into the same bytes.
    pub(crate) fn new<'a>(kind: &'a str, parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut digest = Sha256::new();
        for part in std::iter::once(kind.as_bytes()).chain(parts) {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        Self(hex(&digest.finalize()))
    }
}

/// The hash of some bytes, as text.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Store {
    /// The store in that folder, which is made when the first result comes.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// A result, if it is there.
    pub(crate) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        fs::read(self.path(key)).ok()
    }

    /// Keeps a result. It appears by a rename, so that an interrupted run leaves no half of one.
    pub(crate) fn put(&self, key: &Key, content: &[u8]) -> io::Result<()> {
        let path = self.path(key);
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let draft = tempfile::NamedTempFile::new_in(folder)?;
        fs::write(draft.path(), content)?;
        draft.persist(&path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Where a result is or would be.
    pub(crate) fn path(&self, key: &Key) -> PathBuf {
        let (shelf, name) = key.0.split_at(2);
        self.folder.join(shelf).join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_found_again_only_under_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("store"));
        let key = |parts: &[&str]| Key::new("test", parts.iter().map(|part| part.as_bytes()));
        assert_eq!(store.get(&key(&["a"])), None);
        store.put(&key(&["a"]), b"result").unwrap();
        assert_eq!(store.get(&key(&["a"])).as_deref(), Some(&b"result"[..]));
        assert_eq!(store.get(&key(&["b"])), None);
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    }
}
