//! `warpsan check FILE…`: the kernels of files, launched as the files themselves say.

mod explore;
mod on_gpu;
mod one_file;

use crate::bounded_file::{MOST_CODE_BYTES, read_text};
use crate::launch_line::{Argument, LaunchLine, launch_lines};
use crate::output::{self, Reports, Stream};
use crate::progress::Terminal;
use crate::seeds;
use crate::voice::Voice;
use crate::{buffers, output_file, running};
use anyhow::{Context, anyhow, bail};
use one_file::{Checked, FileToCheck, Surroundings};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use warpsan_event::trace::TraceHeader;
use warpsan_runtime::{Engine, Options};

/// Stack of a thread that checks files: as much as a main thread has.
const STACK: usize = 8 << 20;

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
#[group(skip)]
pub(crate) struct Args {
    /// CUDA files with kernels only, or PTX files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// A launch, in place of the file's `//@ launch:` lines, as in
    /// 'reduce<<<4, 256>>>(in: f32[1024] = iota, out: f32[4], n = 1024)'
    #[arg(long, value_name = "LAUNCH")]
    launch: Vec<String>,

    #[command(flatten)]
    buffers: buffers::Args,

    #[command(flatten)]
    output: output::Args,

    #[command(flatten)]
    seeds: seeds::Args,

    /// Give a launch up after this many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = running::parse_seconds,
        help_heading = running::HEADING
    )]
    timeout: Option<Duration>,

    /// Show no progress of long launches; without it, a terminal shows blocks done and speed
    #[arg(short, long, help_heading = running::HEADING)]
    quiet: bool,

    /// Flags for the compiler, after `--`
    #[arg(last = true, value_name = "FLAG")]
    flags: Vec<OsString>,
}

const EXPLANATION: &str = "\
A file says how its kernels are launched, in comments, or --launch does:
  //@ launch: KERNEL<<<GRID, BLOCK [, SHARED] [, SETTING]…>>>(ARGUMENTS)
  EXTENT     4 or 4x2x1 or (4, 2, 1), as GRID and BLOCK; SHARED is bytes of dynamic shared memory
  SETTING    cluster=EXTENT, cooperative, or stream=N: launches of different streams are not ordered,
             one without a stream is after all before it, and before all after it
  ARGUMENTS  name: TYPE[COUNT] = VALUES for an array in device memory, name = NUMBER or
             name: TYPE = NUMBER for a value
  TYPE       u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64
  VALUES     zero (if nothing is said), iota (0, 1, 2, …), random, random(SEED), or a number
Kernels run on the CPU engine, whose schedules can be chosen and repeated, unless --engine gpu is
said: there each run has the schedule that the GPU gives it, and --explore N makes N runs.
What kernels print goes to standard error. The reports of several files come in the order of the
command line, as text under the name of each file, as JSON in one list.

Examples:
  warpsan check kernels.cu
  warpsan check --jobs 8 first.cu second.ptx
  warpsan check --engine gpu --detector iguard kernels.cu
  warpsan check --detector none --print out --launch 'fill<<<2, 64>>>(out: f32[128])' fill.cu
  warpsan check --schedule pct:3 --seed 5 --record-schedule found.txt kernels.cu
  warpsan check --schedule @found.txt kernels.cu
  warpsan check --explore 100 --warp-sync=error --stats kernels.cu";

impl Args {
    /// A command that does the same again with one file and one seed.
    fn command(&self, name: &str, seed: u64, file: &Path) -> String {
        let verdicts = self.output.detection.flags_to_repeat();
        let launches = self.output.launches.flags_to_repeat();
        let schedule = self.output.running.flags_to_repeat(seed);
        format!("warpsan {name} {verdicts}{launches}{schedule} {}", file.display())
    }

    /// The command of each seed that checks a file again.
    fn check_command<'a>(&'a self, file: &'a Path) -> impl Fn(u64) -> String + 'a {
        |seed| self.command("check", seed, file)
    }

    /// What a trace of the run says about itself.
    fn trace_header(&self, options: &Options, file: &Path) -> TraceHeader {
        TraceHeader {
            seed: options.seed,
            schedule: options.schedule_line(),
            command: self.command("record", options.seed, file),
        }
    }

