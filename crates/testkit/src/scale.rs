//! A launch of 2^20 threads over 1 GiB of data, and the memory that it takes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use warpsan_toolchain::Toolchain;

use crate::values::{Limits, run_limited};

/// What one run took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Used {
    /// The most memory that the process had at one time, with the device memory, which is shared.
    pub peak_bytes: u64,
    /// The time of the whole command.
    pub seconds: f64,
}

/// The program, compiled. `root` is the folder of the project.
pub fn compile(toolchain: &Toolchain, root: &Path) -> anyhow::Result<PathBuf> {
    let flags = ["-O2", "-std=c++17", "-arch=sm_90"].map(OsString::from);
    let source = root.join("crates/testkit/src/scale/large_launch.cu");
    Ok(toolchain.compile_program(&source, &flags)?.path)
}

/// Runs the program, which checks its own results.
pub fn measure(
    warpsan: &Path,
    executable: &Path,
    detector: &str,
    jobs: usize,
    limits: Limits,
) -> anyhow::Result<Used> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let mut command = Command::new(warpsan);
    command.args(["run", "--detector", detector, "--jobs", &jobs.to_string()]);
    command.arg(limits.flag()).arg("--").arg(executable);
    let ended = run_limited(&mut command, folder.path(), limits)?;
    if ended.code != Some(0) || ended.stdout != "ok\n" {
        anyhow::bail!(
            "it ends with {:?} and prints `{}`; warpsan says: {}",
            ended.code,
            ended.stdout.trim(),
            ended.stderr.trim()
        );
    }
    Ok(Used { peak_bytes: ended.memory, seconds: ended.time.as_secs_f64() })
}
