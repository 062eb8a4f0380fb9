//! `scord-tables`: tables VI and VII of the ScoRD paper, over the applications of `suites/scor`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use warpsan_suite::{Case, read_cases};
use warpsan_testkit::scord_tables::{Cached, compare_cache, reports_with_granularity};
use warpsan_testkit::traces::record;

use super::{Common, table, warpsan};

/// The applications.
const FOLDER: &str = "suites/scor/apps";
/// The granularities of table VII.
const GRANULARITIES: [u8; 3] = [4, 8, 16];

/// Compare what `scord` reports with and without its cache of metadata, and with coarser metadata, on the applications of
/// `suites/scor`: tables VI and VII of its paper
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The warpsan that records the programs, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// What is known of a program.
#[derive(Default)]
struct Program {
    name: String,
    races: u32,
    /// Switches whose races are all found, without the cache and with it.
    found: [u32; 2],
    /// What the cache missed, with the switch.
    missed: Vec<String>,
    /// Reports about the program without a race, for each granularity.
    made_up: [usize; GRANULARITIES.len()],
}

/// True if all that the cache misses was overwritten by an alias, and the base design is right.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    common.toolchain()?;
    let command = warpsan(args.warpsan.as_deref())?;
    let mut cases = read_cases(&common.root().join(FOLDER), "scord")?;
    cases.retain(|case| common.takes(&case.program.name) && !case.is_its);
    let (mut programs, mut is_right): (Vec<Program>, bool) = (Vec::new(), true);
    for case in &cases {
        if case.switch == 0 {
            let name = case.program.name.trim_end_matches(".cu").to_owned();
            programs.push(Program { name, ..Program::default() });
        }
        let Some(program) = programs.last_mut() else { continue };
        eprintln!("{}", case.name());
        is_right &= look(&command, case, program).with_context(|| case.name())?;
    }
    anyhow::ensure!(!programs.is_empty(), "nothing has such a name");
    print(&programs);
    Ok(is_right)
}

/// Whether all is as it should be.
fn look(command: &Path, case: &Case, program: &mut Program) -> anyhow::Result<bool> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let switch = case.switch.to_string();
    let arguments = ["--size", "small", "--race", &switch];
    let trace = record(command, &case.program.path, &arguments, folder.path())?;
    let Cached { without, missed, made_up } = compare_cache(&trace)?;
    if case.switch == 0 {
        for (count, bytes) in program.made_up.iter_mut().zip(GRANULARITIES) {
            *count = reports_with_granularity(&trace, bytes)?;
        }
        return Ok(without == 0 && made_up.is_empty());
    }
    let is_found = without == case.program.expectations.len();
    program.races += 1;
    program.found[0] += u32::from(is_found);
    program.found[1] += u32::from(missed.is_empty());
    for one in &missed {
        let why = if one.is_alias { "overwritten by an alias" } else { "NOT OVERWRITTEN" };
        program.missed.push(format!("race {switch}: {} ({why})", one.what));
    }
    Ok(is_found && made_up.is_empty() && missed.iter().all(|one| one.is_alias))
}

fn print(programs: &[Program]) {
    let rows: Vec<Vec<String>> = programs
        .iter()
        .map(|program| {
            let mut row = vec![program.name.clone(), program.races.to_string()];
            row.extend(program.found.map(|found| found.to_string()));
            row.push(program.missed.join("; "));
            row
        })
        .collect();
    println!("Table VI: switches whose races are all found.");
    table::print(&["application", "races", "base", "cache", "what the cache misses"], &rows);
    let rows: Vec<Vec<String>> = programs
        .iter()
        .map(|program| {
            let counts = program.made_up.iter().map(usize::to_string);
            std::iter::once(program.name.clone()).chain(counts).collect()
        })
        .collect();
    println!("\nTable VII: false reports about programs without a race, by bytes for each entry.");
    table::print(&["application", "4", "8", "16"], &rows);
}
