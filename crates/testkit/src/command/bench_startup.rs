//! `bench-startup`: how long programs take to get going under `warpsan run`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use warpsan_testkit::startup::{
    StartupProgram, Times, fat_binary_bytes, large, median, start, trivial, write_source,
};
use warpsan_toolchain::Toolchain;

use super::{Common, warpsan};

/// How much longer than by itself a trivial program may take.
const ALLOWED_DIFFERENCE: f64 = 0.150;
/// How long the large program may take until its first launch has ended.
const ALLOWED_LARGE: f64 = 1.0;

/// The kernels of the large program, and the instructions of each: enough for [`LARGE_BYTES`].
const LARGE_KERNELS: usize = 50;
const LARGE_INSTRUCTIONS: usize = 3300;
/// The size that its fat binary has to have.
const LARGE_BYTES: u64 = 20_000_000;

/// Measure the start of a trivial and of a large program under `warpsan run`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often each program is run; the median counts
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    repetitions: usize,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// True if both programs start in their time.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let (warpsan, toolchain) = (warpsan(args.warpsan.as_deref())?, common.toolchain()?);
    let folder = common.root().join("target/startup");
    let repetitions = args.repetitions.max(1);
    println!("Times of the clock, medians of {repetitions}.");
    let executable = compile(&toolchain, &trivial(), &folder)?;
    let mut by_itself = || Command::new(&executable);
    let own = times(repetitions, &mut by_itself, "started")?;
    let mut checked = || under(&warpsan, &executable);
    let with = times(repetitions, &mut checked, "started")?;
    let (own, with) = (median_of(&own, |times| times.end), median_of(&with, |times| times.end));
    let difference = with - own;
    println!(
        "trivial: {:.1} ms by itself, {:.1} ms under `warpsan run`: {:.1} times, {:.1} ms more; {:.0} ms are allowed",
        own * 1e3,
        with * 1e3,
        with / own,
        difference * 1e3,
        ALLOWED_DIFFERENCE * 1e3,
    );
    let executable = compile(&toolchain, &large(LARGE_KERNELS, LARGE_INSTRUCTIONS), &folder)?;
    let bytes = fat_binary_bytes(&executable)?;
    anyhow::ensure!(bytes >= LARGE_BYTES, "the fat binary has only {bytes} bytes");
    let mut checked = || under(&warpsan, &executable);
    let with = times(repetitions, &mut checked, "launched")?;
    let launched = median_of(&with, |times| times.first_line);
    println!(
        "large: {LARGE_KERNELS} kernels, {:.1} MB of fat binary: the first launch has ended after {:.0} ms, the program \
         after {:.0} ms; {:.0} ms are allowed",
        bytes as f64 / 1e6,
        launched * 1e3,
        median_of(&with, |times| times.end) * 1e3,
        ALLOWED_LARGE * 1e3,
    );
    Ok(difference <= ALLOWED_DIFFERENCE && launched <= ALLOWED_LARGE)
}

fn compile(
    toolchain: &Toolchain,
    program: &StartupProgram,
    folder: &Path,
) -> anyhow::Result<PathBuf> {
    let source = write_source(program, folder)?;
    let flags: Vec<OsString> = program.flags.iter().map(OsString::from).collect();
    Ok(toolchain.compile_program(&source, &flags)?.path)
}

/// A program under warpsan, whose report nobody reads.
fn under(warpsan: &Path, executable: &Path) -> Command {
    let mut command = Command::new(warpsan);
    command.arg("run").arg("--").arg(executable);
    command
}

/// The times of many runs of a command that prints this line. The first run counts for nothing: it fills caches.
fn times(
    repetitions: usize,
    command: &mut dyn FnMut() -> Command,
    line: &str,
) -> anyhow::Result<Vec<Times>> {
    let mut times = Vec::new();
    for number in 0..=repetitions {
        let started = start(&mut command())?;
        anyhow::ensure!(started.line == line, "it prints `{}`, not `{line}`", started.line);
        if number > 0 {
            times.push(started.times);
        }
    }
    Ok(times)
}

fn median_of(times: &[Times], of: fn(&Times) -> f64) -> f64 {
    median(&times.iter().map(of).collect::<Vec<_>>())
}
