//! Starting other programs: each is shown before it runs, and its failure is an error here.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

/// What builds a whole `warpsan` with optimisation.
pub(crate) const RELEASE_WARPSAN: &[&str] =
    &["build", "--release", "--package", "warpsan-cli", "--features", "embed-libraries"];

/// The workspace with all of its tests, also those that need a CUDA compiler. Lints, builds and test runs have these flags
/// in common, so that nothing is built for one of them alone.
pub(crate) const ALL_TESTS: &[&str] =
    &["--workspace", "--features", "warpsan-cli/cuda-tests,warpsan-testkit/cuda-tests"];

/// The folder of the workspace, wherever the command was started.
pub(crate) fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// Where cargo puts what it builds with a profile.
pub(crate) fn built(profile: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| workspace_root().join("target"), PathBuf::from).join(profile)
}

/// A `cargo` command in the workspace: the same cargo that started us.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(workspace_root()).args(arguments);
    command
}

/// Runs a command with our terminal; it has to succeed.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let shown = describe(command);
    eprintln!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// The command as one would type it.
fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::{cargo, describe, run};

    #[test]
    fn a_failing_command_is_an_error_that_names_it() {
        let mut command = cargo(&["no-such-subcommand-of-cargo"]);
        command.stderr(std::process::Stdio::null());
        let shown = describe(&command);
        let error = run(&mut command).expect_err("cargo has no such subcommand");
        assert!(error.to_string().contains(&shown), "{error}");
    }
}
