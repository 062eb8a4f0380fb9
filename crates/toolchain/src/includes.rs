//! Which of the user's headers a kernel-only source may include.
//!
//! NVRTC does not list what it read, so this scans for `#include` lines, without regard to `#if`. It
//! may find more than the compiler reads, which costs a needless compilation; it must not find less,
//! which would give an outdated result. Where it cannot know (an include through a macro), it says so, and
//! the result is not kept. CUDA's own headers are not followed: they belong to the compiler's version.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cache::KeyBuilder;

/// All user headers that a source may reach, with their contents.
#[derive(Debug, Default)]
pub(crate) struct IncludeClosure {
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// Whether an include names no file, but something to be computed.
    pub(crate) is_incomplete: bool,
}

impl IncludeClosure {
    /// Scans a source and everything it includes, in the given folders or beside the including file.
    pub(crate) fn scan(
        source: &Path,
        text: &[u8],
        folders: &[PathBuf],
        included_first: &[PathBuf],
    ) -> Self {
        let mut closure = Self::default();
        for header in included_first {
            closure.visit(header, folders);
        }
        closure.scan_text(source, text, folders);
        closure
    }

    /// Adds names and contents to a key.
    pub(crate) fn add_to(&self, key: &mut KeyBuilder) {
        for (path, content) in &self.files {
            key.add_path(path);
            key.add(content);
        }
    }

    fn scan_text(&mut self, file: &Path, text: &[u8], folders: &[PathBuf]) {
        let beside = file.parent();
        for line in String::from_utf8_lossy(text).lines() {
            let (name, is_quoted) = match included_name(line) {
                Included::Nothing => continue,
                Included::Computed => {
                    self.is_incomplete = true;
                    continue;
                }
                Included::Quoted(name) => (name, true),
                Included::Angled(name) => (name, false),
            };
            let beside = beside.filter(|_| is_quoted).map(Path::to_path_buf);
            let candidates = beside.iter().chain(folders).map(|folder| folder.join(&name));
            // Not only the first that exists: which one is taken may depend on how the including file
            // was itself found.
            for candidate in candidates.filter(|candidate| candidate.is_file()) {
                self.visit(&candidate, folders);
            }
        }
    }

    fn visit(&mut self, file: &Path, folders: &[PathBuf]) {
        if self.files.contains_key(file) {
            return;
        }
        let Ok(text) = fs::read(file) else { return };
        self.files.insert(file.to_path_buf(), text.clone());
        self.scan_text(file, &text, folders);
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Included {
    Nothing,
    Quoted(String),
    Angled(String),
    Computed,
}

/// What a line includes: a directive, or a question whether a header is there.
fn included_name(line: &str) -> Included {
    let line = line.trim_start();
    let Some(directive) = line.strip_prefix('#').or_else(|| line.strip_prefix("%:")) else {
        return Included::Nothing;
    };
    let directive = directive.trim_start();
    let rest = if let Some(rest) = directive.strip_prefix("include") {
        rest.strip_prefix("_next").unwrap_or(rest)
    } else if let Some((_, rest)) = directive.split_once("__has_include") {
        rest.strip_prefix("_next").unwrap_or(rest).trim_start().trim_start_matches('(')
    } else if directive.ends_with('\\') && "include".starts_with(directive.trim_end_matches('\\')) {
        // A directive that is broken in the middle of its name.
        return Included::Computed;
    } else {
        return Included::Nothing;
    };
    let rest = rest.trim_start();
    let name = |close: char| rest[1..].split_once(close).map(|(name, _)| name.to_owned());
    let found = match rest.chars().next() {
        Some('"') => name('"').map(Included::Quoted),
        Some('<') => name('>').map(Included::Angled),
        _ => None,
    };
    found.unwrap_or(Included::Computed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_as_the_preprocessor_reads_them() {
        let quoted = |name: &str| Included::Quoted(name.to_owned());
        assert_eq!(included_name("#include \"a.h\""), quoted("a.h"));
        assert_eq!(included_name("  #  include\t\"x/a.h\" // why"), quoted("x/a.h"));
        assert_eq!(included_name("%:include \"a.h\""), quoted("a.h"));
        assert_eq!(included_name("#include <a.h>"), Included::Angled("a.h".to_owned()));
        assert_eq!(included_name("#if __has_include(\"a.h\")"), quoted("a.h"));
        assert_eq!(included_name("#include HEADER"), Included::Computed);
        assert_eq!(included_name("#include \\"), Included::Computed);
        assert_eq!(included_name("#incl\\"), Included::Computed);
        assert_eq!(included_name("// #include \"a.h\""), Included::Nothing);
        assert_eq!(included_name("int a;"), Included::Nothing);
        assert_eq!(included_name("#define A \\"), Included::Nothing);
    }

    #[test]
    fn the_closure_follows_headers_and_ends_on_cycles() {
        let folder = tempfile::tempdir().unwrap();
        let (here, other) = (folder.path().join("here"), folder.path().join("other"));
        fs::create_dir_all(here.join("deep")).unwrap();
        fs::create_dir_all(&other).unwrap();
        fs::write(here.join("deep/a.h"), "#include \"b.h\"\n#include <c.h>\n").unwrap();
        fs::write(here.join("deep/b.h"), "#include \"a.h\"\n").unwrap();
        fs::write(other.join("c.h"), "int c;\n").unwrap();
        fs::write(other.join("unrelated.h"), "int u;\n").unwrap();
        let source = here.join("k.cu");
        let text = b"#include \"deep/a.h\"\n#include <cuda/std/atomic>\n";
        let closure = IncludeClosure::scan(&source, text, std::slice::from_ref(&other), &[]);
        let found: Vec<_> = closure.files.keys().cloned().collect();
        assert_eq!(found, [here.join("deep/a.h"), here.join("deep/b.h"), other.join("c.h")]);
        assert!(!closure.is_incomplete);
    }
}