    /// What goes with one file only.
    fn check_for_several(&self, trace: Option<&Path>) -> anyhow::Result<()> {
        let what = match () {
            () if trace.is_some() => "a trace is of one file",
            () if !self.launch.is_empty() => "--launch is for one file",
            () if self.output.running.uses_schedule_file() => "stored schedules are of one file",
            () => return Ok(()),
        };
        match self.files.len() {
            1 => Ok(()),
            count => bail!("{what}, and {count} are given"),
        }
    }
}

pub(crate) fn run(args: &Args, global: &crate::Global) -> anyhow::Result<ExitCode> {
    check(args, global, None, 1)
}

/// Checks the files, with so many seeds if the flags do not say how many, and writes everything that
/// happens to `trace`, if there is one.
pub(crate) fn check(
    args: &Args,
    global: &crate::Global,
    trace: Option<&Path>,
    seeds: u64,
) -> anyhow::Result<ExitCode> {
    args.check_for_several(trace)?;
    let engine = args.output.running.engine_without_program()?;
    let mut options = Options { timeout: args.timeout, engine, ..args.output.options()? };
    if engine == Engine::Gpu {
        crate::engine::prepare_gpu(&mut options, global)?;
    }
    let seeds = args.seeds.seeds(seeds, &options, &args.output.running)?;
    if trace.is_some() && seeds.count() > 1 {
        bail!("a trace is of one seed, and {} are to be tried", seeds.count());
    }
    let mut files: Vec<_> = args.files.iter().map(|file| read(args, file)).collect();
    if let [only] = &mut files[..]
        && let Err(error) = only
    {
        return Err(std::mem::replace(error, anyhow!("")));
    }
    check_names(args, &files)?;
    let inputs: Vec<&Path> = args.files.iter().map(PathBuf::as_path).collect();
    args.output.check_output(&inputs)?;
    trace.map_or(Ok(()), |trace| output_file::check("the trace", trace, &inputs))?;
    let has_sources = files.iter().flatten().any(|file| file.is_source);
    let surroundings = Surroundings {
        args,
        trace,
        options: &options,
        seeds,
        toolchain: has_sources.then(|| crate::consent::toolchain(global)).transpose()?,
        terminal: Terminal::new(args.quiet),
    };
    match files.as_slice() {
        [Ok(only)] => check_one(only, &surroundings),
        _ => check_several(args, files, surroundings),
    }
}

fn check_one(file: &FileToCheck, surroundings: &Surroundings<'_>) -> anyhow::Result<ExitCode> {
    let mut voice = Voice::Direct(surroundings.terminal.clone());
    let args = surroundings.args;
    match file.check(surroundings, surroundings.options, &mut voice)? {
        Checked::Unreadable => Ok(ExitCode::from(crate::exit::FAILURE)),
        Checked::Report(report) => {
            let again = args.check_command(&file.path);
            let verdict = args.output.form.give_out(*report, Stream::Output, &again)?;
            Ok(ExitCode::from(crate::exit::of_verdict(verdict)))
        }
    }
}

/// Files at the same time, and what comes of them in order.
fn check_several(
    args: &Args,
    files: Vec<anyhow::Result<FileToCheck>>,
    surroundings: Surroundings<'_>,
) -> anyhow::Result<ExitCode> {
    let jobs = args.output.running.jobs();
    let workers = jobs.min(files.len());
    // The cores are shared out: files first, then the blocks of each launch.
    let options = Options { jobs: (jobs / workers).max(1), ..surroundings.options.clone() };
    let (next, (sender, receiver)) = (AtomicUsize::new(0), mpsc::channel());
    let check_next = |sender: mpsc::Sender<(usize, Done)>| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(number) else { break };
            let mut voice = Voice::Kept(Vec::new());
            let result = match file {
                Ok(file) => file.check(&surroundings, &options, &mut voice),
                Err(error) => Err(anyhow!("{error:#}")),
            };
            // The receiver has stopped only because of an error that it reports itself.
            if sender.send((number, Done { voice, result })).is_err() {
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (check_next, sender) = (&check_next, sender.clone());
            let builder = std::thread::Builder::new().stack_size(STACK);
            builder
                .spawn_scoped(scope, move || check_next(sender))
                .context("cannot start a thread; use fewer --jobs")?;
        }
        drop(sender);
        report_in_order(receiver, &surroundings)
    })
}

