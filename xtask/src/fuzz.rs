//! Fuzzing with cargo-fuzz: each target of the folder `fuzz`, one after the other. The detector is fuzzed
//! by the testkit, which knows what is right.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::process::{run, workspace_root};

/// How long each target runs where nothing else is said.
const DEFAULT_MINUTES: f64 = 20.0;

/// An input that takes longer than this counts as a hang.
const LONGEST_INPUT_IN_SECONDS: u32 = 10;

/// What the command line asks for.
#[derive(Debug, PartialEq)]
struct Request {
    minutes: f64,
    target: Option<String>,
}

/// Runs the targets that the flags ask for.
pub(crate) fn run_all(flags: &[String]) -> anyhow::Result<()> {
    if let [target, flags @ ..] = flags
        && target == "hb"
    {
        return crate::corpus::run_testkit("fuzz-hb", flags);
    }
    let request = Request::parse(flags)?;
    let all = targets()?;
    let chosen: Vec<&String> = all
        .iter()
        .filter(|name| request.target.as_ref().is_none_or(|target| target == *name))
        .collect();
    if chosen.is_empty() {
        let target = request.target.unwrap_or_default();
        bail!("there is no target `{target}` in the folder fuzz, only {}", all.join(", "));
    }
    check_tools()?;
    let seconds = (request.minutes * 60.0).ceil();
    for target in chosen {
        let mut command = nightly_cargo();
        command
            .args(["fuzz", "run", target, "--"])
            .arg(format!("-max_total_time={seconds:.0}"))
            .arg(format!("-timeout={LONGEST_INPUT_IN_SECONDS}"));
        run(&mut command)?;
    }
    Ok(())
}

impl Request {
    fn parse(flags: &[String]) -> anyhow::Result<Self> {
        let mut request = Self { minutes: DEFAULT_MINUTES, target: None };
        let mut rest = flags.iter();
        while let Some(flag) = rest.next() {
            match flag.as_str() {
                "--minutes" => {
                    let value = rest.next().context("`--minutes` needs a number")?;
                    request.minutes = value
                        .parse()
                        .ok()
                        .filter(|minutes: &f64| minutes.is_finite() && *minutes > 0.0)
                        .with_context(|| format!("`{value}` is no number of minutes"))?;
                }
                name if !name.starts_with('-') && request.target.is_none() => {
                    request.target = Some(name.to_owned());
                }
                other => {
                    bail!("`cargo xtask fuzz` does not take `{other}`; see `cargo xtask help`")
                }
            }
        }
        Ok(request)
    }
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
    use super::{DEFAULT_MINUTES, Request};

    fn request(flags: &[&str]) -> Request {
        let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        Request::parse(&flags).expect("the flags are right")
    }

    #[test]
    fn time_and_target_are_read() {
        let nothing = Request { minutes: DEFAULT_MINUTES, target: None };
        assert_eq!(request(&[]), nothing);
        let both = Request { minutes: 0.5, target: Some("parser".to_owned()) };
        assert_eq!(request(&["--minutes", "0.5", "parser"]), both);
        assert_eq!(request(&["parser", "--minutes", "0.5"]), both);
    }
}
