//! Debug information that lies in a file of its own, as distributions keep it.

use object::{Object, ReadCache};
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Where such files are collected.
const COLLECTION: &str = "/usr/lib/debug";

/// The file with the debug information of a program or library: itself, or another one if it has none.
pub(super) fn of(file: &Path) -> PathBuf {
    separate(file, Path::new(COLLECTION)).unwrap_or_else(|| file.to_path_buf())
}

fn separate(file: &Path, collection: &Path) -> Option<PathBuf> {
    let data = ReadCache::new(File::open(file).ok()?);
    let object = object::File::parse(&data).ok()?;
    if object.section_by_name(".debug_info").is_some() {
        return None;
    }
    let mut candidates = Vec::new();
    if let Ok(Some(id)) = object.build_id() {
        candidates.extend(by_build_id(id, collection));
    }
    if let Ok(Some((name, _))) = object.gnu_debuglink() {
        candidates.extend(by_link(&String::from_utf8_lossy(name), file, collection));
    }
    candidates.into_iter().find(|candidate| candidate.is_file() && candidate != file)
}

fn by_build_id(id: &[u8], collection: &Path) -> Option<PathBuf> {
    let mut text = String::new();
    for byte in id {
        let _ = write!(text, "{byte:02x}");
    }
    let (folder, rest) = text.split_at_checked(2)?;
    Some(collection.join(".build-id").join(folder).join(format!("{rest}.debug")))
}

fn by_link(name: &str, file: &Path, collection: &Path) -> Vec<PathBuf> {
    let Some(folder) = file.parent() else { return Vec::new() };
    let below = folder.strip_prefix("/").unwrap_or(folder);
    vec![folder.join(name), folder.join(".debug").join(name), collection.join(below).join(name)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_where_distributions_put_them() {
        let collection = Path::new("/usr/lib/debug");
        assert_eq!(
            by_build_id(&[0xab, 0xcd, 0x01], collection),
            Some(PathBuf::from("/usr/lib/debug/.build-id/ab/cd01.debug"))
        );
        assert_eq!(by_build_id(&[], collection), None);
        let links = by_link("a.debug", Path::new("/opt/bin/a"), collection);
        assert!(links.contains(&PathBuf::from("/opt/bin/.debug/a.debug")));
        assert!(links.contains(&PathBuf::from("/usr/lib/debug/opt/bin/a.debug")));
    }

    #[test]
    fn who_has_debug_information_needs_no_other_file() {
        let own = std::env::current_exe().expect("this test");
        assert_eq!(of(&own), own);
        assert_eq!(of(Path::new("/no/such/file")), Path::new("/no/such/file"));
    }
}
