//! Commands and their first lines, timed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;
use object::{Object, ObjectSection};

/// The section that holds the code of the device.
const FAT_BINARY: &str = ".nv_fatbin";

/// The times of one run, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Until its first line came.
    pub first_line: f64,
    /// Until it had ended.
    pub end: f64,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Started {
    /// How long it took.
    pub times: Times,
    /// The first line that it printed.
    pub line: String,
}

/// Runs a command to its end. It has to succeed.
pub fn start(command: &mut Command) -> anyhow::Result<Started> {
    let name = Path::new(command.get_program()).display().to_string();
    let failed = || format!("cannot run {name}");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let begin = Instant::now();
    let mut child = command.spawn().with_context(failed)?;
    let mut output = child.stdout.take().map(BufReader::new);
    let mut line = String::new();
    if let Some(output) = &mut output {
        output.read_line(&mut line).with_context(failed)?;
    }
    let first_line = begin.elapsed().as_secs_f64();
    // The rest is read, too: a program that nobody listens to is ended by a signal.
    if let Some(output) = &mut output {
        std::io::copy(output, &mut std::io::sink()).with_context(failed)?;
    }
    let status = child.wait().with_context(failed)?;
    let times = Times { first_line, end: begin.elapsed().as_secs_f64() };
    if !status.success() {
        anyhow::bail!("{name} ended with {status}");
    }
    Ok(Started { times, line: line.trim_end().to_owned() })
}

/// The middle of some numbers; of an even number of them, the upper one of the two in the middle.
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The size of the fat binary in an executable.
pub fn fat_binary_bytes(executable: &Path) -> anyhow::Result<u64> {
    let name = || executable.display().to_string();
    let bytes = fs::read(executable).with_context(name)?;
    let file = object::File::parse(&*bytes).with_context(name)?;
    let section = file.section_by_name(FAT_BINARY);
    let section = section.with_context(|| format!("{}: it has no {FAT_BINARY}", name()))?;
    Ok(section.size())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> anyhow::Result<Started> {
        start(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn the_first_line_and_the_end_are_timed() {
        let started = shell("echo one; sleep 0.2; echo two").expect("it runs");
        assert_eq!(started.line, "one");
        assert!(started.times.end - started.times.first_line > 0.1, "{:?}", started.times);
        assert!(shell("exit 3").is_err());
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 3.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_file_without_a_fat_binary_is_an_error() {
        let own = std::env::current_exe().expect("a path");
        assert!(
            fat_binary_bytes(&own).expect_err("no fat binary").to_string().contains(FAT_BINARY)
        );
    }
}
