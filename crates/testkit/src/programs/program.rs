//! The programs of the suite, with what was recorded of them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::head::Head;
use warpsan_suite::{Expectation, expectations_of};

/// The folder with what programs printed on a GPU, in the folder of the suite.
const RECORDED: &str = "recorded";

/// One program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of its file without the ending.
    pub name: String,
    /// What its head says.
    pub head: Head,
    /// Its own file, then those of its head: sources, then plug-ins.
    pub files: Vec<SourceFile>,
    /// Its standard output on a GPU.
    pub stdout: String,
}

/// A file that a program is built from.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// What is in it.
    pub text: String,
    /// What its comments expect.
    pub expectations: Vec<Expectation>,
}

/// An expectation with the file whose lines it names.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedIn<'p> {
    /// The place of the file in [`Program::files`].
    pub file: usize,
    /// What is expected there.
    pub expectation: &'p Expectation,
}

impl Program {
    /// What it uses: the first word of its name.
    pub fn group(&self) -> &str {
        self.name.split('_').next().unwrap_or(&self.name)
    }

    /// The expectations of all of its files.
    pub fn expectations(&self) -> impl Iterator<Item = ExpectedIn<'_>> {
        self.files.iter().enumerate().flat_map(|(file, source)| {
            source.expectations.iter().map(move |expectation| ExpectedIn { file, expectation })
        })
    }

    /// Its own file and the other sources that are linked into it.
    pub(crate) fn linked_sources(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().take(1 + self.head.sources.len()).map(|file| file.path.as_path())
    }

    /// The sources of its plug-ins.
    pub(crate) fn plugin_sources(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().skip(1 + self.head.sources.len()).map(|file| file.path.as_path())
    }
}

/// All programs of the suite in this folder, in order. One without a record, a record without a program, and one
/// whose parts contradict each other is an error.
pub fn read_programs(folder: &Path) -> anyhow::Result<Vec<Program>> {
    let mut programs = Vec::new();
    for name in names_with_ending(folder, "cu")? {
        let program = read_program(folder, &name);
        programs.push(program.with_context(|| format!("{name}.cu"))?);
    }
    if programs.is_empty() {
        anyhow::bail!("there is no .cu file in {}", folder.display());
    }
    for ending in ["stdout", "exit"] {
        let recorded = names_with_ending(&folder.join(RECORDED), ending)?;
        let without = |name: &&String| programs.iter().all(|program| program.name != **name);
        if let Some(name) = recorded.iter().find(without) {
            anyhow::bail!("{RECORDED}/{name}.{ending}: there is no program {name}.cu");
        }
    }
    Ok(programs)
}

/// The names, without the ending, of the files in a folder that have it.
fn names_with_ending(folder: &Path, ending: &str) -> anyhow::Result<Vec<String>> {
    let unreadable = || format!("cannot list {}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == ending) {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn read_program(folder: &Path, name: &str) -> anyhow::Result<Program> {
    let mut files = vec![read_source(folder.join(format!("{name}.cu")))?];
    let head = Head::read(&files[0].text)?;
    for more in head.sources.iter().chain(&head.plugins) {
        files.push(read_source(folder.join(more))?);
    }
    let recorded = |ending: &str| {
        let path = folder.join(RECORDED).join(format!("{name}.{ending}"));
        fs::read(&path)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .with_context(|| format!("it has no record {}", path.display()))
    };
    let (stdout, exit) = (recorded("stdout")?, recorded("exit")?);
    if exit.trim() != head.exit.to_string() {
        anyhow::bail!("its head names exit code {}, the GPU's was {exit}", head.exit);
    }
    let program = Program { name: name.to_owned(), head, files, stdout };
    if program.head.is_racy != program.expectations().next().is_some() {
        anyhow::bail!("a racy program has a `//~`, and a clean one has none");
    }
    Ok(program)
}

fn read_source(path: PathBuf) -> anyhow::Result<SourceFile> {
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let expectations = expectations_of(&text, "hb")?;
    Ok(SourceFile { path, text, expectations })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A suite of these files, each with its text.
    fn suite(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for below in ["parts", RECORDED] {
            fs::create_dir(folder.path().join(below)).expect("a folder in it");
        }
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        folder
    }

    const RECORD: [(&str, &str); 2] =
        [("recorded/a_b.stdout", "out\n"), ("recorded/a_b.exit", "0\n")];

    fn message(source: &str, more: &[(&str, &str)]) -> String {
        let files = [&[("a_b.cu", source)], more].concat();
        format!("{:#}", read_programs(suite(&files).path()).expect_err("something is wrong"))
    }

    #[test]
    fn a_program_has_its_parts_and_its_record() {
        let source = "// Shows.\n// verdict: race\n// sources: parts/p.cu\n// plugin: parts/q.cu\n";
        let mark = "x; //~ race: scope (with itself)";
        let files = [("a_b.cu", source), ("parts/p.cu", mark), ("parts/q.cu", "")];
        let folder = suite(&[&files[..], &RECORD].concat());
        let programs = read_programs(folder.path()).expect("all reads");
        let [program] = &programs[..] else { panic!("one program") };
        assert_eq!((program.group(), program.stdout.as_str()), ("a", "out\n"));
        let expected: Vec<_> =
            program.expectations().map(|one| (one.file, one.expectation.lines)).collect();
        assert_eq!(expected, [(1, (1, 1))]);
        assert_eq!(program.linked_sources().count(), 2);
        assert!(program.plugin_sources().all(|path| path.ends_with("parts/q.cu")));
    }

    #[test]
    fn contradictions_are_named() {
        let clean = "// verdict: clean\n";
        assert!(message(clean, &[]).contains("no record"));
        assert!(message("// verdict: race\n", &RECORD).contains("a racy program has"));
        assert!(message("// verdict: clean\n// exit: 4\n", &RECORD).contains("exit code 4"));
        assert!(message("// verdict: race\nx; //~ rice\n", &RECORD).starts_with("a_b.cu: line 2"));
        let lonely = [&RECORD[..], &[("recorded/c.exit", "0")]].concat();
        assert!(message(clean, &lonely).contains("c.cu"));
    }
}
