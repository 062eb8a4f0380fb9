//! `detect`: what detecting races costs. The measurement itself is the testkit's, which may use the engine.

/// Builds the testkit with optimisation and lets it measure.
pub(crate) fn run() -> anyhow::Result<()> {
    crate::corpus::run_testkit("bench-detect", &[])
}
