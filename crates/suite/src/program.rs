//! The files of a suite.

use std::path::{Path, PathBuf};

use super::error::{CommentError, SuiteError};
use super::expectation::{Expectation, expectations_of};

/// One program of the suite.
#[derive(Clone, Debug)]
pub struct Program {
    /// The path below the folder of the suite.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// What it expects of the detector; nothing if it has to be clean.
    pub expectations: Vec<Expectation>,
    /// Flags of `warpsan check` that it asks for.
    pub flags: Vec<String>,
    /// What it says of the report as a whole.
    pub report: ReportExpectation,
}

/// What a program expects of its report as a whole, beside the races.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportExpectation {
    /// So many causes: races of one cause are one group.
    pub groups: Option<u32>,
    /// What the report says first, in its first group, that would order the accesses.
    pub advice: Option<String>,
}

/// The comment that names flags, as in `//@ flags: --fence-sc=order`.
const FLAGS: &str = "//@ flags:";
/// The comment that says how many groups the report has, as in `//@ groups: 1`.
const GROUPS: &str = "//@ groups:";
/// The comment that repeats the first advice, as in `//@ advice: put __syncwarp() between the two accesses`.
const ADVICE: &str = "//@ advice:";

impl Program {
    /// Whether the program has a race.
    pub fn is_racy(&self) -> bool {
        !self.expectations.is_empty()
    }
}

/// All programs in a folder and the folders in it, in the order of their names, with what they expect of a
/// detector.
pub fn read_programs(folder: &Path, detector: &str) -> Result<Vec<Program>, SuiteError> {
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    paths.sort();
    if paths.is_empty() {
        return Err(SuiteError::NoPrograms(folder.to_owned()));
    }
    paths.into_iter().map(|path| read_program(folder, path, detector)).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), SuiteError> {
    let unreadable = |error| SuiteError::NotListed { folder: folder.to_owned(), error };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "cu" || extension == "ptx")
        {
            paths.push(path);
        }
    }
    Ok(())
}

fn read_program(folder: &Path, path: PathBuf, detector: &str) -> Result<Program, SuiteError> {
    let text = std::fs::read_to_string(&path)
        .map_err(|error| SuiteError::NotRead { file: path.clone(), error })?;
    let wrong = |error| SuiteError::Comment { file: path.clone(), error };
    let expectations = expectations_of(&text, detector).map_err(wrong)?;
    let report = ReportExpectation::of(&text).map_err(wrong)?;
    let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
    Ok(Program { name, path, expectations, flags: flags_of(&text), report })
}

impl ReportExpectation {
    fn of(text: &str) -> Result<ReportExpectation, CommentError> {
        let behind =
            |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).map(str::trim);
        let no_number =
            |number: &str| CommentError::NoNumber { word: GROUPS, number: number.to_owned() };
        let number = |number: &str| number.parse().map_err(|_| no_number(number));
        let groups = behind(GROUPS).map(number).transpose()?;
        Ok(ReportExpectation { groups, advice: behind(ADVICE).map(str::to_owned) })
    }
}

fn flags_of(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix(FLAGS));
    lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_all_lines_that_name_some() {
        let text =
            "// --no\n//@ flags: --fence-sc=order  --stats\nx;\n//@ flags: --volatile=error\n";
        assert_eq!(flags_of(text), ["--fence-sc=order", "--stats", "--volatile=error"]);
        assert!(flags_of("//@ launch: k<<<1, 1>>>()").is_empty());
    }

    #[test]
    fn groups_and_advice_are_read_where_a_line_begins_with_them() {
        let text = "// x\n//@ groups: 1\n//@ advice: put __syncwarp() there\nx; //@ groups: 2\n";
        let advice = Some("put __syncwarp() there".to_owned());
        assert_eq!(ReportExpectation::of(text), Ok(ReportExpectation { groups: Some(1), advice }));
        assert_eq!(ReportExpectation::of("x;"), Ok(ReportExpectation::default()));
        assert!(ReportExpectation::of("//@ groups: one").is_err());
    }

    #[test]
    fn folders_in_folders_are_read_and_other_files_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("inner")).expect("a folder in it");
        for (name, text) in [
            ("b.cu", "x; //~ race: scope (with itself)"),
            ("inner/a.ptx", ""),
            ("README.md", "//~ not one"),
        ] {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let programs = read_programs(folder.path(), "hb").expect("all reads");
        let names: Vec<(&str, bool)> =
            programs.iter().map(|program| (program.name.as_str(), program.is_racy())).collect();
        assert_eq!(names, [("b.cu", true), ("inner/a.ptx", false)]);
    }

    #[test]
    fn a_wrong_comment_names_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("b.cu"), "//~ rice").expect("a file");
        let message = read_programs(folder.path(), "hb").expect_err("a wrong comment");
        assert!(message.to_string().contains("b.cu: line 1"), "{message}");
    }
}
