//! The programs of `suites/values` and `suites/progress` under warpsan, held to what a GPU printed.
//!
//! They are compiled as a user would, run by the `warpsan` command, and judged by standard output, exit
//! code and report. Their traces are compared for determinism.

mod build;
mod determinism;
mod judge;
mod limits;
mod recorded;
mod report;

pub use build::compile;
pub use determinism::{Traced, trace};
pub use judge::{Judged, Verdict, judge};
pub use limits::Limits;
pub use recorded::sections;

pub(crate) use judge::first_difference;
pub(crate) use limits::run_limited;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The folders of the suites, below `suites`.
pub const SUITES: [&str; 2] = ["values", "progress"];

/// The file with what a GPU printed, in the folder of each suite.
const RECORDED: &str = "H200.txt";

/// One program, and what it has to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The suite and the name of the file without its ending, as in `values/clusters`.
    pub name: String,
    /// Its source.
    pub source: PathBuf,
    /// Further flags for nvcc, from the lines `//@ flags:`.
    pub flags: Vec<String>,
    /// Its standard output on a GPU.
    pub expected: String,
}

impl Program {
    /// How many of its own checks it prints.
    pub fn checks(&self) -> usize {
        self.expected.lines().filter(|line| line.starts_with("ok ")).count()
    }
}

/// The programs of all suites below this folder, in order. A program without a record, and a record
/// without a program, is an error.
pub fn read_programs(suites: &Path) -> anyhow::Result<Vec<Program>> {
    let mut programs = Vec::new();
    for suite in SUITES {
        read_suite(&suites.join(suite), suite, &mut programs)?;
    }
    Ok(programs)
}

fn read_suite(folder: &Path, suite: &str, programs: &mut Vec<Program>) -> anyhow::Result<()> {
    let unreadable = |path: &Path| format!("cannot read {}", path.display());
    let read = |path: &Path| fs::read_to_string(path).with_context(|| unreadable(path));
    let file = folder.join(RECORDED);
    let mut recorded = sections(&read(&file)?).with_context(|| file.display().to_string())?;
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| unreadable(folder))? {
        let path = entry.with_context(|| unreadable(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "cu") {
            sources.push(path);
        }
    }
    sources.sort();
    for source in sources {
        let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let expected = recorded.remove(&stem).with_context(|| {
            format!("{} has no section `== {stem}`: run the program on a GPU", file.display())
        })?;
        let text = read(&source)?;
        let flags = text.lines().filter_map(|line| line.strip_prefix("//@ flags:"));
        let flags = flags.flat_map(str::split_whitespace).map(str::to_owned).collect();
        programs.push(Program { name: format!("{suite}/{stem}"), source, flags, expected });
    }
    match recorded.keys().next() {
        Some(name) => anyhow::bail!("{}: there is no program {name}.cu", file.display()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suites() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for suite in SUITES {
            fs::create_dir(folder.path().join(suite)).unwrap();
            fs::write(folder.path().join(suite).join(RECORDED), "").unwrap();
        }
        folder
    }

    #[test]
    fn a_program_has_its_flags_and_what_it_prints() {
        let folder = suites();
        let values = folder.path().join("values");
        fs::write(values.join("a.cu"), "// Why.\n//@ flags: -DN=4\n").unwrap();
        fs::write(values.join(RECORDED), "== a\nok k checksum=1\nhello\nok l approx\n").unwrap();
        let programs = read_programs(folder.path()).unwrap();
        assert_eq!(programs.len(), 1);
        assert_eq!(programs[0].name, "values/a");
        assert_eq!(programs[0].flags, ["-DN=4"]);
        assert_eq!(programs[0].expected, "ok k checksum=1\nhello\nok l approx\n");
        assert_eq!(programs[0].checks(), 2);
    }

    #[test]
    fn programs_and_records_belong_together() {
        let folder = suites();
        let progress = folder.path().join("progress");
        fs::write(progress.join("a.cu"), "").unwrap();
        assert!(read_programs(folder.path()).unwrap_err().to_string().contains("`== a`"));
        fs::write(progress.join(RECORDED), "== a\n== b\n").unwrap();
        assert!(read_programs(folder.path()).unwrap_err().to_string().contains("b.cu"));
    }
}
