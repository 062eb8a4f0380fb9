//! What was compiled before, found again by what it was compiled from.
//!
//! An entry is one file that begins with the checksum of the rest; a program is a file that is named
//! after its own checksum. So an entry that was cut short, overwritten or flipped is noticed, counts as
//! absent, and is compiled again. All files appear by a rename.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use crate::Error;
use crate::environment::CACHE_VARIABLE;

/// A changed first line makes entries of an older layout invisible.
const ENTRY_MAGIC: &str = "warpsan compile cache 1";

/// The folder of compiled files. Without a folder nothing is found and nothing is kept.
#[derive(Clone, Debug)]
pub(crate) struct CompileCache {
    folder: Option<PathBuf>,
}

/// Everything that a result depends on, as one hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

/// A result as it is kept: what the compiler said, and what it made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) log: String,
    pub(crate) payload: String,
}

impl Stored {
    fn encode(&self) -> Vec<u8> {
        let length = (self.log.len() as u64).to_le_bytes();
        [&length[..], self.log.as_bytes(), self.payload.as_bytes()].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (log, payload) = rest.split_at_checked(length)?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        Some(Self { log: text(log)?, payload: text(payload)? })
    }
}

/// Collects what a result depends on. Each part is preceded by its length, so that no two lists of parts
/// run together into the same bytes.
#[derive(Clone)]
pub(crate) struct KeyBuilder(Sha256);

impl Key {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl KeyBuilder {
    /// `purpose` keeps different kinds of results apart.
    pub(crate) fn new(purpose: &str) -> Self {
        let mut builder = Self(Sha256::new());
        builder.add(purpose);
        builder
    }

    pub(crate) fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    pub(crate) fn add_path(&mut self, path: &Path) {
        self.add(path.as_os_str().as_encoded_bytes());
    }

    pub(crate) fn finish(self) -> Key {
        Key(hex(&self.0.finalize()))
    }
}

/// A file's checksum; `None` if it cannot be read.
pub(crate) fn checksum_of_file(path: &Path) -> Option<String> {
    fs::read(path).ok().map(|content| checksum(&content))
}

fn checksum(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl CompileCache {
    pub(crate) fn new(cache_root: Option<PathBuf>) -> Self {
        Self { folder: cache_root.map(|root| root.join("compiled")) }
    }

    /// The entry's content, if it is there and whole.
    pub(crate) fn get(&self, key: &Key) -> Option<Stored> {
        let path = self.entry_path(key)?;
        let file = fs::read(&path).ok()?;
        let stored = entry_content(&file).and_then(Stored::decode);
        if stored.is_none() {
            tracing::warn!(entry = %path.display(), "damaged cache entry, compiling again");
        }
        stored
    }

    /// Keeps an entry. A cache that cannot be written costs time, not the result: it is only logged.
    pub(crate) fn put(&self, key: &Key, stored: &Stored) {
        let Some(path) = self.entry_path(key) else { return };
        let content = stored.encode();
        let mut file = format!("{ENTRY_MAGIC}\n{}\n", checksum(&content)).into_bytes();
        file.extend_from_slice(&content);
        if let Err(error) = write_by_rename(&path, &file) {
            tracing::warn!(%error, "the cache cannot be written; set {CACHE_VARIABLE}");
        }
    }

    /// A new file name in the cache for a program that is being compiled.
    pub(crate) fn temporary_program(&self) -> Result<PathBuf, Error> {
        let folder = self.folder.as_ref().ok_or(Error::NoCacheFolder)?.join("programs");
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        Ok(folder.join(unique_name()))
    }

    /// Moves a compiled program to its place and returns its checksum and path. Each checksum has a
    /// folder, in which the program keeps a name that its author recognises.
    pub(crate) fn keep_program(
        &self,
        compiled: &Path,
        name: &str,
    ) -> Result<(String, PathBuf), Error> {
        let content = fs::read(compiled).map_err(Error::io("read", compiled))?;
        let sum = checksum(&content);
        let path = self.program_path(&sum, name).ok_or(Error::NoCacheFolder)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        }
        fs::rename(compiled, &path).map_err(Error::io("write", &path))?;
        Ok((sum, path))
    }

    /// The program with that checksum, if it is there and whole.
    pub(crate) fn get_program(&self, sum: &str, name: &str) -> Option<PathBuf> {
        let path = self.program_path(sum, name)?;
        let found = checksum_of_file(&path)?;
        if found != sum {
            tracing::warn!(program = %path.display(), "damaged program, compiling again");
            return None;
        }
        Some(path)
    }

    fn program_path(&self, sum: &str, name: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("programs").join(sum).join(name))
    }

