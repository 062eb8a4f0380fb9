//! `scord-tables`: tables VI and VII of the ScoRD paper, over the programs of `suites/scor`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use warpsan_suite::{Case, Settings, read_cases};
use warpsan_testkit::scord_tables::{Cached, compare_cache, reports_with_granularity};
use warpsan_testkit::traces::{record, record_kernels};

use super::{Common, table, warpsan};

/// The applications, and the small programs, which are one row of table VI.
const APPLICATIONS: &str = "suites/scor/apps";
const SMALL_PROGRAMS: &str = "suites/scor/micro";
/// The small programs are recorded with this seed.
const SEED: u64 = 1;
/// The granularities of table VII.
const GRANULARITIES: [u8; 3] = [4, 8, 16];

/// Compare what `scord` reports with and without its cache of metadata, and with coarser metadata, on the programs of
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
    /// Reports about the program without a race, for each granularity; none for the small programs.
    made_up: Option<[usize; GRANULARITIES.len()]>,
}

/// True if all that the cache misses was overwritten by an alias, and the base design is right.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    common.toolchain()?;
    let command = warpsan(args.warpsan.as_deref())?;
    let mut cases = read_cases(&common.root().join(APPLICATIONS), "scord")?;
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
    let (small, is_good) = look_at_small_programs(command, common)?;
    programs.extend(small);
    is_right &= is_good;
    anyhow::ensure!(!programs.is_empty(), "nothing has such a name");
    print(&programs);
    Ok(is_right)
}

/// The row of the small programs, unless none of them is asked for, and whether all is as it should be.
fn look_at_small_programs(
    warpsan: PathBuf,
    common: &Common,
) -> anyhow::Result<(Option<Program>, bool)> {
    let settings = Settings {
        warpsan,
        cuda_path: common.cuda_path.clone(),
        detector: "scord".to_owned(),
        flags: Vec::new(),
        jobs: 1,
        timeout: Duration::from_secs(60),
    };
    let mut cases = read_cases(&common.root().join(SMALL_PROGRAMS), "scord")?;
    cases.retain(|case| common.takes(&case.program.name));
    let mut all = Program { name: "small programs".to_owned(), ..Program::default() };
    let mut is_right = true;
    for case in &cases {
        eprintln!("{}", case.name());
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let trace = folder.path().join("kernels.trace");
        record_kernels(&settings, &case.program.path, SEED, &trace).with_context(|| case.name())?;
        let cached = compare_cache(&trace).with_context(|| case.name())?;
        is_right &= all.count(case, cached);
    }
    Ok(((!cases.is_empty()).then_some(all), is_right))
}

impl Program {
    /// Counts what was found of a case, and says whether that is as it should be.
    fn count(&mut self, case: &Case, Cached { without, missed, made_up }: Cached) -> bool {
        let expected = case.program.expectations.len();
        if expected == 0 {
            return without == 0 && made_up.is_empty();
        }
        let is_found = without == expected;
        self.races += 1;
        self.found[0] += u32::from(is_found);
        self.found[1] += u32::from(missed.is_empty());
        for one in &missed {
            let why = if one.is_alias { "overwritten by an alias" } else { "NOT OVERWRITTEN" };
            self.missed.push(format!("{}: {} ({why})", case.name(), one.what));
        }
        is_found && made_up.is_empty() && missed.iter().all(|one| one.is_alias)
    }
}

/// Whether all is as it should be.
fn look(command: &Path, case: &Case, program: &mut Program) -> anyhow::Result<bool> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let switch = case.switch.to_string();
    let arguments = ["--size", "small", "--race", &switch];
    let trace = record(command, &case.program.path, &arguments, folder.path())?;
    if case.switch == 0 {
        let mut counts = [0; GRANULARITIES.len()];
        for (count, bytes) in counts.iter_mut().zip(GRANULARITIES) {
            *count = reports_with_granularity(&trace, bytes)?;
        }
        program.made_up = Some(counts);
    }
    Ok(program.count(case, compare_cache(&trace)?))
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
    println!("Table VI: switches, and small programs, whose races are all found.");
    table::print(&["program", "races", "base", "cache", "what the cache misses"], &rows);
    let rows: Vec<Vec<String>> = programs
        .iter()
        .filter_map(|program| {
            let counts = program.made_up?.map(|count| count.to_string());
            Some(std::iter::once(program.name.clone()).chain(counts).collect())
        })
        .collect();
    println!("\nTable VII: false reports about programs without a race, by bytes for each entry.");
    table::print(&["application", "4", "8", "16"], &rows);
}
