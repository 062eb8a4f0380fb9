//! The corpus of PTX, which the testkit runs.

use std::process::Command;

use crate::process::{built, cargo, run};

/// All of the corpus, or what the flags say.
pub(crate) fn run_all(flags: &[String]) -> anyhow::Result<()> {
    build_warpsan()?;
    run(&mut cargo(&["build", "--release", "--package", "warpsan-testkit"]))?;
    run(testkit("release").args(flags))
}

/// Another command of the testkit.
pub(crate) fn run_testkit(command: &str, flags: &[String]) -> anyhow::Result<()> {
    run(&mut cargo(&["build", "--release", "--package", "warpsan-testkit"]))?;
    let program = built("release").join("warpsan-testkit");
    run(Command::new(program).arg(command).args(flags))
}

/// Another command of the testkit, which runs the `warpsan` that is beside it.
pub(crate) fn run_with_warpsan(command: &str, flags: &[String]) -> anyhow::Result<()> {
    build_warpsan()?;
    run_testkit(command, flags)
}

fn build_warpsan() -> anyhow::Result<()> {
    run(&mut cargo(&["build", "--release", "--package", "warpsan-cli"]))
}

/// What CI takes of it, with the programs that the tests have built already.
pub(crate) fn run_sample(consent_given: bool) -> anyhow::Result<()> {
    let mut sample = testkit("debug");
    sample.arg("--sample");
    if consent_given {
        sample.arg("--yes");
    }
    run(&mut sample)
}

/// `warpsan-testkit corpus` of one of cargo's profiles.
fn testkit(profile: &str) -> Command {
    let folder = built(profile);
    let mut command = Command::new(folder.join("warpsan-testkit"));
    command.arg("corpus").arg("--warpsan").arg(folder.join("warpsan"));
    command
}
