//! `detect`: what detecting races costs. The measurement itself is the testkit's, which may use the engine; the `warpsan` beside
//! it records the programs whose traces are measured.

/// Builds both with optimisation and lets the testkit measure.
pub(crate) fn run() -> anyhow::Result<()> {
    crate::corpus::run_with_warpsan("bench-detect", &[])
}
