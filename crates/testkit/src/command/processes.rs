//! `processes`: programs of many processes, and programs that are killed, crash or never end.

use std::path::PathBuf;

use warpsan_testkit::processes::{Bench, Size, Trial, compile, run_all};

use super::{Common, table, warpsan};

/// The longest list of what is wrong with one kind of trial.
const MOST_SHOWN: usize = 5;

/// Run programs of many processes, and programs that are killed, crash or never end: nothing found may be lost
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Processes at the same time
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u8).range(1..=32))]
    processes: u8,
    /// Moments at which a program is killed
    #[arg(long, value_name = "N", default_value_t = 100)]
    kills: usize,
    /// Determines those moments, as far as the machine's speed does not
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// True if nothing is wrong.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let warpsan = warpsan(args.warpsan.as_deref())?;
    let program = compile(&common.toolchain()?, &common.root())?;
    let size = Size { processes: usize::from(args.processes), kills: args.kills, seed: args.seed };
    let trials = run_all(&Bench { warpsan, program }, size, |trial| {
        for message in trial.wrong.iter().take(MOST_SHOWN) {
            println!("WRONG {}: {message}", trial.name);
        }
    });
    let row = |trial: &Trial| {
        let counts = [trial.runs, trial.wrong.len()].map(|count| count.to_string());
        [vec![trial.name.to_string()], counts.to_vec(), vec![trial.remark.clone()]].concat()
    };
    let rows: Vec<_> = trials.iter().map(row).collect();
    table::print(&["trial", "runs", "wrong", "remark"], &rows);
    Ok(trials.iter().all(Trial::is_right))
}
