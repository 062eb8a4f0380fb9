//! What can be checked of a suite by itself: a program, or one of its switches.

use std::path::Path;

use crate::error::SuiteError;
use crate::expectation::reasons_of;
use crate::program::{Program, read_programs};
use crate::switches::Switches;

/// A program, with one of its switches on or none, for one detector.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program, with what is expected of this case.
    pub program: Program,
    /// The switch; 0 is none.
    pub switch: u32,
    /// The race of this switch is one between lanes of one warp.
    pub is_its: bool,
    /// It has a `main`, and is run; others are files of kernels, and checked.
    pub is_whole: bool,
    /// The rules that it names for this detector.
    pub reasons: Vec<String>,
    /// What the program says of itself first.
    pub headline: String,
}

/// The lines that make a file one of kernels, as in `//@ launch: k<<<1, 32>>>()`.
const LAUNCH: &str = "//@ launch:";

impl Case {
    /// The program and its switch.
    pub fn name(&self) -> String {
        match self.switch {
            0 => self.program.name.clone(),
            switch => format!("{} race {switch}", self.program.name),
        }
    }
}

/// All cases in a folder and the folders in it, with what they expect of a detector.
pub fn read_cases(folder: &Path, detector: &str) -> Result<Vec<Case>, SuiteError> {
    let mut cases = Vec::new();
    for program in read_programs(folder, detector)? {
        let file = || program.path.clone();
        let text = std::fs::read_to_string(&program.path)
            .map_err(|error| SuiteError::NotRead { file: file(), error })?;
        let named = |error| SuiteError::Comment { file: file(), error };
        let switches = Switches::of(&text).map_err(named)?;
        for switch in 0..=switches.races {
            let mut of_case = program.clone();
            of_case.expectations.retain(|expectation| expectation.is_with(switch));
            cases.push(Case {
                program: of_case,
                switch,
                is_its: switch > switches.races - switches.its,
                is_whole: !text.lines().any(|line| line.starts_with(LAUNCH)),
                reasons: reasons_of(&text, detector, switch).map_err(named)?,
                headline: headline_of(&text),
            });
        }
    }
    Ok(cases)
}

/// The first comment, in one line.
fn headline_of(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//"));
    let lines = lines.take_while(|line| !line.starts_with(['@', '~']) && !line.trim().is_empty());
    lines.map(str::trim).collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_switch_is_a_case_with_its_own_expectations() {
        let folder = tempfile::tempdir().expect("a folder");
        let app = "// An app\n// of two lines.\n//\n// More.\n//@ races: 2\n//@ its: 1\nint main() {}\n\
                   x; //~ [race 1] [hb] race: scope (with itself) by hb \"so\"\n\
                   y; //~ [race 2] [hb] clean by hb \"not so\"\n";
        std::fs::write(folder.path().join("app.cu"), app).expect("a file");
        let kernels = "// A kernel.\n//@ launch: k<<<1, 1>>>()\nx; //~ race: lock (with itself)\n";
        std::fs::write(folder.path().join("kernel.cu"), kernels).expect("a file");
        let cases = read_cases(folder.path(), "hb").expect("all reads");
        let read: Vec<(String, usize, bool, bool)> = cases
            .iter()
            .map(|case| (case.name(), case.program.expectations.len(), case.is_its, case.is_whole))
            .collect();
        let case = |name: &str, races, its, whole| (name.to_owned(), races, its, whole);
        assert_eq!(
            read,
            [
                case("app.cu", 0, false, true),
                case("app.cu race 1", 1, false, true),
                case("app.cu race 2", 0, true, true),
                case("kernel.cu", 1, false, false),
            ]
        );
        assert_eq!(cases[2].reasons, ["hb \"not so\""]);
        assert_eq!(cases[0].headline, "An app of two lines.");
    }
}
