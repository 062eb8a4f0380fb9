//! The compressed clocks of the detector barracuda beside plain vector clocks: a test of the detector's crate, with many more
//! traces than it takes among all other tests.

use anyhow::Context;

use crate::process::{cargo, run as run_process, workspace_root};

/// The test, which writes what it has compared to a file.
const TEST: &str = "barracuda::clock::tests::random::compressed_clocks_answer_as_plain_ones";
/// The variable that names the file to it.
const SUMMARY: &str = "WARPSAN_CLOCKS_SUMMARY";

/// The compressed clocks of `barracuda` answer as plain vector clocks do, on random traces
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many traces
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000)]
    traces: u32,
}

/// Runs the test with that number of traces.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let folder = workspace_root().join("target");
    let file = folder.join("barracuda-clocks.txt");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    // Where no test has the name any more, cargo is content: then there must not be an old file.
    if file.exists() {
        std::fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    let mut test = cargo(&["test", "--package", "warpsan-detect", "--lib", "--", "--exact", TEST]);
    run_process(test.env("PROPTEST_CASES", args.traces.to_string()).env(SUMMARY, &file))?;
    let summary = std::fs::read_to_string(&file)
        .with_context(|| format!("the test `{TEST}` has not been run"))?;
    print!("{summary}");
    Ok(())
}
