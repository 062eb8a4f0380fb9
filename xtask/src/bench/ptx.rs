//! `ptx`: the speed of the parser. The measurement itself is the testkit's, which may use the parser.

/// Builds the testkit with optimisation and lets it measure.
pub(crate) fn run() -> anyhow::Result<()> {
    crate::corpus::run_testkit("bench-ptx", &[])
}
