//! What CI runs.

use std::process::{Command, Stdio};

use anyhow::Context;

use crate::process::{ALL_TESTS, built, cargo, run as run_process};
use crate::{lint, testkit};

/// Everything CI checks: lints, all tests, also those that need CUDA, and samples of the corpus and of the programs with threads
///
/// Plain `cargo test` runs the tests that need no CUDA compiler. Where none is found, warpsan offers to fetch one.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Accept NVIDIA's licence and fetch its compiler without a question, as CI in the environment does
    #[arg(long)]
    yes: bool,
}

/// The tests over random kernels try all of theirs where this is in the environment (`seeds.rs` of `oracle`).
const ALL_KERNELS: &str = "WARPSAN_ALL_KERNELS";

/// The lints, every test of the workspace, and samples of the corpus and of the programs with threads. All is built once, as the tests need it: cargo gives the packages
/// of a workspace other features than one of them alone, and would build most of them a second time for it.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    lint::run(&lint::Args {})?;
    // What a binary without libraries says cannot be seen in a whole one. The other packages are built as they are below.
    run_process(&mut cargo(&["test", "--workspace", "--test", "without_cuda"]))?;
    run_process(cargo(&["test", "--no-run"]).args(ALL_TESTS))?;
    find_compiler(args.yes)?;
    let mut tests = cargo(&["test", "--no-fail-fast"]);
    run_process(tests.args(ALL_TESTS).env(ALL_KERNELS, "1"))?;
    testkit::run_sample_of_corpus(args.yes)?;
    testkit::run_sample_of_threads()
}

/// Makes sure that there is a CUDA compiler before the tests start: they run side by side and with
/// their output captured, which is no place for a question.
fn find_compiler(consent_given: bool) -> anyhow::Result<()> {
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
    if consent_given {
        install.arg("--yes");
    }
    run_process(&mut install)
}

#[cfg(test)]
mod tests {
    use super::ALL_KERNELS;

    /// What reads the variable. This crate uses no other one of the workspace, so it looks at the source.
    const SEEDS: &str = include_str!("../../crates/oracle/src/seeds.rs");

    #[test]
    fn the_variable_for_all_kernels_is_the_one_that_tests_read() {
        let definition = format!("pub const ALL_KERNELS: &str = \"{ALL_KERNELS}\";");
        assert!(SEEDS.contains(&definition), "`seeds.rs` of `oracle` has no line `{definition}`");
    }
}
