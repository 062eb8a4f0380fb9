//! The front door for developers: `cargo xtask help` lists the commands.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for developers speaks to their terminal"
)]

mod bench;
mod clocks;
mod corpus;
mod fuzz;
mod gpu_kit;
mod lint;
mod process;
mod test;

use std::process::ExitCode;

use anyhow::bail;

const HELP: &str = "\
usage: cargo xtask COMMAND

    help            this text
    lint            formatting and clippy, as CI runs them; changes nothing
    test [--yes]    everything CI checks: lint, all tests of the workspace, then a sample of the corpus.
                    The tests need a CUDA compiler; where none is found, warpsan offers to fetch one.
                    --yes, or CI in the environment, accepts that without a question
    ci              the same as test
    corpus [--sample [MINUTES]] [--filter TEXT] [--jobs N] [--keep FOLDER] [--verbose] [--yes]
                    every PTX text of the corpus, parsed and printed, gives the same machine code, and
                    `warpsan ptx --print` finds the PTX in its programs. --sample takes a part that
                    needs at most five minutes on two cores
    rdc [--output FOLDER] [--filter NAME] [--yes]
                    programs of several units, linked by nvlink and by our PTX linker, with a script that
                    runs and compares them on a machine with a GPU
    speculation [--filter NAME] [--yes]
                    the loads that the device compiler speculates at each level, and their guards
    values [--filter NAME] [--jobs N] [--schedule SCHEDULE]… [--detector NAME] [--timeout SECONDS] [--yes]
                    whole programs under warpsan print what an H200 printed, under every schedule
    ui [--seeds N] [--filter NAME] [--detector NAME] [--jobs N] [--yes]
                    the programs of suites/hb, bugs, iguard and scor/micro get the verdicts that their `//~` comments name, with every seed
    shipping [--seeds N] [--filter NAME] [--detector NAME] [--jobs N] [--keep FOLDER] [--yes]
                    the same programs get these verdicts, too, from events that went through the queues of
                    records which a device writes
    told [--seeds N] [--filter NAME] [--detector NAME] [--jobs N] [--yes]
                    the same programs get these verdicts, too, from what their instrumented kernels tell the host on
                    the CPU engine; how many kernels can tell, and why others cannot
    programs [--cudart shared|static|both] [--code optimised|G|both] [--filter TEXT] [--listed]
             [--jobs N] [--timeout SECONDS] [--verbose] [--yes]
                    the programs of suites/programs under `warpsan run` print and end as on an H200, and get
                    the verdicts that their `//~` comments name; static and optimised where nothing is said.
                    nvcc is that of CUDA 13.0: the wheels of 12.9 have none, so --cuda-path has to name it
    processes [--processes N] [--kills N] [--seed N] [--yes]
                    32 processes under one command, 32 commands at the same time, a program that is killed at
                    100 moments, and others that fault, crash, never end or become another: nothing that was
                    found is lost, nothing stays behind, and the exit codes are right
    determinism [--seeds N] [--filter NAME] [--jobs N] [--yes]
                    the same programs twice with each seed, on one core and on two: identical traces
    device-runtime [--write] [--yes]
                    the device's side of detectors (crates/instrument/device) compiles to the PTX that is
                    committed beside it; --write replaces the PTX
    instrument-corpus [--filter TEXT] [--checks NAME] [--jobs N] [--keep FOLDER] [--verbose] [--yes]
                    every kernel of the suites with its checks for a GPU is one that the assembler takes;
                    a table of what is refused, and of what instrumentation costs
    instructions --emit FOLDER | --record FOLDER
                    kernels for every form of every instruction, to be run on a GPU, and what comes back
    gpu-kit FOLDER [--binaries FOLDER]
                    a folder for a machine with a GPU and no Rust: warpsan, the suites as sources, and a script
                    that builds them there, compares results and races, measures, and prints tables
    scale [--with-hb] [--yes]
                    a launch of 2^20 threads over 1 GiB of data: memory and time
    scord-tables [--filter NAME] [--yes]
                    tables VI and VII of the ScoRD paper over suites/scor: what its cache misses, and why; what coarser
                    metadata makes up
    curd-schemes [--seeds N] [--filter NAME] [--yes]
                    over recordings of the suites, curd reports the same lazily and eagerly, and its sets have
                    barracuda's verdict on kernels with barriers alone
    barracuda-clocks [--traces N]
                    the compressed clocks of the detector barracuda answer as plain vector clocks do, on N random
                    traces (100000); how often each format was used
    bench [NAME]    measure something; without a name, say what can be measured
    fuzz [--minutes N] [TARGET]
                    fuzz each target of the folder fuzz, or one of them, for N minutes (20); needs
                    cargo-fuzz and a nightly toolchain
    fuzz hb [--kernels N] [--seed N] [--jobs N] [--show N]
                    random kernels with every kind of synchronisation: the default detector reports what
                    a brute-force reading of the race model finds
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the command that the arguments name.
fn dispatch(arguments: &[String]) -> anyhow::Result<()> {
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", arguments),
    };
    match (command, rest) {
        ("help" | "--help" | "-h", _) => {
            print!("{HELP}");
            Ok(())
        }
        ("lint", []) => lint::run_all(),
        ("test" | "ci", []) => test::run_all(test::Consent::Ask),
        ("test" | "ci", [flag]) if flag == "--yes" => test::run_all(test::Consent::Given),
        ("bench", []) => {
            bench::list();
            Ok(())
        }
        ("bench", [name]) => bench::run(name),
        ("corpus", flags) => corpus::run_all(flags),
        (
            "values" | "curd-schemes" | "determinism" | "processes" | "programs" | "scale"
            | "scord-tables" | "shipping" | "ui",
            flags,
        ) => corpus::run_with_warpsan(command, flags),
        (
            "device-runtime" | "instrument-corpus" | "rdc" | "speculation" | "instructions"
            | "told",
            flags,
        ) => corpus::run_testkit(command, flags),
        ("barracuda-clocks", flags) => clocks::run_all(flags),
        ("fuzz", flags) => fuzz::run_all(flags),
        ("gpu-kit", flags) => gpu_kit::run_all(flags),
        ("lint" | "test" | "ci" | "bench", [.., unexpected]) => {
            bail!("`cargo xtask {command}` does not take `{unexpected}`; see `cargo xtask help`")
        }
        _ => bail!("there is no command `{command}`; see `cargo xtask help`"),
    }
}

#[cfg(test)]
mod tests {
    use super::dispatch;

    fn message(arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        dispatch(&arguments).expect_err("the command line is wrong").to_string()
    }

    #[test]
    fn wrong_command_lines_are_named() {
        assert!(message(&["tets"]).contains("`tets`"));
        assert!(message(&["lint", "--fast"]).contains("`--fast`"));
        assert!(message(&["test", "--no"]).contains("`--no`"));
        assert!(message(&["fuzz", "--minutes", "many"]).contains("`many`"));
        assert!(message(&["barracuda-clocks", "--traces", "few"]).contains("`few`"));
        assert!(message(&["barracuda-clocks", "--fast"]).contains("`--fast`"));
        assert!(message(&["gpu-kit", "out", "more"]).contains("`more`"));
        assert!(message(&["fuzz", "--hours", "1"]).contains("`--hours`"));
        assert!(message(&["bench", "nothing-of-that-name"]).contains("`nothing-of-that-name`"));
    }
}
