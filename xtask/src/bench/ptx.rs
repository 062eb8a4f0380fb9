//! `ptx`: the speed of the parser. The measurement itself is the testkit's, which may use the parser.

use crate::process::{cargo, run as run_command};

/// Builds the testkit with optimisation and lets it measure.
pub(crate) fn run() -> anyhow::Result<()> {
    run_command(&mut cargo(&[
        "run",
        "--release",
        "--package",
        "warpsan-testkit",
        "--",
        "bench-ptx",
    ]))
}
