//! `warpsan dump TRACE`: the events of a trace as text.

use anyhow::Context;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use warpsan_event::trace::{TraceReader, TraceStep};
use warpsan_event::{Event, EventBuffer, Narrator};

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
pub(crate) struct Args {
    /// A trace file
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
}

const EXPLANATION: &str = "\
After a head of lines that begin with `#`, every event is one line: launch, block, warp, the mask of its
lanes in hexadecimal, what happened, the addresses in their short form (one for all lanes, or
first+distance*lane, or one for each), values where they were recorded, and the place: source line and
PTX instruction. Remarks of the recording begin with `#` too.

Exit codes: 0 if all could be read, 2 if not; what comes before a damaged place is printed.";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let unread = || format!("cannot read {}", args.file.display());
    let file = File::open(&args.file).with_context(unread)?;
    let mut trace = TraceReader::new(BufReader::new(file)).with_context(unread)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let dumped = dump(args, &mut trace, &mut out);
    // What was read before an error is worth seeing.
    let flushed = out.flush();
    match dumped.and_then(|()| Ok(flushed?)) {
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error.context(unread())),
        Ok(()) => Ok(ExitCode::SUCCESS),
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