    fn entry_path(&self, key: &Key) -> Option<PathBuf> {
        // Two levels, so that no folder grows to many thousands of files.
        let (shelf, name) = key.0.split_at_checked(2)?;
        Some(self.folder.as_ref()?.join("entries").join(shelf).join(name))
    }
}

fn entry_content(file: &[u8]) -> Option<&[u8]> {
    let rest = file.strip_prefix(ENTRY_MAGIC.as_bytes())?.strip_prefix(b"\n")?;
    let (sum, rest) = rest.split_at_checked(64)?;
    let content = rest.strip_prefix(b"\n")?;
    (checksum(content).as_bytes() == sum).then_some(content)
}

/// Two processes may write the same entry at once; each writes its own file, and the last rename stays.
fn write_by_rename(path: &Path, content: &[u8]) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    let temporary = folder.join(unique_name());
    let written = fs::File::create(&temporary).and_then(|mut file| file.write_all(content));
    let moved = written.and_then(|()| fs::rename(&temporary, path));
    moved.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        Error::io("write", path)(error)
    })
}

/// A name that no other thread or process uses at the same time.
pub(crate) fn unique_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("new-{}-{:x}-{count}", std::process::id(), now.unwrap_or_default().as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(parts: &[&str]) -> Key {
        let mut builder = KeyBuilder::new("test");
        parts.iter().for_each(|part| builder.add(part));
        builder.finish()
    }

    fn result() -> Stored {
        Stored { log: "a warning".to_owned(), payload: "result".to_owned() }
    }

    #[test]
    fn an_entry_is_found_again_only_under_its_key() {
        let root = tempfile::tempdir().unwrap();
        let cache = CompileCache::new(Some(root.path().to_path_buf()));
        assert_eq!(cache.get(&key(&["a"])), None);
        cache.put(&key(&["a"]), &result());
        assert_eq!(cache.get(&key(&["a"])), Some(result()));
        assert_eq!(cache.get(&key(&["b"])), None);
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    }

    #[test]
    fn every_single_damaged_byte_makes_an_entry_absent() {
        let root = tempfile::tempdir().unwrap();
        let cache = CompileCache::new(Some(root.path().to_path_buf()));
        let key = key(&["a"]);
        cache.put(&key, &result());
        let path = cache.entry_path(&key).unwrap();
        let whole = fs::read(&path).unwrap();
        for index in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[index] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.get(&key), None, "byte {index}");
            fs::write(&path, &whole[..index]).unwrap();
            assert_eq!(cache.get(&key), None, "cut at {index}");
        }
        cache.put(&key, &result());
        assert!(cache.get(&key).is_some());
    }

    #[test]
    fn a_damaged_program_is_absent() {
        let root = tempfile::tempdir().unwrap();
        let cache = CompileCache::new(Some(root.path().to_path_buf()));
        let compiled = cache.temporary_program().unwrap();
        fs::write(&compiled, "binary").unwrap();
        let (sum, path) = cache.keep_program(&compiled, "a").unwrap();
        assert_eq!(cache.get_program(&sum, "a"), Some(path.clone()));
        fs::write(&path, "binarx").unwrap();
        assert_eq!(cache.get_program(&sum, "a"), None);
    }

    #[test]
    fn without_a_folder_nothing_is_kept() {
        let cache = CompileCache::new(None);
        cache.put(&key(&["a"]), &result());
        assert_eq!(cache.get(&key(&["a"])), None);
    }
}
