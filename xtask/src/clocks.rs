//! The compressed clocks of the detector barracuda beside plain vector clocks: a test of the detector's crate, with many more
//! traces than it takes among all other tests.

use std::process::Stdio;

use anyhow::{Context, bail, ensure};

use crate::process::cargo;

/// The test, which prints what it has compared.
const TEST: &str = "barracuda::clock::tests::random::compressed_clocks_answer_as_plain_ones";
/// How many traces it takes where nothing else is said.
const DEFAULT_TRACES: u32 = 100_000;

/// Runs the test with the number of traces that the flags ask for.
pub(crate) fn run_all(flags: &[String]) -> anyhow::Result<()> {
    let traces = match flags {
        [] => DEFAULT_TRACES,
        [flag, number] if flag == "--traces" => {
            number.parse().with_context(|| format!("`{number}` is no number of traces"))?
        }
        [unexpected, ..] => {
            bail!(
                "`cargo xtask barracuda-clocks` does not take `{unexpected}`; see `cargo xtask help`"
            )
        }
    };
    let arguments = ["test", "--package", "warpsan-detect", "--lib", "--"];
    let mut test = cargo(&arguments);
    test.args(["--exact", TEST, "--nocapture"])
        .env("PROPTEST_CASES", traces.to_string())
        .stderr(Stdio::inherit());
    let ended = test.output().context("cannot start cargo")?;
    let printed = String::from_utf8_lossy(&ended.stdout);
    print!("{printed}");
    ensure!(ended.status.success(), "the clocks differ ({})", ended.status);
    // Where no test has the name any more, cargo is content.
    ensure!(printed.contains("traces of"), "there is no test `{TEST}`");
    Ok(())
}
