//! The programs of the suite, with what they expect.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use warpsan_suite::{Expectation, expectations_of};

use super::head::Head;
use crate::programs::SourceFile;

/// The folders with files that belong to programs of other folders.
const PARTS: &str = "parts";

/// One program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its path below the folder of the suite.
    pub name: String,
    /// What its head says.
    pub head: Head,
    /// Its own file, then its plug-ins.
    pub files: Vec<SourceFile>,
}

impl Program {
    /// The expectations of all of its files, each with the place of the file in [`Program::files`].
    pub fn expectations(&self) -> impl Iterator<Item = (usize, &Expectation)> {
        self.files.iter().enumerate().flat_map(|(file, source)| {
            source.expectations.iter().map(move |expectation| (file, expectation))
        })
    }

    /// Its own file.
    pub fn source(&self) -> &Path {
        &self.files[0].path
    }

    /// The sources of its plug-ins.
    pub(crate) fn plugins(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().skip(1).map(|file| file.path.as_path())
    }
}

/// All programs of the suite in this folder, in order. One whose parts contradict each other is an error.
pub fn read_programs(folder: &Path) -> anyhow::Result<Vec<Program>> {
    let folder = &std::path::absolute(folder)?;
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    paths.sort();
    anyhow::ensure!(!paths.is_empty(), "there is no .c or .cpp file in {}", folder.display());
    let read = |path: PathBuf| {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        read_program(folder, path, &name).with_context(|| name.clone())
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let unlisted = || format!("cannot list {}", folder.display());
    for entry in fs::read_dir(folder).with_context(unlisted)? {
        let path = entry.with_context(unlisted)?.path();
        if path.is_dir() && !path.ends_with(PARTS) {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|ending| ending == "c" || ending == "cpp") {
            paths.push(path);
        }
    }
    Ok(())
}

fn read_program(folder: &Path, path: PathBuf, name: &str) -> anyhow::Result<Program> {
    let mut files = vec![read_source(path)?];
    let head = Head::read(&files[0].text)?;
    for plugin in &head.plugins {
        files.push(read_source(folder.join(plugin))?);
    }
    let program = Program { name: name.to_owned(), head, files };
    let is_racy = program.expectations().next().is_some();
    anyhow::ensure!(
        program.head.is_racy == is_racy,
        "a racy program has a `//~`, and a clean one has none"
    );
    Ok(program)
}

fn read_source(path: PathBuf) -> anyhow::Result<SourceFile> {
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    // The comments of these programs name no detectors: both have the same definition of a race.
    let expectations = expectations_of(&text, "")?;
    Ok(SourceFile { path, text, expectations })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("a/parts")).expect("folders");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        folder
    }

    #[test]
    fn marks_of_plugins_belong_to_their_programs() {
        let mark = "x; //~ race: data-race (with itself)";
        let folder = suite(&[
            ("a/b.cpp", "// RACY. So.\n//@ plugin: a/parts/p.c\n"),
            ("a/a.c", "// CLEAN. So.\n"),
            ("a/parts/p.c", mark),
        ]);
        let programs = read_programs(folder.path()).expect("all reads");
        let names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names, ["a/a.c", "a/b.cpp"]);
        let expected: Vec<_> =
            programs[1].expectations().map(|(file, one)| (file, one.lines)).collect();
        assert_eq!(expected, [(1, (1, 1))]);
    }

    #[test]
    fn contradictions_are_named() {
        let message = |text| {
            let folder = suite(&[("a/a.c", text)]);
            format!("{:#}", read_programs(folder.path()).expect_err("something is wrong"))
        };
        assert!(message("// RACY. So.\n").contains("a racy program has"));
        assert!(message("// CLEAN. So.\nx; //~ rice\n").starts_with("a/a.c: line 2"));
        assert!(read_programs(suite(&[]).path()).is_err());
    }

    #[test]
    fn the_suite_reads() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/threads");
        let programs = read_programs(&folder).expect("it reads");
        assert!(programs.len() > 250);
        assert!(programs.iter().filter(|program| program.head.is_racy).count() > 100);
    }
}
