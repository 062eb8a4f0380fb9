//! The front door for developers: `cargo xtask help` lists the commands.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for developers speaks to their terminal"
)]

mod architecture_command;
mod clocks;
mod fuzz;
mod gpu_kit;
mod lint;
mod process;
mod test;
mod testkit;

use std::process::ExitCode;

use clap::Parser;

/// Commands for developers of warpsan
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", disable_version_flag = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What there is. The testkit runs most of it, and knows the flags of what it runs.
#[derive(Debug, clap::Subcommand)]
enum Command {
    Lint(lint::Args),
    #[command(visible_alias = "ci")]
    Test(test::Args),
    Architecture(architecture_command::Args),
    #[command(flatten)]
    OfTestkit(testkit::Command),
    BarracudaClocks(clocks::Args),
    Fuzz(fuzz::Args),
    GpuKit(gpu_kit::Args),
}

fn main() -> ExitCode {
    match run(&Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Lint(args) => lint::run(args),
        Command::Test(args) => test::run(args),
        Command::Architecture(args) => architecture_command::run(args),
        Command::OfTestkit(command) => testkit::run(command),
        Command::BarracudaClocks(args) => clocks::run(args),
        Command::Fuzz(args) => fuzz::run(args),
        Command::GpuKit(args) => gpu_kit::run(args),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Arguments;

    fn parse(words: &[&str]) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(std::iter::once(&"cargo xtask").chain(words))
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn wrong_command_lines_are_named() {
        for (words, wrong) in [
            (&["tets"][..], "'tets'"),
            (&["lint", "--fast"], "'--fast'"),
            (&["test", "--no"], "'--no'"),
            (&["fuzz", "--minutes", "many"], "'many'"),
            (&["fuzz", "--minutes", "-1"], "'-1'"),
            (&["fuzz", "--hours", "1"], "'--hours'"),
            (&["barracuda-clocks", "--traces", "few"], "'few'"),
            (&["barracuda-clocks", "--fast"], "'--fast'"),
            (&["gpu-kit", "out", "more"], "'more'"),
            (&["gpu-kit"], "<FOLDER>"),
            (&["bench", "nothing-of-that-name"], "'nothing-of-that-name'"),
        ] {
            let message = parse(words).expect_err("the command line is wrong").to_string();
            assert!(message.contains(wrong), "{message}");
        }
    }

    #[test]
    fn every_command_says_what_it_does() {
        let definition = Arguments::command();
        assert!(definition.get_subcommands().count() > 20);
        for command in definition.get_subcommands() {
            assert!(command.get_about().is_some(), "`{}` has no help", command.get_name());
        }
    }
}
