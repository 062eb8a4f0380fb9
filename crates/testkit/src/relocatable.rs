//! The programs under `suites/rdc`: several units each, compiled with `-rdc=true`.
//!
//! Each is linked twice: by nvlink, and by our PTX linker followed by ptxas. The two programs have the same
//! host code and differ in the linked machine code only. Here they are built, and the symbols that the host
//! code asks the driver for are compared; on a machine with a GPU, both must print the same.

mod build;
mod symbols;

pub use build::{Built, Linker};

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// A program of several units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name of its folder.
    pub name: String,
    /// Its units, in the order of their names.
    pub sources: Vec<PathBuf>,
    /// Further flags for nvcc, from the line `//@ flags:` of `main.cu`.
    pub flags: Vec<String>,
}

/// The script that runs both programs of each pair in its folder and compares what they print.
pub const RUN_SCRIPT: &str = include_str!("relocatable/run.sh");

/// The programs in a folder, in the order of their names.
pub fn read_programs(folder: &Path) -> anyhow::Result<Vec<Program>> {
    let mut programs = Vec::new();
    for path in entries(folder)? {
        if !path.is_dir() {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_source = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "cu");
        let sources: Vec<PathBuf> = entries(&path)?.into_iter().filter(is_source).collect();
        let main = path.join("main.cu");
        let text =
            fs::read_to_string(&main).with_context(|| format!("cannot read {}", main.display()))?;
        programs.push(Program { name, sources, flags: flags(&text) });
    }
    if programs.is_empty() {
        anyhow::bail!("there are no programs in {}", folder.display());
    }
    Ok(programs)
}

fn flags(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("//@ flags:"));
    lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unreadable = || format!("cannot read {}", folder.display());
    let entries = fs::read_dir(folder).with_context(unreadable)?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.with_context(unreadable)?.path());
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_its_units_and_flags() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("two");
        fs::create_dir(&program).unwrap();
        fs::write(program.join("main.cu"), "// Why.\n//@ flags: -DN=4 -std=c++20\n").unwrap();
        fs::write(program.join("helper.cu"), "").unwrap();
        fs::write(program.join("helper.cuh"), "").unwrap();
        fs::write(folder.path().join("README.md"), "").unwrap();
        let sources = vec![program.join("helper.cu"), program.join("main.cu")];
        let flags = vec!["-DN=4".to_owned(), "-std=c++20".to_owned()];
        let expected = Program { name: "two".to_owned(), sources, flags };
        assert_eq!(read_programs(folder.path()).unwrap(), [expected]);
    }

    #[test]
    fn a_folder_without_programs_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_programs(folder.path()).unwrap_err().to_string().contains("no programs"));
    }
}
