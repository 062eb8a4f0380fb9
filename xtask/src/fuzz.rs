//! Fuzzing with cargo-fuzz: each target of the folder `fuzz`, one after the other. Detectors are fuzzed
//! by the testkit, which knows what is right.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::process::{run as run_process, workspace_root};
use crate::testkit;

/// An input that takes longer than this counts as a hang.
const LONGEST_INPUT_IN_SECONDS: u32 = 10;

/// Fuzz each target of the folder fuzz, or one of them; needs cargo-fuzz and a nightly toolchain
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// How long each target runs
    #[arg(long, value_name = "NUMBER", default_value = "20", value_parser = minutes)]
    minutes: f64,
    /// One target of them
    target: Option<String>,
    #[command(subcommand)]
    detector: Option<Detector>,
}

/// What is not fuzzed by cargo-fuzz.
#[derive(Debug, clap::Subcommand)]
enum Detector {
    /// Random kernels with every kind of synchronisation: `hb` reports what a brute-force oracle finds
    Hb(testkit::Flags),
    /// Random traces of threads: `fasttrack` and `slimfast` report what a brute-force oracle finds
    Threads(testkit::Flags),
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse().ok().filter(|minutes: &f64| minutes.is_finite() && *minutes > 0.0);
    minutes.ok_or_else(|| "this is no number of minutes".to_owned())
}

/// Runs the targets that the flags ask for.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.detector {
        Some(Detector::Hb(flags)) => return testkit::run_named("fuzz-hb", flags),
        Some(Detector::Threads(flags)) => return testkit::run_named("fuzz-threads", flags),
        None => {}
    }
    let all = targets()?;
    let chosen: Vec<&String> = all
        .iter()
        .filter(|name| args.target.as_ref().is_none_or(|target| target == *name))
        .collect();
    if let ([], Some(target)) = (chosen.as_slice(), &args.target) {
        bail!("there is no target `{target}` in the folder fuzz, only {}", all.join(", "));
    }
    check_tools()?;
    let seconds = (args.minutes * 60.0).ceil();
    for target in chosen {
        let mut command = nightly_cargo();
        command
            .args(["fuzz", "run", target, "--"])
            .arg(format!("-max_total_time={seconds:.0}"))
            .arg(format!("-timeout={LONGEST_INPUT_IN_SECONDS}"));
        run_process(&mut command)?;
    }
    Ok(())
}

/// The names of the targets, which are the files in `fuzz/fuzz_targets`.
fn targets() -> anyhow::Result<Vec<String>> {
    let folder = workspace_root().join("fuzz/fuzz_targets");
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read the fuzz targets in {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// The cargo of the nightly toolchain: only that one knows sanitizers.
fn nightly_cargo() -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).current_dir(workspace_root());
    command
}

/// Says what to install where something is missing.
fn check_tools() -> anyhow::Result<()> {
    let works = |arguments: &[&str]| {
        let mut command = nightly_cargo();
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !works(&["--version"]) {
        bail!(
            "fuzzing needs a nightly toolchain of Rust: install rustup, then run \
             `rustup toolchain install nightly`"
        );
    }
    if !works(&["fuzz", "--version"]) {
        bail!("fuzzing needs cargo-fuzz: run `cargo install cargo-fuzz`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Args, Detector};

    #[derive(Debug, Parser)]
    struct Arguments {
        #[command(flatten)]
        fuzz: Args,
    }

    fn parse(words: &[&str]) -> Args {
        let words = std::iter::once(&"fuzz").chain(words);
        Arguments::try_parse_from(words).expect("the flags are right").fuzz
    }

    #[test]
    fn time_and_target_are_read() {
        let nothing = parse(&[]);
        assert_eq!((nothing.minutes, nothing.target), (20.0, None));
        for words in [["--minutes", "0.5", "parser"], ["parser", "--minutes", "0.5"]] {
            let both = parse(&words);
            assert_eq!((both.minutes, both.target.as_deref()), (0.5, Some("parser")));
            assert!(both.detector.is_none());
        }
    }

    #[test]
    fn detectors_are_fuzzed_by_the_testkit() {
        let args = parse(&["hb", "--kernels", "10"]);
        assert!(matches!(args.detector, Some(Detector::Hb(_))), "{args:?}");
        assert_eq!(args.target, None);
        let args = parse(&["threads", "--count", "10"]);
        assert!(matches!(args.detector, Some(Detector::Threads(_))), "{args:?}");
    }
}
