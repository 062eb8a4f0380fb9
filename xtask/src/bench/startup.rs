//! `startup`: how long programs take to get going. The testkit measures the `warpsan` that is beside it.

/// Builds both with optimisation and lets the testkit measure.
pub(crate) fn run() -> anyhow::Result<()> {
    crate::corpus::run_with_warpsan("bench-startup", &[])
}
