//! A Python whose pip is a shell script.

use std::path::PathBuf;

use super::Machine;

/// Notes each installation in `pip.runs` and its arguments, variables and requirements in `pip.saw`. What it
/// does depends on the variable `FAKE_PIP`.
const PYTHON: &str = include_str!("fake_python.sh");

impl Machine {
    /// Puts python3 on `PATH`; `behaviour` is what its pip does.
    pub(crate) fn add_python(&mut self, behaviour: &str) -> PathBuf {
        self.set("FAKE_PIP", behaviour);
        let text = PYTHON.replace("@MACHINE@", &self.path("").to_string_lossy());
        self.write_script("bin/python3", &text)
    }
}
