//! The sources of the device code (`device/`), and what ties the committed PTX to them.
//!
//! Only tests and developer commands need this. The PTX is compiled ahead of time, so every file of it says which sources it
//! was compiled from ([`hash_line`]), and a test without a CUDA compiler sees when they have changed since. What host and device
//! must agree on stands in headers that are printed from the Rust structs ([`headers`]).

mod headers;
mod layout;
#[cfg(test)]
mod waits;

pub use headers::{COMMAND, Header, headers};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folder of the sources and their PTX, from the root of the workspace.
pub const FOLDER: &str = "crates/instrument/device";

/// The flags of the compiler. Relocatable code keeps functions that nobody calls yet.
pub const FLAGS: [&str; 3] = ["-arch=compute_90", "-rdc=true", "-std=c++17"];

/// The sources in a folder that are compiled, in the order of their names.
pub fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        found.extend(Some(path).filter(|path| path.extension().is_some_and(|end| end == "cu")));
    }
    found.sort();
    Ok(found)
}

/// The first line of a source's PTX: a hash of the flags, the source, and every header that it includes, directly or not.
pub fn hash_line(source: &Path) -> io::Result<String> {
    let mut files = BTreeSet::new();
    add_includes(source, &mut files)?;
    let mut hash = Sha256::new();
    for flag in FLAGS {
        add(&mut hash, flag.as_bytes());
    }
    for file in &files {
        add(&mut hash, file.file_name().unwrap_or_default().as_encoded_bytes());
        add(&mut hash, &fs::read(file)?);
    }
    let mut line = "// sources: sha256 ".to_owned();
    for byte in hash.finalize() {
        let _ = write!(line, "{byte:02x}");
    }
    line.push('\n');
    Ok(line)
}

/// Adds a part with its length, so that parts cannot be mistaken for each other.
fn add(hash: &mut Sha256, part: &[u8]) {
    hash.update((part.len() as u64).to_le_bytes());
    hash.update(part);
}

/// Adds a file and all that it includes. A header that is included under a condition counts as well.
fn add_includes(file: &Path, files: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    if !files.insert(file.to_owned()) {
        return Ok(());
    }
    let text = fs::read_to_string(file)?;
    for line in text.lines() {
        let Some(name) = line.trim().strip_prefix("#include \"") else { continue };
        add_includes(&file.with_file_name(name.trim_end_matches('"')), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("device")
    }

    #[test]
    fn the_committed_ptx_is_of_these_sources() {
        let sources = sources(&folder()).expect("the folder can be read");
        assert!(!sources.is_empty());
        for source in sources {
            let file = source.with_extension("ptx");
            let ptx = fs::read_to_string(&file).expect("its PTX");
            let wanted = hash_line(&source).expect("its sources");
            assert!(
                ptx.starts_with(&wanted),
                "{}: its sources have changed since it was compiled; run `{COMMAND}`",
                file.display()
            );
        }
    }

    #[test]
    fn the_committed_headers_are_those_of_the_structs() {
        for header in headers() {
            let committed = fs::read_to_string(folder().join(header.name)).unwrap_or_default();
            assert_eq!(committed, header.text, "{}: run `{COMMAND}`", header.name);
        }
    }

    #[test]
    fn every_included_header_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("a file");
        };
        write("a.cu", "#include \"b.h\"\n");
        write("b.h", "#ifdef X\n  #include \"c.h\"\n#endif\n#include \"b.h\"\n");
        write("c.h", "constexpr int N = 1;\n");
        write("d.h", "");
        let source = folder.path().join("a.cu");
        let before = hash_line(&source).expect("a hash");
        assert_eq!(hash_line(&source).expect("a hash"), before);
        write("d.h", "not included");
        assert_eq!(hash_line(&source).expect("a hash"), before);
        write("c.h", "constexpr int N = 2;\n");
        assert_ne!(hash_line(&source).expect("a hash"), before);
        write("b.h", "#include \"missing.h\"\n");
        assert!(hash_line(&source).is_err());
    }
}
