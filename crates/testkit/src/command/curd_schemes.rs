//! `curd-schemes`: CURD's lazy scheme beside the eager one, and its sets beside Barracuda, over the suites.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use warpsan_suite::{Program, Settings, read_programs};
use warpsan_testkit::corpus::{Checked, in_parallel};
use warpsan_testkit::curd_schemes::{Compared, Schemes, Verdicts, compare};
use warpsan_testkit::traces::record_kernels;

use super::{Common, cores, new_bar, table, warpsan};

/// Suites of files with kernels, each with a detector that it has expectations for.
const SUITES: [(&str, &str); 4] = [
    ("suites/bugs", "curd"),
    ("suites/hb", "hb"),
    ("suites/iguard", "iguard"),
    ("suites/scor/micro", "scord"),
];

/// Compare what `curd` reports lazily and eagerly, and what its sets and `barracuda` report, over recordings of the suites
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many seeds, from 1
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seeds: u64,
    /// The warpsan that records the programs, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// True if the schemes agree everywhere, and sets have Barracuda's verdict up to lockstep.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    common.toolchain()?;
    let settings = Settings {
        warpsan: warpsan(args.warpsan.as_deref())?,
        cuda_path: common.cuda_path.clone(),
        detector: "curd".to_owned(),
        flags: Vec::new(),
        jobs: 1,
        timeout: Duration::from_secs(60),
    };
    let (mut rows, mut is_right) = (Vec::new(), true);
    for (folder, detector) in SUITES {
        let mut programs = read_programs(&common.root().join(folder), detector)?;
        programs.retain(|program| common.takes(&program.name));
        let items: Vec<(Program, u64)> = programs
            .into_iter()
            .flat_map(|program| (1..=args.seeds).map(move |seed| (program.clone(), seed)))
            .collect();
        let bar = new_bar(folder, items.len());
        let check = |(program, seed): &(Program, u64)| look(&settings, program, *seed);
        let checked = in_parallel(&items, cores()?, None, check, |_, _| bar.inc(1));
        bar.finish_and_clear();
        let (row, is_good) = row_of(folder, &checked);
        rows.extend((!items.is_empty()).then_some(row));
        is_right &= is_good;
    }
    anyhow::ensure!(!rows.is_empty(), "nothing has such a name");
    let header = [
        "suite",
        "runs",
        "lazy = eager",
        "more lines eagerly",
        "differ",
        "for sets",
        "sets = barracuda",
        "up to lockstep",
        "differ",
        "not recorded",
    ];
    table::print(&header, &rows);
    Ok(is_right)
}

fn look(settings: &Settings, program: &Program, seed: u64) -> anyhow::Result<Compared> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let trace = folder.path().join("kernels.trace");
    record_kernels(settings, &program.path, seed, &trace)?;
    compare(&trace)
}

/// A program with a seed, and what came of it.
type Looked = Checked<(Program, u64), anyhow::Result<Compared>>;

/// The counts of a suite, and whether all is as it should be. What is not is named.
fn row_of(folder: &str, checked: &[Looked]) -> (Vec<String>, bool) {
    let (mut schemes, mut verdicts) = (BTreeMap::new(), BTreeMap::new());
    let mut missing = 0;
    for Checked { item: (program, seed), verdict } in checked {
        let compared = match verdict {
            Some(Ok(compared)) => compared,
            Some(Err(error)) => {
                println!("not recorded: {folder}/{} with seed {seed}: {error:#}", program.name);
                missing += 1;
                continue;
            }
            None => continue,
        };
        *schemes.entry(compared.schemes).or_insert(0usize) += 1;
        *verdicts.entry(compared.verdicts).or_insert(0usize) += 1;
        if compared.schemes == Schemes::Differ || compared.verdicts == Verdicts::Differ {
            let [lazy, eager, barracuda] = &compared.found;
            println!("WRONG {folder}/{} with seed {seed}:", program.name);
            println!("  lazy {lazy:?}\n  eager {eager:?}\n  barracuda {barracuda:?}");
        }
    }
    let of_schemes = |what| schemes.get(&what).copied().unwrap_or(0);
    let of_verdicts = |what| verdicts.get(&what).copied().unwrap_or(0);
    let with_sets = verdicts.values().sum::<usize>() - of_verdicts(Verdicts::NotForSets);
    let counts = [
        checked.len(),
        of_schemes(Schemes::Same),
        of_schemes(Schemes::MoreLinesEagerly),
        of_schemes(Schemes::Differ),
        with_sets,
        of_verdicts(Verdicts::Same),
        of_verdicts(Verdicts::SameUpToLockstep),
        of_verdicts(Verdicts::Differ),
        missing,
    ];
    let mut row = vec![folder.to_owned()];
    row.extend(counts.map(|count| count.to_string()));
    let is_good =
        of_schemes(Schemes::Differ) == 0 && of_verdicts(Verdicts::Differ) == 0 && missing == 0;
    (row, is_good)
}
