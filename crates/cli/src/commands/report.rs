//! `warpsan report FOLDER`: what the processes of a run had found when the command that checked them was killed.

use crate::output::{self, Stream};
use crate::{process, threads};
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;
use warpsan_report::NotCovered;
use warpsan_runtime::Options;
use warpsan_runtime::report_log::{ProcessNote, process_notes, process_reports};

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The folder of a run, or the log in it
    folder: PathBuf,

    #[command(flatten)]
    form: output::Form,
}

const HELP: &str = "\
While a program runs, its processes write to a log in a folder `warpsan-…` among the temporary files. The command takes
the folder away when it ends. If it was killed, the folder is still there, and this shows what was found until then. Such
a run is never clean: nobody has seen its end.

Exit codes: 1 if there are races, otherwise 3; 2 if there is no log.";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let log = if args.folder.is_dir() { args.folder.join("log") } else { args.folder.clone() };
    let unread = || format!("cannot read the log of a run in {}", args.folder.display());
    let evidence = warpsan_evidence::read_file(&log).with_context(unread)?;
    args.form.check_output(&[&log])?;
    let notes = process_notes(&evidence);
    let of_run = |note: &ProcessNote| match note {
        ProcessNote::Run { options, command } => Some((options.clone(), command.clone())),
        _ => None,
    };
    let (options, command) =
        notes.iter().find_map(of_run).context("the log does not say how it was run")?;
    let options: Options = serde_json::from_str(&options).with_context(unread)?;
    let mut report = output::report(options.detector, options.seed, process_reports(&evidence));
    report.summary.engine = options.engine.name().to_string();
    threads::add_processes(&mut report, &threads::processes(&evidence), options.statistics);
    report.thread_command = Some(command.clone());
    report.not_covered.extend(process::not_accounted_for(&evidence));
    report.not_covered.push(NotCovered {
        what: "what the program did after its warpsan was killed".to_string(),
        place: "the whole program".to_string(),
        advice: "run it again; what was found until then is in the report".to_string(),
    });
    let verdict = args.form.give_out(report, Stream::Output, &command)?;
    Ok(ExitCode::from(crate::exit::of_verdict(verdict)))
}
