//! `warpsan nvcc …`: nvcc with line information and the shared runtime.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use anyhow::Context;

/// Run nvcc with -lineinfo and -cudart=shared, unless the arguments choose otherwise
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub(crate) struct Args {
    /// Arguments for nvcc, passed on untouched
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "NVCC_ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// Becomes nvcc; returns only if that fails.
pub(crate) fn run(args: &Args, global: &crate::Global) -> anyhow::Result<ExitCode> {
    let toolchain = crate::consent::toolchain(global)?;
    if let Err(missing) = toolchain.host_compiler(&args.arguments) {
        // nvcc's own message does not name the package; but --version and the like work without.
        let _ = writeln!(std::io::stderr(), "warpsan: {missing}");
    }
    let mut command = toolchain.nvcc_command(&args.arguments)?;
    tracing::debug!(?command, "becoming nvcc");
    Err(command.exec())
        .with_context(|| format!("cannot start {}", toolchain.toolkit().nvcc().display()))
}
