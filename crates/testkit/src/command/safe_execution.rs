//! `safe-execution`: racy programs, run safely.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use warpsan_suite::{Case, read_cases};

use super::{Common, table, warpsan};

/// Programs whose races are switched on one at a time, and which print a checksum of all their memory.
const PROGRAMS: &str = "suites/ld";

/// Run the racy programs of `suites/ld` safely: deterministically they print the same with every seed, and race-free `hb` finds
/// nothing in what was executed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many seeds, from 1
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    seeds: u64,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// What came of one program.
struct Row {
    name: String,
    outcomes: [usize; 3],
    races: usize,
}

/// True if every program has one outcome, and no race was executed.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let toolchain = common.toolchain()?;
    let command = warpsan(args.warpsan.as_deref())?;
    let mut rows = Vec::new();
    for case in read_cases(&common.root().join(PROGRAMS), "hb")? {
        if case.program.expectations.is_empty() || !common.takes(&case.name()) {
            continue;
        }
        eprintln!("{}", case.name());
        let built = toolchain.compile_program(&case.program.path, &[])?;
        rows.push(look(args, &command, &case, &built.path).with_context(|| case.name())?);
    }
    anyhow::ensure!(!rows.is_empty(), "nothing has such a name");
    let cells = |row: &Row| {
        let mut cells = vec![row.name.clone()];
        cells.extend(row.outcomes.map(|count| count.to_string()));
        cells.push(row.races.to_string());
        cells
    };
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    println!(
        "Different outputs with {} seeds, and races that hb finds in a race-free run.",
        args.seeds
    );
    table::print(&["program", "as it is", "race-free", "deterministic", "races executed"], &cells);
    let is_right = rows.iter().all(|row| row.outcomes[2] == 1 && row.races == 0);
    println!("{} racy programs.", rows.len());
    Ok(is_right)
}

fn look(args: &Args, warpsan: &Path, case: &Case, program: &Path) -> anyhow::Result<Row> {
    let race = case.switch.to_string();
    let outputs = |flags: &[&str]| -> anyhow::Result<usize> {
        let mut outputs = BTreeSet::new();
        for seed in 1..=args.seeds {
            let mut command = Command::new(warpsan);
            command.args(["run", "--quiet", "--seed", &seed.to_string()]).args(flags);
            command.arg("--").arg(program).args(["--race", &race, "--checksum"]);
            let ended = command.stdin(Stdio::null()).output().context("cannot run warpsan")?;
            let said = String::from_utf8_lossy(&ended.stderr);
            anyhow::ensure!(ended.status.success(), "seed {seed}: {}: {said}", ended.status);
            outputs.insert(ended.stdout);
        }
        Ok(outputs.len())
    };
    let as_it_is = outputs(&["--detector", "none"])?;
    let race_free = outputs(&["--safe", "race-free"])?;
    let deterministic = outputs(&["--safe", "deterministic"])?;
    let mut races = 0;
    for seed in 1..=args.seeds.min(3) {
        races += executed_races(warpsan, program, &race, seed)?;
    }
    let outcomes = [as_it_is, race_free, deterministic];
    Ok(Row { name: case.name(), outcomes, races })
}

/// How many races `hb` finds in what was executed.
fn executed_races(warpsan: &Path, program: &Path, race: &str, seed: u64) -> anyhow::Result<usize> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let file = folder.path().join("report.json");
    let mut command = Command::new(warpsan);
    command.args(["run", "--quiet", "--safe", "race-free", "--detector", "hb", "--format", "json"]);
    command.args(["--seed", &seed.to_string(), "--output"]).arg(&file);
    command.arg("--").arg(program).args(["--race", race]);
    let (_, report) = warpsan_suite::report_of(&mut command, &file)?;
    anyhow::ensure!(
        report["not_covered"].as_array().is_some_and(Vec::is_empty),
        "something was not covered: {}",
        report["not_covered"]
    );
    Ok(report["races"].as_array().context("a list of races")?.len())
}
