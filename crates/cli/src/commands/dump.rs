//! `warpsan dump TRACE`: the events of a trace as text.

use crate::threads::ThreadTrace;
use anyhow::{Context, ensure};
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use warpsan_event::trace::{TraceReader, TraceStep};
use warpsan_event::{Event, EventBuffer, Narrator};

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
pub(crate) struct Args {
    /// A trace file: of kernels, of threads, or a text in RAPID's STD format (its name ends in .std)
    file: PathBuf,

    /// Only what belongs to this launch, counted from 0
    #[arg(long, value_name = "N")]
    launch: Option<u32>,

    /// Only what blocks of this number did
    #[arg(long, value_name = "N")]
    block: Option<u32>,

    /// Stop after so many lines
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Print a trace of threads in RAPID's STD format
    #[arg(long, conflicts_with_all = ["launch", "block", "limit"])]
    std: bool,
}

const EXPLANATION: &str = "\
After a head of lines that begin with `#`, every event is one line: launch, block, warp, the mask of its
lanes in hexadecimal, what happened, the addresses in their short form (one for all lanes, or
first+distance*lane, or one for each), values where they were recorded, and the place: source line and
PTX instruction. Remarks of the recording begin with `#` too.

Of a trace of threads, every event is one line: the thread, what it did, and the place. In the STD format,
variables are pieces of memory that every access covers whole; atomics, fences, barriers and locks for
readers have no word there, and a trace with them is refused.

Exit codes: 0 if all could be read, 2 if not; what comes before a damaged place is printed.";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let unread = || format!("cannot read {}", args.file.display());
    let mut out = BufWriter::new(std::io::stdout().lock());
    let dumped = match ThreadTrace::open(&args.file)? {
        Some(trace) => dump_threads(args, &trace, &mut out),
        None => {
            ensure!(!args.std, "{} is no trace of threads", args.file.display());
            let file = File::open(&args.file).with_context(unread)?;
            let mut trace = TraceReader::new(BufReader::new(file)).with_context(unread)?;
            dump(args, &mut trace, &mut out).with_context(unread)
        }
    };
    // What was read before an error is worth seeing.
    let flushed = out.flush();
    match dumped.and_then(|()| Ok(flushed?)) {
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

fn dump_threads(args: &Args, trace: &ThreadTrace, out: &mut impl Write) -> anyhow::Result<()> {
    ensure!(
        args.launch.is_none() && args.block.is_none(),
        "{} is a trace of threads, which have no launches and blocks",
        args.file.display()
    );
    match args.std {
        true => trace.dump_std(out),
        false => trace.dump(args.limit.unwrap_or(u64::MAX), out),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

fn dump(
    args: &Args,
    trace: &mut TraceReader<BufReader<File>>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let header = trace.header();
    writeln!(out, "# trace of: {}", header.command)?;
    writeln!(out, "# schedule: {}", header.schedule)?;
    let mut narrator = Narrator::new();
    let mut buffer = EventBuffer::new();
    let mut left = args.limit.unwrap_or(u64::MAX);
    let all = args.launch.is_none() && args.block.is_none();
    while left > 0 {
        match trace.read(&mut buffer)? {
            TraceStep::End => break,
            TraceStep::Remark(text) if all => writeln!(out, "# {text}")?,
            TraceStep::Remark(_) => {}
            TraceStep::Events => {
                for event in buffer.batch().events() {
                    narrator.follow(&event);
                    if left > 0 && is_asked_for(args, &narrator, &event) {
                        writeln!(out, "{}", narrator.describe(&event))?;
                        left -= 1;
                    }
                }
            }
        }
    }
    Ok(())
}

fn is_asked_for(args: &Args, narrator: &Narrator, event: &Event<'_>) -> bool {
    let launch = narrator.launch().map(|launch| launch.0);
    let block = event.block().map(|block| block.0);
    (args.launch.is_none() || args.launch == launch)
        && (args.block.is_none() || args.block == block)
}
