//! What can be wrong with programs of a suite, and with running them.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use thiserror::Error;

/// Why a folder of programs cannot be read.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// A folder.
    #[error("cannot list {}: {error}", folder.display())]
    NotListed {
        /// Its path.
        folder: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file.
    #[error("cannot read {}: {error}", file.display())]
    NotRead {
        /// Its path.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A folder without programs is a mistake.
    #[error("there is no .cu or .ptx file in {}", .0.display())]
    NoPrograms(PathBuf),
    /// A comment of a program.
    #[error("{}: {error}", file.display())]
    Comment {
        /// The program.
        file: PathBuf,
        /// What is wrong.
        error: CommentError,
    },
}

/// Why a comment of a program is not understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommentError {
    /// An expectation.
    #[error(
        "line {line}: `//~{comment}` is not understood; expected something like \
         `//~ race: missing-sync (with line 12)`"
    )]
    Expectation {
        /// Its line.
        line: u64,
        /// What stands behind `//~`.
        comment: String,
    },
    /// A number of switches.
    #[error("`{word}{number}` does not end in a number")]
    NoNumber {
        /// How the comment begins.
        word: &'static str,
        /// What follows.
        number: String,
    },
    /// More switches of one kind than there are.
    #[error("`{its_word} {its}` is more than `{races_word} {races}`")]
    TooManyIts {
        /// How the one comment begins.
        its_word: &'static str,
        /// Its number.
        its: u32,
        /// How the other comment begins.
        races_word: &'static str,
        /// Its number.
        races: u32,
    },
}

/// Why a run of warpsan gave no answer.
#[derive(Debug, Error)]
pub enum RunError {
    /// For the report.
    #[error("no temporary folder: {0}")]
    NoFolder(io::Error),
    /// The command.
    #[error("cannot run {command}: {error}")]
    NotStarted {
        /// Its name.
        command: String,
        /// What the system says.
        error: io::Error,
    },
    /// It left no report.
    #[error("it ended with {status} and left no report: {said}")]
    NoReport {
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to the terminal.
        said: String,
    },
    /// The report is not what it should be.
    #[error("the report is no JSON: {0}")]
    NoJson(serde_json::Error),
    /// The report is not what it should be.
    #[error("the report of several files is no list")]
    NoList,
    /// Reports and exit code contradict each other.
    #[error("it ended with {status} where its reports mean exit code {expected}: {said}")]
    OtherExitCode {
        /// How it ended.
        status: ExitStatus,
        /// What the reports mean.
        expected: i32,
        /// What it wrote to the terminal.
        said: String,
    },
    /// An exit code that is no verdict.
    #[error("it ended with {status}: {said}")]
    NoVerdict {
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to the terminal.
        said: String,
    },
}
