//! One mutated file, and what is done with it.

use std::io;
use std::path::Path;
use std::process::Command;

use crate::limited::{Ended, Limits, Running};

/// What a case does to `warpsan`.
pub struct Case {
    /// Which of them: seed and number make it again.
    pub number: usize,
    /// The kind of file, and what was done to it.
    pub what: String,
    /// The mutated file.
    pub contents: Vec<u8>,
    /// Its name, which says to warpsan what it is.
    pub file_name: &'static str,
    /// The arguments; `@FILE@` stands for the file.
    pub arguments: Vec<String>,
    /// No right file looks like this.
    pub damaged: bool,
    /// What the output has to contain if the code is 0.
    pub proof: Option<&'static str>,
    /// Codes that are right beside those of warpsan.
    pub other_codes: &'static [i32],
}

/// Stands for the mutated file among the arguments.
pub(super) const FILE: &str = "@FILE@";

impl Case {
    /// Runs it in a folder of its own.
    pub(super) fn run(&self, warpsan: &Path, limits: Limits) -> io::Result<Ended> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join(self.file_name);
        std::fs::write(&file, &self.contents)?;
        let mut command = Command::new(warpsan);
        let path = file.display().to_string();
        command.args(self.arguments.iter().map(|argument| argument.replace(FILE, &path)));
        Running::run(command.current_dir(folder.path()), folder.path(), limits)
    }
}
