//! `warpsan-testkit`: what `cargo xtask corpus` and `cargo xtask bench ptx` run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command speaks to its terminal")]

mod command;

use std::process::ExitCode;

use clap::Parser;

/// Checks of warpsan's own, over the corpus of PTX
#[derive(Debug, Parser)]
#[command(name = "warpsan-testkit")]
struct Arguments {
    #[command(flatten)]
    common: command::Common,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Corpus(command::corpus::Args),
    BenchPtx(command::bench_ptx::Args),
    BenchSimt(command::bench_simt::Args),
    Instructions(command::instructions::Args),
    Rdc(command::rdc::Args),
    Speculation(command::speculation::Args),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.action {
        Action::Corpus(args) => command::corpus::run(args, &arguments.common),
        Action::BenchPtx(args) => command::bench_ptx::run(args, &arguments.common),
        Action::BenchSimt(args) => command::bench_simt::run(args, &arguments.common),
        Action::Instructions(args) => command::instructions::run(args, &arguments.common),
        Action::Rdc(args) => command::rdc::run(args, &arguments.common),
        Action::Speculation(args) => command::speculation::run(args, &arguments.common),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
