//! What CI runs.

use std::process::Stdio;

use crate::process::{cargo, run};
use crate::{corpus, lint};

/// Whether the CUDA compiler may be fetched where none is found.
pub(crate) enum Consent {
    /// `--yes`: no questions.
    Given,
    /// warpsan asks on the terminal; without one it takes `CI` in the environment for a yes.
    Ask,
}

/// The lints, every test of the workspace, and a sample of the corpus.
pub(crate) fn run_all(consent: Consent) -> anyhow::Result<()> {
    lint::run_all()?;
    find_compiler(&consent)?;
    run(&mut cargo(&["test", "--workspace", "--no-fail-fast"]))?;
    corpus::run_sample(matches!(consent, Consent::Given))
}

/// Makes sure that there is a CUDA compiler before the tests start: they run side by side and with
/// their output captured, which is no place for a question.
fn find_compiler(consent: &Consent) -> anyhow::Result<()> {
    let mut look = cargo(&["run", "--quiet", "--package", "warpsan-cli", "--", "toolchain"]);
    let found = look.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).status()?;
    if found.success() {
        return Ok(());
    }
    let mut install =
        cargo(&["run", "--quiet", "--package", "warpsan-cli", "--", "toolchain", "install"]);
    if matches!(consent, Consent::Given) {
        install.arg("--yes");
    }
    run(&mut install)
}
