//! `warpsan-testkit`: what `cargo xtask corpus`, `cargo xtask values` and others run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command speaks to its terminal")]

mod command;

use std::process::ExitCode;

use clap::Parser;

/// Checks of warpsan's own, over the corpus of PTX and over programs
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
    Attacks(command::attacks::Args),
    Corpus(command::corpus::Args),
    BenchDetect(command::bench_detect::Args),
    BenchParsnip(command::bench_parsnip::Args),
    BenchPtx(command::bench_ptx::Args),
    BenchSimt(command::bench_simt::Args),
    BenchStartup(command::bench_startup::Args),
    BenchThreads(command::bench_threads::Args),
    CurdSchemes(command::curd_schemes::Args),
    Determinism(command::determinism::Args),
    DeviceRuntime(command::device_runtime::Args),
    FuzzHb(command::fuzz_hb::Args),
    FuzzThreads(command::fuzz_threads::Args),
    IguardHistory(command::iguard_history::Args),
    Instructions(command::instructions::Args),
    Instrument(command::instrument::Args),
    InstrumentCorpus(command::instrument_corpus::Args),
    LdTables(command::ld_tables::Args),
    Processes(command::processes::Args),
    Programs(command::programs::Args),
    Rdc(command::rdc::Args),
    Rules(command::rules::Args),
    Scale(command::scale::Args),
    ScordTables(command::scord_tables::Args),
    SafeExecution(command::safe_execution::Args),
    Shipping(command::shipping::Args),
    Speculation(command::speculation::Args),
    ShippedKernels(command::shipped_kernels::Args),
    Threads(command::threads::Args),
    Ui(command::ui::Args),
    Values(command::values::Args),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.action {
        Action::Attacks(args) => command::attacks::run(args, &arguments.common),
        Action::Corpus(args) => command::corpus::run(args, &arguments.common),
        Action::BenchDetect(args) => command::bench_detect::run(args, &arguments.common),
        Action::BenchParsnip(args) => command::bench_parsnip::run(args, &arguments.common),
        Action::BenchPtx(args) => command::bench_ptx::run(args, &arguments.common),
        Action::BenchSimt(args) => command::bench_simt::run(args, &arguments.common),
        Action::BenchStartup(args) => command::bench_startup::run(args, &arguments.common),
        Action::BenchThreads(args) => command::bench_threads::run(args, &arguments.common),
        Action::CurdSchemes(args) => command::curd_schemes::run(args, &arguments.common),
        Action::Determinism(args) => command::determinism::run(args, &arguments.common),
        Action::DeviceRuntime(args) => command::device_runtime::run(args, &arguments.common),
        Action::FuzzHb(args) => command::fuzz_hb::run(args, &arguments.common),
        Action::FuzzThreads(args) => command::fuzz_threads::run(args, &arguments.common),
        Action::IguardHistory(args) => command::iguard_history::run(args, &arguments.common),
        Action::Instructions(args) => command::instructions::run(args, &arguments.common),
        Action::Instrument(args) => command::instrument::run(args, &arguments.common),
        Action::InstrumentCorpus(args) => command::instrument_corpus::run(args, &arguments.common),
        Action::LdTables(args) => command::ld_tables::run(args, &arguments.common),
        Action::SafeExecution(args) => command::safe_execution::run(args, &arguments.common),
        Action::Processes(args) => command::processes::run(args, &arguments.common),
        Action::Programs(args) => command::programs::run(args, &arguments.common),
        Action::Rdc(args) => command::rdc::run(args, &arguments.common),
        Action::Rules(args) => command::rules::run(args, &arguments.common),
        Action::Scale(args) => command::scale::run(args, &arguments.common),
        Action::ScordTables(args) => command::scord_tables::run(args, &arguments.common),
        Action::Shipping(args) => command::shipping::run(args, &arguments.common),
        Action::Speculation(args) => command::speculation::run(args, &arguments.common),
        Action::ShippedKernels(args) => command::shipped_kernels::run(args, &arguments.common),
        Action::Threads(args) => command::threads::run(args, &arguments.common),
        Action::Ui(args) => command::ui::run(args, &arguments.common),
        Action::Values(args) => command::values::run(args, &arguments.common),
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
