//! What CI runs.

use std::process::{Command, Stdio};

use anyhow::Context;

use crate::process::{built, cargo, run};
use crate::{corpus, lint};

/// Whether the CUDA compiler may be fetched where none is found.
pub(crate) enum Consent {
    /// `--yes`: no questions.
    Given,
    /// warpsan asks on the terminal; without one it takes `CI` in the environment for a yes.
    Ask,
}

/// The lints, every test of the workspace, and a sample of the corpus. All is built once, as the tests need it: cargo gives the packages
/// of a workspace other features than one of them alone, and would build most of them a second time for it.
pub(crate) fn run_all(consent: Consent) -> anyhow::Result<()> {
    lint::run_all()?;
    run(&mut cargo(&["test", "--workspace", "--no-run"]))?;
    find_compiler(&consent)?;
    run(&mut cargo(&["test", "--workspace", "--no-fail-fast"]))?;
    corpus::run_sample(matches!(consent, Consent::Given))
}

/// Makes sure that there is a CUDA compiler before the tests start: they run side by side and with
/// their output captured, which is no place for a question.
fn find_compiler(consent: &Consent) -> anyhow::Result<()> {
    let warpsan = built("debug").join("warpsan");
    let mut look = Command::new(&warpsan);
    look.arg("toolchain").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    let found =
        look.status().with_context(|| format!("{} cannot be started", warpsan.display()))?;
    if found.success() {
        return Ok(());
    }
    let mut install = Command::new(&warpsan);
    install.args(["toolchain", "install"]);
    if matches!(consent, Consent::Given) {
        install.arg("--yes");
    }
    run(&mut install)
}