/// A file that was checked, and what it has to say.
struct Done {
    voice: Voice,
    result: anyhow::Result<Checked>,
}

fn report_in_order(
    results: mpsc::Receiver<(usize, Done)>,
    surroundings: &Surroundings<'_>,
) -> anyhow::Result<ExitCode> {
    let args = surroundings.args;
    let mut reports = Reports::new(&args.output.form);
    let mut codes = Vec::new();
    let mut waiting = BTreeMap::new();
    for (number, done) in results {
        waiting.insert(number, done);
        while let Some(Done { voice, result }) = waiting.remove(&codes.len()) {
            let file = &args.files[codes.len()];
            voice.release(&surroundings.terminal)?;
            let code: anyhow::Result<u8> = surroundings.terminal.without_bars(|| match result {
                Ok(Checked::Report(report)) => {
                    let again = args.check_command(file);
                    let verdict = reports.add(file, *report, &again)?;
                    Ok(crate::exit::of_verdict(verdict))
                }
                Ok(Checked::Unreadable) => {
                    reports.add_failure(file, "its PTX cannot be read");
                    Ok(crate::exit::FAILURE)
                }
                Err(error) => {
                    let text = format!("{error:#}");
                    Stream::Error.write(format!("warpsan: error: {text}\n").as_bytes())?;
                    reports.add_failure(file, &text);
                    Ok(crate::exit::FAILURE)
                }
            });
            codes.push(code?);
        }
    }
    reports.finish()?;
    Ok(ExitCode::from(crate::exit::of_several(codes)))
}

/// Reads a file and its launches.
fn read(args: &Args, file: &Path) -> anyhow::Result<FileToCheck> {
    let text = read_text(file, MOST_CODE_BYTES)
        .with_context(|| format!("cannot read {}", file.display()))?;
    let launches = launches(args, file, &text)?;
    let is_source = match file.extension().and_then(|extension| extension.to_str()) {
        Some("ptx") => false,
        Some("cu") => true,
        _ => bail!("{} is neither a .cu nor a .ptx file", file.display()),
    };
    Ok(FileToCheck { path: file.to_owned(), text, is_source, launches })
}

fn launches(args: &Args, file: &Path, text: &str) -> anyhow::Result<Vec<LaunchLine>> {
    let file = file.display();
    let launches = if args.launch.is_empty() {
        launch_lines(text).map_err(|(line, error)| anyhow!("{file}:{line}: {error}"))?
    } else {
        let parse = |launch: &String| {
            LaunchLine::parse(launch, 0).map_err(|error| anyhow!("--launch {launch}: {error}"))
        };
        args.launch.iter().map(parse).collect::<Result<_, _>>()?
    };
    if launches.is_empty() {
        bail!(
            "{file} does not say how to launch its kernels; add a line like\n  \
             //@ launch: kernel<<<4, 256>>>(in: f32[1024] = iota, n = 1024)\n\
             or give it with --launch; a program with `main` is checked by `warpsan run {file}`"
        );
    }
    Ok(launches)
}

/// A buffer to print that no launch has is a typing mistake.
fn check_names(args: &Args, files: &[anyhow::Result<FileToCheck>]) -> anyhow::Result<()> {
    let arguments = files.iter().flatten().flat_map(|file| &file.launches);
    let mut names: Vec<&str> = arguments
        .flat_map(|launch| &launch.arguments)
        .filter(|argument| matches!(argument, Argument::Array { .. }))
        .map(Argument::name)
        .collect();
    names.sort_unstable();
    names.dedup();
    match args.buffers.unknown(&names) {
        Some(name) if names.is_empty() => bail!("--print {name}: the launches have no buffers"),
        Some(name) => {
            bail!("--print {name}: the buffers of the launches are: {}", names.join(", "))
        }
        None => Ok(()),
    }
}
