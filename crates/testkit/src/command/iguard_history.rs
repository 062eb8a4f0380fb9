//! `iguard-history`: the experiment of section 6.7 of the iGUARD paper, over the suites.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use warpsan_suite::{Case, Settings, read_cases};
use warpsan_testkit::corpus::{Checked, in_parallel};
use warpsan_testkit::iguard_history::{HISTORIES, races_with_histories};
use warpsan_testkit::traces::{record, record_kernels};

use super::{Common, cores, new_bar, table, warpsan};

/// Suites, each with a detector that it has expectations for.
const SUITES: [(&str, &str); 4] = [
    ("suites/scor/apps", "iguard"),
    ("suites/scor/micro", "iguard"),
    ("suites/bugs", "barracuda"),
    ("suites/iguard", "iguard"),
];
/// All are recorded with this seed.
const SEED: u64 = 1;

/// Compare what `iguard` reports with one, two, four and eight accessors of each location that it remembers, over recordings of
/// the suites
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The warpsan that records the programs, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// What a longer history finds in a run: how many races there are with each, and those that the shortest one has not.
struct Found {
    races: [usize; HISTORIES.len()],
    new: Vec<String>,
}

/// True if all could be recorded, and no history finds less than a shorter one.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    common.toolchain()?;
    let settings = Settings {
        warpsan: warpsan(args.warpsan.as_deref())?,
        cuda_path: common.cuda_path.clone(),
        detector: "iguard".to_owned(),
        flags: Vec::new(),
        jobs: 1,
        timeout: Duration::from_secs(60),
    };
    let (mut rows, mut is_right) = (Vec::new(), true);
    for (folder, detector) in SUITES {
        let mut cases = read_cases(&common.root().join(folder), detector)?;
        cases.retain(|case| common.takes(&case.program.name));
        let bar = new_bar(folder, cases.len());
        let check = |case: &Case| look(&settings, case);
        let checked = in_parallel(&cases, cores()?, None, check, |_, _| bar.inc(1));
        bar.finish_and_clear();
        let (row, is_good) = row_of(folder, &checked);
        rows.extend((!cases.is_empty()).then_some(row));
        is_right &= is_good;
    }
    anyhow::ensure!(!rows.is_empty(), "nothing has such a name");
    let mut header = vec!["suite".to_owned(), "runs".to_owned()];
    header.extend(HISTORIES.map(|accessors| format!("races, history {accessors}")));
    header
        .extend(["runs with more", "with more in place of none", "not recorded"].map(String::from));
    table::print(&header.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
    Ok(is_right)
}

fn look(settings: &Settings, case: &Case) -> anyhow::Result<Found> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let trace = match case.is_whole {
        true => {
            let arguments = ["--size", "small", "--race", &case.switch.to_string()];
            record(&settings.warpsan, &case.program.path, &arguments, folder.path())?
        }
        false => {
            let trace = folder.path().join("kernels.trace");
            record_kernels(settings, &case.program.path, SEED, &trace)?;
            trace
        }
    };
    found_in(&trace)
}

fn found_in(trace: &Path) -> anyhow::Result<Found> {
    let races = races_with_histories(trace)?;
    let [one, .., most] = &races;
    let new = most.difference(one).cloned().collect();
    Ok(Found { races: races.each_ref().map(|found| found.len()), new })
}

/// The counts of a suite, and whether all is as it should be. What only a longer history finds is named.
fn row_of(folder: &str, checked: &[Checked<Case, anyhow::Result<Found>>]) -> (Vec<String>, bool) {
    let mut races = [0; HISTORIES.len()];
    let (mut with_more, mut instead_of_none, mut missing, mut is_good) = (0, 0, 0, true);
    for Checked { item, verdict } in checked {
        let found = match verdict {
            Some(Ok(found)) => found,
            Some(Err(error)) => {
                println!("not recorded: {folder}/{}: {error:#}", item.name());
                missing += 1;
                continue;
            }
            None => continue,
        };
        races.iter_mut().zip(found.races).for_each(|(all, these)| *all += these);
        is_good &= found.races.is_sorted();
        if !found.new.is_empty() {
            with_more += 1;
            instead_of_none += usize::from(found.races[0] == 0);
            println!("{folder}/{}: only with a longer history: {:?}", item.name(), found.new);
        }
    }
    let mut row = vec![folder.to_owned(), checked.len().to_string()];
    row.extend(races.map(|count| count.to_string()));
    row.extend([with_more, instead_of_none, missing].map(|count: usize| count.to_string()));
    (row, is_good && missing == 0)
}
