//! The compressed clocks of the detector barracuda beside plain vector clocks: a test of the detector's crate, with many more
//! traces than it takes among all other tests.

use anyhow::{Context, bail};

use crate::process::{cargo, run, workspace_root};

/// The test, which writes what it has compared to a file.
const TEST: &str = "barracuda::clock::tests::random::compressed_clocks_answer_as_plain_ones";
/// The variable that names the file to it.
const SUMMARY: &str = "WARPSAN_CLOCKS_SUMMARY";
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
    let folder = workspace_root().join("target");
    let file = folder.join("barracuda-clocks.txt");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    // Where no test has the name any more, cargo is content: then there must not be an old file.
    if file.exists() {
        std::fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    let mut test = cargo(&["test", "--package", "warpsan-detect", "--lib", "--", "--exact", TEST]);
    run(test.env("PROPTEST_CASES", traces.to_string()).env(SUMMARY, &file))?;
    let summary = std::fs::read_to_string(&file)
        .with_context(|| format!("the test `{TEST}` has not been run"))?;
    print!("{summary}");
    Ok(())
}
