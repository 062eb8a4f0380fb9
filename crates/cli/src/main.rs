//! The `warpsan` command: flags, wiring and exit codes. It computes nothing about races itself.
//!
//! - A command is a module with clap's `Args` and a `run` that gives an exit code. What several commands choose is a group of
//!   flags with its own type: `detection::Args` (which detector, and its settings), `running::Args` (engine, schedule,
//!   seed), `launches::Args` (which launches), `output::Form` (which form). Together they become the
//!   [`Options`](warpsan_runtime::Options) of a session or of a process.
//! - `process` owns a program under warpsan: its private folder, the environment that brings our libraries into it
//!   (`embedded` carries them), its processes, and their report files.
//! - `threads` knows programs that are built with `-fsanitize=thread`: who is one, and what their processes report.
//! - `output` owns the report: processes are merged, suppressions applied, source lines added, and a renderer of `report`
//!   is called. `exit` turns the verdict into the code.
//!
//! The way of a launch, `warpsan run`: the flags become options ▶ obstacles are named before anything starts ▶ the program
//! runs, and each of its processes writes its races into a report file ▶ the files are read and merged ▶ report and exit
//! code. `warpsan check` has no program: it reads `//@ launch:` lines and drives a session in this very process, or a
//! process of its own on the GPU.
//!
//! Invariants:
//! - The program's input, output and exit code stay its own; a code of ours replaces it only where races were found, or
//!   where something was not checked.
//! - Wrong flags and files that cannot be written are found before anything runs.
//! - A report names the command that shows each of its races again.

mod bounded_file;
mod buffers;
mod commands;
mod consent;
mod detection;
mod embedded;
mod engine;
mod exit;
mod formats;
mod launch_line;
mod launches;
mod merging;
mod output;
mod output_file;
mod process;
mod progress;
mod running;
mod seeds;
mod sources;
mod suppressions;
mod table;
mod threads;
mod voice;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Finds data races in CUDA programs, on a machine with or without a GPU, and in programs with threads.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    global: Global,

    #[command(subcommand)]
    command: Command,
}

/// Flags that all commands have.
#[derive(Debug, clap::Args)]
pub(crate) struct Global {
    /// The folder of the CUDA toolkit to use
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cuda_path: Option<PathBuf>,

    /// Fetch the CUDA compiler without asking, if there is none (it is NVIDIA's, under its licence)
    #[arg(long, global = true)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an unmodified program, with CUDA or with threads, and report its races
    Run(commands::run::Args),
    /// Check the kernels of CUDA or PTX files, launched as their `//@ launch:` lines say
    Check(commands::check::Args),
    /// Check as `check` does, with many seeds, and report the races of all of them
    Explore(commands::explore::Args),
    /// Check as `check` does, and write everything that happens to a trace file
    Record(commands::record::Args),
    /// Run a detector over a trace file
    Replay(commands::replay::Args),
    /// Show what a run had found whose warpsan was killed
    Report(commands::report::Args),
    /// Print the events of a trace file, one line each
    Dump(commands::dump::Args),
    /// Say what race detection in hardware would cost, by a timing model that runs trace files
    Hardware(commands::hardware::Args),
    /// Compare detectors on programs that say themselves which races they have
    Suite(commands::suite::Args),
    /// List the CUDA code in a program, library, object, fat binary or PTX file, or print its PTX
    Ptx(commands::ptx::Args),
    /// Say which CUDA compiler is used, or fetch one
    Toolchain(commands::toolchain::Args),
    /// Launch kernels on the GPU, for `check`
    #[command(name = commands::launch_on_gpu::NAME, hide = true)]
    LaunchOnGpu(commands::launch_on_gpu::Args),
    /// Call nvcc, with line information and the shared CUDA runtime
    Nvcc(commands::nvcc::Args),
    /// Call the C compiler, for programs whose threads are to be checked
    Cc(commands::cc::Args),
    /// Call the C++ compiler, for programs whose threads are to be checked
    #[command(name = "c++")]
    Cxx(commands::cc::Args),
}

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing was found, and everything was checked
  1  races were found
  2  wrong usage, or warpsan itself failed
  3  nothing was found, but something could not be checked, or a program did nothing to check (--allow-idle)
  A program that fails by itself passes its own code on, unless that is for lack of support (3).";

fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_env("WARPSAN_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Run(args) => commands::run::run(args, &cli.global),
        Command::Check(args) => commands::check::run(args, &cli.global),
        Command::Explore(args) => commands::explore::run(args, &cli.global),
        Command::Record(args) => commands::record::run(args, &cli.global),
        Command::Replay(args) => commands::replay::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Dump(args) => commands::dump::run(args),
        Command::Hardware(args) => commands::hardware::run(args),
        Command::Suite(args) => commands::suite::run(args, &cli.global),
        Command::Ptx(args) => commands::ptx::run(args),
        Command::Toolchain(args) => commands::toolchain::run(args, &cli.global),
        Command::LaunchOnGpu(args) => commands::launch_on_gpu::run(args),
        Command::Nvcc(args) => commands::nvcc::run(args, &cli.global),
        Command::Cc(args) => commands::cc::run(args, commands::cc::Language::C),
        Command::Cxx(args) => commands::cc::run(args, commands::cc::Language::Cxx),
    };
    result.unwrap_or_else(|error| {
        // Nothing is left to do if even this cannot be written.
        let _ = writeln!(std::io::stderr(), "warpsan: error: {error:#}");
        ExitCode::from(exit::FAILURE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_flags_of_all_commands_fit_together() {
        Cli::command().debug_assert();
    }
}
